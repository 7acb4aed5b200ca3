//! The norm at two clusters of tokens on a line, and the best positions of the clusters at a given ratio of their
//! sizes, as the search of `two_clusters` needs them.

use std::f64::consts::LN_2;

use nalgebra::DMatrix;

use super::super::logarithms::shares;
use crate::extremum::{largest, maximum};

/// Positions r_1/R and r_2/R of two clusters, and the norm there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) places: [f64; 2],
    pub(crate) norm: f64,
}

/// Whether the first, smaller cluster is a single token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A single token, so that only the zero field sums to zero inside it.
    Alone,
    /// Two tokens or more; the second cluster is at least as large.
    Many,
}

/// How many tokens the two clusters have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// ln tau, tau = n_2/n_1.
    ln_ratio: f64,
    /// sqrt(tau).
    root: f64,
    first: First,
}

impl Sizes {
    pub(crate) fn new(ln_ratio: f64, first: First) -> Self {
        Sizes { ln_ratio, root: (0.5 * ln_ratio).exp(), first }
    }
}

/// The scalar problem on one line, with positions in units of R.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// g_h = lambda_h R^2.
    growths: Vec<f64>,
    /// A column for each head: w_h, in coordinates that keep their inner products.
    responses: DMatrix<f64>,
    /// The Frobenius norm of `responses`: |w| of a single head.
    response_norm: f64,
    /// g_h of the heads whose critical positions are tried.
    leading: Vec<f64>,
}

/// The most heads whose critical positions are tried: those with the largest |g_h| |w_h|. The time of a search is that of
/// the candidates times the number of heads.
const MOST_LEADING: usize = 8;

/// The most rounds of a pattern search. It starts near a maximum.
const MOST_MOVES: usize = 80;
/// The first step near the maximum of a neighbouring ratio, and the last step of all searches; both as fractions of the
/// first step of a search that has no such maximum to start from.
const NEAR: f64 = 0.1;
const LEAST_STEP: f64 = 1e-6;

impl Problem {
    pub(crate) fn new(growths: Vec<f64>, responses: DMatrix<f64>) -> Self {
        let size = |h: usize| growths[h].abs() * responses.column(h).norm();
        let mut order: Vec<usize> = (0..growths.len()).collect();
        order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
        order.truncate(MOST_LEADING);
        // In the order of the heads: of equal candidates the first is kept.
        order.sort_unstable();
        let leading = order.into_iter().map(|h| growths[h]).collect();
        Problem { growths, response_norm: responses.norm(), responses, leading }
    }

    /// The largest |g_h|.
    pub(crate) fn largest_growth(&self) -> f64 {
        self.growths.iter().fold(0.0f64, |most, g| most.max(g.abs()))
    }

    /// The best positions at a ratio: by a search from `near`, or from the best of all candidates if `near` is `None`.
    pub(crate) fn best_shape(&self, sizes: Sizes, near: Option<Shape>) -> Shape {
        let ln_ratio = sizes.ln_ratio;
        let mut best = Shape { places: [0.0; 2], norm: 0.0 };
        let mut consider = |places: [f64; 2]| {
            let norm = self.norm(sizes, places);
            if norm > best.norm {
                best = Shape { places, norm };
            }
        };
        // The positions of the adversarial tokens.
        consider([-1.0, 1.0]);
        consider([1.0, 0.5]);
        match near {
            Some(shape) => consider(shape.places),
            // With scores of order one the maximum may lie anywhere, so a grid is tried.
            None if self.growths.iter().all(|g| g.abs() < 40.0) => {
                self.leading.iter().flat_map(|g| Problem::critical_shapes(ln_ratio, *g)).for_each(&mut consider);
                // The norm stays the same when both positions change their signs, so half of the grid is enough.
                const GRID: i32 = 4;
                for (i, j) in (-GRID..=GRID).flat_map(|i| (0..=GRID).map(move |j| (i, j))) {
                    consider([f64::from(i) / f64::from(GRID), f64::from(j) / f64::from(GRID)]);
                }
            }
            None => self.leading.iter().flat_map(|g| Problem::critical_shapes(ln_ratio, *g)).for_each(consider),
        }
        let step = 0.25f64.min(4.0 / self.largest_growth().max(1e-300));
        let begin = if near.is_some() { NEAR * step } else { step };
        self.pattern_search(sizes, best, begin, LEAST_STEP * step)
    }

    /// Positions at which the attention of one cluster is split between both clusters: there the difference of the
    /// scores offsets ln tau up to a small number.
    fn critical_shapes(ln_ratio: f64, growth: f64) -> Vec<[f64; 2]> {
        let mut shapes = Vec::with_capacity(64);
        if growth == 0.0 {
            return shapes;
        }
        for second in [1.0, 0.7, 0.45] {
            for beyond in [-1.0, 0.0, 1.5, 4.0] {
                let gap = (ln_ratio + beyond) / growth;
                // For the second cluster: ln tau + g y (y - x) = -beyond.
                shapes.push([second + gap / second, second]);
                // For the first cluster: ln tau + g x (y - x) = -beyond.
                let root = (second * second + 4.0 * gap).max(0.0).sqrt();
                shapes.push([0.5 * (second - root), second]);
                shapes.push([0.5 * (second + root), second]);
                // For the second cluster with the first one at R: y^2 - y + gap = 0.
                let root = (1.0 - 4.0 * gap).max(0.0).sqrt();
                shapes.push([1.0, 0.5 * (1.0 + root)]);
                shapes.push([1.0, 0.5 * (1.0 - root)]);
            }
        }
        shapes.iter_mut().flatten().for_each(|x| *x = x.clamp(-1.0, 1.0));
        shapes
    }

