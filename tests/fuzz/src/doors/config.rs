//! Architectures of models.

use std::collections::BTreeSet;

use lipscope_models::{ModelConfig, Needs, Opened, draw_model};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};

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
    /// Numbers in a model that is drawn in a moment.
    const MOST_NUMBERS: usize = 200_000;
    let text = String::from_utf8_lossy(input);
    let config = match within("reading a config", READING.of(input), || ModelConfig::from_json(&text)) {
        Ok(config) => config,
        Err(problem) => return refused(&problem),
    };
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
        Opened::of_files("folder", &text, NO_TENSORS).and_then(|mut opened| opened.model(&needs))
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
