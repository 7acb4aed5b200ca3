//! The bounds at a cell's tokens are never below the norms there: models of every family with drawn sizes, settings and
//! weights, the files of tests/data, and cases in which a bound is nearly reached.

use std::fs;

use lipscope_core::bounds::LOCAL;
use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::largest_singular_value;
use lipscope_models::{
    Bounding, Cell, Checkpoint, ConfigFile, Estimate, Estimators, Heads, LayerMap, LocalBounds, MapKind, Maps, Model,
    ModelConfig, Needs, PlanText, Shard, draw_model, load_model, local_bounds,
};
use lipscope_testkit::in_repository;
use nalgebra::{DMatrix, DVector};

use super::families::dense;
use super::plain;

/// The most that a window of these tests has.
const LENGTHS: [usize; 5] = [1, 2, 3, 6, 12];

/// What the cases found, so that a test can tell that they were no empty ones.
#[derive(Default)]
struct Found {
    cases: usize,
    /// Cases in which the better bound is less than twice the norm.
    near: usize,
}

/// Checks all bounds of a layer at tokens of its attention, for all heads together and for each head.
fn check(name: &str, model: &Model, layer: usize, tokens: &DMatrix<f64>, order: Order, found: &mut Found) {
    for kind in [MapKind::Attention, MapKind::WithOutput] {
        for heads in std::iter::once(Heads::All).chain((0..model.config.heads).map(Heads::One)) {
            let map = LayerMap::new(model, layer, kind, heads).expect("a map");
            let bounds = local_bounds(&map, tokens, order).expect("finite").expect("attention alone");
            let jacobian = dense(&mut map.at(tokens, order).expect("finite").jacobian);
            let norm = largest_singular_value(&jacobian);
            let token = token_norm(&jacobian, tokens.ncols());
            if model.config.family.name() == "OLMo 2" {
                // Its norm takes the queries of all heads together.
                let said = bounds.absence(kind, &LOCAL).map(|reason| reason.to_string()).unwrap_or_default();
                assert!(bounds == LocalBounds::default() && said.contains("all heads together"), "{name}: {said}");
                continue;
            }
            let LocalBounds { local, blocks, token: token_bound } = bounds;
            for (what, bound, norm) in [("local", local, norm), ("blocks", blocks, norm), ("token", token_bound, token)]
            {
                let bound = bound.unwrap_or_else(|| panic!("{name} {kind:?} {heads:?}: no {what}"));
                assert!(bound >= norm, "{name} {kind:?} {heads:?} {order:?}: {what} {bound:e} is below {norm:e}");
            }
            found.cases += 1;
            found.near += usize::from(bounds.best().is_some_and(|best| best < 2.0 * norm));
            // Without a sink, one token attends to itself alone: its map is linear, and one head's bound is its norm.
            let has_sinks = model.blocks[layer].attention.sinks.iter().any(|sink| sink.is_finite());
            if tokens.ncols() == 1 && heads != Heads::All && !has_sinks {
                let ratio = bounds.best().expect("there") / norm;
                assert!(ratio < 1.0 + 1e-6, "{name} {kind:?} {heads:?}: {ratio}");
            }
        }
    }
}

/// A lower bound on the norm of J over the largest token, near it: for every output token the inputs of length 1 that
/// move it most, found by turns with the direction in which they move it.
fn token_norm(jacobian: &DMatrix<f64>, n: usize) -> f64 {
    let (rows, d) = (jacobian.nrows() / n, jacobian.ncols() / n);
    let of_token = |i: usize| {
        let block = jacobian.rows(i * rows, rows);
        let mut direction = DVector::from_element(rows, 1.0);
        let mut reached = 0.0f64;
        for _ in 0..8 {
            let mut inputs = block.tr_mul(&direction);
            for token in inputs.as_mut_slice().chunks_exact_mut(d) {
                let length = token.iter().map(|x| x * x).sum::<f64>().sqrt();
                token.iter_mut().for_each(|x| *x /= if length > 0.0 { length } else { 1.0 });
            }
            direction = block * inputs;
            reached = reached.max(direction.norm());
        }
        reached * (1.0 - 1e-14)
    };
    (0..n).map(of_token).fold(0.0, f64::max)
}

fn tokens(random: &mut Random, (d, n): (usize, usize), scale: f64) -> DMatrix<f64> {
    DMatrix::from_fn(d, n, |_, _| scale * random.normal())
}

