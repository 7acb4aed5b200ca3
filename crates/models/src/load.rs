//! Builds a model from the tensors of its files, with the names and the layout that [`Arrangement`] finds.

use std::sync::Arc;

use super::arrangement::Arrangement;
use super::checkpoint::Checkpoint;
use super::config::ModelConfig;
use super::family::{Biases, EmbeddingNames, GainRule, MlpNames, ProjectionNames};
use super::parts::{AttentionPart, Block, Embeddings, FeedForward, Linear, Model, Needs};
use super::residual::Residual;
use super::source::Source;
use super::token_norm::TokenNorm;
use lipscope_core::experiment::{InputError, Normalization};

/// Loads the needed part of a model.
///
/// # Errors
/// [`InputError`] that names the tensor (missing, of another shape or type, truncated, or not finite), or the layer,
/// position or token id that the model does not have; or as `Arrangement::find`.
pub fn load_model<S: Source>(
    config: ModelConfig,
    file: &mut Checkpoint<S>,
    needs: &Needs,
) -> Result<Model, InputError> {
    needs.check(&config)?;
    let arrangement = Arrangement::find(&config, file)?;
    let mut loader = Loader { arrangement, config, file };
    let embeddings = loader.embeddings(needs)?;
    let mut blocks = Vec::with_capacity(needs.layers);
    for layer in 0..needs.layers {
        let attention = loader.attention(layer)?;
        let feed_forward = if layer < needs.mlps { Some(Arc::new(loader.feed_forward(layer)?)) } else { None };
        blocks.push(Block { attention, feed_forward });
    }
    Ok(Model { config, embeddings, blocks })
}

struct Loader<'a, S> {
    arrangement: Arrangement,
    config: ModelConfig,
    file: &'a mut Checkpoint<S>,
}

impl<S: Source> Loader<'_, S> {
    fn embeddings(&mut self, needs: &Needs) -> Result<Embeddings, InputError> {
        let (d, prefix) = (self.config.d, self.arrangement.prefix.clone());
        let EmbeddingNames { words: words_name, positions, kinds, norm } = self.config.family.embeddings;
        let mut rows =
            |name: &str, n_rows, first, count| self.file.rows(&format!("{prefix}{name}"), (n_rows, d), first, count);
        let mut words = std::collections::BTreeMap::new();
        for id in &needs.ids {
            words.extend(rows(words_name, self.config.vocabulary, *id as usize, 1)?.pop().map(|row| (*id, row)));
        }
        let positions = positions.map(|name| rows(name, self.config.positions, 0, needs.positions)).transpose()?;
        let kind = match kinds {
            Some(name) => rows(name, self.config.token_types, 0, 1)?.pop(),
            None => None,
        };
        let norm = norm.map(|name| self.norm(&format!("{prefix}{name}"))).transpose()?;
        Ok(Embeddings { words, positions, kind, norm })
    }

    fn attention(&mut self, layer: usize) -> Result<AttentionPart, InputError> {
        let ModelConfig { d, family, head_dim, .. } = self.config;
        let [queries, keys] = [self.config.heads, self.config.key_heads].map(|heads| heads * head_dim);
        let [query, key, value] = match family.projections {
            ProjectionNames::Apart([query, key, value]) => [
                self.linear(&self.in_layer(layer, query), (queries, d))?,
                self.linear(&self.in_layer(layer, key), (keys, d))?,
                self.linear(&self.in_layer(layer, value), (keys, d))?,
            ],
            ProjectionNames::Fused(name) => {
                let fused = self.linear(&self.in_layer(layer, name), (queries + 2 * keys, d))?;
                [(0, queries), (queries, keys), (queries + keys, keys)].map(|(first, count)| rows(&fused, first, count))
            }
        };
        Ok(AttentionPart {
            query,
            key,
            value,
            output: self.linear(&self.in_layer(layer, family.output), (d, queries))?,
            qk_gains: match family.qk_norm {
                Some([query, key]) => Some([self.gains(layer, query)?, self.gains(layer, key)?]),
                None => None,
            },
            norms: self.norms(layer, family.attention_norms, self.config.attention_norm)?,
        })
    }

    fn feed_forward(&mut self, layer: usize) -> Result<FeedForward, InputError> {
        let ModelConfig { d, inner, family, .. } = self.config;
        let (widen, gate, narrow) = match family.mlp {
            MlpNames::Plain { widen, narrow } => (self.linear(&self.in_layer(layer, widen), (inner, d))?, None, narrow),
            MlpNames::Gated { gate, up, down } => {
                let gate = self.linear(&self.in_layer(layer, gate), (inner, d))?;
                (self.linear(&self.in_layer(layer, up), (inner, d))?, Some(gate), down)
            }
            MlpNames::GatedFused { gate_up, down } => {
                let fused = self.linear(&self.in_layer(layer, gate_up), (2 * inner, d))?;
                (rows(&fused, inner, inner), Some(rows(&fused, 0, inner)), down)
            }
        };
        Ok(FeedForward {
            widen,
            gate,
            narrow: self.linear(&self.in_layer(layer, narrow), (d, inner))?,
            norms: self.norms(layer, family.mlp_norms, self.config.mlp_norm)?,
        })
    }

    fn in_layer(&self, layer: usize, name: &str) -> String {
        self.config.family.in_layer(&self.arrangement.prefix, layer, name)
    }

    fn linear(&mut self, name: &str, shape: (usize, usize)) -> Result<Linear, InputError> {
        let weight = self.file.matrix(&format!("{name}.weight"), shape, self.arrangement.layout)?;
        let bias = format!("{name}.bias");
        let is_zero = self.config.family.biases == Biases::Optional && !self.file.has(&bias);
        let bias = if is_zero { vec![0.0; shape.0] } else { self.file.vector(&bias, shape.0)? };
        Ok(Linear { weight, bias })
    }

    /// The gains of the norm of every query or key.
    fn gains(&mut self, layer: usize, name: &str) -> Result<Vec<f32>, InputError> {
        let name = format!("{}.weight", self.in_layer(layer, name));
        self.file.vector(&name, self.config.head_dim)
    }

    /// The norms of attention or of the MLP; a model without them has no tensors for them.
    fn norms(
        &mut self,
        layer: usize,
        names: Residual<&str>,
        normalization: Normalization,
    ) -> Result<Residual<TokenNorm>, InputError> {
        match normalization {
            Normalization::None => Ok(Residual::Branch { before: None, after: None }),
            _ => names.try_map(|name| self.norm(&self.in_layer(layer, name))),
        }
    }

    fn norm(&mut self, name: &str) -> Result<TokenNorm, InputError> {
        let ModelConfig { d, eps, family, .. } = self.config;
        let [gain, shift] = match self.file.has(&format!("{name}.gamma")) {
            true => ["gamma", "beta"],
            false => ["weight", "bias"],
        };
        Ok(TokenNorm {
            normalization: family.normalization,
            eps,
            base: if family.gains == GainRule::MinusOne { 1.0 } else { 0.0 },
            gain: self.file.vector(&format!("{name}.{gain}"), d)?,
            shift: match family.normalization {
                Normalization::Rms => vec![0.0; d],
                _ => self.file.vector(&format!("{name}.{shift}"), d)?,
            },
        })
    }
}

/// Some rows of a linear map.
fn rows(linear: &Linear, first: usize, count: usize) -> Linear {
    Linear { weight: linear.weight.rows(first, count).into_owned(), bias: linear.bias[first..first + count].to_vec() }
}
