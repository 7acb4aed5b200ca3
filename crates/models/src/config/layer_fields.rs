//! What differs from layer to layer in a `config.json`, and what its layers have beside projections: windows, layers
//! without positions, experts, biases of scores.

use super::family::{BiasRule, ExpertLayers, ShareRule, SizeKey, UnitRule, WindowRule};
use super::fields::Fields;
use super::layer_set::LayerSet;
use super::model_config::{AttentionWindow, ExpertSizes, ModelConfig, Shares, Unit, Wholes};
use super::score_bias::ScoreBias;
use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

/// The experts of the config.
pub(crate) fn experts_of(fields: &Fields, sizes: &ModelConfig) -> Result<Option<ExpertSizes>, InputError> {
    let (Some(rule), Some(default)) = (sizes.family.experts, sizes.experts) else { return Ok(None) };
    let whole = Wholes { d: sizes.d, heads: sizes.heads, layers: sizes.layers };
    let size = |key: SizeKey| fields.size(key.names, key.default(whole));
    let layers = match rule.layers {
        ExpertLayers::All => default.layers,
        ExpertLayers::Listed => {
            let step = fields.size(&["decoder_sparse_step"], 1)?;
            let dense = fields.counts("mlp_only_layers")?.unwrap_or_default();
            LayerSet::of(|layer| (layer + 1).is_multiple_of(step) && !dense.contains(&(layer as u64)))
        }
    };
    Ok(Some(ExpertSizes {
        count: size(rule.count)?,
        chosen: size(rule.chosen)?,
        inner: size(rule.inner)?,
        shares: match rule.shares {
            ShareRule::OfAllUnless(key) if !fields.flag(key, false)? => Shares::OfAll,
            _ => Shares::OfChosen,
        },
        unit: match rule.unit {
            UnitRule::Plain => Unit::Plain,
            UnitRule::Cut { alpha, limit } => Unit::Cut {
                alpha: fields.positive(alpha.0)?.unwrap_or(alpha.1),
                limit: fields.positive(limit.0)?.unwrap_or(limit.1),
            },
        },
        layers,
    }))
}

/// What the config adds to the scores.
pub(crate) fn bias_of(fields: &Fields, sizes: &ModelConfig) -> Result<ScoreBias, InputError> {
    Ok(match sizes.family.score_bias {
        BiasRule::None => ScoreBias::None,
        BiasRule::Alibi => ScoreBias::Alibi { factor: 1.0 },
        BiasRule::AlibiIf(key) if fields.flag(key, false)? => {
            ScoreBias::Alibi { factor: 1.0 / (sizes.head_dim as f64).sqrt() }
        }
        BiasRule::AlibiIf(_) => ScoreBias::None,
        BiasRule::Table { rows, buckets, distance, .. } => {
            let rows = fields.size(&[rows.0], rows.1)?;
            let distance = fields.size(&[distance.0], distance.1)?;
            ScoreBias::Table { rows, buckets: buckets.unwrap_or(rows), distance }
        }
    })
}

/// The layers with 1 in `no_rope_layers`; all but every fourth where the list is absent.
pub(crate) fn listed_layers(fields: &Fields) -> Result<LayerSet, InputError> {
    let list = fields.counts("no_rope_layers")?;
    let every = fields.size(&["no_rope_layer_interval"], 4)?;
    let has =
        |layer: usize| list.as_ref().map_or(!(layer + 1).is_multiple_of(every), |list| list.get(layer) == Some(&1));
    Ok(LayerSet::of(has))
}

/// The layers with a window.
pub(crate) fn window_of(
    fields: &Fields,
    rule: WindowRule,
    rope_layers: LayerSet,
) -> Result<Option<AttentionWindow>, InputError> {
    const WIDTH: &str = "sliding_window";
    let types = fields.texts("layer_types")?;
    if let Some(strange) = types.iter().find(|kind| !["full_attention", "sliding_attention"].contains(kind)) {
        let reason = phrase!(
            "why_layer_type",
            "{kind} is no kind of attention that is read; those are full_attention and sliding_attention",
            kind = *strange
        );
        return Err(fields.not_supported("layer_types", reason));
    }
    // Whether the list says of a layer that it has a window; `None` without a list.
    let slides = |layer: usize| (!types.is_empty()).then(|| types.get(layer) == Some(&"sliding_attention"));
    let has_listed = types.contains(&"sliding_attention");
    let is_used = || fields.flag("use_sliding_window", false);
    let has_width = match rule {
        WindowRule::IfUsed { .. } => !fields.is_null(WIDTH) && is_used()?,
        WindowRule::IfUsedWithoutRope => fields.get(WIDTH).is_some() && !fields.is_null(WIDTH),
        WindowRule::Alternate(_) | WindowRule::Pattern { .. } => !fields.is_null(WIDTH),
        _ => true,
    };
    if has_listed && !has_width {
        let reason = phrase!(
            "why_window_without_width",
            "it lists layers with a window, and `sliding_window` or `use_sliding_window` says that there is none; transformers opens no such model"
        );
        return Err(fields.not_supported("layer_types", reason));
    }
    let of_layers = |width: usize, layers: LayerSet| Ok(Some(AttentionWindow { width, layers }));
    match rule {
        WindowRule::Symmetric { width, every } => {
            // |i - j| <= width/2.
            let width = fields.size(&["local_attention"], width)? / 2 + 1;
            let every = fields.size(&["global_attn_every_n_layers"], every)?;
            of_layers(width, LayerSet::of(|layer| slides(layer).unwrap_or(layer % every != 0)))
        }
        WindowRule::Named(width) => {
            let kinds = fields.kinds_of_layers()?;
            let is_local =
                |layer: usize| kinds.as_ref().map_or(layer % 2 == 1, |kinds| kinds.get(layer) == Some(&true));
            of_layers(fields.size(&["window_size"], width)?, LayerSet::of(is_local))
        }
        _ if fields.is_null(WIDTH) && !has_listed => Ok(None),
        WindowRule::Pattern { width, every } => {
            let every = fields.size(&["sliding_window_pattern", "_sliding_window_pattern"], every)?;
            let layers = LayerSet::of(|layer| slides(layer).unwrap_or((layer + 1) % every != 0));
            of_layers(fields.size(&[WIDTH], width)?, layers)
        }
        WindowRule::IfUsedInAll(width) if is_used()? => {
            of_layers(fields.size(&[WIDTH], width)?, LayerSet::of(|_| true))
        }
        WindowRule::All(default) if default.is_some() || fields.get(WIDTH).is_some() => {
            let width = fields.size(&[WIDTH], default.unwrap_or(1))?;
            Ok(Some(AttentionWindow { width, layers: LayerSet::of(|_| true) }))
        }
        WindowRule::Alternate(width) => {
            let width = fields.size(&[WIDTH], width)?;
            Ok(Some(AttentionWindow { width, layers: LayerSet::of(|layer| slides(layer).unwrap_or(layer % 2 == 0)) }))
        }
        WindowRule::IfUsedWithoutRope if has_width && (!types.is_empty() || is_used()?) => {
            let width = fields.size(&[WIDTH], 1)?;
            let layers = LayerSet::of(|layer| slides(layer).unwrap_or(!rope_layers.has(layer)));
            Ok(Some(AttentionWindow { width, layers }))
        }
        WindowRule::IfUsed { width, from } if is_used()? => {
            let width = fields.size(&[WIDTH], width)?;
            let first = fields.count("max_window_layers", from)?;
            Ok(Some(AttentionWindow { width, layers: LayerSet::of(|layer| slides(layer).unwrap_or(layer >= first)) }))
        }
        _ => Ok(None),
    }
}
