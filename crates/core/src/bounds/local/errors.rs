//! How far rounding moves the blocks of a row: docs/numerics.md, "Rounding: every other kind of attention".
//!
//! With u = 2^-53 a sum of m products is off by at most gamma_m = m u/(1 - m u) times the sum of their sizes, in any order.
//! From this follow errors of queries, keys and values, of scores, of weights relative to themselves, of gradients, and of
//! each block B_ij and O_i. The same formulas with gamma = 0 and a relative change u of every token give what rounding the
//! numbers of the input may change.

use std::ops::Range;

use nalgebra::{DMatrix, DVectorView};

use super::rounding::{UNIT, gamma, norm_bound};
use crate::attention::{Elementwise, Forward, MapLayout, Squash, Weigh};
use crate::extremum::minimum;
use crate::spectral::{column_lengths, length};

/// Whose rounding is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// That of the computation.
    Arithmetic,
    /// That of the numbers of the input.
    Input,
}

/// The errors of a row.
#[derive(Clone, Debug)]
pub(super) struct RowErrors {
    /// An upper bound on the norm of the error of B_ij for each j.
    pub(super) blocks: Vec<f64>,
    /// An upper bound on the norm of the error of O_i.
    pub(super) own: f64,
}

/// The numbers of a row of one map.
#[derive(Debug)]
pub(super) struct MapRow<'a> {
    /// P_ij and D_ij/P_ij.
    pub(super) weights: &'a [f64],
    pub(super) slopes: &'a [f64],
    pub(super) sink_share: f64,
    pub(super) sizes: Vec<PairSizes>,
    /// The token whose gradient in the query is subtracted from those of all others.
    pub(super) pivot: Option<usize>,
}

impl MapRow<'_> {
    /// The token with the largest weight.
    fn top(&self) -> usize {
        (0..self.weights.len()).max_by(|a, b| self.weights[*a].total_cmp(&self.weights[*b])).unwrap_or(0)
    }
}

/// Lengths that belong to a pair of tokens. The gradients are those of the weight's logarithm.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairSizes {
    /// |w_j - mu_i|.
    pub(super) difference: f64,
    /// The gradients in the key and in the query after its steps, and before them.
    pub(super) key_gradient: f64,
    pub(super) key_pulled: f64,
    pub(super) query_gradient: f64,
    pub(super) query_pulled: f64,
}

/// The sizes and errors of a head's vectors at all tokens.
#[derive(Clone, Debug)]
pub(super) struct HeadErrors {
    gamma: f64,
    /// An upper bound on the norm of the outer factor, or 1.
    outer: f64,
    maps: Vec<MapErrors>,
    values: Vectors,
}

#[derive(Clone, Debug)]
struct MapErrors {
    layout: MapLayout,
    /// Whether scores are those of q_i - k_j, entry by entry.
    is_separate: bool,
    queries: Vectors,
    keys: Vectors,
}

/// Queries, keys or values at all tokens.
#[derive(Clone, Debug)]
struct Vectors {
    /// An upper bound on the norm of the projection.
    norm: f64,
    /// |z'| after the steps.
    lengths: Vec<f64>,
    /// An upper bound on the norm of the derivative of the steps.
    stretches: Vec<f64>,
    arithmetic: Errors,
    input: Errors,
}

/// Errors of vectors.
#[derive(Clone, Debug)]
struct Errors {
    /// Of the vector after the steps; of every entry relative to itself for the feature map of linear attention.
    vectors: Vec<f64>,
    /// Of the derivative of the steps, relative to `stretches`.
    slopes: Vec<f64>,
}

impl Vectors {
    fn errors(&self, unit: Unit) -> &Errors {
        match unit {
            Unit::Arithmetic => &self.arithmetic,
            Unit::Input => &self.input,
        }
    }
}

/// The lengths of the tokens that the vectors are computed from, and their errors.
struct Tokens {
    /// |x_j - c| and |c|.
    centred: Vec<f64>,
    centre: f64,
    /// |x_j|.
    whole: Vec<f64>,
    /// The error of a token after the normaliser.
    normalized: f64,
}

/// What the steps of vectors do to lengths.
#[derive(Clone, Copy)]
struct VectorSteps {
    has_feature: bool,
    rotary: Option<f64>,
}

