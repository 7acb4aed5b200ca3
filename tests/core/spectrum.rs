//! Spectra of attention Jacobians against their dense matrices, and the comparison of estimators of the largest value.

use lipscope_core::attention::Forward;
use lipscope_core::estimators::{
    ESTIMATOR_TOLERANCE, Estimator, EstimatorComparison, EstimatorPlan, EstimatorPoint, Preset, Stop,
};
use lipscope_core::experiment::Experiment;
use lipscope_core::jacobian::{JacobianOperator, dense_jacobian};
use lipscope_core::measure::{Grouping, MeasureOptions, Method, measure, measure_with};
use lipscope_core::spectral::{LanczosOptions, Leading, singular_values};
use lipscope_core::spectrum::{Coverage, Finding, Places, Spectrum, SpectrumMap, SpectrumPlan, Step, TOLERANCE};
use lipscope_core::weights::inputs;
use serde_json::{Value, json};

fn experiment(value: Value) -> Experiment {
    Experiment::from_value(value).expect("valid")
}

fn random(attention: &str, mask: &str, normalization: &str, n: usize) -> Experiment {
    experiment(json!({
        "attention": attention, "mask": mask, "normalization": normalization, "normalization_scope": "composed",
        "tokens": {"source": "random", "distribution": "gaussian", "n": n, "d": 4, "radius": 2.5, "seed": 3},
        "weights": {"source": "random", "heads": 2, "head_dim": 3, "seed": 1, "output": true},
    }))
}

fn forward(experiment: &Experiment) -> Forward<f64> {
    Forward::new(experiment, &inputs(experiment).expect("inputs")).expect("a forward pass")
}

fn find(experiment: &Experiment) -> Spectrum {
    find_of(SpectrumMap::Attention, experiment)
}

fn find_of(map: SpectrumMap, experiment: &Experiment) -> Spectrum {
    let plan = SpectrumPlan { experiment: experiment.clone(), count: 20, map };
    let mut finding = Finding::start(&plan).expect("a plan");
    loop {
        if let Step::Done(spectrum) = finding.step().expect("a spectrum") {
            return *spectrum;
        }
    }
}

#[test]
fn the_leading_twenty_of_drawn_jacobians_are_those_of_the_dense_matrix() {
    for (attention, mask, normalization) in
        [("dot", "none", "none"), ("dot", "causal", "none"), ("l2", "none", "none"), ("dot", "none", "layer")]
    {
        let forward = forward(&random(attention, mask, normalization, 40));
        let dense = singular_values(&dense_jacobian(&forward)).expect("finite");
        let options = LanczosOptions { tolerance: TOLERANCE, max_iterations: 2000, max_basis: 80, seed: 0 };
        let found = Leading::new(160, 20, options).run(&mut JacobianOperator::new(forward));
        assert_eq!(found.len(), 20);
        for (triplet, expected) in found.iter().zip(&dense) {
            let error = (triplet.value / expected - 1.0).abs();
            assert!(error < 1e-10, "{attention} {mask} {normalization}: {} for {expected}", triplet.value);
            assert!(triplet.relative_residual <= 10.0 * TOLERANCE, "{}", triplet.relative_residual);
        }
    }
}

