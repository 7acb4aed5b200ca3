//! The memory of each part of the engine, in numbers of eight bytes: what the part keeps, and what it holds while it
//! works.

use super::shape::Weights;
use super::{Shape, largest, product, sum};
use crate::attention::{MOST_COPIED, Storage, rows_a_block, storage};
use crate::experiment::{Attention, Normalization, Scope};
use crate::parallel::{groups, threads};

/// Steps of an iteration for which operations are counted: most attention Jacobians need 15 to 40.
const DEFAULT_STEPS: u64 = 40;
/// Numbers of eight bytes in a vector or matrix besides its entries.
pub(crate) const HEADER: u64 = 4;

/// The memory that a part keeps, and the memory that it holds while it is made or used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    /// Numbers that are kept.
    pub(crate) kept: u64,
    /// Numbers that are freed again.
    pub(crate) besides: u64,
    /// Floating-point operations.
    pub(crate) operations: u64,
}

impl Part {
    /// The most that is held.
    pub(crate) fn peak(self) -> u64 {
        sum([self.kept, self.besides])
    }
}

/// Tokens and weights.
pub(crate) fn inputs(shape: &Shape) -> Part {
    let weights = weights(shape);
    // The eigenvectors behind the adversarial tokens are those of A, or where k < d those of a k x k matrix with the
    // same eigenvalues besides zero.
    let eigenvectors = if shape.is_adversarial() { eigen(shape.key_dim.min(shape.d)) } else { 0 };
    Part {
        kept: sum([shape.inputs(), weights.kept]),
        besides: largest([weights.besides, eigenvectors]),
        operations: sum([product([20, shape.inputs()]), weights.operations]),
    }
}

/// Heads and output matrix.
pub(crate) fn weights(shape: &Shape) -> Part {
    let matrices = shape.matrices();
    let output = product([shape.output.unwrap_or(0), shape.values]);
    let head = product([shape.key_dim.max(shape.value_dim), shape.d]);
    let square = product([shape.d, shape.d]);
    let headers = product([3 * HEADER, shape.heads]);
    let (kept, besides) = match shape.weights {
        // The matrices of [K] are kept beside the heads that they make.
        Weights::Kim => (sum([matrices, product([2, shape.values, shape.d]), output]), product([2, square])),
        // A matrix is drawn row by row and then stored by columns.
        Weights::Drawn => (matrices, largest([head, output])),
        Weights::Listed => (matrices, 0),
        Weights::Identity => (matrices, square),
    };
    Part { kept: sum([kept, headers]), besides, operations: product([20, matrices]) }
}

/// The forward pass at tokens, counted in scalars: one f64, or the two of a dual number.
pub(crate) fn forward(shape: &Shape) -> Part {
    let Shape { n, d, .. } = *shape;
    let maps = shape.maps();
    let normalizer = sum([shape.inputs(), if shape.normalization == Normalization::None { 0 } else { n }]);
    let p = shape.projections();
    let output = product([shape.output.unwrap_or(0), shape.values]);
    let squares = if shape.attention == Attention::L2 { product([maps, n]) } else { 0 };
    let kept = match storage(n, shape.stored()) {
        Storage::Kept => product([shape.stored(), n, n]),
        Storage::Recomputed => 0,
    };
    let layouts = product([16, maps]);
    // Two numbers and the token with the largest weight.
    let row_scales = product([3, maps, n]);
    let parts =
        [normalizer, product([p, d]), output, product([p, n]), squares, row_scales, kept, layouts, shape.of_steps()];
    Part {
        kept: sum(parts),
        // The tokens converted to scalars, and the largest of these: the matrices of a head, the tokens minus their
        // common part, the blocks of scores.
        besides: sum([
            shape.inputs(),
            largest([
                product([2, shape.key_dim.max(shape.value_dim), d]),
                sum([shape.inputs(), product([2, shape.key_dim, d])]),
                product([threads() as u64, block(n)]),
            ]),
        ]),
        operations: sum([
            product([2, p, d, n]),
            product([2, n, n, shape.queries()]),
            product([20, maps, n, n]),
            product([2, output, n]),
        ]),
    }
}

