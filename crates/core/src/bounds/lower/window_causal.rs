use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_formula, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::adversarial::ln_causal_of;
use crate::experiment::Mask;

/// Lower: `adversarial` for causal attention on min(n, W) tokens, which are the first rows of a causal window of W
/// tokens.
///
/// Dot-product attention under a causal window without further steps, no normaliser; one head or concatenated ones, A with a
/// real eigenvalue. Source: ours, section 6, `window_causal`.
pub static WINDOW_CAUSAL: Statement = Statement {
    id: "window_causal",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "the adversarial bound for causal attention on min(n, W) tokens",
    tex: None,
    needs: &[
        Need::FurtherSteps,
        Need::CausalWindow,
        Need::NoNormalizer,
        Need::MinTokens(2),
        Need::OneHeadOrConcatenated,
        Need::OnlyMaskAndScale,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Adversarial,
    rung: Some(100),
    label: "window_causal",
    note: "window_causal",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &WINDOW_CAUSAL, value: Computation::OnBall(ln), worked: no_formula, losses: no_losses };

fn ln(given: &Hypotheses) -> Option<f64> {
    let Mask::Window { width, .. } = given.variant.as_deref()?.mask else { return None };
    ln_causal_of(given, given.ln_n.min((width as f64).ln()))
}
