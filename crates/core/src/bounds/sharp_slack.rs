//! What each step of the proof of `sharp` and `sharp_masked` loses at given tokens (docs/theory.md section 2).

use super::local_parts::LocalParts;
use super::logarithms::ln_add;
use super::sharp::MixedTerms;
use super::slack_factor::{SlackFactor, SlackKind};
use super::{Bound, Hypotheses};

/// The factors whose product is bound / norm for one head, and for one of several heads the same without the first
/// step. `a` and `v` are the head's constants, `local` its terms at the tokens.
pub(super) fn factors(
    bound: &Bound,
    hypotheses: &Hypotheses,
    (a, v): (f64, f64),
    local: &LocalParts,
    spectral: f64,
) -> Vec<SlackFactor> {
    let mixed =
        |a: f64, ln_ratio: f64| v.ln() + MixedTerms::new(hypotheses.mask, hypotheses.ln_n, a, ln_ratio).ln_smallest();
    // The proof's constants as these tokens have them, at most those of the ball.
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
