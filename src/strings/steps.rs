//! The steps of attention by their names, generated from the steps themselves.

use crate::words::steps as words;
pub use crate::words::steps as step_words;
pub use crate::words::steps::note as step_note;

use crate::state::{PageState, WeightChoice};
use lipscope_core::experiment::{Attention, Mask, Order, Preset, QkNorm, Rope, Sink, VectorNorm, Weighting};
use lipscope_core::growth::IdleStep;
use lipscope_plot::{Kind, Number};

use super::controls::{kernels, masks};
use super::plot::count;

/// The name of a preset: the models that have it.
pub fn preset_name(preset: Preset) -> &'static str {
    match preset {
        Preset::Plain => words::preset_name::plain(),
        Preset::Gpt2 => words::preset_name::gpt_2(),
        Preset::Llama => words::preset_name::llama(),
        Preset::Mistral => words::preset_name::mistral(),
        Preset::Gemma2 => words::preset_name::gemma_2(),
        Preset::Gemma3 => words::preset_name::gemma_3(),
        Preset::Qwen3 => words::preset_name::qwen_3(),
        Preset::GptOss => words::preset_name::gpt_oss(),
        Preset::GptNeoX => words::preset_name::gpt_neox(),
        Preset::Bloom => words::preset_name::bloom(),
        Preset::SwinV2 => words::preset_name::swin_v2(),
        Preset::Vit22b => words::preset_name::vit_22b(),
        Preset::OffByOne => words::preset_name::off_by_one(),
        Preset::Sigmoid => words::preset_name::sigmoid(),
        Preset::Relu => words::preset_name::relu(),
        Preset::Linear => words::preset_name::linear(),
    }
}

type Choices = Vec<(&'static str, String)>;

fn choices<const N: usize>(all: [(&'static str, &'static str); N]) -> Choices {
    all.into_iter().map(|(id, name)| (id, name.to_owned())).collect()
}

/// The normalisers of queries and keys.
pub fn qk_norms() -> Choices {
    use words::qk_norm_choice as of;
    choices([("none", of::none()), ("rms", of::rms()), ("layer", of::layer()), ("l2", of::l2())])
}

/// The layouts of rotary positions.
pub fn ropes() -> Choices {
    use words::rope_choice as of;
    choices([("none", of::none()), ("half", of::half()), ("interleaved", of::interleaved())])
}

/// The ways from scores to weights.
pub fn weightings() -> Choices {
    use words::weighting_choice as of;
    choices([
        ("softmax", of::softmax()),
        ("sink", of::sink()),
        ("sigmoid", of::sigmoid()),
        ("relu", of::relu()),
        ("softplus", of::softplus()),
    ])
}

/// The id of a weighting among [`weightings`].
pub fn weighting_id(weighting: &Weighting) -> &'static str {
    match weighting {
        Weighting::Softmax { sink: Some(_) } => "sink",
        _ => weighting.id(),
    }
}

/// The steps from token to output in their order, and whether each is there.
pub fn pipeline(state: &PageState) -> Vec<(String, bool)> {
    use words::pipe as of;
    let score = &state.score;
    let kernel = kernels().into_iter().find(|(id, _)| *id == state.attention.id()).map_or("", |(_, name)| name);
    let weights = weightings().into_iter().find(|(id, _)| *id == weighting_id(&state.weighting));
    let is_random = state.weights == WeightChoice::Random;
    let project = if is_random && state.kv_heads() != state.heads {
        of::project_shared(state.heads_per_key)
    } else {
        of::project().to_owned()
    };
    let cap = score.softcap.map_or_else(String::new, |cap| Number::short(cap).to_string());
    let has_bias = score.alibi.is_some() || score.bias.is_some();
    let mut steps = vec![
        (project, true),
        (of::qk_norm().to_owned(), score.qk_norm.is_some()),
        (score.rope.as_ref().map_or_else(|| of::rope().to_owned(), rope), score.rope.is_some()),
        (of::score(kernel), true),
        (of::cap(cap).trim_end().to_owned(), score.softcap.is_some()),
        (if score.alibi.is_some() { words::alibi() } else { of::bias() }.to_owned(), has_bias),
        (of::mask(mask_name(&state.mask)), state.mask != Mask::None),
        (weights.map_or_else(String::new, |(_, name)| name), true),
        (of::output().to_owned(), true),
    ];
    if let Some(lambda) = state.differential.filter(|_| is_random) {
        steps.push((of::subtract(Number::short(lambda)), true));
    }
    steps
}

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

/// The masks that the controls offer, and the present one if only a file can give it.
pub fn mask_choices(now: &Mask) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("none", masks::none().to_owned()),
        ("causal", masks::causal().to_owned()),
        ("window", masks::window().to_owned()),
        ("prefix", masks::prefix().to_owned()),
    ];
    if matches!(now, Mask::Padding { .. } | Mask::Allowed(_)) {
        all.push((now.id(), mask_name(now)));
    }
    all
}

/// The steps of a preset that change nothing at n tokens, with the reason; `None` without any.
pub fn idle(steps: &[IdleStep], n: f64) -> Option<String> {
    let of = |step: &IdleStep| match *step {
        IdleStep::Window { width } => words::idle_step::window { n: count(n), width: count(width as f64) }.text(),
        IdleStep::Rope { k } => words::idle_step::rope(k),
        IdleStep::Cap { cap, largest_score } => words::idle_step::cap {
            cap: Number::short(cap),
            score: Number::digits_from_log10(largest_score.log10(), Kind::UpperBound),
        }
        .text(),
    };
    let all: Vec<String> = steps.iter().map(of).collect();
    (!all.is_empty()).then(|| words::idle(all.join(words::idle_between())))
}

/// What an own scale of the scores changes, beside the usual one.
pub fn scale_note(state: &PageState) -> String {
    step_note::scale(Number::short(state.attention.default_scale(state.key_dim())))
}

/// What cosine scores change, with their scale.
pub fn cosine_note(state: &PageState) -> String {
    step_note::cosine(Number::short(state.experiment().scale_of(state.key_dim())))
}

/// Why heads do not share keys and values as the reader has set it; `None` where they do.
pub fn ungrouped(state: &PageState) -> Option<String> {
    state.undivided_heads().map(|(heads, of)| step_note::ungrouped { heads, of }.text())
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
    if rope.fraction == 1.0 {
        words::rope(base)
    } else {
        words::rope_part { base, percent: Number::short(100.0 * rope.fraction) }.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
