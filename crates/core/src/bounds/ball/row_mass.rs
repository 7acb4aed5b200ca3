//! The constants G and F of `sharp` and `general` (ours, docs/theory.md sections 2 and 6): they bound one row of the
//! mixed part, however the row distributes its attention.
//!
//! Row i of the mixed part has the squared norm lambda_i, at most v^2 times the largest eigenvalue of sum_j P_ij^2 M_ij
//! M_ij^T, M_ij = I + (x_j - m_i) b_ij^T. Let |b_ij| R <= a, and let the attention weights of the row be within a factor
//! H of each other. Then lambda_i <= v^2 min(G, F/n), where n is the length of the row and, for 0 <= q <= 1, alpha =
//! (1 + 2a (1-q))^2 and beta as [`KeySlopes`] says:
//!
//! - G(a) = max_q [q^2 alpha + (1-q)^2 beta];
//! - F(a, H) = max_q max_(0<=x<=q, 0<=y<=1-q) (alpha q + beta (1-q) + (H-1)(alpha x + beta y)) (1 - (1 - 1/H)(x+y)).

use super::super::maximum::narrowed;
use crate::extremum::{largest, maximum};
use std::f64::consts::LN_2;

/// How b_ij = ds_ij/dx_j depends on the key j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySlopes {
    /// b_ij = y_i: beta = (1 - 2aq)^2.
    Constant,
    /// b_ij = gamma_ij y_i with 0 <= gamma_ij <= 1, as under a cap: beta = max(1, (1 - 2aq)^2).
    Scaled,
    /// Any b_ij: beta = (1 + 2aq)^2.
    Any,
}

/// ln G(a), G = max_q [q^2 alpha + (1-q)^2 beta].
pub(crate) fn ln_any_length(slopes: KeySlopes, a: f64) -> f64 {
    match slopes {
        KeySlopes::Constant => ln_any_length_constant(a),
        // The maximand is the larger of that of constant slopes and w^2 + (1-q)^2, w = q + 2a q (1-q).
        KeySlopes::Scaled => {
            let scale = 1.0 + 2.0 * a;
            let value = |q: f64| {
                let w = q * (1.0 / scale + (1.0 - 1.0 / scale) * (1.0 - q));
                w * w + ((1.0 - q) / scale).powi(2)
            };
            maximum(ln_any_length_constant(a), 2.0 * scale.ln() + (largest_over_q(value) * (1.0 + 1e-12)).ln())
        }
        // At q = 1/2 the two squares are equal; at q = 1 the sum is 1.
        KeySlopes::Any => maximum(2.0 * a.ln_1p() - LN_2, 0.0),
    }
}

/// ln G(a) for constant slopes. With w = q + 2a q (1-q) the maximand is w^2 + (1-w)^2, so that it is largest at the largest w: 1, or (1 +
/// 2a)^2/(8a) at q = (1 + 2a)/(4a) where a > 1/2.
fn ln_any_length_constant(a: f64) -> f64 {
    if a <= 0.5 {
        return 0.0;
    }
    // (1 + 2a)^2 / (8a), written so that it does not overflow.
    let w = (1.0 + 2.0 * a) * (0.25 + 0.125 / a);
    2.0 * w.hypot(w - 1.0).ln()
}

/// ln F(a, H) from a and ln H, H >= 1.
pub(crate) fn ln_long(slopes: KeySlopes, a: f64, ln_ratio: f64) -> f64 {
    let row = Row::new(slopes, a, ln_ratio);
    // Covers what rounding and the last section may have missed.
    ln_ratio + 2.0 * row.scale.ln() + (largest_over_q(|q| row.largest(q)) * (1.0 + 1e-12)).ln()
}

/// A number that ln F(a, H) is never below, without a search over q.
pub(crate) fn ln_long_at_least(slopes: KeySlopes, a: f64, ln_ratio: f64) -> f64 {
    let row = Row::new(slopes, a, ln_ratio);
    ln_ratio + 2.0 * row.scale.ln() + maximum(row.largest(0.25), row.largest(0.5)).ln()
}

