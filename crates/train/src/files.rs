//! A trained model as files: `config.json`, `model.safetensors` and `tokenizer.json`.
//!
//! The tensors are those of a GPT-2 with the exact GELU, whose biases in attention are zero, and whose head is not tied
//! to the embedding. `dot` with layer norms is written as a GPT-2, so that any reader of GPT-2 reads it. The other
//! kinds have a `model_type` of their own and state their attention, its steps (`score` and `weighting`, as in an
//! experiment file) and their layer norms. The matrices are those that act on tokens: where queries and keys are equal,
//! the keys are written too; the values of a tied kind are V_h = W_V,h^T A_h; and the factor c/Lambda of a contraction
//! is in the output matrix of attention, or in W_2 and b_2 of the MLP.

use lipscope_core::experiment::{Attention, InputError};
use lipscope_core::phrase;
use nalgebra::DMatrix;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Map, Value, json};

use super::corpus::Corpus;
use super::kind::{Kind, Norms};
use super::network::EPS;
use super::parameters::{Parameters, in_block};
use super::plan::Plan;
use super::stack::{Block, Stack};

/// A tensor of a file, row by row.
struct Stored {
    name: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// `config.json`: the usual fields of a GPT-2, and under `lipscope` the plan, the vocabulary as one text in the order
/// of the ids, and the fingerprint of the training text.
#[must_use]
pub fn config(plan: &Plan, corpus: &Corpus) -> Value {
    let vocabulary: String = corpus.vocabulary().iter().collect();
    let mut config = json!({
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
        "lipscope": {
            "plan": plan,
            "vocabulary": vocabulary,
            "text_fingerprint": format!("{:016x}", corpus.fingerprint()),
        },
    });
    if !is_gpt2(plan) {
        config["model_type"] = "lipscope".into();
        config["attention"] = if plan.kind.kernel() == Attention::L2 { "l2" } else { "dot" }.into();
        let steps = plan.kind.steps(plan.context).to_value();
        for key in ["score", "weighting"] {
            if let Some(step) = steps.get(key) {
                config[key] = step.clone();
            }
        }
        config["layer_norms"] = match (plan.norm_before_attention(), plan.norm_elsewhere()) {
            (true, _) => "both",
            (false, true) => "mlp",
            (false, false) => "none",
        }
        .into();
    }
    config
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

/// `model.safetensors`, in f32. Tokens are rows, so a matrix has a row for each input, except `lm_head.weight`, which
/// has a row for each character. A vector has one dimension.
///
/// # Errors
/// [`InputError::TooLarge`] if the weights do not fit into one file of this machine.
pub fn safetensors(plan: &Plan, parameters: &Parameters) -> Result<Vec<u8>, InputError> {
    let stored = tensors(plan, parameters);
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

/// Whether other programs can read the model as a GPT-2.
fn is_gpt2(plan: &Plan) -> bool {
    plan.kind == Kind::Dot && plan.norms == Norms::Layer
}

fn stored(name: String, shape: Vec<usize>, values: impl Iterator<Item = f32>) -> Stored {
    Stored { name, shape, bytes: values.flat_map(f32::to_le_bytes).collect() }
}

/// The tensors of the file, under GPT-2's names.
fn tensors(plan: &Plan, parameters: &Parameters) -> Vec<Stored> {
    // A plan without layer norms has no parameters for them, so the file has no such tensors either.
    let as_it_is = |from: &str, to: String| {
        parameters.get(from).map(|parameter| {
            let shape =
                if parameter.rows == 1 { vec![parameter.columns] } else { vec![parameter.rows, parameter.columns] };
            stored(to, shape, parameter.values.iter().copied())
        })
    };
    let mut tensors = vec![
        as_it_is("embedding", "wte.weight".into()),
        as_it_is("position", "wpe.weight".into()),
        as_it_is("norm.scale", "ln_f.weight".into()),
        as_it_is("norm.shift", "ln_f.bias".into()),
        as_it_is("head_bias", "lm_head.bias".into()),
        parameters.get("head").map(|head| {
            let values = (0..head.columns).flat_map(|row| head.values.iter().skip(row).step_by(head.columns));
            stored("lm_head.weight".into(), vec![head.columns, head.rows], values.copied())
        }),
    ];
    for (at, block) in Stack::new(plan, parameters).blocks().iter().enumerate() {
        let norms = [
            ("attention.norm.scale", "ln_1.weight"),
            ("attention.norm.shift", "ln_1.bias"),
            ("mlp.norm.scale", "ln_2.weight"),
            ("mlp.norm.shift", "ln_2.bias"),
        ];
        tensors.extend(norms.map(|(from, name)| as_it_is(&in_block(at, from), format!("h.{at}.{name}"))));
        tensors.extend(branches(block, at).map(Some));
    }
    tensors.into_iter().flatten().collect()
}

/// The matrices of a block as they act on tokens. Query, key and value are side by side, with zeros for biases that
/// attention does not have.
fn branches(block: &Block, at: usize) -> [Stored; 8] {
    // A matrix is outputs x inputs, column by column, and the file needs inputs x outputs, row by row: the same order.
    let matrix = |name: &str, matrix: &DMatrix<f64>, factor: f64| {
        let shape = vec![matrix.ncols(), matrix.nrows()];
        stored(format!("h.{at}.{name}.weight"), shape, matrix.iter().map(|x| (x * factor) as f32))
    };
    let bias = |name: &str, length: usize, values: &dyn Fn(usize) -> f64| {
        stored(format!("h.{at}.{name}.bias"), vec![length], (0..length).map(|row| values(row) as f32))
    };
    let (attention, mlp) = (&block.attention, &block.mlp);
    let weights = attention.weights();
    let (d, k) = (weights.d(), weights.d() / weights.heads.len());
    let projections = DMatrix::from_fn(3 * d, d, |row, column| {
        let head = &weights.heads[row % d / k];
        [&head.q, &head.k, &head.v][row / d][(row % k, column)]
    });
    let output = weights.output.clone().unwrap_or_else(|| DMatrix::identity(d, d));
    [
        matrix("attn.c_attn", &projections, 1.0),
        bias("attn.c_attn", 3 * d, &|_| 0.0),
        matrix("attn.c_proj", &output, attention.factor()),
        bias("attn.c_proj", d, &|_| 0.0),
        matrix("mlp.c_fc", &mlp.up, 1.0),
        bias("mlp.c_fc", mlp.up_bias.len(), &|row| mlp.up_bias[row]),
        matrix("mlp.c_proj", &mlp.down, mlp.factor),
        bias("mlp.c_proj", d, &|row| mlp.down_bias[row] * mlp.factor),
    ]
}
