//! The role of each bound, the same in every plot.

use lipscope_core::bounds::BoundId;
use lipscope_plot::Role;

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
