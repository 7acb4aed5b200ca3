//! Small models of every family against transformers in float64: tokens before the first and after the last block, and
//! every map of every layer. The folders of tests/data/models that have a `reference.json`; where `config.old.json` lies
//! beside `config.json`, it is the same config in the spelling of older programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lipscope_core::experiment::Phrase;
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    Checkpoint, ConfigFile, Estimators, ForwardPass, Heads, LayerMap, MapAtTokens, MapJacobian, MapKind, Model,
    ModelConfig, Needs, PREPROCESSORS, Picture, Pictures, PixelRule, Resizing, Stretch, estimate, load_model,
};
use lipscope_testkit::in_repository;
use nalgebra::DMatrix;
use serde_json::Value;

use super::cases::{changed, with_copy};

/// The Jacobian as a dense matrix, column by column.
pub fn dense(jacobian: &mut MapJacobian<f64>) -> DMatrix<f64> {
    let (rows, columns) = (jacobian.n_outputs(), jacobian.n_inputs());
    let mut matrix = DMatrix::zeros(rows, columns);
    for column in 0..columns {
        let unit: Vec<f64> = (0..columns).map(|at| f64::from(u8::from(at == column))).collect();
        jacobian.apply(&unit, matrix.column_mut(column).as_mut_slice());
    }
    matrix
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
}

fn folder(name: &str) -> PathBuf {
    in_repository("tests/data/models").join(name)
}

fn loaded(config: ModelConfig, bytes: &[u8], ids: &[u32]) -> Result<Model, String> {
    let needs =
        Needs { layers: config.layers, mlps: config.layers, ids: ids.iter().copied().collect(), positions: ids.len() };
    let file = Checkpoint::of_one(bytes);
    file.and_then(|mut file| load_model(config, &mut file, &needs)).map_err(|problem| problem.to_string())
}

/// A d x n matrix from the rows of a file, one row per token.
fn matrix(rows: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(rows.clone()).expect("rows of numbers");
    DMatrix::from_fn(rows[0].len(), rows.len(), |row, column| rows[column][row])
}

/// The picture of a folder, for a model of pictures.
fn pictures(folder: &Path, config: &ModelConfig) -> Option<Arc<Pictures>> {
    config.picture?;
    let rule = PixelRule::parse(PREPROCESSORS[0], &text(&folder.join(PREPROCESSORS[0]))).expect("a preprocessor");
    let picture = Picture::read("image.png", &fs::read(folder.join("image.png")).expect("a file")).expect("a picture");
    let pictures = Pictures::new([Ok(("image.png".into(), picture))], rule, config, Resizing::Refused);
    Some(Arc::new(pictures.expect("of the model's size")))
}

/// Compares a model with a window of its reference; the largest relative error of a norm.
fn check_window(name: &str, model: &Model, ids: &[u32], window: &Value) -> f64 {
    let config = &model.config;
    let pass = ForwardPass::new(model, config.mask, config.layers).expect("all layers");
    let layers: Vec<usize> = (0..config.layers).collect();
    // A window in the same pass changes no number; of a picture there is no shorter one.
    let beside = if config.picture.is_some() { ids } else { &ids[..2] };
    let tokens_of = |kind| pass.inputs(&[beside, ids], kind, &layers).expect("a forward pass").remove(1);
    let embedded = tokens_of(MapKind::Blocks).remove(config.layers - 1);
    let whole = LayerMap::new(model, config.layers - 1, MapKind::Blocks, Heads::All).expect("a map");
    let returned = whole.at(&embedded, config.mask).expect("tokens").value;
    for (what, found, expected) in [("embedded", embedded, "embedded"), ("returned", returned, "returned")] {
        let expected = matrix(&window[expected]);
        let error = (found - &expected).amax();
        assert!(error < 1e-12 * expected.amax(), "{name}, {what}: {error:e} of {}", expected.amax());
    }
    let mut worst = 0.0f64;
    for expected in window["maps"].as_array().expect("maps") {
        let layer = expected["layer"].as_u64().expect("a layer") as usize;
        let kind = expected["map"].as_str().and_then(MapKind::by_id).expect("a known map");
        let map = LayerMap::new(model, layer, kind, Heads::All).expect("a map");
        let tokens = &tokens_of(kind)[layer];
        let options = LanczosOptions { tolerance: 1e-10, ..LanczosOptions::default() };
        let found = estimate(&map, tokens, config.mask, Estimators::Both, options).expect("an estimate");
        let MapAtTokens { value, mut jacobian } = map.at(tokens, config.mask).expect("tokens");
        for (what, found) in [
            ("spectral", found.spectral.expect("asked for").value),
            ("released", found.released.expect("asked for")),
            ("frobenius", dense(&mut jacobian).norm()),
            ("value_norm", value.norm()),
        ] {
            let expected = expected[what].as_f64().expect("a number");
            let error = (found / expected - 1.0).abs();
            assert!(error < 1e-9, "{name}, layer {layer}, {kind:?}, {what}: {found} {expected}");
            worst = worst.max(error);
        }
    }
    worst
}

