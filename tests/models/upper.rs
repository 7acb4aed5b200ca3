//! The upper number of a cell is never below its norm and near it, for every map of every family, and its columns are
//! written, read and merged.

use lipscope_core::experiment::Order;
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::measure::UpperNumber;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::{Assurance, Failure, Lanczos, LanczosOptions, Status, largest_singular_value};
use lipscope_models::{
    Bounding, Cell, Estimate, Estimators, Heads, LayerMap, MapKind, Maps, ModelConfig, PlanText, Shard, Subject, Table,
    draw_model,
};
use nalgebra::DMatrix;

use super::families::dense;
use super::plain;

fn plan(kind: MapKind, upper: UpperNumber) -> PlanText {
    PlanText {
        layers: "1".into(),
        heads: "all".into(),
        lengths: "3,9".into(),
        windows: 2,
        mask: None,
        kind: Some(kind),
        estimators: Estimators::Spectral,
        tolerance: 3e-4,
        bounds: Bounding::Skipped,
        upper,
        statistics: Default::default(),
        special: Default::default(),
    }
}

/// The table of a plan over a text of seven words, of a model with drawn weights.
fn measured(config: ModelConfig, words: &PlanText) -> Table {
    let ids: Vec<u32> = (0..40).map(|at| at % 7).collect();
    let plan = words.plan(&config).expect("a plan");
    let batches = plan.batches(Shard { index: 0, count: 1 });
    let model = draw_model(config, &plan.needs(&ids, &batches), 3).expect("small");
    let maps = Maps::new(&plan, model).expect("two layers");
    let mut table = Table::new(Subject::of("m", "t", &plan));
    for batch in batches {
        table.rows.extend(maps.measure(&ids, &batch, |_| true).expect("measured"));
    }
    table
}

fn config(seed: u64) -> ModelConfig {
    ModelConfig::from_json(&plain::config(seed)).expect("a config")
}

#[test]
fn every_map_of_every_family_has_an_upper_number_near_its_norm() {
    let (mut worst, mut count) = (0.0f64, 0);
    for seed in 0..60 {
        let config = config(seed);
        for kind in MapKind::ALL {
            let table = measured(config, &plan(kind, UpperNumber::Included));
            for (Cell { n, window, .. }, Estimate { spectral, upper, .. }) in &table.rows {
                let (norm, upper) = (spectral.expect("asked for").value, upper.expect("asked for"));
                let what = format!("seed {seed} {} {kind:?} n = {n} {window}", config.family.name());
                assert_eq!(upper.failure, 1e-9, "{what}");
                assert!(upper.value >= norm, "{what}: {upper:?} {norm}");
                worst = worst.max(upper.value / norm);
                count += 1;
            }
        }
    }
    println!("{count} cells, the largest ratio of upper number to norm: {worst}");
    assert!(count > 1000 && worst <= 1.05, "{count} {worst}");
}

#[test]
fn an_upper_number_is_at_least_the_norm_of_the_dense_jacobian() {
    for seed in 0..40 {
        let config = config(seed);
        let model = plain::drawn(config, seed);
        let mut random = Random::new(seed, Stream::Tokens);
        let tokens = DMatrix::from_fn(config.d, 5, |_, _| random.normal());
        for kind in [MapKind::Attention, MapKind::Block] {
            let map = LayerMap::new(&model, 1, kind, Heads::All).expect("a map");
            let norm = largest_singular_value(&dense(&mut map.at(&tokens, Order::Causal).expect("finite").jacobian));
            let mut jacobian = map.at(&tokens, Order::Causal).expect("finite").jacobian;
            let options = LanczosOptions { tolerance: 3e-4, ..LanczosOptions::default() };
            let mut lanczos = Lanczos::new(jacobian.n_inputs(), options).assured(Some(Assurance::default()));
            while let Status::Going { .. } = lanczos.step(&mut jacobian) {}
            let upper = lanczos.upper(Failure::RARE).expect("a drawn start").value;
            assert!(upper >= norm * (1.0 - 1e-13), "seed {seed} {kind:?}: {upper} {norm}");
        }
    }
}

#[test]
fn tables_with_and_without_upper_numbers_are_written_read_and_merged() {
    let [without, with] =
        [UpperNumber::Skipped, UpperNumber::Included].map(|upper| measured(config(3), &plan(MapKind::Block, upper)));
    assert!(!without.to_csv().expect("written").contains("upper"));
    for text in [with.to_csv().expect("written"), with.to_value().to_string()] {
        assert!(text.contains("upper") && text.contains("failure"), "{text}");
        assert_eq!(Table::parse("it", &text), Ok(Some(with.clone())));
    }
    let wanted = plan(MapKind::Block, UpperNumber::Included).plan(&config(3)).expect("a plan");
    assert!(without.rows.keys().all(|cell| wanted.is_missing(&without, cell)));
    assert!(with.rows.keys().all(|cell| !wanted.is_missing(&with, cell)));
    for (mut here, there) in [(without.clone(), with.clone()), (with.clone(), without.clone())] {
        here.merge("it.csv", there).expect("the same windows");
        assert_eq!(here, with);
    }
    let mut other = without.clone();
    for estimate in other.rows.values_mut() {
        estimate.spectral.as_mut().expect("asked for").value *= 1.01;
    }
    assert!(other.merge("it.csv", with).is_err(), "another norm is no window of the same table");
}

#[test]
fn an_upper_number_without_the_norm_is_said_to_be_missing() {
    let words = PlanText { estimators: Estimators::Released, ..plan(MapKind::Block, UpperNumber::Included) };
    let notes = words.plan(&config(3)).expect("a plan").notes();
    assert!(notes.iter().any(|note| note.to_string().contains("no upper number")), "{notes:?}");
    assert!(measured(config(3), &words).rows.values().all(|row| row.upper.is_none()));
}
