//! At which n the curves are computed, and how R depends on n.

use serde::{Deserialize, Serialize};

use crate::bounds::ALL;
use crate::cost::{self, BASE, Cost, Shape, gathered, largest, parts, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, Memory, Phrase};
use crate::phrase;
use crate::sweep::Spacing;
use crate::weights::check_sizes;

/// Input of a growth plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthPlan {
    /// The values of n, ascending, each at least 2.
    pub lengths: Vec<f64>,
    /// How R depends on n.
    pub spacing: Spacing,
}

/// The most rows of a plan.
pub const MOST_ROWS: usize = 2000;
/// The largest n.
pub const MOST_N: f64 = 1e300;
/// The largest d for which exact norms at the adversarial tokens are computed.
pub(super) const MOST_FAMILY_DIM: usize = 64;

impl GrowthPlan {
    /// At most `count` lengths from `first` to `last`, evenly spaced in ln n, rounded to integers, each of them once.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the range is empty or outside 2 to 1e300.
    pub fn new(first: f64, last: f64, count: usize, spacing: Spacing) -> Result<Self, InputError> {
        let bad = |key: Phrase, found: f64| {
            Err(InputError::bad_value(
                key,
                found.to_string(),
                phrase!("number_tokens_from_2", "a number of tokens from 2 to 1e300"),
            ))
        };
        let is_length = |n: &f64| (2.0..=MOST_N).contains(n);
        if !is_length(&first) {
            return bad(phrase!("first_n", "The first n"), first);
        }
        if !is_length(&last) || last < first {
            return bad(phrase!("last_n", "The last n"), last);
        }
        let count = count.clamp(1, MOST_ROWS);
        let (low, high) = (first.ln(), last.ln());
        let mut lengths: Vec<f64> = (0..count)
            .map(|at| (low + (high - low) * at as f64 / (count - 1).max(1) as f64).exp().round())
            .map(|n| n.clamp(first, last))
            .collect();
        lengths.dedup();
        Ok(GrowthPlan { lengths, spacing })
    }
}

impl GrowthPlan {
    /// The memory and operations of the curves of an experiment.
    #[must_use]
    #[doc(hidden)]
    pub fn cost(&self, experiment: &Experiment) -> Cost {
        self.cost_of_shape(&shape_of(experiment))
    }

    pub(super) fn check(&self, experiment: &Experiment, memory: Memory) -> Result<(), InputError> {
        check_sizes(experiment)?;
        cost::check(phrase!("growth_curves", "The growth curves"), &shape_of(experiment), memory, |shape| {
            self.cost_of_shape(shape)
        })
    }

    fn cost_of_shape(&self, shape: &Shape) -> Cost {
        /// Numbers in a bound, and operations of the search for the best two clusters at one n.
        const BOUND: u64 = 16;
        const TWO_CLUSTERS: u64 = 100_000;
        let (inputs, hypotheses) = (parts::inputs(shape), cost::bounds::hypotheses(shape));
        let rows = product([self.lengths.len() as u64, ALL.len() as u64, BOUND]);
        // The family is a token measure of two positions.
        let family = if largest([shape.d, shape.d_out()]) <= MOST_FAMILY_DIM as u64 {
            let (n_rows, n_columns) = gathered::between(shape, 2);
            let values = parts::singular_values(n_rows, n_columns).peak();
            sum([gathered::clusters(shape, 2, 0).peak(), product([n_rows, n_columns]), values])
        } else {
            0
        };
        let peak = largest([inputs.besides, hypotheses.besides, family]);
        // Each n has its own copy of the lines.
        let held = sum([BASE, inputs.kept, product([3, hypotheses.kept]), rows]);
        let search = product([self.lengths.len() as u64, shape.heads, TWO_CLUSTERS]);
        Cost::of_numbers(sum([held, peak]), sum([inputs.operations, hypotheses.operations, search]))
    }
}
