//! The worst-case search: adversarial ascent on the norm over a ball or sphere.

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::picture::{TokenPicture, token_picture};
use lipscope_core::search::{Search, SearchCheckpoint, SearchDomain, SearchPlan, SearchStep};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// What to search, and where to go on from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRequest {
    /// What to search.
    pub plan: SearchPlan,
    /// Where a search of this plan stopped; `None` to begin.
    pub checkpoint: Option<Box<SearchCheckpoint>>,
}

/// Where the search is, and what it finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SearchEvent {
    /// R, n, d and the bounds on the ball.
    Domain(Box<SearchDomain>),
    /// Iterations since the last event.
    Steps {
        /// In order.
        steps: Vec<SearchStep>,
        /// Where the search stands: to go on from, with the best tokens.
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
    has_begun: bool,
    pending: Vec<SearchStep>,
}

impl Task<Memory> for SearchTask {
    type Plan = SearchRequest;
    type Event = SearchEvent;

    fn start(request: SearchRequest, memory: &mut Memory) -> Result<Self, InputError> {
        let search = match request.checkpoint {
            Some(checkpoint) => Search::resume_within(&request.plan, &checkpoint, *memory)?,
            None => Search::start_within(&request.plan, *memory)?,
        };
        Ok(SearchTask { search, has_begun: false, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, SearchEvent>) -> Result<Turn, InputError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            report.event(SearchEvent::Domain(Box::new(self.search.domain().clone())));
        }
        let step = self.search.step()?;
        let turn = if step.is_none() { Turn::Done } else { Turn::More };
        self.pending.extend(step);
        if turn == Turn::Done || report.is_due() {
            if let (Some(checkpoint), Some((best, _))) = (self.search.mark()?, self.search.best()) {
                report.event(SearchEvent::Steps {
                    steps: std::mem::take(&mut self.pending),
                    checkpoint: Box::new(checkpoint),
                    current: Box::new(token_picture(self.search.current().unwrap_or(best), None)),
                    best: Box::new(token_picture(best, None)),
                });
            }
            report.progress(self.search.progress());
        }
        Ok(turn)
    }
}
