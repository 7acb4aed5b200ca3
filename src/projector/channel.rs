//! The channel of a pair of windows: the browser's `BroadcastChannel`, which reaches the windows of one origin in one
//! browser.

use crate::prelude::*;
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventTarget, MessageEvent};

use super::message::{Message, Sender};

/// An open channel.
pub struct Channel {
    target: EventTarget,
    post: Function,
    /// Kept, since the browser calls it.
    _received: Closure<dyn FnMut(MessageEvent)>,
}

impl Channel {
    /// Opens the channel with a name, and calls `on_event` for every message of another window. `None` where the browser
    /// has no such channels.
    pub fn open(name: &str, on_event: impl Fn(Sender, Message) + 'static) -> Option<Self> {
        let maker = Reflect::get(&window(), &"BroadcastChannel".into()).ok()?.dyn_into::<Function>().ok()?;
        let target = Reflect::construct(&maker, &Array::of1(&name.into())).ok()?.dyn_into::<EventTarget>().ok()?;
        let post = Reflect::get(&target, &"postMessage".into()).ok()?.dyn_into().ok()?;
        let received = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some((from, message)) = event.data().as_string().as_deref().and_then(Message::read) {
                on_event(from, message);
            }
        });
        target.add_event_listener_with_callback("message", received.as_ref().unchecked_ref()).ok()?;
        Some(Channel { target, post, _received: received })
    }

    /// Posts a message to the other window.
    pub fn post(&self, from: Sender, message: &Message) {
        // Where no other window listens, the message is lost; the windows then say so.
        let _ = self.post.call1(&self.target, &JsValue::from(message.text(from)));
    }
}
