//! Small BERT, DistilBERT and GPT-2 models against what PyTorch finds in them in float64 (tests/models/reference.py).

use std::fs;
use std::path::{Path, PathBuf};

use lipscope::experiment::Mask;
use lipscope::jacobian::LinearOperator;
use lipscope::models::{
    AttentionMap, Estimators, ForwardPass, Heads, MapKind, Maps, Model, ModelConfig, Needs, Plan, SafeTensors, Shard,
    Subject, Table, draw_model, estimate, ids_by_first_appearance, load_model,
};
use lipscope::spectral::LanczosOptions;
use nalgebra::DMatrix;
use serde_json::Value;

const NAMES: [&str; 3] = ["bert", "distilbert", "gpt2"];

fn folder(name: &str) -> PathBuf {
    Path::new("tests/data/models").join(name)
}

fn expected(name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder(name).join("expected.json")).expect("a file")).expect("JSON")
}

fn model(name: &str) -> Model {
    let config = fs::read_to_string(folder(name).join("config.json")).expect("a file");
    let bytes = fs::read(folder(name).join("model.safetensors")).expect("a file");
    let needs = Needs { layers: 3, ids: (0..320).collect(), positions: 40 };
    let mut config = ModelConfig::from_json(&config).expect("a config");
    let needs = Needs { ids: needs.ids.into_iter().filter(|id| (*id as usize) < config.vocabulary).collect(), ..needs };
    config.layers = 3;
    load_model(config, &mut SafeTensors::open(&bytes[..]).expect("a header"), &needs).expect("a model")
}

/// The inputs of all layers at one window.
fn inputs(model: &Model, mask: Mask, ids: &[u32]) -> Vec<DMatrix<f64>> {
    let pass = ForwardPass::new(model, mask, 2).expect("three layers");
    // A window beside it changes nothing.
    pass.inputs(&[&ids[..2], ids], &[0, 1, 2]).expect("a forward pass").remove(1)
}

/// d x n from the rows of a file, which are tokens.
fn matrix(rows: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(rows.clone()).expect("rows of numbers");
    DMatrix::from_fn(rows[0].len(), rows.len(), |row, column| rows[column][row])
}

fn mask(run: &Value) -> Mask {
    if run["mask"] == "causal" { Mask::Causal } else { Mask::None }
}

/// The runs of all models: name, run, window, its token ids.
fn for_windows(mut check: impl FnMut(&str, &Model, Mask, &Value, &[u32])) {
    let mut n_windows = 0;
    for name in NAMES {
        let (model, expected) = (model(name), expected(name));
        let ids: Vec<u32> = serde_json::from_value(expected["ids"].clone()).expect("ids");
        for run in expected["runs"].as_array().expect("a list") {
            for window in run["windows"].as_array().expect("a list") {
                let (start, n) = (window["start"].as_u64().unwrap_or(0), window["n"].as_u64().unwrap_or(0));
                check(name, &model, mask(run), window, &ids[start as usize..(start + n) as usize]);
                n_windows += 1;
            }
        }
    }
    assert_eq!(n_windows, 8);
}

#[test]
fn hidden_states_and_attention_outputs_are_those_of_pytorch() {
    for_windows(|name, model, mask, window, ids| {
        let found = inputs(model, mask, ids);
        for (layer, found) in found.iter().enumerate() {
            let expected = matrix(&window["inputs"][layer]);
            let error = (found - &expected).amax();
            assert!(error < 1e-9, "{name}, layer {layer}: {error:e} of {}", expected.amax());
        }
        let map = AttentionMap::new(model, 1, MapKind::WithOutput, Heads::All).expect("a map");
        let value = map.at(&found[1], mask).expect("tokens").value();
        let error = (value - matrix(&window["output_of_layer_1"])).amax();
        assert!(error < 1e-9, "{name}: {error:e}");
    });
}

#[test]
fn norms_and_released_script_values_are_those_of_a_dense_autograd_jacobian() {
    let mut n_maps = 0;
    for_windows(|name, model, mask, window, ids| {
        let inputs = inputs(model, mask, ids);
        for expected in window["maps"].as_array().expect("a list") {
            let layer = expected["layer"].as_u64().expect("a layer") as usize;
            let heads = expected["head"].as_u64().map_or(Heads::All, |head| Heads::One(head as usize));
            let kind = if expected["map"] == "attention" { MapKind::Attention } else { MapKind::WithOutput };
            let map = AttentionMap::new(model, layer, kind, heads).expect("a map");
            let options = LanczosOptions::default();
            let found = estimate(&map, &inputs[layer], mask, Estimators::Both, options).expect("an estimate");
            let spectral = found.spectral.expect("asked for").value;
            for (what, found, expected) in [
                ("spectral", spectral, &expected["spectral"]),
                ("released", found.released.expect("asked for"), &expected["released"]),
            ] {
                let expected = expected.as_f64().expect("a number");
                let error = (found / expected - 1.0).abs();
                assert!(error < 1e-9, "{name}, layer {layer}, {kind:?}, {heads:?}, {what}: {found} {expected}");
            }
            n_maps += 1;
        }
    });
    assert_eq!(n_maps, 8 * 12);
}

