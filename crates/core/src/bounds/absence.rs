//! Why a bound has no value: the first of its hypotheses that fails.

use serde::{Deserialize, Serialize};

use super::{Bound, BoundId, Hypotheses};
use crate::experiment::{Attention, Mask, Normalization, Phrase, Scope};
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
    /// A has no direction that the bound could use: no real eigenvalue, or A = 0. Also given for `Adversarial` and
    /// `AdversarialEnvelope` with several heads and an output matrix.
    NoDirection,
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
            Absence::NoDirection => phrase!("absent_no_direction", "A has no direction for its tokens"),
            Absence::NotComputed => phrase!("absent_not_computed", "not computed at this size"),
        }
    }
}

impl Hypotheses {
    /// Every bound that is not among `present`, with the reason. Leaves out `Skew`, which is about other weights, and
    /// `MaxToken`, which is computed only on request.
    #[must_use]
    pub fn absences(&self, present: &[Bound]) -> Vec<(BoundId, Absence)> {
        let is_asked = |id: &BoundId| !matches!(id, BoundId::Skew | BoundId::MaxToken);
        let is_absent = |id: &BoundId| present.iter().all(|bound| bound.id != *id);
        BoundId::ALL.into_iter().filter(is_asked).filter(is_absent).map(|id| (id, self.absence(id))).collect()
    }

    /// Why the bound `id` has no value under these hypotheses.
    #[must_use]
    pub fn absence(&self, id: BoundId) -> Absence {
        let is_about_kim = matches!(id, BoundId::KimL2 | BoundId::KimLinf);
        let is_masked = matches!(id, BoundId::SharpMasked | BoundId::UnifiedMasked);
        let is_for_both = matches!(id, BoundId::CastinGeneral | BoundId::Adversarial);
        let is_lower = id.side() == super::Side::Lower;
        match id {
            BoundId::Local | BoundId::LocalBlocks | BoundId::MaxToken => Absence::NotComputed,
            _ if is_about_kim && (self.attention != Attention::L2 || self.kim.is_none()) => Absence::OtherAttention,
            _ if !is_about_kim && self.attention != Attention::Dot => Absence::L2Attention,
            _ if is_lower && self.normalization != Normalization::None => Absence::Normalizer,
            BoundId::KimLinf if self.scope == Scope::Composed => Absence::Normalizer,
            _ if is_masked && self.mask == Mask::None => Absence::NoMask,
            _ if !is_masked && !is_for_both && self.mask == Mask::Causal => Absence::CausalMask,
            BoundId::Fork if self.n() < 3.0 - 1e-9 => Absence::FewTokens,
            _ if is_lower && self.n() < 2.0 - 1e-9 => Absence::FewTokens,
            BoundId::Fork if self.directions.iter().any(|direction| direction.w.is_none()) => Absence::OneDimension,
            _ if is_lower => Absence::NoDirection,
            _ => Absence::NotComputed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::measure::measure;
    use serde_json::{Value, json};

    fn absent(more: &Value) -> Vec<(BoundId, Absence)> {
        let mut value = json!({
            "tokens": {"source": "random", "distribution": "ball", "n": 5, "d": 2, "radius": 1},
            "weights": {"source": "identity", "sign": -1},
        });
        value.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        measure(&Experiment::from_value(value).expect("valid")).expect("measured").absent
    }

    #[test]
    fn every_bound_without_a_value_says_why() {
        let turn = json!([[0.0, -1.0], [1.0, 0.0]]);
        let one = json!([[1.0, 0.0], [0.0, 1.0]]);
        let of_turn = json!({"source": "explicit", "heads": [{"q": turn, "k": one, "v": one}]});
        let none = json!({"source": "explicit", "heads": [{"q": [[0, 0]], "k": [[0, 0]], "v": one}]});
        let tokens =
            |n: usize, d: usize| json!({"source": "random", "distribution": "ball", "n": n, "d": d, "radius": 1});
        for (more, id, expected) in [
            (json!({}), BoundId::SharpMasked, Some(Absence::NoMask)),
            (json!({}), BoundId::KimL2, Some(Absence::OtherAttention)),
            (json!({}), BoundId::Sink, None),
            (json!({"mask": "causal"}), BoundId::Sink, Some(Absence::CausalMask)),
            (json!({"mask": "causal"}), BoundId::Fork, Some(Absence::CausalMask)),
            (json!({"mask": "causal"}), BoundId::CastinMeanField, Some(Absence::CausalMask)),
            (json!({"mask": "causal"}), BoundId::Adversarial, None),
            (json!({"normalization": "rms"}), BoundId::Sink, Some(Absence::Normalizer)),
            (json!({"normalization": "rms"}), BoundId::Fork, Some(Absence::Normalizer)),
            (json!({"normalization": "layer", "mask": "causal"}), BoundId::Adversarial, Some(Absence::Normalizer)),
            (json!({"attention": "l2"}), BoundId::Fork, Some(Absence::L2Attention)),
            (json!({"attention": "l2"}), BoundId::Sharp, Some(Absence::L2Attention)),
            (json!({"attention": "l2"}), BoundId::KimLinf, Some(Absence::OtherAttention)),
            (json!({"tokens": tokens(2, 2)}), BoundId::Fork, Some(Absence::FewTokens)),
            (json!({"tokens": tokens(5, 1)}), BoundId::Fork, Some(Absence::OneDimension)),
            (json!({"weights": of_turn}), BoundId::Adversarial, Some(Absence::NoDirection)),
            (json!({"weights": none}), BoundId::Sink, Some(Absence::NoDirection)),
        ] {
            let found = absent(&more).into_iter().find(|(absent, _)| *absent == id).map(|(_, why)| why);
            assert_eq!(found, expected, "{more} {id:?}");
        }
    }
}
