//! Files of models: the ids of every tokenizer format, and the errors for damaged files.

use std::fs;
use std::path::PathBuf;

use lipscope_core::experiment::InputError;
use lipscope_models::{Checkpoint, Model, ModelConfig, Needs, Tokenizer, TokenizerFiles, load_model};
use lipscope_testkit::in_repository;
use proptest::prelude::*;
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    in_repository("tests/data/models").join(name)
}

fn config(name: &str) -> ModelConfig {
    ModelConfig::from_json(&fs::read_to_string(folder(name).join("config.json")).expect("a file")).expect("a config")
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(folder(name).join("model.safetensors")).expect("a file")
}

fn needs() -> Needs {
    Needs { layers: 2, mlps: 1, ids: [3, 5].into(), positions: 4 }
}

fn load(config: ModelConfig, bytes: &[u8]) -> Result<Model, InputError> {
    load_model(config, &mut Checkpoint::of_one(bytes)?, &needs())
}

/// The file with its header modified.
fn with_header(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let len = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + len]).expect("JSON");
    change(&mut header);
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes[8 + len..]].concat()
}

fn problem(outcome: Result<Model, InputError>) -> String {
    outcome.expect_err("a broken file").to_string()
}

const QUERY: &str = "encoder.layer.1.attention.self.query.weight";

#[test]
fn a_missing_or_misshapen_tensor_is_named_with_what_was_expected() {
    let (config, whole) = (config("bert"), bytes("bert"));
    assert!(load(config, &whole).is_ok());
    let missing = with_header(&whole, |header| {
        let header = header.as_object_mut().expect("an object");
        let cell = header.remove(QUERY).expect("a tensor");
        header.insert("something.else".into(), cell);
    });
    let said = problem(load(config, &missing));
    assert!(said.contains(QUERY) && said.contains("not in the file") && said.contains("[32, 32]"), "{said}");
    let misshapen = with_header(&whole, |header| header[QUERY]["shape"] = serde_json::json!([64, 16]));
    let said = problem(load(config, &misshapen));
    assert!(said.contains(QUERY) && said.contains("[64, 16]") && said.contains("[32, 32]"), "{said}");
    let typed = with_header(&whole, |header| header[QUERY]["dtype"] = "I32".into());
    let said = problem(load(config, &typed));
    assert!(said.contains(QUERY) && said.contains("I32") && said.contains("BF16"), "{said}");
}

#[test]
fn a_file_that_was_cut_off_names_the_first_tensor_that_is_not_whole() {
    let (config, whole) = (config("gpt2"), bytes("gpt2"));
    let said = problem(load(config, &whole[..whole.len() / 2]));
    assert!(said.contains("Tensor `transformer.") && said.contains("cut off"), "{said}");
    let said = problem(load(config, &whole[..100]));
    assert!(said.contains("model.safetensors"), "{said}");
}

#[test]
fn another_architecture_or_file_format_gives_an_error_message() {
    let said = problem(load(config("gpt2"), &bytes("bert")));
    assert!(said.contains("names of BERT") && said.contains("GPT-2"), "{said}");
    for text in [&b""[..], b"PK\x03\x04 a zip file, as PyTorch writes", b"\x08\0\0\0\0\0\0\0{\"a\": 1"] {
        let said = problem(load(config("bert"), text));
        assert!(said.contains("model.safetensors"), "{said}");
    }
    let deep = Needs { layers: 9, ..needs() };
    let whole = bytes("bert");
    let said = load_model(config("bert"), &mut Checkpoint::of_one(&whole[..]).expect("a header"), &deep);
    let said = said.expect_err("three layers").to_string();
    assert!(said.contains("layer") && said.contains("at most 2"), "{said}");
}

#[test]
fn a_number_that_is_not_finite_names_its_tensor() {
    let (config, mut whole) = (config("bert"), bytes("bert"));
    let end = whole.len();
    // Sets every number after the header to NaN.
    let start = 8 + u64::from_le_bytes(whole[..8].try_into().expect("eight bytes")) as usize;
    whole[start..end].as_chunks_mut::<4>().0.iter_mut().for_each(|x| *x = f32::NAN.to_le_bytes());
    let said = problem(load(config, &whole));
    assert!(said.contains("Tensor `embeddings.") && said.contains("not finite"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_damage_to_a_file_makes_the_program_panic(
        name in prop::sample::select(vec!["bert", "gpt2", "distilbert"]),
        flips in prop::collection::vec((0usize..6_000, 0u8..8), 1..6),
        cut in prop::option::of(0usize..150_000),
    ) {
        let mut bytes = bytes(name);
        for (at, bit) in flips {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << bit;
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut);
        }
        if let Err(error) = load(config(name), &bytes) {
            let said = error.to_string();
            prop_assert!(said.contains("Tensor `") || said.contains("model.safetensors"), "{}", said);
        }
    }

    #[test]
    fn no_config_makes_the_program_panic(text in "\\{(\"(model_type|n_embd|n_head|hidden_size|dim)\":(\"gpt2\"|\"bert\"|-?[0-9]{1,20}|null|\\[\\]),?){0,5}\\}") {
        if let Ok(config) = ModelConfig::from_json(&text) {
            prop_assert!(config.d % config.heads == 0);
        }
    }
}

#[test]
fn every_form_of_tokenizer_gives_the_ids_of_its_reference() {
    let text = fs::read_to_string(in_repository("assets/attention.txt")).expect("a file");
    let read = |name: &str, file: &str| fs::read_to_string(folder(name).join(file)).ok();
    for (name, files) in [
        ("bert", TokenizerFiles { word_pieces: read("bert", "vocab.txt"), ..TokenizerFiles::default() }),
        ("distilbert", TokenizerFiles { tokenizer: read("distilbert", "tokenizer.json"), ..TokenizerFiles::default() }),
        (
            "gpt2",
            TokenizerFiles {
                pieces: read("gpt2", "vocab.json"),
                merges: read("gpt2", "merges.txt"),
                ..TokenizerFiles::default()
            },
        ),
    ] {
        let ids = Tokenizer::new(&files).and_then(|tokenizer| tokenizer.ids(&text)).expect(name);
        let expected: Value = serde_json::from_str(&read(name, "expected.json").expect("a file")).expect("JSON");
        let expected: Vec<u32> = serde_json::from_value(expected["ids"].clone()).expect("ids");
        assert_eq!(ids[..expected.len()], expected, "{name}");
    }
}

#[test]
fn a_broken_tokenizer_is_named() {
    let some = |text: &str| Some(text.to_string());
    for (files, word) in [
        (TokenizerFiles::default(), "vocab.txt"),
        (TokenizerFiles { tokenizer: some("{}"), ..TokenizerFiles::default() }, "tokenizer.json"),
        (TokenizerFiles { pieces: some("{}"), ..TokenizerFiles::default() }, "merges.txt"),
        (TokenizerFiles { pieces: some("["), merges: some(""), ..TokenizerFiles::default() }, "vocab.json"),
        (TokenizerFiles { pieces: some("{}"), merges: some("a b c d"), ..TokenizerFiles::default() }, "merges.txt"),
    ] {
        let said = Tokenizer::new(&files).expect_err(word).to_string();
        assert!(said.contains(word), "{said}");
    }
    let no_unknown = TokenizerFiles { word_pieces: some("a\nb"), ..TokenizerFiles::default() };
    let said = Tokenizer::new(&no_unknown).and_then(|tokenizer| tokenizer.ids("zebra"));
    assert!(said.is_err_and(|error| error.to_string().contains("tokenizer")));
}