/// The largest value over q in [0, 1] of a function with few and wide maxima, so that a scan finds the neighbourhood of
/// the largest one; NaN if it is NaN anywhere on the scan.
fn largest_over_q(value: impl Fn(f64) -> f64) -> f64 {
    let at = |step: usize| step as f64 / SCAN as f64;
    let values: Vec<f64> = (0..=SCAN).map(|step| value(at(step))).collect();
    let best = (0..=SCAN).max_by(|x, y| values[*x].total_cmp(&values[*y])).unwrap_or(0);
    let around = (at(best.saturating_sub(1)), at((best + 1).min(SCAN)));
    let mut most = largest(values);
    let seen = |q: f64| {
        let value = value(q);
        most = maximum(most, value);
        value
    };
    // The value is flat at its maximum, so that few sections are enough for all its digits.
    narrowed(seen, around, SECTIONS);
    most
}

/// Intervals of the scan over q.
const SCAN: usize = 128;
/// Golden sections after the scan: the last is about 2e-10 wide.
const SECTIONS: usize = 38;

/// The maximand of F, divided by H and by `scale`^2 so that it stays of order one.
struct Row {
    slopes: KeySlopes,
    /// 1/H.
    inverse: f64,
    /// 1 - 1/H.
    rest: f64,
    /// 1 + 2a.
    scale: f64,
    /// 1/(1 + 2a) and 2a/(1 + 2a).
    one: f64,
    twice_a: f64,
}

impl Row {
    fn new(slopes: KeySlopes, a: f64, ln_ratio: f64) -> Self {
        let scale = 1.0 + 2.0 * a;
        let one = 1.0 / scale;
        Row { slopes, inverse: (-ln_ratio).exp(), rest: -(-ln_ratio).exp_m1(), scale, one, twice_a: 1.0 - one }
    }

    /// The largest value over x and y at a given q. The tokens with the larger of alpha and beta take the high weights
    /// first; along this path, with z = x + y, the maximand is (c + m z)(1 - rest z) on each of two pieces.
    fn largest(&self, q: f64) -> f64 {
        let alpha = (self.one + self.twice_a * (1.0 - q)).powi(2);
        let beta = match self.slopes {
            KeySlopes::Constant => (self.one - self.twice_a * q).powi(2),
            KeySlopes::Scaled => maximum((self.one - self.twice_a * q).powi(2), self.one * self.one),
            KeySlopes::Any => (self.one + self.twice_a * q).powi(2),
        };
        let base = (alpha * q + beta * (1.0 - q)) * self.inverse;
        let ((high, mass), low) = if alpha >= beta { ((alpha, q), beta) } else { ((beta, 1.0 - q), alpha) };
        let first = self.on_piece(base, self.rest * high, 0.0, mass);
        let second = self.on_piece(base + self.rest * (high - low) * mass, self.rest * low, mass, 1.0);
        maximum(first, second)
    }