#[test]
fn the_block_of_the_leading_pair_has_the_share_computed_from_the_dense_matrix() {
    for (attention, mask, normalization) in
        [("dot", "none", "none"), ("dot", "causal", "rms"), ("l2", "none", "layer"), ("l2", "causal", "none")]
    {
        let experiment = random(attention, mask, normalization, 9);
        let spectrum = find(&experiment);
        assert_eq!((spectrum.coverage, spectrum.method), (Coverage::All, Method::DenseSvd));
        assert_eq!((spectrum.levels.len(), spectrum.size), (36, 36.0));
        let norm = measure(&experiment).expect("measured").spectral;
        assert!((spectrum.levels[0].value / norm - 1.0).abs() < 1e-12);
        let top = spectrum.top.as_ref().expect("a pair");
        let block = top.block.expect("a block");
        let jacobian = dense_jacobian(&forward(&experiment));
        let svd = jacobian.clone().svd(true, true);
        let (u, v) = (svd.u.expect("u"), svd.v_t.expect("v"));
        let at = svd.singular_values.imax();
        let mut best = (0.0, 0, 0);
        for i in 0..9 {
            let (mut output, mut input) = (0.0, 0.0);
            for j in 0..9 {
                let own = jacobian.view((4 * i, 4 * j), (4, 4));
                let (u_i, v_j) = (u.column(at).rows(4 * i, 4).into_owned(), v.row(at).columns(4 * j, 4).transpose());
                let share = u_i.dot(&(own * v_j)) / norm;
                best = if share > best.0 { (share, i, j) } else { best };
            }
            for k in 4 * i..4 * i + 4 {
                output += u[(k, at)] * u[(k, at)];
                input += v[(at, k)] * v[(at, k)];
            }
            let energy = top.energies[i];
            assert!((energy.output - output).abs() < 1e-9 && (energy.input - input).abs() < 1e-9, "{energy:?}");
        }
        assert_eq!((block.output, block.input), (best.1, best.2), "{attention} {mask} {normalization}");
        assert!((block.share - best.0).abs() < 1e-9, "{} for {}", block.share, best.0);
        assert!((block.of_output - best.0 / top.energies[best.1].output).abs() < 1e-9);
        let own = jacobian.view((4 * best.1, 4 * best.2), (4, 4)).into_owned();
        assert!((block.norm - own.singular_values()[0]).abs() < 1e-12);
    }
}

#[test]
fn equal_tokens_have_the_spectrum_of_their_list() {
    let adversarial = |n: usize| {
        experiment(json!({
            "tokens": {"source": "adversarial", "n": n, "radius": 1.5},
            "weights": {"source": "identity", "sign": -1},
        }))
    };
    let listed = find(&adversarial(600));
    let gathered = find(&adversarial(601));
    assert_eq!((listed.method, gathered.method), (Method::DenseSvd, Method::Clusters));
    assert_eq!((gathered.listed(), gathered.size), (601.0, 601.0));
    // Two values on cluster-constant fields, and one for each pair of equal tokens.
    let dense = MeasureOptions { svd_limit: 601, grouping: Grouping::Never, ..MeasureOptions::default() };
    let dense = measure_with(&adversarial(601), dense).expect("measured").singular_values.expect("all");
    let mut expanded: Vec<f64> = gathered
        .levels
        .iter()
        .flat_map(|level| std::iter::repeat_n(level.value, level.multiplicity as usize))
        .collect();
    expanded.sort_by(|a, b| b.total_cmp(a));
    for (found, expected) in expanded.iter().zip(&dense) {
        assert!((found - expected).abs() < 1e-11 * dense[0], "{found} for {expected}");
    }
    let top = gathered.top.expect("a pair");
    assert_eq!((top.places, top.energies.len()), (Places::Clusters, 2));
    let outputs: f64 = top.energies.iter().map(|energy| energy.output).sum();
    assert!((outputs - 1.0).abs() < 1e-9);
    // Clusters may stand for any number of tokens.
    let clusters = experiment(json!({
        "tokens": {"source": "clusters", "positions": [[-1], [1], [0.5]], "log_multiplicities": [0, 40, 600]},
        "weights": {"source": "identity", "sign": -1},
    }));
    let found = find(&clusters);
    assert!((found.levels[0].value / measure(&clusters).expect("measured").spectral - 1.0).abs() < 1e-12);
    assert_eq!(found.listed(), found.size);
}

