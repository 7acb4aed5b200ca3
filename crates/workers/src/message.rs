//! Messages between page and worker, as the browser carries them: objects with `bytes`, an envelope of
//! `lipscope-protocol`, and values beside them.

use js_sys::{Array, ArrayBuffer, Object, Reflect, Uint8Array};
use lipscope_protocol::envelope::{Message, Reply, decode, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

/// Tells the page that the worker listens.
pub fn emit_ready() {
    // A task list's events are of no interest here: this message has none.
    send(&Message::<()>::Ready, None);
}

/// Sends the page a reply, with values beside it.
pub fn reply<E: Serialize>(reply: Reply<E>, beside: Option<Object>) {
    send(&Message::Reply(reply), beside);
}

/// A message as it is posted: an object with its bytes, and the buffer to transfer.
pub(crate) fn packed(message: &impl Serialize) -> Option<(Object, ArrayBuffer)> {
    let buffer = Uint8Array::from(&encode(message).ok()?[..]).buffer();
    let object = Object::new();
    Reflect::set(&object, &JsValue::from_str("bytes"), &buffer).ok()?;
    Some((object, buffer))
}

/// The message in an object of `packed`; `None` if it is not of this type.
pub(crate) fn unpacked<M: DeserializeOwned>(object: &JsValue) -> Option<M> {
    decode(&Uint8Array::new(&get(object, "bytes")).to_vec()).ok()
}

/// A value of an object; undefined where there is none.
pub fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// The worker scope that the browser provides.
pub(crate) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Milliseconds, finer than `Date`.
pub(crate) fn now() -> f64 {
    get(&js_sys::global(), "performance")
        .dyn_into::<web_sys::Performance>()
        .map_or_else(|_| js_sys::Date::now(), |performance| performance.now())
}

fn send(message: &impl Serialize, beside: Option<Object>) {
    let Some((object, buffer)) = packed(message) else { return };
    // Neither error matters: setting a key of a new object cannot fail, and posting fails only if the page is gone.
    if let Some(files) = beside {
        let _ = Reflect::set(&object, &JsValue::from_str("files"), &files);
    }
    let _ = scope().post_message_with_transfer(&object, &Array::of1(&buffer));
}
