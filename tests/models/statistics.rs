//! The further numbers of a table and of a monitor's row against their definitions: scores of a plain computation, and dense
//! matrices.

use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::{LanczosOptions, largest_singular_value};
use lipscope_models::{
    Bounding, Estimators, ForwardPass, HeadStatistics, Heads, LayerMap, MapAtTokens, MapKind, Model, ModelConfig,
    Needs, PlanText, Probe, ProbedMap, ScoreScale, Statistic, StatisticsPlan, draw_model, window_span,
};
use nalgebra::DMatrix;

use super::families::dense;
use super::plain;

const N: usize = 7;
const LAYER: usize = 1;

/// The number of a head by its definition; `None` where there is none.
fn expected(model: &Model, order: Order, head: usize, tokens: &DMatrix<f64>) -> ([Option<f64>; 3], f64) {
    let rows = plain::scores(model, (LAYER, order), head, tokens);
    let most = rows.iter().flatten().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
    let sink = model.blocks[LAYER].attention.sinks.get(head).map(|sink| f64::from(*sink));
    let (mut entropies, mut columns) = (Vec::new(), [0.0; N]);
    for scores in rows {
        let top = scores.iter().map(|(_, score)| *score).chain(sink).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|(_, score)| (score - top).exp()).sum();
        let all = sum + sink.map_or(0.0, |sink| (sink - top).exp());
        let mut entropy = 0.0;
        for (j, score) in &scores {
            columns[*j] += (score - top).exp() / all;
            let share = (score - top).exp() / sum;
            entropy -= if share > 0.0 { share * share.ln() } else { 0.0 };
        }
        if scores.len() > 1 {
            entropies.push(entropy / (scores.len() as f64).ln());
        }
    }
    let mean = entropies.iter().sum::<f64>() / entropies.len() as f64;
    let least = entropies.iter().copied().reduce(f64::min);
    ([Some(most), least.map(|_| mean), least], columns.into_iter().fold(0.0, f64::max))
}

/// ||A_h|| and ||O_h V_h|| from the multiplied matrices.
fn weight_norms(model: &Model, head: usize) -> [Option<f64>; 2] {
    let (config, part) = (&model.config, &model.blocks[LAYER].attention);
    let (k, group) = (config.head_dim, head * config.key_heads / config.heads);
    let rows = |weight: &DMatrix<f32>, first: usize| weight.rows(first * k, k).map(f64::from);
    let scale = match config.score_scale {
        ScoreScale::Factor(scale) => scale,
        ScoreScale::One => 1.0,
        _ => 1.0 / (k as f64).sqrt(),
    };
    let a = rows(&part.key.weight, group).transpose() * rows(&part.query.weight, head) * scale;
    let vo = part.output.weight.columns(head * k, k).map(f64::from) * rows(&part.value.weight, group);
    [part.qk_gains.is_none().then(|| largest_singular_value(&a)), Some(largest_singular_value(&vo))]
}

fn check(name: &str, found: Option<f64>, expected: Option<f64>, tolerance: f64) {
    let is_near = match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        (found, expected) => found.is_none() && expected.is_none(),
    };
    assert!(is_near, "{name}: {found:?} for {expected:?}");
}

#[test]
fn the_numbers_of_heads_are_those_of_their_definitions_in_models_with_drawn_settings() {
    const OF_ATTENTION: [Statistic; 3] = [Statistic::MaxLogit, Statistic::EntropyMean, Statistic::EntropyMin];
    const OF_WEIGHTS: [Statistic; 2] = [Statistic::ANorm, Statistic::VoNorm];
    let mut absent = 0;
    for seed in 0..123 {
        let model = plain::drawn(ModelConfig::from_json(&plain::config(seed)).expect("a config"), seed);
        let mut random = Random::new(seed, Stream::StartVector);
        // An offset that all tokens have in common is left out of the scores that the engine computes. Beside a sink it is not,
        // and takes all weight from the tokens.
        let has_sinks = !model.blocks[LAYER].attention.sinks.is_empty();
        let (offset, tolerance) = if seed % 2 == 0 || has_sinks { (0.0, 1e-11) } else { (40.0, 1e-7) };
        let tokens = DMatrix::from_fn(model.config.d, N, |_, _| offset + random.normal());
        let order = if seed % 5 == 0 { Order::Free } else { model.config.mask };
        let options = LanczosOptions::default();
        let last = model.config.heads - 1;
        for which in [Heads::All, Heads::One(last)] {
            let place = (LAYER, MapKind::Attention, which);
            let found = ProbedMap::new(&model, place, (&tokens, order), (options, &Statistic::ALL)).expect("finite");
            let heads: Vec<usize> = if which == Heads::All { (0..=last).collect() } else { vec![last] };
            assert_eq!(found.heads.len(), heads.len());
            for (HeadStatistics { sink, numbers }, head) in found.heads.iter().zip(heads) {
                let name = format!("seed {seed}, {}, {which:?}, head {head}", model.config.family.name());
                let (of_attention, column) = expected(&model, order, head, &tokens);
                check(&format!("{name}, sink"), Some(*sink), Some(column), tolerance);
                let of_weights = weight_norms(&model, head);
                absent += usize::from(of_weights[0].is_none());
                let all = OF_ATTENTION.into_iter().zip(of_attention).chain(OF_WEIGHTS.into_iter().zip(of_weights));
                for (statistic, expected) in all {
                    check(&format!("{name}, {}", statistic.id()), numbers.get(statistic), expected, tolerance);
                }
            }
            check_together(seed, &found);
        }
    }
    assert!(absent > 20, "{absent} heads with normalised queries");
}

