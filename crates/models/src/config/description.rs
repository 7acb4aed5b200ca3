//! A model in one line: its family, its size, the parts that tell it from a plain transformer, and how many parameters
//! it has.

use super::family::{AfterBranch, BlockShape};
use super::layer_set::LayerSet;
use super::model_config::{AttentionWindow, ModelConfig};
use super::residual::Residual;
use super::score_bias::ScoreBias;
use lipscope_core::experiment::{Attention, Normalization, Phrase};
use lipscope_core::phrase;

/// At most this many layers are listed by number.
const MOST_LISTED: usize = 8;

/// One line about a model, such as "Llama, 16 layers, d = 2048, 32 heads on 8 key-value heads, RoPE, RMS norm before
/// attention and MLP, gated MLP; 1.2 B parameters with embeddings, without the output head". `parameters` counts those
/// of embeddings and layers.
#[must_use]
pub fn description(config: &ModelConfig, parameters: u64) -> Phrase {
    let ModelConfig { family, d, layers, heads, key_heads, head_dim, .. } = *config;
    let mut parts: Vec<Phrase> = vec![
        family.name().into(),
        match layers {
            1 => phrase!("described_one_layer", "1 layer"),
            _ => phrase!("described_layers", "{layers} layers", layers = layers),
        },
        phrase!("described_width", "d = {d}", d = d),
        match (heads, key_heads) {
            (1, _) => phrase!("described_one_head", "1 head"),
            _ if heads == key_heads => phrase!("described_heads", "{heads} heads", heads = heads),
            (_, 1) => {
                phrase!("described_heads_on_one", "{heads} heads on 1 key-value head", heads = heads)
            }
            _ => phrase!(
                "described_heads_on_groups",
                "{heads} heads on {groups} key-value heads",
                heads = heads,
                groups = key_heads
            ),
        },
    ];
    if heads * head_dim != d {
        parts.push(phrase!("described_head_width", "width {k} each", k = head_dim));
    }
    if config.attention == Attention::L2 {
        parts.push(phrase!("described_l2", "L2 attention"));
    }
    if let Some(picture) = config.picture {
        parts.push(phrase!(
            "described_pictures",
            "images of {side} x {side} in patches of {patch} x {patch}: {n} tokens",
            side = picture.side,
            patch = picture.patch,
            n = picture.tokens()
        ));
    }
    if let Some(rope) = config.rope {
        parts.push(rotary(config, rope.rotary_dim));
    }
    if let Some(window) = config.window {
        parts.extend(windows(&window, layers));
    }
    match config.score_bias {
        ScoreBias::None => {}
        ScoreBias::Alibi { .. } => parts.push(phrase!("described_alibi", "ALiBi")),
        ScoreBias::Table { .. } => parts.push(phrase!("described_score_table", "biases of scores by distance")),
    }
    match family.qk_norm {
        None => {}
        Some(_) if config.has_wide_norm() => {
            parts.push(phrase!("described_wide_qk_norm", "QK norm of all heads together"));
        }
        Some(_) => parts.push(phrase!("described_qk_norm", "QK norm")),
    }
    if family.sinks.is_some() {
        parts.push(phrase!("described_sinks", "sinks"));
    }
    if let Some(tau) = config.softcap {
        parts.push(phrase!("described_softcap", "soft cap of the scores at {tau}", tau = tau));
    }
    parts.push(norms(config));
    match config.experts {
        Some(experts) => parts.push(phrase!(
            "described_experts",
            "{count} experts of which a token takes {chosen}",
            count = experts.count,
            chosen = experts.chosen
        )),
        None if config.has_gate() => parts.push(phrase!("described_gate", "gated MLP")),
        None => {}
    }
    if config.block_shape() == BlockShape::Parallel {
        parts.push(phrase!("described_side_by_side", "attention and MLP side by side"));
    }
    if config.layer_groups < layers {
        parts.push(match config.layer_groups {
            1 => phrase!("described_shared_layers", "the same weights in all layers"),
            groups => phrase!(
                "described_groups_of_layers",
                "{groups} groups of layers with the same weights",
                groups = groups
            ),
        });
    }
    phrase!(
        "described_model",
        "{parts}; {parameters} parameters with embeddings, without the output head",
        parts = listed(parts),
        parameters = counted(parameters)
    )
}

/// RoPE, with the entries that turn and the layers that have it where those are not all.
fn rotary(config: &ModelConfig, rotary_dim: usize) -> Phrase {
    let rope = match rotary_dim == config.head_dim {
        true => phrase!("described_rope", "RoPE"),
        false => {
            phrase!(
                "described_partial_rope",
                "RoPE on {rotary_dim} of {k} entries",
                rotary_dim = rotary_dim,
                k = config.head_dim
            )
        }
    };
    match layers_of(&config.rope_layers, config.layers) {
        Some(which) => phrase!("described_in_layers", "{what} {which}", what = rope, which = which),
        None => rope,
    }
}

/// The window and its layers; `None` where no layer has one.
fn windows(window: &AttentionWindow, layers: usize) -> Option<Phrase> {
    if (0..layers).all(|layer| !window.layers.has(layer)) {
        return None;
    }
    let what = phrase!("described_window", "window of {width} tokens", width = window.width);
    let which = layers_of(&window.layers, layers).unwrap_or_else(|| phrase!("described_all_layers", "in every layer"));
    Some(phrase!("described_in_layers", "{what} {which}", what = what, which = which))
}

