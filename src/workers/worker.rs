//! One worker: starting it, talking to it, ending it.

use std::rc::Rc;

use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Event, MessageEvent, Worker as WebWorker, WorkerOptions, WorkerType};

use lipscope_protocol::envelope::encode;

/// The global name under which boot.js keeps the workers that it has started, each with the last thing that it
/// reported: nothing, that it listens, or an error.
const EARLY: &str = "lipscopeWorkers";

/// An event of a worker.
pub enum WorkerMessage {
    /// The worker has sent a message.
    Message {
        /// The message, encoded.
        bytes: Vec<u8>,
        /// Files beside it.
        files: Option<JsValue>,
    },
    /// The worker stopped, or the browser cannot read a message from it.
    Died,
}

/// A running worker. Dropping it ends it.
pub struct Worker {
    worker: WebWorker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Worker {
    /// Takes over a worker of this module that boot.js has started, or starts one. Returns also whether it listens
    /// already. `None` where the browser refuses.
    pub fn start(url: &str, emit: Rc<dyn Fn(WorkerMessage)>) -> Option<(Self, bool)> {
        let (worker, is_ready) = match early(url) {
            Some(early) => early,
            None => {
                let options = WorkerOptions::new();
                options.set_type(WorkerType::Module);
                (WebWorker::new_with_options(url, &options).ok()?, false)
            }
        };
        let on_message = {
            let emit = Rc::clone(&emit);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let message = event.data();
                let files = Some(get(&message, "files")).filter(JsValue::is_object);
                emit(WorkerMessage::Message { bytes: Uint8Array::new(&get(&message, "bytes")).to_vec(), files });
            })
        };
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            // The page reports the error in its own words; the console need not repeat it.
            event.prevent_default();
            emit(WorkerMessage::Died);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // web-sys has no setter for this event on Worker.
        let _ = Reflect::set(&worker, &JsValue::from_str("onmessageerror"), on_error.as_ref());
        Some((Worker { worker, _on_message: on_message, _on_error: on_error }, is_ready))
    }

    /// Sends a command, and files beside it. The bytes are transferred without a copy.
    pub fn send(&self, command: &impl Serialize, files: Option<(f64, &Object)>) {
        let Ok(bytes) = encode(command) else { return };
        let buffer = Uint8Array::from(&bytes[..]).buffer();
        let message = Object::new();
        // The object was just made, so setting a value succeeds.
        let _ = Reflect::set(&message, &JsValue::from_str("bytes"), &buffer);
        if let Some((source, files)) = files {
            let _ = Reflect::set(&message, &JsValue::from_str("source"), &JsValue::from_f64(source));
            let _ = Reflect::set(&message, &JsValue::from_str("files"), files);
        }
        // A worker that cannot receive messages reports this by its error event.
        let _ = self.worker.post_message_with_transfer(&message, &Array::of1(&buffer));
    }
}

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// The next worker that boot.js has started from `url` and that has not failed since, and whether this worker has
/// reported that it listens.
fn early(url: &str) -> Option<(WebWorker, bool)> {
    let workers = Reflect::get(&js_sys::global(), &EARLY.into()).ok()?.dyn_into::<Array>().ok()?;
    while workers.length() > 0 {
        let early = workers.get(0);
        if get(&early, "url").as_string().as_deref() != Some(url) {
            return None;
        }
        workers.shift();
        let Ok(worker) = get(&early, "worker").dyn_into::<WebWorker>() else { continue };
        match get(&early, "heard").as_string().as_deref() {
            Some("error") => worker.terminate(),
            received => return Some((worker, received == Some("ready"))),
        }
    }
    None
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
