//! The bounds that have no value under given hypotheses.

use super::absence::Absence;
use super::all::ALL;
use super::best::counts;
use super::bound::Bound;
use super::hypotheses::Hypotheses;
use super::need::{failing, first_failing};
use super::statement::{BoundId, Domain, Group, Norm, Side};

impl Hypotheses {
    /// Every bound that is not among `present`, with each reason that it is absent, one entry for each. Leaves out `skew`,
    /// which is about other weights, `max_token`, which is computed only on request, and for plain experiments the bounds
    /// on variants.
    #[must_use]
    pub fn absences(&self, present: &[Bound]) -> Vec<(BoundId, Absence)> {
        let reasons = |id: BoundId| {
            let mut reasons: Vec<Absence> = Vec::with_capacity(id.needs.len().max(1));
            // Two needs may be absent for one reason.
            for why in failing(id.needs, self) {
                if !reasons.contains(&why) {
                    reasons.push(why);
                }
            }
            if reasons.is_empty() {
                reasons.push(id.otherwise);
            }
            reasons.into_iter().map(move |why| (id, why))
        };
        self.missing(present).flat_map(reasons).collect()
    }

    /// The bounds that [`Hypotheses::absences`] is about.
    fn missing(&self, present: &[Bound]) -> impl Iterator<Item = BoundId> {
        let is_plain = self.is_plain();
        let is_asked = move |id: &BoundId| {
            let is_of_others = is_plain && id.is_of_variants();
            !is_of_others && id.domain != Domain::OtherWeights && id.group != Group::BlockNorms
        };
        let is_absent = |id: &BoundId| present.iter().all(|bound| bound.id != *id);
        ALL.into_iter().filter(is_asked).filter(is_absent)
    }

