//! A worker's loop: one run at a time, in slices, so that it listens every few milliseconds.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Object, Reflect, Uint8Array};
use lipscope_protocol::envelope::{Command, Message, Reply, decode, encode};
use lipscope_protocol::runner::{Runner, SLICE_MILLISECONDS};
use lipscope_protocol::task::{TaskList, Turn};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// How long a worker that waits for a server sleeps.
const WAIT_MILLISECONDS: i32 = 15;

/// How long a worker that has got no command waits before it warms up.
const REST_MILLISECONDS: i32 = 400;

/// Values that travel beside messages.
pub trait Beside<C> {
    /// Takes the values that came with a command.
    fn take(&mut self, context: &mut C, message: &JsValue);

    /// The values that go with the next reply.
    fn give(&mut self) -> Option<Object>;
}

/// Nothing travels beside messages.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl<C> Beside<C> for NoFiles {
    fn take(&mut self, _: &mut C, _: &JsValue) {}

    fn give(&mut self) -> Option<Object> {
        None
    }
}

/// Resumes a worker that waits for something outside.
pub type Wake = Rc<dyn Fn()>;

/// Listens until the page ends the worker. `context` creates the state that the worker keeps. A worker that gets no
/// command for a while calls `warm_up` once: a browser compiles a function at its first call, and memory grows at its
/// first use.
pub fn listen<T: TaskList, B: Beside<T::Context> + 'static>(
    context: impl FnOnce(&Wake) -> T::Context,
    beside: B,
    warm_up: fn(),
) {
    let scope = scope();
    let is_commanded = Rc::new(Cell::new(false));
    // Browsers delay setTimeout(0) by 4 ms after a few turns, but not a message to oneself.
    let channel = web_sys::MessageChannel::new().ok();
    // At most one message is on its way. Each slice with work left posts the next message, so two of them would never
    // become one again.
    let is_poked = Rc::new(Cell::new(false));
    let poke: Wake = {
        let (channel, is_poked) = (channel.clone(), Rc::clone(&is_poked));
        Rc::new(move || {
            if let Some(channel) = &channel
                && !is_poked.replace(true)
            {
                // This fails only where the port is closed because the page is gone.
                let _ = channel.port2().post_message(&JsValue::NULL);
            }
        })
    };
    let state = Rc::new(RefCell::new((Runner::<T>::new(context(&poke)), beside)));
    let on_slice = {
        let (state, scope, poke) = (Rc::clone(&state), scope.clone(), Rc::clone(&poke));
        // At most one timer at a time, for the same reason.
        let is_timed = Rc::new(Cell::new(false));
        // Made once: a closure for every wait would never be freed.
        let wake = {
            let (poke, is_timed) = (Rc::clone(&poke), Rc::clone(&is_timed));
            Closure::<dyn FnMut()>::new(move || {
                is_timed.set(false);
                poke();
            })
        };
        Closure::<dyn FnMut()>::new(move || {
            is_poked.set(false);
            let end = now() + SLICE_MILLISECONDS;
            let (runner, beside) = &mut *state.borrow_mut();
            let turn = runner.slice(end, now, |reply| post::<T>(&scope, reply, beside.give()));
            match turn {
                Turn::More => poke(),
                Turn::Waiting if is_timed.replace(true) => {}
                Turn::Waiting => {
                    let _ = scope.set_timeout_with_callback_and_timeout_and_arguments_0(
                        wake.as_ref().unchecked_ref(),
                        WAIT_MILLISECONDS,
                    );
                }
                Turn::Done => {}
            }
        })
    };
    if let Some(channel) = &channel {
        channel.port1().set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
    }
    on_slice.forget();
    let on_message = {
        let (scope, is_commanded) = (scope.clone(), Rc::clone(&is_commanded));
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            is_commanded.set(true);
            let message = event.data();
            // A message that cannot be read is not from this page.
            let Some(command) = unpacked::<Command<T::Plan>>(&message) else { return };
            let (runner, beside) = &mut *state.borrow_mut();
            beside.take(runner.context(), &message);
            runner.begin(command, now(), |reply| post::<T>(&scope, reply, None));
            poke();
        })
    };
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let at_rest = Closure::once_into_js(move || {
        if !is_commanded.get() {
            warm_up();
        }
    });
    // Without a timer the first command pays for what is new.
    let _ = scope.set_timeout_with_callback_and_timeout_and_arguments_0(at_rest.unchecked_ref(), REST_MILLISECONDS);
    send(&scope, &Message::<T::Event>::Ready, None);
}

/// The worker scope that the browser provides.
pub(crate) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// A message as it is posted: an object with its bytes, and the buffer to transfer.
pub(crate) fn packed(message: &impl serde::Serialize) -> Option<(Object, ArrayBuffer)> {
    let buffer = Uint8Array::from(&encode(message).ok()?[..]).buffer();
    let object = Object::new();
    Reflect::set(&object, &JsValue::from_str("bytes"), &buffer).ok()?;
    Some((object, buffer))
}

/// The message in an object of [`packed`]; `None` if the object is not from this program.
pub(crate) fn unpacked<M: serde::de::DeserializeOwned>(object: &JsValue) -> Option<M> {
    decode(&Uint8Array::new(&get(object, "bytes")).to_vec()).ok()
}

/// A value of an object; undefined where there is none.
pub fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// Milliseconds, finer than `Date`.
fn now() -> f64 {
    get(&js_sys::global(), "performance")
        .dyn_into::<web_sys::Performance>()
        .map_or_else(|_| js_sys::Date::now(), |performance| performance.now())
}

fn post<T: TaskList>(scope: &DedicatedWorkerGlobalScope, reply: Reply<T::Event>, files: Option<Object>) {
    send(scope, &Message::Reply(reply), files);
}

fn send<E: serde::Serialize>(scope: &DedicatedWorkerGlobalScope, message: &Message<E>, files: Option<Object>) {
    let Some((object, buffer)) = packed(message) else { return };
    // Neither error matters: setting a key of a new object cannot fail, and posting fails only if the page is gone.
    if let Some(files) = files {
        let _ = Reflect::set(&object, &JsValue::from_str("files"), &files);
    }
    let _ = scope.post_message_with_transfer(&object, &Array::of1(&buffer));
}
