//! Builds a model from the tensors of its files, with the names and the layout that [`Arrangement`] finds.

use std::sync::Arc;

use super::arrangement::{Arrangement, FUSED, Names};
use super::checkpoint::Checkpoint;
use super::config::ModelConfig;
use super::layer_norm::LayerNorm;
use super::parts::{AttentionPart, Block, Embeddings, FeedForward, Linear, Model, Needs};
use super::source::Source;
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
    let mut loader = Loader { names: Names::of(config.family), arrangement, config, file };
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
    names: Names,
    arrangement: Arrangement,
    config: ModelConfig,
    file: &'a mut Checkpoint<S>,
}

impl<S: Source> Loader<'_, S> {
    fn embeddings(&mut self, needs: &Needs) -> Result<Embeddings, InputError> {
        let (d, prefix) = (self.config.d, self.arrangement.prefix.clone());
        let mut rows =
            |name: &str, n_rows, first, count| self.file.rows(&format!("{prefix}{name}"), (n_rows, d), first, count);
        let mut words = std::collections::BTreeMap::new();
        for id in &needs.ids {
            words.extend(rows(self.names.words, self.config.vocabulary, *id as usize, 1)?.pop().map(|row| (*id, row)));
        }
        let positions = rows(self.names.positions, self.config.positions, 0, needs.positions)?;
        let kind = match self.names.kinds {
            Some(name) => rows(name, self.config.token_types, 0, 1)?.pop(),
            None => None,
        };
        let norm = self.names.norm.map(|name| self.norm(&format!("{prefix}{name}"))).transpose()?;
        Ok(Embeddings { words, positions, kind, norm })
    }

    fn attention(&mut self, layer: usize) -> Result<AttentionPart, InputError> {
        let d = self.config.d;
        let [query, key, value] = match self.names.projections {
            Some([query, key, value]) => {
                let mut square = |name| self.linear(&self.in_layer(layer, name), (d, d));
                [square(query)?, square(key)?, square(value)?]
            }
            None => {
                let fused = self.linear(&self.in_layer(layer, FUSED), (3 * d, d))?;
                [0, d, 2 * d].map(|first| Linear {
                    weight: fused.weight.rows(first, d).into_owned(),
                    bias: fused.bias[first..first + d].to_vec(),
                })
            }
        };
        Ok(AttentionPart {
            query,
            key,
            value,
            output: self.linear(&self.in_layer(layer, self.names.output), (d, d))?,
            norm: self.norm_of_branch(layer, self.names.attention_norm, self.config.attention_norm)?,
        })
    }

    fn feed_forward(&mut self, layer: usize) -> Result<FeedForward, InputError> {
        let (d, inner) = (self.config.d, self.config.inner);
        Ok(FeedForward {
            widen: self.linear(&self.in_layer(layer, self.names.widen), (inner, d))?,
            narrow: self.linear(&self.in_layer(layer, self.names.narrow), (d, inner))?,
            norm: self.norm_of_branch(layer, self.names.feed_forward_norm, self.config.mlp_norm)?,
        })
    }

    fn in_layer(&self, layer: usize, name: &str) -> String {
        self.names.in_layer(&self.arrangement.prefix, layer, name)
    }

    fn linear(&mut self, name: &str, shape: (usize, usize)) -> Result<Linear, InputError> {
        Ok(Linear {
            weight: self.file.matrix(&format!("{name}.weight"), shape, self.arrangement.layout)?,
            bias: self.file.vector(&format!("{name}.bias"), shape.0)?,
        })
    }

    /// The layer norm of attention or of the MLP; a model without one has no tensors for it.
    fn norm_of_branch(&mut self, layer: usize, name: &str, kind: Normalization) -> Result<LayerNorm, InputError> {
        match kind {
            Normalization::None => Ok(LayerNorm::plain(kind, self.config.d)),
            _ => self.norm(&self.in_layer(layer, name)),
        }
    }

    fn norm(&mut self, name: &str) -> Result<LayerNorm, InputError> {
        let [gain, shift] = match self.file.has(&format!("{name}.gamma")) {
            true => ["gamma", "beta"],
            false => ["weight", "bias"],
        };
        Ok(LayerNorm {
            normalization: Normalization::Layer,
            gain: self.file.vector(&format!("{name}.{gain}"), self.config.d)?,
            shift: self.file.vector(&format!("{name}.{shift}"), self.config.d)?,
        })
    }
}
