//! Architectures of models.

use std::collections::BTreeSet;

use lipscope_models::{ConfigFile, ModelConfig, Needs, Opened, WeightFiles, draw_model, names_of_families};

use crate::corpus;
use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};
use serde_json::Value;

pub(super) const DOOR: Door = Door {
    name: "config",
    about: "config.json; a small model is drawn, and a file that lacks all tensors is opened with it",
    made,
    vary: |dice, inputs| vary(dice, inputs, Form::Json),
    feed,
};

/// The configs of small models, and of every family one that leaves all to its defaults.
fn made() -> Vec<Vec<u8>> {
    let of_families =
        names_of_families().map(|(model_type, _)| format!(r#"{{"model_type":"{model_type}"}}"#).into_bytes());
    ["config.json", "config.old.json"].into_iter().flat_map(corpus::of_models).chain(of_families).collect()
}

const READING: Allowance = Allowance { base: 1 << 20, each: 400 };

/// A safetensors file without tensors.
const NO_TENSORS: &[u8] = b"\x02\0\0\0\0\0\0\0{}";

fn feed(input: &[u8]) -> Verdict {
    /// The most numbers of a model that is drawn: this takes only a moment.
    const MOST_NUMBERS: usize = 200_000;
    let text = String::from_utf8_lossy(input);
    let config = match within("reading a config", READING.of(input), || ModelConfig::from_json(&text)) {
        Ok(config) => config,
        Err(problem) => return refused(&problem),
    };
    check_rewritten(&text, &config);
    assert!(config.key_heads > 0 && config.heads.is_multiple_of(config.key_heads), "{config:?}");
    assert!(config.eps.is_finite() && config.eps >= 0.0, "{config:?}");
    let needs = Needs {
        layers: config.layers.min(2),
        mlps: config.layers.min(2),
        ids: BTreeSet::from([0]),
        positions: config.positions.min(4),
    };
    // Whatever sizes a config claims, nothing is held for tensors that the file does not have.
    let opened = within("opening a file without tensors", READING.of(input), || {
        Opened::of_files("folder", &text, None, WeightFiles::of_one(NO_TENSORS))
            .and_then(|mut opened| opened.model(&needs))
    });
    match opened {
        Ok(model) => panic!("a model without tensors was loaded: {:?}", model.config),
        Err(problem) => drop(refused(&problem)),
    }
    if most_of_layer(&config).saturating_mul(2) < MOST_NUMBERS {
        let drawn = within("drawing a model", 64 << 20, || draw_model(config, &needs, 7));
        if let Err(problem) = drawn {
            refused(&problem);
        }
    }
    Verdict::Taken
}

/// How many numbers a layer has at most.
fn most_of_layer(config: &ModelConfig) -> usize {
    let of_heads = 4usize.saturating_mul(config.heads).saturating_mul(config.head_dim);
    let of_experts = config.experts.map_or(0, |experts| experts.inner.saturating_mul(3).saturating_mul(experts.count));
    let outputs = of_heads.saturating_add(config.inner.saturating_mul(3)).saturating_add(of_experts);
    config.d.max(config.embedding_width).saturating_mul(outputs)
}

/// The same fields after a byte order mark, in another form and with one more that is null, are the same config.
fn check_rewritten(text: &str, config: &ModelConfig) {
    let plain = text.trim_start_matches('\u{feff}');
    // If a key stands twice, serde_json keeps one of its values.
    let Ok(Value::Object(mut fields)) = serde_json::from_str(plain) else { return };
    fields.insert("a_setting_of_tomorrow".into(), Value::Null);
    let pretty = serde_json::to_string_pretty(&fields).unwrap_or_else(|problem| panic!("{problem}"));
    let notes = |text: &str| ConfigFile::parse(text).map(|file| (file.config, file.notes));
    let again = notes(&format!("\u{feff}{pretty}"));
    assert!(again == notes(text) && again.as_ref().is_ok_and(|(again, _)| again == config), "{again:?}");
}
