//! Validates a plan and prepares the inputs of its search.

use nalgebra::DMatrix;

use super::cost;
use super::{MOST_ENTRIES, MOST_ITERATIONS, MOST_RESTARTS, MOST_TOKENS, SearchPlan};
use crate::experiment::{Experiment, Head, InputError, Memory, Normalization, Rows, TokenSource, WeightSource, limits};
use crate::tokens::largest_norm;
use crate::weights::{Inputs, Weights, check_sizes, inputs, weights_for};

/// R: the radius of the tokens' distribution, or the largest norm of listed tokens.
pub(super) fn radius_of(source: &TokenSource, tokens: &DMatrix<f64>) -> f64 {
    match source {
        TokenSource::Random(law) => law.radius,
        TokenSource::Adversarial { radius, .. } | TokenSource::Skew { radius, .. } => *radius,
        TokenSource::Explicit(_) | TokenSource::Clusters { .. } => largest_norm(tokens),
    }
}

/// Refuses what cannot be searched and what is too large, before anything is drawn.
pub(super) fn check_cost(plan: &SearchPlan, memory: Memory) -> Result<(), InputError> {
    let experiment = &plan.experiment;
    let conflict = |what: &str, problem: &str, fix: &str| {
        Err(InputError::Conflict { what: what.into(), problem: problem.into(), fix: fix.into() })
    };
    if experiment.normalization != Normalization::None {
        let problem = "undoes what the search does to the norms of the tokens";
        return conflict("`normalization`", problem, "Use \"normalization\":\"none\".");
    }
    if matches!(experiment.tokens, TokenSource::Clusters { .. }) {
        let fix = "List the tokens, or use a law of tokens.";
        return conflict("`tokens.source` = \"clusters\"", "is no list of tokens that could move", fix);
    }
    for (key, found, most) in
        [("the restarts", plan.restarts, MOST_RESTARTS), ("the iterations", plan.iterations, MOST_ITERATIONS)]
    {
        if !(1..=most).contains(&found) {
            return Err(InputError::bad_value(key, &found.to_string(), format!("a whole number from 1 to {most}")));
        }
    }
    check_sizes(experiment)?;
    let shape = cost::shape(plan);
    if shape.n < 2 {
        return Err(InputError::OneToken);
    }
    for (what, found, most) in
        [("The number of tokens", shape.n, MOST_TOKENS), ("n times d", shape.inputs(), MOST_ENTRIES)]
    {
        if found > most as u64 {
            return Err(InputError::TooLarge {
                what: format!("{what} of a search"),
                found: found.to_string(),
                limit: most.to_string(),
                fix: "Use fewer tokens or dimensions.".into(),
            });
        }
    }
    crate::cost::check("The search", &shape, memory, |shape| cost::of_shape(shape, plan.restarts, plan.iterations))
}

/// The inputs, and the experiment with its tokens listed; where its tokens bring weights of their own, those are listed too.
pub(super) fn prepared(plan: &SearchPlan) -> Result<(Inputs, Experiment), InputError> {
    let experiment = &plan.experiment;
    let mut inputs = inputs(experiment)?;
    let (own, n) = inputs.tokens.shape();
    if let Some(d) = plan.dim.filter(|d| *d != own) {
        let is_any = matches!(experiment.weights, Some(WeightSource::Identity { .. }));
        if d < own || !is_any || matches!(experiment.tokens, TokenSource::Skew { .. }) {
            let problem = format!("is not that of the tokens, {own}");
            let fix = "Leave it out; identity weights take more dimensions than the tokens have.";
            return Err(InputError::Conflict { what: format!("The dimension {d}"), problem, fix: fix.into() });
        }
        limits::check_tokens(n, d)?;
        inputs =
            Inputs { tokens: inputs.tokens.resize_vertically(d, 0.0), weights: weights_for(experiment, d)?, ..inputs };
    }
    let weights = match experiment.tokens {
        TokenSource::Skew { .. } => Some(listed_weights(&inputs.weights)?),
        _ => experiment.weights.clone(),
    };
    let tokens = TokenSource::Explicit(rows(&inputs.tokens)?);
    Ok((inputs, Experiment { tokens, weights, ..experiment.clone() }))
}

fn listed_weights(weights: &Weights) -> Result<WeightSource, InputError> {
    let matrix =
        |what: &str, matrix: &DMatrix<f64>| Rows::new(what, matrix.ncols(), matrix.transpose().as_slice().to_vec());
    let heads = weights
        .heads
        .iter()
        .map(|head| Ok(Head { q: matrix("Q", &head.q)?, k: matrix("K", &head.k)?, v: matrix("V", &head.v)? }));
    let output = weights.output.as_ref().map(|output| matrix("O", output)).transpose()?;
    Ok(WeightSource::Explicit { heads: heads.collect::<Result<_, InputError>>()?, output })
}

/// Tokens (d x n) as rows, one per token.
pub(super) fn rows(tokens: &DMatrix<f64>) -> Result<Rows, InputError> {
    Rows::new("The tokens", tokens.nrows(), tokens.as_slice().to_vec())
}
