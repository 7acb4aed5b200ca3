//! How tight `kim_linf` is: a search for the largest l_inf norm of L2 attention with d = heads = 1 and all weights one.
//!
//! Tokens lie on a line in a few clusters, the first a single token. The l_inf norm of such token measures can be
//! computed exactly for any n, so that a search over positions and sizes is cheap. It starts from one token apart from
//! all others and from random clusters; its result is a lower bound on the largest norm.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::attention::Normalizer;
use crate::bounds::{HeadNorms, Hypotheses, KIM_LINF};
use crate::experiment::{Attention, InputError, MaskKind, Scope};
use crate::jacobian::ClusterJacobian;
use crate::phrase;
use crate::random::{Random, Stream};
use crate::weights::{L2Mha, Weights};

/// The largest norm found at one n, and the bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightnessPoint {
    /// Number of tokens.
    pub n: usize,
    /// The largest l_inf norm found.
    pub found: f64,
    /// The position and the size of each cluster of the tokens with that norm.
    pub clusters: Vec<(f64, usize)>,
    /// The value of `kim_linf`.
    pub bound: f64,
}

/// Runs the search, one n per step.
#[derive(Clone, Debug)]
pub struct Tightness {
    weights: Weights,
    lengths: Vec<usize>,
    restarts: usize,
    seed: u64,
    next: usize,
}

/// The largest n.
pub const MOST_TOKENS: usize = 1_000_000;
/// The most restarts.
pub const MOST_RESTARTS: usize = 1000;

impl Tightness {
    /// A search with `restarts` random starts at each length, at most [`MOST_RESTARTS`].
    ///
    /// # Errors
    /// [`InputError::BadValue`] for an empty list, or a length below 2 or above a million.
    pub fn new(lengths: &[usize], restarts: usize, seed: u64) -> Result<Self, InputError> {
        if lengths.is_empty() || lengths.iter().any(|n| !(2..=MOST_TOKENS).contains(n)) {
            let expected = phrase!("numbers_tokens_from_2", "numbers of tokens from 2 to {most}", most = MOST_TOKENS);
            return Err(InputError::bad_value(
                phrase!("lengths", "The list of lengths"),
                format!("{lengths:?}"),
                expected,
            ));
        }
        let one = || DMatrix::from_element(1, 1, 1.0);
        let weights = L2Mha { queries: vec![one()], values: vec![one()], output: one() }.weights();
        Ok(Tightness { weights, lengths: lengths.to_vec(), restarts: restarts.min(MOST_RESTARTS), seed, next: 0 })
    }

    /// The number of lengths done, and the number of all lengths.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.lengths.len())
    }

    /// Searches at the next length; `None` when all are done.
    pub fn step(&mut self) -> Option<TightnessPoint> {
        let n = *self.lengths.get(self.next)?;
        self.next += 1;
        let mut best = (0.0, Vec::new());
        let mut consider = |clusters: Vec<(f64, usize)>| {
            let (norm, clusters) = self.pattern_search(clusters);
            if norm > best.0 {
                best = (norm, clusters);
            }
        };
        // One token apart from all others, at spacings around the critical one, where the single token has a weight of
        // about 1/2.
        let critical = ((n - 1) as f64).ln().max(0.1).sqrt();
        for spacing in [0.5, 0.8, 1.0, 1.2, 1.5] {
            consider(vec![(0.0, 1), (spacing * critical, n - 1)]);
        }
        let mut random = Random::new(self.seed, Stream::Restart(n));
        for restart in 0..self.restarts {
            let count = if n == 2 { 2 } else { 2 + restart % 3 };
            consider(random_clusters(&mut random, n, count.min(n), critical));
        }
        let norms = HeadNorms { a_norm: 1.0, v_norm: 1.0 };
        let hypotheses =
            Hypotheses::of_norms(Attention::L2, MaskKind::None, norms, 1.0, n as f64).with_l2_mha(&self.weights);
        let bound = KIM_LINF.at(&hypotheses).and_then(|bound| bound.value).unwrap_or(f64::INFINITY);
        Some(TightnessPoint { n, found: best.0, clusters: best.1, bound })
    }

    /// Pattern search over the positions of all clusters but the first; returns the norm and the clusters.
    fn pattern_search(&self, mut clusters: Vec<(f64, usize)>) -> (f64, Vec<(f64, usize)>) {
        let mut best = self.norm(&clusters);
        let mut step = 0.5;
        while step > 1e-5 {
            let before = best;
            for moved in 1..clusters.len() {
                for change in [-step, step] {
                    let old = clusters[moved].0;
                    clusters[moved].0 += change;
                    let norm = self.norm(&clusters);
                    if norm > best {
                        best = norm;
                    } else {
                        clusters[moved].0 = old;
                    }
                }
            }
            if best <= before * (1.0 + 1e-10) {
                step *= 0.5;
            }
        }
        (best, clusters)
    }

    fn norm(&self, clusters: &[(f64, usize)]) -> f64 {
        let positions = DMatrix::from_iterator(1, clusters.len(), clusters.iter().map(|(place, _)| *place));
        let ln_sizes: Vec<f64> = clusters.iter().map(|(_, size)| (*size as f64).ln()).collect();
        let normalizer = Normalizer::none(&positions);
        // Positions whose scores overflow count as norm 0, so that the search leaves them.
        ClusterJacobian::new(Attention::L2, normalizer, Scope::Inputs, &self.weights, &ln_sizes)
            .map_or(0.0, |jacobian| jacobian.sums(&jacobian.between()).linf)
    }
}

/// Draws clusters at random positions, with random sizes that add up to n; the first is a single token.
fn random_clusters(random: &mut Random, n: usize, count: usize, critical: f64) -> Vec<(f64, usize)> {
    let mut left = n - 1;
    let mut clusters = vec![(0.0, 1)];
    for at in 1..count {
        let others = count - 1 - at;
        let size = match others {
            0 => left,
            _ => ((left - others) as f64 * random.uniform()).floor().max(1.0) as usize,
        };
        left -= size;
        clusters.push((2.0 * critical * random.normal(), size));
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table holds n, the norm at the best distance of one token from n - 1 equal ones, and `kim_linf`
    /// (docs/theory.md section 5).
    #[test]
    fn the_search_finds_at_least_the_tabled_norms_and_never_more_than_the_bound() {
        let table = [(10, 2.98, 5.40), (30, 3.95, 8.15), (100, 5.05, 11.52), (300, 6.07, 14.84), (1000, 7.22, 18.68)];
        let lengths: Vec<usize> = table.iter().map(|row| row.0).collect();
        let mut search = Tightness::new(&lengths, 12, 0).expect("lengths");
        for (n, least, bound) in table {
            let point = search.step().expect("a length is left");
            assert_eq!((point.n, point.clusters.iter().map(|cluster| cluster.1).sum::<usize>()), (n, n));
            assert!(point.found >= least - 0.005, "n = {n}: {} below {least}", point.found);
            assert!((point.bound - bound).abs() < 0.006 && point.found <= point.bound, "n = {n}: {point:?}");
        }
        assert_eq!(search.step(), None);
    }
}
