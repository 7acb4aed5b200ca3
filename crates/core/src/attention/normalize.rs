//! The normaliser before attention, and its Jacobian at a token.
//!
//! LayerNorm y = c/s with c = x - mean and s = sqrt(var + eps); RMSNorm y = c/s with c = x and s = sqrt(mean x^2 +
//! eps). With the unit vector u = c/|c| and Pi the projection onto the space of all c (I - 11^T/d for LayerNorm, I for
//! RMSNorm) the Jacobian is (Pi - u u^T)/s + (eps/s^3) u u^T, symmetric. The usual form (Pi - y y^T/d)/s is the same
//! matrix, but computes eps/s^2 as the difference of two numbers near one; where the space of all c has one dimension
//! (LayerNorm for d = 2, RMSNorm for d = 1), that difference is the whole Jacobian. There Pi - u u^T is zero and is not
//! computed.
//!
//! With eps = 0 neither map has a value or a derivative at c = 0: such tokens are refused.

use nalgebra::DMatrix;

use super::view::Scalar;
use crate::experiment::{InputError, Normalization};
use crate::extremum::{largest, maximum};
use crate::phrase;

/// A normaliser evaluated at the tokens of an experiment.
#[derive(Clone, Debug)]
pub struct Normalizer<T: Scalar> {
    kind: Normalization,
    /// d x n, the normalised tokens.
    outputs: DMatrix<T>,
    /// The Jacobian at each token; empty without a normaliser.
    slopes: Vec<Slopes<T>>,
    /// As [`Normalizer::condition`].
    condition: f64,
}

/// The Jacobian at a token: factor `across` orthogonal to u, factor `along` along u.
#[derive(Clone, Copy, Debug)]
struct Slopes<T> {
    /// 1/s.
    across: T,
    /// eps/s^3.
    along: T,
    /// 1/|y|; 0 for y = 0, where the Jacobian is Pi/s.
    inverse_norm: T,
}

/// Range of entries whose squares neither overflow nor vanish.
const SAFE: std::ops::RangeInclusive<f64> = 1e-140..=1e140;

impl<T: Scalar> Normalizer<T> {
    /// Normalises tokens (d x n).
    ///
    /// # Errors
    /// [`InputError::NoDerivative`] for eps = 0 at a token that is constant (LayerNorm) or zero (RMSNorm), and where
    /// 1/s overflows; [`InputError::Overflow`] where s overflows.
    pub fn new(kind: Normalization, eps: f64, tokens: &DMatrix<T>) -> Result<Self, InputError> {
        let mut normalizer = Normalizer::none(tokens);
        if kind == Normalization::None {
            return Ok(normalizer);
        }
        normalizer.kind = kind;
        for (token_idx, mut token) in normalizer.outputs.column_iter_mut().enumerate() {
            let most = largest(token.iter().map(|x| x.value().abs()));
            if kind == Normalization::Layer {
                take_mean(token.as_mut_slice());
            }
            let scale = scale(token.as_slice(), eps);
            let inverse = T::constant(1.0) / scale;
            if !scale.value().is_finite() {
                return Err(InputError::Overflow { what: phrase!("tokens", "The tokens") });
            }
            if !inverse.value().is_finite() {
                return Err(no_derivative(kind, (token.len(), token_idx), scale.value()));
            }
            // A single entry is zero under LayerNorm, whatever it was.
            if kind != Normalization::Layer || token.len() > 1 {
                normalizer.condition = maximum(normalizer.condition, most * inverse.value());
            }
            // Divides: the inverse of `scale` may be below the normal numbers.
            token.iter_mut().for_each(|x| *x /= scale);
            let norm = token.iter().fold(T::constant(0.0), |sum, y| sum + *y * *y).sqrt();
            let inverse_norm = if norm.value() > 0.0 { T::constant(1.0) / norm } else { T::constant(0.0) };
            let along = T::constant(eps) * inverse * inverse * inverse;
            normalizer.slopes.push(Slopes { across: inverse, along, inverse_norm });
        }
        Ok(normalizer)
    }

