//! What a bound needs: its hypotheses as data. The only place that decides whether a bound applies, and that says why it
//! does not.

use super::absence::Absence;
use super::heads::Combination;
use super::hypotheses::Hypotheses;
use super::lower::variant_witnesses::DotWitnesses;
use super::variant::{Scores, Variant};
use crate::experiment::{Attention, Mask, MaskKind, Normalization, Order, Scope};

/// A hypothesis of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The attention of the two papers, without further steps.
    PlainAttention,
    /// Attention with steps beyond those of the two papers.
    FurtherSteps,
    /// Dot-product scores.
    DotScores,
    /// Attention with further steps, or L2 scores.
    FurtherStepsOrL2,
    /// L2 multi-head attention of \[K\] with its weights.
    L2MultiHead,
    /// Weights that are a softmax, with or without a sink.
    SoftmaxWeights,
    /// Weights that each depend on their own score alone.
    OwnScoreWeights,
    /// As many tokens as the tables of the mask and of the biases have rows.
    TableSize,
    /// A causal window.
    CausalWindow,
    /// Normalised queries and keys.
    QkNorm,
    /// No normaliser of the tokens.
    NoNormalizer,
    /// No normaliser in the Jacobian: its factor bounds Euclidean norms only.
    NoNormalizerInJacobian,
    /// The causal mask.
    Causal,
    /// No mask.
    Unmasked,
    /// No mask or the causal one.
    UnmaskedOrCausal,
    /// Exactly this many tokens. Clusters may hold 2.49 tokens, for which a bound on two of them is not proved.
    Tokens(u32),
    /// At least this many tokens.
    MinTokens(u32),
    /// A that is a multiple of the identity, in every head.
    IsotropicScores,
    /// Two directions that are orthogonal to each other.
    TwoDimensions,
    /// One head, or heads without an output matrix: in a sum the other heads may cancel the one that the bound is about.
    OneHeadOrConcatenated,
    /// The same where the value is a closed form. Without a mask and further steps it is the norm at the tokens, with all
    /// heads.
    OneHeadInClosedForm,
    /// Steps that the closed form of the fork covers.
    StepsOfFork,
    /// Steps under which a key at zero has the slope of the proof.
    StepsOfZeroKey,
    /// No steps besides the mask and a scale.
    OnlyMaskAndScale,
}

/// The largest difference of two logarithms of numbers of tokens that rounding may make. The number of tokens is known by
/// its logarithm, and may be that of a sum of clusters.
const SAME_LN_N: f64 = 1e-12;

impl Need {
    /// Whether it is met.
    fn holds(self, given: &Hypotheses) -> bool {
        let variant = given.variant.as_deref();
        let of_steps = |holds: fn(&Variant) -> bool| variant.is_some_and(holds);
        match self {
            Need::PlainAttention => given.is_plain(),
            Need::FurtherSteps => !given.is_plain(),
            Need::FurtherStepsOrL2 => variant.is_some(),
            Need::DotScores => given.attention == Attention::Dot,
            Need::L2MultiHead => given.attention == Attention::L2 && given.kim.is_some(),
            Need::SoftmaxWeights => !of_steps(|variant| variant.weighting.is_elementwise()),
            Need::OwnScoreWeights => of_steps(|variant| variant.weighting.is_elementwise()),
            Need::TableSize => given.table_size().is_none_or(|size| size as f64 == given.n().round()),
            Need::CausalWindow => of_steps(|variant| matches!(variant.mask, Mask::Window { order: Order::Causal, .. })),
            Need::QkNorm => of_steps(|variant| matches!(variant.scores, Scores::Normalized { .. })),
            Need::NoNormalizer => given.normalization == Normalization::None,
            Need::NoNormalizerInJacobian => given.scope != Scope::Composed,
            Need::Causal => given.mask == MaskKind::Causal,
            Need::Unmasked => given.mask == MaskKind::None,
            Need::UnmaskedOrCausal => given.mask != MaskKind::Other,
            Need::Tokens(n) => (given.ln_n - f64::from(n).ln()).abs() < SAME_LN_N,
            Need::MinTokens(n) => given.ln_n >= f64::from(n).ln() - SAME_LN_N,
            Need::IsotropicScores => given.isotropic.iter().all(|is_isotropic| *is_isotropic),
            // Where no direction is known at all, that is the reason.
            Need::TwoDimensions => {
                given.directions.is_empty() || given.directions.iter().any(|direction| direction.w.is_some())
            }
            Need::OneHeadOrConcatenated => !given.are_heads_mixed(),
            Need::OneHeadInClosedForm => (given.is_plain() && given.mask == MaskKind::None) || !given.are_heads_mixed(),
            Need::StepsOfFork => given.is_plain() || of_steps(|variant| variant.witnesses.dot == DotWitnesses::Fork),
            Need::StepsOfZeroKey => of_steps(|variant| variant.witnesses.zero_key.is_some()),
            Need::OnlyMaskAndScale => of_steps(Variant::has_only_scale),
        }
    }

    /// The reason that a bound is absent where it is not met.
    fn absence(self) -> Absence {
        match self {
            Need::PlainAttention => Absence::Variant,
            Need::FurtherSteps | Need::FurtherStepsOrL2 => Absence::PlainAttention,
            Need::DotScores => Absence::L2Attention,
            Need::L2MultiHead => Absence::OtherAttention,
            Need::SoftmaxWeights => Absence::OwnScoreWeights,
            Need::OwnScoreWeights => Absence::SoftmaxWeights,
            Need::TableSize => Absence::TableSize,
            Need::CausalWindow => Absence::NoWindow,
            Need::QkNorm => Absence::NoQkNorm,
            Need::NoNormalizer | Need::NoNormalizerInJacobian => Absence::Normalizer,
            Need::Causal => Absence::NoMask,
            Need::Unmasked => Absence::CausalMask,
            // A mask of another kind is a further step.
            Need::UnmaskedOrCausal => Absence::Variant,
            Need::Tokens(_) => Absence::OtherLength,
            Need::MinTokens(_) => Absence::FewTokens,
            Need::IsotropicScores => Absence::OtherMatrix,
            Need::TwoDimensions => Absence::OneDimension,
            Need::OneHeadOrConcatenated | Need::OneHeadInClosedForm => Absence::HeadsMixed,
            Need::StepsOfFork | Need::StepsOfZeroKey | Need::OnlyMaskAndScale => Absence::OtherSteps,
        }
    }
}

/// The reasons that a bound with these needs is absent, one for each need that is not met, in their order.
pub(crate) fn failing(needs: &'static [Need], given: &Hypotheses) -> impl Iterator<Item = Absence> {
    needs.iter().filter(|need| !need.holds(given)).map(|need| need.absence())
}

/// The first of them; `None` where all needs are met.
pub(crate) fn first_failing(needs: &'static [Need], given: &Hypotheses) -> Option<Absence> {
    failing(needs, given).next()
}

impl Hypotheses {
    /// Whether an output matrix adds several heads up.
    pub(crate) fn are_heads_mixed(&self) -> bool {
        self.heads.len() > 1 && self.combination == Combination::Sum
    }
}
