//! `two_clusters` (ours, docs/theory.md section 4): n_1 tokens at r_1 u and n_2 = n - n_1 at r_2 u, |r_1|, |r_2| <= R.
//!
//! On perturbations along u that are constant on each cluster, a head acts as the 2 x 2 matrix B_ab = sqrt(N_a/N_b)
//! P_ab (1 + (r_b - m_a) lambda r_a) + delta_ab lambda var_a, and on perturbations that sum to zero inside cluster a,
//! it acts as the number lambda var_a. The norm depends on n_1 and n_2 only through tau = n_2/n_1, so one curve over
//! tau gives the bound at every n: at tau = n - 1 while the curve rises, and afterwards at its highest peak.

use serde::{Deserialize, Serialize};

use super::super::Hypotheses;
use super::super::logarithms::ln_minus_one;
use super::line::Line;
use super::two_cluster_norm::{First, Problem, Shape, Sizes};
use crate::experiment::{InputError, Rows, TokenSource};
use crate::extremum::{maximum, minimum};

/// The best pair of clusters found, a witness of the lower bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwoClusters {
    /// The line's unit vector u.
    pub direction: Vec<f64>,
    /// r_1 and r_2.
    pub places: [f64; 2],
    /// ln n_1 and ln n_2.
    pub ln_sizes: [f64; 2],
    /// The norm on perturbations along u: a lower bound on ||J|| at these tokens, and so on the Lipschitz constant on
    /// the ball.
    pub norm: f64,
}

impl TwoClusters {
    /// These clusters as the token measure of an experiment.
    ///
    /// # Errors
    /// [`InputError`] if a position is not finite.
    pub fn token_source(&self) -> Result<TokenSource, InputError> {
        let entries = self.places.iter().flat_map(|place| self.direction.iter().map(move |u| place * u)).collect();
        Ok(TokenSource::Clusters {
            positions: Rows::new("The positions", self.direction.len(), entries)?,
            log_multiplicities: self.ln_sizes.to_vec(),
        })
    }
}

/// The search over ratios tau for given weights and R; independent of n.
#[derive(Clone, Debug)]
pub struct TwoClusterCurve {
    lines: Vec<LineCurve>,
    radius: f64,
}

#[derive(Clone, Debug)]
struct LineCurve {
    problem: Problem,
    direction: Vec<f64>,
    /// Local maxima of the curve over tau: (ln tau, best positions).
    peaks: Vec<(f64, Shape)>,
    /// Samples of the curve, evenly spaced in ln tau, with their best positions.
    samples: Vec<(f64, Shape)>,
}

/// Spacing of the samples in ln tau.
const RATIO_STEP: f64 = 1.0;
/// The most samples.
const MOST_RATIOS: usize = 160;
/// About ln 20: for fewer tokens the samples are too far apart to start a search from.
const FEW_LN_N: f64 = 3.0;
/// The largest ln tau sampled.
const MOST_LN_RATIO: f64 = 700.0;

impl TwoClusterCurve {
    /// Searches for up to e^most_ln_n tokens; `None` where no line is known.
    #[must_use]
    pub fn new(hypotheses: &Hypotheses, most_ln_n: f64) -> Option<Self> {
        if hypotheses.lines.is_empty() || !hypotheses.radius.is_finite() {
            return None;
        }
        let lines = hypotheses
            .lines
            .iter()
            .map(|line| LineCurve::new(line, hypotheses.radius, ln_minus_one(most_ln_n)))
            .collect();
        Some(TwoClusterCurve { lines, radius: hypotheses.radius })
    }

    /// The best two clusters of e^ln_n tokens, at least two.
    #[must_use]
    pub fn at(&self, ln_n: f64) -> Option<TwoClusters> {
        let most = ln_minus_one(ln_n);
        let of_line = |line: &LineCurve| -> Option<TwoClusters> {
            // The highest peak with tau <= n - 1.
            let reached = line.peaks.iter().filter(|(ln_ratio, _)| *ln_ratio <= most);
            let peak = reached.max_by(|a, b| a.1.norm.total_cmp(&b.1.norm));
            splits(ln_n, peak.map(|(ln_ratio, _)| *ln_ratio))
                .into_iter()
                .map(|ln_sizes| {
                    let first = if ln_sizes[0] == 0.0 { First::Alone } else { First::Many };
                    let ln_ratio = ln_sizes[1] - ln_sizes[0];
                    let near = match first {
                        // A single token against the others has its own ratio; for few tokens all candidates are tried.
                        First::Alone if ln_n < FEW_LN_N => None,
                        First::Alone => line.sample_near(ln_ratio),
                        First::Many => peak.map(|(_, shape)| *shape),
                    };
                    let Shape { places, norm } = line.problem.best_shape(Sizes::new(ln_ratio, first), near);
                    let places = places.map(|place| place * self.radius);
                    TwoClusters { direction: line.direction.clone(), places, ln_sizes, norm }
                })
                .filter(|found| !found.norm.is_nan())
                .max_by(|a, b| a.norm.total_cmp(&b.norm))
        };
        self.lines.iter().filter_map(of_line).max_by(|a, b| a.norm.total_cmp(&b.norm))
    }
}

