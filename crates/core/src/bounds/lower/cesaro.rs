//! n tokens at 0 under the causal mask attend to all earlier tokens alike, so that J is the Cesaro matrix C, C_ij = 1/i for j
//! <= i, times V. The outputs of a normaliser are not 0.
//!
//! ||C|| rises to 2 as n grows, as slowly as 1/ln^2 n. From below: |C f|/|f| for f_j = 1/sqrt j, and, as ||C|| does not
//! fall with n, the norm for the first tokens.

use super::super::absence::Absence;
use super::super::ball::column_sums::HEAD;
use super::super::evaluator::{Computation, Evaluator, constants, no_losses};
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use crate::extremum::largest;

/// Lower: L_n >= v ||C||, C_ij = 1/i for j <= i, from tokens that are all 0. ||C|| rises to 2.
///
/// Dot-product attention, causal, no normaliser, n >= 2, one head or concatenated ones. Source: ours, section 4, `cesaro`.
pub static CESARO: Statement = Statement {
    id: "cesaro",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v ‖C‖, Cᵢⱼ = 1/i for j ≤ i",
    tex: None,
    needs: &[
        Need::PlainAttention,
        Need::DotScores,
        Need::NoNormalizer,
        Need::Causal,
        Need::MinTokens(2),
        Need::OneHeadOrConcatenated,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Tokens,
    rung: Some(120),
    label: "cesaro",
    note: "cesaro",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &CESARO,
    value: Computation::OnBall(|given| {
        let value = largest(given.heads.iter().map(|head| head.v_norm));
        Some(value.ln() + norm_from_below(given.ln_n.exp().round()).ln())
    }),
    worked: constants,
    losses: no_losses,
};

/// A number that ||C|| is never below for n tokens.
fn norm_from_below(n: f64) -> f64 {
    let head = n.min(HEAD) as usize;
    // Power iteration with C^T C on the first tokens; |C f|/|f| for any f is a lower bound.
    let mut field: Vec<f64> = (1..=head).map(|j| 1.0 / (j as f64).sqrt()).collect();
    let mut ratio = 0.0f64;
    for _ in 0..STEPS {
        let image = averages(&field);
        let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        ratio = ratio.max(size(&image) / size(&field));
        // C^T y at j is the sum over i >= j of y_i/i.
        let mut later = 0.0;
        for (at, y) in image.iter().enumerate().rev() {
            later += y / (at as f64 + 1.0);
            field[at] = later;
        }
    }
    if n <= HEAD { ratio } else { ratio.max(of_inverse_roots(n)) }
}

/// Steps of the power iteration.
const STEPS: usize = 12;

/// |C f|/|f| for f_j = 1/sqrt j over n > HEAD tokens, from below.
fn of_inverse_roots(n: f64) -> f64 {
    let first: Vec<f64> = (1..=HEAD as usize).map(|j| 1.0 / (j as f64).sqrt()).collect();
    let (mut above, mut below) = (0.0, 0.0);
    for (mean, f) in averages(&first).iter().zip(&first) {
        above += mean * mean;
        below += f * f;
    }
    // 1 + 1/sqrt 2 + .. + 1/sqrt i > 2 sqrt i - ZETA, and the square of this over i falls with i.
    const ZETA: f64 = 1.460_354_508_809_587;
    let integral = |x: f64| 4.0 * x.ln() + 8.0 * ZETA / x.sqrt() - ZETA * ZETA / x;
    above += integral(n + 1.0) - integral(HEAD + 1.0);
    // The sum of 1/j over j = HEAD + 1 .. n is at most ln(n/HEAD).
    below += (n / HEAD).ln();
    (above / below).sqrt()
}

/// The means of the first 1, 2, .. numbers.
fn averages(field: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mean = |(at, x): (usize, &f64)| {
        sum += x;
        sum / (at as f64 + 1.0)
    };
    field.iter().enumerate().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::spectral::largest_singular_value;

    #[test]
    fn the_norm_of_the_averages_from_below_is_near_that_of_the_matrix_and_rises_to_two() {
        for n in [2usize, 3, 10, 50, 200] {
            let matrix = DMatrix::from_fn(n, n, |i, j| if j <= i { 1.0 / (i as f64 + 1.0) } else { 0.0 });
            let (exact, found) = (largest_singular_value(&matrix), norm_from_below(n as f64));
            assert!(found <= exact * (1.0 + 1e-12) && found >= exact * (1.0 - 1e-6), "n={n}: {found} for {exact}");
        }
        // The two ways agree where one takes over: the field 1/sqrt j on 5000 tokens, term by term.
        let field: Vec<f64> = (1..=5000).map(|j| 1.0 / f64::from(j).sqrt()).collect();
        let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (exact, found) = (size(&averages(&field)) / size(&field), of_inverse_roots(5000.0));
        assert!(found <= exact && found >= exact * (1.0 - 1e-3), "{found} for {exact}");
        let mut before = 0.0;
        for power in 1..30 {
            let found = norm_from_below(4f64.powi(power));
            assert!(found >= before && found < 2.0, "4^{power}: {found} after {before}");
            before = found;
        }
        assert!(before > 1.93, "{before}");
    }
}