#[test]
fn causal_runs_are_iterated_and_too_large_ones_give_an_error() {
    let causal = |n: usize| {
        experiment(json!({
            "mask": "causal", "tokens": {"source": "adversarial", "n": n, "radius": 1.5},
            "weights": {"source": "identity", "sign": -1},
        }))
    };
    let found = find(&causal(700));
    assert_eq!((found.method, found.coverage), (Method::CausalRuns, Coverage::Leading));
    let dense = MeasureOptions { svd_limit: 700, grouping: Grouping::Never, ..MeasureOptions::default() };
    let dense = measure_with(&causal(700), dense).expect("measured").singular_values.expect("all");
    for (level, expected) in found.levels.iter().zip(&dense) {
        assert!((level.value / expected - 1.0).abs() < 1e-9, "{level:?} for {expected}");
    }
    let block = found.top.expect("a pair").block.expect("a block");
    assert!(block.share > 0.0 && block.norm > 0.0);
    let plan = SpectrumPlan { experiment: causal(1_000_000), count: 20, map: SpectrumMap::Attention };
    let problem = Finding::start(&plan).expect_err("too large").to_string();
    assert!(problem.contains("fewer tokens"), "{problem}");
    let plan = SpectrumPlan { experiment: causal(8), count: 0, map: SpectrumMap::Attention };
    assert!(Finding::start(&plan).is_err());
}

/// The singular values of I + J from the dense Jacobian, every token on its own.
fn with_residual(experiment: &Experiment) -> Vec<f64> {
    let jacobian = dense_jacobian(&forward(experiment));
    let identity = nalgebra::DMatrix::identity(jacobian.nrows(), jacobian.ncols());
    singular_values(&(identity + jacobian)).expect("finite")
}

#[test]
fn attention_with_its_residual_has_the_singular_values_of_the_dense_identity_plus_jacobian() {
    let adversarial = |mask: &str, n: usize| {
        experiment(json!({
            "mask": mask, "tokens": {"source": "adversarial", "n": n, "radius": 1.5},
            "weights": {"source": "identity", "sign": -1},
        }))
    };
    for (experiment, method) in [
        (random("dot", "none", "none", 9), Method::DenseSvd),
        (random("l2", "causal", "layer", 9), Method::DenseSvd),
        (random("dot", "causal", "rms", 160), Method::Lanczos),
        (random("l2", "none", "none", 160), Method::Lanczos),
        (adversarial("none", 601), Method::Clusters),
        (adversarial("causal", 700), Method::CausalRuns),
    ] {
        let found = find_of(SpectrumMap::AttentionResidual, &experiment);
        assert_eq!(found.method, method);
        let levels = found.levels.iter();
        let mut expanded: Vec<f64> =
            levels.flat_map(|level| std::iter::repeat_n(level.value, level.multiplicity as usize)).collect();
        expanded.sort_by(|a, b| b.total_cmp(a));
        let dense = with_residual(&experiment);
        for (value, expected) in expanded.iter().zip(&dense) {
            assert!((value - expected).abs() < 1e-9 * dense[0], "{method:?}: {value} for {expected}");
        }
        let attention = find(&experiment).levels[0].value;
        assert!(expanded[0] <= (1.0 + attention) * (1.0 + 1e-12), "{} for {attention}", expanded[0]);
        let block = found.top.expect("a pair").block.expect("a block");
        assert!(block.share > 0.0 && block.norm > 0.0);
    }
}

#[test]
fn the_first_value_with_the_residual_is_the_largest_rate_of_change_of_tokens_plus_outputs() {
    let experiment = random("dot", "none", "layer", 7);
    let at = inputs(&experiment).expect("inputs");
    let sum_at = |tokens: &nalgebra::DMatrix<f64>| {
        let mut moved = at.clone();
        moved.tokens = tokens.clone();
        tokens + Forward::new(&experiment, &moved).expect("a forward pass").output()
    };
    let first = find_of(SpectrumMap::AttentionResidual, &experiment).levels[0].value;
    let dense = dense_jacobian(&forward(&experiment));
    let identity = nalgebra::DMatrix::identity(dense.nrows(), dense.ncols());
    let svd = (identity + dense).svd(true, true);
    let direction = svd.v_t.expect("v").row(svd.singular_values.imax()).transpose();
    let (h, (d, n)) = (1e-5, at.tokens.shape());
    let change = nalgebra::DMatrix::from_column_slice(d, n, direction.as_slice()) * h;
    let rate = (sum_at(&(&at.tokens + &change)) - sum_at(&(&at.tokens - &change))).norm() / (2.0 * h);
    assert!((rate / first - 1.0).abs() < 1e-7, "{rate} for {first}");
}

