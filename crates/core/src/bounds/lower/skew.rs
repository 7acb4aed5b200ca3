use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, constants, no_losses};
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};

/// A witness: the exact norm at the tokens R (-e, e, .., e) for **another** matrix of the same norm, -β I + sqrt(||A||^2 - β^2)
/// T with a quarter turn T and β R^2 = min(a, ln(n - 1)/2). It shows how sharp `unified` is, and is no bound for
/// the given A.
///
/// Dot-product attention, no mask, one head, no normaliser, n >= 2. Source: ours, section 4, `skew`.
pub static SKEW: Statement = Statement {
    id: "skew",
    side: Side::Lower,
    domain: Domain::OtherWeights,
    norm: Norm::Spectral,
    formula: "the exact norm of −e, e, .., e for A = −cI + √(‖A‖² − c²) J",
    tex: None,
    needs: &[Need::PlainAttention, Need::DotScores, Need::NoNormalizer, Need::Unmasked, Need::MinTokens(2)],
    otherwise: Absence::NotComputed,
    group: Group::OtherWeights,
    rung: None,
    label: "skew",
    note: "skew",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &SKEW, value: Computation::Elsewhere, worked: constants, losses: no_losses };
