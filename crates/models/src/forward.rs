//! The forward pass of a model, from token ids to the input of a map of each layer ([`MapKind`]).
//!
//! GPT-2 (layer norm first): y = ln_1(x) is the input of attention, x <- x + O att(y) + b_O, x <- x + FF(ln_2(x)).
//! BERT (layer norm last): x is the input of attention, x <- ln(x + O att(x) + b_O), x <- ln(x + FF(x)).

use std::borrow::Borrow;
use std::ops::Range;

use nalgebra::DMatrix;

use super::attention_map::{add_bias, projections};
use super::config::NormPlace;
use super::layer_norm::{LayerNorm, in_window};
use super::map_kind::{Heads, MapKind};
use super::parts::Model;
use lipscope_core::attention::{Forward, Projections};
use lipscope_core::experiment::{InputError, Mask};
use lipscope_core::phrase;

/// A model prepared for forward passes, with its projections stacked for the engine.
#[derive(Debug)]
pub struct ForwardPass<M> {
    model: M,
    mask: Mask,
    /// Projections and b_O of the first layers.
    attention: Vec<(Projections<f64>, Vec<f64>)>,
}

impl<M: Borrow<Model>> ForwardPass<M> {
    /// The model.
    pub fn model(&self) -> &Model {
        self.model.borrow()
    }

    /// Prepares forward passes through the attention of the first `layers` layers.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has fewer.
    pub fn new(model: M, mask: Mask, layers: usize) -> Result<Self, InputError> {
        let of: &Model = model.borrow();
        let of_layer = |layer: usize| {
            let bias = &of.block(layer)?.attention.output.bias;
            let heads = projections(of, layer, MapKind::WithOutput, Heads::All)?;
            Ok((heads, bias.iter().map(|x| f64::from(*x)).collect()))
        };
        let attention = (0..layers).map(of_layer).collect::<Result<_, InputError>>()?;
        Ok(ForwardPass { model, mask, attention })
    }

    /// The stacked projections and b_O of a layer, if passes run through its attention.
    pub(super) fn stacked(&self, layer: usize) -> Option<&(Projections<f64>, Vec<f64>)> {
        self.attention.get(layer)
    }

    /// The inputs of a map of some layers at some windows of token ids: for each window, one d x n matrix per layer, in
    /// the given orders.
    ///
    /// The windows share every product with a weight matrix, so that many short ones cost little more than one.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such layer, token or position, or numbers overflow.
    pub fn inputs(
        &self,
        windows: &[&[u32]],
        kind: MapKind,
        layers: &[usize],
    ) -> Result<Vec<Vec<DMatrix<f64>>>, InputError> {
        let model = self.model();
        let spans = spans(windows);
        let mut x = embed(model, windows)?;
        let mut inputs = vec![vec![DMatrix::zeros(0, 0); layers.len()]; windows.len()];
        let first_layers: Vec<usize> = layers.iter().map(|layer| kind.first_layer(*layer)).collect();
        let deepest = first_layers.iter().copied().max().unwrap_or(0);
        let place = model.config.norm_place();
        let normalize = |norm: &LayerNorm, x: &mut DMatrix<f64>| {
            norm.apply(x, model.config.eps).map(drop).map_err(|problem| in_window(problem, &spans))
        };
        for layer in 0..=deepest {
            let block = model.block(layer)?;
            let mut keep = |x: &DMatrix<f64>| {
                for (at, _) in first_layers.iter().enumerate().filter(|(_, wanted)| **wanted == layer) {
                    for (of_window, span) in inputs.iter_mut().zip(&spans) {
                        of_window[at] = x.columns_range(span.clone()).into_owned();
                    }
                }
            };
            let mut y = x.clone();
            if place == NormPlace::First {
                normalize(&block.attention.norm, &mut y)?;
            }
            match kind {
                MapKind::Attention | MapKind::WithOutput => keep(&y),
                MapKind::AttentionResidual | MapKind::Block | MapKind::Blocks => keep(&x),
                MapKind::MlpResidual => {}
            }
            if layer == deepest && kind != MapKind::MlpResidual {
                break;
            }
            let Some((heads, bias)) = self.stacked(layer) else { break };
            x += self.attended(heads, &y, &spans)?;
            add_bias(&mut x, bias);
            if place == NormPlace::Last {
                normalize(&block.attention.norm, &mut x)?;
            }
            if kind == MapKind::MlpResidual {
                keep(&x);
            }
            if layer == deepest {
                break;
            }
            let mlp = model.mlp(layer)?;
            y.copy_from(&x);
            if place == NormPlace::First {
                normalize(&mlp.norm, &mut y)?;
            }
            x += mlp.apply(&y, model.config.activation);
            if place == NormPlace::Last {
                normalize(&mlp.norm, &mut x)?;
            }
        }
        Ok(inputs)
    }

    /// The attention of all windows, concatenated along the tokens, after the output matrix.
    fn attended(
        &self,
        heads: &Projections<f64>,
        tokens: &DMatrix<f64>,
        spans: &[Range<usize>],
    ) -> Result<DMatrix<f64>, InputError> {
        let projected = heads.project(tokens);
        let mut concatenated = DMatrix::zeros(tokens.nrows(), tokens.ncols());
        for span in spans {
            let part = |of: &DMatrix<f64>| of.columns_range(span.clone()).into_owned();
            let window = Forward::of_projected(heads.clone(), part(&projected), self.mask, &part(tokens))?;
            concatenated.columns_range_mut(span.clone()).copy_from(&window.concatenated());
        }
        Ok(heads.combine(concatenated))
    }
}

/// The column range of each window in the concatenation.
fn spans(windows: &[&[u32]]) -> Vec<Range<usize>> {
    let mut start = 0;
    let next = |window: &&[u32]| {
        let span = start..start + window.len();
        start = span.end;
        span
    };
    windows.iter().map(next).collect()
}

/// Word, position and type embeddings, summed and, for BERT, normalised: d x (all tokens).
fn embed(model: &Model, windows: &[&[u32]]) -> Result<DMatrix<f64>, InputError> {
    let embeddings = &model.embeddings;
    let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
    if longest > embeddings.positions.len() {
        return Err(InputError::TooLarge {
            what: phrase!("number_tokens_n_window", "The number of tokens n of a window"),
            found: longest.to_string().into(),
            limit: embeddings.positions.len().to_string().into(),
            fix: phrase!("use_windows_models_positions", "Use windows that the model's positions reach."),
        });
    }
    let mut x = DMatrix::zeros(model.config.d, windows.iter().map(|window| window.len()).sum());
    let cells = windows.iter().flat_map(|window| window.iter().zip(&embeddings.positions));
    for ((id, position), mut token) in cells.zip(x.column_iter_mut()) {
        let word = embeddings.words.get(id).ok_or_else(|| InputError::BadValue {
            key: phrase!("token_id", "The token id"),
            found: id.to_string().into(),
            expected: phrase!("one_whose_embedding_loaded", "one whose embedding is loaded"),
        })?;
        for row in [Some(word), Some(position), embeddings.kind.as_ref()].into_iter().flatten() {
            token.iter_mut().zip(row).for_each(|(x, y)| *x += f64::from(*y));
        }
    }
    if let Some(norm) = &embeddings.norm {
        norm.apply(&mut x, model.config.eps).map_err(|problem| in_window(problem, &spans(windows)))?;
    }
    Ok(x)
}
