//! Charts over n: the opening plot and the view over n draw the same things in the same way.
//!
//! | module | concept |
//! | --- | --- |
//! | `chart` | axes, draws, mean, present tokens, ranges |
//! | `lengths` | reading a plot over the lengths of a sweep |
//! | `fade` | new points fade in; data of another state are faint |

mod chart;
mod fade;
mod lengths;

pub use chart::{CURRENT, DRAWS, MEAN, Ranges, chart_over_n, current, draws, lift, mean, of_present, presence};
pub use fade::{Fade, Faded, STALE};
pub use lengths::{AxisChoice, length_at, on_length_key};
