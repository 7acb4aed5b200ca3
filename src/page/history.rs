//! What the page knows of its address and of the browser's history.

use std::collections::VecDeque;

use crate::prelude::*;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};

use crate::debounce::Debounce;
use crate::later::Later;
use crate::state::{Scene, ThemeChoice};

/// The most scenes that the page keeps in memory because they are too long for an address.
pub(super) const MOST_KEPT: usize = 64;

/// The address and the history, as far as the page has to do with them.
#[derive(Clone, Copy)]
pub struct Address {
    /// Whether the address says all that is shown; it does not where own data are too long for it.
    pub holds: RwSignal<bool>,
    /// Whether a gesture can be undone, and one be done again.
    pub undoable: RwSignal<(bool, bool)>,
    /// The theme that the address asks for.
    pub(super) theme: RwSignal<Option<ThemeChoice>>,
    /// Who reads and writes links.
    pub(super) later: Later,
    /// What the address says.
    pub(super) known: StoredValue<Known>,
    /// The last of a movement, which is written when it rests.
    pub(super) writing: Debounce,
    /// Whether the change under way is a step to which one can go back.
    pub(super) next_is_step: StoredValue<bool>,
    /// The control that was edited last.
    pub(super) last_place: StoredValue<&'static str>,
}

impl Address {
    /// Of a first visit.
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

/// What the address is known to say.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The fragment, without the `#`, and the number of a kept scene.
    pub(super) known: (String, Option<f64>),
    /// The scene that was read from it or written into it.
    pub(super) shown: Option<Scene>,
    /// Whether a movement waits to be written.
    pub(super) is_waiting: bool,
    /// The control of the gesture whose entry is the present one, until it rests.
    pub(super) gesture: Option<&'static str>,
    /// How many entries of ours lie before the present one.
    pub(super) depth: u32,
    /// The same of the last one.
    pub(super) deepest: u32,
    /// Scenes that no address can hold, by number.
    pub(super) kept: VecDeque<(f64, Scene)>,
    /// The number of the last one. Numbers begin at the time of day, so that none is that of an earlier visit, whose entries
    /// the history may still hold.
    pub(super) last_kept: f64,
}

/// What stands behind the `#` of the address.
pub fn fragment() -> String {
    let hash = window().location().hash().unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

/// What an entry of the history holds: how many of ours lie before it, and the number of a kept scene.
pub(super) fn history_value(depth: u32, kept: Option<f64>) -> JsValue {
    Array::of2(&JsValue::from(depth), &kept.map_or(JsValue::NULL, JsValue::from)).into()
}

/// The same of the present entry, where it is one of ours.
pub(super) fn history_state() -> Option<(u32, Option<f64>)> {
    let state = window().history().ok()?.state().ok()?;
    let state = state.dyn_ref::<Array>()?;
    Some((state.get(0).as_f64()? as u32, state.get(1).as_f64()))
}
