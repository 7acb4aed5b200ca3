//! Folders of models as public bug reports describe them: each gives its right value, or a refusal that a person can
//! act on.
//!
//! tests/data/cases/model_values.json has the values (tests/models/cases.py).

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use lipscope_core::experiment::InputError;
use lipscope_core::measure::UpperNumber;
use lipscope_models::{
    Bounding, Estimators, Heads, MapKind, Maps, ModelConfig, Opened, PlanText, Shard, WeightFiles, load_model,
};
use lipscope_models::{Checkpoint, Needs};
use lipscope_testkit::in_repository;
use lipscope_testkit::weights::{Rewriting, rewritten};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    in_repository("tests/data/cases/models").join(name)
}

/// The files of a folder, with their names.
fn files(name: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder(name)).expect("a folder").flatten();
    let read =
        |entry: fs::DirEntry| (entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("read"));
    entries.map(read).collect()
}

/// Opens the model of a folder's files.
fn opened<'a>(name: &str, files: &'a [(String, Vec<u8>)]) -> Result<Opened<&'a [u8]>, InputError> {
    let bytes = |wanted: &str| files.iter().find(|(name, _)| name == wanted).expect("a file").1.as_slice();
    let names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let config = std::str::from_utf8(bytes("config.json")).expect("text");
    Opened::of_files(name, config, None, WeightFiles::gather(&names, |name| Ok(bytes(name)))?)
}

/// The ids of a folder's text, as transformers finds them.
fn ids(name: &str) -> Vec<u32> {
    let text = fs::read_to_string(in_repository("tests/data/tokenizers/expected.json")).expect("a file");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    serde_json::from_value(value["cases"][name].clone()).expect(name)
}

/// The norm of a layer's attention at the first n tokens, and the notes.
fn measured(name: &str, files: &[(String, Vec<u8>)], n: usize, layer: usize) -> Result<(f64, String), InputError> {
    let mut opened = opened(name, files)?;
    let text = PlanText {
        layers: layer.to_string(),
        heads: "all".into(),
        lengths: n.to_string(),
        windows: 1,
        mask: None,
        kind: None,
        estimators: Estimators::Spectral,
        tolerance: 1e-12,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    let plan = text.plan(opened.config())?;
    let ids = ids(name);
    let batches = plan.batches(Shard { index: 0, count: 1 });
    let maps = Maps::new(&plan, opened.model(&plan.needs(&ids, &batches))?)?;
    let rows = maps.measure(&ids, &batches[0], |_| true)?;
    let notes: Vec<String> = opened.notes().iter().map(ToString::to_string).collect();
    Ok((rows[0].1.spectral.expect("asked for").value, notes.join("; ")))
}

#[test]
fn unusual_files_give_the_norm_that_numpy_finds() {
    let values: Value =
        serde_json::from_str(&fs::read_to_string(in_repository("tests/data/cases/model_values.json")).expect("a file"))
            .expect("JSON");
    let values = values.as_object().expect("folders");
    for (name, expected) in values {
        let size = |key: &str| expected[key].as_u64().expect("a number") as usize;
        let (found, notes) = measured(name, &files(name), size("n"), size("layer")).expect(name);
        let expected = expected["spectral"].as_f64().expect("a number");
        assert!((found / expected - 1.0).abs() < 1e-9, "{name}: {found} {expected}");
        let noted = match name.as_str() {
            "gpt2_f64" => "64-bit",
            "nanogpt_linear" => "a row for each output",
            _ => "",
        };
        assert!(notes.contains(noted) && notes.is_empty() == noted.is_empty(), "{name}: {notes}");
    }
    assert_eq!(values.len(), 25);
}

#[test]
fn folders_that_are_not_read_say_what_is_not_supported_or_what_to_do() {
    for (name, words) in [
        ("bert_relative_key", &["position_embedding_type", "relative_key", "not supported"][..]),
        ("roberta_as_bert", &["architectures", "RobertaModel", "no class of Bert"]),
        ("gpt2_bin_only", &["pytorch_model.bin", "torch.load", "save_file", "model.safetensors"]),
    ] {
        let said = measured(name, &files(name), 6, 1).expect_err(name).to_string();
        assert!(words.iter().all(|word| said.contains(word)), "{name}: {said}");
        assert!(!said.contains("must be"), "{name}: {said}");
    }
}

/// The edits that a user tries after a refusal: none of them gives a number.
#[test]
fn a_roberta_that_is_called_bert_is_known_by_its_tensors_and_its_marks() {
    let renamed = |name: &str, drop: &[&str]| {
        let mut files = files(name);
        let config = &mut files.iter_mut().find(|(name, _)| name == "config.json").expect("a config").1;
        let mut value: Value = serde_json::from_slice(config).expect("JSON");
        let fields = value.as_object_mut().expect("an object");
        fields.insert("model_type".into(), "bert".into());
        drop.iter().for_each(|key| assert!(fields.remove(*key).is_some()));
        *config = value.to_string().into_bytes();
        opened(name, &files).expect_err(name).to_string()
    };
    for (said, words) in [
        (renamed("roberta_", &[]), "positions begin at 2"),
        (renamed("roberta_roberta", &[]), "positions begin at 2"),
        (renamed("roberta_roberta", &["pad_token_id"]), "the names of RoBERTa"),
    ] {
        assert!(said.contains("RoBERTa") && said.contains(words), "{said}");
    }
    // The two that say what they are have one norm, whether or not their tensors have a prefix.
    let [plain, prefixed] =
        ["roberta_", "roberta_roberta"].map(|name| measured(name, &files(name), 6, 1).expect(name).0);
    assert_eq!(plain, prefixed);
}

#[test]
fn weights_written_in_another_way_are_the_same_weights() {
    for name in ["gpt2_prefix", "gpt2_tied_lm_head", "nanogpt_linear", "bert_decoder", "gpt2_no_scale"] {
        let whole = files(name);
        let (expected, _) = measured(name, &whole, 6, 1).expect(name);
        for way in Rewriting::ALL {
            let (weights, others): (Vec<_>, Vec<_>) =
                whole.iter().cloned().partition(|(name, _)| name == "model.safetensors");
            let again = rewritten(&weights[0].1, way).expect("a whole file");
            let (found, _) = measured(name, &[others, again].concat(), 6, 1).expect(name);
            assert!(found == expected, "{name}, {way:?}: {found} {expected}");
        }
    }
}

/// The file with a changed header; the numbers stay where they are.
pub fn changed(bytes: &[u8], change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Vec<u8> {
    let len = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + len]).expect("JSON");
    change(header.as_object_mut().expect("tensors"));
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes[8 + len..]].concat()
}

