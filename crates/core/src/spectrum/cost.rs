//! The cost of a spectrum, from the sizes of its experiment alone.

use super::{ALL_UP_TO, SpectrumPlan};
use crate::cost::parts::{self, Part};
use crate::cost::{BASE, Cost, Form, Shape, gathered, largest, product, shape_of, sum};
use crate::measure::MeasureOptions;
use crate::spectral::{KEPT_PAIRS, LanczosOptions};

/// From vectors of this many numbers on, an iteration keeps a small basis.
const LARGE_FIELD: u64 = 100_000;
/// For causal runs of equal tokens, every block is computed up to this many tokens.
pub(super) const MOST_TOKENS_OF_BLOCKS: usize = 4096;

/// The memory and operations of the spectrum of a plan.
#[must_use]
pub fn cost(plan: &SpectrumPlan) -> Cost {
    of_shape(&shape_of(&plan.experiment), plan.count)
}

/// The memory and operations of a spectrum at a shape.
pub(super) fn of_shape(shape: &Shape, count: usize) -> Cost {
    let inputs = parts::inputs(shape);
    let form = crate::measure::cost::form(shape, &options());
    let found = match form {
        Form::Tokens => {
            let (forward, operator) = (parts::forward(shape), parts::operator(shape));
            let values = if shape.side() <= ALL_UP_TO as u64 {
                let dense = parts::dense(shape);
                let all = all_of(shape.outputs(), shape.inputs());
                Part { besides: sum([dense.kept, largest([dense.besides, all.besides])]), ..all }
            } else {
                leading(shape.outputs(), shape.inputs(), count, parts::default_products(operator))
            };
            let peak = largest([values.peak(), sum([values.kept, blocks(shape)])]);
            let peak = largest([forward.peak(), sum([forward.kept, operator.kept, peak])]);
            Cost::of_numbers(peak, sum([forward.operations, values.operations]))
        }
        Form::Clusters(m) => {
            let members = if shape.n == m { 0 } else { shape.n };
            let jacobian = gathered::clusters(shape, m, members);
            let (rows, columns) = gathered::between(shape, m);
            let matrix = product([rows, columns]);
            let values = if largest([rows, columns]) <= ALL_UP_TO as u64 {
                all_of(rows, columns)
            } else {
                leading(rows, columns, count, product([160, matrix]))
            };
            let peak = largest([jacobian.besides, sum([product([2, matrix]), values.peak()])]);
            Cost::of_numbers(sum([jacobian.kept, peak]), sum([jacobian.operations, values.operations]))
        }
        Form::Runs(m) => {
            let jacobian = gathered::runs(shape, m);
            let values = leading(shape.outputs(), shape.inputs(), count, parts::default_products(jacobian));
            // Blocks are computed token by token, where there are few tokens.
            let blocks = if shape.n <= MOST_TOKENS_OF_BLOCKS as u64 {
                let forward = parts::forward(shape);
                largest([forward.peak(), sum([forward.kept, blocks(shape)])])
            } else {
                0
            };
            let peak = largest([values.peak(), sum([values.kept, blocks])]);
            Cost::of_numbers(sum([jacobian.peak(), peak]), sum([jacobian.operations, values.operations]))
        }
    };
    let grouping = gathered::grouping(shape);
    let drawing = Cost::of_numbers(largest([inputs.besides, grouping.besides]), inputs.operations);
    drawing.then(found).holding(sum([BASE, inputs.kept, shape.listed()]))
}

/// The largest basis of an iteration over vectors of this length, unless more values are asked for.
pub(super) fn basis(n_inputs: u64) -> usize {
    if n_inputs < LARGE_FIELD { 80 } else { 40 }
}

/// The options that decide the form of the Jacobian for a spectrum.
pub(super) fn options() -> MeasureOptions {
    MeasureOptions { svd_limit: ALL_UP_TO, ..MeasureOptions::default() }
}

/// All singular values of a stored matrix, and the first triplet by an iteration on it.
fn all_of(n_rows: u64, n_columns: u64) -> Part {
    let values = parts::singular_values(n_rows, n_columns);
    let max_basis = LanczosOptions::default().max_basis as u64;
    let triplet = parts::lanczos(n_columns, n_rows, max_basis, KEPT_PAIRS as u64);
    Part {
        kept: sum([values.kept, triplet.kept]),
        besides: largest([values.besides, triplet.besides]),
        operations: sum([values.operations, triplet.operations]),
    }
}

/// The leading triplets; the first iteration finds all, later ones look for missed copies.
fn leading(n_outputs: u64, n_inputs: u64, count: usize, operations: u64) -> Part {
    let (count, default, kept_pairs) = (count as u64, basis(n_inputs) as u64, KEPT_PAIRS as u64);
    let kept = largest([count + kept_pairs / 2, kept_pairs]);
    let first = parts::lanczos(n_inputs, n_outputs, largest([default, kept + kept_pairs]), kept);
    let pair = sum([n_inputs, n_outputs]);
    // Later iterations hold the triplets found so far.
    let found = product([count.saturating_add(2).min(n_inputs), pair]);
    let later = sum([found, parts::lanczos(n_inputs, n_outputs, default, kept_pairs).besides, pair]);
    Part {
        kept: found,
        besides: largest([sum([first.besides, product([count, n_inputs])]), later]),
        operations: sum([operations, first.operations]),
    }
}

/// The numbers held while the block that carries most of the first value is searched for.
fn blocks(shape: &Shape) -> u64 {
    let Shape { n, d, heads, value_dim, .. } = *shape;
    let rows = shape.output.unwrap_or(value_dim);
    let keys = product([shape.keys, sum([product([2, d]), product([4, n])])]);
    let values = product([heads, rows, sum([n, d])]);
    let block = product([3, shape.d_out(), shape.inputs()]);
    sum([keys, values, product([2, shape.inputs()]), parts::block(n), block])
}