/// The buffers of the operator's products beside the forward pass, including those of every thread that may work on
/// them.
pub(crate) fn operator(shape: &Shape) -> Part {
    let Shape { n, .. } = *shape;
    let field = if shape.scope == Scope::Composed { shape.inputs() } else { 0 };
    let recomputed = match storage(n, shape.stored()) {
        Storage::Kept => 0,
        Storage::Recomputed => product([shape.steps.a_pair, block(n)]),
    };
    let projections = product([shape.projections(), n]);
    // A second copy of keys and queries, stacked with their changes.
    let stacked = product([4, shape.queries(), n]);
    let is_joined = shape.output.is_some() && shape.maps() > 1;
    let joined = if is_joined { shape.values } else { 0 };
    let heads = product([sum([shape.map_values(), joined]), n]);
    let is_l2 = shape.attention == Attention::L2;
    let key_terms = if is_l2 { product([shape.maps(), n]) } else { 0 };
    // The sums of the adjoint over each group of rows: for keys, for values and, with the L2 kernel, for the terms of
    // the keys.
    let groups = groups(shape.maps() as usize, n.div_ceil(rows_a_block(n).max(1)) as usize) as u64;
    let summed = product([groups, n, sum([shape.queries(), shape.map_values(), if is_l2 { shape.maps() } else { 0 }])]);
    let parts = sum([summed, product([shape.queries(), n])]);
    let blocks = product([threads() as u64, sum([block(n), recomputed])]);
    // The span of the projections, and the matrices from which its factors are made.
    let (p, d) = (shape.projections(), shape.d);
    let span = if p < d && shape.scope == Scope::Inputs { product([p, sum([p, product([2, d])])]) } else { 0 };
    let kept = sum([field, projections, stacked, heads, key_terms, parts, blocks, span]);
    let scores = product([
        n,
        n,
        sum([product([8, shape.queries()]), product([8, shape.map_values()]), product([8, shape.maps()])]),
    ]);
    let linear =
        product([4, n, sum([product([shape.projections(), shape.d]), product([shape.d_out(), shape.values])])]);
    // A product with J and one with J^T.
    Part { kept, besides: 0, operations: sum([scores, linear]) }
}

/// The Jacobian in f32, held beside the one in f64, with its input and output vectors. The count is of numbers of 8
/// bytes, and an f32 is half of one.
pub(crate) fn single(shape: &Shape) -> u64 {
    if product([shape.n, shape.n, shape.stored()]) > MOST_COPIED {
        return 0;
    }
    sum([forward(shape).kept, operator(shape).kept, shape.inputs(), shape.outputs()]).div_ceil(2)
}

/// A block of rows of P, or of scores.
pub(crate) fn block(n: u64) -> u64 {
    product([n, rows_a_block(n)])
}

/// The bases of a Lanczos iteration on vectors of lengths `n_inputs` and `n_outputs`, and its small matrices;
/// `kept_pairs` outlive a restart. The operations are those of the vectors in a usual number of steps.
pub(crate) fn lanczos(n_inputs: u64, n_outputs: u64, max_basis: u64, kept_pairs: u64) -> Part {
    let basis = max_basis.min(n_inputs);
    let bases = sum([product([basis, n_outputs]), product([basis.saturating_add(1), n_inputs])]);
    // A restart combines vectors part by part.
    let restarted = product([kept_pairs, 1024]);
    // The last product computes the residual from the vectors themselves.
    let last = sum([n_outputs, product([2, n_inputs])]);
    let small = product([12, max_basis, max_basis]);
    Part {
        kept: sum([n_inputs, n_outputs]),
        besides: sum([bases, largest([restarted, last]), small]),
        operations: product([8, DEFAULT_STEPS, DEFAULT_STEPS, sum([n_inputs, n_outputs])]),
    }
}

/// The operations of the products with J and J^T in an iteration with the usual number of steps.
pub(crate) fn default_products(operator: Part) -> u64 {
    product([DEFAULT_STEPS, operator.operations])
}

/// The dense Jacobian, formed head by head and taken through the normaliser.
pub(crate) fn dense(shape: &Shape) -> Part {
    let Shape { n, d, key_dim, value_dim, .. } = *shape;
    let entries = shape.entries();
    let rows = shape.output.unwrap_or(value_dim);
    let own_value = if shape.output.is_some() { product([value_dim, d]) } else { 0 };
    let head =
        sum([product([2, key_dim, d]), product([2, key_dim, n]), own_value, product([rows, d]), product([rows, n])]);
    let composed = if shape.scope == Scope::Composed { product([2, entries]) } else { 0 };
    let a_block = sum([product([6, rows, d]), product([4, key_dim, d])]);
    Part { kept: entries, besides: largest([head, composed]), operations: product([n, n, shape.heads, a_block]) }
}

/// The singular values of a matrix that is held already.
pub(crate) fn singular_values(n_rows: u64, n_columns: u64) -> Part {
    let (long, short) = (largest([n_rows, n_columns]), n_rows.min(n_columns));
    let entries = product([long, short]);
    // The scaled copy, and the reduction to a bidiagonal matrix with its reflectors.
    Part { kept: short, besides: product([3, entries]), operations: product([4, entries, short]) }
}

/// All singular vectors of a matrix that is held already.
pub(crate) fn singular_vectors(n_rows: u64, n_columns: u64) -> Part {
    let (long, short) = (largest([n_rows, n_columns]), n_rows.min(n_columns));
    let squares = sum([product([long, long]), product([short, short])]);
    Part {
        kept: sum([long, short]),
        besides: sum([product([3, long, short]), product([3, squares])]),
        operations: product([20, long, long, short]),
    }
}

/// The numbers held while the real eigenvalues and an eigenvector of a square matrix are computed, with the matrix
/// itself.
pub(crate) fn eigen(size: u64) -> u64 {
    product([8, size, size])
}