#[test]
fn the_jacobian_with_biases_is_that_of_finite_differences() {
    let model = model("gpt2");
    for (mask, kind, heads) in
        [(Mask::Causal, MapKind::WithOutput, Heads::All), (Mask::None, MapKind::Attention, Heads::One(2))]
    {
        let map = AttentionMap::new(&model, 1, kind, heads).expect("a map");
        let number = |i: usize, seed: usize| (((i + seed) * 7919) % 101) as f64 / 50.0 - 1.0;
        let x = DMatrix::from_fn(32, 5, |row, column| number(row + 32 * column, 3));
        let direction = DMatrix::from_fn(32, 5, |row, column| number(row + 32 * column, 11));
        let mut operator = map.at(&x, mask).expect("tokens").jacobian();
        let mut exact = vec![0.0; operator.n_outputs()];
        operator.apply(direction.as_slice(), &mut exact);
        let value = |step: f64| map.at(&(&x + &direction * step), mask).expect("tokens").value();
        let step = 1e-5;
        let differences = (value(step) - value(-step)) / (2.0 * step);
        let exact = DMatrix::from_vec(differences.nrows(), differences.ncols(), exact);
        let error = (&exact - &differences).amax();
        assert!(error < 1e-7 * exact.amax(), "{mask:?}, {kind:?}: {error:e} of {}", exact.amax());
    }
}

#[test]
fn attention_that_gathers_on_one_token_is_found() {
    let model = model("bert");
    let input = &inputs(&model, Mask::Causal, &[5, 6, 7, 8, 9])[2];
    let map = AttentionMap::new(&model, 2, MapKind::Attention, Heads::All).expect("a map");
    let found = estimate(&map, input, Mask::Causal, Estimators::Released, LanczosOptions::default());
    let found = found.expect("an estimate");
    assert!(found.spectral.is_none());
    // The first row of a causal softmax is one; the five rows together give all their attention.
    assert!(found.sink.mass >= 1.0 && found.sink.mass <= 5.0, "{:?}", found.sink);
    assert!(found.sink.token < 5 && found.sink.head < 4, "{:?}", found.sink);
    let radius = (input.norm_squared() / 5.0).sqrt();
    assert!((found.radius / radius - 1.0).abs() < 1e-12);
}

/// The published random experiment, thinned out: MATH.md section 8 has its whole table.
#[test]
fn randomly_initialised_gpt2_has_the_slopes_of_its_table() {
    let path = "../shared/text/alice.txt";
    let text = fs::read_to_string(path).unwrap_or_else(|_| {
        println!("{path} is not there: on assets/attention.txt instead");
        fs::read_to_string("assets/attention.txt").expect("a file")
    });
    let config = ModelConfig::gpt2();
    let ids = ids_by_first_appearance(&text, config.vocabulary);
    let plan = Plan {
        layers: vec![6],
        heads: vec![Heads::All],
        lengths: vec![2, 8, 28, 98],
        windows: 2,
        mask: Mask::Causal,
        kind: MapKind::WithOutput,
        estimators: Estimators::Both,
        options: LanczosOptions { tolerance: 1e-3, ..LanczosOptions::default() },
    };
    plan.check(ids.len()).expect("a text that is long enough");
    let needs = Needs { layers: 7, ids: ids[..196].iter().copied().collect(), positions: 98 };
    let model = draw_model(config, &needs, 0).expect("it fits");
    let maps = Maps::new(&plan, &model).expect("seven layers");
    let subject = Subject {
        model: String::new(),
        text: String::new(),
        map: String::new(),
        mask: String::new(),
        estimator: String::new(),
    };
    let mut table = Table::new(subject);
    for portion in plan.portions(Shard { index: 0, count: 1 }) {
        table.rows.extend(maps.measure(&ids, &portion, |_| true).expect("measured"));
    }
    let slopes = table.slopes().remove(0);
    let (spectral, released) = (slopes.spectral.expect("eight points"), slopes.released.expect("eight points"));
    assert!((0.20..0.27).contains(&released.exponent) && (0.40..0.55).contains(&released.factor), "{released:?}");
    assert!((0.06..0.12).contains(&spectral.exponent) && (0.15..0.21).contains(&spectral.factor), "{spectral:?}");
}
