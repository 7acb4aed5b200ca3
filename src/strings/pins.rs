//! Pinned states: each is named by what differs from the state on screen, in the words of the controls.

use crate::words::pins as words;
pub use crate::words::pins::*;

use crate::state::PageState;

use super::export::setting_parts;

/// The settings of a pinned state that are not those of the state on screen.
pub fn differences(pinned: &PageState, now: &PageState) -> String {
    let now = setting_parts(now);
    let parts: Vec<String> = setting_parts(pinned).into_iter().filter(|part| !now.contains(part)).collect();
    if parts.is_empty() { pin_same().into() } else { parts.join(pin_between()) }
}

pub fn pinned(pins: usize) -> String {
    words::pinned(pins)
}

pub fn pin_mean(pin: usize) -> String {
    words::pin_mean(pin)
}

pub fn pin_best(pin: usize) -> String {
    words::pin_best(pin)
}

pub fn pin_remove(pin: usize) -> String {
    words::pin_remove(pin)
}
