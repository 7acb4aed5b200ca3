//! The slack of upper bounds: the formula with its numbers, and the factor that each step of the proof loses.

use super::ball::mixed_terms::MixedTerms;
use super::ball::row_mass::{self, KeySlopes};
use super::ball::unified::{ln_column_sum, ln_hardy, ln_masked_column_sum};
use super::ball::{elementwise, general};
use super::hypotheses::HeadOnBall;
use super::local::rows::LocalParts;
use super::logarithms::ln_add;
use super::{Bound, BoundId, Combination, Hypotheses};
use crate::experiment::{Attention, MaskKind};
use serde::{Deserialize, Serialize};

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

/// The slack of each of these bounds, given the terms of `local` and the norm at the tokens. Lower bounds have no
/// factors.
#[must_use]
pub fn slacks(hypotheses: &Hypotheses, bounds: &[Bound], local: Option<&LocalParts>, spectral: f64) -> Vec<BoundSlack> {
    let head_idx = local.map_or(0, |parts| parts.head_idx).min(hypotheses.heads.len().saturating_sub(1));
    if hypotheses.heads.is_empty() {
        return Vec::new();
    }
    let on_ball = hypotheses.head_on_ball(head_idx);
    bounds
        .iter()
        .map(|bound| BoundSlack {
            id: bound.id,
            worked: worked(bound.id, hypotheses, head_idx, &on_ball, local),
            factors: factors(bound, bounds, hypotheses, &on_ball, local, spectral),
        })
        .collect()
}

/// Own and mixed part, for a head whose bound is v times that of one map. With an output matrix and several heads the
/// bound is the smaller of two rules, which no head tells.
fn worked_of_variant(id: BoundId, hypotheses: &Hypotheses, head_idx: usize, v: f64) -> Option<String> {
    if hypotheses.heads.len() > 1 && hypotheses.combination == Combination::Sum {
        return None;
    }
    let sum = |[own, mixed]: [f64; 2]| format!("{} · ({} + {})", brief(v), brief(own), brief(mixed));
    match id {
        BoundId::General => general::parts(hypotheses, head_idx).map(|[own, mixed, _]| sum([own, mixed])),
        BoundId::GeneralToken => general::parts(hypotheses, head_idx).map(|[own, _, mixed]| sum([own, mixed])),
        BoundId::Elementwise => elementwise::parts(hypotheses, head_idx).map(|[own, mixed, _]| sum([own, mixed])),
        BoundId::ElementwiseToken => {
            elementwise::parts(hypotheses, head_idx).map(|[.., token]| format!("{} · {}", brief(v), brief(token)))
        }
        _ => None,
    }
}