    /// Pattern search: moves one position at a time, or both so that the second cluster's attention stays the same.
    /// The step grows after a round that raises the norm and shrinks after a round that does not.
    fn pattern_search(&self, sizes: Sizes, mut best: Shape, mut step: f64, least: f64) -> Shape {
        for _ in 0..MOST_MOVES {
            if step < least {
                break;
            }
            let [x, y] = best.places;
            // Keeps y (y - x) constant.
            let along = |y_moved: f64| [if y_moved == 0.0 { x } else { y_moved - y * (y - x) / y_moved }, y_moved];
            let around = [
                [x - step, y],
                [x + step, y],
                [x, y - step],
                [x, y + step],
                along(y - 4.0 * step),
                along(y + 4.0 * step),
            ];
            let before = best.norm;
            for places in around.map(|places| places.map(|x| x.clamp(-1.0, 1.0))) {
                let norm = self.norm(sizes, places);
                if norm > best.norm {
                    best = Shape { places, norm };
                }
            }
            step *= if best.norm > before * (1.0 + 1e-12) { 1.6 } else { 0.35 };
        }
        best
    }

    /// The norm on perturbations along the line, at given positions.
    pub(crate) fn norm(&self, sizes: Sizes, places: [f64; 2]) -> f64 {
        let [growth] = self.growths[..] else { return self.norm_of_heads(sizes, places) };
        let (head, scale) = ScalarHead::new(growth, sizes, places).scaled();
        let [[b11, b12], [b21, b22]] = head.matrix;
        let gram = [b11 * b11 + b21 * b21, b11 * b12 + b21 * b22, b12 * b12 + b22 * b22];
        let within = largest(head.within.map(f64::abs));
        scale * self.response_norm * maximum(largest_eigenvalue(gram).sqrt(), within)
    }

    fn norm_of_heads(&self, sizes: Sizes, places: [f64; 2]) -> f64 {
        let all: Vec<(ScalarHead, f64)> =
            self.growths.iter().map(|g| ScalarHead::new(*g, sizes, places).scaled()).collect();
        let most = largest(all.iter().map(|(_, scale)| *scale));
        if most == 0.0 {
            return 0.0;
        }
        // The heads are added before squaring: parts that cancel would lose half of their digits in a Gram matrix.
        let (mut gram, mut within) = ([0.0; 3], [0.0; 2]);
        for row in self.responses.row_iter() {
            let mut sum = [[0.0; 3]; 2];
            // Concatenated heads have a diagonal matrix here.
            for (weight, (head, scale)) in row.iter().zip(&all).filter(|(weight, _)| **weight != 0.0) {
                let weight = weight * (scale / most);
                for (token, sum) in sum.iter_mut().enumerate() {
                    sum[0] += weight * head.matrix[token][0];
                    sum[1] += weight * head.matrix[token][1];
                    sum[2] += weight * head.within[token];
                }
            }
            for (token, [first, second, alone]) in sum.into_iter().enumerate() {
                gram[0] += first * first;
                gram[1] += first * second;
                gram[2] += second * second;
                within[token] += alone * alone;
            }
        }
        most * largest([largest_eigenvalue(gram), within[0], within[1]]).sqrt()
    }
}

/// The Jacobian of one head on the line.
struct ScalarHead {
    /// On fields constant on each cluster.
    matrix: [[f64; 2]; 2],
    /// On fields that sum to zero inside a cluster; zero for a single token.
    within: [f64; 2],
}

impl ScalarHead {
    /// Positions are in units of R, g = lambda R^2.
    fn new(g: f64, Sizes { ln_ratio, root, first: size }: Sizes, [first, second]: [f64; 2]) -> Self {
        let delta = second - first;
        // ln of the odds that a token of each cluster attends to the second cluster.
        let odds = [ln_ratio + g * first * delta, ln_ratio + g * second * delta];
        let [[to_second_0, to_first_0], [to_second_1, to_first_1]] = odds.map(shares);
        let (to_second, to_first) = ([to_second_0, to_second_1], [to_first_0, to_first_1]);
        let variance = |row: usize| to_first[row] * to_second[row] * delta * delta;
        let own = [g * variance(0), g * variance(1)];
        let matrix = [
            [
                to_first[0] * (1.0 - g * first * to_second[0] * delta) + own[0],
                to_second[0] * (1.0 + g * first * to_first[0] * delta) / root,
            ],
            [
                to_first[1] * (1.0 - g * second * to_second[1] * delta) * root,
                to_second[1] * (1.0 + g * second * to_first[1] * delta) + own[1],
            ],
        ];
        // A field that sums to zero over a single token is zero.
        let within = match size {
            First::Many => own,
            First::Alone if ln_ratio >= LN_2 - 1e-12 => [0.0, own[1]],
            First::Alone => [0.0; 2],
        };
        ScalarHead { matrix, within }
    }

    /// Divides the head by its largest entry where squares would overflow or vanish. Returns the head and the divisor:
    /// 1 where nothing was divided, 0 for a head of zeros.
    fn scaled(mut self) -> (Self, f64) {
        let [[a, b], [c, d]] = self.matrix;
        let [e, f] = self.within;
        let scale = [b, c, d, e, f].into_iter().fold(a.abs(), |most, x| most.max(x.abs()));
        if (1e-70..1e70).contains(&scale) {
            return (self, 1.0);
        }
        if scale > 0.0 {
            self.matrix = self.matrix.map(|row| row.map(|x| x / scale));
            self.within = self.within.map(|x| x / scale);
        }
        (self, scale)
    }
}

/// The largest eigenvalue of the symmetric matrix [[a, b], [b, c]].
fn largest_eigenvalue([a, b, c]: [f64; 3]) -> f64 {
    let half = 0.5 * (a - c);
    0.5 * (a + c) + (half * half + b * b).sqrt()
}
