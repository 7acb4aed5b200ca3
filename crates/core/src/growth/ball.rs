//! The ball of an experiment: its weights and radius, independent of its tokens.

use nalgebra::DMatrix;

use crate::attention::Normalizer;
use crate::bounds::Hypotheses;
use crate::cost::{self, BASE, Cost, bounds, parts, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, Memory, Phrase, RandomTokens, TokenSource};
use crate::tokens;
use crate::weights::{Inputs, Weights, check_sizes, inputs, weights_for};

/// The number of random or adversarial tokens that are made: the ball needs no more than their dimension and radius.
const DRAWN: usize = 2;

/// The hypotheses of an experiment's weights and ball, independent of its tokens: the bounds hold for all tokens in the
/// ball, and in scope `composed` at the steepest point of the normaliser.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn hypotheses_of_ball(experiment: &Experiment) -> Result<Hypotheses, InputError> {
    let Ball { tokens, weights, radius } = Ball::of(experiment)?;
    // The slope at these tokens does not count: `for_all_tokens` replaces it by the largest slope anywhere.
    let hypotheses = Hypotheses::new(experiment, &weights, &Normalizer::none(&tokens), radius, 2f64.ln());
    Ok(hypotheses.for_all_tokens(experiment.eps))
}

/// The same hypotheses, computed within `memory`. `what` names the task that needs them; it begins the sentence that
/// refuses the task.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built, or would take more than this memory.
pub fn hypotheses_of_ball_within(
    experiment: &Experiment,
    what: Phrase,
    memory: Memory,
) -> Result<Hypotheses, InputError> {
    check_sizes(experiment)?;
    let shape = match &experiment.tokens {
        TokenSource::Random(_) | TokenSource::Adversarial { .. } => shape_of(experiment).with_tokens(DRAWN as u64),
        _ => shape_of(experiment),
    };
    cost::check(what, &shape, memory, |shape| {
        let (inputs, hypotheses) = (parts::inputs(shape), bounds::hypotheses(shape));
        let normalizers = product([3, sum([shape.inputs(), shape.n])]);
        Cost::of_numbers(sum([BASE, inputs.peak(), hypotheses.peak(), normalizers]), hypotheses.operations)
    })?;
    hypotheses_of_ball(experiment)
}

/// Weights and radius of an experiment, without its n.
pub(super) struct Ball {
    /// A few tokens of the experiment; only their dimension is used.
    pub(super) tokens: DMatrix<f64>,
    pub(super) weights: Weights,
    pub(super) radius: f64,
}

impl Ball {
    pub(super) fn of(experiment: &Experiment) -> Result<Self, InputError> {
        match &experiment.tokens {
            TokenSource::Random(random) => Ok(Ball {
                tokens: tokens::random_tokens(&RandomTokens { n: DRAWN, ..*random }),
                weights: weights_for(experiment, random.d)?,
                radius: random.radius,
            }),
            // Of a list, only the first token and the largest norm of all are needed.
            TokenSource::Explicit(rows) => {
                let tokens = tokens::listed_tokens(rows);
                Ok(Ball {
                    weights: weights_for(experiment, tokens.nrows())?,
                    radius: tokens::largest_norm(&tokens),
                    tokens: tokens.columns(0, 1).into_owned(),
                })
            }
            TokenSource::Adversarial { radius, .. } => {
                let tokens = TokenSource::Adversarial { n: DRAWN, radius: *radius };
                let Inputs { tokens, weights, .. } = inputs(&Experiment { tokens, ..experiment.clone() })?;
                Ok(Ball { tokens, weights, radius: *radius })
            }
            source @ (TokenSource::Skew { .. } | TokenSource::Clusters { .. }) => {
                let Inputs { tokens, weights, .. } = inputs(experiment)?;
                let radius = tokens::radius_of(source, &tokens);
                Ok(Ball { tokens: tokens.columns(0, 1).into_owned(), weights, radius })
            }
        }
    }
}
