//! Memory of the bounds, in numbers of eight bytes: the constants of their hypotheses, `local` and `certified` at the
//! tokens, and the limit for large radii.

use std::ops::RangeInclusive;

use super::parts::{self, HEADER, Part};
use super::shape::Weights;
use super::{Shape, largest, product, sum};
use crate::attention::{Storage, storage};
use crate::bounds::MOST_STACKED;
use crate::experiment::{Attention, Normalization};
use crate::parallel::{groups, threads};

/// The most lines: the heads whose directions are tried, times the directions of each head.
const LINES: u64 = 16;

/// The norms of the weights, and the lines and directions on which lower bounds are tried.
pub(crate) fn hypotheses(shape: &Shape) -> Part {
    let Shape { d, heads, key_dim: k, value_dim, .. } = *shape;
    let norms = largest([
        norm_of_product(k, d, d),
        // O_h^T, or the identity.
        sum([product([value_dim, outer(shape)]), norm_of_product(value_dim, outer(shape), d)]),
    ]);
    let has_lower = shape.attention == Attention::Dot && shape.normalization == Normalization::None;
    let lines = if has_lower {
        // A direction under trial needs the responses of all heads. A line keeps their triangular factor, the lambdas
        // and the direction.
        let response = if shape.output.is_some() { product([heads, shape.d_out()]) } else { shape.values };
        let kept = product([LINES, sum([product([heads, heads]), heads, d])]);
        Part { kept, besides: largest([directions(k, d), sum([response, product([HEADER, heads])])]), operations: 0 }
    } else {
        Part::default()
    };
    let kim = if shape.weights == Weights::Kim { parts::singular_values(d, d).besides } else { 0 };
    let size = k.min(d);
    let witnesses = witness_directions(shape, has_lower);
    Part {
        kept: sum([lines.kept, witnesses.kept, product([2, heads])]),
        besides: largest([norms, lines.besides, kim, witnesses.besides]),
        operations: sum([product([40, heads, sum([k, value_dim]), d, size]), witnesses.operations]),
    }
}

/// The exponents of the heads, and the directions of the witnesses of `sink` and `fork`.
fn witness_directions(shape: &Shape, has_lower: bool) -> Part {
    /// The most directions, and the dimensions that attention is restricted to at each.
    const MOST_DIRECTIONS: u64 = 8;
    const DIMENSIONS: u64 = 5;
    /// The directions held at a time, and the steps of all ascents together.
    const HELD: u64 = 32;
    const STEPS: u64 = 600;
    let Shape { d, heads, key_dim: k, value_dim, .. } = *shape;
    let e = d.min(product([2, k]));
    // A on the span of the rows of Q and K, the matrices from which it is computed, and for a small A the eigenvectors
    // of A^T A.
    let exponent = sum([product([4, d, e]), product([2, k, e]), product([8, e, e]), product([HELD, d])]);
    let operations = product([4, STEPS, e, e]);
    if !has_lower {
        return Part { kept: 0, besides: exponent, operations };
    }
    let (outer, reduced) = (outer(shape), value_dim.min(outer(shape)));
    let restricted = product([DIMENSIONS, heads]);
    let factor = if shape.output.is_some() { product([shape.d_out().min(restricted), restricted]) } else { 0 };
    let of_head = sum([product([3 * DIMENSIONS, DIMENSIONS]), product([3, HEADER])]);
    let kept = product([MOST_DIRECTIONS, sum([product([DIMENSIONS, d]), product([heads, of_head]), factor, 40])]);
    let value = sum([product([4, value_dim, outer]), product([4, reduced, d]), product([HELD, d])]);
    let making = sum([
        product([5, reduced, d]),
        product([3, reduced, reduced]),
        product([2, value_dim, outer]),
        product([3, shape.d_out(), restricted]),
        product([2, heads, DIMENSIONS, sum([value_dim, shape.d_out()])]),
    ]);
    // The exact norm at three clusters.
    let rows = product([3, shape.d_out().min(restricted)]);
    let exact = sum([product([8, rows, 3 * DIMENSIONS]), product([heads, of_head])]);
    Part { kept, besides: largest([exponent, sum([value, making]), exact]), operations }
}

/// Columns of O_h^T: the rows of the output matrix, or the value dimension where there is none.
fn outer(shape: &Shape) -> u64 {
    shape.output.unwrap_or(shape.value_dim)
}

/// The numbers held while ||L^T R||_2 is computed from triangular factors, for L (k x m) and R (k x n).
fn norm_of_product(k: u64, m: u64, n: u64) -> u64 {
    let (left, right) = (k.min(m), k.min(n));
    let factors = sum([product([k, m]), product([k, n]), product([k, left]), product([k, right])]);
    sum([factors, product([5, left, right])])
}

/// The numbers held while the extreme eigenvectors of A and of its symmetric part are computed.
fn directions(k: u64, d: u64) -> u64 {
    let (e, copies) = if product([2, k]) < d { (2 * k, 3) } else { (d, 1) };
    let symmetric = sum([product([copies, d, e]), product([2, k, e]), product([6, e, e])]);
    largest([symmetric, parts::eigen(k.min(d))])
}