#[test]
fn no_bound_is_below_a_norm_in_models_with_drawn_sizes_settings_and_biases() {
    let mut found = Found::default();
    for seed in 0..123 {
        let config = ModelConfig::from_json(&plain::config(seed)).expect("a config");
        let model = plain::drawn(config, seed);
        let mut random = Random::new(seed, Stream::Query(0));
        let n = LENGTHS[seed as usize % LENGTHS.len()];
        let order = [Order::Causal, Order::Free][seed as usize / 5 % 2];
        for (layer, scale) in [(0, 0.3), (1, 2.0)] {
            let tokens = tokens(&mut random, (config.d, n), scale);
            let name = format!("seed {seed}, {}, layer {layer}, n = {n}", config.family.name());
            check(&name, &model, layer, &tokens, order, &mut found);
        }
    }
    assert!(found.cases > 500 && found.near > 100, "{} cases, {} near", found.cases, found.near);
}

/// A BERT, a GPT-2 with L2 scores, and a GPT-2, with large weights and biases.
fn older(model_type: &str, seed: u64) -> Model {
    let text = match model_type {
        "bert" => {
            r#"{"model_type":"bert","hidden_size":6,"num_hidden_layers":1,"num_attention_heads":3,"vocab_size":9}"#
        }
        "l2" => {
            r#"{"model_type":"lipscope","attention":"l2","layer_norms":"both","n_embd":6,"n_layer":1,"n_head":2,"vocab_size":9}"#
        }
        _ => r#"{"model_type":"gpt2","n_embd":6,"n_layer":1,"n_head":2,"vocab_size":9}"#,
    };
    let config = ModelConfig::from_json(text).expect("a config");
    let needs = Needs { layers: 1, mlps: 0, ids: Default::default(), positions: 0 };
    let mut model = draw_model(config, &needs, seed).expect("small");
    let mut random = Random::new(seed, Stream::Tokens);
    let part = &mut model.blocks[0].attention;
    for linear in [&mut part.query, &mut part.key, &mut part.value, &mut part.output] {
        linear.weight.apply(|x| *x = random.normal() as f32);
        linear.bias.iter_mut().for_each(|x| *x = 2.0 * random.normal() as f32);
    }
    model
}

#[test]
fn no_bound_is_below_a_norm_in_bert_gpt2_and_l2_attention_with_biases() {
    let mut found = Found::default();
    for (at, model_type) in ["bert", "gpt2", "l2"].into_iter().enumerate() {
        for seed in 0..12 {
            let model = older(model_type, seed);
            let mut random = Random::new(seed, Stream::Query(0));
            let n = LENGTHS[(seed as usize + at) % LENGTHS.len()];
            let order = [Order::Causal, Order::Free][seed as usize % 2];
            let tokens = tokens(&mut random, (6, n), [0.1, 1.0, 3.0][seed as usize % 3]);
            check(&format!("{model_type}, seed {seed}, n = {n}"), &model, 0, &tokens, order, &mut found);
        }
    }
    assert!(found.near > 30, "{} of {}", found.near, found.cases);
}

#[test]
fn no_bound_is_below_a_norm_where_it_is_nearly_reached_and_values_have_a_large_common_part() {
    let mut found = Found::default();
    for (at, bias) in [0.0, 1e2, 1e5, 1e8].into_iter().enumerate() {
        for seed in 0..10u64 {
            let mut models = vec![older("bert", seed), older("gpt2", seed)];
            let config = ModelConfig::from_json(&plain::config(seed)).expect("a config");
            models.push(plain::drawn(config, seed));
            for mut model in models {
                let part = &mut model.blocks[0].attention;
                part.value.bias.iter_mut().for_each(|x| *x += bias as f32);
                let d = model.config.d;
                let mut random = Random::new(seed, Stream::Query(0));
                // Equal tokens, and tokens that nearly coincide: each output is the mean of the values.
                let one = tokens(&mut random, (d, 1), 1.0);
                let near = tokens(&mut random, (d, 9), 1e-7);
                let tokens = DMatrix::from_fn(d, 9, |row, column| {
                    one[(row, 0)] + if seed % 2 == 0 { 0.0 } else { near[(row, column)] }
                });
                let name = format!("{}, seed {seed}, bias {bias}, case {at}", model.config.family.name());
                for order in [Order::Causal, Order::Free] {
                    check(&name, &model, 0, &tokens, order, &mut found);
                }
            }
        }
    }
    assert!(found.near > 100, "{} of {}", found.near, found.cases);
}

