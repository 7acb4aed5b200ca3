//! Compares the models of tests/data/models with PyTorch in float64 (tests/models/reference.py), and randomly
//! initialised models with stored rows; used natively and in the browser.

use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    Bounding, Checkpoint, DrawnFamily, DrawnModel, Estimators, ForwardPass, Heads, LayerMap, MapKind, Maps, Model,
    ModelConfig, Needs, Opened, PlanText, Shard, estimate, ids_by_first_appearance, load_model,
};
use nalgebra::DMatrix;
use serde_json::Value;

/// Name, config.json, model.safetensors, expected.json.
type Files = (&'static str, &'static str, &'static [u8], &'static str);

macro_rules! files {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../data/models/", $name, "/config.json")),
            include_bytes!(concat!("../../data/models/", $name, "/model.safetensors")),
            include_str!(concat!("../../data/models/", $name, "/expected.json")),
        )
    };
}

const MODELS: [Files; 3] = [files!("bert"), files!("distilbert"), files!("gpt2")];

fn files_of(name: &str) -> Files {
    MODELS.into_iter().find(|(known, ..)| *known == name).expect("a model of tests/data")
}

fn expected(name: &str) -> Value {
    serde_json::from_str(files_of(name).3).expect("JSON")
}

pub fn model(name: &str) -> Model {
    let (_, config, bytes, _) = files_of(name);
    let needs = Needs { layers: 3, mlps: 3, ids: (0..320).collect(), positions: 40 };
    let mut config = ModelConfig::from_json(config).expect("a config");
    let needs = Needs { ids: needs.ids.into_iter().filter(|id| (*id as usize) < config.vocabulary).collect(), ..needs };
    config.layers = 3;
    load_model(config, &mut Checkpoint::of_one(bytes).expect("a header"), &needs).expect("a model")
}

/// The inputs of a map of all layers at one window.
pub fn inputs(model: &Model, mask: Order, kind: MapKind, ids: &[u32]) -> Vec<DMatrix<f64>> {
    let pass = ForwardPass::new(model, mask, 3).expect("three layers");
    // A second window in the same pass must not change the result.
    pass.inputs(&[&ids[..2], ids], kind, &[0, 1, 2]).expect("a forward pass").remove(1)
}

/// A d x n matrix from the rows of a file, one row per token.
fn matrix(rows: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(rows.clone()).expect("rows of numbers");
    DMatrix::from_fn(rows[0].len(), rows.len(), |row, column| rows[column][row])
}

fn mask(run: &Value) -> Order {
    if run["mask"] == "causal" { Order::Causal } else { Order::Free }
}

/// Calls `check` for every model, run and window, with the token ids.
fn for_windows(mut check: impl FnMut(&str, &Model, Order, &Value, &[u32])) {
    let mut n_windows = 0;
    for (name, ..) in MODELS {
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

/// Compares hidden states, attention outputs and the output of the last block.
pub fn check_states() {
    for_windows(|name, model, mask, window, ids| {
        let found = inputs(model, mask, MapKind::Attention, ids);
        for (layer, found) in found.iter().enumerate() {
            let expected = matrix(&window["inputs"][layer]);
            let error = (found - &expected).amax();
            assert!(error < 1e-9, "{name}, layer {layer}: {error:e} of {}", expected.amax());
        }
        let embedded = inputs(model, mask, MapKind::Blocks, ids).remove(2);
        for (layer, kind, tokens, expected) in [
            (1, MapKind::WithOutput, &found[1], &window["output_of_layer_1"]),
            (2, MapKind::Blocks, &embedded, &window["output_of_last_block"]),
        ] {
            let map = LayerMap::new(model, layer, kind, Heads::All).expect("a map");
            let error = (map.at(tokens, mask).expect("tokens").value - matrix(expected)).amax();
            assert!(error < 1e-9, "{name}, {kind:?}: {error:e}");
        }
    });
}

/// Compares norms and released-script values of every layer, map and head.
pub fn check_norms() {
    let mut n_maps = 0;
    for_windows(|name, model, mask, window, ids| {
        let inputs = MapKind::ALL.map(|kind| inputs(model, mask, kind, ids));
        for expected in window["maps"].as_array().expect("a list") {
            let layer = expected["layer"].as_u64().expect("a layer") as usize;
            let heads = expected["head"].as_u64().map_or(Heads::All, |head| Heads::One(head as usize));
            let kind = expected["map"].as_str().and_then(MapKind::by_id).expect("a known map");
            let map = LayerMap::new(model, layer, kind, heads).expect("a map");
            let options = LanczosOptions::default();
            let tokens = &inputs[MapKind::ALL.iter().position(|known| *known == kind).expect("one of all")][layer];
            let found = estimate(&map, tokens, mask, Estimators::Both, options).expect("an estimate");
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
    assert_eq!(n_maps, 8 * 24);
}

/// Compares rows of randomly initialised models with the output of the command line.
pub fn check_drawn_rows() {
    const ROWS: [(DrawnFamily, f64, usize, f64, f64); 4] = [
        (DrawnFamily::Gpt2, 3e-4, 5, 0.016531447386654394, 0.022337427836998783),
        (DrawnFamily::Gpt2, 3e-4, 8, 0.017426252803536924, 0.02344070349452286),
        (DrawnFamily::Bert, 1e-10, 5, 0.21202573013188372, 0.420722298439611),
        (DrawnFamily::Bert, 1e-10, 8, 0.212056634148013, 0.4590346741750487),
    ];
    for (family, tolerance, n, spectral, released) in ROWS {
        let mut opened =
            Opened::<&[u8]>::drawn(DrawnModel { family, d: 32, layers: 3, heads: 4, seed: 0 }).expect("fits");
        let ids = ids_by_first_appearance(include_str!("../../../assets/attention.txt"), opened.config().vocabulary);
        let text = PlanText {
            layers: "2".into(),
            heads: "all".into(),
            lengths: n.to_string(),
            windows: 1,
            mask: None,
            kind: None,
            estimators: Estimators::Both,
            tolerance,
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
        };
        let plan = text.plan(opened.config()).expect("a plan");
        let batches = plan.batches(Shard { index: 0, count: 1 });
        let drawn = opened.model(&plan.needs(&ids, &batches)).expect("drawn");
        let maps = Maps::new(&plan, drawn).expect("three layers");
        let (_, found) = maps.measure(&ids, &batches[0], |_| true).expect("measured").remove(0);
        for (what, found, expected) in [
            ("spectral", found.spectral.expect("asked for").value, spectral),
            ("released", found.released.expect("asked for"), released),
        ] {
            assert!((found / expected - 1.0).abs() < 1e-11, "{family:?}, n = {n}, {what}: {found:?} {expected:?}");
        }
    }
}
