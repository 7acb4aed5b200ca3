//! Randomly initialised models.
//!
//! Initialised as in Hugging Face's transformers: every matrix and embedding N(0, 0.02^2), biases zero, layer norms the
//! identity. GPT-2 draws the two matrices that write into the residual stream (`c_proj` of attention and of the
//! feed-forward network) from N(0, 0.02^2/(2 layers)); BERT's embedding of token 0, its padding, is zero. Each layer
//! and each embedding row has its own random stream, so that a part can be drawn without the rest.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::config::family::{GainRule, Initial, NormScope};
use crate::config::model_config::ModelConfig;
use crate::config::residual::Residual;
use crate::config::score_bias::ScoreBias;
use crate::parts::model::{
    AttentionPart, Block, Dense, Embeddings, Experts, FeedForward, LayerParts, Linear, Model, Needs, Network,
};
use crate::parts::token_norm::TokenNorm;
use lipscope_core::experiment::{InputError, Normalization};
use lipscope_core::phrase;
use lipscope_core::random::{Random, Stream};

/// Standard deviation of matrices and embeddings.
const DEVIATION: f64 = 0.02;
/// The most random numbers drawn: 4 GiB of f32.
const MOST_DRAWN: usize = 1 << 30;

/// Draws the needed part of a randomly initialised model.
///
/// # Errors
/// [`InputError`] if `needs` exceeds the model, or there are too many numbers.
pub fn draw_model(config: ModelConfig, needs: &Needs, seed: u64) -> Result<Model, InputError> {
    needs.check(&config)?;
    let layer = config.numbers_of_attention().saturating_add(config.numbers_of_mlp());
    let rows = (needs.ids.len() + needs.positions).saturating_mul(config.d);
    let drawn = layer.saturating_mul(needs.layers).saturating_add(rows);
    if drawn > MOST_DRAWN {
        return Err(InputError::TooLarge {
            what: phrase!("number_weights_draw", "The number of weights to draw"),
            found: drawn.to_string().into(),
            limit: MOST_DRAWN.to_string().into(),
            fix: phrase!("use_narrower_model_measure", "Use a narrower model, or measure a layer nearer to the first."),
        });
    }
    let (of_words, of_sum) = (config.embedding_width, config.sum_width());
    let row = |stream: Stream, width: usize| {
        let mut random = Random::new(seed, stream);
        (0..width).map(|_| number(&mut random, DEVIATION)).collect::<Vec<f32>>()
    };
    let names = config.family.embeddings;
    let word = |id: u32| match (config.family.initial, id) {
        (Initial::ZeroPadding, 0) => vec![0.0; config.embedding_width],
        _ => row(Stream::ModelWord(id as usize), of_words),
    };
    let position = |position: usize| row(Stream::ModelPosition(position), of_sum);
    let first = config.first_position;
    let embeddings = Embeddings {
        words: needs.ids.iter().map(|id| (*id, word(*id))).collect(),
        positions: names.positions.map(|_| (first..first + needs.positions).map(position).collect()),
        padding: names.positions.and(config.padding()).map(position),
        kind: names.kinds.map(|_| row(Stream::ModelTokenType, of_sum)),
        norm: names.norm.map(|_| TokenNorm::plain(config.family.normalization, config.eps, of_sum)),
        projection: config
            .embedding_projection()
            .map(|_| linear(&mut Random::new(seed, Stream::ModelProjection), (config.d, of_words), DEVIATION)),
        ..Embeddings::default()
    };
    let blocks = (0..needs.layers).map(|layer| block(&config, (layer, LayerParts::of(layer, needs.mlps)), seed));
    Ok(Model { config, embeddings, score_table: score_table(&config), blocks: blocks.collect(), first_layer: 0 })
}

/// Draws a single layer.
///
/// # Errors
/// [`InputError::BadValue`] if the model has no such layer.
pub(crate) fn draw_layer(config: ModelConfig, at: (usize, LayerParts), seed: u64) -> Result<Model, InputError> {
    let needs = Needs { layers: at.0 + 1, mlps: 0, ids: BTreeSet::new(), positions: 0 };
    needs.check(&config)?;
    Ok(Model {
        config,
        embeddings: Embeddings::default(),
        score_table: score_table(&config),
        blocks: vec![block(&config, at, seed)],
        first_layer: at.0,
    })
}

fn score_table(config: &ModelConfig) -> Vec<Vec<f32>> {
    match config.score_bias {
        ScoreBias::Table { buckets, .. } => vec![vec![0.0; config.heads]; buckets],
        _ => Vec::new(),
    }
}

fn block(config: &ModelConfig, (layer, parts): (usize, LayerParts), seed: u64) -> Block {
    let group = config.group_of_layer(layer);
    Block {
        attention: attention(config, layer, Random::new(seed, Stream::ModelAttention(group))),
        feed_forward: (parts == LayerParts::Whole)
            .then(|| Arc::new(feed_forward(config, layer, Random::new(seed, Stream::ModelFeedForward(group))))),
    }
}

