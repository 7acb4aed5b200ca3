//! Sums over the rows of a causal witness (ours, docs/numerics.md, "Sums over causal rows"). The row of token t + m, behind
//! t tokens that draw attention, gives them the share 1 - z_m, where z_m = y/(1 + y) and y = m rate, and the square of its
//! output is
//!
//! f(m) = (1 - z_m)^2 (c_0 + c_1 z_m + c_2 z_m^2).
//!
//! With s = 1 - z it is d_2 s^2 + d_3 s^3 + d_4 s^4, d_2 = c_0 + c_1 + c_2, d_3 = -(c_1 + 2 c_2), d_4 = c_2. Euler and
//! Maclaurin's formula for the sum over m = H + 1 .. N, with the slopes, leaves out
//!
//! -(1/24) int_H^N {m}^2 (1 - {m})^2 f''''(m) dm,
//!
//! in size at most rate^3 s_H^5 (|d_2|/16 + 5/32 |d_3| s_H + 5/16 |d_4| s_H^2), as {m}^2 (1 - {m})^2 <= 1/16.

use super::super::ball::column_sums::HEAD;

/// The terms f(m) of a sum.
pub(super) struct CausalTerms {
    rate: f64,
    gains: [f64; 3],
}

impl CausalTerms {
    /// The terms with this rate and c_0, c_1, c_2.
    pub(super) fn new(rate: f64, gains: [f64; 3]) -> Self {
        CausalTerms { rate, gains }
    }

    /// A lower bound on the sum over m = 1 .. `last`: the first terms, and Euler and Maclaurin's formula for the others,
    /// less the most that the formula leaves out and the most that rounding adds.
    pub(super) fn sum_from_below(&self, last: f64) -> f64 {
        let mut sum: f64 = (1..=last.min(HEAD).round() as u64).map(|m| self.term(m as f64)).sum();
        if last > HEAD {
            sum += self.integral(HEAD, last) + 0.5 * (self.term(last) - self.term(HEAD));
            sum += (self.slope(last) - self.slope(HEAD)) / 12.0;
            sum -= self.left_out(HEAD);
        }
        sum * (1.0 - ROUNDING)
    }

    /// The integral of the terms: dm = dz/(rate (1 - z)^2), so that it is that of the polynomial over z.
    pub(super) fn integral(&self, from: f64, to: f64) -> f64 {
        let ([rest_a, a], [rest_b, b], [one, linear, square]) = (self.shares(from), self.shares(to), self.gains);
        // (b - a)/rate without cancellation.
        let width = (to - from) * rest_a * rest_b;
        width * (one + 0.5 * linear * (a + b) + square * (a * a + a * b + b * b) / 3.0)
    }

    /// 1 - z and z at m.
    fn shares(&self, m: f64) -> [f64; 2] {
        let y = m * self.rate;
        if y > 1.0 { [1.0 / (1.0 + y), 1.0 / (1.0 + 1.0 / y)] } else { [1.0 / (1.0 + y), y / (1.0 + y)] }
    }

    fn term(&self, m: f64) -> f64 {
        let ([rest, z], [one, linear, square]) = (self.shares(m), self.gains);
        rest * rest * (one + z * (linear + z * square))
    }

    /// The derivative of the terms in m.
    fn slope(&self, m: f64) -> f64 {
        let ([rest, z], [one, linear, square]) = (self.shares(m), self.gains);
        let along = rest * (linear + 2.0 * z * square) - 2.0 * (one + z * (linear + z * square));
        self.rate * rest.powi(3) * along
    }

    /// The most that the formula for the terms behind `from` leaves out: (1/384) times the integral of |f''''|.
    fn left_out(&self, from: f64) -> f64 {
        let ([rest, _], [one, linear, square]) = (self.shares(from), self.gains);
        let inner = (one + linear + square).abs() / 16.0
            + rest * (0.15625 * (linear + 2.0 * square).abs() + rest * 0.3125 * square.abs());
        (self.rate * rest).powi(3) * rest * rest * inner
    }
}

/// More than rounding adds to a sum, relative: it has a thousand terms, each right to a few units, and a rate e^-x with
/// x below 750 where it counts.
const ROUNDING: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The sum of numbers to twice the digits (Neumaier).
    fn sum_of(terms: impl Iterator<Item = f64>) -> f64 {
        let (mut sum, mut rest) = (0.0f64, 0.0f64);
        for term in terms {
            let next = sum + term;
            rest += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
            sum = next;
        }
        sum + rest
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        /// c_0 + c_1 z + c_2 z^2 = |p + z q|^2, which for half of the draws vanishes at some z.
        #[test]
        fn the_formula_is_just_below_the_sum(
            ln_rate in -20.0..0.0f64,
            p in prop::array::uniform2(-1.0..1.0f64),
            drawn in prop::array::uniform2(-1.0..1.0f64),
            zero in prop::option::of(0.01..1.0f64),
            ln_size in 0.0..9.0f64,
            ln_last in 6.8..11.0f64,
        ) {
            let rate = ln_rate.exp();
            let q = zero.map_or(drawn.map(|x| ln_size.exp() * x), |zero| p.map(|x| -x / zero));
            let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
            let terms = CausalTerms::new(rate, [dot(p, p), 2.0 * dot(p, q), dot(q, q)]);
            let last = ln_last.exp().round();
            let term = |m: u64| {
                let y = m as f64 * rate;
                let [s, z] = [1.0 / (1.0 + y), y / (1.0 + y)];
                let output = [p[0] + z * q[0], p[1] + z * q[1]];
                s * s * dot(output, output)
            };
            let exact = sum_of((1..=last as u64).map(term));
            let found = terms.sum_from_below(last);
            prop_assert!(found <= exact && found >= exact * (1.0 - 1e-11), "{found} for {exact}");
            prop_assert!(terms.left_out(HEAD) <= 1e-11 * exact, "{} of {exact}", terms.left_out(HEAD));
        }
    }
}
