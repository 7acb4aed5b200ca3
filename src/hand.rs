//! One worker: starting it, talking to it, ending it.

use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use lipscope_protocol::message::encode;

/// The workers that boot.js has started, each with what it has said so far.
const EARLY: &str = "lipscopeWorkers";

/// Names a worker among all that were ever started.
pub type HandId = u64;

/// What is heard of a worker.
pub enum Heard {
    /// A message.
    Message(JsValue),
    /// It stopped, or the browser cannot read a message of it.
    Died,
}

/// A running worker. Dropping it ends it.
pub struct Hand {
    /// Its name.
    pub id: HandId,
    /// Whether it listens: what is sent before its first word is lost.
    pub is_ready: bool,
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Hand {
    /// Takes over a worker of that module that boot.js has started, or starts one; `None` where the browser refuses.
    pub fn start(url: &str, id: HandId, tell: Rc<dyn Fn(HandId, Heard)>) -> Option<Self> {
        let (worker, is_ready) = match early(url) {
            Some(early) => early,
            None => {
                let options = WorkerOptions::new();
                options.set_type(WorkerType::Module);
                (Worker::new_with_options(url, &options).ok()?, false)
            }
        };
        let on_message = {
            let tell = Rc::clone(&tell);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| tell(id, Heard::Message(event.data())))
        };
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            // The page says it in its own words; the console need not repeat it.
            event.prevent_default();
            tell(id, Heard::Died);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // web-sys has no setter for it on Worker.
        let _ = js_sys::Reflect::set(&worker, &JsValue::from_str("onmessageerror"), on_error.as_ref());
        Some(Hand { id, is_ready, worker, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a request; its bytes change hands without a copy. Returns whether it went out.
    pub fn send(&self, request: &impl Serialize) -> bool {
        let Ok(bytes) = encode(request) else { return false };
        let buffer = Uint8Array::from(&bytes[..]).buffer();
        self.send_with(&buffer, &buffer)
    }

    /// Sends a message with the buffer in it that changes hands. Returns whether it went out.
    pub fn send_with(&self, message: &JsValue, buffer: &ArrayBuffer) -> bool {
        self.worker.post_message_with_transfer(message, &Array::of1(buffer)).is_ok()
    }
}

/// The next worker of a module that boot.js has started and that has not failed since, and whether it has said that it
/// listens.
fn early(url: &str) -> Option<(Worker, bool)> {
    let workers = js_sys::Reflect::get(&js_sys::global(), &EARLY.into()).ok()?.dyn_into::<Array>().ok()?;
    while workers.length() > 0 {
        let early = workers.get(0);
        let of = |key: &str| js_sys::Reflect::get(&early, &key.into()).ok();
        if of("url").and_then(|of| of.as_string()).as_deref() != Some(url) {
            return None;
        }
        workers.shift();
        let heard = of("heard").and_then(|heard| heard.as_string());
        let Some(worker) = of("worker").and_then(|worker| worker.dyn_into::<Worker>().ok()) else { continue };
        match heard.as_deref() {
            Some("error") => worker.terminate(),
            heard => return Some((worker, heard == Some("ready"))),
        }
    }
    None
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
