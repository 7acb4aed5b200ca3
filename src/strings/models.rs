//! Attention inside transformers.

use crate::words::models as words;
pub use crate::words::models::*;

use lipscope_core::experiment::Order;
use lipscope_models::{DrawnFamily, Estimators, LeftOut, MapKind, ModelConfig};

use lipscope_plot::Number;
use lipscope_protocol::envelope::Progress;

use super::wrong::shortened;

/// How far a window of up to `n` tokens is: the layers that it has passed, or the steps of an iteration.
pub fn model_window_progress(n: usize, progress: &Progress) -> String {
    let done = progress.done as usize;
    match (progress.total, progress.relative_residual) {
        (Some(total), _) => model_window_at::layer { done, n, total: total as usize }.text(),
        (None, None) => model_window_at::step { done, n }.text(),
        (None, Some(residual)) => model_window_at::residual { done, n, residual: Number::rough(residual) }.text(),
    }
}

/// Which layer is being read, and how much has been read before it.
pub fn model_reading(layer: usize, of: usize, bytes: u64) -> String {
    let here = model_bytes(bytes as f64);
    model_window_at::reading { here: &here, layer, of }.text()
}

pub fn model_mask_choice(mask: Option<Order>) -> &'static str {
    match mask {
        None => model_mask_choice::own(),
        Some(Order::Free) => model_mask_choice::none(),
        Some(Order::Causal) => model_mask_choice::causal(),
    }
}

pub fn model_map_choice(kind: Option<MapKind>) -> &'static str {
    match kind {
        None => model_map_choice::own(),
        Some(MapKind::Attention) => model_map_choice::attention(),
        Some(MapKind::WithOutput) => model_map_choice::with_output(),
        Some(MapKind::AttentionResidual) => model_map_choice::attention_residual(),
        Some(MapKind::MlpResidual) => model_map_choice::mlp_residual(),
        Some(MapKind::Block) => model_map_choice::block(),
        Some(MapKind::Blocks) => model_map_choice::blocks(),
    }
}

/// The definition of a map, in a sentence with its formula in this model. Without a model there is no formula yet.
pub fn model_map_note(kind: Option<MapKind>, config: Option<&ModelConfig>) -> String {
    let Some(config) = config else { return model_counting().into() };
    let kind = kind.unwrap_or_else(|| config.default_map());
    let formula = kind.formula(config);
    match kind {
        MapKind::Attention | MapKind::WithOutput => model_map_note::attention(formula),
        MapKind::AttentionResidual => model_map_note::attention_residual(formula),
        MapKind::MlpResidual => model_map_note::mlp_residual(formula),
        MapKind::Block => model_map_note::block(formula),
        MapKind::Blocks => model_map_note::blocks().into(),
    }
}

pub fn model_estimator_choice(estimators: Estimators) -> &'static str {
    match estimators {
        Estimators::Both => model_estimator_choice::both(),
        Estimators::Spectral => model_estimator_choice::spectral(),
        Estimators::Released => model_estimator_choice::released(),
    }
}

/// What the one line about a model leaves out.
pub fn model_facts(config: &ModelConfig, label: &str) -> String {
    let mask = match config.mask {
        Order::Free => model_facts_mask::none(),
        Order::Causal => model_facts_mask::causal(),
    };
    let map = model_map_choice(Some(config.default_map()));
    model_facts { label, map, mask, positions: config.positions }.text()
}

/// How the weights of a random model are drawn, with the factor of GPT-2's initialisation for this many layers.
pub fn model_random(family: DrawnFamily, layers: usize) -> String {
    match family {
        DrawnFamily::Gpt2 => model_random::gpt2(format_args!("{:.2}", (2.0 * layers as f64).sqrt())),
        DrawnFamily::Bert | DrawnFamily::Llama => model_random::plain().into(),
    }
}

pub fn model_no_config(folder: &str) -> String {
    words::model_no_config(shortened(folder))
}

pub fn model_given(name: &str, names: &[String], size: f64) -> String {
    format!("{}: {} ({})", shortened(name), names.join(", "), model_bytes(size))
}

/// A size in the usual unit.
pub fn model_bytes(bytes: f64) -> String {
    if bytes < 1e6 { format!("{:.0} KB", (bytes / 1e3).ceil()) } else { format!("{:.0} MB", bytes / 1e6) }
}

pub fn model_text_file(name: &str, bytes: usize) -> String {
    format!("{} ({})", shortened(name), model_bytes(bytes as f64))
}

pub fn model_fetch(size: Option<u64>) -> String {
    match size {
        Some(size) => {
            let size = model_bytes(size as f64);
            model_fetch::size(&size)
        }
        None => model_fetch::unknown_size().into(),
    }
}

/// How long work still takes, about.
pub fn time_left(seconds: f64) -> String {
    if seconds < 90.0 {
        time_left::seconds(format_args!("{:.0}", seconds.max(1.0)))
    } else {
        time_left::minutes(format_args!("{:.0}", seconds / 60.0))
    }
}

pub fn model_not_whole(name: &str, text: &str) -> String {
    model_not_whole { name, text: shortened(text) }.text()
}

pub fn model_no_address(text: &str) -> String {
    words::model_no_address(shortened(text))
}

pub fn model_not_text(name: &str) -> String {
    words::model_not_text(shortened(name))
}

pub fn model_window_opened(left_out: LeftOut) -> &'static str {
    match left_out {
        LeftOut::Nothing => model_window_opened::nothing(),
        LeftOut::Constants => model_window_opened::constants(),
        LeftOut::ScoreBias => model_window_opened::query_bias(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_of_a_window_names_its_tokens_and_its_layers_each_in_its_place() {
        let of = |total, relative_residual| model_window_progress(98, &Progress { done: 4, total, relative_residual });
        assert_eq!(of(Some(7), None), "now: windows of up to 98 tokens, layer 4 of 7 done");
        assert_eq!(of(None, None), "now: windows of up to 98 tokens, step 4 of an iteration");
        assert_eq!(of(None, Some(0.5)), "now: windows of up to 98 tokens, step 4 of an iteration, residual 0.50");
    }
}
