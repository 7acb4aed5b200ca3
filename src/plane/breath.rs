//! The swing of X + e v and of its image, to first order F(X) + e sigma u: a frame at a time, while it is looked at.

use std::f64::consts::TAU;

use leptos::prelude::*;

use crate::frame::{is_motion_reduced, now};
use crate::page::{Page, PlotChoice};

/// How long a swing takes, in milliseconds.
const PERIOD: f64 = 3200.0;

/// Starts the swing whenever it is switched on in sight.
pub fn begin(page: Page) {
    let is_wanted = Memo::new(move |_| is_wanted(page));
    Effect::new(move |_| {
        if is_wanted.get() && page.plane.swing.with_untracked(Option::is_none) {
            go_on(page, now());
        }
    });
}

fn is_wanted(page: Page) -> bool {
    let plane = page.plane;
    plane.is_swinging.get() && plane.has_pair.get() && page.plot.get() == PlotChoice::Tokens && !is_motion_reduced()
}

/// One frame, and the next one. A page that is hidden has no frames.
fn go_on(page: Page, began: f64) {
    if !untrack(|| is_wanted(page)) {
        return page.plane.swing.set(None);
    }
    page.plane.swing.set(Some(((now() - began) / PERIOD * TAU).sin()));
    request_animation_frame(move || go_on(page, began));
}
