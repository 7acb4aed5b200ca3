//! Messages with files beside them, as [`crate::model_worker`] takes and gives them.

use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::JsValue;

use crate::hand::Hand;
use lipscope_protocol::message::{decode, encode};
use lipscope_protocol::model_message::{ModelReply, ModelWork};

/// Sends work, with files where there are some. Returns whether it went out.
pub(super) fn send(hand: &Hand, work: &ModelWork, files: Option<&Object>) -> bool {
    let Ok(bytes) = encode(work) else { return false };
    let buffer = Uint8Array::from(&bytes[..]).buffer();
    let message = Object::new();
    // Neither fails on an object that was just made.
    let _ = Reflect::set(&message, &JsValue::from_str("bytes"), &buffer);
    if let Some(files) = files {
        let _ = Reflect::set(&message, &JsValue::from_str("files"), files);
    }
    hand.send_with(&message, &buffer)
}

/// Reads an answer, and what is beside it.
pub(super) fn read(message: &JsValue) -> Option<(ModelReply, JsValue)> {
    let get = |key: &str| Reflect::get(message, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED);
    let bytes = Uint8Array::new(&get("bytes")).to_vec();
    Some((decode::<ModelReply>(&bytes).ok()?, get("files")))
}
