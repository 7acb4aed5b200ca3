//! The ball of an experiment: its weights and radius, whatever its tokens.

use nalgebra::DMatrix;

use crate::attention::Normalizer;
use crate::bounds::Hypotheses;
use crate::experiment::{Experiment, InputError, RandomTokens, TokenSource};
use crate::tokens;
use crate::weights::{Inputs, Weights, inputs, weights_for};

/// The hypotheses of an experiment's weights and ball, independent of its tokens: the bounds hold for all tokens in the
/// ball, and in scope `composed` at the steepest point of the normaliser.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn hypotheses_of_ball(experiment: &Experiment) -> Result<Hypotheses, InputError> {
    let Ball { tokens, weights, radius } = Ball::of(experiment)?;
    let normalizer = Normalizer::new(experiment.normalization, experiment.eps, &tokens);
    let hypotheses = Hypotheses::new(experiment, &weights, &normalizer, radius, 2f64.ln());
    Ok(hypotheses.for_all_tokens(experiment.eps))
}

/// Weights and radius of an experiment, without its n.
pub(super) struct Ball {
    /// A few of its tokens, for the normaliser.
    tokens: DMatrix<f64>,
    pub(super) weights: Weights,
    pub(super) radius: f64,
}

impl Ball {
    pub(super) fn of(experiment: &Experiment) -> Result<Self, InputError> {
        match &experiment.tokens {
            TokenSource::Random(law) => Ok(Ball {
                tokens: tokens::random_tokens(&RandomTokens { n: 2, ..*law }),
                weights: weights_for(experiment, law.d)?,
                radius: law.radius,
            }),
            // Of a list, only the first tokens and the largest norm of all are needed.
            TokenSource::Explicit(rows) => {
                let tokens = tokens::listed_tokens(rows);
                Ok(Ball {
                    weights: weights_for(experiment, tokens.nrows())?,
                    radius: tokens::largest_norm(&tokens),
                    tokens: tokens.columns(0, 1).into_owned(),
                })
            }
            TokenSource::Adversarial { radius, .. } => {
                let tokens = TokenSource::Adversarial { n: 2, radius: *radius };
                let Inputs { tokens, weights, .. } = inputs(&Experiment { tokens, ..experiment.clone() })?;
                Ok(Ball { tokens, weights, radius: *radius })
            }
            TokenSource::Skew { .. } | TokenSource::Clusters { .. } => {
                let Inputs { tokens, weights, .. } = inputs(experiment)?;
                let radius = tokens::largest_norm(&tokens);
                Ok(Ball { tokens: tokens.columns(0, 1).into_owned(), weights, radius })
            }
        }
    }
}
