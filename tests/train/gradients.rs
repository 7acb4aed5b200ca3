//! Gradients of the loss against finite differences, in f64.

use lipscope_core::random::{Random, Stream};
use lipscope_train::{Batch, Parameters, Plan, loss, loss_and_gradients};

use crate::small;

/// The loss with one matrix moved along a direction.
fn moved(plan: &Plan, weights: &Parameters<f64>, batch: &Batch, at: usize, direction: &[f64], step: f64) -> f64 {
    let mut weights = weights.clone();
    let values = &mut weights.iter_mut().nth(at).expect("a matrix").values;
    values.iter_mut().zip(direction).for_each(|(value, direction)| *value += step * direction);
    loss(plan, &weights, batch)
}

#[test]
fn the_gradient_of_every_kind_is_that_of_finite_differences() {
    // The error of the difference quotient: rounding of the loss over the step, and the third derivative.
    const STEP: f64 = 1e-5;
    const TOLERANCE: f64 = 1e-5;
    for plan in small::all_plans() {
        let (weights, batch) = (small::weights(&plan), small::batch(&plan));
        let (value, gradients) = loss_and_gradients(&plan, &weights, &batch);
        assert!((value - loss(&plan, &weights, &batch)).abs() < 1e-12);
        let mut random = Random::new(3, Stream::Tokens);
        for (at, (parameter, gradient)) in weights.iter().zip(&gradients).enumerate() {
            let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
            assert!(length > 1e-6, "{:?} {}: the loss does not depend on it", plan.kind, parameter.name);
            let mut directions: Vec<Vec<f64>> =
                (0..3).map(|_| gradient.iter().map(|_| random.normal()).collect()).collect();
            directions.push(gradient.clone());
            for mut direction in directions {
                let scale = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
                direction.iter_mut().for_each(|x| *x /= scale);
                let slope: f64 = gradient.iter().zip(&direction).map(|(g, x)| g * x).sum();
                let at_step = |step| moved(&plan, &weights, &batch, at, &direction, step);
                let difference = (at_step(STEP) - at_step(-STEP)) / (2.0 * STEP);
                let error = (slope - difference).abs();
                let (kind, name) = (plan.kind, &parameter.name);
                assert!(error <= TOLERANCE * length, "{kind:?} {name}: {slope:e} against {difference:e} of {length:e}");
            }
        }
    }
}

#[test]
fn the_loss_in_f32_is_that_in_f64() {
    for plan in small::all_plans() {
        let weights = Parameters::draw(&plan, small::VOCABULARY);
        let batch = small::batch(&plan);
        let (single, double) = (loss(&plan, &weights, &batch), loss(&plan, &weights.to_f64(), &batch));
        assert!((single - double).abs() < 1e-5 * double, "{:?}: {single} against {double}", plan.kind);
    }
}