/// The numbers of all heads together are the largest, the mean or the smallest.
fn check_together(seed: u64, found: &ProbedMap) {
    let of_heads = |statistic| found.heads.iter().filter_map(move |head| head.numbers.get(statistic));
    let most = |statistic| of_heads(statistic).reduce(f64::max);
    let mean = of_heads(Statistic::EntropyMean).sum::<f64>() / found.heads.len() as f64;
    let together = found.estimate.statistics;
    for statistic in [Statistic::MaxLogit, Statistic::ANorm, Statistic::VoNorm] {
        assert_eq!(together.get(statistic), most(statistic), "seed {seed}, {}", statistic.id());
    }
    assert_eq!(together.get(Statistic::EntropyMin), of_heads(Statistic::EntropyMin).reduce(f64::min), "seed {seed}");
    check(&format!("seed {seed}, mean"), together.get(Statistic::EntropyMean), Some(mean), 1e-14);
    let sink = found.heads.iter().map(|head| head.sink).fold(0.0, f64::max);
    check(&format!("seed {seed}, sink"), found.estimate.sink.map(|sink| sink.mass), Some(sink), 1e-14);
}

#[test]
fn the_condition_is_the_norm_of_the_dense_jacobian_relative_to_tokens_and_output() {
    let config = ModelConfig::gpt2().resized(8, 2, 2).expect("fits");
    let model = plain::drawn(config, 5);
    let mut random = Random::new(5, Stream::StartVector);
    let tokens = DMatrix::from_fn(8, N, |_, _| random.normal());
    for kind in [MapKind::Attention, MapKind::Block, MapKind::MlpResidual] {
        let place = (LAYER, kind, Heads::All);
        let options = LanczosOptions::default();
        let found =
            ProbedMap::new(&model, place, (&tokens, Order::Causal), (options, &Statistic::ALL)).expect("finite");
        let map = LayerMap::new(&model, LAYER, kind, Heads::All).expect("a map");
        let MapAtTokens { value, mut jacobian } = map.at(&tokens, Order::Causal).expect("finite");
        let norm = largest_singular_value(&dense(&mut jacobian));
        let condition = norm * tokens.norm() / value.norm();
        check(kind.id(), found.estimate.statistics.get(Statistic::Condition), Some(condition), 1e-9);
        check(kind.id(), Some(found.output), Some(value.norm()), 1e-14);
        assert_eq!(found.heads.is_empty(), kind == MapKind::MlpResidual);
        assert_eq!(found.estimate.statistics.get(Statistic::MaxLogit).is_some(), kind.has_attention());
    }
}

#[test]
fn a_probe_measures_the_maps_of_all_layers_at_its_windows() {
    let config = ModelConfig::gpt2().resized(8, 2, 2).expect("fits");
    let needs = Needs { layers: 2, mlps: 2, ids: (0..20).collect(), positions: N };
    let model = draw_model(config, &needs, 3).expect("small");
    let ids: Vec<u32> = (0..20).collect();
    let text = PlanText {
        layers: "0,1".into(),
        heads: "all".into(),
        lengths: N.to_string(),
        windows: 2,
        mask: None,
        kind: Some(MapKind::Block),
        estimators: Estimators::Spectral,
        tolerance: 1e-9,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: vec![Statistic::Condition],
        special: Default::default(),
    };
    let plan = text.plan(&config).expect("a plan");
    let probe = Probe::new(&model, &plan, &ids).expect("a pass");
    assert_eq!(probe.places(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    for (window, layer) in probe.places() {
        let found = probe.measure((window, layer)).expect("finite");
        let span = window_span(N, window);
        let forward = ForwardPass::new(&model, Order::Causal, 2).expect("two layers");
        let tokens = forward.inputs(&[&ids[span]], MapKind::Block, &[layer]).expect("a pass").remove(0).remove(0);
        let map = LayerMap::new(&model, layer, MapKind::Block, Heads::All).expect("a map");
        let MapAtTokens { value, mut jacobian } = map.at(&tokens, Order::Causal).expect("finite");
        let norm = largest_singular_value(&dense(&mut jacobian));
        check("norm", found.estimate.spectral.map(|norm| norm.value), Some(norm), 1e-9);
        let condition = norm * tokens.norm() / value.norm();
        check("condition", found.estimate.statistics.get(Statistic::Condition), Some(condition), 1e-9);
    }
}

#[test]
fn a_number_that_does_not_apply_is_absent_with_its_reason() {
    let config =
        |model_type: &str| ModelConfig::from_json(&format!(r#"{{"model_type":"{model_type}"}}"#)).expect("one");
    let plan = |kind, model_type: &str, estimators| {
        let plan = StatisticsPlan::new(&Statistic::ALL, (kind, &config(model_type)), estimators);
        let absent = plan.absent.iter().map(|(statistic, reason)| (statistic.id(), reason.to_string()));
        assert_eq!(plan.wanted.len() + plan.absent.len(), Statistic::ALL.len());
        absent.collect::<Vec<_>>()
    };
    assert_eq!(plan(MapKind::Attention, "llama", Estimators::Both), []);
    let of_mlp = plan(MapKind::MlpResidual, "llama", Estimators::Both);
    assert_eq!(of_mlp.len(), 5);
    assert!(of_mlp.iter().all(|(_, reason)| reason == "the map mlp-residual has no attention"), "{of_mlp:?}");
    let normed = plan(MapKind::Block, "qwen3", Estimators::Released);
    let names: Vec<&str> = normed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["condition", "a_norm"]);
    assert!(normed[0].1.contains("which was not measured") && normed[1].1.contains("normalises queries"), "{normed:?}");
}
