//! Starts, pauses and continues a search, and uses its result.

use crate::prelude::*;

use std::sync::Arc;

use crate::answers::SearchFound;
use crate::page::PLACE_OWN;
use crate::phase::Phase;
use crate::plans;
use crate::query::Answer;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::experiment::{Experiment, Normalization, TokenSource};
use lipscope_core::search::SearchPlan;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, SearchEvent, SearchRequest};

use super::context::Growth;
use super::search_run::SearchRun;

/// The most iterations from one start.
const ITERATIONS: usize = 400;

/// Whether the search has its own dimension: the adversarial tokens of A = I and A = -I lie in any dimension.
pub fn has_own_dim(state: &PageState) -> bool {
    state.tokens == TokenChoice::Adversarial
        && matches!(state.weights, WeightChoice::IdentityPlus | WeightChoice::IdentityMinus)
}

fn plan(state: &PageState) -> Result<SearchPlan, &'static str> {
    let settings = state.growth.search;
    // Tokens moved by hand are searched in the ball of the choice that they come from, as everywhere on the page.
    let drawn = state.drawn();
    match drawn.tokens {
        TokenChoice::Skew => Err(strings::search_skew()),
        TokenChoice::Clusters => Err(strings::search_clusters()),
        _ if state.normalization != Normalization::None => Err(strings::search_normalized()),
        _ => Ok(SearchPlan {
            experiment: drawn.experiment(),
            region: settings.region,
            dim: has_own_dim(state).then_some(settings.dim),
            restarts: settings.restarts,
            iterations: ITERATIONS,
            seed: settings.seed,
        }),
    }
}

impl Growth {
    /// Begins a search with the present settings of the controls.
    pub fn start_search(self) {
        let state = self.page.state.get_untracked();
        let plan = plan(&state);
        let order = |plan: &SearchPlan| {
            vec![EnginePlan::Search(SearchRequest { plan: plan.clone(), checkpoint: None, starts: None })]
        };
        let request = plan.as_ref().map(order).map_err(|why| *why);
        self.search.begin(request, move |_, _, answer| {
            if let Answer::Event(EngineEvent::Search(event)) = answer {
                self.take_search(event);
            }
        });
        if let Ok(plan) = plan {
            self.search.renewed(|run| *run = SearchRun::new(plan, state));
        }
    }

    /// Pauses the search.
    pub fn pause_search(self) {
        if untrack(|| self.search.is_running()) {
            self.search.stop(Phase::Paused);
        }
    }

    /// Stops the search for good; its result stays.
    pub fn stop_search(self) {
        if untrack(|| matches!(self.search.phase(), Phase::Running | Phase::Paused)) {
            self.search.stop(Phase::Stopped);
        }
    }

    /// Whether the search can go on: it is paused, or it is done and the controls ask for more starts. Tracks the
    /// search and the controls.
    pub fn can_go_on(self) -> bool {
        let starts = self.page.state.with(|state| state.growth.search.restarts);
        let has_mark = self.search.with(|run| run.mark.is_some());
        match self.search.phase() {
            Phase::Paused => has_mark,
            Phase::Done => has_mark && starts > self.starts_done(),
            _ => false,
        }
    }

    /// Continues a paused search, or a finished one for which the controls now ask for more starts.
    pub fn resume_search(self) {
        if !untrack(|| self.can_go_on()) {
            return;
        }
        let starts = self.page.state.with_untracked(|state| state.growth.search.restarts);
        let starts = starts.max(untrack(|| self.starts_done()));
        if let Some(rest) = self.search.try_update(|run| run.go_on(starts)).flatten() {
            self.search.go_on(vec![EnginePlan::Search(rest)]);
        }
    }

    /// Number of finished starts. Tracks it.
    pub fn starts_done(self) -> usize {
        self.search.progress().map_or(0, |progress| progress.done as usize)
    }