/// The most entries of all heads' matrices for which `local_blocks` is computed.
const MOST_BLOCK_ENTRIES: u64 = 1 << 22;

/// The bounds `local` and `local_blocks` of all heads together, where a row of attention has `columns` entries. Dot-product
/// attention takes the path of every kind where its numbers are of extreme size, which the sizes do not say.
pub(crate) fn local(shape: &Shape, columns: u64) -> Part {
    let Shape { d, heads, value_dim, .. } = *shape;
    let r = value_dim.min(d).min(outer(shape));
    // `local_blocks`: a matrix for each head, and another with the own parts while the norm is computed.
    let entries = product([columns, columns, heads]);
    let blocks = if entries <= MOST_BLOCK_ENTRIES { entries } else { 0 };
    let buffer = match storage(shape.n, shape.stored()) {
        Storage::Kept => 0,
        Storage::Recomputed => product([shape.steps.a_pair, parts::block(shape.n)]),
    };
    let of_every_kind = every_kind(shape, columns, buffer);
    let has_dot_blocks = shape.is_plain() && shape.attention == Attention::Dot;
    let dot = if has_dot_blocks { dot(shape, columns, (buffer, blocks > 0)) } else { Part::default() };
    Part {
        kept: sum([largest([dot.kept, of_every_kind.kept]), blocks]),
        besides: largest([dot.besides, of_every_kind.besides, blocks]),
        operations: product([heads, shape.n, columns, r, sum([r, shape.key_dim]), 4]),
    }
}

/// The path of dot-product attention.
fn dot(shape: &Shape, columns: u64, (buffer, has_blocks): (u64, bool)) -> Part {
    let Shape { d, heads, key_dim: k, value_dim, .. } = *shape;
    let r = value_dim.min(d).min(outer(shape));
    let height = sum([r, k]);
    // What the rows of a head share: products of its matrices, values and keys, tokens.
    let gram = sum([product([r, r]), product([r, k]), product([k, k]), product([k, k.min(d)]), product([height, d])]);
    let shared = sum([gram, product([columns, sum([height, d])])]);
    // The sums that each group of rows keeps.
    let groups = groups(heads as usize, columns.div_ceil(64).max(1) as usize) as u64;
    let group = sum([product([2, columns]), product([r, height]), r, 60]);
    let through = sum([product([value_dim, outer(shape), 3]), product([2, value_dim, d])]);
    let making = sum([product([columns, sum([height, largest([r, k])])]), through]);
    // For each thread, a row's values and keys minus their mean, or the tokens minus their mean.
    let centred = sum([product([columns, largest([sum([height, r]), d])]), product([2, d, d]), height]);
    let taking = product([threads() as u64, sum([buffer, centred, product([8, r, r]), product([4, k, k.min(d)])])]);
    let together = if columns == shape.n { together(shape, r, has_blocks) } else { Part::default() };
    let coordinates = if d > columns { product([3, d, columns]) } else { 0 };
    Part {
        kept: product([heads, sum([shared, product([groups, group]), together.kept])]),
        besides: largest([sum([making, coordinates]), sum([taking, product([threads() as u64, together.besides])])]),
        operations: 0,
    }
}

/// The path of every kind of attention: matrices in the dimensions of keys and values.
fn every_kind(shape: &Shape, columns: u64, buffer: u64) -> Part {
    let Shape { d, heads, key_dim: k, value_dim, .. } = *shape;
    let maps = shape.steps.maps_a_head;
    let reduced = value_dim.min(outer(shape));
    let keys = product([maps, k]);
    let of_map = sum([product([k, d]), product([value_dim, k]), product([maps, k, k])]);
    let outer_factor = if shape.output.is_some() { product([reduced, value_dim]) } else { 0 };
    // W_j W_j^T, of each token where values are normalised.
    let slopes = product([columns, shape.steps.value_steps]).max(1);
    let value_grams = product([slopes, value_dim, value_dim]);
    let values = product([value_dim, sum([columns, d])]);
    let errors = product([columns, sum([product([6, maps]), 8])]);
    let head = sum([product([maps, of_map]), outer_factor, value_grams, values, product([keys, keys.min(d)]), errors]);
    // The weights and errors of a step's rows.
    let rows = product([6, columns, product([heads, columns]).min(product([heads.max(64), threads() as u64]))]);
    let making = sum([
        product([5, keys, d]),
        product([3, value_dim, outer(shape)]),
        product([slopes, value_dim, d]),
        product([3, value_dim, d]),
    ]);
    // For each thread, the terms of a row, and matrices of the squares of its blocks.
    let terms = product([columns, maps, sum([product([5, k]), product([5, value_dim])])]);
    let squares =
        sum([product([6, value_dim, value_dim]), product([value_dim, sum([product([2, keys]), product([3, d])])])]);
    let taking = product([threads() as u64, sum([buffer, terms, squares])]);
    Part { kept: sum([product([heads, head]), rows]), besides: largest([making, taking]), operations: 0 }
}

