//! The exponent of a head (ours, docs/theory.md section 4): Gamma(A) = max over |x| <= R of R |A x| - x.A x. The
//! sqrt(n) growth of the lower bounds ends near n = e^Gamma; Gamma <= 2 ||A|| R^2, with equality for A = -I.
//!
//! Gamma = gamma R^2, where gamma is the maximum over unit vectors u of |A u| - u.A u, or of |A u|^2 / (4 u.A u) where
//! x = r u is best inside the ball. gamma is found by ascent on the sphere from several starts, so that the value found
//! is never above the true one.

use nalgebra::DVector;

use super::super::heads::HeadSpan;
use crate::random::{Random, Stream};

/// The directions of a head from which its lower bounds start, and its exponent.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::bounds) struct HeadDirections {
    /// gamma: Gamma = gamma R^2.
    pub(in crate::bounds) gamma: f64,
    /// Unit vectors: the maximiser, extreme eigenvectors, right singular vectors.
    pub(in crate::bounds) directions: Vec<DVector<f64>>,
}

/// Up to this size the ascent follows every start, and singular vectors come from a decomposition. Above it, the ascent
/// follows the best `FOLLOWED` starts, and a power iteration gives one singular vector.
const SMALL: usize = 32;
const FOLLOWED: usize = 2;
/// Steps of the power iteration: any direction is a good start, the exact one is not needed.
const POWER_STEPS: usize = 24;
/// Random starts of the ascent.
const RANDOM_STARTS: usize = 3;
/// Steps of an ascent at most.
const MOST_STEPS: usize = 60;
/// How many right singular vectors serve as starts, those with the largest singular values.
const SINGULAR_VECTORS: usize = 2;
/// The seed of the random starts: the same weights have the same bounds.
const SEED: u64 = 0;

impl HeadDirections {
    /// Finds the directions of a head; `known` are further directions to start from.
    pub(in crate::bounds) fn of(span: &HeadSpan, known: &[DVector<f64>]) -> Self {
        let mut starts: Vec<DVector<f64>> = known.iter().map(|u| span.basis.tr_mul(u)).collect();
        starts.extend(span.right_singular_vectors());
        let size = span.a.nrows();
        starts.extend((0..RANDOM_STARTS).map(|start| {
            let mut random = Random::new(SEED, Stream::ExponentStart(start));
            DVector::from_fn(size, |_, _| random.normal())
        }));
        let mut starts: Vec<DVector<f64>> = starts.into_iter().filter_map(unit).collect();
        // The ascents cost most: of large matrices only the best starts are followed.
        let followed = if size <= SMALL { starts.len() } else { FOLLOWED };
        let mut order: Vec<(f64, usize)> = starts.iter().enumerate().map(|(at, u)| (span.value(u).0, at)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = order
            .iter()
            .take(followed)
            .map(|(_, at)| span.ascend(starts[*at].clone()))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|(_, gamma)| gamma.is_finite());
        // Random directions serve only as starts of the ascent.
        starts.truncate(starts.len().saturating_sub(RANDOM_STARTS));
        let gamma = best.as_ref().map_or(0.0, |(_, gamma)| *gamma);
        let all = best.into_iter().map(|(u, _)| u).chain(starts);
        HeadDirections { gamma, directions: all.filter_map(|u| unit(&span.basis * u)).collect() }
    }
}

/// The largest r |A u| - r^2 u.A u over 0 <= r <= 1, from |A u| and u.A u.
fn growth_along(stretch: f64, along: f64) -> f64 {
    if 2.0 * along <= stretch { stretch - along } else { stretch * stretch / (4.0 * along) }
}

/// The |x|/R at which R |A x| - x.A x is largest along a unit vector u, from |A u| and u.A u.
pub(in crate::bounds) fn best_reach(stretch: f64, along: f64) -> f64 {
    if 2.0 * along <= stretch { 1.0 } else { stretch / (2.0 * along) }
}