fn worked(
    id: BoundId,
    hypotheses: &Hypotheses,
    head_idx: usize,
    head: &HeadOnBall,
    local: Option<&LocalParts>,
) -> String {
    let (a, v) = (head.a, head.v_norm);
    let (n, last) = (brief(hypotheses.n()), brief(hypotheses.n() - 1.0));
    let (a_text, v_text) = (brief(a), brief(v));
    let formula = match id {
        BoundId::CastinGeneral => format!("√3 · {v_text} · √({a_text}² · (4 · {n} + 1) + {n})"),
        BoundId::CastinMeanField => format!("{v_text} · (1 + 3 · {a_text}) · e^(2 · {a_text})"),
        BoundId::Sharp | BoundId::SharpMasked => {
            let mixed = MixedTerms::of_dot(hypotheses.mask, hypotheses.ln_n, a, 2.0 * a, &head.exponents);
            let mixed = brief(mixed.ln_smallest().exp());
            let [short, long] =
                [row_mass::ln_any_length(KeySlopes::Constant, a), row_mass::ln_long(KeySlopes::Constant, a, 2.0 * a)]
                    .map(f64::exp)
                    .map(brief);
            format!("{v_text} · ({a_text} + {mixed}), G = {short}, F = {long}, n = {n}")
        }
        BoundId::Unified => {
            format!("{v_text} · ({a_text} + √((1 + {a_text}²) · {n} / (1 + {last} · e^(−2 · {a_text}))))")
        }
        BoundId::UnifiedMasked => {
            let sum = brief(ln_masked_column_sum(hypotheses.ln_n, a).exp());
            format!(
                "{v_text} · ({a_text} + min(√((1 + {a_text}²) · {sum}), 2 · (1 + 2 · {a_text}) · e^(2 · {a_text})))"
            )
        }
        BoundId::Local => match local {
            Some(parts) => format!("{} + {}", brief(parts.own), brief(parts.mixed)),
            None => String::new(),
        },
        BoundId::Adversarial | BoundId::AdversarialEnvelope => match hypotheses.adversarial {
            Some(line) => {
                let g = line.gamma * hypotheses.radius * hypotheses.radius;
                format!("|Vu| = {}, g = {}, n = {n}", brief(line.gain), brief(g))
            }
            None => String::new(),
        },
        BoundId::KimLinf | BoundId::KimL2 | BoundId::KimColumn => {
            super::ball::kim::worked(id, hypotheses, brief).unwrap_or_default()
        }
        BoundId::GeneralToken if hypotheses.is_plain() && hypotheses.d == 1 => {
            format!("{v_text} · max(1 + {a_text}, 2 · {a_text} + 1/(8 · {a_text}))")
        }
        BoundId::GeneralToken if hypotheses.is_plain() => format!("{v_text} · ({a_text} + √(1 + {a_text}²))"),
        BoundId::General | BoundId::GeneralToken | BoundId::Elementwise | BoundId::ElementwiseToken => {
            worked_of_variant(id, hypotheses, head_idx, v).unwrap_or_default()
        }
        BoundId::LocalBlocks
        | BoundId::LocalToken
        | BoundId::MaxToken
        | BoundId::EqualTokens
        | BoundId::ZeroKey
        | BoundId::WindowCausal => String::new(),
        BoundId::TwoTokens => format!("{v_text} · (0.354 · {a_text} + 2.37)"),
        BoundId::TwoClusters | BoundId::Sink | BoundId::Fork | BoundId::Centre | BoundId::Cesaro | BoundId::Skew => {
            format!("a = {a_text}, v = {v_text}, n = {n}")
        }
    };
    // Where the Jacobian includes the normaliser, every bound is multiplied by the normaliser's factor at these tokens.
    let outer = hypotheses.outer_factor;
    let formula = if outer == 1.0 || formula.is_empty() { formula } else { format!("{} · ({formula})", brief(outer)) };
    match (hypotheses.heads.len(), hypotheses.combination) {
        (0 | 1, _) => formula,
        (_, Combination::Sum) => format!("{formula} for this head; heads add up, or less"),
        (_, Combination::RootOfSquares) => format!("{formula} for this head; heads combine as √(b₁² + b₂² + …)"),
    }
}

fn factors(
    bound: &Bound,
    bounds: &[Bound],
    hypotheses: &Hypotheses,
    head: &HeadOnBall,
    local: Option<&LocalParts>,
    spectral: f64,
) -> Vec<SlackFactor> {
    let ln_of = |id: BoundId| bounds.iter().find(|b| b.id == id).map(|b| b.log10 * std::f64::consts::LN_10);
    let ours = ln_of(if hypotheses.mask == MaskKind::None { BoundId::Unified } else { BoundId::UnifiedMasked });
    let beside = |id: BoundId, kind: SlackKind| {
        let (this, ours) = (ln_of(id)?, ours?);
        Some(SlackFactor { kind, times: (this - ours).exp() })
    };
    let mut factors: Vec<SlackFactor> = match bound.id {
        BoundId::Local | BoundId::LocalBlocks if spectral > 0.0 => {
            vec![SlackFactor { kind: SlackKind::Parts, times: bound.value.unwrap_or(f64::INFINITY) / spectral }]
        }
        BoundId::Sharp | BoundId::SharpMasked => {
            local.map_or_else(Vec::new, |parts| sharp_factors(bound, hypotheses, head, parts, spectral))
        }
        BoundId::Unified | BoundId::UnifiedMasked => {
            local.map_or_else(Vec::new, |parts| mixed_part_slack(hypotheses, (head.a, head.v_norm), parts))
        }
        BoundId::CastinGeneral => beside(bound.id, SlackKind::Length).into_iter().collect(),
        BoundId::CastinMeanField => beside(bound.id, SlackKind::Exponent).into_iter().collect(),
        BoundId::Local
        | BoundId::LocalBlocks
        | BoundId::LocalToken
        | BoundId::MaxToken
        | BoundId::KimLinf
        | BoundId::KimL2
        | BoundId::KimColumn
        | BoundId::TwoTokens
        | BoundId::Centre
        | BoundId::Cesaro
        | BoundId::Adversarial
        | BoundId::AdversarialEnvelope
        | BoundId::TwoClusters
        | BoundId::Sink
        | BoundId::Fork
        | BoundId::General
        | BoundId::GeneralToken
        | BoundId::Elementwise
        | BoundId::ElementwiseToken
        | BoundId::EqualTokens
        | BoundId::ZeroKey
        | BoundId::WindowCausal
        | BoundId::Skew => Vec::new(),
    };
    factors.retain(|factor| factor.times.is_finite() && factor.times > 1.0 + 1e-9);
    factors.sort_by(|a, b| b.times.total_cmp(&a.times));
    factors
}

