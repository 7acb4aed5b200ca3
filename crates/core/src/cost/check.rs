//! The refusal of a task that is too large, and which size to lower.

use super::{Cost, Memory, Shape};
use crate::experiment::{InputError, Phrase, Size};

/// Refuses a task whose memory is over the limit. `what` names the task at the beginning of a sentence, and `cost`
/// computes the task's cost at a shape.
///
/// # Errors
/// [`InputError::TooCostly`].
pub fn check(what: Phrase, shape: &Shape, memory: Memory, cost: impl Fn(&Shape) -> Cost) -> Result<(), InputError> {
    let bytes = |changed: Option<(Size, u64)>| match changed {
        Some((size, value)) => cost(&shape.with(size, value)).bytes,
        None => cost(shape).bytes,
    };
    check_sizes(what, &shape.sizes(), memory, bytes)
}

/// The same check for any task: `bytes` computes the memory of the task as it is, or with one of its sizes at
/// another value.
///
/// # Errors
/// [`InputError::TooCostly`].
pub fn check_sizes(
    what: Phrase,
    sizes: &[(Size, u64)],
    memory: Memory,
    bytes: impl Fn(Option<(Size, u64)>) -> u64,
) -> Result<(), InputError> {
    let found = bytes(None);
    if found <= memory.bytes() {
        return Ok(());
    }
    let (lower, value) = dominant(sizes, &bytes);
    let fits = |value: u64| bytes(Some((lower, value))) <= memory.bytes();
    Err(InputError::TooCostly {
        what,
        bytes: found,
        limit: memory.bytes(),
        lower,
        at_most: largest_that_fits(least(lower), value, fits),
    })
}

/// A size of a task where [`check_sizes`] asks for the memory with one of its sizes at another value.
#[must_use]
pub fn size_at(changed: Option<(Size, u64)>, size: Size, default: usize) -> f64 {
    match changed {
        Some((known, value)) if known == size => value as f64,
        _ => default as f64,
    }
}

/// The size whose halving lowers the memory most; among equally effective ones, the one farthest above its usual
/// value.
fn dominant(sizes: &[(Size, u64)], bytes: impl Fn(Option<(Size, u64)>) -> u64) -> (Size, u64) {
    /// Halving the most effective size leaves the least memory. A size counts as equally effective if halving it leaves
    /// at most this factor times as much.
    const ALIKE: f64 = 1.1;
    let halved: Vec<(f64, Size, u64)> = sizes
        .iter()
        .filter(|(size, value)| *value > least(*size))
        .map(|(size, value)| (bytes(Some((*size, value / 2))) as f64, *size, *value))
        .collect();
    let best = halved.iter().map(|(bytes, ..)| *bytes).fold(f64::INFINITY, f64::min);
    let excess = |size: Size, value: u64| value as f64 / default(size) as f64;
    let found = halved
        .into_iter()
        .filter(|(bytes, ..)| *bytes <= best * ALIKE)
        .max_by(|a, b| excess(a.1, a.2).total_cmp(&excess(b.1, b.2)));
    let first = || sizes.first().copied().unwrap_or((Size::Tokens, 2));
    found.map_or_else(first, |(_, size, value)| (size, value))
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

fn least(size: Size) -> u64 {
    if size == Size::Tokens { 2 } else { 1 }
}

/// The value of a size in an ordinary experiment.
fn default(size: Size) -> u64 {
    match size {
        Size::Tokens | Size::Positions => 64,
        Size::Dimension | Size::HeadDimension => 8,
        Size::Heads => 1,
        Size::Layers => 12,
        Size::Text => 1 << 20,
    }
}
