//! The forward pass of a model, from token ids to the input of a map of each layer ([`MapKind`]).
//!
//! A layer is two steps, attention and the MLP, each with a residual connection and its norms ([`Residual`]): GPT-2 and
//! Llama have x <- x + B(N x), BERT has x <- L(x + B x). The tokens that enter attention are N x, or x itself.

use std::borrow::Borrow;
use std::ops::Range;

use nalgebra::DMatrix;

use super::attention_map::StackedAttention;
use super::dense::MlpRule;
use super::model::{Embeddings, Model};
use super::token_norm::{NormJacobian, TokenNorm, in_window};
use crate::config::family::{BlockShape, Projected};
use crate::config::map_kind::MapKind;
use crate::config::residual::Residual;
use crate::pictures::needs_pictures;
use lipscope_core::attention::Forward;
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::phrase;

/// A model prepared for forward passes, with its projections stacked for the engine.
#[derive(Debug)]
pub struct ForwardPass<M> {
    model: M,
    mask: Order,
    /// The attention of the loaded layers, as far as passes run through it.
    attention: Vec<StackedAttention>,
}

impl<M: Borrow<Model>> ForwardPass<M> {
    /// The model.
    pub fn model(&self) -> &Model {
        self.model.borrow()
    }

    /// The model, without what was prepared for passes.
    pub(crate) fn into_model(self) -> M {
        self.model
    }

    /// Prepares forward passes through the attention of the loaded layers below `layers`.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has not loaded them.
    pub fn new(model: M, mask: Order, layers: usize) -> Result<Self, InputError> {
        let of: &Model = model.borrow();
        let attention = (of.first_layer..layers)
            .map(|layer| StackedAttention::new(of, layer))
            .collect::<Result<_, InputError>>()?;
        Ok(ForwardPass { model, mask, attention })
    }

    /// The attention of a layer, if passes run through it.
    pub(crate) fn stacked(&self, layer: usize) -> Option<&StackedAttention> {
        layer.checked_sub(self.model().first_layer).and_then(|place| self.attention.get(place))
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
        let mut pass = self.begin(windows, kind, layers)?;
        while pass.layers_left() > 0 {
            self.pass_layer(&mut pass)?;
        }
        Ok(pass.inputs)
    }

    /// Begins [`ForwardPass::inputs`]: the embeddings. [`ForwardPass::pass_layer`] does the rest, layer by layer.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such token or position, or numbers overflow.
    pub(crate) fn begin(&self, windows: &[&[u32]], kind: MapKind, layers: &[usize]) -> Result<Pass, InputError> {
        let first_layers: Vec<usize> = layers.iter().map(|layer| kind.first_layer(*layer)).collect();
        Ok(Pass {
            kind,
            layers: first_layers.iter().copied().max().unwrap_or(0) + 1,
            first_layers,
            spans: spans(windows),
            x: embed(self.model(), windows)?,
            done: 0,
            inputs: vec![vec![DMatrix::zeros(0, 0); layers.len()]; windows.len()],
        })
    }

    /// Takes the windows through the next layer, as far as its maps need it.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such layer, or numbers overflow.
    pub(crate) fn pass_layer(&self, pass: &mut Pass) -> Result<(), InputError> {
        let layer = pass.done;
        let is_last = pass.layers_left() <= 1;
        pass.done += 1;
        let model = self.model();
        let kind = pass.kind;
        let norms = &model.block(layer)?.attention.norms;
        let is_sequential = model.config.block_shape() == BlockShape::Sequential;
        let mut y = pass.x.clone();
        let entered = enter(norms, &mut y, &pass.spans)?;
        match kind {
            MapKind::Attention | MapKind::WithOutput => pass.keep(layer, &y),
            MapKind::AttentionResidual | MapKind::Block | MapKind::Blocks => pass.keep_present(layer),
            MapKind::MlpResidual if !is_sequential => pass.keep_present(layer),
            MapKind::MlpResidual => {}
        }
        if is_last && (kind != MapKind::MlpResidual || !is_sequential) {
            return Ok(());
        }
        let Some(stacked) = self.stacked(layer) else {
            pass.done = pass.layers;
            return Ok(());
        };
        let value = self.attended(stacked, &y, &pass.spans)?;
        // The tokens that enter the MLP's branch: those of the layer, or those after attention.
        y.copy_from(&pass.x);
        leave(norms, entered, pass, value, (&stacked.output_bias, model.config.residual_factor))?;
        if is_sequential {
            y.copy_from(&pass.x);
            if kind == MapKind::MlpResidual {
                pass.keep_present(layer);
            }
        }
        if is_last {
            return Ok(());
        }
        let mlp = model.mlp(layer)?;
        let entered = enter(&mlp.norms, &mut y, &pass.spans)?;
        let value = mlp.apply(&y, MlpRule::of(&model.config));
        leave(&mlp.norms, entered, pass, value, (&[], model.config.residual_factor))
    }

