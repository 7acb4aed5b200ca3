use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, constants, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::found::Found;
use super::witness_form::Shape;
use super::{causal_witness, witness};
use crate::experiment::MaskKind;

/// Lower: L_n >= sqrt(N t) p |V (y + (1 - t p) |A x| (R y - x))|, p = 1/(t + N e^(-D)), D = R |A x| - x.A x, for N = n - t
/// tokens at x and t at R y, y = A x/|A x|, 1 <= t < n. The value is the exact norm at the best of these tokens; causal, a
/// closed form.
///
/// Dot-product attention, no mask or the causal one, no normaliser, n >= 2, every A and V (causal: not several heads with an
/// output matrix). Source: ours, section 4, `sink`.
pub static SINK: Statement = Statement {
    id: "sink",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "√(N t) p |V (y + (1 − t p)(R y − x) |Ax|)|, p = 1/(t + N e^(−D)), D = R|Ax| − x·Ax",
    tex: None,
    needs: &[
        Need::PlainAttention,
        Need::DotScores,
        Need::NoNormalizer,
        Need::UnmaskedOrCausal,
        Need::MinTokens(2),
        Need::OneHeadInClosedForm,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Sink,
    rung: Some(110),
    label: "sink",
    note: "sink",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &SINK, value: Computation::AtWitness(find), worked: constants, losses: no_losses };

fn find(given: &Hypotheses) -> Option<Found> {
    if given.mask == MaskKind::Causal {
        return causal_witness::best(given, Shape::Sink).map(Found::from_closed_form);
    }
    witness::best(given, Shape::Sink).map(Found::from_norm)
}
