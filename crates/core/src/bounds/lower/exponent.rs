//! The x at which y.A x - x.A x is largest, |x|, |y| <= R: directions from which the lower bounds of a head start (ours,
//! docs/theory.md section 4). The largest value is Gamma = gamma R^2 of `exponents`: the sqrt(n) growth of the lower
//! bounds goes on up to near n = e^Gamma, and that of every norm ends there.
//!
//! For a given x the best y is R A x/|A x|. Along a unit vector u the largest value over x = r u is R^2 times |A u| - u.A u,
//! or |A u|^2/(4 u.A u) where x is best inside the ball. Ascent on the sphere finishes what the search for gamma began.

use nalgebra::DVector;

use super::super::exponents::Exponents;
use super::super::heads::{HeadSpan, a_on_span};
use crate::weights::Weights;

/// The exponents of a head, and directions near the x of its largest exponent.
#[derive(Clone, Debug)]
pub(crate) struct HeadGrowth {
    pub(crate) exponents: Exponents,
    /// In the basis of the head's [`HeadSpan`].
    near: Vec<DVector<f64>>,
}

impl HeadGrowth {
    /// For a head of the weights, with ||A||.
    pub(crate) fn of(weights: &Weights, leading: &[(usize, HeadSpan)], head_idx: usize, a_norm: f64) -> Self {
        let (exponents, near) = match leading.iter().find(|(leading_idx, _)| *leading_idx == head_idx) {
            Some((_, span)) => Exponents::of(&span.a, a_norm),
            None => Exponents::of(&a_on_span(&weights.heads[head_idx]), a_norm),
        };
        HeadGrowth { exponents, near }
    }

    /// For a head of which only ||A|| is used.
    pub(crate) fn of_norm(a_norm: f64) -> Self {
        HeadGrowth { exponents: Exponents::of_norm(a_norm), near: Vec::new() }
    }

    /// Unit vectors: the x of the largest exponent, `known` ones, right singular vectors.
    pub(crate) fn directions(&self, span: &HeadSpan, known: &[DVector<f64>]) -> Vec<DVector<f64>> {
        let known = known.iter().map(|u| span.basis.tr_mul(u)).chain(span.right_singular_vectors());
        let starts: Vec<DVector<f64>> = known.filter_map(unit).collect();
        let mut order: Vec<DVector<f64>> = self.near.iter().cloned().filter_map(unit).chain(starts.clone()).collect();
        order.sort_by(|a, b| span.value(b).0.total_cmp(&span.value(a).0));
        let best = order
            .into_iter()
            .take(FOLLOWED)
            .map(|start| span.ascend(start))
            .filter(|(_, gamma)| gamma.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1));
        best.into_iter().map(|(u, _)| u).chain(starts).filter_map(|u| unit(&span.basis * u)).collect()
    }
}

/// Up to this size singular vectors come from a decomposition. Above it, a power iteration gives one.
const SMALL: usize = 32;
/// How many of the best directions are followed by ascent.
const FOLLOWED: usize = 2;
/// Steps of the power iteration: any direction is a good start, the exact one is not needed.
const POWER_STEPS: usize = 24;
/// Steps of an ascent at most.
const MOST_STEPS: usize = 60;
/// How many right singular vectors serve as starts, those with the largest singular values.
const SINGULAR_VECTORS: usize = 2;

/// The largest r |A u| - r^2 u.A u over 0 <= r <= 1, from |A u| and u.A u.
fn growth_along(stretch: f64, along: f64) -> f64 {
    if 2.0 * along <= stretch { stretch - along } else { stretch * stretch / (4.0 * along) }
}

/// The |x|/R at which R |A x| - x.A x is largest along a unit vector u, from |A u| and u.A u.
pub(crate) fn best_reach(stretch: f64, along: f64) -> f64 {
    if 2.0 * along <= stretch { 1.0 } else { stretch / (2.0 * along) }
}

impl HeadSpan {
    /// The right singular vectors with the largest singular values; of a large A one, by power iteration.
    pub(crate) fn right_singular_vectors(&self) -> Vec<DVector<f64>> {
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
    use crate::random::{Random, Stream};

    /// gamma, and the largest value that ascent finds.
    fn gammas(a: &DMatrix<f64>) -> [f64; 2] {
        let d = a.nrows();
        let span = HeadSpan { basis: DMatrix::identity(d, d), a: a.clone() };
        let (exponents, near) = Exponents::of(a, crate::spectral::largest_singular_value(a));
        let directions = HeadGrowth { exponents, near }.directions(&span, &[]);
        [exponents.gamma, directions.iter().map(|u| span.value(u).0).fold(0.0, f64::max)]
    }

    #[test]
    fn the_exponent_of_known_matrices() {
        let identity = DMatrix::identity(3, 3);
        let turn = DMatrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
        // -I: 2. I: x at half the radius, 1/4. A quarter turn: |A u| = 1 and u.A u = 0.
        for (a, expected) in [(-&identity, 2.0), (identity.clone(), 0.25), (turn, 1.0), (DMatrix::zeros(2, 2), 0.0)] {
            for found in gammas(&a) {
                assert!((found - expected).abs() < 1e-12, "{a}: {found}, not {expected}");
            }
        }
        for alpha in [-3.0, -1e-200, 1e-200, 5.0, 1e200] {
            let expected = if alpha < 0.0 { -2.0 * alpha } else { 0.25 * alpha };
            let [found, _] = gammas(&DMatrix::from_element(1, 1, alpha));
            assert!((found / expected - 1.0).abs() < 1e-12, "{alpha}: {found}, not {expected}");
        }
    }

    /// There is no gap between the two: for every A the exponent from above is the value at some x.
    #[test]
    fn the_exponent_from_above_is_the_largest_value_that_ascent_finds() {
        let mut random = Random::new(5, Stream::Tokens);
        let (mut deviation, mut cases) = (0, 0);
        for d in [1usize, 2, 3, 4, 6, 9, 40] {
            for case in 0..if d < 10 { 120 } else { 3 } {
                let drawn = DMatrix::from_fn(d, d, |_, _| random.normal());
                // Of all kinds: any, symmetric, definite, skew, nearly definite, of low rank.
                let a = match case % 7 {
                    0 => &drawn + drawn.transpose(),
                    1 => &drawn * drawn.transpose(),
                    2 => -(&drawn * drawn.transpose()),
                    3 => &drawn - drawn.transpose(),
                    4 => &drawn * drawn.transpose() + (&drawn - drawn.transpose()) * 1e-3,
                    5 => drawn.column(0) * drawn.row(0),
                    _ => drawn,
                };
                let [above, found] = gammas(&a);
                // What ascent finds is rounded too.
                assert!(found <= above * (1.0 + 1e-14), "{a}: {found} above {above}");
                // Ascent may end at another maximum.
                deviation += usize::from(found < above * (1.0 - 1e-6));
                cases += 1;
                let most = 2.0 * crate::spectral::largest_singular_value(&a);
                assert!(above <= most && above >= most / 8.0 * (1.0 - 1e-12), "{a}: {above}, twice the norm is {most}");
            }
        }
        assert!(deviation <= cases / 100, "{deviation} of {cases} apart");
    }
}