    /// The attention of all windows, concatenated along the tokens, after the output matrix.
    fn attended(
        &self,
        StackedAttention { heads, rules, .. }: &StackedAttention,
        tokens: &DMatrix<f64>,
        spans: &[Range<usize>],
    ) -> Result<DMatrix<f64>, InputError> {
        let projected = heads.project(tokens);
        let sizes = self.model().config.head_sizes();
        let mut concatenated = DMatrix::zeros(sizes.heads * sizes.k, tokens.ncols());
        for span in spans {
            let part = |of: &DMatrix<f64>| of.columns_range(span.clone()).into_owned();
            let rule = (rules.mask(self.mask), rules.steps(span.len()));
            let window = Forward::of_projected(heads.clone(), part(&projected), rule, &part(tokens))?;
            concatenated.columns_range_mut(span.clone()).copy_from(&window.concatenated());
        }
        Ok(heads.combine(concatenated))
    }
}

/// Turns tokens into what enters a branch. An error names the token's place in its own window.
fn enter(
    norms: &Residual<TokenNorm>,
    x: &mut DMatrix<f64>,
    spans: &[Range<usize>],
) -> Result<Option<NormJacobian<f64>>, InputError> {
    norms.enter(x).map_err(|problem| in_window(problem, spans))
}

/// Adds to the tokens of a pass what comes out of a branch.
fn leave(
    norms: &Residual<TokenNorm>,
    entered: Option<NormJacobian<f64>>,
    pass: &mut Pass,
    value: DMatrix<f64>,
    scaled_bias: (&[f64], f64),
) -> Result<(), InputError> {
    let left = norms.leave(entered, &mut pass.x, value, scaled_bias);
    left.map(drop).map_err(|problem| in_window(problem, &pass.spans))
}

/// Windows on their way through the model.
#[derive(Debug)]
pub(crate) struct Pass {
    kind: MapKind,
    /// For each wanted layer, the one at whose tokens its map begins.
    first_layers: Vec<usize>,
    /// The column range of each window.
    spans: Vec<Range<usize>>,
    /// The tokens of all windows, d x (all tokens).
    x: DMatrix<f64>,
    /// How many layers the windows have passed, and how many they have to pass.
    done: usize,
    layers: usize,
    /// For each window and each wanted layer, the input of its map, d x n; empty until the pass is there.
    inputs: Vec<Vec<DMatrix<f64>>>,
}

