//! Turns an experiment into a model with one layer of attention and a window of tokens, so that benchmarks can measure
//! it as `lipscope model` does.

use std::collections::BTreeMap;

use lipscope_core::experiment::Order;
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::weights::Inputs;
use lipscope_models::{
    AttentionPart, Block, Embeddings, Estimators, Heads, LayerMap, Linear, MapKind, Model, ModelConfig, Residual,
    estimate,
};
use nalgebra::DMatrix;

/// A map of a layer and its tokens.
pub struct Window {
    map: LayerMap,
    inputs: Inputs,
}

impl Window {
    /// The window of an experiment whose head dimensions add up to the dimension of a token. Its weights are rounded to
    /// f32, like those of models.
    pub fn new(inputs: &Inputs) -> Self {
        let heads = &inputs.weights.heads;
        let (d, k) = (inputs.tokens.nrows(), heads[0].q.nrows());
        let mut parts = [(); 3].map(|()| DMatrix::zeros(d, d));
        for (at, head) in heads.iter().enumerate() {
            for (part, rows) in parts.iter_mut().zip([&head.q, &head.k, &head.v]) {
                part.rows_mut(at * k, k).copy_from(rows);
            }
        }
        let [query, key, value] = parts.map(|part| Linear { weight: part.map(|x| x as f32), bias: vec![0.0; d] });
        let attention = AttentionPart {
            output: Linear { weight: query.weight.map(|_| 0.0), bias: vec![0.0; d] },
            query,
            key,
            value,
            qk_gains: None,
            sinks: Vec::new(),
            norms: Residual::Branch { before: None, after: None },
        };
        let model = Model {
            config: ModelConfig::bert().resized(d, 1, heads.len()).expect("heads that divide d"),
            embeddings: Embeddings { words: BTreeMap::new(), ..Embeddings::default() },
            score_table: Vec::new(),
            first_layer: 0,
            blocks: vec![Block { attention, feed_forward: None }],
        };
        let map = LayerMap::new(&model, 0, MapKind::Attention, Heads::All).expect("a layer");
        Window { map, inputs: inputs.clone() }
    }

    /// Runs the forward pass and finds the norm.
    pub fn norm(&self, tolerance: f64) -> f64 {
        let options = LanczosOptions { tolerance, ..LanczosOptions::default() };
        let found = estimate(&self.map, &self.inputs.tokens, Order::Free, Estimators::Spectral, options)
            .expect("finite scores");
        found.spectral.expect("asked for").value
    }
}
