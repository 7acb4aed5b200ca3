//! The memory that a run over a model holds at a time, counted by a global allocator, against the figure of
//! [`Plan::bytes`].

use lipscope_core::experiment::Memory;
use lipscope_core::measure::UpperNumber;
use lipscope_core::search::NearbyEffort;
use lipscope_models::{
    AtWindow, BatchStep, Bounding, Cell, DrawnFamily, DrawnModel, Estimators, Heads, Held, LayerByLayer, LayerStep,
    MapKind, Maps, ModelConfig, Needs, Opened, Plan, Shard, WindowCertificate, WindowCertifyPlan, draw_model,
};
use lipscope_testkit::peak::{Counting, peak};
use nalgebra::DMatrix;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The measured peak is at most `MOST_OVER` times the figure, and the figure at most `MOST_UNDER` times the peak.
const MOST_OVER: f64 = 1.0;
const MOST_UNDER: f64 = 3.0;

#[test]
fn measured_peaks_are_those_of_the_model_for_every_map() {
    let ids: Vec<u32> = (0..400).map(|at| (at * at + 7) % 50).collect();
    let mut wrong = Vec::new();
    println!("{:<60} {:>12} {:>12} {:>7}", "run", "measured", "modelled", "ratio");
    // Wide weights and short windows; then narrow weights, for which the attention matrices of a long window take most
    // of the memory.
    let gpt2 = |d, heads| ModelConfig::gpt2().resized(d, 4, heads).expect("sizes");
    // Heads wider together than a token, few keys and values, a gate.
    let llama = |d, heads: usize| ModelConfig {
        key_heads: heads / 4,
        ..ModelConfig::llama().resized(d, 4, heads).expect("sizes")
    };
    let wide = ModelConfig { head_dim: 64, rope: None, ..llama(64, 8) };
    for (name, config, n) in [
        ("GPT-2", gpt2(256, 4), 40),
        ("GPT-2", gpt2(64, 8), 400),
        ("Llama", llama(256, 4), 40),
        ("Llama", llama(64, 8), 400),
        ("wide heads", wide, 40),
    ] {
        for kind in MapKind::ALL {
            for (layers, bounds, upper) in [
                (vec![3], Bounding::Skipped, UpperNumber::Skipped),
                (vec![0, 3], Bounding::Skipped, UpperNumber::Skipped),
                (vec![3], Bounding::AtTokens, UpperNumber::Skipped),
                (vec![3], Bounding::Skipped, UpperNumber::Included),
            ] {
                let plan = Plan {
                    layers,
                    heads: vec![Heads::All],
                    lengths: vec![n],
                    windows: 1,
                    mask: lipscope_core::experiment::Order::Causal,
                    kind,
                    estimators: Estimators::Both,
                    // Small enough for many steps, large enough for the iteration to run in f32 beside f64.
                    options: lipscope_core::spectral::LanczosOptions { tolerance: 3e-5, ..Default::default() },
                    bounds,
                    upper,
                    statistics: Default::default(),
                    special: Default::default(),
                };
                let measured = peak(|| {
                    let batches = plan.batches(Shard { index: 0, count: 1 });
                    let model = draw_model(config, &plan.needs(&ids, &batches), 0).expect("drawn");
                    let maps = Maps::new(&plan, model).expect("four layers");
                    for batch in &batches {
                        maps.measure(&ids, batch, |_| true).expect("measured");
                    }
                });
                let ratio = measured as f64 / plan.bytes(&config) as f64;
                let name = format!(
                    "{name}: {} of layers {:?}, d = {}, n = {n}, {bounds:?} {upper:?}",
                    kind.id(),
                    plan.layers,
                    config.d
                );
                println!("{name:<60} {measured:>12} {:>12} {ratio:>7.3}", plan.bytes(&config));
                if ratio > MOST_OVER || ratio * MOST_UNDER < 1.0 {
                    wrong.push(name);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn measured_peaks_of_certificates_are_those_of_their_figure() {
    let mut wrong = Vec::new();
    for (d, heads, n) in [(256, 4, 40), (64, 8, 250), (96, 12, 8)] {
        let config = ModelConfig::gpt2().resized(d, 1, heads).expect("sizes");
        let plan = Plan {
            layers: vec![0],
            heads: vec![Heads::All],
            lengths: vec![n],
            windows: 1,
            mask: lipscope_core::experiment::Order::Causal,
            kind: MapKind::WithOutput,
            estimators: Estimators::Spectral,
            options: Default::default(),
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
        };
        let needs = Needs { layers: 1, mlps: 0, ids: Default::default(), positions: 0 };
        let model = draw_model(config, &needs, 0).expect("drawn");
        let tokens = DMatrix::from_fn(d, n, |row, column| ((7 * row + 3 * column) as f64).sin());
        let cell = Cell { layer: 0, heads: Heads::All, n, window: 0 };
        let effort = NearbyEffort { restarts: 1, iterations: 2, seed: 0 };
        let certify = WindowCertifyPlan { relative: vec![0.01], effort };
        let measured = peak(|| {
            let mut certificate =
                WindowCertificate::start_within(&model, (&plan, &cell), &certify, &tokens, Memory::default())
                    .expect("covered");
            while certificate.step().expect("finite") {}
        });
        let figure = WindowCertifyPlan::bytes(&config, n);
        let ratio = measured as f64 / figure as f64;
        println!("d = {d}, {heads} heads, n = {n}: {measured} of {figure}, {ratio:.3}");
        if ratio > MOST_OVER || ratio * MOST_UNDER < 1.0 {
            wrong.push((d, heads, n));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn one_layer_at_a_time_gives_the_same_digits_in_the_memory_of_its_figure() {
    let drawn = DrawnModel { family: DrawnFamily::Llama, d: 256, layers: 8, heads: 4, seed: 3 };
    let ids: Vec<u32> = (0..200).map(|at| (at * at + 7) % 50).collect();
    for kind in MapKind::ALL.into_iter().filter(|kind| *kind != MapKind::Blocks) {
        let plan = Plan {
            layers: vec![7, 2],
            heads: vec![Heads::All],
            lengths: vec![24, 9],
            windows: 3,
            mask: lipscope_core::experiment::Order::Causal,
            kind,
            estimators: Estimators::Both,
            bounds: if kind == MapKind::Attention { Bounding::AtTokens } else { Bounding::Skipped },
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
            options: lipscope_core::spectral::LanczosOptions { tolerance: 3e-5, ..Default::default() },
        };
        let mut opened = Opened::<&[u8]>::drawn(drawn).expect("sizes");
        let batches = plan.batches(Shard { index: 0, count: 1 });
        let config = *opened.config();
        let mut by_layer = Vec::new();
        let measured = peak(|| {
            let mut layers =
                LayerByLayer::new(&mut opened, &plan, &ids, batches.clone(), |_| true).expect("embeddings");
            loop {
                match layers.step(&mut opened).expect("a layer") {
                    LayerStep::Measuring(BatchStep::Row(cell, found)) => by_layer.push((cell, found)),
                    LayerStep::Measuring(BatchStep::Done) => break,
                    LayerStep::Read | LayerStep::Dropped | LayerStep::Measuring(_) => {}
                }
            }
            assert_eq!((layers.layer(), layers.layers()), (8, 8));
        });
        let figure = plan.bytes_by_layer(&config);
        let ratio = measured as f64 / figure as f64;
        println!("{}: {measured} of {figure}, {ratio:.3}; all layers {}", kind.id(), plan.bytes(&config));
        assert!(ratio <= MOST_OVER && ratio * MOST_UNDER >= 1.0, "{}: {ratio}", kind.id());
        let maps = Maps::new(&plan, opened.model(&plan.needs(&ids, &batches)).expect("drawn")).expect("eight layers");
        let mut whole = Vec::new();
        for batch in &batches {
            whole.extend(maps.measure(&ids, batch, |_| true).expect("measured"));
        }
        for cell in [by_layer[0].0, by_layer[by_layer.len() - 1].0] {
            let by_layer = AtWindow::by_layer(&mut opened, &plan, &ids, cell).expect("a window");
            let whole = maps.at_window(&ids, &cell).expect("a window");
            assert_eq!(by_layer.tokens(), whole.tokens(), "{}: {cell:?}", kind.id());
        }
        let sorted = |mut rows: Vec<(Cell, lipscope_models::Estimate)>| {
            rows.sort_by_key(|(cell, _)| (cell.layer, cell.n, cell.window));
            rows
        };
        assert_eq!(sorted(by_layer), sorted(whole), "{}", kind.id());
        let tight = Memory::from_bytes(plan.bytes(&config) - 1);
        assert_eq!(plan.held(&config, tight), Ok(Held::OneLayer), "{}", kind.id());
        assert_eq!(plan.held(&config, Memory::NATIVE), Ok(Held::AllLayers), "{}", kind.id());
        assert!(plan.held(&config, Memory::from_bytes(figure - 1)).is_err(), "{}", kind.id());
    }
}