#[test]
fn no_bound_is_below_a_norm_where_the_norms_of_blocks_are_bounded_and_not_decomposed() {
    let mut found = Found::default();
    let text = r#"{"model_type":"llama","hidden_size":96,"num_hidden_layers":1,"num_attention_heads":2,"num_key_value_heads":1,
        "head_dim":48,"intermediate_size":4,"vocab_size":9}"#;
    let config = ModelConfig::from_json(text).expect("a config");
    let needs = Needs { layers: 1, mlps: 0, ids: Default::default(), positions: 0 };
    let mut model = draw_model(config, &needs, 1).expect("small");
    let mut random = Random::new(1, Stream::Tokens);
    let part = &mut model.blocks[0].attention;
    for linear in [&mut part.query, &mut part.key, &mut part.value, &mut part.output] {
        linear.weight.apply(|x| *x = 0.15 * random.normal() as f32);
        linear.bias.iter_mut().for_each(|x| *x = random.normal() as f32);
    }
    for order in [Order::Causal, Order::Free] {
        let tokens = tokens(&mut random, (96, 6), 1.0);
        check("wide", &model, 0, &tokens, order, &mut found);
    }
    assert_eq!(found.cases, 12);
}

#[test]
fn no_bound_is_below_a_norm_in_the_files_of_every_family() {
    let mut found = Found::default();
    for entry in fs::read_dir(in_repository("tests/data/models")).expect("a folder").flatten() {
        let folder = entry.path();
        let (Ok(text), Ok(bytes)) =
            (fs::read_to_string(folder.join("config.json")), fs::read(folder.join("model.safetensors")))
        else {
            continue;
        };
        let name = folder.display().to_string();
        let config = ConfigFile::parse(&text).expect(&name).config;
        let needs = Needs { layers: config.layers, mlps: 0, ids: Default::default(), positions: 0 };
        let mut file = Checkpoint::of_one(&bytes[..]).expect(&name);
        let model = load_model(config, &mut file, &needs).expect(&name);
        let mut random = Random::new(1, Stream::Query(0));
        for layer in 0..config.layers {
            let tokens = tokens(&mut random, (config.d, 5), 1.0);
            check(&name, &model, layer, &tokens, config.mask, &mut found);
        }
    }
    assert!(found.cases > 50, "{} cases", found.cases);
}

/// The rows of a plan over a text of seven words.
fn rows(config: ModelConfig, text: &PlanText) -> Vec<(Cell, Estimate)> {
    let ids: Vec<u32> = (0..40).map(|at| at % 7).collect();
    let plan = text.plan(&config).expect("a plan");
    let batches = plan.batches(Shard { index: 0, count: 1 });
    let model = draw_model(config, &plan.needs(&ids, &batches), 3).expect("small");
    let maps = Maps::new(&plan, model).expect("two layers");
    batches.iter().flat_map(|batch| maps.measure(&ids, batch, |_| true).expect("measured")).collect()
}

#[test]
fn a_plan_computes_bounds_only_where_it_is_asked_and_they_apply() {
    let config = ModelConfig::llama().resized(8, 2, 2).expect("fits");
    for (kind, bounding, expected) in [
        (MapKind::WithOutput, Bounding::Skipped, false),
        (MapKind::WithOutput, Bounding::AtTokens, true),
        (MapKind::Attention, Bounding::AtTokens, true),
        (MapKind::AttentionResidual, Bounding::AtTokens, false),
        (MapKind::Block, Bounding::AtTokens, false),
    ] {
        let plan = PlanText {
            layers: "1".into(),
            heads: "all".into(),
            lengths: "4".into(),
            windows: 2,
            mask: None,
            kind: Some(kind),
            estimators: Estimators::Both,
            tolerance: 1e-10,
            bounds: bounding,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
        };
        let rows = rows(config, &plan);
        assert_eq!(rows.len(), 2);
        for (_, estimate) in rows {
            assert_eq!(estimate.bounds.is_some(), expected, "{kind:?} {bounding:?}");
            if let Some(bounds) = estimate.bounds {
                let norm = estimate.spectral.expect("asked for").value;
                assert!(bounds.best().expect("finite") >= norm, "{bounds:?} {norm}");
            }
        }
    }
}