impl HeadErrors {
    pub(super) fn new(forward: &Forward<f64>, head_idx: usize, summed: f64, outer: Option<&DMatrix<f64>>) -> Self {
        let lengths = |matrix: &DMatrix<f64>| column_lengths(matrix).collect::<Vec<f64>>();
        let normalizer = forward.normalizer();
        let whole = lengths(normalizer.outputs());
        let tokens = Tokens {
            centred: lengths(&forward.centred_tokens()),
            centre: forward.centre().iter().map(|x| x * x).sum::<f64>().sqrt(),
            normalized: normalizer.rounding(),
            whole,
        };
        let maps: Vec<(usize, MapLayout)> =
            forward.maps_of(head_idx).map(|(map_idx, _)| (map_idx, forward.maps[map_idx].clone())).collect();
        let first = &maps[0].1;
        let longest = summed + (forward.d() + first.q_rows.len() + first.v_rows.len() + 32) as f64;
        let gamma = gamma(longest);
        let rotary = forward.steps.norm_and_rotary().1.map(|rotary| rotary.factor());
        let has_feature = forward.steps.squash == Squash::Log;
        let steps = VectorSteps { has_feature, rotary };
        let none = VectorSteps { has_feature: false, rotary: None };
        let vectors = |rows: &Range<usize>, steps, missing: f64| vectors(forward, rows, steps, &tokens, gamma, missing);
        let of_values = if forward.centres_values() {
            0.0
        } else {
            norm_bound(&forward.stacked.rows(&first.v_rows)) * tokens.centre
        };
        let of_map = |(map_idx, layout): &(usize, MapLayout)| {
            let q = forward.stacked.rows(&layout.q_rows);
            // What the queries lack where keys are centred: Q c, or (Q - K) c for L2.
            let missing = match layout.kernel.key_square {
                0.0 => norm_bound(&q),
                _ => norm_bound(&(q - forward.stacked.rows(&layout.k_rows))),
            };
            MapErrors {
                is_separate: forward.scores_differences(*map_idx),
                queries: vectors(&layout.q_rows, steps, missing * tokens.centre),
                keys: vectors(&layout.k_rows, steps, 0.0),
                layout: layout.clone(),
            }
        };
        HeadErrors {
            gamma,
            outer: outer.map_or(1.0, norm_bound),
            values: vectors(&first.v_rows, none, of_values),
            maps: maps.iter().map(of_map).collect(),
        }
    }

    /// The gamma of the longest sum.
    pub(super) fn gamma(&self) -> f64 {
        self.gamma
    }

    /// An upper bound on the norm of the outer factor, or 1.
    pub(super) fn outer(&self) -> f64 {
        self.outer
    }

    /// An upper bound on the norm of the keys' projection of a map of the head.
    pub(super) fn key_norm(&self, at: usize) -> f64 {
        self.maps[at].keys.norm
    }

    /// An upper bound on ||W_j||, without the outer factor: a product with it may cancel.
    pub(super) fn value_norm(&self, j: usize) -> f64 {
        self.values.norm * self.values.stretches[j]
    }

