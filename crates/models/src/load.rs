//! Builds a model from the tensors of a file, with the tensor names of each family.
//!
//! | part | BERT, MiniLM | DistilBERT | GPT-2 |
//! | --- | --- | --- | --- |
//! | prefix | `bert.` or none | `distilbert.` or none | `transformer.` or none |
//! | layer | `encoder.layer.0.` | `transformer.layer.0.` | `h.0.` |
//! | query, key, value | `attention.self.query` .. | `attention.q_lin` .. | `attn.c_attn`, side by side |
//! | output | `attention.output.dense` | `attention.out_lin` | `attn.c_proj` |
//!
//! Older BERT files call a layer norm's gain and shift `gamma` and `beta`.

use std::sync::Arc;

use super::config::{Family, ModelConfig};
use super::layer_norm::LayerNorm;
use super::parts::{AttentionPart, Block, Embeddings, FeedForward, Linear, Model, Needs};
use super::safetensors::{Layout, SafeTensors};
use super::source::Source;
use lipscope_core::experiment::{InputError, Normalization};

/// Loads the needed part of a model.
///
/// # Errors
/// [`InputError`] that names the tensor (missing, of another shape or type, truncated, or not finite), or the layer,
/// position or token id that the model does not have.
pub fn load_model<S: Source>(
    config: ModelConfig,
    file: &mut SafeTensors<S>,
    needs: &Needs,
) -> Result<Model, InputError> {
    needs.check(&config)?;
    let names = Names::of(config.family);
    let prefix = names.prefixes.into_iter().find(|prefix| file.has(&format!("{prefix}{}", names.words)));
    // If no prefix matches, errors name the tensor with the most common one.
    let mut loader = Loader { prefix: prefix.unwrap_or_default(), names, config, file };
    let embeddings = loader.embeddings(needs)?;
    let mut blocks = Vec::with_capacity(needs.layers);
    for layer in 0..needs.layers {
        let attention = loader.attention(layer)?;
        let feed_forward = if layer < needs.mlps { Some(Arc::new(loader.feed_forward(layer)?)) } else { None };
        blocks.push(Block { attention, feed_forward });
    }
    Ok(Model { config, embeddings, blocks })
}

/// The tensor names of a family.
#[derive(Debug)]
struct Names {
    prefixes: [&'static str; 2],
    words: &'static str,
    positions: &'static str,
    kinds: Option<&'static str>,
    norm: Option<&'static str>,
    layer: &'static str,
    /// Names of query, key and value; `None` if they are one tensor.
    projections: Option<[&'static str; 3]>,
    output: &'static str,
    attention_norm: &'static str,
    widen: &'static str,
    narrow: &'static str,
    feed_forward_norm: &'static str,
    layout: Layout,
}

impl Names {
    fn of(family: Family) -> Self {
        let bert = Names {
            prefixes: ["", "bert."],
            words: "embeddings.word_embeddings.weight",
            positions: "embeddings.position_embeddings.weight",
            kinds: Some("embeddings.token_type_embeddings.weight"),
            norm: Some("embeddings.LayerNorm"),
            layer: "encoder.layer",
            projections: Some(["attention.self.query", "attention.self.key", "attention.self.value"]),
            output: "attention.output.dense",
            attention_norm: "attention.output.LayerNorm",
            widen: "intermediate.dense",
            narrow: "output.dense",
            feed_forward_norm: "output.LayerNorm",
            layout: Layout::OutputsByInputs,
        };
        match family {
            Family::Bert => bert,
            Family::DistilBert => Names {
                prefixes: ["", "distilbert."],
                kinds: None,
                layer: "transformer.layer",
                projections: Some(["attention.q_lin", "attention.k_lin", "attention.v_lin"]),
                output: "attention.out_lin",
                attention_norm: "sa_layer_norm",
                widen: "ffn.lin1",
                narrow: "ffn.lin2",
                feed_forward_norm: "output_layer_norm",
                ..bert
            },
            Family::Gpt2 => Names {
                prefixes: ["", "transformer."],
                words: "wte.weight",
                positions: "wpe.weight",
                kinds: None,
                norm: None,
                layer: "h",
                projections: None,
                output: "attn.c_proj",
                attention_norm: "ln_1",
                widen: "mlp.c_fc",
                narrow: "mlp.c_proj",
                feed_forward_norm: "ln_2",
                layout: Layout::InputsByOutputs,
            },
        }
    }
}

struct Loader<'a, S> {
    prefix: &'static str,
    names: Names,
    config: ModelConfig,
    file: &'a mut SafeTensors<S>,
}

impl<S: Source> Loader<'_, S> {
    fn embeddings(&mut self, needs: &Needs) -> Result<Embeddings, InputError> {
        let (d, prefix) = (self.config.d, self.prefix);
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
                let fused = self.linear(&self.in_layer(layer, "attn.c_attn"), (3 * d, d))?;
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
        format!("{}{}.{layer}.{name}", self.prefix, self.names.layer)
    }

    fn linear(&mut self, name: &str, shape: (usize, usize)) -> Result<Linear, InputError> {
        Ok(Linear {
            weight: self.file.matrix(&format!("{name}.weight"), shape, self.names.layout)?,
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