    /// No normaliser: tokens (d x n) as they are.
    #[must_use]
    pub fn none(tokens: &DMatrix<T>) -> Self {
        Normalizer { kind: Normalization::None, outputs: tokens.clone(), slopes: Vec::new(), condition: 0.0 }
    }

    /// Whether every token becomes the same one: LayerNorm of one entry.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.kind == Normalization::Layer && self.outputs.nrows() == 1
    }

    /// The normalised tokens, d x n.
    #[must_use]
    pub fn outputs(&self) -> &DMatrix<T> {
        &self.outputs
    }

    /// Applies the Jacobian, which is its own transpose, to a field of tokens (d n numbers) in place.
    pub fn apply_jacobian(&self, field: &mut [T]) {
        let d = self.outputs.nrows();
        if self.kind == Normalization::None || d == 0 {
            return;
        }
        for (token_idx, xi) in field.chunks_exact_mut(d).enumerate().take(self.slopes.len()) {
            self.apply_jacobian_at(token_idx, xi);
        }
    }

    /// Applies the Jacobian at one token to d numbers in place; without a normaliser, changes nothing.
    pub(super) fn apply_jacobian_at(&self, token_idx: usize, xi: &mut [T]) {
        let Some(slopes) = self.slopes.get(token_idx) else { return };
        let mut directions = xi.len();
        if self.kind == Normalization::Layer {
            directions -= 1;
            take_mean_of_change(xi);
        }
        if directions <= 1 {
            // Either y = 0, where both slopes are 1/s, or only the part along y remains.
            xi.iter_mut().for_each(|x| *x *= slopes.along);
            return;
        }
        let y = self.outputs.column(token_idx);
        let dot = y.iter().zip(xi.iter()).fold(T::constant(0.0), |sum, (y, x)| sum + *y * *x);
        // The part of Pi xi along y is this times y.
        let part = dot * slopes.inverse_norm * slopes.inverse_norm;
        let extra = part * (slopes.along - slopes.across);
        for (x, y) in xi.iter_mut().zip(y.iter()) {
            *x = *x * slopes.across + *y * extra;
        }
    }

    /// The same normaliser at the same tokens in another type of number.
    #[must_use]
    pub fn cast<U: Scalar>(&self) -> Normalizer<U> {
        let number = |x: T| U::constant(x.value());
        let slopes = |slopes: &Slopes<T>| Slopes {
            across: number(slopes.across),
            along: number(slopes.along),
            inverse_norm: number(slopes.inverse_norm),
        };
        Normalizer {
            kind: self.kind,
            outputs: self.outputs.map(number),
            slopes: self.slopes.iter().map(slopes).collect(),
            condition: self.condition,
        }
    }

    /// The largest entry of a token over its s, maximised over the tokens. A relative error of the entries grows by
    /// this factor in the token after the normaliser and in its slopes. Without a normaliser, 0.
    #[must_use]
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// How far a token after the normaliser may be off by rounding, in length; without a normaliser, 0. The entries of a
    /// token are rounded relative to themselves, which grows by [`Normalizer::condition`] where a mean is subtracted.
    #[must_use]
    pub fn rounding(&self) -> f64 {
        if self.kind == Normalization::None {
            return 0.0;
        }
        let d = self.outputs.nrows() as f64;
        let square = |token: nalgebra::DVectorView<'_, T>| token.iter().map(|x| x.value() * x.value()).sum::<f64>();
        let most = largest(self.outputs.column_iter().map(|token| square(token).sqrt()));
        let of_mean = if self.kind == Normalization::Layer { 4.0 * self.condition * d.sqrt() } else { 0.0 };
        0.5 * f64::EPSILON * (of_mean + (4.0 * d + 64.0) * most)
    }

    /// 1/s at a token; 1 without a normaliser.
    pub(super) fn inverse_at(&self, token_idx: usize) -> f64 {
        self.slopes.get(token_idx).map_or(1.0, |slopes| slopes.across.value())
    }

    /// An upper bound on the largest norm of the Jacobian over the tokens: max 1/s, or max eps/s^3 where the space of
    /// all c has one dimension. Without a normaliser, 1.
    #[must_use]
    pub fn jacobian_norm_bound(&self) -> f64 {
        let slope = |slopes: &Slopes<T>| match (self.kind, self.outputs.nrows()) {
            (Normalization::Layer, 2) | (Normalization::Rms, 1) => slopes.along.value(),
            _ => slopes.across.value(),
        };
        match self.kind {
            Normalization::None => 1.0,
            _ => largest(self.slopes.iter().map(slope)),
        }
    }
}