    /// Loads the best tokens into the controls.
    pub fn load_searched(self) {
        let state = self.page.state.get_untracked();
        let found = self.search.with_untracked(|run| {
            let tokens = run.mark.as_ref()?.best_tokens().clone();
            Some((tokens, run.domain.clone()?, plans::map(&run.of.as_ref()?.drawn())))
        });
        let Some((tokens, domain, map)) = found else { return };
        let loaded = if plans::map(&state.drawn()) == map {
            Ok(state.with_own_tokens(tokens))
        } else {
            // The controls define another map by now: the tokens come with the experiment of the search.
            let tokens = TokenSource::Explicit(tokens);
            state.with_experiment(Experiment { tokens, ..domain.experiment.clone() })
        };
        if self.page.put(PLACE_OWN, loaded) {
            self.page.answers.own_note.set(self.page.state.with_untracked(strings::applied));
            self.search.update(|run| run.loaded = Some(self.page.state.with_untracked(PageState::experiment)));
        }
    }

    fn take_search(self, event: SearchEvent) {
        match event {
            SearchEvent::Domain(domain) => self.search.renewed(|run| run.domain = domain.open().map(Arc::new)),
            SearchEvent::Steps { steps, checkpoint, best, .. } => {
                self.search.renewed(|run| run.take(&steps, *checkpoint, *best));
                self.show_found();
            }
        }
    }

    /// Adds the best norm to the results of searches. It replaces a smaller norm that a search found in the same ball.
    fn show_found(self) {
        let found = self.search.with_untracked(|run| {
            let (mark, domain) = (run.mark.as_ref()?, run.domain.as_ref()?);
            let found = SearchFound {
                n: domain.n as f64,
                norm: mark.best_norm(),
                d: domain.d,
                radius: domain.radius,
                largest_norm: run.best.as_ref()?.largest_norm,
                map: plans::map(&run.of.as_ref()?.drawn()),
            };
            Some((found, mark.best_tokens().clone()))
        });
        let Some((found, tokens)) = found else { return };
        self.page.answers.remember(&|all| all.add_found(&found.map, &tokens, found.norm));
        let is_same =
            |old: &SearchFound| (old.n, old.d, old.radius) == (found.n, found.d, found.radius) && old.map == found.map;
        let is_known = |old: &SearchFound| is_same(old) && old.norm >= found.norm;
        if !self.page.answers.searched.with_untracked(|all| all.iter().any(is_known)) {
            self.page.answers.searched.update(|all| {
                all.retain(|old| !is_same(old));
                all.push(found.clone());
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use lipscope_core::experiment::Rows;

    use super::*;

    #[test]
    fn tokens_moved_by_hand_are_searched_in_the_ball_of_the_choice_that_they_come_from() {
        let random = PageState { n: 4, radius: 2.0, ..PageState::default() };
        let rows = Rows::new("tokens", 2, [0.5, 0.0].repeat(4)).expect("numbers");
        let pasted = random.with_own_tokens(rows);
        let moved = PageState { own_from: Some(random.tokens), ..pasted.clone() };
        assert_eq!(plan(&moved).expect("a ball").experiment, random.experiment());
        assert_eq!(plan(&pasted).expect("a ball").experiment, pasted.experiment());
    }

    #[test]
    fn clusters_are_searched_where_they_are_the_worst_tokens_of_a_ball() {
        let worst = PageState { n: 4, radius: 2.0, tokens: TokenChoice::Worst, ..PageState::default() };
        let positions = Rows::new("positions", 2, vec![2.0, 0.0, -2.0, 0.0]).expect("numbers");
        let log_multiplicities = vec![0.0, 3f64.ln()];
        let moved = worst.with_worst(Some(&TokenSource::Clusters { positions, log_multiplicities }));
        assert_eq!(plan(&moved).expect("a ball").experiment, worst.experiment());
        assert!(plan(&PageState { own_from: None, ..moved }).is_err());
    }
}
