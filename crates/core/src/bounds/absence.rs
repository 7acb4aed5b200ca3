//! The reasons why a bound has no value.

use serde::{Deserialize, Serialize};

use crate::experiment::Phrase;
use crate::phrase;

/// Why a bound has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Absence {
    /// The bound is proved only for attention without a mask.
    CausalMask,
    /// The bound is only about the causal mask.
    NoMask,
    /// The bound is proved only for dot-product scores.
    L2Attention,
    /// The bound is only about the L2 multi-head attention of \[K\] and its weights.
    OtherAttention,
    /// The bound needs tokens that fill a ball, and the outputs of a normaliser do not; or the bound is in the l_inf
    /// norm, in which the normaliser's Jacobian is not bounded here.
    Normalizer,
    /// There are fewer tokens than the bound needs.
    FewTokens,
    /// The bound needs two directions, and d = 1.
    OneDimension,
    /// There are several heads and an output matrix. In their sum the other heads may cancel the head that the bound is
    /// about.
    HeadsMixed,
    /// The bound is only about two tokens.
    OtherLength,
    /// The bound is only about multiples of the identity for A.
    OtherMatrix,
    /// A has no direction that the bound could use: no real eigenvalue, or A = 0.
    NoDirection,
    /// The bound is proved only for the attention of the two papers, and this one has other steps.
    Variant,
    /// The experiment has a bound of its own kind, which takes its place where the attention has other steps.
    PlainAttention,
    /// The bound is only about weights that each depend on their own score alone: sigmoid, ReLU, softplus.
    SoftmaxWeights,
    /// The bound is only about softmax weights.
    OwnScoreWeights,
    /// The bound is only about a causal window.
    NoWindow,
    /// The bound is only about normalised queries and keys.
    NoQkNorm,
    /// The bound is proved for fewer steps of attention than there are.
    OtherSteps,
    /// The table of a mask or of a bias has a row for each token, and this is another number of tokens.
    TableSize,
    /// The bound was not computed at this size, or its value is outside the range of f64.
    NotComputed,
}

impl Absence {
    /// The reason as a phrase that follows the name of a bound and a colon.
    #[must_use]
    pub fn phrase(self) -> Phrase {
        match self {
            Absence::CausalMask => phrase!("absent_causal_mask", "not proved for the causal mask"),
            Absence::NoMask => phrase!("absent_no_mask", "only for the causal mask"),
            Absence::L2Attention => phrase!("absent_l2", "only for dot-product scores"),
            Absence::OtherAttention => phrase!("absent_other_attention", "only for L2 multi-head attention"),
            Absence::Normalizer => phrase!("absent_normalizer", "not proved with this normaliser"),
            Absence::FewTokens => phrase!("absent_few_tokens", "needs more tokens"),
            Absence::OneDimension => phrase!("absent_one_dimension", "needs two dimensions"),
            Absence::HeadsMixed => phrase!("absent_heads_mixed", "needs a single head where there is an output matrix"),
            Absence::OtherLength => phrase!("absent_other_length", "only for two tokens"),
            Absence::OtherMatrix => phrase!("absent_other_matrix", "only where A is a multiple of the identity"),
            Absence::NoDirection => phrase!("absent_no_direction", "A has no direction for its tokens"),
            Absence::Variant => phrase!("absent_variant", "only for attention without further steps"),
            Absence::PlainAttention => phrase!("absent_plain_attention", "only for attention with further steps"),
            Absence::SoftmaxWeights => phrase!("absent_softmax_weights", "only for sigmoid, ReLU and softplus weights"),
            Absence::OwnScoreWeights => phrase!("absent_own_score_weights", "only for softmax weights"),
            Absence::NoWindow => phrase!("absent_no_window", "only for a causal window"),
            Absence::NoQkNorm => phrase!("absent_no_qk_norm", "only for normalised queries and keys"),
            Absence::OtherSteps => phrase!("absent_other_steps", "not proved with all of these steps"),
            Absence::TableSize => {
                phrase!("absent_table_size", "the table of the mask or bias is for another number of tokens")
            }
            Absence::NotComputed => phrase!("absent_not_computed", "not computed at this size"),
        }
    }
}
