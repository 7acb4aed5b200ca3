//! Small BERT, DistilBERT and GPT-2 models compared with PyTorch in float64 (tests/models/reference.py).

use std::fs;

use lipscope_core::experiment::Mask;
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    AttentionMap, Estimators, Heads, MapKind, Maps, ModelConfig, Needs, Plan, Shard, Subject, Table, draw_model,
    estimate, ids_by_first_appearance,
};
use nalgebra::DMatrix;

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
fn the_attention_sink_is_found() {
    let model = model("bert");
    let input = &inputs(&model, Mask::Causal, &[5, 6, 7, 8, 9])[2];
    let map = AttentionMap::new(&model, 2, MapKind::Attention, Heads::All).expect("a map");
    let found = estimate(&map, input, Mask::Causal, Estimators::Released, LanczosOptions::default());
    let found = found.expect("an estimate");
    assert!(found.spectral.is_none());
    // The first row of a causal softmax is 1, and the five rows together have mass 5.
    assert!(found.sink.mass >= 1.0 && found.sink.mass <= 5.0, "{:?}", found.sink);
    assert!(found.sink.token < 5 && found.sink.head < 4, "{:?}", found.sink);
    let radius = (input.norm_squared() / 5.0).sqrt();
    assert!((found.radius / radius - 1.0).abs() < 1e-12);
}

/// A part of the published experiment on a random GPT-2; docs/models.md has the whole table.
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
    for (config, mask) in
        [(ModelConfig::gpt2(), Mask::Causal), (ModelConfig::bert(), Mask::Causal), (ModelConfig::bert(), Mask::None)]
    {
        let config = config.resized(24, 3, 2).expect("fits");
        let plan = Plan {
            layers: vec![0, 2],
            heads: vec![Heads::All, Heads::One(1)],
            lengths: vec![2, 3, 4, 6, 12],
            windows: 8,
            mask,
            kind: MapKind::WithOutput,
            estimators: Estimators::Both,
            options: LanczosOptions::default(),
        };
        let batches = plan.batches(Shard { index: 0, count: 1 });
        let shared =
            batches.iter().flat_map(|batch| &batch.prefix_groups).any(|prefix_group| !prefix_group.shorter.is_empty());
        assert_eq!(shared, mask == Mask::Causal);
        let model = draw_model(config, &plan.needs(&ids, &batches), 3).expect("small");
        let maps = Maps::new(&plan, &model).expect("three layers");
        let mut n_cells = 0;
        for batch in batches {
            for (cell, found) in maps.measure(&ids, &batch, |_| true).expect("measured") {
                let map = AttentionMap::new(&model, cell.layer, plan.kind, cell.heads).expect("a map");
                let tokens = maps.tokens(&ids, &cell).expect("a window");
                let alone = estimate(&map, &tokens, mask, plan.estimators, plan.options).expect("an estimate");
                for (what, a, b) in [
                    ("spectral", found.spectral.map(|norm| norm.value), alone.spectral.map(|norm| norm.value)),
                    ("released", found.released, alone.released),
                    ("radius", Some(found.radius), Some(alone.radius)),
                    ("sink", Some(found.sink.mass), Some(alone.sink.mass)),
                ] {
                    let (a, b) = (a.expect("asked for"), b.expect("asked for"));
                    assert!((a / b - 1.0).abs() < 1e-10, "{what} at {cell:?}: {a} {b}");
                }
                n_cells += 1;
            }
        }
        assert_eq!(n_cells, 2 * 2 * 5 * 8, "layers, heads, lengths, windows");
    }
}
