//! Why a bound has no value: the first of its hypotheses that fails.

use serde::{Deserialize, Serialize};

use super::best::counts;
use super::variant::{Scores, Variant};
use super::{Bound, BoundId, Combination, Hypotheses, Norm, Side};
use crate::experiment::{Attention, Mask, MaskKind, Normalization, Order, Phrase, Scope};
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

impl Hypotheses {
    /// Every bound that is not among `present`, with the reason. Leaves out `Skew`, which is about other weights,
    /// `MaxToken`, which is computed only on request, and for plain experiments the bounds on variants.
    #[must_use]
    pub fn absences(&self, present: &[Bound]) -> Vec<(BoundId, Absence)> {
        let is_asked = |id: &BoundId| {
            let is_of_others = self.is_plain() && id.is_of_variants();
            !is_of_others && !matches!(id, BoundId::Skew | BoundId::MaxToken)
        };
        let is_absent = |id: &BoundId| present.iter().all(|bound| bound.id != *id);
        BoundId::ALL.into_iter().filter(is_asked).filter(is_absent).map(|id| (id, self.absence(id))).collect()
    }

    /// Why no bound on `norm` over the ball has a value on this side, in one reason: that there are too few tokens, where
    /// more would do, else the one that most bounds share, without those that are about another mask or kernel where there
    /// are others. `present` are the bounds that have a value. `None` where no bound of this side is about the norm.
    #[must_use]
    pub fn why_none(&self, present: &[Bound], norm: Norm, side: Side) -> Option<Absence> {
        let of_side = |(id, _): &(BoundId, Absence)| counts(*id, norm, side);
        let reasons: Vec<Absence> = self.absences(present).into_iter().filter(of_side).map(|(_, why)| why).collect();
        if reasons.contains(&Absence::FewTokens) {
            return Some(Absence::FewTokens);
        }
        let is_of_others = |why: &Absence| {
            matches!(why, Absence::NoMask | Absence::OtherAttention | Absence::OtherLength | Absence::PlainAttention)
        };
        let count = |why: Absence| reasons.iter().filter(|other| **other == why).count();
        // The first of equally many: `max_by_key` would take the last.
        let most = |reasons: &mut dyn Iterator<Item = Absence>| {
            reasons.reduce(|best, why| if count(why) > count(best) { why } else { best })
        };
        most(&mut reasons.iter().copied().filter(|why| !is_of_others(why)))
            .or_else(|| most(&mut reasons.iter().copied()))
    }

    /// Why the bound `id` has no value under these hypotheses.
    #[must_use]
    pub fn absence(&self, id: BoundId) -> Absence {
        let is_about_kim = matches!(id, BoundId::KimL2 | BoundId::KimLinf | BoundId::KimColumn);
        let is_masked = matches!(id, BoundId::SharpMasked | BoundId::UnifiedMasked | BoundId::Cesaro);
        let is_for_both = matches!(
            id,
            BoundId::CastinGeneral
                | BoundId::Adversarial
                | BoundId::Sink
                | BoundId::Fork
                | BoundId::Centre
                | BoundId::KimL2
                | BoundId::KimLinf
        );
        let is_lower = id.side() == Side::Lower;
        let is_causal = self.mask == MaskKind::Causal;
        let is_of_one_head = match id {
            BoundId::Adversarial | BoundId::AdversarialEnvelope | BoundId::Centre | BoundId::Cesaro => true,
            BoundId::Sink | BoundId::Fork => is_causal,
            _ => false,
        };
        let are_heads_mixed = self.heads.len() > 1 && self.combination == Combination::Sum;
        if let Some(variant) = self.variant.as_deref() {
            return self.absence_of_variant(variant, id);
        }
        match id {
            BoundId::Local | BoundId::LocalBlocks | BoundId::LocalToken | BoundId::MaxToken => Absence::NotComputed,
            _ if id.is_of_variants() => Absence::PlainAttention,
            _ if is_about_kim && (self.attention != Attention::L2 || self.kim.is_none()) => Absence::OtherAttention,
            _ if !is_about_kim && self.attention != Attention::Dot => Absence::L2Attention,
            _ if is_lower && self.normalization != Normalization::None => Absence::Normalizer,
            BoundId::KimLinf if self.scope == Scope::Composed => Absence::Normalizer,
            _ if is_masked && self.mask == MaskKind::None => Absence::NoMask,
            _ if !is_masked && !is_for_both && self.mask == MaskKind::Causal => Absence::CausalMask,
            BoundId::TwoTokens if !self.has_two_tokens() => Absence::OtherLength,
            BoundId::TwoTokens => Absence::OtherMatrix,
            BoundId::Fork | BoundId::Centre if self.n() < 3.0 - 1e-9 => Absence::FewTokens,
            _ if is_lower && self.n() < 2.0 - 1e-9 => Absence::FewTokens,
            BoundId::Fork if self.directions.iter().any(|direction| direction.w.is_none()) => Absence::OneDimension,
            _ if is_of_one_head && are_heads_mixed => Absence::HeadsMixed,
            _ if is_lower => Absence::NoDirection,
            _ => Absence::NotComputed,
        }
    }