fn attention(config: &ModelConfig, layer: usize, mut random: Random) -> AttentionPart {
    let ModelConfig { d, heads, key_heads, head_dim, .. } = *config;
    let (queries, keys) = (heads * head_dim, key_heads * head_dim);
    let mut part = |shape, deviation| linear(&mut random, shape, deviation);
    AttentionPart {
        query: part((queries, d), DEVIATION),
        key: part((keys, d), DEVIATION),
        value: part((keys, d), DEVIATION),
        output: part((d, queries), residual_deviation(config)),
        qk_gains: config.family.qk_norm.map(|names| match names.scope {
            NormScope::Head => [vec![1.0; head_dim], vec![1.0; head_dim]],
            NormScope::AllHeads => [vec![1.0; queries], vec![1.0; keys]],
        }),
        sinks: config.family.sinks.map_or_else(Vec::new, |_| vec![0.0; heads]),
        norms: norms(config, config.family.norms_of_attention(layer), config.attention_norm),
    }
}

fn feed_forward(config: &ModelConfig, layer: usize, mut random: Random) -> FeedForward {
    let mut dense = |inner: usize, has_gate: bool| Dense {
        widen: linear(&mut random, (inner, config.d), DEVIATION),
        narrow: linear(&mut random, (config.d, inner), residual_deviation(config)),
        gate: has_gate.then(|| linear(&mut random, (inner, config.d), DEVIATION)),
    };
    let network = match config.experts_of(layer) {
        None => Network::Dense(dense(config.inner, config.has_gate())),
        Some(sizes) => {
            let experts = (0..sizes.count).map(|_| dense(sizes.inner, true)).collect();
            Network::Experts(Experts { router: linear(&mut random, (sizes.count, config.d), DEVIATION), experts })
        }
    };
    FeedForward { network, norms: norms(config, config.family.mlp_norms, config.mlp_norm) }
}

/// Norms that leave normalised tokens as they are, in the places of the family.
fn norms(config: &ModelConfig, places: Residual<&str>, normalization: Normalization) -> Residual<TokenNorm> {
    let plain = || {
        let norm = TokenNorm::plain(normalization, config.eps, config.d);
        match config.family.gains {
            GainRule::Whole => norm,
            GainRule::MinusOne => TokenNorm { base: 1.0, gain: vec![0.0; config.d], ..norm },
        }
    };
    match normalization {
        Normalization::None => Residual::Branch { before: None, after: None },
        _ => places.map(|_| plain()),
    }
}

/// Standard deviation of a matrix that writes into the residual stream.
fn residual_deviation(config: &ModelConfig) -> f64 {
    match config.family.initial {
        Initial::SmallerOutputs => DEVIATION / (2.0 * config.layers as f64).sqrt(),
        Initial::Plain | Initial::ZeroPadding => DEVIATION,
    }
}

fn linear(random: &mut Random, (n_rows, n_columns): (usize, usize), deviation: f64) -> Linear {
    Linear { weight: DMatrix::from_fn(n_rows, n_columns, |_, _| number(random, deviation)), bias: vec![0.0; n_rows] }
}

/// A normal number rounded to f32, the type of weights in files.
fn number(random: &mut Random, deviation: f64) -> f32 {
    (deviation * random.normal()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(layers: usize, ids: &[u32]) -> Needs {
        Needs { layers, mlps: layers - 1, ids: ids.iter().copied().collect(), positions: 3 }
    }

    #[test]
    fn a_drawn_part_does_not_depend_on_which_other_parts_are_drawn() {
        let config = ModelConfig::bert().resized(8, 4, 2).expect("fits");
        let few = draw_model(config, &needs(1, &[0, 7]), 5).expect("small");
        let many = draw_model(config, &needs(3, &[0, 1, 7, 9]), 5).expect("small");
        assert_eq!(few.embeddings.words[&7], many.embeddings.words[&7]);
        assert_eq!(few.blocks[0].attention, many.blocks[0].attention);
        assert_ne!(many.blocks[0].attention, many.blocks[1].attention);
        assert!(many.embeddings.words[&0].iter().all(|x| *x == 0.0), "padding");
    }

    #[test]
    fn standard_deviations_are_those_of_the_initialisation() {
        let config = ModelConfig::gpt2().resized(64, 8, 2).expect("fits");
        let model = draw_model(config, &needs(2, &[1]), 0).expect("small");
        let deviation = |linear: &Linear| {
            let squares: f64 = linear.weight.iter().map(|x| f64::from(x * x)).sum();
            (squares / linear.weight.len() as f64).sqrt()
        };
        let part = model.blocks[0].feed_forward.as_ref().and_then(|part| part.network.dense()).expect("an MLP");
        for (linear, expected) in [
            (&model.blocks[0].attention.query, 0.02),
            (&model.blocks[0].attention.output, 0.005),
            (&part.widen, 0.02),
            (&part.narrow, 0.005),
        ] {
            // Within five standard errors of the standard deviation of 4096 normal numbers.
            let found = deviation(linear);
            assert!((found / expected - 1.0).abs() < 0.056, "{found} {expected}");
        }
    }

    #[test]
    fn more_layers_than_the_model_has_is_an_error() {
        let config = ModelConfig::bert().resized(8, 2, 2).expect("fits");
        let problem = draw_model(config, &needs(3, &[]), 0).expect_err("two layers").to_string();
        assert!(problem.contains("layer"), "{problem}");
        let long = Needs { positions: 513, ..needs(1, &[]) };
        assert!(draw_model(config, &long, 0).expect_err("512 positions").to_string().contains("512"));
    }
}
