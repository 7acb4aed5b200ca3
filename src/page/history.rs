//! The page's data about its address and the browser's history.

use std::collections::VecDeque;

use crate::prelude::*;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};

use crate::frame::Debounce;
use crate::later::Later;
use crate::state::{Scene, ThemeChoice};

/// The most scenes that the page keeps in memory because they are too long for an address.
pub(super) const MOST_KEPT: usize = 64;

/// The address and the history, as far as the page uses them.
#[derive(Clone, Copy)]
pub struct Address {
    /// Whether the address holds the whole scene. It does not where own data are too long for it.
    pub holds: RwSignal<bool>,
    /// Whether there is a gesture to undo, and one to redo.
    pub undoable: RwSignal<(bool, bool)>,
    /// The theme that the address asks for.
    pub(super) theme: RwSignal<Option<ThemeChoice>>,
    /// The later part, which reads and writes links.
    pub(super) later: Later,
    /// What the page last read from the address or wrote into it.
    pub(super) known: StoredValue<Known>,
    /// Writes the end of a movement into the address once the controls rest.
    pub(super) writing: Debounce,
    /// Whether the change in progress is a step of its own, which the reader can undo by itself.
    pub(super) next_is_step: StoredValue<bool>,
    /// The control that was edited last.
    pub(super) last_place: StoredValue<&'static str>,
}

impl Address {
    /// The address of a first visit.
    pub(super) fn new(later: Later, theme: RwSignal<Option<ThemeChoice>>) -> Self {
        Address {
            holds: RwSignal::new(true),
            undoable: RwSignal::new((false, false)),
            theme,
            later,
            known: StoredValue::new(Known::default()),
            writing: Debounce::default(),
            next_is_step: StoredValue::new(false),
            last_place: StoredValue::new("n"),
        }
    }
}

/// What the page last read from the address or wrote into it.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The fragment, without the `#`, and the number of a kept scene.
    pub(super) known: (String, Option<f64>),
    /// The scene that was last read from the address or written into it.
    pub(super) shown: Option<Scene>,
    /// Whether a movement waits to be written.
    pub(super) is_waiting: bool,
    /// The control of the present entry's gesture, until that control rests.
    pub(super) gesture: Option<&'static str>,
    /// How many entries of this page lie before the present one.
    pub(super) depth: u32,
    /// How many entries of this page lie before the last one.
    pub(super) deepest: u32,
    /// Scenes that are too long for an address, by number.
    pub(super) kept: VecDeque<(f64, Scene)>,
    /// The number of the last kept scene. A number is the time in milliseconds at which its scene was kept, raised
    /// where two would be equal. So it differs from the numbers of earlier visits, whose entries may still be in the
    /// history.
    pub(super) last_kept: f64,
}

/// The part of the address after the `#`.
pub fn fragment() -> String {
    let hash = window().location().hash().unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

/// The data of a history entry: how many entries of this page lie before it, and the number of a kept scene.
pub(super) fn history_value(depth: u32, kept: Option<f64>) -> JsValue {
    Array::of2(&JsValue::from(depth), &kept.map_or(JsValue::NULL, JsValue::from)).into()
}

/// The data of the present entry, if it belongs to this page.
pub(super) fn history_state() -> Option<(u32, Option<f64>)> {
    let state = window().history().ok()?.state().ok()?;
    let state = state.dyn_ref::<Array>()?;
    Some((state.get(0).as_f64()? as u32, state.get(1).as_f64()))
}