impl Pass {
    /// How many layers the windows have passed, and how many they have to pass.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.done, self.layers)
    }

    /// How many layers the windows have still to pass.
    pub(crate) fn layers_left(&self) -> usize {
        self.layers - self.done
    }

    /// The input of the map of wanted layer number `at` for each window.
    pub(crate) fn inputs_at(&self, at: usize) -> impl Iterator<Item = &DMatrix<f64>> {
        self.inputs.iter().map(move |of_window| &of_window[at])
    }

    /// Drops the inputs of wanted layer number `at`.
    pub(crate) fn forget(&mut self, at: usize) {
        self.inputs.iter_mut().for_each(|of_window| of_window[at] = DMatrix::zeros(0, 0));
    }

    /// What [`ForwardPass::inputs`] returns.
    pub(crate) fn into_inputs(self) -> Vec<Vec<DMatrix<f64>>> {
        self.inputs
    }

    /// Keeps `tokens` for every map that begins at this layer.
    fn keep(&mut self, layer: usize, tokens: &DMatrix<f64>) {
        for (at, _) in self.first_layers.iter().enumerate().filter(|(_, wanted)| **wanted == layer) {
            for (of_window, span) in self.inputs.iter_mut().zip(&self.spans) {
                of_window[at] = tokens.columns_range(span.clone()).into_owned();
            }
        }
    }

    /// Keeps the tokens as they are now, before or within the layer.
    fn keep_present(&mut self, layer: usize) {
        let present = std::mem::replace(&mut self.x, DMatrix::zeros(0, 0));
        self.keep(layer, &present);
        self.x = present;
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

/// Word embeddings plus those of positions and types where there are any, normalised for BERT: d x (all tokens).
fn embed(model: &Model, windows: &[&[u32]]) -> Result<DMatrix<f64>, InputError> {
    let embeddings = &model.embeddings;
    let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
    let most = embeddings.positions.as_ref().map_or(model.config.positions, Vec::len);
    if longest > most {
        return Err(InputError::TooLarge {
            what: phrase!("number_tokens_n_window", "The number of tokens n of a window"),
            found: longest.to_string().into(),
            limit: most.to_string().into(),
            fix: phrase!("use_windows_models_positions", "Use windows that the model's positions reach."),
        });
    }
    let config = &model.config;
    let mut x = match (&embeddings.patches, &embeddings.pictures) {
        (Some(patches), Some(pictures)) => patches.tokens(pictures, windows)?,
        (Some(_), None) => return Err(needs_pictures(config)),
        (None, _) => words(model, windows)?,
    };
    let projected = config.embedding_projection().map(|projection| projection.of);
    let projection = |of: Projected| embeddings.projection.as_ref().filter(|_| projected == Some(of));
    if let Some(words) = projection(Projected::Words) {
        x = words.apply(&x);
    }
    for (row, mut token) in position_rows(model, windows).zip(x.column_iter_mut()) {
        for row in [row, embeddings.kind.as_ref()].into_iter().flatten() {
            token.iter_mut().zip(row).for_each(|(x, y)| *x += f64::from(*y));
        }
    }
    if let Some(norm) = &embeddings.norm {
        norm.apply(&mut x).map_err(|problem| in_window(problem, &spans(windows)))?;
    }
    Ok(match projection(Projected::Sum) {
        Some(sum) => sum.apply(&x),
        None => x,
    })
}

/// The rows of the words, times the model's factor: (width of the embeddings) x (all tokens).
fn words(model: &Model, windows: &[&[u32]]) -> Result<DMatrix<f64>, InputError> {
    let (config, embeddings) = (&model.config, &model.embeddings);
    let n = windows.iter().map(|window| window.len()).sum();
    let mut x = DMatrix::zeros(config.embedding_width, n);
    for (id, mut token) in windows.iter().copied().flatten().zip(x.column_iter_mut()) {
        let word = embeddings.words.get(id).ok_or_else(|| InputError::BadValue {
            key: phrase!("token_id", "The token id"),
            found: id.to_string().into(),
            expected: phrase!("one_whose_embedding_loaded", "one whose embedding is loaded"),
        })?;
        token.iter_mut().zip(word).for_each(|(x, y)| *x = config.embedding_factor * f64::from(*y));
    }
    Ok(x)
}

/// The position that is added to each token of the windows, if positions are.
fn position_rows<'a>(model: &'a Model, windows: &'a [&'a [u32]]) -> impl Iterator<Item = Option<&'a Vec<f32>>> {
    let Embeddings { positions, padding, .. } = &model.embeddings;
    let padding = padding.as_ref().zip(model.config.padding());
    let row = move |place: &mut usize, id: &u32| {
        if let Some((row, padding)) = padding
            && *id as usize == padding
        {
            return Some(Some(row));
        }
        *place += 1;
        Some(positions.as_ref().map(|rows| &rows[*place - 1]))
    };
    windows.iter().flat_map(move |window| window.iter().scan(0, row))
}
