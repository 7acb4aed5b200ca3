//! What every plot of the constant shares: the role of each bound, and the mean of draws.

use lipscope_core::bounds::BoundId;
use lipscope_plot::{Role, ascending};

/// The role that a bound has in every view.
pub fn role_of(bound: BoundId) -> Role {
    match bound {
        BoundId::CastinGeneral | BoundId::KimL2 | BoundId::KimLinf => Role::PublishedGeneral,
        BoundId::CastinMeanField => Role::PublishedMeanField,
        BoundId::Sharp | BoundId::SharpMasked => Role::Sharp,
        BoundId::Unified | BoundId::UnifiedMasked => Role::Unified,
        BoundId::Local | BoundId::LocalBlocks | BoundId::MaxToken => Role::Local,
        BoundId::TwoClusters => Role::LowerBound,
        BoundId::Sink => Role::LowerSink,
        BoundId::Fork => Role::LowerFork,
        BoundId::Adversarial => Role::LowerFamily,
        BoundId::AdversarialEnvelope => Role::Envelope,
        BoundId::Skew => Role::Skew,
    }
}

/// The mean at each n, ascending; the points of one n are together.
pub fn means(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted = points.to_vec();
    ascending(&mut sorted, |point| point.0);
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|point| point.1).sum::<f64>() / same.len() as f64))
        .collect()
}
