use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, constants, no_losses};
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::found::Found;
use super::two_cluster_curve::TwoClusterCurve;

/// Lower: L_n >= the norm, on changes along u, of N_1 tokens at r_1 u and n - N_1 at r_2 u, the largest over the splits of n,
/// |r_1|, |r_2| <= R and some unit vectors u: eigenvectors of A and of (A + A^T)/2.
///
/// Dot-product attention, no mask, no normaliser, n >= 2, any number of heads. Source: ours, section 4, `two_clusters`.
pub static TWO_CLUSTERS: Statement = Statement {
    id: "two_clusters",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "the exact norm of the best two clusters on a line",
    tex: None,
    needs: &[Need::PlainAttention, Need::DotScores, Need::NoNormalizer, Need::Unmasked, Need::MinTokens(2)],
    otherwise: Absence::NoDirection,
    group: Group::Tokens,
    rung: Some(125),
    label: "two_clusters",
    note: "two_clusters",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &TWO_CLUSTERS,
    value: Computation::AtWitness(|given| {
        TwoClusterCurve::new(given, given.ln_n)?.at(given.ln_n).map(Found::from_line)
    }),
    worked: constants,
    losses: no_losses,
};