/// A file with one of its tensors a second time, under another name.
pub fn with_copy(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut copied = Vec::new();
    let start = 8 + u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let data = &bytes[start..];
    let mut whole = changed(bytes, |header| {
        let mut tensor = header[from].clone();
        let [begin, end] = [0, 1].map(|at| tensor["data_offsets"][at].as_u64().expect("a number") as usize);
        copied = data[begin..end].to_vec();
        tensor["data_offsets"] = serde_json::json!([data.len(), data.len() + copied.len()]);
        header.insert(to.into(), tensor);
    });
    whole.extend(copied);
    whole
}

#[test]
fn tensors_that_would_be_left_out_or_taken_for_others_are_refused() {
    let config = |name: &str| {
        let text = fs::read_to_string(folder(name).join("config.json")).expect("a file");
        ModelConfig::from_json(&text).expect("a config")
    };
    let whole = |name: &str| fs::read(folder(name).join("model.safetensors")).expect("a file");
    let said = |name: &str, bytes: &[u8]| {
        let needs = Needs { layers: 2, mlps: 1, ids: [3].into(), positions: 4 };
        let file = Checkpoint::of_one(bytes);
        file.and_then(|mut file| load_model(config(name), &mut file, &needs)).expect_err("another model").to_string()
    };
    let rename = |header: &mut serde_json::Map<String, Value>, from: &str, to: &str| {
        let tensor = header.remove(from).expect("a tensor");
        header.insert(to.into(), tensor);
    };
    let gpt2 = whole("gpt2_prefix");
    let output = "transformer.h.0.attn.c_proj.weight";
    // A second model, cross-attention, an adapter, and the same tensor under two names of one wrapper.
    let two = with_copy(&gpt2, output, "teacher.h.0.attn.c_proj.weight");
    let two = with_copy(&two, "transformer.wte.weight", "teacher.wte.weight");
    let problem = said("gpt2_prefix", &two);
    assert!(problem.contains("`teacher.wte.weight` and `transformer.wte.weight`"), "{problem}");
    for (from, to, words) in [
        (output, "transformer.h.0.crossattention.c_proj.weight", "crossattention"),
        (output, "transformer.h.0.attn.c_proj.lora_A.default.weight", "merge_and_unload"),
        (output, "transformer.h.0.attn.c_proj.base_layer.weight", "merge_and_unload"),
        (output, "transformer.h.0._orig_mod.attn.c_proj.weight", "twice"),
    ] {
        let problem = said("gpt2_prefix", &with_copy(&gpt2, from, to));
        assert!(problem.contains(words), "{to}: {problem}");
    }
    // The missing tensor is named together with possible replacements.
    let missing = changed(&gpt2, |header| rename(header, "transformer.wte.weight", "transformer.embed.weight"));
    let problem = said("gpt2_prefix", &missing);
    assert!(problem.contains("wte.weight") && problem.contains("`transformer.embed.weight`"), "{problem}");
    // DistilBERT's names under a config of BERT, and BERT's under one of GPT-2.
    let problem = said("gpt2_prefix", &whole("bert_decoder"));
    assert!(problem.contains("BERT") && problem.contains("GPT-2"), "{problem}");
    let distilbert = fs::read(in_repository("tests/data/models/distilbert/model.safetensors")).expect("a file");
    let problem = said("bert_decoder", &distilbert);
    assert!(problem.contains("DistilBERT") && problem.contains("config.json says BERT"), "{problem}");
    // One of two matrices is transposed: the square ones could be either.
    let mixed =
        changed(&gpt2, |header| header["transformer.h.0.mlp.c_fc.weight"]["shape"] = serde_json::json!([32, 8]));
    let problem = said("gpt2_prefix", &mixed);
    assert!(problem.contains("transposed") && problem.contains("mlp.c_fc.weight"), "{problem}");
}

