//! The models' worker: the browser's side of [`lipscope_protocol::model_run`].
//!
//! A message is an object with `bytes`, the message itself, and `files`, blobs by their names, where there are some. A
//! batch is measured in one go: whoever wants an end to it ends the worker.
//!
//! | module | concept |
//! | --- | --- |
//! | `blob` | a blob read by ranges |
//! | `fetch` | files of an address |

mod blob;
mod fetch;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, MessageEvent};

use crate::worker::{now, scope};
use lipscope_protocol::message::{decode, encode};
use lipscope_protocol::model_message::{ModelReply, ModelWork};
use lipscope_protocol::model_run::ModelRun;

use blob::BlobSource;

/// Listens until the page ends the worker.
pub fn run() {
    let scope = scope();
    let run = Rc::new(RefCell::new(ModelRun::<BlobSource>::default()));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let message = event.data();
        let bytes = Uint8Array::new(&get(&message, "bytes")).to_vec();
        // What cannot be read is no message of this page.
        let Ok(work) = decode::<ModelWork>(&bytes) else { return };
        match work {
            ModelWork::Fetch(request) => spawn_local(fetch::answer(request)),
            ModelWork::Run(request) => {
                let mut run = run.borrow_mut();
                let files = get(&message, "files");
                if files.is_object() {
                    run.take_files(sources(&files));
                }
                run.answer(request, now, |reply| post(&reply, None));
            }
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&ModelReply::Ready, None);
}

/// The files beside a message.
fn sources(files: &JsValue) -> BTreeMap<String, BlobSource> {
    let entries = Object::entries(files.unchecked_ref());
    let entry = |entry: JsValue| {
        let pair: Array = entry.dyn_into().ok()?;
        Some((pair.get(0).as_string()?, BlobSource::new(pair.get(1).dyn_into::<Blob>().ok()?)?))
    };
    entries.iter().filter_map(entry).collect()
}

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// Tells the page something, with files beside it.
fn post(reply: &ModelReply, files: Option<&Object>) {
    let Ok(bytes) = encode(reply) else { return };
    let array = Uint8Array::from(&bytes[..]);
    let message = Object::new();
    // Neither fails on an object that was just made, and where the page is gone there is nobody to tell.
    let _ = Reflect::set(&message, &JsValue::from_str("bytes"), &array.buffer());
    if let Some(files) = files {
        let _ = Reflect::set(&message, &JsValue::from_str("files"), files);
    }
    let _ = scope().post_message_with_transfer(&message, &Array::of1(&array.buffer()));
}
