//! The refusal of a task that is too large, and which control to lower.

use super::{Cost, Memory, Shape};
use crate::experiment::{Control, InputError, Phrase};

/// Refuses a task whose memory is over the limit. `what` names the task at the beginning of a sentence, and `cost`
/// computes the task's cost at a shape.
///
/// # Errors
/// [`InputError::TooCostly`].
pub fn check(what: Phrase, shape: &Shape, memory: Memory, cost: impl Fn(&Shape) -> Cost) -> Result<(), InputError> {
    let bytes = |changed: Option<(Control, u64)>| match changed {
        Some((control, value)) => cost(&shape.with(control, value)).bytes,
        None => cost(shape).bytes,
    };
    check_controls(what, &shape.controls(), memory, bytes)
}

/// The same check for any task: `bytes` computes the memory of the task as it is, or with one of its controls at
/// another value.
///
/// # Errors
/// [`InputError::TooCostly`].
pub fn check_controls(
    what: Phrase,
    controls: &[(Control, u64)],
    memory: Memory,
    bytes: impl Fn(Option<(Control, u64)>) -> u64,
) -> Result<(), InputError> {
    let found = bytes(None);
    if found <= memory.bytes() {
        return Ok(());
    }
    let (lower, value) = dominant(controls, &bytes);
    let fits = |value: u64| bytes(Some((lower, value))) <= memory.bytes();
    Err(InputError::TooCostly {
        what,
        bytes: found,
        limit: memory.bytes(),
        lower,
        at_most: largest_that_fits(least(lower), value, fits),
    })
}

/// The control whose halving lowers the memory most; among equally effective ones, the control farthest above its usual
/// value.
fn dominant(controls: &[(Control, u64)], bytes: impl Fn(Option<(Control, u64)>) -> u64) -> (Control, u64) {
    /// Controls within this factor of each other's effect are alike.
    const ALIKE: f64 = 1.1;
    let halved: Vec<(f64, Control, u64)> = controls
        .iter()
        .filter(|(control, value)| *value > least(*control))
        .map(|(control, value)| (bytes(Some((*control, value / 2))) as f64, *control, *value))
        .collect();
    let best = halved.iter().map(|(bytes, ..)| *bytes).fold(f64::INFINITY, f64::min);
    let excess = |control: Control, value: u64| value as f64 / usual(control) as f64;
    let found = halved
        .into_iter()
        .filter(|(bytes, ..)| *bytes <= best * ALIKE)
        .max_by(|a, b| excess(a.1, a.2).total_cmp(&excess(b.1, b.2)));
    let first = || controls.first().copied().unwrap_or((Control::Tokens, 2));
    found.map_or_else(first, |(_, control, value)| (control, value))
}

/// The largest value below `most` that fits, where the cost grows with it; `None` where not even `least` does.
fn largest_that_fits(least: u64, most: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(least) {
        return None;
    }
    let (mut low, mut high) = (least, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

fn least(control: Control) -> u64 {
    if control == Control::Tokens { 2 } else { 1 }
}

/// The value that the page has at a first visit.
fn usual(control: Control) -> u64 {
    match control {
        Control::Tokens | Control::Positions => 64,
        Control::Dimension | Control::HeadDimension => 8,
        Control::Heads => 1,
        Control::Layers => 12,
    }
}
