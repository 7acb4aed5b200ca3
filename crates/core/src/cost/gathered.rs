//! Memory of token measures and causal runs, in numbers of eight bytes.

use super::parts::{self, HEADER, Part};
use super::{Shape, largest, product, sum};
use crate::experiment::{Normalization, Scope};

/// Memory for finding equal tokens in a list: a table of up to n/8 distinct tokens, and the index into it for each
/// token.
pub(crate) fn grouping(shape: &Shape) -> Part {
    let besides = sum([product([4, shape.n]), product([shape.d, shape.n]) / 2]);
    Part { kept: 0, besides, operations: product([4, shape.inputs()]) }
}

/// The Jacobian at a token measure of m positions; `members` tokens are listed.
pub(crate) fn clusters(shape: &Shape, m: u64, members: u64) -> Part {
    let Shape { d, heads, key_dim: k, value_dim, .. } = *shape;
    let d_out = shape.d_out();
    let rows = shape.output.unwrap_or(value_dim);
    let matrix = product([m, d_out, m, d]);
    let own = product([m, sum([product([d_out, d]), HEADER])]);
    let masses = product([heads, m, m]);
    // Positions twice, and the logarithms of their sizes twice.
    let positions = product([m, sum([product([2, d]), 3])]);
    let head = sum([
        product([rows, d]),
        product([m, sum([product([2, k]), rows, 8])]),
        product([2, rows, k]),
        product([rows, d]),
    ]);
    let composed =
        if shape.scope == Scope::Composed { sum([product([2, matrix]), product([2, m, d, d_out])]) } else { 0 };
    // With steps, a forward pass at the positions.
    let of_steps = if shape.is_plain() { 0 } else { parts::forward(shape).peak() };
    Part {
        kept: sum([matrix, own, masses, positions, members]),
        besides: sum([largest([head, composed]), of_steps]),
        operations: product([heads, m, m, sum([product([m, sum([rows, k])]), product([6, rows, d])])]),
    }
}

/// Rows and columns of the matrix on fields that are constant on each of m clusters.
pub(crate) fn between(shape: &Shape, m: u64) -> (u64, u64) {
    (product([m, shape.d_out()]), product([m, shape.d]))
}

/// The Jacobian at m runs of equal tokens under the causal mask.
pub(crate) fn runs(shape: &Shape, m: u64) -> Part {
    let Shape { n, d, heads, key_dim: k, value_dim, .. } = *shape;
    let rows = shape.output.unwrap_or(value_dim);
    let pairs = product([m, m.saturating_add(1)]) / 2;
    // Of each pair of runs a weight, a gradient and a difference of positions.
    let of_pairs = product([pairs, sum([1, product([2, sum([d, HEADER])])])]);
    let of_runs = product([m, sum([product([d, d]), product([2, d]), 40])]);
    let head = sum([of_pairs, of_runs, product([rows, d])]);
    let normalizer = if shape.normalization == Normalization::None { 0 } else { m };
    let field = if shape.scope == Scope::Composed { shape.inputs() } else { 0 };
    let kept = sum([product([heads, head]), product([m, sum([product([2, d]), 4])]), normalizer, field]);
    // While the runs are made: queries, keys, scores, and the run of each token; in a product: sums over runs.
    let making = sum([product([m, sum([product([2, k]), 4])]), product([2, k]), n]);
    let applying = product([m, sum([product([2, d]), 2 * HEADER])]);
    let each_token = sum([product([2, d, d]), product([2, rows, d]), product([8, d])]);
    let operations = product([2, heads, sum([product([n, each_token]), product([pairs, 6, d])])]);
    Part { kept, besides: largest([making, applying]), operations }
}