    /// The largest (c + m z)(1 - rest z) for z from `from` to `to`: a concave quadratic.
    fn on_piece(&self, c: f64, m: f64, from: f64, to: f64) -> f64 {
        let curvature = 2.0 * m * self.rest;
        let z = if curvature > 0.0 { ((m - c * self.rest) / curvature).clamp(from, to) } else { from };
        (c + m * z) * (1.0 - self.rest * z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_constant_is_a_number_where_a_is_nan() {
        for slopes in [KeySlopes::Constant, KeySlopes::Scaled, KeySlopes::Any] {
            let (any, long) = (ln_any_length(slopes, f64::NAN), ln_long(slopes, f64::NAN, 1.0));
            let least = ln_long_at_least(slopes, f64::NAN, 1.0);
            assert!(any.is_nan() && long.is_nan() && least.is_nan(), "{any} {long} {least}");
        }
    }

    #[test]
    fn the_row_constant_equals_tabulated_values() {
        for (a, expected) in [(1.0, 1.28125), (2.25, 3.287423), (4.0, 8.751953), (9.0, 41.250386)] {
            let found = ln_any_length(KeySlopes::Constant, a).exp();
            assert!((found - expected).abs() < 6e-7, "a = {a}: {found} for {expected}");
        }
    }

    #[test]
    fn the_closed_form_of_the_row_constant_is_the_largest_value_of_a_scan() {
        for a in [0.0, 0.1, 0.4, 0.5, 0.6, 1.0, 3.0, 30.0, 1e6] {
            let at = |q: f64| {
                let (alpha, beta) = ((1.0 + 2.0 * a * (1.0 - q)).powi(2), (1.0 - 2.0 * a * q).powi(2));
                q * q * alpha + (1.0 - q).powi(2) * beta
            };
            let largest = (0..=10_000).map(|step| at(f64::from(step) / 1e4)).fold(0.0, f64::max);
            let found = ln_any_length(KeySlopes::Constant, a).exp();
            assert!((found / largest - 1.0).abs() < 1e-7, "a = {a}: {found}, but the scan finds {largest}");
            assert!(found >= largest * (1.0 - 1e-12), "a = {a}: {found} is below {largest}");
        }
    }

    /// The maximand over (q, x, y) on a grid, at 50 values of a.
    #[test]
    fn the_constant_of_long_rows_is_never_below_a_scan_over_both_masses() {
        const STEPS: i32 = 60;
        for a in (0..50).map(|step| 1e-3 * (8e4f64).powf(f64::from(step) / 49.0)) {
            let (h, mut largest) = ((2.0 * a).exp(), 0.0f64);
            for q in (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS)) {
                let (alpha, beta) = ((1.0 + 2.0 * a * (1.0 - q)).powi(2), (1.0 - 2.0 * a * q).powi(2));
                for (i, j) in (0..=STEPS).flat_map(|i| (0..=STEPS).map(move |j| (i, j))) {
                    let (x, y) = (q * f64::from(i) / f64::from(STEPS), (1.0 - q) * f64::from(j) / f64::from(STEPS));
                    // Divided by H, so that it stays in range.
                    let high = (alpha * q + beta * (1.0 - q)) / h + (1.0 - 1.0 / h) * (alpha * x + beta * y);
                    largest = largest.max(high * (1.0 - (1.0 - 1.0 / h) * (x + y)));
                }
            }
            let (found, scanned) = (ln_long(KeySlopes::Constant, a, 2.0 * a), 2.0 * a + largest.ln());
            assert!(found >= scanned, "a = {a}: {found} is below the scan's {scanned}");
            assert!(found <= scanned + 2e-3, "a = {a}: {found} is far above the scan's {scanned}");
            // The maximum is at x = q, y = 0: the tokens with the larger factor alpha have all the high weights.
            let corner = (0..=20_000)
                .map(|step| f64::from(step) / 2e4)
                .map(|q| {
                    let (alpha, beta) = ((1.0 + 2.0 * a * (1.0 - q)).powi(2), (1.0 - 2.0 * a * q).powi(2));
                    (1.0 - q + q / h) * (q * alpha + (1.0 - q) * beta / h)
                })
                .fold(0.0, f64::max);
            assert!((found - 2.0 * a - corner.ln()).abs() < 1e-7, "a = {a}: {found}, at the corner {corner}");
        }
    }

    #[test]
    fn no_constant_overflows_for_large_a() {
        for a in [1e3, 1e9, 1e100] {
            assert!(
                (ln_any_length(KeySlopes::Constant, a) - 2.0 * (a / 2f64.sqrt()).ln()).abs() < 3.0 / a + 1e-9,
                "G at a = {a}"
            );
            let limit = 2.0 * a + (27.0 / 64.0 * a * a).ln();
            assert!(
                (ln_long(KeySlopes::Constant, a, 2.0 * a) / limit - 1.0).abs() < 1e-3,
                "F at a = {a}: {}",
                ln_long(KeySlopes::Constant, a, 2.0 * a)
            );
        }
    }
}
