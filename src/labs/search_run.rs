//! What came of a search.

use std::sync::Arc;

use crate::state::PageState;
use lipscope_core::picture::TokenPicture;
use lipscope_core::search::{SearchCheckpoint, SearchDomain, SearchPlan, SearchStep};

use super::run::Phase;

/// The search under way or the last one.
#[derive(Clone, Debug, Default)]
pub struct SearchRun {
    /// What is searched.
    pub plan: Option<SearchPlan>,
    /// The controls it began with.
    pub of: Option<PageState>,
    /// The controls that its tokens made when they were loaded.
    pub loaded: Option<PageState>,
    /// Where it stands.
    pub phase: Phase,
    /// Restarts done, and in all.
    pub progress: (usize, usize),
    /// R, n, d and the bounds.
    pub setting: Option<Arc<SearchDomain>>,
    /// Iterations so far, thinned out where there are many.
    pub steps: Vec<SearchStep>,
    /// The last iteration.
    pub last: Option<SearchStep>,
    /// What it can be taken up from.
    pub mark: Option<Arc<SearchCheckpoint>>,
    /// The current tokens and the best ones.
    pub pictures: Option<Arc<[TokenPicture; 2]>>,
    /// Of how many iterations one is kept; a power of two, less one.
    thinned: usize,
    /// The first iteration that the worker was asked for.
    asked_from: usize,
}

/// So many iterations are kept at most: more than a plot has pixels across.
const MOST_KEPT: usize = 1200;

impl SearchRun {
    /// A new search begins.
    pub fn begin(&mut self, plan: SearchPlan, of: PageState) {
        let progress = (0, plan.restarts);
        *self = SearchRun { plan: Some(plan), of: Some(of), phase: Phase::Running, progress, ..SearchRun::default() };
    }

    /// The search goes on, with so many restarts in all; `None` where there is nothing to go on from.
    pub fn go_on(&mut self, restarts: usize) -> Option<(SearchPlan, Arc<SearchCheckpoint>)> {
        let (plan, mark) = (self.plan.as_mut()?, self.mark.clone()?);
        plan.restarts = restarts.max(self.progress.0);
        self.phase = Phase::Running;
        self.asked_from = self.last.map_or(0, |step| step.at + 1);
        Some((plan.clone(), mark))
    }

    /// The worker has begun.
    pub fn is_in(&mut self, setting: SearchDomain) {
        // A worker that took this over from one that died tells some iterations again.
        self.steps.retain(|step| step.at < self.asked_from);
        self.setting = Some(Arc::new(setting));
    }

    /// Takes iterations in.
    pub fn take(&mut self, steps: &[SearchStep], mark: SearchCheckpoint, current: TokenPicture, best: TokenPicture) {
        self.last = steps.last().copied().or(self.last);
        // The first of a restart is always kept.
        let is_kept = |thinned: usize, step: &SearchStep| step.at & thinned == 0 || step.iteration == 0;
        self.steps.extend(steps.iter().filter(|step| is_kept(self.thinned, step)));
        while self.steps.len() > MOST_KEPT && self.thinned < usize::MAX / 2 {
            self.thinned = 2 * self.thinned + 1;
            let thinned = self.thinned;
            self.steps.retain(|step| is_kept(thinned, step));
        }
        self.mark = Some(Arc::new(mark));
        self.pictures = Some(Arc::new([current, best]));
    }

    /// Whether iterations come in.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Whether it can go on, if there were so many restarts in all.
    #[must_use]
    pub fn can_go_on(&self, restarts: usize) -> bool {
        match self.phase {
            Phase::Paused => self.mark.is_some(),
            Phase::Done => self.mark.is_some() && restarts > self.progress.0,
            _ => false,
        }
    }

    /// The lowest upper and the highest lower bound on the spectral norm over the ball.
    #[must_use]
    pub fn bounds(&self) -> [Option<&lipscope_core::bounds::Bound>; 2] {
        use lipscope_core::bounds::{BoundId, Norm, Side};
        let of = |side: Side| {
            let bounds = self.setting.iter().flat_map(|setting| &setting.bounds);
            bounds.filter(move |bound| {
                // The envelope is about all lengths up to n.
                bound.side == side && bound.norm == Norm::Spectral && bound.id != BoundId::AdversarialEnvelope
            })
        };
        [
            of(Side::Upper).min_by(|a, b| a.log10.total_cmp(&b.log10)),
            of(Side::Lower).max_by(|a, b| a.log10.total_cmp(&b.log10)),
        ]
    }
}