#[test]
fn a_residual_needs_outputs_of_the_tokens_dimension() {
    let experiment = experiment(json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 5, "d": 3, "radius": 1, "seed": 0},
        "weights": {"source": "random", "heads": 1, "head_dim": 2, "seed": 0},
    }));
    let plan = SpectrumPlan { experiment, count: 20, map: SpectrumMap::AttentionResidual };
    let problem = Finding::start(&plan).expect_err("2 outputs for 3 coordinates").to_string();
    assert_eq!(
        problem,
        "The dimension of the outputs is 2, but it must be 3, that of the tokens, because x + F(x) adds the two."
    );
}

fn trial(preset: Preset) -> Vec<EstimatorPoint> {
    let plan = EstimatorPlan { experiment: preset.experiment(), tolerance: ESTIMATOR_TOLERANCE };
    let mut estimators = EstimatorComparison::new(&plan).expect("a plan");
    let mut points = Vec::new();
    while let Some(point) = estimators.step(|| 0.0).expect("a point") {
        points.push(point);
    }
    points
}

fn stop(points: &[EstimatorPoint], estimator: Estimator, stop: Stop) -> &EstimatorPoint {
    let found = points.iter().find(|point| point.estimator == estimator && point.stops.contains(&stop));
    found.unwrap_or_else(|| panic!("{estimator:?} never stopped by {stop:?}"))
}

#[test]
fn every_estimator_stays_below_the_norm_and_power_iteration_only_grows() {
    for (id, preset) in Preset::ALL {
        let points = trial(preset);
        let truth = points[0].value;
        assert_eq!(points[0].estimator, Estimator::DenseSvd);
        for estimator in [Estimator::Lanczos, Estimator::Power] {
            let own: Vec<&EstimatorPoint> = points.iter().filter(|point| point.estimator == estimator).collect();
            for (at, point) in own.iter().enumerate() {
                assert_eq!(point.iteration, at + 1, "{id}");
                assert!(point.value <= truth * (1.0 + 1e-12), "{id}: {} above {truth}", point.value);
                assert!(at == 0 || point.value >= own[at - 1].value * (1.0 - 1e-14), "{id}: falls at {at}");
            }
        }
        for (estimator, products) in [(Estimator::Lanczos, 2), (Estimator::Power, 0)] {
            let last = stop(&points, estimator, Stop::Residual);
            assert!(last.is_converged() && last.error < 1e-12, "{id}: {last:?}");
            assert_eq!(last.products, 2 * last.iteration + products);
        }
    }
}

#[test]
fn an_absolute_tolerance_stops_early_where_values_are_small() {
    let points = trial(Preset::SmallValues);
    let early = stop(&points, Estimator::Power, Stop::AbsoluteChange);
    assert!(early.error > 1e-2 && !early.is_converged(), "{early:?}");
    assert!(stop(&points, Estimator::Power, Stop::RelativeChange).error < 1e-3);
}

#[test]
fn power_iteration_is_slow_for_a_small_gap_and_all_agree_for_a_large_one() {
    let products = |preset| {
        let points = trial(preset);
        let of = |estimator| stop(&points, estimator, Stop::Residual).products;
        (of(Estimator::Power), of(Estimator::Lanczos))
    };
    let (power, lanczos) = products(Preset::SmallGap);
    assert!(power >= 5 * lanczos, "{power} against {lanczos} products");
    let (power, lanczos) = products(Preset::Easy);
    assert!(power <= 2 * lanczos, "{power} against {lanczos} products");
    let gap = find(&Preset::SmallGap.experiment()).gap().expect("a gap");
    assert!(gap < 1.05, "{gap}");
}
