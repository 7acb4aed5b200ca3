//! The page's context: what is set, what is looked at, what the workers have answered, and how it is edited.

use crate::prelude::*;

use lipscope_core::bounds::{ClusterWitness, Norm};
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::Measurement;

use crate::live::{Live, Problem};
use crate::look::Look;
use crate::message::Message;
use crate::state::{LessonAt, PageState, PlotChoice, Settings, Stage, TokenChoice};

use super::history::Address;
use super::ordered::Engine;

/// Where sentences about own data stand.
pub const PLACE_OWN: &str = "own";
/// Where sentences about own weights stand.
pub const PLACE_OWN_WEIGHTS: &str = "own-weights";
/// Where sentences about the address's link stand.
pub const PLACE_LINK: &str = "link";

/// Edits at these places are steps to which one can go back.
const STEPS: [&str; 5] = ["preset", "distribution", "weights", PLACE_OWN, PLACE_OWN_WEIGHTS];

/// What every part of the page may read and do.
#[derive(Clone, Copy)]
pub struct Page {
    /// The value of every control.
    pub state: RwSignal<PageState>,
    /// Which plot is shown.
    pub plot: RwSignal<PlotChoice>,
    /// What a reader chooses in the labs.
    pub settings: RwSignal<Settings>,
    /// Where the reader is in a lesson, if in one.
    pub lesson: RwSignal<Option<LessonAt>>,
    /// How much of the page is shown.
    pub stage: RwSignal<Stage>,
    /// Whether a slider is held.
    pub held: RwSignal<bool>,
    /// What of the numbers is looked at.
    pub look: Look,
    /// What the workers have answered.
    pub live: Live,
    /// The address, and what can be undone.
    pub address: Address,
    /// The engine's workers, and what they were asked for last.
    pub(super) engine: Engine,
}

/// The page's context.
pub fn use_page() -> Page {
    expect_context()
}

impl Page {
    /// Of a first visit, without workers.
    pub(super) fn new(address: Address) -> Self {
        Page {
            state: RwSignal::new(PageState::default()),
            plot: RwSignal::new(PlotChoice::default()),
            settings: RwSignal::new(Settings::default()),
            lesson: RwSignal::new(None),
            stage: RwSignal::new(Stage::Full),
            held: RwSignal::new(false),
            look: Look::default(),
            live: Live::default(),
            address,
            engine: Engine::default(),
        }
    }

    /// The state whose tokens are measured: the worst ones of the ball are known once the ball is.
    pub fn in_effect(self) -> Option<PageState> {
        let state = self.state.get();
        if state.tokens != TokenChoice::Worst {
            return Some(state);
        }
        self.live.ball.with(|facts| {
            let facts = facts.as_ref().filter(|facts| facts.of == state.for_ball())?;
            Some(state.with_worst(facts.ball.worst.as_ref().map(|worst| &worst.tokens)))
        })
    }

    /// Whether the number that was measured last is that of the present tokens.
    pub fn is_measured(self) -> bool {
        let Some(now) = self.in_effect() else { return false };
        let now = now.for_measuring();
        self.live.measured.with(|measured| measured.as_ref().is_some_and(|measured| measured.state == now))
    }

    /// Whether the number of the present tokens should be here within a frame: nothing is wrong with them, and the last one
    /// took less than that to compute.
    pub fn is_number_near(self) -> bool {
        const FRAME_MILLISECONDS: f64 = 16.0;
        let took =
            self.live.measured.with_untracked(|measured| measured.as_ref().map(|measured| measured.milliseconds));
        let is_quick = took.is_some_and(|took| took < FRAME_MILLISECONDS);
        is_quick && self.live.problem.with_untracked(Option::is_none) && !untrack(|| self.is_measured())
    }

    /// The norm that is chosen.
    pub fn norm(self) -> Norm {
        self.state.with(|state| state.norm)
    }

    /// Edits the state at a control; an edit that cannot be leaves the state and puts a sentence there.
    pub fn edit(self, place: &'static str, change: impl FnOnce(&mut PageState)) {
        let mut state = self.state.get_untracked();
        change(&mut state);
        self.put(place, Ok(state));
    }

    /// Takes a new state, or the sentence that says why there is none, for a control.
    pub fn put(self, place: &'static str, state: Result<PageState, InputError>) -> bool {
        let checked = state.and_then(|state| state.check().map(|()| state));
        match checked {
            Ok(mut state) => {
                state.head_shown = state.head_shown.min(state.n_heads().saturating_sub(1));
                self.address.last_place.set_value(place);
                self.clear_problem();
                if STEPS.contains(&place) {
                    self.begin_step();
                }
                self.state.set(state);
                // The effect that does the same may come after those that draw.
                untrack(|| self.order());
                true
            }
            Err(problem) => {
                self.complain(place, problem);
                false
            }
        }
    }

    /// Makes the next change one to which one can go back.
    pub fn begin_step(self) {
        self.address.next_is_step.set_value(true);
    }

    /// Puts a sentence at a control.
    pub fn complain(self, place: &'static str, message: impl Into<Message>) {
        self.live.problem.set(Some(Problem { place, text: message.into() }));
    }

    /// Takes the sentence away.
    pub fn clear_problem(self) {
        if self.live.problem.with_untracked(Option::is_some) {
            self.live.problem.set(None);
        }
    }

    /// The state of the numbers on screen.
    pub fn shown_state(self) -> PageState {
        let measured = self.live.measured.get_untracked();
        measured.map_or_else(|| self.state.get_untracked(), |measured| measured.state.clone())
    }

    /// Takes an experiment as the reader's own; false where the page cannot show it.
    pub fn take_experiment(self, experiment: Experiment) -> bool {
        self.put(PLACE_OWN, self.state.get_untracked().with_experiment(experiment))
    }

    /// Takes the best two clusters behind the last measurement as tokens; false where there are none.
    pub fn load_two_clusters(self) -> bool {
        let Some(measured) = self.live.measured.get_untracked() else { return false };
        let Some(found) = &measured.measurement.two_clusters else { return false };
        let state = self.state.get_untracked();
        self.put("distribution", found.token_source().map(|source| state.with_clusters(&source)))
    }

    /// Takes the tokens of a lower bound as the last measurement has them; false where there are none.
    pub fn load_witness(self, witness: impl Fn(&Measurement) -> Option<&ClusterWitness>) -> bool {
        let Some(measured) = self.live.measured.get_untracked() else { return false };
        let Some(found) = witness(&measured.measurement) else { return false };
        let state = self.state.get_untracked();
        self.put("distribution", found.token_source().map(|source| state.with_clusters(&source)))
    }
}
