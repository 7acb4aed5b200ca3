//! Builds a model from the tensors of its files, with the names and the layout that [`Arrangement`] finds.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::arrangement::{Arrangement, not_of_family};
use super::checkpoint::Checkpoint;
use super::source::Source;
use crate::config::family::{
    AfterBranch, BiasRule, Biases, EmbeddingNames, EmbeddingProjection, ExpertRule, ExpertTensors, MlpNames,
    NormTensors, Projected, ProjectionNames, QkNormNames,
};
use crate::config::model_config::{ExpertSizes, ModelConfig};
use crate::config::residual::Residual;
use crate::config::score_bias::ScoreBias;
use crate::parts::model::{
    AttentionPart, Block, Dense, Embeddings, Experts, FeedForward, LayerParts, Linear, Model, Needs, Network, Patches,
};
use crate::parts::token_norm::TokenNorm;
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
    let score_table = loader.score_table()?;
    let blocks = (0..needs.layers).map(|layer| loader.block(layer, LayerParts::of(layer, needs.mlps)));
    let blocks = blocks.collect::<Result<_, InputError>>()?;
    Ok(Model { config, embeddings, score_table, blocks, first_layer: 0 })
}

/// Loads a single layer, and what all layers share, from files that are arranged so.
///
/// # Errors
/// As [`load_model`].
pub(crate) fn load_layer<S: Source>(
    config: ModelConfig,
    (file, arrangement): (&mut Checkpoint<S>, &Arrangement),
    (layer, parts): (usize, LayerParts),
) -> Result<Model, InputError> {
    let mut loader = Loader { arrangement: arrangement.clone(), config, file };
    let score_table = loader.score_table()?;
    let blocks = vec![loader.block(layer, parts)?];
    Ok(Model { config, embeddings: Embeddings::default(), score_table, blocks, first_layer: layer })
}

struct Loader<'a, S> {
    arrangement: Arrangement,
    config: ModelConfig,
    file: &'a mut Checkpoint<S>,
}