/// Candidate sizes (as logarithms) of two clusters of n tokens: one token against all others, and whole numbers n_1
/// next to the best ratio.
fn splits(ln_n: f64, ln_ratio: Option<f64>) -> Vec<[f64; 2]> {
    // Above 2^53 neighbouring integers are equal in f64, and n - n_1 = n for small n_1. The number of tokens of a measure
    // need not be whole: only what rounding made of a whole number is rounded.
    let (n, whole) = (ln_n.exp(), ln_n.exp().round());
    let n = if (n - whole).abs() <= 1e-12 * n { whole } else { n };
    let of = |first: f64| [first.ln(), (n - first).max(1.0).ln()];
    let mut splits = vec![of(1.0)];
    let first = ln_ratio.map_or(1.0, |ln_ratio| n / (1.0 + ln_ratio.exp()));
    if first > 1.0 {
        let (below, above) = (first.floor(), first.ceil().min((n / 2.0).floor()).max(1.0));
        // For large clusters neighbouring integers give the same ratio to within the accuracy needed.
        splits.extend(if below > 100.0 { vec![of(below)] } else { vec![of(below), of(above)] });
    }
    splits
}

impl LineCurve {
    fn new(line: &Line, radius: f64, most_ln_ratio: f64) -> Self {
        let growths = line.lambdas.iter().map(|lambda| lambda * radius * radius).collect();
        let problem = Problem::new(growths, line.responses.clone());
        // Above about e^(2g) the curve no longer rises.
        let most = (2.0 * problem.largest_growth() + 12.0).min(MOST_LN_RATIO);
        // The same samples for every n: a curve up to more tokens has more of them. The last one ends the step in which a
        // peak of the most tokens may be.
        let width = maximum(RATIO_STEP, most / MOST_RATIOS as f64);
        let steps = (minimum(most, maximum(most_ln_ratio, 0.0)) / width).ceil() as usize + 1;
        let at = |ln_ratio: f64, near: Option<Shape>| {
            (ln_ratio, problem.best_shape(Sizes::new(ln_ratio, First::Many), near))
        };
        let samples: Vec<(f64, Shape)> = (0..=steps).map(|step| at(width * step as f64, None)).collect();
        let is_peak = |step: &usize| {
            let norm = |step: usize| samples.get(step).map_or(0.0, |sample| sample.1.norm);
            norm(*step) >= norm(step + 1) && (*step == 0 || norm(*step) > norm(step - 1))
        };
        let peaks = (0..steps)
            .filter(is_peak)
            .map(|step| {
                let mut best = samples[step];
                let mut reach = 0.5 * width;
                while reach > 1e-4 {
                    for ln_ratio in [best.0 - reach, best.0 + reach] {
                        let found = at(ln_ratio.max(0.0), Some(best.1));
                        if found.1.norm > best.1.norm {
                            best = found;
                        }
                    }
                    reach *= 0.35;
                }
                best
            })
            .collect();
        LineCurve { problem, direction: line.direction.iter().copied().collect(), peaks, samples }
    }

