//! The slack of upper bounds: the formula with its numbers, and the factor that each step of the proof loses.

use serde::{Deserialize, Serialize};

use super::bound::Bound;
use super::heads::Combination;
use super::hypotheses::{HeadOnBall, Hypotheses};
use super::local::rows::LocalParts;
use super::statement::BoundId;

/// A bound's formula with numbers inserted, and the slack factor of each step of its proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundSlack {
    /// The bound.
    pub id: BoundId,
    /// The formula with numbers inserted; for several heads, that of the head with the largest `local` bound.
    pub worked: String,
    /// Steps of the proof that lose something, largest factor first.
    pub factors: Vec<SlackFactor>,
}

/// What the details of a bound are made of: its hypotheses, one head on the ball, and what was measured at the tokens.
pub(crate) struct AtHead<'a> {
    /// The bound.
    pub(crate) bound: &'a Bound,
    /// All bounds that apply.
    pub(crate) bounds: &'a [Bound],
    pub(crate) given: &'a Hypotheses,
    /// The head with the largest `local` bound.
    pub(crate) head_idx: usize,
    pub(crate) head: &'a HeadOnBall,
    /// The terms of `local` at the tokens, of that head.
    pub(crate) local: Option<&'a LocalParts>,
    /// The norm at the tokens.
    pub(crate) spectral: f64,
}

impl AtHead<'_> {
    /// a as text.
    pub(crate) fn a(&self) -> String {
        brief(self.head.a)
    }

    /// v as text.
    pub(crate) fn v(&self) -> String {
        brief(self.head.v_norm)
    }

    /// n as text.
    pub(crate) fn n(&self) -> String {
        brief(self.given.n())
    }

    /// The factor by which the bound is above another one that applies.
    pub(crate) fn factor_above(&self, other: BoundId, kind: SlackKind) -> Option<SlackFactor> {
        let ln_of = |id: BoundId| self.bounds.iter().find(|b| b.id == id).map(|b| b.log10 * std::f64::consts::LN_10);
        let (this, other) = (ln_of(self.bound.id)?, ln_of(other)?);
        Some(SlackFactor { kind, times: (this - other).exp() })
    }

    /// v times a sum, for a head whose bound is v times that of one map. With an output matrix and several heads the bound
    /// is the smaller of two rules, which no head shows: the text is empty.
    pub(crate) fn v_times<const K: usize>(&self, parts: Option<[f64; K]>) -> String {
        let Some(parts) = parts.filter(|_| !(self.given.heads.len() > 1 && self.given.combination == Combination::Sum))
        else {
            return String::new();
        };
        let parts = parts.map(brief).join(" + ");
        if K > 1 { format!("{} · ({parts})", self.v()) } else { format!("{} · {parts}", self.v()) }
    }
}

/// A number with four significant digits, or more where more stand before the decimal point. Below 1e-3 and from 1e6 on
/// it has a power of ten.
pub(crate) fn brief(x: f64) -> String {
    if !x.is_finite() {
        return if x > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let size = x.abs();
    if x == 0.0 || (1e-3..1e6).contains(&size) {
        let decimals = if x == 0.0 { 0 } else { (3 - size.log10().floor() as i32).max(0) as usize };
        let text = format!("{x:.decimals$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
        return text.replace('-', "−");
    }
    let exponent = size.log10().floor();
    with_power(x / 10f64.powf(exponent), exponent)
}

/// The number with this natural logarithm, which may be outside the range of f64.
pub(crate) fn brief_of_ln(ln: f64) -> String {
    let x = ln.exp();
    if x.is_normal() || !ln.is_finite() {
        return brief(x);
    }
    let log10 = ln * std::f64::consts::LOG10_E;
    with_power(10f64.powf(log10 - log10.floor()), log10.floor())
}

fn with_power(digits: f64, exponent: f64) -> String {
    let digits = format!("{digits:.3}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    let power: String = (exponent as i64).to_string().chars().map(superscript).collect();
    format!("{digits} × 10{power}")
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        digit => char::from_u32('⁴' as u32 + (digit as u32 - '4' as u32)).unwrap_or(digit),
    }
}

/// A step of a bound's proof and the factor lost by it at these tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackFactor {
    /// The step.
    pub kind: SlackKind,
    /// The factor by which this step enlarges the bound, at least one.
    pub times: f64,
}

/// A step in the proof of an upper bound (docs/theory.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlackKind {
    /// The norms of the own and the mixed part of the Jacobian are added, and so are the norms of the heads.
    Parts,
    /// The largest column sum of P is replaced by the upper bound on it for this n and a.
    ColumnSums,
    /// |A x_i| is replaced by ||A|| R.
    ANorm,
    /// The standard deviation of the tokens under attention is replaced by R.
    Radius,
    /// |V x| is replaced by ||V|| |x|.
    VNorm,
    /// max_j sum_i P_ij w_i is replaced by the product of the largest column sum and the largest w_i.
    Alignment,
    /// Every column sum is replaced by n, and the parts are bounded separately.
    Length,
    /// The exponential is e^(2a), where e^a is enough.
    Exponent,
    /// Each row of the mixed part is bounded by itself, as if one perturbation reached the bounds of all rows and of
    /// the own part at once, and as if V stretched every direction by ||V||.
    Rows,
    /// The range of the scores in a row is replaced by 2a.
    Scores,
    /// The norm of the own part is replaced by v a.
    Own,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_formulas_are_short() {
        for (x, text) in [
            (9.0, "9"),
            (2.0504, "2.05"),
            (0.5, "0.5"),
            (123456.0, "123456"),
            (1.8385e9, "1.839 × 10⁹"),
            (-1e-5, "−1 × 10⁻⁵"),
            (1e18, "1 × 10¹⁸"),
            (0.0, "0"),
        ] {
            assert_eq!(brief(x), text);
        }
        assert_eq!(brief_of_ln(2f64.ln()), "2");
        assert_eq!(brief_of_ln(1000.0 * std::f64::consts::LN_10), "1 × 10¹⁰⁰⁰");
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY].map(brief_of_ln), ["∞", "0"]);
    }
}
