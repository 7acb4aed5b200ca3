//! The worst-case search: adversarial ascent on the norm over a ball or sphere.

use std::ops::Range;

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::picture::{TokenPicture, token_picture};
use lipscope_core::search::{Found, Search, SearchCheckpoint, SearchDomain, SearchPlan, SearchStep, cost};
use serde::{Deserialize, Serialize};

use crate::cut::cut_evenly;
use crate::envelope::Packed;
use crate::task::{Cut, Poll, Report, Task};

/// Parts per worker: some starts end long before others.
const PARTS_OF_A_WORKER: usize = 4;

/// The search, and where to resume it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRequest {
    /// The experiment, the region and the effort of the search.
    pub plan: SearchPlan,
    /// The checkpoint of an earlier search of this plan; `None` to start.
    pub checkpoint: Option<Box<SearchCheckpoint>>,
    /// The starts to run; `None` for all that the checkpoint leaves.
    pub starts: Option<Range<usize>>,
}

/// Events of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SearchEvent {
    /// R, n, d and the bounds on the ball; packed, since it holds an experiment.
    Domain(Packed<SearchDomain>),
    /// Iterations since the last event.
    Steps {
        /// The iterations, in order.
        steps: Vec<SearchStep>,
        /// A checkpoint of the search, with the best tokens.
        checkpoint: Box<SearchCheckpoint>,
        /// The current tokens.
        current: Box<TokenPicture>,
        /// The best tokens.
        best: Box<TokenPicture>,
    },
}

/// A search under way.
#[derive(Debug)]
pub struct SearchTask {
    search: Search,
    /// Index of the first start that this task runs.
    first: usize,
    has_begun: bool,
    pending: Vec<SearchStep>,
}

impl Task<Memory> for SearchTask {
    type Plan = SearchRequest;
    type Event = SearchEvent;

    fn cut(request: &SearchRequest, workers: usize) -> Vec<Cut> {
        let SearchRequest { plan, checkpoint, .. } = request;
        let first = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.restart());
        let cost = cost(plan).of_each(plan.restarts);
        let cuts = cut_evenly(&[(cost, plan.restarts.saturating_sub(first))], PARTS_OF_A_WORKER * workers);
        let from_first = |Cut { units, bytes }| Cut { units: first + units.start..first + units.end, bytes };
        cuts.into_iter().map(from_first).collect()
    }

    fn part(request: &SearchRequest, starts: &Range<usize>) -> SearchRequest {
        let SearchRequest { plan, checkpoint, .. } = request;
        SearchRequest {
            plan: SearchPlan { restarts: starts.end, ..plan.clone() },
            checkpoint: checkpoint.clone().filter(|checkpoint| checkpoint.restart() == starts.start),
            starts: Some(starts.clone()),
        }
    }

    fn follow(event: &mut SearchEvent, before: &SearchEvent) {
        let (
            SearchEvent::Steps { steps, checkpoint, current, best },
            SearchEvent::Steps { checkpoint: checkpoint_before, best: best_before, .. },
        ) = (event, before)
        else {
            return;
        };
        if checkpoint.follow(steps, checkpoint_before) == Found::Before {
            *best = best_before.clone();
            if checkpoint.is_between_restarts() {
                *current = best_before.clone();
            }
        }
    }

    fn start(request: SearchRequest, memory: &mut Memory) -> Result<Self, InputError> {
        let first = request.starts.as_ref().map_or(0, |starts| starts.start);
        // Only the first part reports the domain.
        let has_begun = first > 0 && request.checkpoint.is_none();
        let search = match request.checkpoint {
            Some(checkpoint) => Search::resume_within(&request.plan, &checkpoint, *memory)?,
            None => Search::start_within(&request.plan, *memory)?.from_restart(first),
        };
        Ok(SearchTask { search, first, has_begun, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, SearchEvent>) -> Result<Poll, InputError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            report.event(SearchEvent::Domain(Packed::of(self.search.domain())));
        }
        let step = self.search.step()?;
        let poll = if step.is_none() { Poll::Done } else { Poll::More };
        self.pending.extend(step);
        if poll == Poll::Done || report.is_due() {
            if let (Some(checkpoint), Some((best, _))) = (self.search.mark()?, self.search.best()) {
                report.event(SearchEvent::Steps {
                    steps: std::mem::take(&mut self.pending),
                    checkpoint: Box::new(checkpoint),
                    current: Box::new(token_picture(self.search.current().unwrap_or(best), None)),
                    best: Box::new(token_picture(best, None)),
                });
            }
            let (done, all) = self.search.progress();
            report.progress((done - self.first, all - self.first));
        }
        Ok(poll)
    }
}
