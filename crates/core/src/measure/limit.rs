//! The limit of ||J|| as all tokens are scaled up together.
//!
//! Softmax becomes argmax: row i of P is one-hot at the largest score, the covariance C_i of the tokens under it
//! vanishes, and J becomes sum_h S_h (x) O_h V_h with the one-hot assignments S_h. If equal tokens share the largest
//! score, P is uniform over them (docs/theory.md section 4); if distinct tokens share it, there is no limit.

use nalgebra::DMatrix;

use super::group::{Groups, distinct};
use crate::attention::{Accumulate, Kernel, View, ViewMut, multiply};
use crate::experiment::{Experiment, Mask, Normalization};
use crate::extremum::largest;
use crate::spectral::{largest_singular_value, norm_of_product};
use crate::weights::{HeadWeights, Inputs};

/// The most distinct tokens for which the limit is computed, from n^2 scores.
const MOST_TOKENS: usize = 2048;
/// The most rows and columns of the matrix that combines several heads.
const MOST_ENTRIES: usize = 512;

/// Tokens whose scores are computed at a time.
const ROWS: usize = 64;

/// The limit. `None` if it does not exist or takes too much work, under a normaliser, which undoes the scaling, and for
/// attention with steps.
pub(super) fn large_radius_limit(experiment: &Experiment, inputs: &Inputs) -> Option<f64> {
    if experiment.normalization != Normalization::None || !experiment.is_plain() {
        return None;
    }
    let Groups { positions, sizes, .. } = distinct(&inputs.tokens, MOST_TOKENS)?;
    // Under the mask, equal tokens attend to different prefixes, so only lists of distinct tokens are handled.
    if experiment.mask == Mask::Causal && positions.ncols() < inputs.tokens.ncols() {
        return None;
    }
    let ln_sizes: Vec<f64> = match &inputs.ln_multiplicities {
        Some(logs) if positions.ncols() == inputs.tokens.ncols() => logs.clone(),
        Some(_) => return None,
        None => sizes.iter().map(|size| (*size as f64).ln()).collect(),
    };
    let targets = inputs
        .weights
        .heads
        .iter()
        .map(|head| targets(experiment, head, &positions))
        .collect::<Option<Vec<Vec<usize>>>>()?;
    let m = positions.ncols();
    if let [targets] = &targets[..]
        && let Some((outer, value)) = inputs.weights.values_through_output().next()
    {
        let mut drawn = vec![0.0; m];
        for (a, b) in targets.iter().enumerate() {
            drawn[*b] += (ln_sizes[a] - ln_sizes[*b]).exp();
        }
        let limit = norm_of_product(&outer, value) * largest(drawn).sqrt();
        return limit.is_finite().then_some(limit);
    }
    let (d, d_out) = (positions.nrows(), inputs.weights.d_out());
    if m * d.max(d_out) > MOST_ENTRIES {
        return None;
    }
    let mut matrix = DMatrix::zeros(m * d_out, m * d);
    for (targets, (through, out_start)) in targets.iter().zip(inputs.weights.values_in_output()) {
        for (a, b) in targets.iter().enumerate() {
            let stretch = (0.5 * (ln_sizes[a] - ln_sizes[*b])).exp();
            let mut block = matrix.view_mut((a * d_out + out_start, b * d), (through.nrows(), d));
            block += &through * stretch;
        }
    }
    let limit = largest_singular_value(&matrix);
    limit.is_finite().then_some(limit)
}

/// For each token the index of the token it attends to in the limit.
fn targets(experiment: &Experiment, head: &HeadWeights, tokens: &DMatrix<f64>) -> Option<Vec<usize>> {
    let kernel = Kernel::new(experiment.attention, head.q.nrows());
    let (queries, keys) = (&head.q * tokens, &head.k * tokens);
    let (k, n) = keys.shape();
    let squares: Vec<f64> = keys.column_iter().map(|key| kernel.key_square * key.norm_squared()).collect();
    let mut scores = vec![0.0; n * ROWS.min(n)];
    let mut targets = Vec::with_capacity(n);
    for first in (0..n).step_by(ROWS) {
        let count = ROWS.min(n - first);
        multiply(
            ViewMut::new(&mut scores, n, count),
            Accumulate::Replace,
            View::new(keys.as_slice(), k, n).transpose(),
            View::new(&queries.as_slice()[first * k..], k, count),
            kernel.cross,
        );
        for (i, scores) in (first..first + count).zip(scores.chunks_exact_mut(n)) {
            let reach = if experiment.mask == Mask::Causal { i + 1 } else { n };
            let scores = &mut scores[..reach];
            scores.iter_mut().zip(&squares).for_each(|(score, square)| *score -= square);
            let best = (0..reach).max_by(|a, b| scores[*a].total_cmp(&scores[*b]))?;
            let scale = scores.iter().fold(0.0f64, |most, s| most.max(s.abs()));
            let is_shared = (0..reach).any(|j| j != best && scores[best] - scores[j] <= 1e-9 * scale);
            targets.push((scores[best].is_finite() && !is_shared).then_some(best)?);
        }
    }
    Some(targets)
}
