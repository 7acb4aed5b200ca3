//! Upper bounds on the column sums of P, and on the mixed part, from the exponents of A (ours, docs/theory.md section
//! 2). For dot-product scores, on the ball, with Gamma and m of [`Exponents`] there:
//!
//! - no mask: a column sum is at most min(e^Gamma, 1/(1 + (n-1) e^(-2a)) + (n-1)/(1 + (n-1) e^-Gamma)) = S_Gamma;
//! - causal: at most 2 e^Gamma (1 + max(0, ln(n e^a / (2 e^Gamma)))) = S_s for a symmetric A, with a factor
//!   e^(2 ||A - S|| R^2) otherwise;
//! - no mask: the mixed part is at most v (sqrt(S_Gamma) + e^(Gamma_sigma/2) sqrt(m + m^2/4)), Gamma_sigma that of the
//!   sigma of m.
//!
//! A cap tau makes at most delta = a - tau tanh(a/tau) of difference to a score: all of this holds under it with
//! Gamma + 2 delta for Gamma ([`Exponents::with_scores_moved`]), and so it does with a sink, which takes from every weight.

use std::f64::consts::LN_2;

use super::super::exponents::Exponents;
use super::super::logarithms::{ln_add, ln_minus_one, softplus};

/// ln of the largest column sum without a mask, where scores of a row are within `range` of each other.
pub(crate) fn ln_column_sum(ln_n: f64, range: f64, exponents: &Exponents) -> f64 {
    let (ln_others, gamma) = (ln_minus_one(ln_n), exponents.gamma);
    let own = -softplus(ln_others - range);
    let excess = ln_others - gamma;
    // Far above the crossover the quotient is e^Gamma, its limit.
    let others = if excess > 40.0 { gamma } else { ln_others - softplus(excess) };
    ln_add(own, others).min(gamma)
}

/// ln of the largest column sum under the causal mask.
pub(crate) fn ln_causal_column_sum(ln_n: f64, exponents: &Exponents) -> f64 {
    LN_2 + exponents.causal + (ln_n - LN_2 + exponents.causal_rest).max(0.0).ln_1p()
}

