//! Certificates of windows against norms near them, in models of every family with drawn sizes, settings and weights, and
//! the refusal of families whose attention the proof does not cover.

use std::collections::BTreeSet;

use lipscope_core::experiment::{Memory, Order};
use lipscope_core::measure::UpperNumber;
use lipscope_core::random::{Random, Stream};
use lipscope_core::search::NearbyEffort;
use lipscope_core::spectral::largest_singular_value;
use lipscope_models::{
    Bounding, Cell, Estimators, Heads, LayerMap, MODEL_TOLERANCE, MapKind, Model, ModelConfig, Plan, PlanText,
    WindowCertificate, WindowCertifyPlan,
};
use lipscope_testkit::ratios;
use nalgebra::{DMatrix, DVector};

use super::families::dense;
use super::plain;

fn plan(config: &ModelConfig, layer: usize, (kind, order): (MapKind, Order)) -> Plan {
    let text = PlanText {
        layers: layer.to_string(),
        heads: "all".into(),
        lengths: "6".into(),
        windows: 1,
        mask: Some(order),
        kind: Some(kind),
        estimators: Estimators::Spectral,
        tolerance: MODEL_TOLERANCE,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    text.plan(config).expect("a plan")
}

fn certify(relative: &[f64]) -> WindowCertifyPlan {
    WindowCertifyPlan { relative: relative.to_vec(), effort: NearbyEffort { restarts: 2, iterations: 5, seed: 1 } }
}

/// ||J|| of some heads at tokens.
fn norm(model: &Model, plan: &Plan, heads: Heads, tokens: &DMatrix<f64>) -> f64 {
    let map = LayerMap::new(model, plan.layers[0], plan.kind, heads).expect("a map");
    largest_singular_value(&dense(&mut map.at(tokens, plan.mask).expect("finite").jacobian))
}

#[test]
fn no_norm_near_a_window_is_above_its_certificate_and_other_attention_is_refused_by_name() {
    let (mut certified, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..123u64 {
        let config = ModelConfig::from_json(&plain::config(seed)).expect("a config");
        let model = plain::drawn(config, seed);
        let order = [Order::Causal, Order::Free][seed as usize / 5 % 2];
        let kind = [MapKind::WithOutput, MapKind::Attention][usize::from(seed % 4 == 3)];
        let mut random = Random::new(seed, Stream::Query(0));
        let n = 2 + seed as usize % 5;
        for (layer, scale) in [(0, 0.3), (1, 2.0)] {
            let (plan, certify) = (plan(&config, layer, (kind, order)), certify(&[0.0, 0.01, 0.1]));
            let cell = Cell { layer, heads: Heads::All, n, window: 0 };
            let tokens = DMatrix::from_fn(config.d, n, |_, _| scale * random.normal());
            let begun = WindowCertificate::start_within(&model, (&plan, &cell), &certify, &tokens, Memory::default());
            let mut certificate = match begun {
                Ok(begun) => begun,
                Err(problem) => {
                    let said = problem.to_string();
                    let steps = ["RoPE", "QK norm", "sinks", "soft cap", "L2 attention"];
                    assert!(steps.iter().any(|step| said.contains(step)) && said.contains("--bounds"), "{said}");
                    refused.insert(config.family.name());
                    continue;
                }
            };
            while certificate.step().expect("finite") {}
            certified.insert(config.family.name());
            let (found, name) = (certificate.so_far(), format!("seed {seed}, {}, layer {layer}", config.family.name()));
            assert!((found.norm.value / norm(&model, &plan, Heads::All, &tokens) - 1.0).abs() < 1e-9, "{name}");
            for row in &found.rows {
                let within = |norm: f64, bound: f64, what: &str| {
                    ratios::record("certified", &format!("norm / certified of models, {what}"), norm / bound);
                    assert!(norm <= bound * (1.0 + 1e-9), "{name}, eps {}, {what}: {norm} {bound}", row.epsilon);
                };
                assert!(row.certified <= row.added && row.found >= found.norm.value, "{name}: {row:?}");
                within(row.found, row.certified, "searched");
                for _ in 0..3 {
                    let mut moved = tokens.clone();
                    for mut token in moved.column_iter_mut() {
                        token += DVector::from_fn(config.d, |_, _| random.normal()).normalize() * row.epsilon;
                    }
                    within(norm(&model, &plan, Heads::All, &moved), row.certified, "all heads");
                    for (head, bound) in row.heads.iter().enumerate() {
                        within(norm(&model, &plan, Heads::One(head), &moved), *bound, "one head");
                    }
                }
            }
        }
    }
    println!("certified: {certified:?}\nrefused: {refused:?}");
    assert!(certified.len() >= 8 && refused.len() >= 10, "{certified:?} {refused:?}");
}

#[test]
fn maps_with_residual_connections_and_too_little_memory_are_refused() {
    let config = ModelConfig::gpt2();
    let cell = Cell { layer: 0, heads: Heads::All, n: 6, window: 0 };
    let check = |kind: MapKind, relative: f64, memory: Memory| {
        let problem = certify(&[relative]).check(&config, &plan(&config, 0, (kind, Order::Causal)), &cell, memory);
        problem.map_err(|problem| problem.to_string())
    };
    check(MapKind::WithOutput, 0.1, Memory::default()).expect("GPT-2 is covered");
    let said = check(MapKind::Block, 0.1, Memory::default()).expect_err("a block");
    assert!(said.contains("block") && said.contains("with-output"), "{said}");
    let said = check(MapKind::WithOutput, -0.1, Memory::default()).expect_err("below 0");
    assert!(said.contains("epsilon"), "{said}");
    let said = check(MapKind::WithOutput, 0.1, Memory::from_bytes(1 << 24)).expect_err("16 MiB");
    assert!(said.contains("memory"), "{said}");
}