    /// The errors of row i. `value_norms` are upper bounds on ||W_j||, one for all or one for each.
    pub(super) fn row(
        &self,
        forward: &Forward<f64>,
        i: usize,
        rows: &[MapRow<'_>],
        value_norms: &[f64],
        unit: Unit,
    ) -> RowErrors {
        let reach = rows.first().map_or(0, |row| row.weights.len());
        let mut errors = RowErrors { blocks: vec![0.0; reach], own: 0.0 };
        for (map, row) in self.maps.iter().zip(rows) {
            self.add_map(forward, i, (map, row), value_norms, unit, &mut errors);
        }
        errors
    }

    fn add_map(
        &self,
        forward: &Forward<f64>,
        i: usize,
        (map, row): (&MapErrors, &MapRow<'_>),
        value_norms: &[f64],
        unit: Unit,
        errors: &mut RowErrors,
    ) {
        let gamma = if unit == Unit::Arithmetic { self.gamma } else { 0.0 };
        let scores = map.scores(forward, i, row, gamma, unit);
        let (weights, of_sink) = weights(forward, row, &scores, gamma);
        let value_errors = self.values.errors(unit);
        let value_error = |j: usize| value_errors.vectors[j] + gamma * self.values.lengths[j];
        let moved = moved_values(forward, row, (&weights, of_sink), &value_error, &self.values.lengths);
        let MapErrors { layout, queries, keys, .. } = map;
        let (c, is_l2) = (layout.kernel.cross, layout.kernel.key_square != 0.0);
        let (of_queries, of_keys) = (queries.errors(unit), keys.errors(unit));
        let has_feature = forward.steps.squash == Squash::Log;
        let both = |q: f64, k: f64| if is_l2 { q + k } else { q };
        let factor = layout.coefficient.abs();
        if let Some(top) = row.pivot.filter(|_| row.sink_share != 0.0) {
            errors.own += factor * self.of_common(map, (i, top), row, (of_sink, unit, gamma));
        }
        for j in 0..row.weights.len() {
            if !forward.mask.allows(i, j) {
                continue;
            }
            let (p, slope, sizes) = (row.weights[j], row.slopes[j], row.sizes[j]);
            let Weight { of_weight, of_slope, .. } = weights[j];
            if p == 0.0 {
                // Either the exact weight is zero to all purposes too, or nothing is known.
                let (block, own) = self.of_weight_one(map, (i, j), value_norms);
                errors.blocks[j] += times(weights[j].of_zero, factor * block);
                errors.own += times(weights[j].of_zero, factor * own);
                continue;
            }
            // The sizes of the gradient in the key token and in the query token, and their errors.
            let gradient = |vectors: &Vectors, at: usize, pulled: f64, gradient: f64| {
                vectors.norm * if has_feature { pulled } else { vectors.stretches[at] * gradient }
            };
            let b = gradient(keys, j, sizes.key_pulled, sizes.key_gradient);
            let a = gradient(queries, i, sizes.query_pulled, sizes.query_gradient);
            let [of_b, of_a] = if has_feature {
                let relative = of_queries.vectors[i] + of_keys.vectors[j] + gamma;
                [b * (relative + of_keys.slopes[j]), a * (relative + of_queries.slopes[i])]
            } else {
                let scale = |vectors: &Vectors, at: usize| vectors.norm * vectors.stretches[at] * slope.abs() * c;
                let (q, k) = (queries.lengths[i], keys.lengths[j]);
                let (e_q, e_k) = (of_queries.vectors[i], of_keys.vectors[j]);
                let of_query = match row.pivot {
                    Some(top) if top == j => 0.0,
                    Some(top) => e_k + of_keys.vectors[top] + gamma * (k + keys.lengths[top]),
                    None => both(e_k, e_q) + gamma * both(k, q),
                };
                [
                    b * (of_keys.slopes[j] + gamma) + scale(keys, j) * (both(e_q, e_k) + gamma * both(q, k)),
                    a * (of_queries.slopes[i] + gamma) + scale(queries, i) * of_query,
                ]
            };
            let (x, moved) = (sizes.difference, moved[j]);
            // (1 + of_slope) times the change of x b, and of_slope times x b.
            let product = |size: f64, error: f64| {
                times(1.0 + of_slope, times(size, moved) + times(x, error) + times(moved, error))
                    + times(of_slope, size * x)
            };
            let of_values = times(of_weight, of_token(value_norms, j))
                + times(1.0 + of_weight, self.outer * self.values.norm * self.values.stretches[j])
                    * (value_errors.slopes[j] + gamma);
            errors.blocks[j] += factor * p * (of_values + self.outer * product(b, of_b));
            errors.own += factor * p * self.outer * product(a, of_a);
        }
    }

    /// The error of what the gradients in the query have in common: the sink's share times mu_i times the gradient at the
    /// pivot.
    fn of_common(
        &self,
        map: &MapErrors,
        (i, top): (usize, usize),
        row: &MapRow<'_>,
        (of_sink, unit, gamma): (f64, Unit, f64),
    ) -> f64 {
        let MapErrors { layout, queries, keys, .. } = map;
        let is_l2 = layout.kernel.key_square != 0.0;
        let both = |k: f64, q: f64| if is_l2 { k + q } else { k };
        let scale = layout.kernel.cross * queries.norm * queries.stretches[i];
        let gradient = scale * both(keys.lengths[top], queries.lengths[i]);
        let of_gradient = gradient * (queries.errors(unit).slopes[i] + gamma)
            + scale * both(keys.errors(unit).vectors[top], queries.errors(unit).vectors[i]);
        let values = self.values.errors(unit);
        let seen = row.weights.iter().enumerate().filter(|(_, p)| **p > 0.0);
        let (mut mean, mut of_mean) = (0.0, 0.0);
        for (j, p) in seen {
            mean += p * self.values.lengths[j];
            of_mean += p * (values.vectors[j] + gamma * self.values.lengths[j]);
        }
        let of_weights = times(of_sink, mean);
        row.sink_share
            * self.outer
            * (times(1.0 + of_sink, times(gradient, of_mean + of_weights) + times(mean, of_gradient))
                + times(of_sink, mean * gradient))
    }

    /// Upper bounds on the norms of B_ij and of the term of O_i for a weight of one.
    fn of_weight_one(&self, map: &MapErrors, (i, j): (usize, usize), value_norms: &[f64]) -> (f64, f64) {
        let MapErrors { layout, queries, keys, .. } = map;
        let lengths = layout.kernel.cross * (queries.lengths[i] + keys.lengths[j]);
        let gradient = |vectors: &Vectors, at: usize| vectors.norm * vectors.stretches[at] * lengths;
        let value = self.outer * self.values.lengths[j];
        (of_token(value_norms, j) + value * gradient(keys, j), value * gradient(queries, i))
    }
}

/// The entry of a list with one entry for all tokens, or one for each.
pub(super) fn of_token(numbers: &[f64], j: usize) -> f64 {
    numbers.get(j).filter(|_| numbers.len() > 1).or(numbers.first()).copied().unwrap_or(0.0)
}

/// The product, zero also where one number is zero and another infinite.
pub(super) fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Sizes and errors of some rows of the projections. `missing` is the size of a term that was added to all of them.
fn vectors(
    forward: &Forward<f64>,
    rows: &Range<usize>,
    VectorSteps { has_feature, rotary }: VectorSteps,
    tokens: &Tokens,
    gamma: f64,
    missing: f64,
) -> Vectors {
    let matrix = forward.stacked.rows(rows);
    let norm = norm_bound(&matrix);
    let bias =
        forward.biases.as_ref().map_or(0.0, |biases| biases[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt());
    let turned = forward.projections.rows(rows.start, rows.len());
    let lengths: Vec<f64> = turned.column_iter().map(|column| length(column.as_slice())).collect();
    let factor = rotary.unwrap_or(1.0);
    let norms: Vec<Option<(f64, f64)>> = (0..forward.n())
        .map(|at| forward.vector_maps.as_ref().and_then(|vector_maps| vector_maps.norm_at(rows, at)))
        .collect();
    let stretches = norms.iter().map(|found| factor * found.map_or(1.0, |(gain, inverse)| gain * inverse)).collect();
    let errors = |of_projection: &dyn Fn(usize) -> f64, gamma: f64| {
        let mut errors =
            Errors { vectors: Vec::with_capacity(lengths.len()), slopes: Vec::with_capacity(lengths.len()) };
        for (at, found) in norms.iter().enumerate() {
            let error = of_projection(at);
            let (vector, slope) = match found {
                _ if has_feature => {
                    let relative = error.exp_m1() + 8.0 * gamma;
                    (relative, relative)
                }
                None if rotary.is_some() => (factor * error + gamma * lengths[at], gamma),
                None => (error, 0.0),
                Some((gain, inverse)) => {
                    let most = 2.0 * gain * (rows.len() as f64).sqrt();
                    let error_in_ball = (gain * inverse * error).min(most);
                    (factor * error_in_ball + gamma * lengths[at], gamma + 3.0 * error * inverse)
                }
            };
            errors.vectors.push(vector);
            errors.slopes.push(slope);
        }
        errors
    };
    let computed = |at: usize| gamma * (norm * tokens.centred[at] + missing + bias) + norm * tokens.normalized;
    let given = |at: usize| norm * UNIT * tokens.whole[at];
    Vectors { norm, stretches, arithmetic: errors(&computed, gamma), input: errors(&given, 0.0), lengths }
}

/// The error of a score after the cap or logarithm, and of its slope relative to itself.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    error: f64,
    slope: f64,
    /// The score after the cap and the bias.
    value: f64,
}

impl MapErrors {
    fn scores(&self, forward: &Forward<f64>, i: usize, row: &MapRow<'_>, gamma: f64, unit: Unit) -> Vec<Score> {
        let MapErrors { layout, queries, keys, .. } = self;
        let kernel = layout.kernel;
        let vector = |rows: &Range<usize>, at: usize| -> DVectorView<'_, f64> {
            DVectorView::from_slice(
                &forward.projections.as_slice()[at * forward.projections.nrows()..][rows.clone()],
                rows.len(),
            )
        };
        let query = vector(&layout.q_rows, i);
        let (q, e_q) = (queries.lengths[i], queries.errors(unit).vectors[i]);
        let reach = row.weights.len();
        let biases = forward.steps.biases((layout.head_idx, i), reach, |j| forward.mask.allows(i, j));
        let plain = |j: usize| {
            if !forward.mask.allows(i, j) {
                return Score::default();
            }
            let (k, e_k) = (keys.lengths[j], keys.errors(unit).vectors[j]);
            let raw = kernel.score(query, vector(&layout.k_rows, j));
            if forward.steps.squash == Squash::Log {
                // Terms of one sign: the sum is as exact as they are.
                let relative = e_q + e_k + e_q * e_k + gamma;
                return Score { error: relative, slope: relative, value: raw.ln() };
            }
            let error = if kernel.key_square == 0.0 {
                kernel.cross * (gamma * q * k + e_q * k + e_k * q + e_q * e_k)
            } else {
                let distance = (raw / -kernel.key_square).max(0.0).sqrt();
                let terms = if self.is_separate { distance } else { q + k };
                kernel.key_square * (gamma * terms * terms + (e_q + e_k) * (2.0 * distance + e_q + e_k))
            };
            let Squash::Cap { tau } = forward.steps.squash else { return Score { error, slope: 0.0, value: raw } };
            let (value, slope) = forward.steps.squash.value_and_slope(raw);
            // The second derivative of the cap is at most 0.77/tau, and |d ln(slope)/ds| at most 2/tau.
            Score {
                error: error.min(slope * error + 0.4 * error * error / tau) + gamma * value.abs(),
                slope: (2.0 * error / tau).exp_m1() + gamma * (1.0 + 2.0 * (raw / tau).abs()),
                value,
            }
        };
        let score = |j: usize| {
            let score = plain(j);
            let Some(bias) = biases.as_ref().map(|biases| biases[j]) else { return score };
            let rounding = gamma / 16.0 * (score.value.abs() + bias.abs());
            Score { error: score.error + rounding, value: score.value + bias, ..score }
        };
        (0..reach).map(score).collect()
    }
}

/// The errors of a weight and of its slope, relative to themselves.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    of_weight: f64,
    of_slope: f64,
    /// The most that a weight may be that was computed as zero.
    of_zero: f64,
}

