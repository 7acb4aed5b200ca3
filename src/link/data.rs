//! Pasted tokens and weights in a link, or a whole experiment: in the format of the experiment file, compressed, in
//! base64url.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::state::{OwnClusters, OwnWeights, PageState, Scene, TokenChoice, WeightChoice};
use lipscope_core::experiment::{Experiment, Mask, MaskKind, Preset, Steps, TokenSource, WeightSource};

/// Data of more numbers than this are not compressed: their link would be too long.
const MOST_NUMBERS: usize = 12_000;
/// Data that unpack to more bytes than this are refused: a few characters can unpack to any length.
const MOST_UNPACKED: usize = 1 << 20;
/// The compressor's effort, from 1 to 10.
const EFFORT: u8 = 9;
/// The text for the steps of the two papers.
const NO_STEPS: &str = "none";

/// Whether a state's own data are too large for any link.
pub fn is_large(state: &PageState) -> bool {
    let tokens = match (state.tokens, &state.own_tokens, &state.own_clusters) {
        (TokenChoice::Own, Some(rows), _) => rows.entries().len(),
        (TokenChoice::Clusters, _, Some(own)) => own.positions.entries().len(),
        _ => 0,
    };
    let weights = match (state.weights, &state.own_weights) {
        (WeightChoice::Own, Some(own)) => {
            let heads = own.heads.iter().flat_map(|head| [&head.q, &head.k, &head.v]);
            let second = own.heads.iter().filter_map(|head| head.second.as_ref());
            heads
                .chain(second.flat_map(|second| [&second.q, &second.k]))
                .chain(&own.output)
                .map(|rows| rows.entries().len())
                .sum()
        }
        _ => 0,
    };
    let mask = match &state.mask {
        Mask::Padding { keys, .. } => keys.len(),
        Mask::Allowed(rows) => rows.entries().len(),
        _ => 0,
    };
    let bias = state.score.bias.as_ref().map_or(0, |bias| bias.entries().len());
    tokens + weights + mask + bias > MOST_NUMBERS
}

/// The text of a state's tokens, if they are the reader's own; else empty.
pub fn tokens_text(state: &PageState) -> String {
    let is_own = match state.tokens {
        TokenChoice::Own => state.own_tokens.is_some(),
        TokenChoice::Clusters => state.own_clusters.is_some(),
        _ => false,
    };
    if is_own { pack(&state.experiment().to_value()["tokens"]) } else { String::new() }
}

/// The text of a state's weights, if they are the reader's own; else empty.
pub fn weights_text(state: &PageState) -> String {
    match (state.weights, &state.own_weights) {
        (WeightChoice::Own, Some(own)) => {
            let OwnWeights { heads, shared, output } = own.as_ref().clone();
            let experiment = Experiment {
                tokens: TokenSource::Adversarial { n: 2, radius: 1.0 },
                weights: Some(WeightSource::Explicit { heads, shared, output }),
                ..state.experiment()
            };
            pack(&experiment.to_value()["weights"])
        }
        _ => String::new(),
    }
}

/// Puts a link's tokens into a state. Another field says which tokens are used.
///
/// # Errors
/// [`Fault`] about the tokens.
pub fn read_tokens(state: &mut PageState, text: &str) -> Result<(), Fault> {
    let experiment = Experiment::from_value(json!({"tokens": unpack(text)?, "weights": {"source": "identity"}}))?;
    match &experiment.tokens {
        TokenSource::Explicit(rows) => state.own_tokens = Some(rows.clone()),
        clusters @ TokenSource::Clusters { .. } => state.own_clusters = OwnClusters::of(clusters).map(Into::into),
        _ => return Err(Fault::Damaged),
    }
    Ok(())
}

/// Puts a link's weights into a state. Another field says which weights are used.
///
/// # Errors
/// [`Fault`] about the weights.
pub fn read_weights(state: &mut PageState, text: &str) -> Result<(), Fault> {
    let tokens = json!({"source": "adversarial", "n": 2});
    let experiment = Experiment::from_value(json!({"tokens": tokens, "weights": unpack(text)?}))?;
    let Some(WeightSource::Explicit { heads, shared, output }) = experiment.weights else {
        return Err(Fault::Damaged);
    };
    state.own_weights = Some(OwnWeights { heads, shared, output }.into());
    Ok(())
}

/// The text of a state's steps: `none` for those of the two papers, the name of a preset where its steps are these,
/// else the packed steps. The mask is among them where the field `mask` has no word for it.
pub fn steps_text(state: &PageState) -> String {
    let mut steps = state.steps();
    if let Some(preset) = Preset::of(state.attention, &steps).filter(|_| state.mask.kind() == MaskKind::Other) {
        return preset.id().to_owned();
    }
    if state.mask.kind() != MaskKind::Other {
        steps.mask = Mask::None;
    }
    if steps == Steps::plain() { NO_STEPS.to_owned() } else { pack(&steps.to_value()) }
}

/// Puts a link's steps into a state.
///
/// # Errors
/// [`Fault`] about the steps.
pub fn read_steps(state: &mut PageState, text: &str) -> Result<(), Fault> {
    let preset = Preset::ALL.into_iter().find(|preset| preset.id() == text);
    let steps = match preset {
        Some(preset) => {
            let (attention, steps) = preset.attention();
            (state.attention, state.mask) = (attention, steps.mask.clone());
            steps
        }
        None if text == NO_STEPS => Steps::plain(),
        None => Steps::from_json(&unpack_text(text)?)?,
    };
    if steps.mask.kind() == MaskKind::Other {
        state.mask = steps.mask;
    }
    (state.score, state.weighting) = (steps.score, steps.weighting);
    Ok(())
}

/// Puts a link's experiment into a scene. Later fields change parts of it.
///
/// # Errors
/// [`Fault`] about the experiment.
pub fn read_experiment(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let experiment = Experiment::from_json(&unpack_text(text)?)?;
    scene.state = scene.state.with_experiment(experiment)?;
    Ok(())
}

fn pack(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(value.to_string().as_bytes(), EFFORT))
}

fn unpack(text: &str) -> Result<Value, Fault> {
    // Parsed from text, as elsewhere in the page: a parser of bytes would be compiled in addition.
    serde_json::from_str(&unpack_text(text)?).map_err(|_| Fault::Damaged)
}

fn unpack_text(text: &str) -> Result<String, Fault> {
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Fault::Damaged)?;
    let unpacked = decompress_to_vec_zlib_with_limit(&bytes, MOST_UNPACKED).map_err(|_| Fault::Damaged)?;
    String::from_utf8(unpacked).map_err(|_| Fault::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let bomb = URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(&vec![b' '; 64 << 20], 9));
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert_eq!(unpack(&bomb), Err(Fault::Damaged));
        let nested = URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(&vec![b'['; 1 << 19], 9));
        assert_eq!(unpack(&nested), Err(Fault::Damaged));
    }
}