/// x - mean. The first entry is subtracted beforehand, so that equal entries become exactly zero.
fn take_mean<T: Scalar>(token: &mut [T]) {
    let Some(first) = token.first().copied() else { return };
    token.iter_mut().for_each(|x| *x -= first);
    take_mean_of_change(token);
}

/// Pi xi.
fn take_mean_of_change<T: Scalar>(change: &mut [T]) {
    let mean = change.iter().fold(T::constant(0.0), |sum, x| sum + *x) / T::constant(change.len().max(1) as f64);
    change.iter_mut().for_each(|x| *x -= mean);
}

/// sqrt(mean c^2 + eps), also where squares overflow or vanish.
fn scale<T: Scalar>(centred: &[T], eps: f64) -> T {
    let most = largest(centred.iter().map(|x| x.value().abs()));
    let unit = if most == 0.0 || SAFE.contains(&most) { 1.0 } else { most };
    let rest = eps / unit / unit;
    // eps / unit^2 overflows only where the squares do not count beside eps.
    let (unit, rest) = if rest.is_finite() { (unit, rest) } else { (1.0, eps) };
    let square = |x: &T| {
        let x = *x / T::constant(unit);
        x * x
    };
    let mean =
        centred.iter().fold(T::constant(0.0), |sum, x| sum + square(x)) / T::constant(centred.len().max(1) as f64);
    (mean + T::constant(rest)).sqrt() * T::constant(unit)
}

