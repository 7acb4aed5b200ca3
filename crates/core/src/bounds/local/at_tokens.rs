//! `local`, `local_token` and `local_blocks` at a forward pass.

use super::super::heads::Combination;
use super::dot::DotRows;
use super::general::GeneralRows;
use super::row_weights::Multiplicities;
use super::rows::{LocalParts, combine};
use crate::attention::Forward;
use crate::weights::Weights;

/// Computes the bounds at a forward pass in short steps, so that a worker can handle messages between them.
#[derive(Clone, Debug)]
pub struct LocalBound(Rows);

#[derive(Clone, Debug)]
enum Rows {
    General(Box<GeneralRows>),
    /// The special case of the dot product, which is faster.
    Dot(Box<DotRows>),
}

impl LocalBound {
    /// Prepares the bounds at a forward pass of these weights.
    #[must_use]
    pub fn new(forward: &Forward<f64>, weights: &Weights) -> Self {
        LocalBound(if forward.has_dot_blocks() && weights.have_ordinary_sizes(forward.normalizer().outputs()) {
            Rows::Dot(Box::new(DotRows::new(forward, weights)))
        } else {
            Rows::General(Box::new(GeneralRows::new(forward, Multiplicities::One)))
        })
    }

    /// Prepares the bounds at a forward pass of given projections, such as those of a trained model; `None` where a
    /// normaliser takes the queries of all heads together, for which none is proved. They hold with biases:
    /// docs/theory.md, "Local bounds of every variant".
    #[must_use]
    pub fn of_projections(forward: &Forward<f64>) -> Option<Self> {
        let is_by_heads = forward.steps.wide_norm().is_none();
        is_by_heads.then(|| LocalBound(Rows::General(Box::new(GeneralRows::new(forward, Multiplicities::One)))))
    }

    /// Prepares the bounds at a forward pass whose columns stand for clusters of tokens, with ln of their numbers.
    pub(crate) fn of_clusters(forward: &Forward<f64>, ln_sizes: &[f64]) -> Self {
        let sizes = Multiplicities::Ln(ln_sizes.to_vec());
        LocalBound(Rows::General(Box::new(GeneralRows::new(forward, sizes))))
    }

    /// Adds some rows of the same forward pass; true when all rows are done.
    pub fn step(&mut self, forward: &Forward<f64>) -> bool {
        match &mut self.0 {
            Rows::General(rows) => rows.step(forward),
            Rows::Dot(rows) => rows.step(forward),
        }
    }

    /// The bounds, after all rows are done.
    #[must_use]
    pub fn finish(self, combination: Combination) -> LocalParts {
        let heads = match self.0 {
            Rows::General(rows) => rows.finish(),
            Rows::Dot(rows) => rows.finish(),
        };
        combine(heads, combination)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DVector;
    use serde_json::json;

    use super::*;
    use crate::attention::Forward;
    use crate::experiment::Experiment;
    use crate::random::{Random, Stream};
    use crate::weights::{Inputs, inputs};

    /// What a case does to the tokens that were drawn.
    #[derive(Clone, Copy, Debug)]
    enum Change {
        Nothing,
        Offset,
        OneFar,
        Collinear,
        Coincident,
        Scale(f64),
    }

    const CHANGES: [Change; 7] = [
        Change::Nothing,
        Change::Offset,
        Change::OneFar,
        Change::Collinear,
        Change::Coincident,
        Change::Scale(1e3),
        Change::Scale(1e-9),
    ];

    fn changed(inputs: &mut Inputs, change: Change, seed: u64) {
        let mut random = Random::new(seed, Stream::Tokens);
        let tokens = &mut inputs.tokens;
        let direction = DVector::from_fn(tokens.nrows(), |_, _| random.normal());
        match change {
            Change::Nothing => {}
            Change::Offset => tokens.column_iter_mut().for_each(|mut token| token += &direction * 1e4),
            Change::OneFar => tokens.column_mut(0).scale_mut(300.0),
            Change::Collinear => tokens.column_iter_mut().for_each(|mut token| {
                let along = token[0];
                token.copy_from(&(&direction * along));
            }),
            Change::Coincident => {
                let first = tokens.column(0).into_owned();
                tokens.column_iter_mut().skip(1).step_by(2).for_each(|mut token| token.copy_from(&first));
            }
            Change::Scale(scale) => *tokens *= scale,
        }
    }

    fn bounds(mut rows: LocalBound, forward: &Forward<f64>, combination: Combination) -> LocalParts {
        while !rows.step(forward) {}
        rows.finish(combination)
    }

    /// The two formulas could differ where Q is not K, where rows see a part of the tokens, where tokens have a common
    /// part, and where weights are exactly zero.
    #[test]
    fn the_formulas_of_the_dot_product_are_the_special_case_of_the_general_ones() {
        let masks = [
            json!("none"),
            json!("causal"),
            json!({"kind": "window", "width": 3, "causal": true}),
            json!({"kind": "window", "width": 2, "causal": false}),
            json!({"kind": "prefix", "length": 3}),
        ];
        let mut compared = 0;
        for (n, d, heads, k) in [(1, 2, 1, 2), (5, 3, 1, 2), (7, 2, 2, 3), (9, 1, 1, 1), (70, 16, 1, 17)] {
            for mask in &masks {
                for (at, change) in CHANGES.into_iter().enumerate() {
                    for normalization in ["none", "layer", "rms"] {
                        for output in [false, true] {
                            if d == 1 && normalization == "layer" {
                                continue;
                            }
                            let weights = json!({"source": "random", "heads": heads, "head_dim": k, "seed": at, "output": output});
                            let file = json!({
                                "tokens": {"source": "random", "distribution": "gaussian", "n": n, "d": d, "radius": 1.5, "seed": n},
                                "weights": weights, "mask": mask, "normalization": normalization,
                            });
                            let Ok(experiment) = Experiment::from_value(file.clone()) else { continue };
                            let mut inputs = inputs(&experiment).expect("inputs that fit");
                            changed(&mut inputs, change, 3);
                            let Ok(forward) = Forward::new(&experiment, &inputs) else { continue };
                            assert!(forward.has_dot_blocks(), "{file}");
                            let combination = Combination::of(&forward);
                            let dot = bounds(LocalBound::new(&forward, &inputs.weights), &forward, combination);
                            let general = GeneralRows::new(&forward, Multiplicities::One);
                            let general = bounds(LocalBound(Rows::General(Box::new(general))), &forward, combination);
                            let name = format!("{change:?} {file}");
                            assert!(dot.rounding.is_finite() && general.rounding.is_finite(), "{name}: {dot:?}");
                            // What rounding adds is bounded in two ways, so the bounds are compared without it.
                            let size = general.value - general.rounding;
                            let slack = 1e-9 * size + 1e-3 * general.rounding.max(dot.rounding);
                            let near = |dot: f64, general: f64, most: f64| {
                                assert!(
                                    dot >= general - slack && dot <= general * most + slack,
                                    "{name}: {dot} {general}"
                                );
                            };
                            near(dot.value - dot.rounding, size, 1.05);
                            near(dot.own, general.own, 1.05);
                            near(dot.mixed, general.mixed, 1.05);
                            near(dot.column_sum, general.column_sum, 1.0);
                            if let (Some(of_dot), Some(of_general)) = (dot.blocks, general.blocks) {
                                let (of_dot, of_general) = (of_dot - dot.rounding, of_general - general.rounding);
                                assert!(of_dot >= of_general - slack, "{name}: {of_dot} is below {of_general}");
                            }
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}