impl HeadSpan {
    fn right_singular_vectors(&self) -> Vec<DVector<f64>> {
        let scale = self.a.amax();
        if !(scale.is_finite() && scale > 0.0) {
            return Vec::new();
        }
        let a = &self.a / scale;
        if a.nrows() > SMALL {
            let first = DVector::from_fn(a.nrows(), |row, _| 1.0 + 1.0 / (row as f64 + 1.0));
            return (0..POWER_STEPS).try_fold(first, |u, _| unit(a.tr_mul(&(&a * u)))).into_iter().collect();
        }
        let eigen = a.tr_mul(&a).symmetric_eigen();
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        order.into_iter().take(SINGULAR_VECTORS).map(|at| eigen.eigenvectors.column(at).into_owned()).collect()
    }

    /// [`growth_along`] at a unit vector u, with A u and u.A u.
    fn value(&self, u: &DVector<f64>) -> (f64, DVector<f64>, f64) {
        let image = &self.a * u;
        let along = u.dot(&image);
        (growth_along(image.norm(), along), image, along)
    }

    /// Gradient ascent on the unit sphere with a step that adapts.
    fn ascend(&self, start: DVector<f64>) -> (DVector<f64>, f64) {
        let mut u = start;
        let (mut value, mut image, mut along) = self.value(&u);
        let mut step = 0.5;
        for _ in 0..MOST_STEPS {
            let stretch = image.norm();
            if stretch <= 0.0 || step < 1e-9 {
                break;
            }
            let transposed = self.a.tr_mul(&u);
            let pulled = self.a.tr_mul(&image);
            let (of_stretch, of_along) = if 2.0 * along <= stretch {
                (1.0 / stretch, 1.0)
            } else {
                (0.5 / along, 0.25 * (stretch / along).powi(2))
            };
            let mut gradient = pulled * of_stretch - (&image + transposed) * of_along;
            gradient -= &u * u.dot(&gradient);
            let size = gradient.norm();
            if size <= 1e-12 * stretch {
                break;
            }
            let Some(moved) = unit(&u + gradient * (step / size)) else { break };
            let found = self.value(&moved);
            if found.0 > value {
                u = moved;
                (value, image, along) = found;
                step = (step * 1.3).min(1.0);
            } else {
                step *= 0.4;
            }
        }
        (u, value)
    }
}

fn unit(u: DVector<f64>) -> Option<DVector<f64>> {
    let length = u.norm();
    (length > 0.0 && length.is_finite()).then(|| u / length)
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::weights::HeadWeights;

    fn gamma(a: &DMatrix<f64>) -> f64 {
        let d = a.nrows();
        let head = HeadWeights {
            q: a.clone() * (d as f64).sqrt(),
            k: DMatrix::identity(d, d),
            v: DMatrix::identity(d, d),
            second: None,
        };
        HeadDirections::of(&HeadSpan::of(&head), &[]).gamma
    }

    #[test]
    fn the_exponent_of_known_matrices() {
        let identity = DMatrix::identity(3, 3);
        // -I: 2. I: x at half the radius, 1/4. A quarter turn: |A u| = 1 and u.A u = 0.
        assert!((gamma(&-&identity) - 2.0).abs() < 1e-12);
        assert!((gamma(&identity) - 0.25).abs() < 1e-12);
        let turn = DMatrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
        assert!((gamma(&turn) - 1.0).abs() < 1e-12);
        assert_eq!(gamma(&DMatrix::zeros(2, 2)), 0.0);
    }

    #[test]
    fn the_exponent_is_at_least_what_a_scan_of_the_plane_finds_and_at_most_twice_the_norm() {
        let mut random = Random::new(5, Stream::Tokens);
        for _ in 0..200 {
            let a = DMatrix::from_fn(2, 2, |_, _| random.normal());
            let scan = (0..2000)
                .map(|step| f64::from(step) * std::f64::consts::PI / 2000.0)
                .map(|angle| {
                    let u = DVector::from_vec(vec![angle.cos(), angle.sin()]);
                    growth_along((&a * &u).norm(), u.dot(&(&a * &u)))
                })
                .fold(0.0, f64::max);
            let (found, most) = (gamma(&a), 2.0 * a.singular_values().max());
            assert!(found >= scan * (1.0 - 1e-6), "{a}: {found}, but the scan finds {scan}");
            assert!(found <= most * (1.0 + 1e-12) && found <= scan * (1.0 + 1e-4), "{a}: {found}, scan {scan}");
        }
    }
}
