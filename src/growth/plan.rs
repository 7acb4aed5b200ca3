//! At which n the curves are computed.

use lipscope_core::growth::{GrowthPlan, Spacing};
use lipscope_plot::ascending;
use lipscope_protocol::tasks::GrowthRequest;

use crate::plans::{curve_lengths, sweep_lengths};
use crate::state::{PageState, RadiusGrowth};

/// The numbers of a decade at which the curves are computed. They are round, since people read these more easily.
const OF_A_DECADE: [f64; 10] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0];
/// The numbers of a decade at which exact norms are marked.
const MARKS_OF_A_DECADE: [f64; 2] = [1.0, 3.2];

/// The sketch, which comes first, has one of this many n, and every n whose numbers the page shows.
const OF_A_SKETCH: usize = 10;

/// The curves over n of a state, and the exact norms at the same n.
pub fn growth_request(state: &PageState) -> GrowthRequest {
    let n = state.n_tokens();
    let spacing = match state.growth.radius_growth {
        RadiusGrowth::Fixed => Spacing::Fixed,
        RadiusGrowth::SqrtLog => Spacing::SqrtLog { from_n: n.max(2.0) },
    };
    let end = state.growth_end();
    let read = [2.0, n, state.read_at(), end];
    let mut lengths = read.to_vec();
    // The bounds are also computed at the lengths of the draws.
    let swept = sweep_lengths(state.sweep_max);
    if end > state.sweep_max as f64 {
        lengths.extend(lengths_of(&OF_A_DECADE));
        lengths.extend(swept.iter().map(|n| *n as f64));
    } else {
        lengths.extend(curve_lengths(state.sweep_max, &swept).into_iter().map(|n| n as f64));
    }
    lengths.retain(|n| (2.0..=end).contains(n));
    ascending(&mut lengths, |n| *n);
    lengths.dedup();
    let sketched = lengths.iter().enumerate().filter(|(at, n)| at % OF_A_SKETCH == 0 || read.contains(n));
    let sketch = GrowthPlan { lengths: sketched.map(|(_, n)| *n).collect(), spacing };
    let plan = GrowthPlan { lengths, spacing };
    GrowthRequest { experiment: state.experiment(), sketch, family_plan: plan.clone(), plan, units: None }
}

/// Whether exact norms are marked at an n: twice a decade, or at every length of the sweep if the axis ends with it.
pub fn is_marked(n: f64, state: &PageState) -> bool {
    if state.growth_end() <= state.sweep_max as f64 {
        return sweep_lengths(state.sweep_max).iter().any(|mark| *mark as f64 == n);
    }
    lengths_of(&MARKS_OF_A_DECADE).any(|mark| mark == n)
}

/// Whole numbers from 2 to 1e18.
fn lengths_of(mantissas: &'static [f64]) -> impl Iterator<Item = f64> {
    (0..=18).flat_map(move |power| mantissas.iter().map(move |m| (m * 10f64.powi(power)).round())).filter(|n| *n >= 2.0)
}
