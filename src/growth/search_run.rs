//! The result of a search.

use std::sync::Arc;

use crate::phase::Phase;
use crate::state::PageState;
use lipscope_core::bounds::{Bound, Norm, Side};
use lipscope_core::picture::TokenPicture;
use lipscope_core::search::{SearchCheckpoint, SearchDomain, SearchPlan, SearchStep};

/// The search under way or the last one.
#[derive(Clone, Debug, Default)]
pub struct SearchRun {
    /// What is searched.
    pub plan: Option<SearchPlan>,
    /// The state of the controls when it began.
    pub of: Option<PageState>,
    /// The state of the controls after its tokens were loaded.
    pub loaded: Option<PageState>,
    /// Where it stands.
    pub phase: Phase,
    /// Finished starts, and all starts.
    pub progress: (usize, usize),
    /// R, n, d and the bounds.
    pub domain: Option<Arc<SearchDomain>>,
    /// The largest norm that each start has reached.
    pub reached: Vec<f64>,
    /// The last iteration.
    pub last: Option<SearchStep>,
    /// The checkpoint from which the search can go on.
    pub mark: Option<Arc<SearchCheckpoint>>,
    /// The best tokens.
    pub best: Option<Arc<TokenPicture>>,
}

impl SearchRun {
    /// A new search begins.
    pub fn begin(&mut self, plan: SearchPlan, of: PageState) {
        let progress = (0, plan.restarts);
        *self = SearchRun { plan: Some(plan), of: Some(of), phase: Phase::Running, progress, ..SearchRun::default() };
    }

    /// Continues the search, with `starts` starts in all; `None` without a checkpoint.
    pub fn go_on(&mut self, starts: usize) -> Option<(SearchPlan, Arc<SearchCheckpoint>)> {
        let (plan, mark) = (self.plan.as_mut()?, self.mark.clone()?);
        plan.restarts = starts.max(self.progress.0);
        self.phase = Phase::Running;
        Some((plan.clone(), mark))
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

    /// Whether the search is running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Whether the search could go on with `starts` starts in all.
    #[must_use]
    pub fn can_go_on(&self, starts: usize) -> bool {
        match self.phase {
            Phase::Paused => self.mark.is_some(),
            Phase::Done => self.mark.is_some() && starts > self.progress.0,
            _ => false,
        }
    }

    /// The lowest upper bound on the spectral norm over the ball.
    #[must_use]
    pub fn upper(&self) -> Option<&Bound> {
        let bounds = self.domain.iter().flat_map(|domain| &domain.bounds);
        let upper = bounds.filter(|bound| bound.side == Side::Upper && bound.norm == Norm::Spectral);
        upper.min_by(|a, b| a.log10.total_cmp(&b.log10))
    }
}