/// The factors whose product is (mixed part of `unified`) / (mixed part of `local`), for one head (docs/theory.md
/// section 2).
fn mixed_part_slack(hypotheses: &Hypotheses, (a, v): (f64, f64), parts: &LocalParts) -> Vec<SlackFactor> {
    if hypotheses.attention != Attention::Dot || parts.w <= 0.0 || parts.mixed <= 0.0 {
        return Vec::new();
    }
    let ln_column = match hypotheses.mask {
        MaskKind::None => ln_column_sum(hypotheses.ln_n, a),
        MaskKind::Causal => ln_masked_column_sum(hypotheses.ln_n, a),
        MaskKind::Other => return Vec::new(),
    };
    // Under the mask the bound may come from Hardy's inequality, which does not use column sums.
    if hypotheses.mask == MaskKind::Causal && 2.0 * 1f64.hypot(a).ln() + ln_column > 2.0 * ln_hardy(a) {
        return Vec::new();
    }
    let with_radius = 1.0 + parts.gradient_square * hypotheses.radius * hypotheses.radius;
    let root = |kind: SlackKind, square: f64| SlackFactor { kind, times: square.sqrt() };
    vec![
        root(SlackKind::ColumnSums, (ln_column - parts.column_sum.ln()).exp()),
        root(SlackKind::ANorm, (1.0 + a * a) / with_radius),
        root(SlackKind::Radius, with_radius / (1.0 + parts.spread)),
        root(SlackKind::VNorm, v * v * (1.0 + parts.spread) / parts.w),
        root(SlackKind::Alignment, parts.column_sum * parts.w / (parts.mixed * parts.mixed)),
    ]
}

