//! The iteration on the span of the projections gives what the iteration over tokens gives.

use lipscope_core::attention::Forward;
use lipscope_core::experiment::Experiment;
use lipscope_core::jacobian::{JacobianOperator, LinearOperator, ProjectionSpan};
use lipscope_core::measure::{Measuring, Step};
use lipscope_core::spectral::{Lanczos, LanczosOptions, singular_values};
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;

const SETTINGS: [&str; 4] =
    ["", r#","mask":"causal""#, r#","attention":"l2""#, r#","normalization":"layer","attention":"l2","mask":"causal""#];

fn experiment(n: usize, d: usize, heads: usize, output: bool, setting: &str) -> Experiment {
    let text = format!(
        r#"{{"tokens":{{"source":"random","distribution":"gaussian","n":{n},"d":{d},"radius":3,"seed":1}},
        "weights":{{"source":"random","heads":{heads},"head_dim":2,"scale":2,"seed":2,"output":{output}}}{setting}}}"#
    );
    Experiment::from_json(&text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

fn jacobian(experiment: &Experiment) -> JacobianOperator<f64> {
    let inputs = inputs(experiment).expect("inputs that fit");
    JacobianOperator::new(Forward::new(experiment, &inputs).expect("finite scores"))
}

fn dense(operator: &mut dyn LinearOperator<f64>) -> DMatrix<f64> {
    let (rows, columns) = (operator.n_outputs(), operator.n_inputs());
    let mut matrix = DMatrix::zeros(rows, columns);
    for col in 0..columns {
        let mut unit = vec![0.0; columns];
        unit[col] = 1.0;
        operator.apply(&unit, matrix.column_mut(col).as_mut_slice());
    }
    let mut transposed = DMatrix::zeros(columns, rows);
    for row in 0..rows {
        let mut unit = vec![0.0; rows];
        unit[row] = 1.0;
        operator.apply_transpose(&unit, transposed.column_mut(row).as_mut_slice());
    }
    let deviation = (&matrix - transposed.transpose()).amax();
    assert!(deviation < 1e-12 * matrix.amax(), "the adjoint is off by {deviation:e}");
    matrix
}

#[test]
fn the_operator_on_the_span_has_the_singular_values_of_the_jacobian() {
    for setting in SETTINGS {
        for (heads, output) in [(1, false), (1, true), (2, false), (2, true)] {
            let experiment = experiment(5, 20, heads, output, setting);
            let mut whole = jacobian(&experiment);
            let span = ProjectionSpan::of(whole.forward()).expect("a smaller span");
            let narrow = dense(&mut span.operator(&mut whole));
            assert_eq!(narrow.ncols(), 5 * 6 * heads);
            let (found, expected) = (singular_values(&narrow), singular_values(&dense(&mut whole)));
            let (found, expected) = (found.expect("finite"), expected.expect("finite"));
            for (at, value) in expected.iter().enumerate() {
                let on_span = found.get(at).copied().unwrap_or(0.0);
                let deviation = (on_span - value).abs();
                assert!(
                    deviation < 1e-12 * expected[0],
                    "{setting} {heads} {output}, value {at}: {on_span} for {value}"
                );
            }
        }
    }
}

#[test]
fn a_measurement_on_the_span_is_that_over_tokens_to_ten_digits() {
    for setting in SETTINGS {
        let experiment = experiment(60, 40, 1, false, setting);
        let mut measuring = Measuring::start(&experiment, Default::default()).expect("it fits");
        let found = loop {
            if let Step::Done(found) = measuring.step().expect("it is measured") {
                break found;
            }
        };
        let mut whole = jacobian(&experiment);
        let over_tokens = Lanczos::new(whole.n_inputs(), LanczosOptions::default()).run(&mut whole);
        let deviation = (found.spectral / over_tokens.value - 1.0).abs();
        assert!(deviation < 1e-10, "{setting}: {} for {}", found.spectral, over_tokens.value);
        // The right singular vector is a field over the tokens again.
        let pair = measuring.singular_pair().expect("a pair");
        let mut image = vec![0.0; whole.n_outputs()];
        whole.apply(pair.inputs.as_slice(), &mut image);
        let off = image.iter().zip(pair.outputs.iter()).map(|(x, u)| (x - pair.value * u).powi(2)).sum::<f64>().sqrt();
        assert!(off < 1e-9 * pair.value && (pair.inputs.norm() - 1.0).abs() < 1e-12, "{setting}: off by {off:e}");
    }
}

#[test]
fn there_is_no_smaller_span_of_many_projections_or_through_a_normaliser() {
    let composed = r#","normalization":"layer","normalization_scope":"composed""#;
    for experiment in [experiment(5, 6, 1, false, ""), experiment(5, 20, 1, false, composed)] {
        assert!(ProjectionSpan::of(jacobian(&experiment).forward()).is_none());
    }
}
