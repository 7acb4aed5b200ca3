//! At which n a sweep measures, and up to which n its bounds are drawn.

use lipscope_core::sweep::log_spaced;
use lipscope_plot::ascending;

use crate::state::{MAX_TOKEN_ENTRIES, PageState, TokenChoice};

/// How many lengths a sweep has.
const SWEEP_LENGTHS: usize = 22;
/// At how many lengths a reader draws.
const HANDLES: usize = 8;
/// How many lengths a bound's curve over a sweep has.
const CURVE_LENGTHS: usize = 48;
/// Curves past the sweep end at a power of this. They are then computed anew for few values of n only.
const CURVE_STEP: usize = 4;
/// The largest n at which curves can end: a `usize` of the browser has 32 bits.
pub const MOST_CURVE_END: usize = 1 << 30;

/// The lengths of a sweep.
pub fn sweep_lengths(longest: usize) -> Vec<usize> {
    log_spaced(2, longest, SWEEP_LENGTHS)
}

/// The lengths at which a reader draws a guess: the first and the last of a sweep, and evenly spaced ones between them.
pub fn handle_lengths(longest: usize) -> Vec<usize> {
    let lengths = sweep_lengths(longest);
    let last = lengths.len().saturating_sub(1);
    let mut handles: Vec<usize> =
        (0..HANDLES).filter_map(|at| lengths.get((at * last + (HANDLES - 1) / 2) / (HANDLES - 1)).copied()).collect();
    handles.dedup();
    handles
}

/// Lengths of a bound's curve: evenly spaced in the logarithm, together with those of the sweep.
pub fn curve_lengths(longest: usize, sweep: &[usize]) -> Vec<usize> {
    let mut lengths = log_spaced(2, longest, CURVE_LENGTHS);
    lengths.extend(sweep);
    ascending(&mut lengths, |n| *n as f64);
    lengths.dedup();
    lengths
}

/// Where the curves of the bounds end: with the sweep, or past the present n if that is larger. The present tokens then
/// never stand alone in the plot.
pub fn curves_end(state: &PageState) -> usize {
    let (swept, n) = (state.sweep_max_used(), state.n_tokens());
    if n <= swept as f64 {
        return swept;
    }
    if state.tokens == TokenChoice::Own {
        // A list of own tokens cannot grow.
        return state.n_listed();
    }
    let mut end = CURVE_STEP;
    while (end as f64) < n && end < MOST_CURVE_END {
        end *= CURVE_STEP;
    }
    match state.tokens {
        // The curves end at the largest number of random tokens that the page accepts, at most.
        TokenChoice::Distribution(_) | TokenChoice::Worst => end.min((MAX_TOKEN_ENTRIES / state.dim()).max(state.n)),
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_reach_the_present_n_and_end_where_many_n_share_an_end() {
        let at = |n: usize| curves_end(&PageState { n, ..PageState::default() });
        assert_eq!([at(64), at(256), at(257), at(1024), at(3756), at(4096)], [256, 256, 1024, 1024, 4096, 4096]);
    }

    #[test]
    fn curves_ask_for_no_more_tokens_than_the_page_takes() {
        let state = PageState { n: 700, d: 640, ..PageState::default() };
        assert_eq!(curves_end(&state), MAX_TOKEN_ENTRIES / 640);
    }
}
