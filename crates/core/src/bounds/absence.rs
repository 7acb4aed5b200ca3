//! Why a bound has no value: the first of its hypotheses that fails.

use serde::{Deserialize, Serialize};

use super::{Bound, BoundId, Combination, Hypotheses};
use crate::experiment::{Attention, MaskKind, Normalization, Phrase, Scope};
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
    /// A has no direction that the bound could use: no real eigenvalue, or A = 0.
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
            Absence::HeadsMixed => phrase!("absent_heads_mixed", "needs a single head where there is an output matrix"),
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
        let is_of_one_head = matches!(id, BoundId::Adversarial | BoundId::AdversarialEnvelope);
        let are_heads_mixed = self.heads.len() > 1 && self.combination == Combination::Sum;
        match id {
            BoundId::Local | BoundId::LocalBlocks | BoundId::MaxToken => Absence::NotComputed,
            _ if is_about_kim && (self.attention != Attention::L2 || self.kim.is_none()) => Absence::OtherAttention,
            _ if !is_about_kim && self.attention != Attention::Dot => Absence::L2Attention,
            _ if is_lower && self.normalization != Normalization::None => Absence::Normalizer,
            BoundId::KimLinf if self.scope == Scope::Composed => Absence::Normalizer,
            _ if is_masked && self.mask == MaskKind::None => Absence::NoMask,
            _ if !is_masked && !is_for_both && self.mask == MaskKind::Causal => Absence::CausalMask,
            BoundId::Fork if self.n() < 3.0 - 1e-9 => Absence::FewTokens,
            _ if is_lower && self.n() < 2.0 - 1e-9 => Absence::FewTokens,
            BoundId::Fork if self.directions.iter().any(|direction| direction.w.is_none()) => Absence::OneDimension,
            _ if is_of_one_head && are_heads_mixed => Absence::HeadsMixed,
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
            Absence::OneDimension => given.d = 2,
            Absence::HeadsMixed => (given.has_output, given.heads) = (false, 1),
            Absence::NoDirection => given.kind = "minus",
            Absence::NotComputed => return None,
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
        assert_eq!(seen.len(), 9, "{seen:?}");
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
