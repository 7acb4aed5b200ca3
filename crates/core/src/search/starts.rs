//! The first tokens of each restart of a search.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::Region;
use crate::bounds::{BoundId, ClusterWitness, FORK, SINK, TWO_CLUSTERS, TwoClusters, Witness, Witnesses};
use crate::experiment::{Distribution, RandomTokens};
use crate::random::{Random, Stream};
use crate::spectral::largest_triplet;
use crate::tokens::{adversarial_tokens, random_tokens};
use crate::weights::{HeadWeights, Weights};

/// The kind of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum StartKind {
    /// The tokens of the experiment.
    Own,
    /// The adversarial tokens of \[C\], from the first head's A.
    Adversarial,
    /// The witness of `two_clusters`.
    TwoClusters,
    /// The witness of `sink`.
    Sink,
    /// The witness of `fork`.
    Fork,
    /// One token at -e and all others at e, with e the top right singular vector of the first head's A: the shape of
    /// the skew witness.
    Skew,
    /// Tokens at R e and -R e in turn, the last one at 0, with e as for `Skew`, times A: the shape of `centre`.
    Centre,
    /// Two tokens at w and -w, all others at e, with w orthogonal to A e (docs/theory.md section 4).
    Crossed,
    /// The best tokens of an earlier search, given by the caller.
    Carried,
    /// Random in the ball.
    Random,
    /// A few random clusters.
    RandomClusters,
}

impl StartKind {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// The sizes shared by all starts: n, d, R and region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) n: usize,
    pub(super) d: usize,
    pub(super) radius: f64,
    pub(super) region: Region,
}

/// The deterministic starts without duplicates; tokens are d x n.
pub(super) fn structured(
    own: &DMatrix<f64>,
    weights: &Weights,
    witnesses: &Witnesses,
    shape: Shape,
) -> Vec<(StartKind, DMatrix<f64>)> {
    let Shape { n, radius, region, .. } = shape;
    let first = weights.heads.first();
    let adversarial = first.and_then(|head| adversarial_tokens(head.query_key(), n, radius).ok());
    let behind = |id: BoundId| match witnesses.get(id)? {
        Witness::OnLine(found) => on_line(found, n),
        Witness::Clusters(found) => listed(found, n),
    };
    let candidates = [
        (StartKind::Own, Some(own.clone())),
        (StartKind::Adversarial, adversarial),
        (StartKind::TwoClusters, behind(&TWO_CLUSTERS)),
        (StartKind::Sink, behind(&SINK)),
        (StartKind::Fork, behind(&FORK)),
        (StartKind::Centre, first.and_then(|head| centre(head, n, radius))),
        (StartKind::Crossed, first.and_then(|head| crossed(head, n, radius))),
        (StartKind::Skew, first.and_then(most_stretched).map(|e| split(&(e * radius), n))),
    ];
    let mut starts: Vec<(StartKind, DMatrix<f64>)> = Vec::with_capacity(candidates.len());
    for (kind, tokens) in candidates {
        let Some(tokens) = tokens.map(|tokens| region.project(tokens, radius)) else { continue };
        // Tokens reflected at the origin are the same start.
        let is_known = |known: &DMatrix<f64>| {
            (known - &tokens).amax() <= 1e-9 * radius || (known + &tokens).amax() <= 1e-9 * radius
        };
        if tokens.iter().all(|x| x.is_finite()) && !starts.iter().any(|(_, known)| is_known(known)) {
            starts.push((kind, tokens));
        }
    }
    starts
}

/// A random start: independent tokens and random clusters in turn.
pub(super) fn random(shape: Shape, seed: u64, restart: usize) -> (StartKind, DMatrix<f64>) {
    let Shape { n, d, radius, region } = shape;
    let mut random = Random::new(seed, Stream::AscentStart(restart));
    // Draws a seed, so that the tokens come from `random_tokens`.
    let tokens_seed = (random.uniform() * 9_007_199_254_740_992.0) as u64;
    let count = if restart.is_multiple_of(2) { n } else { (2 + random.below(4)).min(n) };
    let drawn = RandomTokens { distribution: Distribution::Ball, n: count, d, radius, seed: tokens_seed };
    let places = random_tokens(&drawn);
    if count == n {
        return (StartKind::Random, region.project(places, radius));
    }
    // The shares range from very unequal to nearly equal. After one token per cluster, each token joins a cluster with
    // a probability in proportion to the cluster's share.
    let shares: Vec<f64> = (0..count).map(|_| libm::exp(1.5 * random.normal())).collect();
    let total: f64 = shares.iter().sum();
    let mut pick = || {
        let mut left = total * random.uniform();
        shares.iter().position(|share| {
            left -= share;
            left < 0.0
        })
    };
    let tokens = DMatrix::from_columns(
        &(0..n)
            .map(|token_idx| {
                let cluster = if token_idx < count { token_idx } else { pick().unwrap_or(count - 1) };
                places.column(cluster).into_owned()
            })
            .collect::<Vec<DVector<f64>>>(),
    );
    (StartKind::RandomClusters, region.project(tokens, radius))
}