    /// Why no bound on `norm` over the ball has a value on this side, in one reason: that there are too few tokens, where
    /// more would do, else the one that most bounds share, without those that are about another mask or kernel where there
    /// are others. `present` are the bounds that have a value. `None` where no bound of this side is about the norm.
    #[must_use]
    pub fn why_none(&self, present: &[Bound], norm: Norm, side: Side) -> Option<Absence> {
        let of_side = |id: &BoundId| counts(id, norm, side);
        let reasons: Vec<Absence> = self.missing(present).filter(of_side).map(|id| self.absence(id)).collect();
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

    /// Why the bound `id` has no value under these hypotheses: the first reason of several.
    #[must_use]
    pub fn absence(&self, id: BoundId) -> Absence {
        first_failing(id.needs, self).unwrap_or(id.otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{
        ADVERSARIAL, CASTIN_MEAN_FIELD, CENTRE, CESARO, ELEMENTWISE, ELEMENTWISE_TOKEN, EQUAL_TOKENS, FORK, GENERAL,
        GENERAL_TOKEN, KIM_L2, KIM_LINF, SHARP, SHARP_MASKED, SINK, TWO_CLUSTERS, TWO_TOKENS, WINDOW_CAUSAL, ZERO_KEY,
    };
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
    fn a_bound_that_lacks_several_things_has_a_reason_for_each() {
        let found = absent(&json!({"attention": "l2", "normalization": "rms", "mask": "causal"}));
        let reasons: Vec<Absence> = found.iter().filter(|(id, _)| *id == &TWO_CLUSTERS).map(|(_, why)| *why).collect();
        assert_eq!(reasons, [Absence::L2Attention, Absence::Normalizer, Absence::CausalMask]);
        // Under a window the first need and the fourth are absent for one reason.
        let found = absent(&json!({"normalization": "rms", "mask": {"kind": "window", "width": 2}}));
        let reasons: Vec<Absence> = found.iter().filter(|(id, _)| *id == &CENTRE).map(|(_, why)| *why).collect();
        assert_eq!(reasons, [Absence::Variant, Absence::Normalizer]);
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
                                assert!(!of(&next).absent.contains(&(id, why)), "{id:?}: {experiment}, {next}");
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
            (json!({}), &SHARP_MASKED, Some(Absence::NoMask)),
            (json!({}), &KIM_L2, Some(Absence::OtherAttention)),
            (json!({}), &SINK, None),
            (json!({"mask": "causal"}), &SINK, None),
            (json!({"mask": "causal"}), &FORK, None),
            (json!({"mask": "causal"}), &TWO_CLUSTERS, Some(Absence::CausalMask)),
            (json!({}), &CESARO, Some(Absence::NoMask)),
            (json!({}), &TWO_TOKENS, Some(Absence::OtherLength)),
            (json!({"weights": of_turn, "tokens": tokens(2, 2)}), &TWO_TOKENS, Some(Absence::OtherMatrix)),
            (json!({"mask": "causal"}), &CASTIN_MEAN_FIELD, Some(Absence::CausalMask)),
            (json!({"mask": "causal"}), &ADVERSARIAL, None),
            (json!({"normalization": "rms"}), &SINK, Some(Absence::Normalizer)),
            (json!({"normalization": "rms"}), &FORK, Some(Absence::Normalizer)),
            (json!({"normalization": "layer", "mask": "causal"}), &ADVERSARIAL, Some(Absence::Normalizer)),
            (json!({"attention": "l2"}), &FORK, Some(Absence::L2Attention)),
            (json!({"attention": "l2"}), &SHARP, Some(Absence::L2Attention)),
            (json!({"attention": "l2"}), &KIM_LINF, Some(Absence::OtherAttention)),
            (json!({"tokens": tokens(2, 2)}), &FORK, Some(Absence::FewTokens)),
            (json!({"tokens": tokens(5, 1)}), &FORK, Some(Absence::OneDimension)),
            (json!({"weights": of_turn}), &ADVERSARIAL, Some(Absence::NoDirection)),
            (json!({"weights": none}), &SINK, Some(Absence::NoDirection)),
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
            (json!({"score": cap}), &SHARP, Some(Absence::Variant)),
            (json!({"score": cap}), &SINK, Some(Absence::Variant)),
            (json!({"score": cap}), &GENERAL, None),
            (json!({"attention": "l2"}), &GENERAL, None),
            (json!({"attention": "l2", "mask": "causal"}), &GENERAL, None),
            (json!({"attention": "l2"}), &GENERAL_TOKEN, None),
            (json!({"attention": "l2"}), &SINK, Some(Absence::L2Attention)),
            (json!({"score": cap}), &FORK, None),
            (json!({"score": cap}), &ELEMENTWISE, Some(Absence::SoftmaxWeights)),
            (json!({"score": cap}), &EQUAL_TOKENS, Some(Absence::SoftmaxWeights)),
            (json!({"score": cap}), &WINDOW_CAUSAL, Some(Absence::NoWindow)),
            (json!({"score": cap}), &ZERO_KEY, Some(Absence::NoQkNorm)),
            (json!({"score": cap, "normalization": "rms"}), &FORK, Some(Absence::Normalizer)),
            (json!({"score": cap, "mask": "causal"}), &FORK, Some(Absence::OtherSteps)),
            (json!({"score": qk}), &FORK, Some(Absence::OtherSteps)),
            (json!({"weighting": sigmoid}), &GENERAL, Some(Absence::OwnScoreWeights)),
            (json!({"weighting": sigmoid}), &ELEMENTWISE_TOKEN, None),
            (json!({"mask": window}), &WINDOW_CAUSAL, None),
            (json!({"mask": window, "score": cap}), &WINDOW_CAUSAL, Some(Absence::OtherSteps)),
            (json!({"mask": keys}), &GENERAL_TOKEN, None),
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
        assert_eq!(GENERAL.at(&at_six), None);
        assert_eq!(at_six.absence(&GENERAL), Absence::TableSize);
    }
}
