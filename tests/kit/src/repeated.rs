//! Random experiments with repeated tokens: a few positions with multiplicities, or runs.

use lipscope_core::attention::Normalizer;
use lipscope_core::experiment::{Experiment, Scope};
use lipscope_core::jacobian::CausalRuns;
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::drawn::{Drawn, drawn};

/// A random experiment whose tokens are positions with multiplicities.
#[derive(Clone, Debug)]
pub struct Repeated {
    pub base: Drawn,
    pub positions: Vec<Vec<f64>>,
    pub sizes: Vec<usize>,
}

/// Random cases with at least 8 times as many tokens as positions, so that equal tokens are grouped.
pub fn repeated(masks: &'static [&'static str]) -> impl Strategy<Value = Repeated> {
    (drawn(&["dot", "l2"]), prop::sample::select(masks), prop::collection::vec(1usize..40, 1..4)).prop_map(
        |(mut base, mask, mut sizes)| {
            base.mask = mask;
            // In one or two dimensions a normaliser leaves almost nothing of the tokens, and only its rounding would be
            // compared.
            if base.d < 3 {
                base.scope = "inputs";
            }
            base.n = sizes.len();
            let m = sizes.len();
            let total: usize = sizes.iter().sum();
            // The last multiplicity is raised to reach the total.
            sizes[m - 1] += (8 * m).saturating_sub(total);
            let positions = base.positions();
            Repeated { base, positions, sizes }
        },
    )
}

impl Repeated {
    /// As a list of tokens.
    pub fn as_list(&self) -> Experiment {
        let rows: Vec<&Vec<f64>> =
            self.positions.iter().zip(&self.sizes).flat_map(|(row, size)| std::iter::repeat_n(row, *size)).collect();
        self.with_tokens(json!({"source": "explicit", "rows": rows}))
    }

    /// As a token measure.
    pub fn as_clusters(&self) -> Experiment {
        let logs: Vec<f64> = self.sizes.iter().map(|size| (*size as f64).ln()).collect();
        self.with_tokens(json!({"source": "clusters", "positions": self.positions, "log_multiplicities": logs}))
    }

    /// As causal runs.
    pub fn causal_runs(&self) -> CausalRuns {
        let experiment = self.as_list();
        let weights = inputs(&experiment).expect("inputs").weights;
        let d = self.positions[0].len();
        let tokens = DMatrix::from_fn(d, self.positions.len(), |row, col| self.positions[col][row]);
        let normalizer =
            Normalizer::new(experiment.normalization, experiment.eps, &tokens).expect("a token with a derivative");
        let scope = if self.base.normalization == "none" { Scope::Inputs } else { experiment.normalization_scope };
        CausalRuns::new(experiment.attention, normalizer, scope, &weights, &self.sizes).expect("finite scores")
    }

    fn with_tokens(&self, tokens: Value) -> Experiment {
        let mut value = self.base.experiment().to_value();
        value["tokens"] = tokens;
        Experiment::from_value(value).unwrap_or_else(|problem| panic!("{self:?}: {problem}"))
    }
}
