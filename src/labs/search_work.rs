//! Beginning a search, pausing it, going on, and what is done with what it found.

use leptos::prelude::*;

use crate::live::SearchFound;
use crate::page::{PLACE_OWN, Page, PlotChoice};
use crate::state::{PageState, SearchSettings, TokenChoice, WeightChoice};
use crate::strings;
use crate::workers::EngineLane;
use lipscope_core::experiment::{Experiment, Normalization, TokenSource};
use lipscope_core::search::{SearchCheckpoint, SearchPlan};
use lipscope_protocol::tasks::{EnginePlan, SearchRequest};

use super::Labs;
use super::run::Phase;

/// The most iterations from one start.
const ITERATIONS: usize = 400;

/// Pauses the search when it is looked at no more: others may want the worker.
pub fn begin(page: Page) {
    Effect::new(move |_| {
        if page.plot.get() != PlotChoice::Search {
            page.labs.pause_search(page);
        }
    });
}

/// Whether the search has a dimension of its own: the adversarial tokens of A = I and A = -I lie in any.
pub fn has_own_dim(state: &PageState) -> bool {
    state.tokens == TokenChoice::Adversarial
        && matches!(state.weights, WeightChoice::IdentityPlus | WeightChoice::IdentityMinus)
}

fn plan(settings: &SearchSettings, state: &PageState) -> Result<SearchPlan, &'static str> {
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

impl Labs {
    /// Begins a search with the controls as they are.
    pub fn start_search(self, page: Page) {
        let state = page.state.get_untracked();
        match self.settings.with_untracked(|settings| plan(&settings.search, &state)) {
            Ok(plan) => {
                self.search.update(|run| run.begin(plan.clone(), searched_state(&state)));
                self.submit_search(page, plan, None);
            }
            Err(why) => {
                page.cancel(EngineLane::Lab);
                self.search.update(|run| run.phase = Phase::Failed(why.to_owned()));
            }
        }
    }

    /// Stops it for a while.
    pub fn pause_search(self, page: Page) {
        self.halt_search(page, Phase::Paused);
    }

    /// Stops it for good; what was found stays.
    pub fn stop_search(self, page: Page) {
        self.halt_search(page, Phase::Stopped);
        self.search.update(|run| {
            if run.phase == Phase::Paused {
                run.phase = Phase::Stopped;
            }
        });
    }

    /// Goes on where it was paused, or with more restarts than before.
    pub fn resume_search(self, page: Page) {
        let restarts = self.settings.with_untracked(|settings| settings.search.restarts);
        if !self.search.with_untracked(|run| run.can_go_on(restarts)) {
            return;
        }
        if let Some((plan, mark)) = self.search.try_update(|run| run.go_on(restarts)).flatten() {
            self.submit_search(page, plan, Some(Box::new(mark.as_ref().clone())));
        }
    }

    /// Takes the best tokens over into the controls.
    pub fn load_searched(self, page: Page) {
        let state = page.state.get_untracked();
        let found = self.search.with_untracked(|run| {
            let tokens = run.mark.as_ref()?.best_tokens().clone();
            Some((tokens, run.setting.clone()?, run.of.as_ref()?.for_map()))
        });
        let Some((tokens, setting, map)) = found else { return };
        let loaded = if state.for_map() == map {
            Ok(state.with_own_tokens(tokens))
        } else {
            // The controls have other weights by now: these come with theirs.
            let tokens = TokenSource::Explicit(tokens);
            state.with_experiment(Experiment { tokens, ..setting.experiment.clone() })
        };
        if page.put(PLACE_OWN, loaded) {
            page.live.own_note.set(page.state.with_untracked(strings::applied));
            self.search.update(|run| run.loaded = Some(page.state.with_untracked(searched_state)));
        }
    }

    /// Puts the best norm into the plots over n.
    pub fn send_searched(self, page: Page) {
        let found = self.search.with_untracked(|run| {
            let (mark, setting) = (run.mark.as_ref()?, run.setting.as_ref()?);
            Some(SearchFound {
                n: setting.n as f64,
                norm: mark.best_norm(),
                radius: setting.radius,
                largest_norm: run.pictures.as_ref()?[1].largest_norm,
                map: run.of.as_ref()?.for_map(),
            })
        });
        if found.is_some() {
            page.live.searched.set(found);
        }
    }

    fn halt_search(self, page: Page, phase: Phase) {
        if self.search.with_untracked(super::SearchRun::is_running) {
            page.cancel(EngineLane::Lab);
            self.search.update(|run| run.phase = phase);
        }
    }

    fn submit_search(self, page: Page, plan: SearchPlan, mark: Option<Box<SearchCheckpoint>>) {
        self.tab.set_value(PlotChoice::Search);
        page.submit(EngineLane::Lab, [EnginePlan::Search(SearchRequest { plan, checkpoint: mark })]);
    }
}
