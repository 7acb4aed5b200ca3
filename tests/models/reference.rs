//! Small BERT, DistilBERT and GPT-2 models compared with PyTorch in float64 (tests/models/reference.py).

use std::fs;

use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    Bounding, Estimators, Heads, LayerMap, MapKind, Maps, ModelConfig, Needs, Plan, Shard, Subject, Table, draw_model,
    estimate, ids_by_first_appearance,
};

use lipscope_testkit::in_repository;
use lipscope_testkit::models::{self as reference, inputs, model};

#[test]
fn hidden_states_and_attention_outputs_are_those_of_pytorch() {
    reference::check_states();
}

#[test]
fn norms_and_released_script_values_are_those_of_a_dense_autograd_jacobian() {
    reference::check_norms();
}

#[test]
fn rows_of_randomly_initialised_models_equal_the_stored_ones() {
    reference::check_drawn_rows();
}

#[test]
fn the_attention_sink_is_found() {
    let model = model("bert");
    let input = &inputs(&model, Order::Causal, MapKind::Attention, &[5, 6, 7, 8, 9])[2];
    let map = LayerMap::new(&model, 2, MapKind::Attention, Heads::All).expect("a map");
    let found = estimate(&map, input, Order::Causal, Estimators::Released, LanczosOptions::default());
    let found = found.expect("an estimate");
    assert!(found.spectral.is_none());
    // The first row has the single entry 1, so the largest column sum is at least 1; all five rows together sum to 5.
    let sink = found.sink.expect("attention");
    assert!(sink.mass >= 1.0 && sink.mass <= 5.0, "{sink:?}");
    assert!(sink.token < 5 && sink.head < 4, "{sink:?}");
    let radius = (input.norm_squared() / 5.0).sqrt();
    assert!((found.radius / radius - 1.0).abs() < 1e-12);
}

/// A part of the published experiment on a random GPT-2; docs/models_reference.md has the whole table.
#[test]
fn randomly_initialised_gpt2_has_the_slopes_of_its_table() {
    let text = fs::read_to_string(in_repository("assets/attention.txt")).expect("a file");
    let config = ModelConfig::gpt2();
    let ids = ids_by_first_appearance(&text, config.vocabulary);
    let plan = Plan {
        layers: vec![6],
        heads: vec![Heads::All],
        lengths: vec![2, 8, 28, 98],
        windows: 2,
        mask: Order::Causal,
        kind: MapKind::WithOutput,
        estimators: Estimators::Both,
        options: LanczosOptions { tolerance: 1e-3, ..LanczosOptions::default() },
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    plan.check(ids.len()).expect("a text that is long enough");
    let needs = Needs { layers: 7, mlps: 6, ids: ids[..196].iter().copied().collect(), positions: 98 };
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
    for batch in plan.batches(Shard { index: 0, count: 1 }) {
        table.rows.extend(maps.measure(&ids, &batch, |_| true).expect("measured"));
    }
    let group = table.groups().remove(0);
    let (spectral, released) = (group.spectral.expect("eight points"), group.released.expect("eight points"));
    assert!((0.20..0.27).contains(&released.exponent) && (0.40..0.55).contains(&released.factor), "{released:?}");
    assert!((0.06..0.12).contains(&spectral.exponent) && (0.15..0.21).contains(&spectral.factor), "{spectral:?}");
}

/// Under the causal mask, windows that begin at the same token share a pass; otherwise every window has its own.
#[test]
fn a_window_is_the_same_in_a_shared_pass_as_alone() {
    let ids: Vec<u32> = (0..96).map(|at| (at * at + 7) % 50).collect();
    let models = [
        (ModelConfig::gpt2(), Order::Causal),
        (ModelConfig::bert(), Order::Causal),
        (ModelConfig::bert(), Order::Free),
    ];
    for ((config, mask), kind) in models.into_iter().flat_map(|model| MapKind::ALL.map(|kind| (model, kind))) {
        let heads = match kind.is_attention_alone() {
            true => vec![Heads::All, Heads::One(1)],
            false => vec![Heads::All],
        };
        let config = config.resized(24, 3, 2).expect("fits");
        let plan = Plan {
            layers: vec![0, 2],
            heads: heads.clone(),
            lengths: vec![2, 3, 4, 6, 12],
            windows: 3,
            mask,
            kind,
            estimators: Estimators::Both,
            options: LanczosOptions::default(),
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
        };
        let batches = plan.batches(Shard { index: 0, count: 1 });
        let shared =
            batches.iter().flat_map(|batch| &batch.prefix_groups).any(|prefix_group| !prefix_group.shorter.is_empty());
        assert_eq!(shared, mask == Order::Causal);
        let model = draw_model(config, &plan.needs(&ids, &batches), 3).expect("small");
        let maps = Maps::new(&plan, &model).expect("three layers");
        let mut n_cells = 0;
        for batch in batches {
            for (cell, found) in maps.measure(&ids, &batch, |_| true).expect("measured") {
                let map = LayerMap::new(&model, cell.layer, plan.kind, cell.heads).expect("a map");
                let tokens = maps.at_window(&ids, &cell).expect("a window").tokens().clone();
                let alone = estimate(&map, &tokens, mask, plan.estimators, plan.options).expect("an estimate");
                for (what, a, b) in [
                    ("spectral", found.spectral.map(|norm| norm.value), alone.spectral.map(|norm| norm.value)),
                    ("released", found.released, alone.released),
                    ("radius", Some(found.radius), Some(alone.radius)),
                    ("sink", found.sink.map(|sink| sink.mass), alone.sink.map(|sink| sink.mass)),
                ] {
                    assert_eq!(a.is_none(), what == "sink" && kind == MapKind::MlpResidual, "{what} of {kind:?}");
                    let (a, b) = (a.unwrap_or(1.0), b.unwrap_or(1.0));
                    assert!((a / b - 1.0).abs() < 1e-10, "{kind:?}, {what} at {cell:?}: {a} {b}");
                }
                n_cells += 1;
            }
        }
        assert_eq!(n_cells, 2 * heads.len() * 5 * 3, "layers, heads, lengths, windows");
    }
}