/// The layers of a set; `None` if it has all of them.
fn layers_of(set: &LayerSet, layers: usize) -> Option<Phrase> {
    let has: Vec<usize> = (0..layers).filter(|layer| set.has(*layer)).collect();
    if has.len() == layers {
        return None;
    }
    let lacks = || (0..layers).filter(|layer| !set.has(*layer));
    let list = |all: &[usize]| all.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    Some(if let [only] = has[..] {
        phrase!("described_this_layer", "in layer {layer}", layer = only)
    } else if has.len() <= MOST_LISTED {
        phrase!("described_these_layers", "in layers {list}", list = list(&has))
    } else if layers - has.len() <= MOST_LISTED {
        phrase!("described_other_layers", "in all layers but {list}", list = list(&lacks().collect::<Vec<_>>()))
    } else if has.windows(2).all(|pair| pair[1] == pair[0] + 2) && has[0] < 2 {
        phrase!("described_every_other", "in every other layer from {first} on", first = has[0])
    } else {
        let first = list(&has[..MOST_LISTED]);
        phrase!("described_some_layers", "in {count} layers ({first}, ..)", count = has.len(), first = first)
    })
}

/// Which norms the layers have, and where.
fn norms(config: &ModelConfig) -> Phrase {
    let kind = match config.mlp_norm {
        Normalization::Rms => phrase!("described_rms", "RMS norm"),
        _ => phrase!("described_layer_norm", "layer norm"),
    };
    match (config.attention_norm, config.mlp_norm, config.family.attention_norms) {
        (_, Normalization::None, _) => phrase!("described_no_norms", "no norms"),
        (Normalization::None, ..) => phrase!("described_norms_of_mlps", "{norm} before the MLP alone", norm = kind),
        (.., Residual::Sum(_)) => {
            phrase!("described_norms_last", "{norm} after each residual connection", norm = kind)
        }
        (.., Residual::Branch { .. }) if config.family.after_branch == AfterBranch::Scale => {
            phrase!("described_scales", "{norm} before attention and MLP, and layer scale after them", norm = kind)
        }
        (.., Residual::Branch { before: Some(_), after: Some(_) }) => {
            phrase!("described_norms_around", "{norm} before and after attention and MLP", norm = kind)
        }
        (.., Residual::Branch { before: None, .. }) => {
            phrase!("described_norms_after", "{norm} after attention and MLP", norm = kind)
        }
        (.., Residual::Branch { .. }) => {
            phrase!("described_norms_before", "{norm} before attention and MLP", norm = kind)
        }
    }
}

fn listed(parts: Vec<Phrase>) -> Phrase {
    let mut parts = parts.into_iter().rev();
    let last = parts.next().unwrap_or_else(|| "".into());
    parts.fold(last, |rest, first| phrase!("part_and_rest", "{first}, {rest}", first = first, rest = rest))
}

/// A number of parameters to two or three digits: 1.2 B, 124 M, 23 k.
fn counted(number: u64) -> String {
    let number = number as f64;
    for (unit, name) in [(1e9, " B"), (1e6, " M"), (1e3, " k")] {
        // What would round up to the next unit is written in it.
        if number >= 0.9995 * unit {
            let share = number / unit;
            return if share < 9.95 { format!("{share:.1}{name}") } else { format!("{share:.0}{name}") };
        }
    }
    format!("{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(config: &str, parameters: u64) -> String {
        description(&ModelConfig::from_json(config).expect("a config"), parameters).to_string()
    }

    #[test]
    fn a_model_is_described_by_what_its_config_says() {
        let llama = r#"{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,
            "num_key_value_heads":8,"intermediate_size":8192,"vocab_size":128256}"#;
        assert_eq!(
            line(llama, 1_235_812_352),
            "Llama, 16 layers, d = 2048, 32 heads on 8 key-value heads, RoPE, RMS norm before attention and MLP, gated \
             MLP; 1.2 B parameters with embeddings, without the output head"
        );
        let gemma = r#"{"model_type":"gemma2","head_dim":256,"sliding_window":4096}"#;
        assert_eq!(
            line(gemma, 2_614_341_888),
            "Gemma 2, 26 layers, d = 2304, 8 heads on 4 key-value heads, width 256 each, RoPE, window of 4096 tokens in \
             every other layer from 0 on, soft cap of the scores at 50, RMS norm before and after attention and MLP, \
             gated MLP; 2.6 B parameters with embeddings, without the output head"
        );
        let qwen = r#"{"model_type":"qwen3","num_hidden_layers":4}"#;
        let found = line(qwen, 999_960);
        assert!(found.contains("QK norm") && found.contains("1.0 M parameters"), "{found}");
        let smol = line(r#"{"model_type":"smollm3","num_hidden_layers":8}"#, 1);
        assert!(smol.contains("RoPE in layers 0, 1, 2, 4, 5, 6"), "{smol}");
        let bert = description(&ModelConfig::bert(), 108_891_648).to_string();
        assert_eq!(
            bert,
            "BERT, 12 layers, d = 768, 12 heads, layer norm after each residual connection; 109 M parameters with \
             embeddings, without the output head"
        );
    }

    #[test]
    fn parameters_are_counted_in_the_unit_that_they_round_to() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0 k"),
            (9_949, "9.9 k"),
            (9_951, "10 k"),
            (999_499, "999 k"),
            (999_500, "1.0 M"),
            (124_438_272, "124 M"),
            (70_553_706_496, "71 B"),
        ] {
            assert_eq!(counted(number), expected);
        }
    }
}