/// A weight that was computed as zero is at most e^-745 times the largest one. Where the errors of both scores are below
/// this, the exact weight is far below all others too.
const MOST_OF_ZERO: f64 = 100.0;
/// The exact weight is zero to all purposes where its score is so far below the largest one.
const FAR_BELOW: f64 = 600.0;

/// The errors of a row's weights, and that of the sink's share relative to itself.
fn weights(forward: &Forward<f64>, row: &MapRow<'_>, scores: &[Score], gamma: f64) -> (Vec<Weight>, f64) {
    let rule = match &forward.steps.weigh {
        Weigh::Elementwise(rule) => *rule,
        Weigh::Softmax { .. } => return of_softmax(row, scores, gamma),
    };
    let weight = |(j, score): (usize, &Score)| of_elementwise(rule, *score, (row.weights[j], row.slopes[j]), gamma);
    (scores.iter().enumerate().map(weight).collect(), 0.0)
}

/// Where score l is off by at most e_l, P'_j/P_j = 1/sum_l P_l e^(d_l - d_j) with |d_l| <= e_l. So |P'_j/P_j - 1| is at most
/// e^(e_j) sum_l P_l e^(e_l) - 1, and at most r/(1 - r) with r = sum over l other than j of P_l (e^(e_l + e_j) - 1).
fn of_softmax(row: &MapRow<'_>, scores: &[Score], gamma: f64) -> (Vec<Weight>, f64) {
    let top = row.top();
    let seen = || (0..scores.len()).filter(|j| row.weights[*j] > 0.0);
    let ln = |j: usize| if row.weights[j] > 0.0 { row.weights[j].ln().abs() } else { 745.0 };
    // The difference from the largest score, and the exponential.
    let of_score: Vec<f64> = (0..scores.len()).map(|j| scores[j].error + gamma / 8.0 * (1.0 + ln(j))).collect();
    let sum = |skip: Option<usize>, term: &dyn Fn(usize) -> f64| {
        seen().filter(|j| Some(*j) != skip).map(|j| times(row.weights[j], term(j))).sum::<f64>()
    };
    let moved = |skip| sum(skip, &|j| of_score[j].exp_m1());
    let (all_moved, others_moved) = (moved(None), moved(Some(top)));
    let others = sum(Some(top), &|_| 1.0) + row.sink_share;
    let of_top = of_score.get(top).copied().unwrap_or(0.0);
    let weight = |j: usize| {
        let (e, power) = (of_score[j].exp_m1(), of_score[j].exp());
        let (rest, rest_moved) = if j == top { (others, others_moved) } else { (1.0, all_moved) };
        let r = times(power, rest_moved) + times(rest, e);
        let of_weight = e + times(power, all_moved);
        let of_weight = if r < 0.5 { minimum(of_weight, r / (1.0 - r)) } else { of_weight } + gamma * rest;
        let gap = scores.get(top).map_or(0.0, |top| top.value) - scores[j].value;
        let is_far = gap - of_score[j] - of_top > FAR_BELOW;
        let is_lost = !(of_score[j] + of_top <= MOST_OF_ZERO || is_far);
        let of_zero = if is_lost { f64::INFINITY } else { 0.0 };
        Weight { of_weight, of_slope: of_weight + scores[j].slope + times(of_weight, scores[j].slope), of_zero }
    };
    ((0..scores.len()).map(weight).collect(), all_moved)
}

