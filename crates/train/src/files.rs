//! A trained model as files: `config.json`, `model.safetensors` and, where other programs can use it, `tokenizer.json`.
//!
//! `dot` with layer norms is a GPT-2 whose attention has no biases, with the exact GELU and a head of its own; it is written
//! as one, so that whatever reads GPT-2 reads it. The other kinds are written under the crate's own names.

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Map, Value, json};

use super::corpus::Corpus;
use super::kind::{Kind, Norms};
use super::layer_norm::EPS;
use super::parameters::{Parameter, Parameters, in_block};
use super::plan::Plan;

/// A tensor of a file, row by row.
struct Stored {
    name: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// `config.json`: the plan, and the vocabulary as one text in the order of the ids; for a GPT-2 its usual fields too.
#[must_use]
pub fn config(plan: &Plan, corpus: &Corpus) -> Value {
    let vocabulary: String = corpus.vocabulary().iter().collect();
    let own = json!({
        "plan": plan,
        "vocabulary": vocabulary,
        "text_fingerprint": format!("{:016x}", corpus.fingerprint()),
    });
    if !is_gpt2(plan) {
        return json!({ "model_type": "lipscope", "lipscope": own });
    }
    json!({
        "model_type": "gpt2",
        "n_embd": plan.width,
        "n_layer": plan.blocks,
        "n_head": plan.heads,
        "n_inner": plan.inner_width(),
        "n_positions": plan.context,
        "vocab_size": corpus.vocabulary().len(),
        "layer_norm_epsilon": EPS,
        "activation_function": "gelu",
        "tie_word_embeddings": false,
        "lipscope": own,
    })
}

/// `tokenizer.json`: every character of the vocabulary is a token.
#[must_use]
pub fn tokenizer(corpus: &Corpus) -> Value {
    let ids = corpus.vocabulary().iter().enumerate().map(|(id, c)| (c.to_string(), Value::from(id)));
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {
            "type": "Split", "pattern": {"Regex": "[\\s\\S]"}, "behavior": "Isolated", "invert": false,
        },
        "post_processor": null, "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": ids.collect::<Map<String, Value>>(), "unk_token": "<unk>"},
    })
}

/// `model.safetensors`, in f32. Tokens are rows, so a matrix has a row for each input; a vector has one dimension.
///
/// # Errors
/// [`InputError::TooLarge`] if the weights do not fit into one file of this machine.
pub fn safetensors(plan: &Plan, parameters: &Parameters) -> Result<Vec<u8>, InputError> {
    let stored = if is_gpt2(plan) { as_gpt2(plan, parameters) } else { parameters.iter().map(own).collect() };
    let too_large = || InputError::TooLarge {
        what: phrase!("size_of_weights", "The size of the weights"),
        found: stored.iter().map(|tensor| tensor.bytes.len()).sum::<usize>().to_string().into(),
        limit: phrase!("one_safetensors_file", "one safetensors file"),
        fix: phrase!("lower_width_blocks", "Lower the width or the number of blocks."),
    };
    let views = stored
        .iter()
        .map(|tensor| Ok((tensor.name.as_str(), TensorView::new(Dtype::F32, tensor.shape.clone(), &tensor.bytes)?)));
    let views: Result<Vec<_>, safetensors::SafeTensorError> = views.collect();
    views.and_then(|views| safetensors::serialize(views, None)).map_err(|_| too_large())
}

/// Whether other programs know the model, as a GPT-2.
fn is_gpt2(plan: &Plan) -> bool {
    plan.kind == Kind::Dot && plan.norms == Norms::Layer
}

fn stored(name: String, shape: Vec<usize>, values: impl Iterator<Item = f32>) -> Stored {
    Stored { name, shape, bytes: values.flat_map(f32::to_le_bytes).collect() }
}

fn own(parameter: &Parameter) -> Stored {
    let shape = if parameter.rows == 1 { vec![parameter.columns] } else { vec![parameter.rows, parameter.columns] };
    stored(parameter.name.clone(), shape, parameter.values.iter().copied())
}

/// GPT-2's names; query, key and value side by side, and zeros for the biases that attention does not have.
fn as_gpt2(plan: &Plan, parameters: &Parameters) -> Vec<Stored> {
    let d = plan.width;
    let renamed = |from: &str, to: String| parameters.get(from).map(|parameter| Stored { name: to, ..own(parameter) });
    let mut tensors: Vec<Option<Stored>> = vec![
        renamed("embedding", "wte.weight".into()),
        renamed("position", "wpe.weight".into()),
        renamed("norm.scale", "ln_f.weight".into()),
        renamed("norm.shift", "ln_f.bias".into()),
        renamed("head_bias", "lm_head.bias".into()),
        parameters.get("head").map(|head| {
            let values = (0..head.columns).flat_map(|row| head.values.iter().skip(row).step_by(head.columns));
            stored("lm_head.weight".into(), vec![head.columns, head.rows], values.copied())
        }),
    ];
    for block in 0..plan.blocks {
        let to = |part: &str| format!("h.{block}.{part}");
        let parts = [
            ("attention.norm.scale", "ln_1.weight"),
            ("attention.norm.shift", "ln_1.bias"),
            ("attention.output", "attn.c_proj.weight"),
            ("mlp.norm.scale", "ln_2.weight"),
            ("mlp.norm.shift", "ln_2.bias"),
            ("mlp.up", "mlp.c_fc.weight"),
            ("mlp.up_bias", "mlp.c_fc.bias"),
            ("mlp.down", "mlp.c_proj.weight"),
            ("mlp.down_bias", "mlp.c_proj.bias"),
        ];
        tensors.extend(parts.map(|(from, name)| renamed(&in_block(block, from), to(name))));
        let projections = ["attention.query", "attention.key", "attention.value"];
        let projections: Vec<_> =
            projections.iter().filter_map(|part| parameters.get(&in_block(block, part))).collect();
        let rows = (0..d).flat_map(|row| projections.iter().flat_map(move |part| &part.values[row * d..(row + 1) * d]));
        tensors.push(Some(stored(to("attn.c_attn.weight"), vec![d, 3 * d], rows.copied())));
        tensors.push(Some(stored(to("attn.c_attn.bias"), vec![3 * d], std::iter::repeat_n(0.0, 3 * d))));
        tensors.push(Some(stored(to("attn.c_proj.bias"), vec![d], std::iter::repeat_n(0.0, d))));
    }
    tensors.into_iter().flatten().collect()
}
