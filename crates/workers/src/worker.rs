//! The worker's side of the messages: one run at a time, in slices, so that it listens every few milliseconds.

use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use std::cell::RefCell;
use std::rc::Rc;

use lipscope_protocol::message::{Reply, Request, decode, encode};
use lipscope_protocol::runner::{Runner, SLICE_MILLISECONDS, Turn};

/// Listens until the page ends the worker.
pub fn run() {
    let scope = scope();
    let runner = Rc::new(RefCell::new(Runner::default()));
    // setTimeout(0) would be held to 4 ms after a few turns; a message to oneself is not.
    let channel = web_sys::MessageChannel::new().ok();
    let poke: Rc<dyn Fn()> = {
        let channel = channel.clone();
        Rc::new(move || {
            if let Some(channel) = &channel {
                // A closed port is the page going away.
                let _ = channel.port2().post_message(&JsValue::NULL);
            }
        })
    };
    let on_slice = {
        let (runner, scope, poke) = (runner.clone(), scope.clone(), poke.clone());
        Closure::<dyn FnMut()>::new(move || {
            let end = now() + SLICE_MILLISECONDS;
            if runner.borrow_mut().slice(end, now, |reply| post(&scope, &reply)) == Turn::More {
                poke();
            }
        })
    };
    if let Some(channel) = &channel {
        channel.port1().set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
    }
    on_slice.forget();
    let on_message = {
        let scope = scope.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let bytes = js_sys::Uint8Array::new(&event.data()).to_vec();
            if let Ok(request) = decode::<Request>(&bytes) {
                runner.borrow_mut().begin(request, now(), |reply| post(&scope, &reply));
                poke();
            }
        })
    };
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&scope, &Reply::Ready);
}

/// The worker itself, as the browser has it.
pub(crate) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Milliseconds, finer than `Date`.
pub(crate) fn now() -> f64 {
    js_sys::Reflect::get(&js_sys::global(), &"performance".into())
        .ok()
        .and_then(|performance| performance.dyn_into::<web_sys::Performance>().ok())
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

fn post(scope: &DedicatedWorkerGlobalScope, reply: &Reply) {
    if let Ok(bytes) = encode(reply) {
        let array = js_sys::Uint8Array::from(&bytes[..]);
        let transfer = js_sys::Array::of1(&array.buffer());
        // The page may be gone; there is nobody to tell.
        let _ = scope.post_message_with_transfer(&array.buffer(), &transfer);
    }
}