/// A number with four significant digits, or more where more stand before the decimal point. Below 1e-3 and from 1e6 on
/// it has a power of ten.
fn brief(x: f64) -> String {
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
    let digits = format!("{:.3}", x / 10f64.powf(exponent));
    let digits = digits.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    let power: String = (exponent as i32).to_string().chars().map(superscript).collect();
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

/// What each step of the proof of `sharp` and `sharp_masked` loses (docs/theory.md section 2). For one head the product
/// of the factors is bound / norm; for several heads [`SlackKind::Rows`] is left out. `local` has the head's terms at the
/// tokens.
fn sharp_factors(
    bound: &Bound,
    hypotheses: &Hypotheses,
    head: &HeadOnBall,
    local: &LocalParts,
    spectral: f64,
) -> Vec<SlackFactor> {
    let (a, v) = (head.a, head.v_norm);
    let mixed = |a: f64, ln_ratio: f64| {
        v.ln() + MixedTerms::of_dot(hypotheses.mask, hypotheses.ln_n, a, ln_ratio, &head.exponents).ln_smallest()
    };
    // The proof's constants at these tokens. They are at most the constants for the ball.
    let gradient = (local.gradient_square.sqrt() * hypotheses.radius).min(a);
    let ln_ratio = local.ln_ratio.min(2.0 * a);
    let (own, own_of_ball) = (local.own.ln(), (v * a).ln());
    let at_tokens = ln_add(own, mixed(gradient, ln_ratio));
    let with_a_norm = ln_add(own, mixed(a, ln_ratio));
    let with_scores = ln_add(own, mixed(a, 2.0 * a));
    let whole = ln_add(own_of_ball, mixed(a, 2.0 * a));
    let factor = |kind: SlackKind, ln: f64| SlackFactor { kind, times: ln.exp() };
    let mut factors = vec![
        factor(SlackKind::ANorm, with_a_norm - at_tokens),
        factor(SlackKind::Scores, with_scores - with_a_norm),
        factor(SlackKind::Own, whole - with_scores),
    ];
    if hypotheses.heads.len() == 1 && spectral > 0.0 {
        let rest = bound.log10 * std::f64::consts::LN_10 - spectral.ln() - (whole - at_tokens);
        factors.push(factor(SlackKind::Rows, rest));
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::measure::measure;

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
    }

    #[test]
    fn the_formula_of_a_variant_in_numbers_is_its_bound() {
        for rest in [
            r#""score":{"softcap":2},"weighting":{"kind":"softmax","sink":1}"#,
            r#""score":{"qk_norm":{"kind":"rms","eps":1}},"mask":{"kind":"window","width":3}"#,
            r#""weighting":{"kind":"sigmoid"}"#,
        ] {
            let text = format!(
                r#"{{"tokens":{{"source":"random","distribution":"ball","n":6,"d":3,"radius":1}},
                "weights":{{"source":"random","heads":1,"head_dim":2}},{rest}}}"#
            );
            let found = measure(&Experiment::from_json(&text).expect("an experiment")).expect("a measurement");
            let mut checked = 0;
            let of_variants =
                [BoundId::General, BoundId::GeneralToken, BoundId::Elementwise, BoundId::ElementwiseToken];
            for slack in found.slacks.iter().filter(|slack| of_variants.contains(&slack.id)) {
                // The numbers have four digits: v times a sum, or v times a number.
                let number = |text: &str| text.trim().trim_matches(['(', ')']).parse::<f64>().expect("a short number");
                let (v, rest) = slack.worked.split_once('·').expect("a product");
                let value = number(v) * rest.split('+').map(number).sum::<f64>();
                let bound = found.bounds.iter().find(|bound| bound.id == slack.id).and_then(|bound| bound.value);
                let bound = bound.expect("in range");
                assert!(
                    (value / bound - 1.0).abs() < 3e-3,
                    "{rest} {:?}: {} is {value}, not {bound}",
                    slack.id,
                    slack.worked
                );
                checked += 1;
            }
            assert_eq!(checked, 2, "{rest}: two norms");
        }
    }

    #[test]
    fn a_formula_in_numbers_holds_the_factor_of_the_normaliser() {
        let text = r#"{"tokens":{"source":"random","distribution":"ball","n":6,"d":4,"radius":0.1},
            "weights":{"source":"identity","sign":-1},"normalization":"rms","normalization_scope":"composed"}"#;
        let found = measure(&Experiment::from_json(text).expect("an experiment")).expect("a measurement");
        let slack = found.slacks.iter().find(|slack| slack.id == BoundId::CastinMeanField).expect("the bound applies");
        let (factor, rest) = slack.worked.split_once(" · (").expect("a factor and the rest");
        let bound = found.bounds.iter().find(|bound| bound.id == BoundId::CastinMeanField).expect("the same");
        // v (1 + 3a) e^(2a) with v = 1 and a = d, the square of R after a normaliser.
        let ball = (1.0 + 3.0 * 4.0) * 8f64.exp();
        assert!(rest.starts_with("1 · "), "{}", slack.worked);
        let factor: f64 = factor.parse().expect("a number");
        assert!((factor * ball / bound.value.expect("in range") - 1.0).abs() < 1e-2, "{}", slack.worked);
    }
}
