//! Validates a plan and prepares the inputs of its search.

use nalgebra::DMatrix;

use super::cost;
use super::{MOST_ENTRIES, MOST_ITERATIONS, MOST_RESTARTS, MOST_TOKENS, SearchPlan};
use crate::experiment::Phrase;
use crate::experiment::{Experiment, Head, InputError, Memory, Normalization, Rows, TokenSource, WeightSource, limits};
use crate::phrase;
use crate::weights::{Inputs, Weights, check_sizes, inputs, weights_for};

/// Refuses experiments that cannot be searched and tasks that are too large, before anything is drawn.
pub(super) fn check_cost(plan: &SearchPlan, memory: Memory) -> Result<(), InputError> {
    let experiment = &plan.experiment;
    let conflict =
        |what: &str, problem: Phrase, fix: Phrase| Err(InputError::Conflict { what: what.into(), problem, fix });
    if experiment.normalization != Normalization::None {
        let problem = phrase!(
            "undoes_changes_search_makes",
            "undoes the changes that the search makes to the norms of the tokens"
        );
        return conflict(
            "`normalization`",
            problem,
            phrase!("use_normalization_none", "Use \"normalization\":\"none\"."),
        );
    }
    if matches!(experiment.tokens, TokenSource::Clusters { .. }) {
        let fix = phrase!("list_tokens_use_another", "List the tokens, or use another distribution.");
        return conflict(
            "`tokens.source` = \"clusters\"",
            phrase!("not_list_tokens_can", "is not a list of tokens that can move"),
            fix,
        );
    }
    if !(1..=MOST_RESTARTS).contains(&plan.restarts) {
        return Err(wrong_restarts(plan));
    }
    if !(1..=MOST_ITERATIONS).contains(&plan.iterations) {
        let key = phrase!("iterations", "The number of iterations");
        return Err(wrong_count(key, plan.iterations, MOST_ITERATIONS));
    }
    check_sizes(experiment)?;
    let shape = cost::shape(plan);
    if shape.n < 2 {
        return Err(InputError::OneToken);
    }
    for (what, found, most) in [
        (phrase!("number_tokens", "The number of tokens"), shape.n, MOST_TOKENS),
        (phrase!("n_times_d", "n times d"), shape.inputs(), MOST_ENTRIES),
    ] {
        if found > most as u64 {
            return Err(InputError::TooLarge {
                what: phrase!("of_search", "{what} of a search", what = what),
                found: found.to_string().into(),
                limit: most.to_string().into(),
                fix: phrase!("use_fewer_tokens_dimensions", "Use fewer tokens or dimensions."),
            });
        }
    }
    crate::cost::check(phrase!("search", "The search"), &shape, memory, |shape| {
        cost::of_shape(shape, plan.restarts, plan.iterations)
    })
}

/// The error for a plan whose number of restarts is out of range.
pub(super) fn wrong_restarts(plan: &SearchPlan) -> InputError {
    wrong_count(phrase!("restarts", "The number of restarts"), plan.restarts, MOST_RESTARTS)
}

fn wrong_count(key: Phrase, found: usize, most: usize) -> InputError {
    let expected = phrase!("whole_number_from_1", "a whole number from 1 to {most}", most = most);
    InputError::bad_value(key, found.to_string(), expected)
}

/// The inputs, and the experiment with its tokens listed; where the tokens bring weights of their own, those are listed
/// too.
pub(super) fn prepared(plan: &SearchPlan) -> Result<(Inputs, Experiment), InputError> {
    let experiment = &plan.experiment;
    let mut inputs = inputs(experiment)?;
    let (own, n) = inputs.tokens.shape();
    if let Some(d) = plan.dim.filter(|d| *d != own) {
        let is_any = matches!(experiment.weights, Some(WeightSource::Identity { .. }));
        if d < own || !is_any || matches!(experiment.tokens, TokenSource::Skew { .. }) {
            let problem = phrase!("not_tokens", "is not that of the tokens, {own}", own = own);
            let fix = phrase!(
                "leave_out_only_identity",
                "Leave it out; only identity weights take more dimensions than the tokens have."
            );
            return Err(InputError::Conflict { what: phrase!("dimension", "The dimension {d}", d = d), problem, fix });
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
    let heads = weights.heads.iter().map(|head| {
        Ok(Head { q: matrix("Q", &head.q)?, k: matrix("K", &head.k)?, v: matrix("V", &head.v)?, second: None })
    });
    let output = weights.output.as_ref().map(|output| matrix("O", output)).transpose()?;
    Ok(WeightSource::Explicit { heads: heads.collect::<Result<_, InputError>>()?, shared: Vec::new(), output })
}

/// Tokens (d x n) as rows, one per token.
pub(super) fn rows(tokens: &DMatrix<f64>) -> Result<Rows, InputError> {
    Rows::new(phrase!("tokens", "The tokens"), tokens.nrows(), tokens.as_slice().to_vec())
}
