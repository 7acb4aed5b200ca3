//! The largest norm near given tokens: projected ascent where every token stays within eps of its own place.

use nalgebra::DMatrix;

use super::gradient::{gradient_at, norm_at};
use crate::experiment::{Experiment, InputError};
use crate::random::{Random, Stream};
use crate::tokens::largest_norm;
use crate::weights::Inputs;

/// How long a search near given tokens is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearbyEffort {
    /// Starts: the tokens themselves, then random ones near them.
    pub restarts: usize,
    /// The most gradient steps of each.
    pub iterations: usize,
    /// Seed of the random starts.
    pub seed: u64,
}

/// The shortest step, in units of eps.
const LEAST_STEP: f64 = 1e-4;

/// The largest ||J|| found where every token is within eps of its place (d x n): a lower bound on the largest one.
///
/// # Errors
/// [`InputError::Overflow`] if scores overflow at a start.
pub fn largest_nearby(
    experiment: &Experiment,
    inputs: &Inputs,
    eps: f64,
    effort: NearbyEffort,
) -> Result<f64, InputError> {
    let places = &inputs.tokens;
    let mut best = 0.0f64;
    for restart in 0..effort.restarts.max(1) {
        let mut random = Random::new(effort.seed, Stream::AscentStart(restart));
        let mut tokens = places.clone();
        if restart > 0 {
            tokens.iter_mut().for_each(|x| *x += eps * random.normal());
        }
        let mut tokens = near(tokens, places, eps);
        let mut triplet = norm_at(experiment, inputs, &tokens, None)?;
        let mut step = 0.5;
        for _ in 0..effort.iterations {
            let direction = gradient_at(experiment, inputs, &tokens, &triplet)?;
            let steepest = largest_norm(&direction);
            if !(steepest > 0.0 && steepest.is_finite() && step > LEAST_STEP && eps > 0.0) {
                break;
            }
            let moved = near(&tokens + direction * (step * eps / steepest), places, eps);
            match norm_at(experiment, inputs, &moved, Some(&triplet.right)) {
                Ok(there) if there.value > triplet.value => {
                    (tokens, triplet) = (moved, there);
                    step = (step * 1.6).min(2.0);
                }
                // Tokens whose norm cannot be computed count as no gain.
                _ => step *= 0.3,
            }
        }
        best = best.max(triplet.value);
    }
    Ok(best)
}

/// Every token put back to within eps of its place.
fn near(mut tokens: DMatrix<f64>, places: &DMatrix<f64>, eps: f64) -> DMatrix<f64> {
    for (mut token, place) in tokens.column_iter_mut().zip(places.column_iter()) {
        let away = &token - place;
        let distance = away.norm();
        if distance > eps {
            token.copy_from(&(place + away * (eps / distance)));
        }
    }
    tokens
}