    /// Why a bound has no value for a variant.
    fn absence_of_variant(&self, variant: &Variant, id: BoundId) -> Absence {
        let is_elementwise = variant.weighting.is_elementwise();
        let is_normalized = matches!(variant.scores, Scores::Normalized { .. });
        let is_window = matches!(variant.mask, Mask::Window { order: Order::Causal, .. });
        let is_other_size = variant.table_size().is_some_and(|size| size as f64 != self.n().round());
        let are_heads_mixed = self.heads.len() > 1 && self.combination == Combination::Sum;
        let is_lower = id.side() == Side::Lower;
        match id {
            BoundId::Local | BoundId::LocalBlocks | BoundId::LocalToken | BoundId::MaxToken => Absence::NotComputed,
            _ if id.is_plain_only() => Absence::Variant,
            BoundId::General | BoundId::GeneralToken if is_elementwise => Absence::OwnScoreWeights,
            BoundId::Elementwise | BoundId::ElementwiseToken | BoundId::EqualTokens if !is_elementwise => {
                Absence::SoftmaxWeights
            }
            _ if !is_lower && is_other_size => Absence::TableSize,
            _ if !is_lower => Absence::NotComputed,
            BoundId::WindowCausal if !is_window => Absence::NoWindow,
            BoundId::ZeroKey if !is_normalized => Absence::NoQkNorm,
            _ if self.normalization != Normalization::None => Absence::Normalizer,
            BoundId::Fork if self.n() < 3.0 - 1e-9 => Absence::FewTokens,
            BoundId::ZeroKey | BoundId::WindowCausal if self.n() < 2.0 - 1e-9 => Absence::FewTokens,
            BoundId::Fork | BoundId::ZeroKey | BoundId::WindowCausal if are_heads_mixed => Absence::HeadsMixed,
            BoundId::Fork if self.directions.iter().any(|direction| direction.w.is_none()) => Absence::OneDimension,
            BoundId::WindowCausal if variant.has_only_scale() => Absence::NoDirection,
            BoundId::ZeroKey if variant.witnesses.zero_key.is_some() => Absence::NoDirection,
            BoundId::Fork if !self.directions.is_empty() => Absence::NoDirection,
            _ => Absence::OtherSteps,
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

    /// Weights in dimension d. Each head has V = I and the A that `kind` names; the kind "kim" draws the weights of L2
    /// multi-head attention instead. `has_output` adds an output matrix of ones.
    #[derive(Clone, Debug)]
    struct Given {
        kind: &'static str,
        d: usize,
        heads: usize,
        has_output: bool,
    }

    impl Given {
        fn value(&self) -> Value {
            let Given { kind, d, heads, has_output } = self;
            let one = |at: usize, j: usize| if at == j { 1.0 } else { 0.0 };
            let matrix = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
                (0..*d).map(|i| (0..*d).map(|j| entry(i, j)).collect()).collect()
            };
            let q = match *kind {
                "kim" => return json!({"source": "kim", "heads": heads, "scale": 1.0, "seed": 3}),
                "zero" => matrix(&|_, _| 0.0),
                // A quarter turn in two dimensions, which has no real eigenvalue.
                "turn" => matrix(&|i, j| {
                    if i + 1 == j {
                        1.0
                    } else if i == j + 1 {
                        -1.0
                    } else {
                        0.0
                    }
                }),
                _ => matrix(&|i, j| -one(i, j)),
            };
            let head = json!({"q": q, "k": matrix(&one), "v": matrix(&one)});
            let mut value = json!({"source": "explicit", "heads": vec![head; *heads]});
            if *has_output {
                value["output"] = json!(vec![vec![1.0; d * heads]; *d]);
            }
            value
        }
    }

    /// The experiment, changed only so far that it meets the condition that a reason names. `None` for `NotComputed`,
    /// which names no condition.
    fn mended(experiment: &Value, given: &Given, why: Absence) -> Option<Value> {
        let (mut next, mut given) = (experiment.clone(), given.clone());
        match why {
            Absence::CausalMask => next["mask"] = json!("none"),
            Absence::NoMask => next["mask"] = json!("causal"),
            Absence::L2Attention => {
                next["attention"] = json!("dot");
                // The weights of L2 multi-head attention are valid only with L2 scores.
                given.kind = if given.kind == "kim" { "minus" } else { given.kind };
            }
            Absence::OtherAttention => (next["attention"], given.kind) = (json!("l2"), "kim"),
            Absence::Normalizer => {
                (next["normalization"], next["normalization_scope"]) = (json!("none"), json!("inputs"));
            }
            Absence::FewTokens => next["tokens"]["n"] = json!(7),
            Absence::OtherLength => next["tokens"]["n"] = json!(2),
            Absence::OneDimension => given.d = 2,
            Absence::HeadsMixed => (given.has_output, given.heads) = (false, 1),
            Absence::NoDirection | Absence::OtherMatrix => given.kind = "minus",
            // The experiments here have no further steps.
            Absence::Variant
            | Absence::PlainAttention
            | Absence::SoftmaxWeights
            | Absence::OwnScoreWeights
            | Absence::NoWindow
            | Absence::NoQkNorm
            | Absence::OtherSteps
            | Absence::TableSize
            | Absence::NotComputed => return None,
        }
        if given.kind == "kim" {
            // The heads of these weights share the d dimensions equally.
            given.d = given.d.next_multiple_of(given.heads);
        }
        next["tokens"]["d"] = json!(given.d);
        next["weights"] = given.value();
        Some(next)
    }

    #[test]
    fn where_the_condition_that_a_reason_names_is_met_the_bound_appears_or_another_reason_is_given() {
        let of = |value: &Value| measure(&Experiment::from_value(value.clone()).expect("valid")).expect("measured");
        let mut seen: Vec<Absence> = Vec::new();
        for kind in ["minus", "turn", "zero", "kim"] {
            for (heads, has_output) in [(1, false), (1, true), (2, false), (3, true)] {
                for (attention, mask) in [("dot", "none"), ("dot", "causal"), ("l2", "none"), ("l2", "causal")] {
                    if kind == "kim" && attention == "dot" {
                        continue;
                    }
                    for (normalization, scope) in [("none", "inputs"), ("rms", "inputs"), ("rms", "composed")] {
                        for (n, d) in [(1, 2), (2, 2), (2, 1), (5, 1), (5, 2)] {
                            let given = Given { kind, d: if kind == "kim" { d * heads } else { d }, heads, has_output };
                            let experiment = json!({
                                "tokens": {
                                    "source": "random", "distribution": "ball", "n": n, "d": given.d, "radius": 1, "seed": 1,
                                },
                                "weights": given.value(), "attention": attention, "mask": mask,
                                "normalization": normalization, "normalization_scope": scope,
                            });
                            for (id, why) in of(&experiment).absent {
                                let Some(next) = mended(&experiment, &given, why) else {
                                    panic!("{id:?} is not computed: {experiment}");
                                };
                                let after = of(&next).absent.into_iter().find(|(absent, _)| *absent == id);
                                assert_ne!(after.map(|(_, why)| why), Some(why), "{id:?}: {experiment}, {next}");
                                if !seen.contains(&why) {
                                    seen.push(why);
                                }
                            }
                        }
                    }
                }
            }
        }
        // All reasons but `NotComputed`.
        assert_eq!(seen.len(), 11, "{seen:?}");
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
            (json!({"mask": "causal"}), BoundId::Sink, None),
            (json!({"mask": "causal"}), BoundId::Fork, None),
            (json!({"mask": "causal"}), BoundId::TwoClusters, Some(Absence::CausalMask)),
            (json!({}), BoundId::Cesaro, Some(Absence::NoMask)),
            (json!({}), BoundId::TwoTokens, Some(Absence::OtherLength)),
            (json!({"weights": of_turn, "tokens": tokens(2, 2)}), BoundId::TwoTokens, Some(Absence::OtherMatrix)),
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

    #[test]
    fn every_bound_without_a_value_for_a_variant_says_why() {
        let window = json!({"kind": "window", "width": 2});
        let keys = json!({"kind": "padding", "keys": [1, 0, 1, 1, 1]});
        let cap = json!({"softcap": 5});
        let qk = json!({"qk_norm": {"kind": "rms"}});
        let sigmoid = json!({"kind": "sigmoid"});
        for (more, id, expected) in [
            (json!({"score": cap}), BoundId::Sharp, Some(Absence::Variant)),
            (json!({"score": cap}), BoundId::Sink, Some(Absence::Variant)),
            (json!({"score": cap}), BoundId::General, None),
            (json!({"score": cap}), BoundId::Fork, None),
            (json!({"score": cap}), BoundId::Elementwise, Some(Absence::SoftmaxWeights)),
            (json!({"score": cap}), BoundId::EqualTokens, Some(Absence::SoftmaxWeights)),
            (json!({"score": cap}), BoundId::WindowCausal, Some(Absence::NoWindow)),
            (json!({"score": cap}), BoundId::ZeroKey, Some(Absence::NoQkNorm)),
            (json!({"score": cap, "normalization": "rms"}), BoundId::Fork, Some(Absence::Normalizer)),
            (json!({"score": cap, "mask": "causal"}), BoundId::Fork, Some(Absence::OtherSteps)),
            (json!({"score": qk}), BoundId::Fork, Some(Absence::OtherSteps)),
            (json!({"weighting": sigmoid}), BoundId::General, Some(Absence::OwnScoreWeights)),
            (json!({"weighting": sigmoid}), BoundId::ElementwiseToken, None),
            (json!({"mask": window}), BoundId::WindowCausal, None),
            (json!({"mask": window, "score": cap}), BoundId::WindowCausal, Some(Absence::OtherSteps)),
            (json!({"mask": keys}), BoundId::GeneralToken, None),
        ] {
            let mut value = json!({
                "tokens": {"source": "random", "distribution": "ball", "n": 5, "d": 2, "radius": 1},
                "weights": {"source": "identity", "sign": -1},
            });
            value.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            let experiment = Experiment::from_value(value).expect("valid");
            let hypotheses = crate::growth::hypotheses_of_ball(&experiment).expect("a ball").with_n(5.0);
            let bounds = crate::bounds::all_bounds(&hypotheses);
            let found = hypotheses.absences(&bounds).into_iter().find(|(absent, _)| *absent == id);
            assert_eq!(found.map(|(_, why)| why), expected, "{more} {id:?}");
        }
        let table = json!({
            "tokens": {"source": "random", "distribution": "ball", "n": 5, "d": 2, "radius": 1},
            "weights": {"source": "identity", "sign": -1}, "mask": keys,
        });
        let table = Experiment::from_value(table).expect("valid");
        let at_six = crate::growth::hypotheses_of_ball(&table).expect("a ball").with_n(6.0);
        assert_eq!(BoundId::General.at(&at_six), None);
        assert_eq!(at_six.absence(BoundId::General), Absence::TableSize);
    }
}