impl<S: Source> Loader<'_, S> {
    fn embeddings(&mut self, needs: &Needs) -> Result<Embeddings, InputError> {
        let ModelConfig { d, embedding_width, first_position, .. } = self.config;
        let (prefix, sum_width) = (self.arrangement.prefix.clone(), self.config.sum_width());
        let EmbeddingNames { words: words_name, positions, kinds, norm, .. } = self.config.family.embeddings;
        let mut rows =
            |name: &str, shape, first, count| self.file.rows(&format!("{prefix}{name}"), shape, first, count);
        let mut words = BTreeMap::new();
        // The tokens of pictures are no rows of a table.
        let of_table: Vec<u32> = needs.ids.iter().filter(|_| self.config.picture.is_none()).copied().collect();
        for near in of_table.chunk_by(|id, next| is_near(*id, *next, embedding_width)) {
            let (Some(first), Some(last)) = (near.first(), near.last()) else { continue };
            let shape = (self.config.vocabulary, embedding_width);
            let read = rows(words_name, shape, *first as usize, (last - first + 1) as usize)?;
            let wanted = (*first..).zip(read).filter(|(id, _)| needs.ids.contains(id));
            words.extend(wanted);
        }
        let table = (self.config.positions + first_position, sum_width);
        let padding = match (positions, self.config.padding()) {
            (Some(name), Some(row)) => rows(name, table, row, 1)?.pop(),
            _ => None,
        };
        let (of_pictures, of_texts) = match self.config.picture {
            Some(_) => (positions, None),
            None => (None, positions),
        };
        let of_texts = of_texts.map(|name| rows(name, table, first_position, needs.positions)).transpose()?;
        let kind = match kinds {
            Some(name) => rows(name, (self.config.token_types, sum_width), 0, 1)?.pop(),
            None => None,
        };
        let norm = norm.map(|name| self.norm(&format!("{prefix}{name}"), sum_width)).transpose()?;
        let projection = match self.config.embedding_projection() {
            Some(EmbeddingProjection { name, of, .. }) => {
                let name = format!("{prefix}{name}");
                let linear = self.linear(&name, (d, embedding_width))?;
                if of == Projected::Words && linear.bias.iter().any(|x| *x != 0.0) {
                    return Err(not_of_family(&format!("{name}.bias")));
                }
                Some(linear)
            }
            None => None,
        };
        let whole = |name| self.file.flat(&format!("{prefix}{name}"), &[table.0, table.1]);
        let of_pictures = of_pictures.map(whole).transpose()?;
        let positions = of_pictures.map(|all| in_rows(&all, table.1)).or(of_texts);
        let patches = self.patches()?;
        Ok(Embeddings { words, positions, padding, kind, norm, projection, patches, pictures: None })
    }

    /// What turns pictures into tokens, for a model of pictures.
    fn patches(&mut self) -> Result<Option<Patches>, InputError> {
        let ModelConfig { d, family, picture, .. } = self.config;
        let (Some(rule), Some(sizes), Some(bias)) = (family.images, picture, family.patch_bias()) else {
            return Ok(None);
        };
        let prefix = &self.arrangement.prefix;
        let first = rule.first.iter().map(|name| self.file.flat(&format!("{prefix}{name}"), &[d]));
        let first = first.collect::<Result<_, InputError>>()?;
        let matrix =
            self.file.flat(&format!("{prefix}{}", family.embeddings.words), &[d, 3, sizes.patch, sizes.patch])?;
        let bias = format!("{prefix}{bias}");
        let bias = if self.file.has(&bias) { self.file.vector(&bias, d)? } else { vec![0.0; d] };
        let weight = DMatrix::from_row_slice(d, 3 * sizes.patch * sizes.patch, &matrix);
        Ok(Some(Patches { first, projection: Linear { weight, bias } }))
    }

    /// The table of biases of scores, if the family has one.
    fn score_table(&mut self) -> Result<Vec<Vec<f32>>, InputError> {
        match (self.config.family.score_bias, self.config.score_bias) {
            (BiasRule::Table { tensor, .. }, ScoreBias::Table { rows, buckets, .. }) => {
                let name = format!("{}{tensor}.weight", self.arrangement.prefix);
                self.file.rows(&name, (rows, self.config.heads), 0, buckets)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn block(&mut self, layer: usize, parts: LayerParts) -> Result<Block, InputError> {
        let attention = self.attention(layer)?;
        let feed_forward = match parts {
            LayerParts::Whole => Some(Arc::new(self.feed_forward(layer)?)),
            LayerParts::Attention => None,
        };
        Ok(Block { attention, feed_forward })
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
                [(0, queries), (queries, keys), (queries + keys, keys)]
                    .map(|(first, count)| rows(&fused, first..first + count))
            }
            ProjectionNames::FusedByGroup(name) => {
                let fused = self.linear(&self.in_layer(layer, name), (queries + 2 * keys, d))?;
                // The queries of a group's heads, its key and its value.
                let of_group = queries / self.config.key_heads;
                let group = of_group + 2 * head_dim;
                let starts = [(0, of_group), (of_group, head_dim), (of_group + head_dim, head_dim)];
                starts.map(|(start, count)| {
                    let at = |group_idx: usize| {
                        let first = group_idx * group + start;
                        first..first + count
                    };
                    rows(&fused, (0..self.config.key_heads).flat_map(at))
                })
            }
        };
        let qk_widths = if self.config.has_wide_norm() { [queries, keys] } else { [head_dim; 2] };
        Ok(AttentionPart {
            query,
            key,
            value,
            output: self.linear(&self.in_layer(layer, family.output), (d, queries))?,
            qk_gains: match family.qk_norm {
                Some(QkNormNames { query, key, .. }) => {
                    Some([self.gains(layer, query, qk_widths[0])?, self.gains(layer, key, qk_widths[1])?])
                }
                None => None,
            },
            sinks: match family.sinks {
                Some(name) => self.file.vector(&self.in_layer(layer, name), self.config.heads)?,
                None => Vec::new(),
            },
            norms: self.norms(layer, family.norms_of_attention(layer), self.config.attention_norm)?,
        })
    }

    fn feed_forward(&mut self, layer: usize) -> Result<FeedForward, InputError> {
        let network = match (self.config.experts_of(layer), self.config.family.experts) {
            (Some(sizes), Some(rule)) => Network::Experts(self.experts(layer, sizes, rule)?),
            _ => Network::Dense(self.dense(layer)?),
        };
        Ok(FeedForward { network, norms: self.norms(layer, self.config.family.mlp_norms, self.config.mlp_norm)? })
    }

    fn experts(&mut self, layer: usize, sizes: ExpertSizes, rule: ExpertRule) -> Result<Experts, InputError> {
        let d = self.config.d;
        let ExpertSizes { count, inner, .. } = sizes;
        let router = self.linear(&self.in_layer(layer, rule.router), (count, d))?;
        let expert = |expert: usize, loader: &mut Self| match rule.tensors {
            ExpertTensors::Apart { before, gate, up, down } => {
                let name = |part: &str| loader.in_layer(layer, &format!("{before}.{expert}.{part}"));
                let [gate, up, down] = [name(gate), name(up), name(down)];
                Ok(Dense {
                    widen: loader.linear(&up, (inner, d))?,
                    gate: Some(loader.linear(&gate, (inner, d))?),
                    narrow: loader.linear(&down, (d, inner))?,
                })
            }
            ExpertTensors::Stacked { gate_up, down } => {
                let [gate_up, down] = [gate_up, down].map(|name| loader.in_layer(layer, name));
                let both = loader.slab(&gate_up, (count, d, 2 * inner), expert)?;
                Ok(Dense {
                    widen: rows(&both, (0..inner).map(|unit| 2 * unit + 1)),
                    gate: Some(rows(&both, (0..inner).map(|unit| 2 * unit))),
                    narrow: loader.slab(&down, (count, inner, d), expert)?,
                })
            }
        };
        let experts = (0..count).map(|at| expert(at, self)).collect::<Result<_, InputError>>()?;
        Ok(Experts { router, experts })
    }

    /// One of the linear maps of a tensor count x inputs x outputs, with its bias.
    fn slab(&mut self, name: &str, shape: (usize, usize, usize), at: usize) -> Result<Linear, InputError> {
        let weight = self.file.slab(name, shape, at)?;
        let bias = self.file.rows(&format!("{name}_bias"), (shape.0, shape.2), at, 1)?.remove(0);
        Ok(Linear { weight, bias })
    }

    fn dense(&mut self, layer: usize) -> Result<Dense, InputError> {
        let ModelConfig { d, inner, family, .. } = self.config;
        let (widen, gate, narrow) = match family.mlp {
            MlpNames::Plain { widen, narrow } => (self.linear(&self.in_layer(layer, widen), (inner, d))?, None, narrow),
            MlpNames::Gated { gate, up, down } => {
                let gate = self.linear(&self.in_layer(layer, gate), (inner, d))?;
                (self.linear(&self.in_layer(layer, up), (inner, d))?, Some(gate), down)
            }
            MlpNames::GatedFused { gate_up, down } => {
                let fused = self.linear(&self.in_layer(layer, gate_up), (2 * inner, d))?;
                (rows(&fused, inner..2 * inner), Some(rows(&fused, 0..inner)), down)
            }
        };
        Ok(Dense { widen, gate, narrow: self.linear(&self.in_layer(layer, narrow), (d, inner))? })
    }

    fn in_layer(&self, layer: usize, name: &str) -> String {
        self.config.family.in_layer(&self.arrangement.prefix, self.config.group_of_layer(layer), name)
    }

    fn linear(&mut self, name: &str, shape: (usize, usize)) -> Result<Linear, InputError> {
        let weight = self.file.matrix(&format!("{name}.weight"), shape, self.arrangement.layout)?;
        let bias = format!("{name}.bias");
        let is_zero = self.config.family.biases == Biases::Optional && !self.file.has(&bias);
        let bias = if is_zero { vec![0.0; shape.0] } else { self.file.vector(&bias, shape.0)? };
        Ok(Linear { weight, bias })
    }

    /// The gains of the norm of every query or key, or of all of them.
    fn gains(&mut self, layer: usize, name: &str, count: usize) -> Result<Vec<f32>, InputError> {
        let name = format!("{}.weight", self.in_layer(layer, name));
        self.file.vector(&name, count)
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
            _ => match (self.config.family.after_branch, names) {
                (AfterBranch::Scale, Residual::Branch { before, after }) => Ok(Residual::Branch {
                    before: before.map(|name| self.norm(&self.in_layer(layer, name), self.config.d)).transpose()?,
                    after: after.map(|name| self.scale(&self.in_layer(layer, name))).transpose()?,
                }),
                _ => names.try_map(|name| self.norm(&self.in_layer(layer, name), self.config.d)),
            },
        }
    }

    /// A factor for each coordinate: gains without a norm.
    fn scale(&mut self, name: &str) -> Result<TokenNorm, InputError> {
        let ModelConfig { d, eps, .. } = self.config;
        Ok(TokenNorm { gain: self.file.vector(name, d)?, ..TokenNorm::plain(Normalization::None, eps, d) })
    }

    fn norm(&mut self, name: &str, d: usize) -> Result<TokenNorm, InputError> {
        let ModelConfig { eps, family, .. } = self.config;
        if family.norm_tensors == NormTensors::None {
            return Ok(TokenNorm::plain(family.normalization, eps, d));
        }
        let [gain, shift] = match self.file.has(&format!("{name}.gamma")) {
            true => ["gamma", "beta"],
            false => ["weight", "bias"],
        };
        Ok(TokenNorm {
            normalization: family.normalization,
            eps,
            base: family.gains.base(),
            gain: self.file.vector(&format!("{name}.{gain}"), d)?,
            shift: match family.norm_tensors {
                NormTensors::Both => self.file.vector(&format!("{name}.{shift}"), d)?,
                NormTensors::ShiftOptional if self.file.has(&format!("{name}.{shift}")) => {
                    self.file.vector(&format!("{name}.{shift}"), d)?
                }
                _ => vec![0.0; d],
            },
        })
    }
}

/// Whether two rows of that width are read together: what lies between them costs less than another request to a server.
fn is_near(id: u32, next: u32, width: usize) -> bool {
    /// A few hundredths of a second of a usual connection.
    const NUMBERS: u64 = 1 << 16;
    u64::from(next - id).saturating_mul(width as u64) <= NUMBERS
}

/// Numbers as rows of that width.
fn in_rows(numbers: &[f32], width: usize) -> Vec<Vec<f32>> {
    numbers.chunks(width).map(<[f32]>::to_vec).collect()
}

/// Some rows of a linear map.
fn rows(linear: &Linear, rows: impl Iterator<Item = usize>) -> Linear {
    let at: Vec<usize> = rows.collect();
    let bias = at.iter().map(|row| linear.bias[*row]).collect();
    Linear { weight: linear.weight.select_rows(&at), bias }
}