#[test]
fn every_family_has_the_numbers_of_transformers_under_both_spellings() {
    let mut count = 0;
    for entry in fs::read_dir(in_repository("tests/data/models")).expect("a folder").flatten() {
        let folder = entry.path();
        if !folder.join("reference.json").exists() {
            continue;
        }
        let reference: Value = serde_json::from_str(&text(&folder.join("reference.json"))).expect("JSON");
        let bytes = fs::read(folder.join("model.safetensors")).expect("a file");
        for spelling in ["config.json", "config.old.json"] {
            if !folder.join(spelling).exists() {
                continue;
            }
            let name = format!("{}/{spelling}", folder.display());
            let ConfigFile { config, notes, .. } = ConfigFile::parse(&text(&folder.join(spelling))).expect(&name);
            assert!(notes.is_empty(), "{name}: {notes:?}");
            let default = if name.contains("roberta") { MapKind::Attention } else { MapKind::WithOutput };
            assert_eq!(config.default_map(), default, "{name}");
            for window in reference["windows"].as_array().expect("windows") {
                let pictures = pictures(&folder, &config);
                let ids = match &pictures {
                    Some(pictures) => pictures.ids(),
                    None => serde_json::from_value(window["ids"].clone()).expect("ids"),
                };
                let mut model = loaded(config, &bytes, &ids).expect(&name);
                model.embeddings.pictures = pictures;
                let worst = check_window(&name, &model, &ids, window);
                println!("{name}, n = {}: off by {worst:.1e}", ids.len());
            }
            count += 1;
        }
    }
    assert_eq!(count, 22, "families in one or two spellings");
}

#[test]
fn a_tensor_of_a_layer_that_would_be_left_out_is_refused_by_name() {
    let config = ModelConfig::from_json(&text(&folder("llama").join("config.json"))).expect("a config");
    let bytes = fs::read(folder("llama").join("model.safetensors")).expect("a file");
    let copied = |from: &str, to: &str| with_copy(&bytes, from, to);
    let norm = "model.layers.1.input_layernorm.weight";
    for (from, to) in [
        (norm, "model.layers.1.self_attn.sub_norm.weight"),
        (norm, "model.layers.1.pre_feedforward_layernorm.weight"),
        // An RMS norm has no shift.
        (norm, "model.layers.0.post_attention_layernorm.bias"),
    ] {
        let said = loaded(config, &copied(from, to), &[3]).expect_err("a strange tensor");
        assert!(said.contains(to) && said.contains("no model of the family"), "{said}");
    }
    // Angles that older programs stored are known, and a bias that is there is used.
    assert!(loaded(config, &copied(norm, "model.layers.1.self_attn.rotary_emb.inv_freq"), &[3]).is_ok());
    let with_bias = copied(norm, "model.layers.1.self_attn.o_proj.bias");
    let model = loaded(config, &with_bias, &[3]).expect("a bias");
    let part = &model.blocks[1].attention;
    assert!(part.output.bias.iter().any(|x| *x != 0.0) && part.query.bias.iter().all(|x| *x == 0.0));
    // A model that is a part of another one, or that was saved alone.
    for prefix in ["", "model.language_model.", "language_model.model."] {
        let moved = changed(&bytes, |header| {
            let names: Vec<String> = header.keys().filter(|name| name.starts_with("model.")).cloned().collect();
            for name in names {
                let tensor = header.remove(&name).expect("a tensor");
                header.insert(name.replacen("model.", prefix, 1), tensor);
            }
        });
        assert!(loaded(config, &moved, &[3]).is_ok(), "{prefix}");
    }
}

