//! The data of a search.

use std::sync::Arc;

use crate::state::PageState;
use lipscope_core::bounds::{Bound, Norm, Side};
use lipscope_core::experiment::Experiment;
use lipscope_core::picture::TokenPicture;
use lipscope_core::search::{SearchCheckpoint, SearchDomain, SearchPlan, SearchStep};
use lipscope_protocol::tasks::SearchRequest;

/// The data of the search under way, or of the last one.
#[derive(Clone, Debug, Default)]
pub struct SearchRun {
    /// The plan of the search.
    pub plan: Option<SearchPlan>,
    /// The state of the controls when it began.
    pub of: Option<PageState>,
    /// The experiment of the controls after the reader loaded the search's tokens into them.
    pub loaded: Option<Experiment>,
    /// R, n and d of the tokens that are searched, and the bounds on them.
    pub domain: Option<Arc<SearchDomain>>,
    /// The largest norm that each start has reached.
    pub reached: Vec<f64>,
    /// The last iteration.
    pub last: Option<SearchStep>,
    /// The checkpoint from which the search can go on.
    pub mark: Option<Arc<SearchCheckpoint>>,
    /// The best tokens so far.
    pub best: Option<Arc<TokenPicture>>,
}

impl SearchRun {
    /// A search before its first iteration.
    pub fn new(plan: SearchPlan, of: PageState) -> Self {
        SearchRun { plan: Some(plan), of: Some(of), ..SearchRun::default() }
    }

    /// The request that continues the search, with `starts` starts in all; `None` without a checkpoint.
    pub fn go_on(&mut self, starts: usize) -> Option<SearchRequest> {
        let (plan, mark) = (self.plan.as_mut()?, self.mark.as_deref()?);
        plan.restarts = starts;
        Some(SearchRequest { plan: plan.clone(), checkpoint: Some(Box::new(mark.clone())), starts: None })
    }

    /// Whether the search began with other settings than a state has. Moving tokens by hand changes nothing, because
    /// the search takes the ball from the choice that they were moved from. Loading the tokens that the search found
    /// changes nothing either.
    #[must_use]
    pub fn is_of_other(&self, state: &PageState) -> bool {
        let is_other = self.of.as_ref().is_some_and(|of| of.drawn().experiment() != state.drawn().experiment());
        is_other && self.loaded.as_ref() != Some(&state.experiment())
    }

    /// Number of starts.
    #[must_use]
    pub fn starts(&self) -> usize {
        self.plan.as_ref().map_or(0, |plan| plan.restarts)
    }

    /// Adds iterations. Some come twice where a worker took the search over from one that died.
    pub fn take(&mut self, steps: &[SearchStep], mark: SearchCheckpoint, best: TokenPicture) {
        self.last = steps.last().copied().or(self.last);
        for step in steps {
            if self.reached.len() <= step.restart {
                self.reached.resize(step.restart + 1, 0.0);
            }
            self.reached[step.restart] = self.reached[step.restart].max(step.norm);
        }
        self.mark = Some(Arc::new(mark));
        self.best = Some(Arc::new(best));
    }

    /// Number of tokens.
    #[must_use]
    pub fn n(&self) -> Option<f64> {
        self.domain.as_ref().map(|domain| domain.n as f64)
    }

    /// The lowest upper bound on the spectral norm over the ball.
    #[must_use]
    pub fn upper(&self) -> Option<&Bound> {
        let bounds = self.domain.iter().flat_map(|domain| &domain.bounds);
        let upper = bounds.filter(|bound| bound.side == Side::Upper && bound.norm == Norm::Spectral);
        upper.min_by(|a, b| a.log10.total_cmp(&b.log10))
    }
}

#[cfg(test)]
mod tests {
    use lipscope_core::experiment::Rows;

    use super::*;
    use crate::state::TokenChoice;

    #[test]
    fn moving_tokens_by_hand_does_not_change_what_is_searched_and_other_tokens_do() {
        let random = PageState { n: 4, radius: 2.0, ..PageState::default() };
        let listed = |x: f64| random.with_own_tokens(Rows::new("tokens", 2, [x, 0.0].repeat(4)).expect("numbers"));
        let moved = |x: f64| PageState { own_from: Some(random.tokens), ..listed(x) };
        let of = |state: &PageState| SearchRun { of: Some(state.clone()), ..SearchRun::default() };
        for (began, now) in [(&random, moved(0.5)), (&moved(0.5), moved(0.7)), (&moved(0.5), random.clone())] {
            assert!(!of(began).is_of_other(&now));
        }
        let larger = PageState { radius: 3.0, ..random.clone() };
        let worst = PageState { tokens: TokenChoice::Worst, n: 5, ..random.clone() };
        for now in [larger, worst, listed(0.5), PageState { own_from: None, ..moved(0.5) }] {
            assert!(of(&random).is_of_other(&now));
            let loaded = SearchRun { loaded: Some(now.experiment()), ..of(&random) };
            assert!(!loaded.is_of_other(&now));
        }
        assert!(!SearchRun::default().is_of_other(&random), "no search has begun");
    }
}
