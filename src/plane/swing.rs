//! The swing of X + e v and of its image, to first order F(X) + e sigma u: frame by frame, while the view is on screen.

use std::f64::consts::TAU;

use crate::prelude::*;

use crate::frame::{is_motion_reduced, now};
use crate::page::PlotChoice;

use super::context::Plane;

/// How long a swing takes, in milliseconds.
const PERIOD: f64 = 3200.0;
/// The period in the opening view, where the tokens move to one side only.
const OPENING_PERIOD: f64 = 2400.0;
/// How long the tokens of the opening view swing after a change, at most: motion that starts by itself must end within
/// five seconds.
const OPENING: f64 = 2.0 * OPENING_PERIOD;

/// Starts the swing when the reader switches it on in the view of tokens. In the opening view, starts it when new
/// tokens are measured and no sweep is running.
pub fn begin(plane: Plane) {
    let page = plane.page;
    let is_wanted = memo(move |_| is_wanted(plane));
    effect(move |_| {
        if is_wanted.get() && plane.swing.with_untracked(Option::is_none) {
            go_on(plane, now(), f64::INFINITY);
        }
    });
    // No swing while a sweep runs: drawing takes a part of a core, which the sweep can use.
    let is_sweeping = memo(move |_| page.answers.sweep.is_running());
    effect(move |_| {
        page.answers.measured.track();
        let is_elsewhere = page.held.get() || page.plot.get() != PlotChoice::Explore;
        let is_still = is_elsewhere || is_sweeping.get() || is_motion_reduced();
        let began = now();
        plane.opening_since.set_value((!is_still).then_some(began));
        if !is_still && plane.swing.with_untracked(Option::is_none) {
            go_on(plane, began, OPENING);
        }
    });
}

fn is_wanted(plane: Plane) -> bool {
    let page = plane.page;
    plane.is_swinging.get() && page.look.has_pair.get() && page.plot.get() == PlotChoice::Tokens && !is_motion_reduced()
}

/// Draws one frame, and asks for the next one. A hidden page has no frames.
fn go_on(plane: Plane, began: f64, long: f64) {
    let is_due = if long.is_finite() {
        let since = plane.opening_since.get_value();
        // The swing goes on to the end of a period, where the tokens are at rest.
        let last = |since: f64| ((since + long - began) / OPENING_PERIOD + 0.01).floor();
        since.is_some_and(|since| now() - began < last(since) * OPENING_PERIOD)
            && plane.page.plot.get_untracked() == PlotChoice::Explore
    } else {
        untrack(|| is_wanted(plane))
    };
    if !is_due {
        // The swing of the large plane may still be switched on.
        let goes_on = long.is_finite() && untrack(|| is_wanted(plane));
        return if goes_on { go_on(plane, now(), f64::INFINITY) } else { plane.swing.set(None) };
    }
    let poll = |period: f64| (now() - began) / period * TAU;
    // In the opening view the tokens move along the arrows and back, as the legend says; on the large plane, to both
    // sides.
    plane.swing.set(Some(if long.is_finite() { 0.5 - 0.5 * poll(OPENING_PERIOD).cos() } else { poll(PERIOD).sin() }));
    request_animation_frame(move || go_on(plane, began, long));
}
