//! From token ids to the input of each layer's attention.
//!
//! GPT-2 (norms before): y = ln_1(x) is the input of attention, x <- x + O att(y) + b_O, x <- x + FF(ln_2(x)).
//! BERT (norms after): x is the input of attention, x <- ln(x + O att(x) + b_O), x <- ln(x + FF(x)).

use std::ops::Range;

use nalgebra::DMatrix;

use super::config::{Family, MapKind};
use super::map::{AttentionMap, Heads};
use super::parts::{FeedForward, Model};
use crate::experiment::{InputError, Mask};

/// The inputs of the attention of some layers at some windows of token ids: of each window, in their order, one d x n
/// matrix a layer, in the order asked for.
///
/// Windows share every product with a weight matrix, so that many short ones cost little more than one.
///
/// # Errors
/// [`InputError`] where a layer, a token or a position is none of the model's, or numbers overflow.
pub fn attention_inputs(
    model: &Model,
    windows: &[&[u32]],
    mask: Mask,
    layers: &[usize],
) -> Result<Vec<Vec<DMatrix<f64>>>, InputError> {
    let spans = spans(windows);
    let mut x = embed(model, windows)?;
    let mut inputs = vec![vec![DMatrix::zeros(0, 0); layers.len()]; windows.len()];
    let deepest = layers.iter().copied().max().unwrap_or(0);
    let eps = model.config.eps;
    for layer in 0..=deepest {
        let block = model.block(layer)?;
        let mut y = x.clone();
        if model.config.family == Family::Gpt2 {
            block.attention.norm.apply(&mut y, eps);
        }
        for (at, _) in layers.iter().enumerate().filter(|(_, wanted)| **wanted == layer) {
            for (of_window, span) in inputs.iter_mut().zip(&spans) {
                of_window[at] = y.columns_range(span.clone()).into_owned();
            }
        }
        let Some(part) = block.feed_forward.as_ref().filter(|_| layer < deepest) else { break };
        let map = AttentionMap::new(model, layer, MapKind::WithOutput, Heads::All)?;
        for span in &spans {
            let attended = map.at(&y.columns_range(span.clone()).into_owned(), mask)?.value();
            let mut tokens = x.columns_range_mut(span.clone());
            tokens += attended;
        }
        if model.config.family == Family::Gpt2 {
            y.copy_from(&x);
            part.norm.apply(&mut y, eps);
            x += feed_forward(model, part, &y);
        } else {
            block.attention.norm.apply(&mut x, eps);
            x += feed_forward(model, part, &x);
            part.norm.apply(&mut x, eps);
        }
    }
    Ok(inputs)
}

/// The columns of each window where they stand side by side.
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
            what: "The number of tokens n of a window".into(),
            found: longest.to_string(),
            limit: embeddings.positions.len().to_string(),
            fix: "Use windows that the model's positions reach.".into(),
        });
    }
    let mut x = DMatrix::zeros(model.config.d, windows.iter().map(|window| window.len()).sum());
    let places = windows.iter().flat_map(|window| window.iter().zip(&embeddings.positions));
    for ((id, position), mut token) in places.zip(x.column_iter_mut()) {
        let word = embeddings.words.get(id).ok_or_else(|| InputError::BadValue {
            key: "token id".into(),
            found: id.to_string(),
            expected: "one whose embedding is at hand".into(),
        })?;
        for row in [Some(word), Some(position), embeddings.kind.as_ref()].into_iter().flatten() {
            token.iter_mut().zip(row).for_each(|(x, y)| *x += f64::from(*y));
        }
    }
    if let Some(norm) = &embeddings.norm {
        norm.apply(&mut x, model.config.eps);
    }
    Ok(x)
}

fn feed_forward(model: &Model, part: &FeedForward, x: &DMatrix<f64>) -> DMatrix<f64> {
    let activation = model.config.activation;
    let mut wide = part.widen.apply(x);
    wide.apply(|x| *x = activation.at(*x));
    part.narrow.apply(&wide)
}