#[test]
fn settings_of_windows_and_heads_are_read_as_their_family_means_them() {
    let read = |more: &str| ModelConfig::from_json(&format!("{{\"model_type\":{more}}}"));
    let width = |more: &str, layer: usize| {
        let config = read(more).expect(more);
        config.window_of(layer)
    };
    assert_eq!(width(r#""mistral""#, 5), Some(4096));
    assert_eq!(width(r#""mistral","sliding_window":null"#, 5), None);
    assert_eq!(width(r#""llama","sliding_window":7"#, 0), None);
    assert_eq!(width(r#""qwen2","sliding_window":7"#, 30), None);
    let used = r#""qwen2","use_sliding_window":true,"sliding_window":7,"max_window_layers":2"#;
    assert_eq!([1, 2, 9].map(|layer| width(used, layer)), [None, Some(7), Some(7)]);
    let listed = r#""qwen3","use_sliding_window":true,"sliding_window":7,"num_hidden_layers":2,
        "layer_types":["sliding_attention","full_attention"]"#;
    assert_eq!([0, 1].map(|layer| width(listed, layer)), [Some(7), None]);
    // SmolLM 3 makes its masks from the list alone (transformers 5.24); Qwen has no width without `use_sliding_window`.
    let listed = r#""sliding_window":7,"num_hidden_layers":2,"layer_types":["sliding_attention","full_attention"]"#;
    let unused = format!(r#""smollm3","use_sliding_window":false,{listed}"#);
    assert_eq!([0, 1].map(|layer| width(&unused, layer)), [Some(7), None]);
    assert_eq!(width(&format!(r#""smollm3",{listed}"#), 0), Some(7));
    let of_flag = r#""smollm3","sliding_window":7,"num_hidden_layers":8,"use_sliding_window""#;
    assert_eq!([2, 3].map(|layer| width(&format!("{of_flag}:true"), layer)), [None, Some(7)]);
    assert_eq!(width(&format!("{of_flag}:false"), 3), None);
    for broken in [
        format!(r#""qwen3","use_sliding_window":false,{listed}"#),
        format!(r#""qwen2",{listed}"#),
        format!(r#""smollm3",{}"#, listed.replace('7', "null")),
        format!(r#""gemma2",{}"#, listed.replace('7', "null")),
    ] {
        let said = read(&broken).expect_err(&broken).to_string();
        assert!(said.contains("layer_types") && said.contains("sliding_window"), "{said}");
    }
    let said = read(r#""qwen3","layer_types":["linear_attention"]"#).expect_err("another attention").to_string();
    assert!(said.contains("layer_types") && said.contains("linear_attention"), "{said}");
    let sizes = |more: &str| read(more).map(|config| (config.heads, config.key_heads, config.head_dim));
    assert_eq!(sizes(r#""llama","num_attention_heads":8,"hidden_size":32"#), Ok((8, 8, 4)));
    assert_eq!(sizes(r#""llama","num_attention_heads":3,"hidden_size":32,"head_dim":6"#), Ok((3, 3, 6)));
    assert_eq!(sizes(r#""mistral","num_attention_heads":4,"num_key_value_heads":null"#), Ok((4, 4, 1024)));
    assert_eq!(sizes(r#""qwen3","num_attention_heads":4"#), Ok((4, 4, 128)));
    for (more, words) in [
        (r#""llama","num_attention_heads":3,"hidden_size":32"#, "a divisor of its width, 32"),
        (r#""llama","num_attention_heads":4,"num_key_value_heads":3"#, "a divisor of the number of its heads, 4"),
        (r#""qwen2","architectures":["Qwen2VLForConditionalGeneration"]"#, "Qwen2VL"),
        (r#""qwen2","architectures":["LlamaForCausalLM"]"#, "no class of Qwen2"),
    ] {
        let said = read(more).expect_err(more).to_string();
        assert!(said.contains(words), "{more}: {said}");
    }
}

#[test]
fn a_length_within_rope_parameters_counts_only_where_the_class_of_the_family_has_none_of_its_own() {
    let read = |family: &str, more: &str| {
        let text = format!(
            r#"{{"model_type":"{family}","hidden_size":32,"num_attention_heads":4,"max_position_embeddings":131072{more},
            "rope_parameters":{{"rope_type":"longrope","rope_theta":10000.0,"short_factor":[1,1,1,1],
            "long_factor":[2,2,2,2],"original_max_position_embeddings":8192}}}}"#
        );
        let file = ConfigFile::parse(&text).expect(family);
        let notes: Vec<String> = file.notes.iter().map(Phrase::to_string).collect();
        match file.config.rope.map(|rope| rope.stretch) {
            Some(Stretch::LongRope { length, attention, .. }) => (length, attention, notes.join("; ")),
            other => panic!("{other:?}"),
        }
    };
    // transformers 5.24: Phi3Config.original_max_position_embeddings is 4096 unless the file says it.
    let (length, attention, notes) = read("phi3", "");
    assert_eq!(length, 4_096.0);
    assert!((attention - (1.0 + 32f64.ln() / 4_096f64.ln()).sqrt()).abs() < 1e-15, "{attention}");
    assert!(notes.contains("4096") && notes.contains("8192"), "{notes}");
    let (length, attention, notes) = read("phi3", r#","original_max_position_embeddings":8192"#);
    assert_eq!((length, notes.as_str()), (8_192.0, ""));
    assert!((attention - (1.0 + 16f64.ln() / 8_192f64.ln()).sqrt()).abs() < 1e-15, "{attention}");
    assert_eq!(read("llama", "").0, 8_192.0);
}