/// The tokens of two clusters, the smaller one first; `None` if the smaller one has no token or all n.
fn on_line(found: &TwoClusters, n: usize) -> Option<DMatrix<f64>> {
    let first = found.ln_sizes[0].exp().round();
    let direction = DVector::from_column_slice(&found.direction);
    (first >= 1.0 && first < n as f64).then(|| {
        DMatrix::from_fn(direction.len(), n, |row, col| direction[row] * found.places[usize::from(col as f64 >= first)])
    })
}

/// The tokens of a few clusters, one cluster after the other; `None` if the sizes do not add up to n.
fn listed(found: &ClusterWitness, n: usize) -> Option<DMatrix<f64>> {
    let entries = found.tokens_in_order().concat();
    let d = found.positions.first()?.len();
    (entries.len() == n * d).then(|| DMatrix::from_vec(d, n, entries))
}

/// The tokens -x, x, .., x.
fn split(x: &DVector<f64>, n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(x.len(), n, |row, col| if col == 0 { -x[row] } else { x[row] })
}

/// The largest d for which A is decomposed; above it the decomposition takes long, and the other starts are as good.
const MOST_DIM: usize = 256;

/// The unit vector e that maximises |A e|.
fn most_stretched(head: &HeadWeights) -> Option<DVector<f64>> {
    let a = a_of(head)?;
    Some(DVector::from_vec(largest_triplet(&a)?.right))
}

/// The tokens R e, -R e, R e, .., 0, with e along the longest image of A; `None` for n <= 2, and where A is zero or too
/// large to decompose.
fn centre(head: &HeadWeights, n: usize, radius: f64) -> Option<DMatrix<f64>> {
    let e = DVector::from_vec(largest_triplet(&a_of(head)?)?.left);
    let side = |col: usize| match col {
        _ if col + 1 == n => 0.0,
        _ if col.is_multiple_of(2) => radius,
        _ => -radius,
    };
    (n > 2).then(|| DMatrix::from_fn(e.len(), n, |row, col| side(col) * e[row]))
}

/// The tokens w, -w, e, .., e of norm R, with e^T A e as low as possible and w orthogonal to A e. `None` where no such
/// w is found, as for d = 1, for n <= 2, and where A is zero or too large to decompose.
fn crossed(head: &HeadWeights, n: usize, radius: f64) -> Option<DMatrix<f64>> {
    let a = a_of(head)?;
    let symmetric = (&a + a.transpose()).symmetric_eigen();
    let e = symmetric.eigenvectors.column(symmetric.eigenvalues.imin()).into_owned();
    let image = &a * &e;
    // The coordinate axis with the smallest component along A e, made orthogonal to it.
    let mut w = DVector::zeros(a.nrows());
    w[image.iamin()] = 1.0;
    let square = image.norm_squared();
    if square > 0.0 {
        w.axpy(-image.dot(&w) / square, &image, 1.0);
    }
    let length = w.norm();
    (n > 2 && length > 1e-6).then(|| {
        let (w, e) = (w * (radius / length), e * radius);
        DMatrix::from_fn(a.nrows(), n, |row, col| match col {
            0 => w[row],
            1 => -w[row],
            _ => e[row],
        })
    })
}

fn a_of(head: &HeadWeights) -> Option<DMatrix<f64>> {
    let d = head.q.ncols();
    (d <= MOST_DIM).then(|| head.query_key().a()).filter(|a| a.amax() > 0.0 && a.amax().is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_starts_lie_in_the_region_and_come_again_with_their_seed() {
        for region in [Region::Ball, Region::Sphere] {
            let shape = Shape { n: 9, d: 2, radius: 1.5, region };
            for restart in 0..6 {
                let (kind, tokens) = random(shape, 3, restart);
                assert_eq!((kind, tokens.clone()), random(shape, 3, restart));
                assert_ne!(tokens, random(shape, 4, restart).1);
                assert_eq!(kind == StartKind::Random, restart % 2 == 0);
                assert!(tokens.column_iter().all(|token| token.norm() <= 1.5 * (1.0 + 1e-12)));
            }
        }
    }
}