/// A BERT whose matrices are all transposed, as other programs keep them.
#[test]
fn a_transposed_bert_is_read_by_its_shapes() {
    let name = "bert_decoder";
    let mut files = files(name);
    let (expected, _) = measured(name, &files, 6, 1).expect(name);
    let weights = &mut files.iter_mut().find(|(name, _)| name == "model.safetensors").expect("weights").1;
    let len = u64::from_le_bytes(weights[..8].try_into().expect("eight bytes")) as usize;
    let header: Value = serde_json::from_slice(&weights[8..8 + len]).expect("JSON");
    let mut data = weights[8 + len..].to_vec();
    let mut new = header.clone();
    for (name, info) in header.as_object().expect("tensors").iter().filter(|(name, _)| name.contains(".layer.")) {
        let [Some(rows), Some(columns)] = [0, 1].map(|at| info["shape"].get(at).and_then(Value::as_u64)) else {
            continue;
        };
        let (rows, columns) = (rows as usize, columns as usize);
        let start = info["data_offsets"][0].as_u64().expect("a number") as usize;
        let old = data[start..start + 4 * rows * columns].to_vec();
        for row in 0..rows {
            for column in 0..columns {
                let (from, to) = (4 * (row * columns + column), start + 4 * (column * rows + row));
                data[to..to + 4].copy_from_slice(&old[from..from + 4]);
            }
        }
        new[name]["shape"] = serde_json::json!([columns, rows]);
    }
    let header = new.to_string();
    *weights = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat();
    let (found, notes) = measured(name, &files, 6, 1).expect(name);
    assert!(found == expected && notes.contains("a row for each input"), "{found} {expected}; {notes}");
}

/// The experiment of a window and the adversarial tokens use the scale of the scores, too.
#[test]
fn the_scale_of_the_scores_is_in_every_map_of_a_head() {
    let name = "gpt2_no_scale";
    let files = files(name);
    let mut scaled = opened(name, &files).expect(name);
    let needs = Needs { layers: 1, mlps: 0, ids: ids(name).into_iter().collect(), positions: 6 };
    let model = scaled.model(&needs).expect("a model");
    let mut by_hand = model.clone();
    by_hand.config.score_scale = lipscope_models::ScoreScale::Root;
    // k = 4, so sqrt(k) = 2: the queries are doubled, which rounds nothing.
    let query = &mut by_hand.blocks[0].attention.query;
    query.weight *= 2.0;
    query.bias.iter_mut().for_each(|x| *x *= 2.0);
    let curve = |model: &lipscope_models::Model| {
        let plan = lipscope_models::AdversarialPlan {
            radius: 3.0,
            mask: lipscope_core::experiment::Order::Causal,
            kind: MapKind::Attention,
            estimators: Estimators::Both,
            options: lipscope_core::spectral::LanczosOptions::default(),
        };
        (0..2).map(|head| lipscope_models::adversarial_curve(model, (0, head), &plan, &[5])).collect::<Vec<_>>()
    };
    assert_eq!(curve(&model), curve(&by_hand));
    let text = PlanText {
        layers: "0".into(),
        heads: "all".into(),
        lengths: "5".into(),
        windows: 1,
        mask: None,
        kind: None,
        estimators: Estimators::Spectral,
        tolerance: 1e-12,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    let plan = text.plan(&model.config).expect("a plan");
    let cell = lipscope_models::Cell { layer: 0, heads: Heads::All, n: 5, window: 0 };
    let experiment = |model: &lipscope_models::Model| {
        let maps = Maps::new(&plan, model).expect("a layer");
        let tokens = maps.at_window(&ids(name), &cell).expect("a window").tokens().clone();
        lipscope_models::window_experiment(model, &plan, &cell, &tokens).expect("an experiment").experiment
    };
    assert_eq!(experiment(&model), experiment(&by_hand));
}