/// Memory for taking many rows of `local` together: `kept` is for each head, `besides` for each thread.
fn together(shape: &Shape, r: u64, has_blocks: bool) -> Part {
    /// How many rows and tokens are taken together, and the sizes at which the code does so.
    const ROWS: u64 = 64;
    const TOKENS: u64 = 32;
    const LEAST_COLUMNS: u64 = 64;
    const DIMENSIONS: RangeInclusive<u64> = 16..=128;
    let Shape { n, d, key_dim: k, .. } = *shape;
    let alone = sum([product([3, n, d, d]).div_ceil(4), product([d, r, sum([d, r, k])])]);
    let is_shorter = alone < product([n, r, sum([r, k])]);
    if n < LEAST_COLUMNS || !DIMENSIONS.contains(&d) || !is_shorter || shape.attention != Attention::Dot {
        return Part::default();
    }
    let entries = product([d, sum([d, 8])]).div_ceil(2);
    // Tokens in f32 and their squares; for the blocks, tokens and values in f64 and the squares of both.
    let pairs = if has_blocks { product([n, sum([d, r, 2])]) } else { 0 };
    let of_pairs = if has_blocks { product([ROWS, sum([product([3, n]), product([2, d]), r])]) } else { 0 };
    let moments = sum([product([entries, ROWS]), product([entries, sum([ROWS, TOKENS])]).div_ceil(2)]);
    Part {
        kept: sum([product([n, d]).div_ceil(2), n, product([3, d, d]), pairs]),
        besides: sum([moments, product([n, ROWS]).div_ceil(2), product([d, ROWS]), of_pairs]),
        operations: 0,
    }
}

/// The bound `certified`: `kept` is for all heads, `besides` for the larger of two steps, making a head and taking one
/// row of attention.
pub(crate) fn neighbourhood(shape: &Shape) -> Part {
    let Shape { n, d, heads, key_dim: k, value_dim, .. } = *shape;
    let (r, pulled) = (value_dim.min(d).min(outer(shape)), k.min(d));
    let together = stacked_values(shape);
    // The values in the directions of W, where the heads are taken together.
    let directions = if together.kept > 0 { value_dim.min(d) } else { 0 };
    let head = sum([product([n, n]), product([n, sum([r, directions, pulled, 1])]), 3 * HEADER]);
    let making =
        sum([product([2, k, n]), product([4, k, d]), product([2, d, n]), product([4, value_dim, outer(shape)])]);
    // Columns and a Gram matrix of the smaller side, for the values, the directions and the keys in turn.
    let side = largest([r, directions, pulled]);
    let a_row = sum([product([3, n, sum([side, pulled])]), product([8, side, side])]);
    let squares = sum([r, directions, pulled].map(|side| product([side, side])));
    Part {
        kept: sum([product([heads, head]), together.kept]),
        besides: sum([largest([making, a_row]), together.besides]),
        operations: sum([product([4, heads, n, n, squares]), together.operations]),
    }
}

/// The matrices F_h of several heads behind an output matrix; nothing where they are not taken together.
fn stacked_values(shape: &Shape) -> Part {
    let Shape { d, heads, value_dim, values, .. } = *shape;
    let Some(d_out) = shape.output.filter(|_| heads > 1) else { return Part::default() };
    let side = values.min(product([heads, d])).min(d_out);
    if side > MOST_STACKED as u64 {
        return Part::default();
    }
    let factors = product([d_out, values]);
    // The matrices W_h are kept until the values in their directions are.
    let bases = product([values, d]);
    let making = sum([bases, product([4, value_dim, d]), product([2, value_dim, d_out])]);
    let combining = sum([factors, product([6, side, side])]);
    Part {
        kept: factors,
        besides: largest([making, combining]),
        operations: sum([product([2, d_out, values, side]), product([4, side, side, side])]),
    }
}

/// The limit of the norm as all tokens are scaled up. It is computed only for few distinct tokens.
pub(crate) fn large_radius_limit(shape: &Shape) -> Part {
    /// The most distinct tokens for which the limit is computed.
    const MOST_TOKENS: u64 = 2048;
    /// The most rows and columns of the matrix that combines several heads.
    const MOST_SIDE: u64 = 512;
    if shape.normalization != Normalization::None {
        return Part::default();
    }
    let Shape { n, d, heads, key_dim, .. } = *shape;
    let m = n.min(MOST_TOKENS);
    let distinct = sum([product([m, sum([product([4, d]), 16])]), n]);
    let scores = product([m, sum([product([2, key_dim]), 2])]);
    let size = sum([product([m, d]), 0]).max(product([m, shape.d_out()]));
    let matrix = if size <= MOST_SIDE { product([5, m, d, m, shape.d_out()]) } else { 0 };
    let value = product([outer(shape).max(shape.value_dim), largest([shape.value_dim, d]), 4]);
    Part {
        kept: 0,
        besides: sum([distinct, product([heads, m]), largest([scores, matrix, value])]),
        operations: product([2, heads, m, m, key_dim]),
    }
}
