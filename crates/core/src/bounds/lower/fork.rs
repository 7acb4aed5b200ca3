use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, constants, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::found::Found;
use super::witness_form::Shape;
use super::{causal_witness, variant_fork, witness};
use crate::experiment::MaskKind;

/// Lower: L_n >= sqrt(N t) p R sin(θ) |A x| |V w|, p = 1/(t + N e^(-D)), D = R |A x| cos(θ) - x.A x, for N = n - t tokens at
/// x and t/2 at each of R (y cos(θ) + w sin(θ)) and R (y cos(θ) - w sin(θ)), y = A x/|A x|, w a unit vector orthogonal to y,
/// t even. The value is the exact norm at the best of these tokens; causal, and with a cap or a sink, a closed form.
///
/// Dot-product attention, no mask or the causal one, no normaliser, n >= 3, d >= 2, every A and V. Source: ours, section 4,
/// `fork`.
pub static FORK: Statement = Statement {
    id: "fork",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "√(N t) p R sin θ |Ax| |Vw|, p = 1/(t + N e^(−D)), D = R|Ax| cos θ − x·Ax",
    tex: None,
    needs: &[
        Need::DotScores,
        Need::NoNormalizer,
        Need::MinTokens(3),
        Need::TwoDimensions,
        Need::OneHeadInClosedForm,
        Need::StepsOfFork,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Fork,
    rung: Some(105),
    label: "fork",
    note: "sink",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &FORK, value: Computation::AtWitness(find), worked: constants, losses: no_losses };

/// With the exact norm for plain experiments without a mask, with a closed form elsewhere.
fn find(given: &Hypotheses) -> Option<Found> {
    if !given.is_plain() {
        return variant_fork::best(given).map(Found::from_norm);
    }
    if given.mask == MaskKind::Causal {
        return causal_witness::best(given, Shape::Fork).map(Found::from_closed_form);
    }
    witness::best(given, Shape::Fork).map(Found::from_norm)
}
