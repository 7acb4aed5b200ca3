//! The steps of attention by their names, generated from the steps themselves.

use crate::words::steps as words;

use crate::state::{PageState, WeightChoice};
use lipscope_core::experiment::{Attention, Mask, Order, QkNorm, Rope, Sink, VectorNorm, Weighting};
use lipscope_plot::Number;

/// The name of a mask.
pub fn mask_name(mask: &Mask) -> String {
    match mask {
        Mask::None => words::mask::none().into(),
        Mask::Causal => words::mask::causal().into(),
        Mask::Window { width, order: Order::Causal } => words::mask::window(width),
        Mask::Window { width, order: Order::Free } => words::mask::window_free(width),
        Mask::Prefix { length } => words::mask::prefix(length),
        Mask::Padding { .. } => words::mask::padding().into(),
        Mask::Allowed(_) => words::mask::allowed().into(),
    }
}

/// What attention does besides dot products, a mask, softmax and heads of their own: a name for each step that is there.
pub fn step_names(state: &PageState) -> Vec<String> {
    let score = &state.score;
    let kernel = match state.attention {
        Attention::Cosine => Some(words::cosine().to_owned()),
        Attention::Linear => Some(words::linear().to_owned()),
        Attention::Dot | Attention::L2 => None,
    };
    let sink = |sink: &Sink| match sink {
        Sink::All(logit) => words::sink(Number::short(*logit)),
        Sink::Heads(_) => words::sinks().into(),
    };
    let weighting = match &state.weighting {
        Weighting::Softmax { sink: at } => at.as_ref().map(sink),
        Weighting::Sigmoid { .. } => Some(words::sigmoid().into()),
        Weighting::Relu { .. } => Some(words::relu().into()),
        Weighting::Softplus { .. } => Some(words::softplus().into()),
    };
    let is_random = state.weights == WeightChoice::Random;
    let is_grouped = is_random && state.kv_heads() != state.heads;
    let steps = [
        kernel,
        score.qk_norm.as_ref().map(qk_norm),
        score.rope.as_ref().map(rope),
        score.scale.map(|scale| words::scale(Number::short(scale))),
        score.softcap.map(|cap| words::cap(Number::short(cap))),
        score.alibi.as_ref().map(|_| words::alibi().into()),
        score.bias.as_ref().map(|_| words::bias().into()),
        weighting,
        score.value_norm.map(|_| words::value_norm().into()),
        is_grouped.then(|| words::grouped(state.heads_per_key)),
        state.differential.filter(|_| is_random).map(|lambda| words::differential(Number::short(lambda))),
    ];
    steps.into_iter().flatten().collect()
}

fn qk_norm(norm: &QkNorm) -> String {
    words::qk_norm(match norm.kind {
        VectorNorm::Rms => "RMS",
        VectorNorm::Layer => "LayerNorm",
        VectorNorm::L2 => "ℓ₂",
    })
}

fn rope(rope: &Rope) -> String {
    let base = Number::short(rope.base);
    if rope.fraction == 1.0 { words::rope(base) } else { words::rope_part(base, Number::short(100.0 * rope.fraction)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::experiment::Preset;

    #[test]
    fn every_preset_but_the_masks_of_the_papers_has_a_step_or_a_mask_to_name() {
        for preset in Preset::ALL {
            let (attention, steps) = preset.attention();
            let state = PageState {
                attention,
                mask: steps.mask,
                score: steps.score,
                weighting: steps.weighting,
                ..PageState::default()
            };
            let is_named = !step_names(&state).is_empty() || state.mask != Mask::None;
            assert_eq!(is_named, preset != Preset::Plain, "{}", preset.id());
        }
    }
}
