//! Iterations on products in f32 against those in f64: value and residual are always those of products in f64.

use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator, SINGLE_TOLERANCE, Single};
use lipscope_core::measure::{Detail, Grouping, MeasureOptions, Measurement, measure_with, start_vector};
use lipscope_core::spectral::{Lanczos, LanczosOptions, SingularTriplet};
use lipscope_core::weights::inputs;
use lipscope_testkit::settings::SETTINGS;
use proptest::prelude::*;

fn experiment((n, d, heads, k): (usize, usize, usize, usize), radius: f64, seed: u32, setting: &str) -> Experiment {
    let text = format!(
        r#"{{"tokens":{{"source":"random","distribution":"gaussian","n":{n},"d":{d},"radius":{radius:e},"seed":{seed}}},
        "weights":{{"source":"random","heads":{heads},"head_dim":{k},"seed":{seed}}}{setting}}}"#
    );
    Experiment::from_json(&text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

fn options(tolerance: f64) -> MeasureOptions {
    MeasureOptions {
        lanczos: LanczosOptions { tolerance, ..LanczosOptions::default() },
        svd_limit: 0,
        dense_limit: 0,
        grouping: Grouping::Never,
        detail: Detail::NormOnly,
        memory: Memory::default(),
        ..MeasureOptions::default()
    }
}

fn measured(experiment: &Experiment, tolerance: f64) -> Measurement {
    measure_with(experiment, options(tolerance)).unwrap_or_else(|problem| panic!("{experiment:?}: {problem}"))
}

/// Checks a measurement at a loose tolerance against one at a tight one.
fn check(experiment: &Experiment, tolerance: f64) {
    let (found, exact) = (measured(experiment, tolerance), measured(experiment, 1e-11));
    assert!(found.warnings.is_empty() && found.relative_residual <= tolerance, "{experiment:?}: {found:?}");
    // A small residual says that a singular value is near: of two that nearly agree it may be the lower one.
    let range = (1.0 - 10.0 * tolerance) * exact.spectral..=(1.0 + 1e-12) * exact.spectral;
    assert!(range.contains(&found.spectral), "{experiment:?}: {} for {}", found.spectral, exact.spectral);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn value_and_residual_hold_in_f64(
        (n, d, heads, k) in (2usize..40, 3usize..12, 1usize..4, 1usize..6),
        (exponent, seed, setting) in (-3.0f64..3.0, 0u32..1000, 0..SETTINGS.len()),
        tolerance in prop::sample::select(vec![SINGLE_TOLERANCE, 1e-4]),
    ) {
        check(&experiment((n, d, heads, k), 10f64.powf(exponent), seed, SETTINGS[setting]), tolerance);
    }
}

#[test]
fn numbers_that_do_not_fit_f32_are_measured_in_f64() {
    // Tokens so small or large that their projections leave the range, and scores up to 1e300.
    for radius in [1e-30, 1e-20, 1e-13, 1e14, 1e20, 1e60, 1e100] {
        for setting in ["", r#","mask":"causal""#] {
            let experiment = experiment((20, 4, 1, 4), radius, 3, setting);
            assert!(forward(&experiment).single().is_none(), "R = {radius:e}");
            let (loose, tight) =
                (measured(&experiment, SINGLE_TOLERANCE), measured(&experiment, 0.99 * SINGLE_TOLERANCE));
            assert_eq!((loose.spectral, loose.iterations), (tight.spectral, tight.iterations), "R = {radius:e}");
        }
    }
    // Where projections fit but scores are far past the exponentials of f32, weights are rounded from those in f64.
    for radius in [1e4, 1e7, 1e11] {
        let experiment = experiment((20, 4, 1, 4), radius, 3, "");
        assert!(forward(&experiment).single().is_some(), "R = {radius:e}");
        check(&experiment, SINGLE_TOLERANCE);
    }
}

#[test]
fn a_tighter_tolerance_never_sees_f32() {
    // The residual of products in f32 cannot fall that far, and the steps are those of the operator in f64.
    for setting in SETTINGS {
        let experiment = experiment((40, 8, 2, 4), 2.0, 1, setting);
        let options = options(1e-7).lanczos;
        let forward = forward(&experiment);
        let mut operator = JacobianOperator::new(forward);
        let n_inputs = operator.n_inputs();
        let start = start_vector(operator.forward(), None, n_inputs, options.seed).expect("it is stored");
        let expected = Lanczos::from_vector(start, options).run(&mut operator);
        let found = measured(&experiment, 1e-7);
        assert_eq!((found.spectral, found.iterations), (expected.value, expected.iterations), "{setting}");
    }
}

#[test]
fn products_in_f32_keep_six_digits() {
    for setting in SETTINGS {
        let forward = forward(&experiment((200, 8, 2, 4), 3.0, 5, setting));
        let mut single = JacobianOperator::new(forward.single().expect("it fits"));
        let mut double = JacobianOperator::new(forward);
        let mut single = Single::new(&mut single);
        let v: Vec<f64> = (0..double.n_inputs()).map(|i| (i as f64 * 0.7).sin()).collect();
        let (mut found, mut expected) = (vec![0.0; double.n_outputs()], vec![0.0; double.n_outputs()]);
        single.apply(&v, &mut found);
        double.apply(&v, &mut expected);
        close(&found, &expected, setting);
        let (mut found_back, mut expected_back) = (v.clone(), v);
        single.apply_transpose(&expected, &mut found_back);
        double.apply_transpose(&expected, &mut expected_back);
        close(&found_back, &expected_back, setting);
    }
}

#[test]
fn an_iteration_that_overflowed_begins_anew() {
    let experiment = experiment((30, 4, 1, 4), 2.0, 2, "");
    let mut operator = JacobianOperator::new(forward(&experiment));
    let expected = measured(&experiment, 1e-11).spectral;
    let n_inputs = operator.n_inputs();
    let broken = SingularTriplet {
        value: f64::INFINITY,
        left: vec![f64::NAN; operator.n_outputs()],
        right: vec![f64::NAN; n_inputs],
        iterations: 4,
        relative_residual: f64::NAN,
    };
    let found = Lanczos::after(broken, LanczosOptions::default()).run(&mut operator);
    assert!((found.value / expected - 1.0).abs() < 1e-12, "{} for {expected}", found.value);
    assert!(found.iterations > 4);
}

fn forward(experiment: &Experiment) -> Forward<f64> {
    let inputs = inputs(experiment).expect("inputs that fit");
    Forward::new(experiment, &inputs).expect("finite scores")
}

fn close(found: &[f64], expected: &[f64], setting: &str) {
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let deviation = norm(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / norm(&mut expected.iter().copied());
    assert!(deviation < 1e-6, "{setting}: off by {deviation:e}");
    assert!(deviation > 0.0, "{setting}: as exact as f64");
}
