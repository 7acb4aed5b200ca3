//! AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019), gradient clipping, and the
//! schedule of the learning rate.

use serde::{Deserialize, Serialize};

use super::parameters::Parameters;
use super::plan::Plan;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.99;
const EPS: f64 = 1e-8;
/// The weight decay of matrices; vectors and embeddings do not decay.
const WEIGHT_DECAY: f64 = 0.01;
/// The largest Euclidean norm of the gradient of all weights together; a larger gradient is scaled down to this norm.
const MOST_GRADIENT: f64 = 1.0;
/// The learning rate at the end, as a fraction of the largest.
const LAST_RATE: f64 = 0.1;

/// First and second moments of the gradient, matrix by matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moments {
    pub(crate) first: Vec<Vec<f32>>,
    pub(crate) second: Vec<Vec<f32>>,
}

/// The learning rate of a step, counted from 1: it rises linearly during the warm-up, then falls along a cosine to a
/// tenth of the largest at the plan's last step, and stays there.
#[must_use]
pub fn learning_rate(plan: &Plan, step: usize) -> f64 {
    if step <= plan.warm_up {
        return plan.learning_rate * step as f64 / plan.warm_up as f64;
    }
    let rest = (plan.steps - plan.warm_up).max(1) as f64;
    let done = ((step - plan.warm_up) as f64 / rest).min(1.0);
    let cosine = 0.5 * (1.0 + libm::cos(std::f64::consts::PI * done));
    plan.learning_rate * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
}

impl Moments {
    pub(crate) fn zero(parameters: &Parameters) -> Self {
        let zeros = || parameters.iter().map(|parameter| vec![0.0; parameter.values.len()]).collect();
        Moments { first: zeros(), second: zeros() }
    }

    /// Changes the weights by one step, counted from 1. A gradient with an entry that is not finite changes nothing.
    pub(crate) fn update(&mut self, parameters: &mut Parameters, gradients: &[Vec<f32>], rate: f64, step: usize) {
        let squares: f64 = gradients.iter().flatten().map(|g| f64::from(*g) * f64::from(*g)).sum();
        if !squares.is_finite() {
            return;
        }
        let clip = (MOST_GRADIENT / squares.sqrt()).min(1.0) as f32;
        let root = |beta: f64| 1.0 - libm::pow(beta, step as f64);
        let size = (rate / root(BETA_1)) as f32;
        let second_scale = (1.0 / root(BETA_2)) as f32;
        let (beta_1, beta_2, eps) = (BETA_1 as f32, BETA_2 as f32, EPS as f32);
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((parameter, gradient), (first, second)) in parameters.iter_mut().zip(gradients).zip(moments) {
            let decays = parameter.rows > 1 && !matches!(parameter.name.as_str(), "embedding" | "position");
            let keep = if decays { (1.0 - rate * WEIGHT_DECAY) as f32 } else { 1.0 };
            let entries = parameter.values.iter_mut().zip(gradient).zip(first.iter_mut().zip(second));
            for ((value, gradient), (first, second)) in entries {
                let gradient = clip * gradient;
                *first = beta_1 * *first + (1.0 - beta_1) * gradient;
                *second = beta_2 * *second + (1.0 - beta_2) * gradient * gradient;
                *value = *value * keep - size * *first / ((*second * second_scale).sqrt() + eps);
            }
        }
    }
}