    /// The best positions at the nearest sample, if it is close enough to start a search from.
    fn sample_near(&self, ln_ratio: f64) -> Option<Shape> {
        let distance = |sample: &&(f64, Shape)| (sample.0 - ln_ratio).abs();
        let nearest = self.samples.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.filter(|sample| distance(sample) < RATIO_STEP).map(|(_, shape)| *shape)
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::AdversarialLine;
    use super::*;
    use crate::bounds::{ADVERSARIAL, HeadNorms, TWO_CLUSTERS, UNIFIED};
    use crate::experiment::{Attention, MaskKind};
    use nalgebra::{DMatrix, DVector};

    fn at(lambda: f64, radius: f64, n: f64) -> Hypotheses {
        let line = Line {
            direction: DVector::from_element(1, 1.0),
            lambdas: vec![lambda],
            responses: DMatrix::from_element(1, 1, 1.0),
        };
        let norms = HeadNorms { a_norm: lambda.abs(), v_norm: 1.0 };
        Hypotheses { lines: vec![line], ..Hypotheses::of_norms(Attention::Dot, MaskKind::None, norms, radius, n) }
    }

    fn value(hypotheses: &Hypotheses) -> f64 {
        TWO_CLUSTERS.at(hypotheses).and_then(|bound| bound.value).expect("it applies")
    }

    /// Values that a coarse grid search outside this crate found for A = -1.
    #[test]
    fn the_bound_is_at_least_what_a_coarse_grid_finds() {
        let table = [
            (1.5, 4.0, 2.4213),
            (1.5, 16.0, 6.0042),
            (1.5, 64.0, 13.624),
            (1.5, 4096.0, 18.119),
            (2.0, 256.0, 33.001),
            (2.0, 4096.0, 151.86),
            (3.0, 4096.0, 172.53),
            (3.0, 1e6, 4025.2),
            (3.0, 1e9, 50175.0),
        ];
        for (radius, n, least) in table {
            let found = value(&at(-1.0, radius, n));
            assert!(found >= least * (1.0 - 4e-5), "R={radius} n={n}: {found} is below {least}");
            let most = UNIFIED.at(&at(-1.0, radius, n)).and_then(|bound| bound.value).expect("it applies");
            assert!(found <= most, "R={radius} n={n}: {found} is above {most}");
        }
    }

    #[test]
    fn a_number_of_tokens_that_is_not_whole_is_not_rounded() {
        for ln_n in [13.127, 15.127_963_3] {
            let adversarial = Some(AdversarialLine { gamma: 1.0, gain: 1.0 });
            let hypotheses = Hypotheses { ln_n, adversarial, ..at(-1.0, 3.0, 2.0) };
            let found = value(&hypotheses);
            let least = ADVERSARIAL.at(&hypotheses).and_then(|bound| bound.value).expect("it applies");
            assert!(found >= least * (1.0 - 1e-12), "ln n = {ln_n}: {found} is below {least}");
        }
    }

    #[test]
    fn the_bound_falls_with_n_at_most_by_the_rounding_of_cluster_sizes_to_integers() {
        for (lambda, radius) in [(-1.0, 1.0), (-1.0, 2.0), (1.0, 3.0), (-1.0, 30.0), (4.0, 10.0), (-1e3, 1e3)] {
            let curve = TwoClusterCurve::new(&at(lambda, radius, 2.0), f64::INFINITY).expect("it applies");
            let mut before = 0.0;
            for step in 0..200 {
                let ln_n = 2f64.ln() + (1e18f64.ln() - 2f64.ln()) * f64::from(step) / 199.0;
                let n = ln_n.exp().round();
                let found = curve.at(n.ln()).expect("two tokens at least").norm;
                assert!(
                    found.is_finite() && found >= before * 0.9,
                    "{lambda} R={radius} n={n}: {found} after {before}"
                );
                before = found;
            }
        }
    }

    #[test]
    fn a_curve_up_to_more_tokens_has_the_same_value_at_n() {
        for (radius, n) in [(1.5, 64.0), (2.5, 8.0), (2.5, 64.0), (2.5, 1234.0), (2.5, 1e4), (4.0, 1e5)] {
            let hypotheses = at(-1.0, radius, n);
            let norm = |longest: f64| {
                let curve = TwoClusterCurve::new(&hypotheses, longest.ln()).expect("it applies");
                curve.at(n.ln()).expect("two tokens at least").norm
            };
            for longest in [1.7 * n, 4.0 * n, 30.0 * n, 1e18] {
                let deviation = (norm(longest) / norm(n) - 1.0).abs();
                assert!(deviation < 1e-10, "R={radius} n={n}, up to {longest}: {deviation:e}");
            }
        }
    }

    #[test]
    fn a_fine_grid_finds_at_most_0_1_percent_more() {
        let lengths = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 11.0, 40.0, 64.0, 1e3, 1e5];
        let lines = [(-1.0, 1.0), (-1.0, 2.0), (-1.0, 4.0), (1.0, 2.5), (-1.0, 3.0), (2.0, 3.0)];
        for ((lambda, radius), n) in lines.into_iter().flat_map(|line| lengths.map(|n| (line, n))) {
            let found = value(&at(lambda, radius, n));
            let problem = Problem::new(vec![lambda * radius * radius], DMatrix::from_element(1, 1, 1.0));
            let mut largest = 0.0f64;
            for first in [1, 2, 3, 5, 8, 13, 20, 34, 60].into_iter().filter(|first| f64::from(*first) <= n / 2.0) {
                let ln_ratio = ((n - f64::from(first)) / f64::from(first)).ln();
                let size = if first == 1 { First::Alone } else { First::Many };
                for (i, j) in (-30..=30).flat_map(|i| (-30..=30).map(move |j| (i, j))) {
                    let places = [f64::from(i) / 30.0, f64::from(j) / 30.0];
                    largest = largest.max(problem.norm(Sizes::new(ln_ratio, size), places));
                }
            }
            assert!(found >= largest * 0.999, "{lambda} R={radius} n={n}: found {found}, but a grid finds {largest}");
        }
    }
}
