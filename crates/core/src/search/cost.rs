//! The cost of a search, from the sizes of its experiment alone.

use super::SearchPlan;
use super::gradient::SVD_LIMIT;
use crate::cost::parts;
use crate::cost::{BASE, Cost, Shape, bounds, largest, product, shape_of, sum};
use crate::experiment::Size;
use crate::spectral::{KEPT_PAIRS, LanczosOptions};

/// Norms that an iteration of the search computes, on average.
const TRIALS: u64 = 2;

/// The memory and operations of a search.
#[must_use]
pub fn cost(plan: &SearchPlan) -> Cost {
    of_shape(&shape(plan), plan.restarts, plan.iterations)
}

/// The sizes of the searched tokens.
pub(super) fn shape(plan: &SearchPlan) -> Shape {
    let shape = shape_of(&plan.experiment);
    match plan.dim {
        Some(d) if d as u64 > shape.d => shape.with(Size::Dimension, d as u64),
        _ => shape,
    }
}

/// The memory and operations of a search at a shape.
pub(crate) fn of_shape(shape: &Shape, restarts: usize, iterations: usize) -> Cost {
    let inputs = parts::inputs(shape);
    let (forward, operator) = (parts::forward(shape), parts::operator(shape));
    let (n_inputs, n_outputs) = (shape.inputs(), shape.outputs());
    let norm = if shape.side() <= SVD_LIMIT as u64 {
        let (dense, vectors) = (parts::dense(shape), parts::singular_vectors(n_outputs, n_inputs));
        sum([forward.kept, dense.kept, largest([dense.besides, vectors.peak()])])
    } else {
        let max_basis = LanczosOptions::default().max_basis as u64;
        let lanczos = parts::lanczos(n_inputs, n_outputs, max_basis, KEPT_PAIRS as u64);
        sum([forward.kept, operator.kept, lanczos.peak()])
    };
    // A dual number is two numbers.
    let buffers = sum([product([2, n_inputs]), n_outputs]);
    let gradient = product([2, largest([forward.peak(), sum([forward.kept, operator.kept, buffers])])]);
    let hypotheses = bounds::hypotheses(shape);
    // Seven starts, the tokens with their vectors before and after a step, the best of a restart and the best of all.
    let tokens = sum([product([18, n_inputs]), product([2, n_outputs])]);
    let held = sum([BASE, inputs.kept, shape.matrices(), hypotheses.kept, tokens]);
    let a = shape.d.min(256);
    let starts = product([8, a, a]);
    let peak = largest([inputs.besides, hypotheses.besides, starts, forward.peak(), norm, gradient]);
    let step = sum([forward.operations, parts::default_products(operator)]);
    let steps = product([TRIALS, restarts as u64, iterations as u64]);
    Cost::of_numbers(sum([held, peak]), product([step, steps]))
}