fn of_elementwise(rule: Elementwise, score: Score, (p, slope): (f64, f64), gamma: f64) -> Weight {
    // The bias of a sigmoid is added in the weight's own formula; beside a large one the weight or its slope is small.
    let ln = |x: f64| if x > 0.0 { x.ln().abs() } else { 0.0 };
    let relative = score.error.exp_m1() + gamma * (1.0 + score.value.abs() + ln(p) + ln(slope));
    let with_slope = |of_weight: f64, of_slope: f64| Weight {
        of_weight,
        of_slope: of_slope + score.slope + times(of_slope, score.slope),
        of_zero: 0.0,
    };
    match rule {
        Elementwise::Sigmoid { .. } | Elementwise::Softplus { .. } => with_slope(relative, relative),
        Elementwise::Relu { ln_divisor } => {
            let divisor = ln_divisor.exp();
            if p > 0.0 {
                let score_of_weight = p * divisor;
                let is_sure = score_of_weight > score.error;
                with_slope(score.error / score_of_weight + gamma, gamma + if is_sure { 0.0 } else { 1.0 })
            } else {
                // The exact score may be positive.
                let is_near = score.error > 0.0 && -score.value <= score.error;
                Weight { of_zero: if is_near { score.error.max(1.0) / divisor } else { 0.0 }, ..Weight::default() }
            }
        }
    }
}

