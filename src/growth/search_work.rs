//! Starts, pauses and continues a search, and uses its result.

use crate::prelude::*;

use std::sync::Arc;

use crate::live::SearchFound;
use crate::page::{PLACE_OWN, PlotChoice};
use crate::phase::Phase;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use crate::workers::{EngineLane, EngineNews};
use lipscope_core::experiment::{Experiment, Normalization, TokenSource};
use lipscope_core::search::{SearchCheckpoint, SearchPlan};
use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, SearchEvent, SearchRequest};

use super::context::Growth;
use super::search_run::SearchRun;

/// The most iterations from one start.
const ITERATIONS: usize = 400;

/// Pauses the search when its view leaves the screen: others may need the worker.
pub fn begin(growth: Growth) {
    effect(move |_| {
        if growth.page.plot.get() != PlotChoice::Growth {
            growth.pause_search();
        }
    });
}

/// Whether the search has its own dimension: the adversarial tokens of A = I and A = -I lie in any dimension.
pub fn has_own_dim(state: &PageState) -> bool {
    state.tokens == TokenChoice::Adversarial
        && matches!(state.weights, WeightChoice::IdentityPlus | WeightChoice::IdentityMinus)
}

fn plan(state: &PageState) -> Result<SearchPlan, &'static str> {
    let settings = state.growth.search;
    match state.tokens {
        TokenChoice::Skew => Err(strings::search_skew()),
        TokenChoice::Clusters => Err(strings::search_clusters()),
        _ if state.normalization != Normalization::None => Err(strings::search_normalized()),
        _ => Ok(SearchPlan {
            experiment: state.experiment(),
            region: settings.region,
            dim: has_own_dim(state).then_some(settings.dim),
            restarts: settings.restarts,
            iterations: ITERATIONS,
            seed: settings.seed,
        }),
    }
}

/// The state as far as a search depends on it.
pub fn searched_state(state: &PageState) -> PageState {
    PageState { head_shown: 0, norm: PageState::default().norm, ..state.for_measuring() }
}

impl Growth {
    /// Begins a search with the controls as they are.
    pub fn start_search(self) {
        let state = self.page.state.get_untracked();
        match plan(&state) {
            Ok(plan) => {
                self.search.update(|run| run.begin(plan.clone(), searched_state(&state)));
                self.submit_search(plan, None);
            }
            Err(why) => {
                self.page.cancel(EngineLane::Search);
                self.search.update(|run| run.phase = Phase::Failed(why.to_owned()));
            }
        }
    }

    /// Pauses the search.
    pub fn pause_search(self) {
        self.halt_search(Phase::Paused);
    }

    /// Stops the search for good; its result stays.
    pub fn stop_search(self) {
        self.halt_search(Phase::Stopped);
        self.search.update(|run| {
            if run.phase == Phase::Paused {
                run.phase = Phase::Stopped;
            }
        });
    }

    /// Continues a paused search, or one that has more restarts now.
    pub fn resume_search(self) {
        let restarts = self.page.state.with_untracked(|state| state.growth.search.restarts);
        if !self.search.with_untracked(|run| run.can_go_on(restarts)) {
            return;
        }
        if let Some((plan, mark)) = self.search.try_update(|run| run.go_on(restarts)).flatten() {
            self.submit_search(plan, Some(Box::new(mark.as_ref().clone())));
        }
    }

    /// Loads the best tokens into the controls.
    pub fn load_searched(self) {
        let state = self.page.state.get_untracked();
        let found = self.search.with_untracked(|run| {
            let tokens = run.mark.as_ref()?.best_tokens().clone();
            Some((tokens, run.domain.clone()?, run.of.as_ref()?.for_map()))
        });
        let Some((tokens, domain, map)) = found else { return };
        let loaded = if state.for_map() == map {
            Ok(state.with_own_tokens(tokens))
        } else {
            // The controls have other weights by now: the tokens come with the weights of the search.
            let tokens = TokenSource::Explicit(tokens);
            state.with_experiment(Experiment { tokens, ..domain.experiment.clone() })
        };
        if self.page.put(PLACE_OWN, loaded) {
            self.page.live.own_note.set(self.page.state.with_untracked(strings::applied));
            self.search.update(|run| run.loaded = Some(self.page.state.with_untracked(searched_state)));
        }
    }

    /// Receives an answer of the search.
    fn hear_search(self, news: EngineNews) {
        let run = self.search;
        let content = match news {
            EngineNews::Reply(content, _) => content,
            EngineNews::GaveUp => {
                let words = strings::gave_up(EngineLane::Search).to_owned();
                return run.update(|run| run.phase = Phase::Failed(words));
            }
        };
        match content {
            Content::Event(EngineEvent::Search(SearchEvent::Domain(domain))) => {
                run.update(|run| run.domain = Some(Arc::new(*domain)));
            }
            Content::Event(EngineEvent::Search(SearchEvent::Steps { steps, checkpoint, best, .. })) => {
                run.update(|run| run.take(&steps, *checkpoint, *best));
                self.show_found();
            }
            Content::Progress(progress) => {
                let at = (progress.done as usize, progress.total.unwrap_or(0) as usize);
                run.update(|run| run.progress = at);
            }
            Content::Finished => run.update(|run| run.phase = Phase::Done),
            Content::Failed(problem) => run.update(|run| run.phase = Phase::Failed(strings::told(&problem))),
            _ => {}
        }
    }

    /// Adds the best norm to the results of searches. It replaces a smaller one of the same ball.
    fn show_found(self) {
        let found = self.search.with_untracked(|run| {
            let (mark, domain) = (run.mark.as_ref()?, run.domain.as_ref()?);
            Some(SearchFound {
                n: domain.n as f64,
                norm: mark.best_norm(),
                d: domain.d,
                radius: domain.radius,
                largest_norm: run.best.as_ref()?.largest_norm,
                map: run.of.as_ref()?.for_map(),
            })
        });
        let Some(found) = found else { return };
        let is_same =
            |old: &SearchFound| (old.n, old.d, old.radius) == (found.n, found.d, found.radius) && old.map == found.map;
        let is_known = |old: &SearchFound| is_same(old) && old.norm >= found.norm;
        if !self.page.live.searched.with_untracked(|all| all.iter().any(is_known)) {
            self.page.live.searched.update(|all| {
                all.retain(|old| !is_same(old));
                all.push(found.clone());
            });
        }
    }

    fn halt_search(self, phase: Phase) {
        if self.search.with_untracked(SearchRun::is_running) {
            self.page.cancel(EngineLane::Search);
            self.search.update(|run| run.phase = phase);
        }
    }

    fn submit_search(self, plan: SearchPlan, mark: Option<Box<SearchCheckpoint>>) {
        let plan = EnginePlan::Search(SearchRequest { plan, checkpoint: mark, starts: None });
        self.page.submit(EngineLane::Search, [plan], move |_, news| self.hear_search(news));
    }
}
