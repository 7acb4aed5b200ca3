//! Weights of models.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use lipscope_core::experiment::Order;
use lipscope_models::{Checkpoint, ForwardPass, MapKind, Model, ModelConfig, Needs, WeightFiles, load_model};

use crate::corpus;
use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, bytes, json, vary};
use lipscope_testkit::dice::Dice;
use lipscope_testkit::weights::{Rewriting, rewritten};

pub(super) const DOOR: Door = Door {
    name: "safetensors",
    about: "model.safetensors: header, then all tensors of small models of each family, then a forward pass",
    made: || corpus::of_models("model.safetensors"),
    vary: vary_file,
    feed,
};

const READING: Allowance = Allowance { base: 1 << 20, each: 400 };

/// The small models of the corpus: d = 4, two layers of two heads.
const SMALL: [&str; 3] = [
    r#"{"model_type":"bert","hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,"vocab_size":6,"max_position_embeddings":5,"type_vocab_size":2}"#,
    r#"{"model_type":"distilbert","dim":4,"n_layers":2,"n_heads":2,"hidden_dim":8,"vocab_size":6,"max_position_embeddings":5}"#,
    r#"{"model_type":"gpt2","n_embd":4,"n_layer":2,"n_head":2,"n_inner":8,"vocab_size":6,"n_positions":5}"#,
];

/// The configs of the corpus' models, and of those in tests/data/models.
static CONFIGS: LazyLock<Vec<ModelConfig>> = LazyLock::new(|| {
    let of_models =
        corpus::of_models("config.json").into_iter().map(|text| String::from_utf8_lossy(&text).into_owned());
    let read = |text: String| ModelConfig::from_json(&text).unwrap_or_else(|problem| panic!("{problem}"));
    SMALL.map(String::from).into_iter().chain(of_models).map(read).collect()
});

/// Faults are in the header more often than in the numbers.
fn vary_file(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    let input = dice.of(inputs).clone();
    let length = input.first_chunk::<8>().map(|eight| u64::from_le_bytes(*eight) as usize);
    let Some((header, numbers)) = length.and_then(|length| input.get(8..)?.split_at_checked(length)) else {
        return vary(dice, inputs, Form::Bytes);
    };
    if dice.once_in(3) {
        return vary(dice, &[input], Form::Bytes);
    }
    let mut header = json::vary(dice, header);
    if dice.once_in(4) {
        header = vary(dice, &[header], Form::Text);
    }
    let mut length = (header.len() as u64).to_le_bytes().to_vec();
    if dice.once_in(10) {
        length = bytes::vary(dice, &length, inputs);
    }
    [&length, &header, numbers].concat()
}

fn feed(input: &[u8]) -> Verdict {
    let mut verdict = Verdict::Refused;
    for config in CONFIGS.iter().copied() {
        let needs = Needs { layers: 2, mlps: 2, ids: BTreeSet::from([0, 3, 5]), positions: 5 };
        let read = within("reading weights", READING.of(input), || {
            Checkpoint::of_one(input).and_then(|mut file| load_model(config, &mut file, &needs))
        });
        match read {
            Ok(model) => {
                verdict = Verdict::Taken;
                check_rewritten(input, &model, &needs);
                for mask in [Order::Free, Order::Causal] {
                    let pass = ForwardPass::new(&model, mask, 2);
                    let inputs = pass.and_then(|pass| pass.inputs(&[&[0, 3, 5, 3, 0]], MapKind::Blocks, &[0, 1]));
                    match inputs {
                        Ok(inputs) => assert_eq!(inputs.len(), 1, "one window"),
                        Err(problem) => drop(refused(&problem)),
                    }
                }
            }
            Err(problem) => drop(refused(&problem)),
        }
    }
    verdict
}

/// Accepted files are written again with other names, other sizes of numbers, in another order and as two files; they
/// must give the same model.
fn check_rewritten(input: &[u8], model: &Model, needs: &Needs) {
    for way in Rewriting::ALL {
        // Tensors that no model asks for may lie anywhere.
        let Some(files) = rewritten(input, way) else { continue };
        let names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let open = |wanted: &str| {
            let file = files.iter().find(|(name, _)| name == wanted);
            Ok(file.map_or(&[][..], |(_, bytes)| bytes.as_slice()))
        };
        let again = WeightFiles::gather(&names, open)
            .and_then(Checkpoint::open)
            .and_then(|mut file| load_model(model.config, &mut file, needs));
        match again {
            Ok(again) => assert!(again == *model, "{way:?}: another model"),
            Err(problem) => panic!("{way:?}: {problem}"),
        }
    }
}
