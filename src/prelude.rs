//! Leptos's prelude, with replacements for some functions and traits. Leptos compiles these once for each closure; the
//! replacements are compiled once for each type of value.

use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::time::Duration;

use leptos::ev::EventDescriptor;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::html::attribute::{Attribute, NextAttribute};
use leptos::tachys::html::element::{ElementType, HtmlElement};
use wasm_bindgen::JsValue;

pub use leptos::prelude::*;

/// Whether this is the page's program. Natively the page is tested, and written as a document (`opening`): no window is
/// there to ask, and nothing changes.
pub fn is_browser() -> bool {
    std::env::consts::ARCH == "wasm32"
}

/// As [`Memo::new`], compiled once for each type.
#[track_caller]
pub fn memo<T: PartialEq + Send + Sync + 'static>(value: impl Fn(Option<&T>) -> T + Send + Sync + 'static) -> Memo<T> {
    let value: MemoValue<T> = Box::new(value);
    Memo::new(value)
}

type MemoValue<T> = Box<dyn Fn(Option<&T>) -> T + Send + Sync>;

/// As [`Effect::new`], for the life of the owner; compiled once for each type.
pub fn effect<T: 'static>(work: impl FnMut(Option<T>) -> T + 'static) {
    // Natively nothing changes after the views are made.
    if is_browser() {
        let work: Box<dyn FnMut(Option<T>) -> T> = Box::new(work);
        Effect::new(work);
    }
}

/// Sets a signal, unless it has this value already: its readers then need not run again.
pub fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}

/// As `leptos::task::spawn_local`, compiled once.
pub fn spawn_local(work: impl Future<Output = ()> + 'static) {
    let work: Pin<Box<dyn Future<Output = ()>>> = Box::pin(work);
    leptos::task::spawn_local(work);
}

/// As `leptos::prelude::set_timeout`, compiled once.
pub fn set_timeout(work: impl FnOnce() + 'static, after: Duration) {
    let work: Box<dyn FnOnce()> = Box::new(work);
    leptos::prelude::set_timeout(work, after);
}

/// As `leptos::prelude::request_animation_frame`, compiled once.
pub fn request_animation_frame(work: impl FnOnce() + 'static) {
    let work: Box<dyn FnOnce()> = Box::new(work);
    leptos::prelude::request_animation_frame(work);
}

/// Replaces Leptos's trait of this name, for signals that can be read.
pub trait With: Read {
    /// Reads the value, and tracks it.
    #[track_caller]
    fn with<U>(&self, read: impl FnOnce(&<Self::Value as Deref>::Target) -> U) -> U {
        read(&self.read())
    }
}

impl<T: Read> With for T {}

/// Replaces Leptos's trait of this name, for signals that can be read.
pub trait WithUntracked: ReadUntracked {
    /// Reads the value without tracking it.
    #[track_caller]
    fn with_untracked<U>(&self, read: impl FnOnce(&<Self::Value as Deref>::Target) -> U) -> U {
        read(&self.read_untracked())
    }

    /// Reads the value without tracking it; `None` where the signal is disposed.
    fn try_with_untracked<U>(&self, read: impl FnOnce(&<Self::Value as Deref>::Target) -> U) -> Option<U> {
        self.try_read_untracked().map(|value| read(&value))
    }
}

impl<T: ReadUntracked> WithUntracked for T {}

/// Replaces Leptos's trait of this name, for signals that can be written.
pub trait Update: Write {
    /// Changes the value and notifies its readers. Does nothing where the signal is disposed.
    #[track_caller]
    fn update(&self, change: impl FnOnce(&mut Self::Value)) {
        self.try_update(change);
    }

    /// As [`update`](Update::update), and returns the result of the change.
    #[track_caller]
    fn try_update<U>(&self, change: impl FnOnce(&mut Self::Value) -> U) -> Option<U> {
        self.try_write().map(|mut value| change(value.deref_mut()))
    }
}

impl<T: Write> Update for T {}

/// Replaces Leptos's trait of this name: `on:event` of a view.
pub trait OnAttribute<E: EventDescriptor, F> {
    /// The element that listens.
    type Output;

    /// Adds a listener for an event.
    fn on(self, event: E, listener: F) -> Self::Output;
}

impl<El, At, Ch, E, F> OnAttribute<E, F> for HtmlElement<El, At, Ch>
where
    El: ElementType + Send,
    At: Attribute + Send,
    Ch: RenderHtml + Send,
    E: EventDescriptor + Send + 'static,
    E::EventType: From<JsValue> + 'static,
    F: FnMut(E::EventType) + 'static,
{
    type Output = HtmlElement<El, <At as NextAttribute>::Output<AnyAttribute>, Ch>;

    fn on(self, event: E, listener: F) -> Self::Output {
        self.add_any_attr(listening(event, Box::new(listener)))
    }
}

fn listening<E>(event: E, listener: Box<dyn FnMut(E::EventType)>) -> AnyAttribute
where
    E: EventDescriptor + Send + 'static,
    E::EventType: From<JsValue> + 'static,
{
    leptos::ev::on(event, listener).into_any_attr()
}
