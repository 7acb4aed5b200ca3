use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::logarithms::ln_minus_one;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::adversarial::{growth, ln_all, worked};

/// Lower: the largest of `adversarial` over all lengths n' <= n, a bound on the largest L_n' of them and **not**
/// on every L_n.
///
/// Hypotheses as there, without a mask. Source: tokens of \[C\], envelope ours, section 4, `adversarial_envelope`.
pub static ADVERSARIAL_ENVELOPE: Statement = Statement {
    id: "adversarial_envelope",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "the largest adversarial bound over all lengths up to n",
    tex: None,
    needs: &[
        Need::PlainAttention,
        Need::DotScores,
        Need::NoNormalizer,
        Need::Unmasked,
        Need::MinTokens(2),
        Need::OneHeadOrConcatenated,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Envelope,
    rung: Some(130),
    label: "adversarial_envelope",
    note: "adversarial_envelope",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &ADVERSARIAL_ENVELOPE, value: Computation::OnBall(ln), worked, losses: no_losses };

fn ln(hypotheses: &Hypotheses) -> Option<f64> {
    let (line, g) = (hypotheses.adversarial?, growth(hypotheses)?);
    // With t = (n'-1) e^(-2g), e^g sqrt(t)/(1+t) (1 + 2 g t/(1+t)) rises up to t = (3g + sqrt(9g^2 + 2g + 1))/(1 + 2g).
    let t = match g {
        0.0..1.0 => (3.0 * g + (9.0 * g * g + 2.0 * g + 1.0).sqrt()) / (1.0 + 2.0 * g),
        _ => (3.0 + (9.0 + 2.0 / g + 1.0 / (g * g)).sqrt()) / (1.0 / g + 2.0),
    };
    let best = t.ln() + 2.0 * g;
    let last = ln_minus_one(hypotheses.ln_n);
    if last <= best {
        return Some(line.gain.ln() + ln_all(last, g));
    }
    // n' is an integer: the best one is next to the real maximiser.
    let whole = |ln: f64| if ln < 34.0 { ln.exp().max(1.0).ln() } else { ln };
    let beside = if best < 34.0 {
        let below = best.exp().floor().max(1.0);
        ln_all(below.ln(), g).max(ln_all((below + 1.0).ln().min(last), g))
    } else {
        ln_all(whole(best), g)
    };
    Some(line.gain.ln() + beside)
}
