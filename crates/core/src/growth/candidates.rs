//! The tokens that are tried where no proof names the worst ones of a ball: with steps of attention, another kernel or a
//! normaliser. Which of them is worst differs from variant to variant, so all of them are measured.
//!
//! | tokens | where they are bad |
//! | --- | --- |
//! | R (-u, u, .., u) and R (u, u/2, .., u/2) | dot products: the adversarial tokens of \[C\] |
//! | half at -R u, half at R u, also alternating | many tokens that disagree |
//! | all at R u | weights that each depend on their own score alone |
//! | one at 0, the others at R u | normalised queries and keys |
//! | every W-th token at -R u | a window of W tokens |
//! | all lists, each token turned back by the angle of its position | rotary positions: the scores are those without |
//! | those behind `two_clusters`, `sink`, `fork` and `centre` of the same weights without further steps, in this ball and in smaller ones | softmax of dot products |

use nalgebra::{DMatrix, DVector};

use super::ball::Ball;
use crate::attention::Normalizer;
use crate::bounds::{FORK, Hypotheses, Witness, Witnesses, bounds_and_witnesses};
use crate::experiment::{
    Attention, Experiment, InputError, Mask, Normalization, Rope, RopeLayout, Rows, Score, TokenSource, Weighting,
};
use crate::identity::multiple_of_identity;
use crate::phrase;
use crate::spectral::leading_eigenvector;
use crate::tokens::AdversarialDirection;

/// A longer list is not made: its norm takes too long.
pub(super) const MOST_LISTED: f64 = 65_536.0;
/// Singular vectors of larger matrices are not computed.
const MOST_DIM: usize = 64;
/// Two directions closer than this are one.
const SAME_DIRECTION: f64 = 1e-9;

/// The tokens to try for n tokens in a ball, those first that are bad most often. They are clusters where the order of
/// tokens does not count, else lists. `witnesses` are the experiment's own.
///
/// # Errors
/// [`InputError`] if a position is not finite.
pub(super) fn candidates(
    experiment: &Experiment,
    ball: &Ball,
    radii: &[f64],
    ln_n: f64,
    witnesses: &Witnesses,
) -> Result<Vec<TokenSource>, InputError> {
    let Some(radius) = radii.first().copied().filter(|radius| *radius > 0.0 && ln_n > 0.0) else {
        return Ok(Vec::new());
    };
    let directions = directions(experiment, ball);
    let mut found = Vec::new();
    for u in &directions {
        found.extend(on_line(u, radius, ln_n)?);
    }
    found.extend(witnesses.get(&FORK).map(Witness::token_source).transpose()?);
    let plain = without_steps(experiment, ball, radius, ln_n);
    for radius in radii {
        found.extend(clusters_of(&bounds_and_witnesses(&plain.with_radius(*radius)).1)?);
    }
    if !has_order(experiment) {
        return Ok(found);
    }
    let mut lists = Vec::new();
    for source in &found {
        lists.extend(listed(source)?);
    }
    let n = ln_n.exp().round();
    if let Some(u) = directions.first().filter(|u| n * u.len() as f64 <= MOST_LISTED) {
        let period = |width: usize| list(u, n as usize, |at| if at % width.max(2) == 0 { -radius } else { radius });
        // Ahead of the tokens that proofs name for attention without further steps.
        let at = lists.len().min(directions.len() * ON_A_LINE);
        lists.insert(at, period(2)?);
        if let Mask::Window { width, .. } = experiment.mask {
            lists.insert(at, period(width)?);
        }
    }
    if let Some(rope) = experiment.score.rope.filter(|_| has_plain_queries(ball)) {
        let pairs = lists.into_iter().map(|rows| Ok([unturned(&rows, &rope)?, rows]));
        lists = pairs.collect::<Result<Vec<_>, InputError>>()?.into_iter().flatten().collect();
    }
    Ok(lists.into_iter().map(TokenSource::Explicit).collect())
}

/// Whether the entries of queries and keys are those of the tokens up to a factor, so that rotary positions turn the
/// tokens themselves.
fn has_plain_queries(ball: &Ball) -> bool {
    let is_plain = |matrix: &DMatrix<f64>| multiple_of_identity(matrix).is_some();
    ball.weights.heads.iter().all(|head| is_plain(&head.q) && is_plain(&head.k))
}

/// The tokens whose queries and keys are, once they are turned, those of `rows` without a turn: x_p becomes T(-p) x_p.
fn unturned(rows: &Rows, rope: &Rope) -> Result<Rows, InputError> {
    let d = rows.n_columns();
    let turned = rope.turned(d);
    let mut entries = rows.entries().to_vec();
    for (at, token) in entries.chunks_mut(d.max(1)).enumerate() {
        for m in 0..turned / 2 {
            let (first, second) = match rope.layout {
                RopeLayout::Half => (m, m + turned / 2),
                RopeLayout::Interleaved => (2 * m, 2 * m + 1),
            };
            let (sin, cos) = libm::sincos(-(at as f64) * rope.angle(m, turned));
            let (x, y) = (token[first], token[second]);
            (token[first], token[second]) = (x * cos - y * sin, x * sin + y * cos);
        }
    }
    Rows::new(phrase!("tokens", "The tokens"), d, entries)
}

/// The clusters behind the lower bounds.
pub(super) fn clusters_of(witnesses: &Witnesses) -> Result<Vec<TokenSource>, InputError> {
    witnesses.iter().map(|(_, witness)| witness.token_source()).collect()
}

