//! Which n the curves are computed at.

use lipscope_core::growth::{GrowthPlan, Spacing};
use lipscope_core::sweep::log_spaced;
use lipscope_plot::ascending;
use lipscope_protocol::tasks::GrowthRequest;

use super::state::{PageState, RadiusLaw};

/// How many lengths a sweep has.
const SWEEP_LENGTHS: usize = 22;
/// At how many lengths a reader draws.
const HANDLES: usize = 8;
/// How many lengths a bound's curve over a sweep has.
const CURVE_LENGTHS: usize = 48;
/// The numbers of a decade at which the curves over n are computed: people read round ones more easily.
const OF_A_DECADE: [f64; 10] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0];
/// Of those, where a decade is marked with exact norms.
const MARKS_OF_A_DECADE: [f64; 2] = [1.0, 3.2];

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

/// The curves over n of a state, and the exact norms at the same n.
pub fn growth_request(state: &PageState) -> GrowthRequest {
    let view = state.growth;
    let spacing = match view.radius_law {
        RadiusLaw::Fixed => Spacing::Fixed,
        RadiusLaw::SqrtLog => Spacing::SqrtLog { from_n: state.n_tokens().max(2.0) },
    };
    let mut lengths = vec![2.0, view.max, view.at];
    lengths.extend(lengths_of(&OF_A_DECADE).filter(|n| (2.0..=view.max).contains(n)));
    ascending(&mut lengths, |n| *n);
    lengths.dedup();
    let plan = GrowthPlan { lengths, spacing };
    GrowthRequest { experiment: state.experiment(), family_plan: plan.clone(), plan }
}

/// Whether exact norms are marked at an n.
pub fn is_marked(n: f64) -> bool {
    lengths_of(&MARKS_OF_A_DECADE).any(|mark| mark == n)
}

/// Whole numbers from 2 to 1e18.
fn lengths_of(mantissas: &'static [f64]) -> impl Iterator<Item = f64> {
    (0..=18).flat_map(move |power| mantissas.iter().map(move |m| (m * 10f64.powi(power)).round())).filter(|n| *n >= 2.0)
}
