//! Architectures of models.

use std::collections::BTreeSet;

use lipscope_models::{ConfigFile, ModelConfig, Needs, Opened, WeightFiles, draw_model};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};
use serde_json::Value;

pub(super) const DOOR: Door = Door {
    name: "config",
    about: "config.json; a small model is drawn, and a file that lacks all tensors is opened with it",
    made: Vec::new,
    vary: |dice, inputs| vary(dice, inputs, Form::Json),
    feed,
};

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
    assert!(config.heads > 0 && config.d.is_multiple_of(config.heads), "{config:?}");
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
    let layer = config.d.saturating_mul(config.d.saturating_mul(4).saturating_add(config.inner.saturating_mul(2)));
    if layer.saturating_mul(2) < MOST_NUMBERS {
        let drawn = within("drawing a model", 64 << 20, || draw_model(config, &needs, 7));
        if let Err(problem) = drawn {
            refused(&problem);
        }
    }
    Verdict::Taken
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