/// Clusters as a list, the smallest first: under a mask the first tokens are those that most others see. `None` for a
/// list that would be too long.
///
/// # Errors
/// [`InputError`] if a position is not finite.
pub(super) fn listed(source: &TokenSource) -> Result<Option<Rows>, InputError> {
    let TokenSource::Clusters { positions, log_multiplicities } = source else { return Ok(None) };
    let sizes: Vec<f64> = log_multiplicities.iter().map(|ln| ln.exp().round()).collect();
    if sizes.iter().sum::<f64>() * positions.n_columns() as f64 > MOST_LISTED {
        return Ok(None);
    }
    let mut clusters: Vec<(f64, &[f64])> = sizes.into_iter().zip(positions.iter()).collect();
    clusters.sort_by(|a, b| a.0.total_cmp(&b.0));
    let entries = clusters.iter().flat_map(|(size, place)| place.repeat(*size as usize)).collect();
    Rows::new(phrase!("tokens", "The tokens"), positions.n_columns(), entries).map(Some)
}

/// The list from its end to its beginning.
pub(super) fn reversed(rows: &Rows) -> Result<Rows, InputError> {
    let d = rows.n_columns();
    let entries = rows.entries().chunks(d.max(1)).rev().flatten().copied().collect();
    Rows::new(phrase!("tokens", "The tokens"), d, entries)
}

/// Whether the order of tokens counts, so that clusters do not say enough.
pub(super) fn has_order(experiment: &Experiment) -> bool {
    experiment.mask != Mask::None || experiment.score.knows_positions()
}

/// The number of entries of [`on_line`] for each direction.
const ON_A_LINE: usize = 5;

/// Tokens on a line, as clusters.
fn on_line(u: &DVector<f64>, radius: f64, ln_n: f64) -> Result<[TokenSource; ON_A_LINE], InputError> {
    let rest = (ln_n.exp_m1()).ln().min(ln_n);
    // Of an odd number the smaller half comes first.
    let n = ln_n.exp().round();
    let half = (0.5 * n).floor().max(1.0);
    let [half, other] = [half, (n - half).max(1.0)].map(f64::ln);
    let two = |[first, second]: [f64; 2], [ln_first, ln_second]: [f64; 2]| {
        clusters(u, &[first * radius, second * radius], vec![ln_first, ln_second])
    };
    Ok([
        two([-1.0, 1.0], [0.0, rest])?,
        clusters(u, &[radius], vec![ln_n])?,
        two([-1.0, 1.0], [half, other])?,
        two([0.0, 1.0], [0.0, rest])?,
        two([1.0, 0.5], [0.0, rest])?,
    ])
}

/// Clusters at multiples of a unit vector.
pub(super) fn clusters(
    u: &DVector<f64>,
    places: &[f64],
    log_multiplicities: Vec<f64>,
) -> Result<TokenSource, InputError> {
    let entries = places.iter().flat_map(|place| u.iter().map(move |x| place * x)).collect();
    let positions = Rows::new(phrase!("positions", "The positions"), u.len(), entries)?;
    Ok(TokenSource::Clusters { positions, log_multiplicities })
}

/// A list of n tokens at multiples of a unit vector.
pub(super) fn list(u: &DVector<f64>, n: usize, place: impl Fn(usize) -> f64) -> Result<Rows, InputError> {
    let entries = (0..n).flat_map(|at| u.iter().map(move |x| (at, x))).map(|(at, x)| place(at) * x).collect();
    Rows::new(phrase!("tokens", "The tokens"), u.len(), entries)
}

/// Unit vectors: the direction of the adversarial tokens, the one that A stretches most, the one that V stretches most,
/// and the first of the basis. Linear attention, whose feature map is not symmetric, has their opposites too.
pub(super) fn directions(experiment: &Experiment, ball: &Ball) -> Vec<DVector<f64>> {
    let d = ball.weights.d();
    let first = DVector::from_fn(d, |row, _| f64::from(u8::from(row == 0)));
    let mut all: Vec<DVector<f64>> = Vec::with_capacity(8);
    if let Some(head) = ball.weights.heads.first().filter(|_| d <= MOST_DIM) {
        let matrices = [head.query_key().a(), head.v.clone()];
        // With multiples of the identity every direction is like the first.
        if matrices.iter().any(|matrix| multiple_of_identity(matrix).is_none()) {
            all.extend(AdversarialDirection::of(head.query_key()).ok().map(|line| line.direction));
            all.extend(matrices.iter().map(|matrix| leading_eigenvector(matrix.tr_mul(matrix))));
        }
    }
    all.push(first);
    if experiment.attention == Attention::Linear {
        let opposites: Vec<DVector<f64>> = all.iter().map(|u| -u).collect();
        all.extend(opposites);
    }
    let mut kept: Vec<DVector<f64>> = Vec::with_capacity(all.len());
    for u in all {
        let is_unit = (u.norm() - 1.0).abs() < SAME_DIRECTION;
        if is_unit && kept.iter().all(|other| (other - &u).norm() > SAME_DIRECTION) {
            kept.push(u);
        }
    }
    kept
}

/// The hypotheses of the same weights without mask, normaliser and further steps, at a scale of the scores of its own.
fn without_steps(experiment: &Experiment, ball: &Ball, radius: f64, ln_n: f64) -> Hypotheses {
    let mut weights = ball.weights.clone();
    for head in &mut weights.heads {
        let k = head.q.nrows();
        head.q *= experiment.scale_of(k) * (k as f64).sqrt();
        head.second = None;
    }
    let plain = Experiment {
        attention: Attention::Dot,
        mask: Mask::None,
        score: Score::default(),
        weighting: Weighting::SOFTMAX,
        normalization: Normalization::None,
        // Weights that are given fit the steps of the experiment only.
        weights: None,
        ..experiment.clone()
    };
    Hypotheses::new(&plain, &weights, &Normalizer::none(&ball.tokens), radius, ln_n)
}