fn no_derivative(kind: Normalization, (d, token_idx): (usize, usize), scale: f64) -> InputError {
    let problem = match kind {
        _ if scale > 0.0 => phrase!(
            "slope_of_norm_overflows",
            "is so near to one where the normaliser has no derivative that its slope there overflows 64-bit numbers"
        ),
        Normalization::Layer if d == 1 => {
            phrase!("layer_norm_of_one_entry", "has one entry, and LayerNorm with eps = 0 divides zero by zero there")
        }
        Normalization::Layer => phrase!(
            "layer_norm_of_equal_entries",
            "has equal entries, and LayerNorm with eps = 0 has no value and no derivative there"
        ),
        _ => phrase!("rms_norm_of_zero", "is zero, and RMSNorm with eps = 0 has no value and no derivative there"),
    };
    InputError::NoDerivative {
        row: token_idx + 1,
        problem,
        fix: phrase!("eps_above_zero_or_other_row", "Set a larger eps, such as 10⁻⁵, or change that row."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::Dual;

    fn at(kind: Normalization, eps: f64, token: &[f64]) -> Result<Normalizer<f64>, InputError> {
        Normalizer::new(kind, eps, &DMatrix::from_column_slice(token.len(), 1, token))
    }

    /// The normaliser's Jacobian as a matrix.
    fn dense(normalizer: &Normalizer<f64>) -> DMatrix<f64> {
        let d = normalizer.outputs().nrows();
        let mut columns = DMatrix::identity(d, d);
        columns.column_iter_mut().for_each(|mut column| normalizer.apply_jacobian(column.as_mut_slice()));
        columns
    }

    #[test]
    fn the_jacobian_is_the_derivative_by_dual_numbers() {
        for kind in [Normalization::Layer, Normalization::Rms] {
            for token in [&[0.3, -1.2][..], &[2.0, 2.0], &[0.3], &[1.0, -2.0, 0.5, 4.0], &[0.0, 0.0, 0.0]] {
                for eps in [1e-5, 0.7, 1e-12] {
                    let jacobian = dense(&at(kind, eps, token).expect("eps is above 0"));
                    for col in 0..token.len() {
                        let moved = |row: usize| Dual::new(token[row], f64::from(u8::from(row == col)));
                        let moved = DMatrix::from_fn(token.len(), 1, |row, _| moved(row));
                        let outputs = Normalizer::new(kind, eps, &moved).expect("eps is above 0");
                        for row in 0..token.len() {
                            let (found, expected) = (jacobian[(row, col)], outputs.outputs()[row].eps);
                            let size = 1e-12 * (1.0 / eps.sqrt()).min(1e3);
                            assert!((found - expected).abs() <= size, "{kind:?} {token:?} {eps}: {found} {expected}");
                        }
                    }
                }
            }
        }
    }

    /// Only eps/s^3 remains of the slope, far below 1/s.
    #[test]
    fn where_one_direction_is_left_its_slope_has_all_its_digits() {
        let layer = dense(&at(Normalization::Layer, 1e-5, &[1e6, 3e5]).expect("eps is above 0"));
        let variance = 3.5e5f64.powi(2);
        let slope = 1e-5 / (variance + 1e-5).powf(1.5);
        assert!((layer[(0, 0)] / (0.5 * slope) - 1.0).abs() < 1e-14, "{layer} for {slope:e}");
        let rms = dense(&at(Normalization::Rms, 1e-5, &[-1e5]).expect("eps is above 0"));
        assert!((rms[(0, 0)] / (1e-5 / (1e10f64 + 1e-5).powf(1.5)) - 1.0).abs() < 1e-14, "{rms}");
        assert_eq!(dense(&at(Normalization::Layer, 1e-5, &[3.0]).expect("eps is above 0"))[(0, 0)], 0.0);
    }

    #[test]
    fn tokens_whose_squares_leave_the_range_are_normalised_all_the_same() {
        for kind in [Normalization::Layer, Normalization::Rms] {
            let plain = at(kind, 0.0, &[1.0, -3.0, 0.5]).expect("it is not constant");
            for scale in [1e-300, 1e-200, 1e160, 1e300] {
                let moved = at(kind, 0.0, &[scale, -3.0 * scale, 0.5 * scale]).expect("it is not constant");
                assert!((plain.outputs() - moved.outputs()).amax() < 1e-14, "{kind:?} {scale:e}: {}", moved.outputs());
                let deviation = dense(&plain) - dense(&moved) * scale;
                assert!(deviation.amax() < 1e-13, "{kind:?} {scale:e}: {deviation}");
            }
        }
    }

    #[test]
    fn a_token_without_a_derivative_is_named() {
        let tokens = DMatrix::from_column_slice(3, 3, &[1.0, 2.0, 4.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
        let refused = |kind| Normalizer::new(kind, 0.0, &tokens).expect_err("no derivative").to_string();
        assert!(refused(Normalization::Layer).starts_with("Row 2 of the tokens has equal entries"));
        assert!(refused(Normalization::Rms).starts_with("Row 3 of the tokens is zero"));
        assert!(Normalizer::new(Normalization::Rms, 1e-300, &tokens).is_ok());
        let near = at(Normalization::Layer, 0.0, &[5e-324, 0.0]).expect_err("its slope overflows");
        assert!(near.to_string().contains("overflows"), "{near}");
        let single = at(Normalization::Layer, 0.0, &[7.0]).expect_err("0/0");
        assert!(single.to_string().contains("has one entry"), "{single}");
    }

    #[test]
    fn the_condition_is_the_size_of_a_token_over_what_is_left_of_it() {
        let near = at(Normalization::Layer, 0.0, &[2.0, 2.0, 2.0 + 3e-7]).expect("it is not constant");
        assert!((1e7..2e7).contains(&near.condition()), "{}", near.condition());
    }
}
