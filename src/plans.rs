//! At which n a sweep measures.

use lipscope_core::sweep::log_spaced;
use lipscope_plot::ascending;

/// How many lengths a sweep has.
const SWEEP_LENGTHS: usize = 22;
/// At how many lengths a reader draws.
const HANDLES: usize = 8;
/// How many lengths a bound's curve over a sweep has.
const CURVE_LENGTHS: usize = 48;
/// The lengths of a sweep.
pub fn sweep_lengths(longest: usize) -> Vec<usize> {
    log_spaced(2, longest, SWEEP_LENGTHS)
}

/// Of the lengths of a sweep those at which a reader draws: the ends, and some evenly between.
pub fn handle_lengths(longest: usize) -> Vec<usize> {
    let lengths = sweep_lengths(longest);
    let last = lengths.len().saturating_sub(1);
    let mut handles: Vec<usize> =
        (0..HANDLES).filter_map(|at| lengths.get((at * last + (HANDLES - 1) / 2) / (HANDLES - 1)).copied()).collect();
    handles.dedup();
    handles
}

/// Evenly spaced in the logarithm, and the lengths of the sweep among them.
pub fn curve_lengths(longest: usize, sweep: &[usize]) -> Vec<usize> {
    let mut lengths = log_spaced(2, longest, CURVE_LENGTHS);
    lengths.extend(sweep);
    ascending(&mut lengths, |n| *n as f64);
    lengths.dedup();
    lengths
}
