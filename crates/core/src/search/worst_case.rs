//! A whole search in one call.

use serde::{Deserialize, Serialize};

use super::prepare::wrong_restarts;
use super::{Search, SearchPlan, StartKind};
use crate::bounds::Bound;
use crate::experiment::{Experiment, InputError, TokenSource};

/// The worst tokens that a search has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstCase {
    /// The experiment at these tokens: measured, it has their other numbers.
    pub experiment: Experiment,
    /// ||J||_2 at these tokens: a lower bound on the Lipschitz constant on the region of the search.
    pub norm: f64,
    /// |J^T u - s v| / s of the norm.
    pub relative_residual: f64,
    /// How the restart that found the tokens was started.
    pub start: StartKind,
    /// All bounds on the ball that apply: no tokens of the ball have a norm above the upper ones.
    pub bounds: Vec<Bound>,
}

/// Searches for the tokens with the largest ||J||_2, by projected gradient ascent with restarts, to the end of the plan.
/// The norm that it finds is attained, so it is a **lower bound** on the Lipschitz constant on the region; it need not be
/// the largest.
///
/// # Errors
/// [`InputError`] for normalisers and token measures, which cannot be searched, for numbers of the plan that are out of
/// range, and for scores that overflow at a start.
pub fn search(plan: &SearchPlan) -> Result<WorstCase, InputError> {
    let mut search = Search::start(plan)?;
    while search.step()?.is_some() {}
    // Every plan that `start` takes has a restart, and so a step: no one sees this error.
    let mark = search.mark()?.ok_or_else(|| wrong_restarts(plan))?;
    let domain = search.domain();
    let tokens = TokenSource::Explicit(mark.best_tokens().clone());
    Ok(WorstCase {
        experiment: Experiment { tokens, ..domain.experiment.clone() },
        norm: mark.best_norm(),
        relative_residual: mark.best_residual(),
        start: mark.best_start(),
        bounds: domain.bounds.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{Norm, best_upper};
    use crate::experiment::WeightSource;
    use crate::measure::measure;

    #[test]
    fn the_norm_is_that_of_the_tokens_and_below_the_best_upper_bound() -> Result<(), InputError> {
        let tokens = TokenSource::Adversarial { n: 5, radius: 1.5 };
        let experiment = Experiment::of(tokens, WeightSource::Identity { sign: -1.0 });
        let at_start = measure(&experiment)?.spectral;
        let plan = SearchPlan { restarts: 2, iterations: 60, ..SearchPlan::of(experiment) };
        let found = search(&plan)?;
        let again = measure(&found.experiment)?.spectral;
        assert!((found.norm - again).abs() <= 1e-9 * again, "{} {again}", found.norm);
        assert!(found.norm > at_start, "{} {at_start}", found.norm);
        let upper = best_upper(&found.bounds, Norm::Spectral).and_then(|bound| bound.value).expect("sharp");
        assert!(found.norm <= upper, "{} {upper}", found.norm);
        let none = SearchPlan { restarts: 0, ..plan };
        assert!(matches!(search(&none), Err(InputError::BadValue { .. })));
        Ok(())
    }
}
