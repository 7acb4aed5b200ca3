//! Text drawn from a model, character by character.

use lipscope_core::experiment::InputError;
use lipscope_core::random::{Random, Stream};

use super::corpus::Corpus;
use super::stack::Stack;

/// Draws a text of `characters` characters, each from the model's distribution after the last T characters. The text
/// starts after a line break, or after the vocabulary's first character if the training text has no line break.
///
/// # Errors
/// [`InputError::Overflow`] where tokens or scores overflow.
pub fn draw_text(stack: &Stack, corpus: &Corpus, characters: usize, seed: u64) -> Result<String, InputError> {
    let mut random = Random::new(seed, Stream::TrainedText);
    let line_end = corpus.vocabulary().binary_search(&'\n').unwrap_or_default();
    let mut ids = vec![line_end as u32];
    for _ in 0..characters {
        let logits = stack.logits(&ids[ids.len().saturating_sub(stack.context())..])?;
        let last: Vec<f64> = logits.column(logits.ncols() - 1).iter().copied().collect();
        ids.push(draw(&last, random.uniform()) as u32);
    }
    Ok(corpus.text(&ids[1..]))
}

/// The place in the softmax of the logits that a uniform number selects.
fn draw(logits: &[f64], uniform: f64) -> usize {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let masses: Vec<f64> = logits.iter().map(|logit| libm::exp(logit - largest)).collect();
    let mut rest = uniform * masses.iter().sum::<f64>();
    let reached = masses.iter().position(|mass| {
        rest -= mass;
        rest < 0.0
    });
    // Rounding may leave a remainder after the last one.
    reached.unwrap_or(logits.len() - 1)
}
