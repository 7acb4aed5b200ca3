//! A worker's loop: one run at a time, in slices, so that it listens every few milliseconds.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lipscope_protocol::runner::SLICE_MILLISECONDS;
use lipscope_protocol::task::Poll;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::MessageEvent;

use crate::message::{emit_ready, now, scope};
use crate::rest::{FetchRest, Rest};
use crate::tasks::Tasks;

/// How long a worker that waits for a server sleeps.
const WAIT_MILLISECONDS: i32 = 15;

/// How long a worker that has got no command waits before it warms up.
const IDLE_MILLISECONDS: i32 = 400;

/// Resumes a worker that waits for something outside.
pub type Wake = Rc<dyn Fn()>;

/// The tasks of a worker's first module, and the rest.
struct Work<T> {
    first: T,
    rest: Rest,
}

/// Listens until the page ends the worker. `tasks` makes the tasks of the first module, `rest` fetches the others, if
/// there are any. A worker that gets no command for a while calls `warm_up` once: a browser compiles a function at its
/// first call, and memory grows at its first use.
pub fn listen<T: Tasks + 'static>(tasks: impl FnOnce(&Wake) -> T, rest: Option<FetchRest>, warm_up: fn()) {
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
    let work = Rc::new(RefCell::new(Work { first: tasks(&poke), rest: rest.map_or(Rest::None, Rest::Unasked) }));
    let on_slice = {
        let (work, scope, poke) = (Rc::clone(&work), scope.clone(), Rc::clone(&poke));
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
            match work.borrow_mut().slice(now() + SLICE_MILLISECONDS) {
                Poll::More => poke(),
                Poll::Waiting if is_timed.replace(true) => {}
                Poll::Waiting => {
                    let _ = scope.set_timeout_with_callback_and_timeout_and_arguments_0(
                        wake.as_ref().unchecked_ref(),
                        WAIT_MILLISECONDS,
                    );
                }
                Poll::Done => {}
            }
        })
    };
    if let Some(channel) = &channel {
        channel.port1().set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
    }
    on_slice.forget();
    let on_message = {
        let is_commanded = Rc::clone(&is_commanded);
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            is_commanded.set(true);
            let to_fetch = work.borrow_mut().begin(event.data());
            if let Some(fetch) = to_fetch {
                fetch_rest(&work, fetch, &poke);
            }
            poke();
        })
    };
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let when_idle = Closure::once_into_js(move || {
        if !is_commanded.get() {
            warm_up();
        }
    });
    // Without a timer the first command pays for what is new.
    let _ = scope.set_timeout_with_callback_and_timeout_and_arguments_0(when_idle.unchecked_ref(), IDLE_MILLISECONDS);
    emit_ready();
}

/// Fetches the rest of the tasks.
fn fetch_rest<T: Tasks + 'static>(work: &Rc<RefCell<Work<T>>>, fetch: FetchRest, poke: &Wake) {
    let (work, poke) = (Rc::clone(work), Rc::clone(poke));
    spawn_local(async move {
        let fetched = fetch().await;
        let rest = &mut work.borrow_mut().rest;
        match fetched {
            Some(tasks) => rest.arrive(tasks),
            None => rest.lose(fetch),
        }
        poke();
    });
}

impl<T: Tasks> Work<T> {
    /// Handles a command: it ends the current run, whichever module has it.
    fn begin(&mut self, message: JsValue) -> Option<FetchRest> {
        if self.first.begin(&message) {
            self.rest.end();
            return None;
        }
        self.first.end();
        self.rest.begin(message)
    }

    fn slice(&mut self, end: f64) -> Poll {
        match self.first.slice(end) {
            Poll::Done => self.rest.slice(end),
            poll => poll,
        }
    }
}
