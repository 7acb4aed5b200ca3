//! Growth of the Lipschitz constant with n, for n from 2 to 1e300: every bound on the ball as a curve, and the exact
//! norms of the adversarial tokens as token measures. It shows two theorems of \[C\] in one plot.

mod ball;
mod family;
mod plan;
mod rows;

pub use ball::{hypotheses_of_ball, hypotheses_of_ball_within};
pub use family::{Family, FamilyPoint};
pub use plan::{GrowthPlan, MOST_N, MOST_ROWS, Spacing};
pub use rows::{Crossover, Growing, Growth, GrowthRow, growth, growth_within};