/// ln of the bound on the mixed part without a mask, v = 1.
pub(crate) fn ln_mixed(ln_n: f64, range: f64, exponents: &Exponents) -> f64 {
    let Exponents { keys, bend, .. } = *exponents;
    let through_keys = keys + (bend + 0.25 * bend * bend).ln();
    ln_add(0.5 * ln_column_sum(ln_n, range, exponents), 0.5 * through_keys)
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::*;
    use crate::spectral::largest_singular_value;

    /// A, and tokens of the unit ball: numbers between -1 and 1 that are made into either.
    #[derive(Clone, Debug)]
    struct Draw {
        d: usize,
        kind: usize,
        entries: Vec<f64>,
        places: Vec<(usize, usize, f64)>,
        a_norm: f64,
        /// The cap of the scores, over their largest size; for some none.
        cap: Option<f64>,
    }

    fn draws() -> impl Strategy<Value = Draw> {
        let numbers = |count: usize| prop::collection::vec(-1.0..1.0f64, count);
        (1usize..5).prop_flat_map(move |d| {
            let places = prop::collection::vec((0usize..6, 0usize..40, -1.0..1.0f64), 1..24);
            let caps = prop::option::of((-1.5..2.0f64).prop_map(|size| 10f64.powf(size)));
            let sizes = (-3.0..2.2f64).prop_map(|size| 10f64.powf(size));
            (0usize..8, numbers(2 * d * d), places, sizes, caps)
                .prop_map(move |(kind, entries, places, a_norm, cap)| Draw { d, kind, entries, places, a_norm, cap })
        })
    }

    impl Draw {
        /// The score that the cap leaves of one, for scores of at most a = ||A||.
        fn capped(&self, score: f64) -> f64 {
            self.cap.map_or(score, |cap| cap * self.a_norm * (score / (cap * self.a_norm)).tanh())
        }

        /// Those of A on the unit ball, under the cap.
        fn exponents(&self, a: &DMatrix<f64>) -> Exponents {
            let (exponents, _) = Exponents::of(a, largest_singular_value(a));
            exponents.with_scores_moved(self.a_norm - self.capped(self.a_norm))
        }

        /// A of the drawn norm: any, symmetric, definite, skew, nearly definite, of rank one.
        fn a(&self) -> Option<DMatrix<f64>> {
            let d = self.d;
            let drawn = DMatrix::from_column_slice(d, d, &self.entries[..d * d]);
            let a = match self.kind {
                0 => &drawn + drawn.transpose(),
                1 => &drawn * drawn.transpose(),
                2 => -(&drawn * drawn.transpose()),
                3 => &drawn - drawn.transpose(),
                4 => &drawn * drawn.transpose() + (&drawn - drawn.transpose()) * 1e-2,
                5 => drawn.column(0) * drawn.row(0),
                6 => DMatrix::identity(d, d) * self.entries[0].signum(),
                _ => drawn,
            };
            let norm = largest_singular_value(&a);
            (norm > 0.0).then(|| a * (self.a_norm / norm))
        }

        /// Tokens in clusters: at 0, along axes, along what A makes of another token, elsewhere; times 1, 1/2 or a number.
        fn tokens(&self, a: &DMatrix<f64>) -> DMatrix<f64> {
            let mut tokens: Vec<DVector<f64>> = Vec::new();
            for (at, (kind, count, size)) in self.places.iter().enumerate() {
                let axis = |row: usize| DVector::from_fn(self.d, |r, _| f64::from(u8::from(r == row % self.d)));
                let other = |at: usize| tokens.get(at % tokens.len().max(1)).cloned();
                let direction = match kind {
                    0 => DVector::zeros(self.d),
                    1 => axis(at),
                    2 => other(at).map_or(axis(0), |x| a * x),
                    3 => other(at + 1).map_or(axis(0), |x| a.tr_mul(&x)),
                    4 => -other(at).unwrap_or(axis(0)),
                    _ => DVector::from_fn(self.d, |r, _| self.entries[(at * self.d + r) % self.entries.len()]),
                };
                let length = match count % 3 {
                    0 => size.signum(),
                    1 => 0.5 * size.signum(),
                    _ => *size,
                };
                let token = if direction.norm() > 0.0 { direction.normalize() * length } else { direction };
                tokens.extend(std::iter::repeat_n(token, 1 + count / 8));
            }
            DMatrix::from_columns(&tokens)
        }
    }

    /// P of tokens (d x n), where row i attends to the tokens up to `seen(i)`.
    fn attention(draw: &Draw, a: &DMatrix<f64>, tokens: &DMatrix<f64>, seen: impl Fn(usize) -> usize) -> DMatrix<f64> {
        let mut scores = (tokens.transpose() * a.tr_mul(tokens)).map(|score| draw.capped(score));
        // scores_ij = x_j.A x_i.
        for (i, mut row) in scores.row_iter_mut().enumerate() {
            let count = seen(i);
            let largest = row.columns(0, count).max();
            row.iter_mut().enumerate().for_each(|(j, s)| *s = if j < count { (*s - largest).exp() } else { 0.0 });
            let total = row.sum();
            row /= total;
        }
        scores
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn no_column_sum_is_above_its_bound(draw in draws()) {
            let Some(a) = draw.a() else { return Ok(()) };
            let tokens = draw.tokens(&a);
            let n = tokens.ncols();
            let exponents = draw.exponents(&a);
            let of = |p: &DMatrix<f64>| p.row_sum().max();
            let ln_n = (n as f64).ln();
            let (all, causal) = (attention(&draw, &a, &tokens, |_| n), attention(&draw, &a, &tokens, |i| i + 1));
            let most = ln_column_sum(ln_n, 2.0 * draw.capped(draw.a_norm), &exponents);
            prop_assert!(of(&all).ln() <= most + 1e-9, "{} above {}, {a}", of(&all), most.exp());
            let most = ln_causal_column_sum(ln_n, &exponents);
            prop_assert!(of(&causal).ln() <= most + 1e-9, "causal: {} above {}, {a}", of(&causal), most.exp());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8000, ..ProptestConfig::default() })]

        /// sum_i P_ij (A x_i)(A x_i)^T is at most e^Gamma (m + m^2/4).
        #[test]
        fn what_the_keys_of_a_token_move_is_at_most_its_bound(draw in draws()) {
            let Some(a) = draw.a() else { return Ok(()) };
            let tokens = draw.tokens(&a);
            let n = tokens.ncols();
            let exponents = draw.exponents(&a);
            let (p, images) = (attention(&draw, &a, &tokens, |_| n), &a * &tokens);
            let Exponents { keys, bend, .. } = exponents;
            let most = keys + (bend + 0.25 * bend * bend).ln();
            for column in p.column_iter() {
                let weighted = DMatrix::from_fn(draw.d, n, |row, i| images[(row, i)] * column[i].sqrt());
                let found = 2.0 * largest_singular_value(&weighted).ln();
                prop_assert!(found <= most + 1e-9, "{} above {}, {a}", found.exp(), most.exp());
            }
        }
    }

    /// With many others at e/2 for A = I, and at -e for A = -I, the token at e has the largest column sum there is, but for
    /// its own weight.
    #[test]
    fn the_column_sum_without_a_mask_is_attained() {
        for (a, other) in [(12.0, 0.5), (-1.5, -1.0), (-40.0, -1.0)] {
            let (exponents, _) = Exponents::of(&DMatrix::from_element(1, 1, a), f64::abs(a));
            for ln_others in [1.0, 4.0, 12.0, 30.0, 90.0] {
                let found = ln_others - softplus(ln_others - a * other * (1.0 - other));
                let most = ln_column_sum(softplus(ln_others), 2.0 * f64::abs(a), &exponents);
                assert!(found <= most + 1e-9 && most <= ln_add(found, 0.0) + 1e-9, "{a} {ln_others}: {found}, {most}");
            }
        }
    }
}