/// How far w_j - mu_i may be off, for each j: w_j - mu_i = sum_l P_il (w_j - w_l), where a sink has the value 0.
fn moved_values(
    forward: &Forward<f64>,
    row: &MapRow<'_>,
    (weights, of_sink): (&[Weight], f64),
    value_error: &dyn Fn(usize) -> f64,
    lengths: &[f64],
) -> Vec<f64> {
    let reach = row.weights.len();
    if forward.steps.weigh.is_elementwise() {
        return (0..reach).map(value_error).collect();
    }
    let top = row.top();
    let (mut all, mut others, mut rest) = (0.0, 0.0, row.sink_share);
    let (mut of_weights, mut mean) = (0.0, 0.0);
    for j in (0..reach).filter(|j| row.weights[*j] > 0.0) {
        let p = row.weights[j];
        all += p * value_error(j);
        if j != top {
            others += p * value_error(j);
            rest += p;
        }
        of_weights += times(p * row.sizes[j].difference, weights[j].of_weight);
        mean += p * lengths[j];
    }
    of_weights += times(row.sink_share * mean, of_sink);
    let moved = |j: usize| if j == top { times(rest, value_error(top)) + others } else { value_error(j) + all };
    (0..reach).map(|j| moved(j) + of_weights).collect()
}
