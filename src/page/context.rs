//! The page's context: the settings, the reader's choices, the workers' answers, and how they are edited.

use crate::prelude::*;

use lipscope_core::bounds::{BoundId, Norm};
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::FirstNorm;

use crate::answers::{Answers, Problem, WorstKnown, worst_in_effect, worst_of_this_page};
use crate::look::Look;
use crate::query::Engine;
use crate::state::{LessonAt, PageState, PlotChoice, Scene, Settings, Stage, TokenChoice};
use crate::strings::Message;
use lipscope_plot::Kind;

use super::history::Address;

/// Where sentences about own data stand.
pub const PLACE_OWN: &str = "own";
/// Where sentences about own weights stand.
pub const PLACE_OWN_WEIGHTS: &str = "own-weights";
/// Where sentences about the address's link stand.
pub const PLACE_LINK: &str = "link";

/// Every edit at these places is a step of its own: the reader can undo it by itself.
const STEPS: [&str; 5] = ["preset", "distribution", "weights", PLACE_OWN, PLACE_OWN_WEIGHTS];

/// The context that every part of the page may read and act on.
#[derive(Clone, Copy)]
pub struct Page {
    /// The value of every control.
    pub state: RwSignal<PageState>,
    /// Which plot is shown.
    pub plot: RwSignal<PlotChoice>,
    /// What a reader chooses in the labs.
    pub settings: RwSignal<Settings>,
    /// The reader's place in a lesson; `None` outside lessons.
    pub lesson: RwSignal<Option<LessonAt>>,
    /// How much of the page is shown.
    pub stage: RwSignal<Stage>,
    /// Whether a slider is held.
    pub held: RwSignal<bool>,
    /// Which numbers the reader looks at.
    pub look: Look,
    /// The workers' answers.
    pub answers: Answers,
    /// The address, and what can be undone.
    pub address: Address,
    /// The engine's workers.
    pub engine: Engine,
}

/// The page's context.
pub fn use_page() -> Page {
    expect_context()
}

impl Page {
    /// The context of a first visit, without workers.
    pub(super) fn new(address: Address) -> Self {
        let engine = Engine::default();
        Page {
            state: RwSignal::new(PageState::default()),
            plot: RwSignal::new(PlotChoice::default()),
            settings: RwSignal::new(Settings::default()),
            lesson: RwSignal::new(None),
            stage: RwSignal::new(Stage::Full),
            held: RwSignal::new(false),
            look: Look::default(),
            answers: Answers::new(engine),
            address,
            engine,
        }
    }

    /// The state whose tokens are measured; `None` while it needs the worst tokens of a ball that is not known yet.
    pub fn in_effect(self) -> Option<PageState> {
        let state = self.state.get();
        if state.tokens != TokenChoice::Worst {
            return Some(state);
        }
        self.answers.ball.with(|facts| {
            let facts = facts.as_ref().filter(|facts| facts.is_of(&state))?;
            Some(self.answers.known.with(|known| worst_in_effect(&state, &facts.ball, known)))
        })
    }

    /// A scene for another page, which does not know what was found here: in place of the choice of the worst tokens it
    /// has a list of them, where this page alone knows them. Tracks what is known.
    pub fn for_another_page(self, scene: Scene) -> Scene {
        let listed = (scene.state.tokens == TokenChoice::Worst).then(|| {
            self.answers.ball.with(|facts| {
                let facts = facts.as_ref().filter(|facts| facts.is_of(&scene.state))?;
                self.answers.known.with(|known| worst_of_this_page(&scene.state, &facts.ball, known))
            })
        });
        match listed.flatten() {
            Some(state) => Scene { state, ..scene },
            None => scene,
        }
    }

    /// Whether the last measured number belongs to the present tokens.
    pub fn is_measured(self) -> bool {
        let Some(now) = self.in_effect() else { return false };
        self.answers.measured.with(|measured| measured.as_ref().is_some_and(|measured| measured.is_of(&now)))
    }

    /// Whether a sentence says what is wrong with the settings.
    pub fn is_refused(self) -> bool {
        self.answers.problem.with(Option::is_some)
    }

    /// Whether the number of the present tokens is on its way. It is not where the page has refused them.
    pub fn is_computing(self) -> bool {
        !self.is_measured() && !self.is_refused()
    }

    /// The norm of the present tokens, where it was found before the rest of their measurement.
    pub fn first_norm(self) -> Option<FirstNorm> {
        let now = self.in_effect()?;
        self.answers.first.with(|first| first.as_ref().filter(|first| first.is_of(&now)).map(|first| first.norm))
    }

    /// The spectral norm that was found last, how well it is known, and whether it belongs to the present state. It does
    /// not wait for the rest of its measurement.
    pub fn latest_norm(self) -> Option<((f64, Kind), bool)> {
        let is_measured = self.is_measured();
        let first = self.first_norm().filter(|_| !is_measured).map(|norm| {
            let kind = if norm.is_converged { Kind::Exact } else { Kind::LowerBound };
            ((norm.value, kind), true)
        });
        let last = || self.answers.measured.with(|measured| measured.as_ref()?.norm(Norm::Spectral));
        first.or_else(|| last().map(|norm| (norm, is_measured)))
    }

    /// Whether the number of the present tokens is missing but should arrive within a few frames: the tokens have no
    /// fault, and the last number took less to compute. Painting a picture meanwhile would hold the number back: the
    /// browser takes in no reply while it draws.
    pub fn is_number_near(self) -> bool {
        const FRAMES_MILLISECONDS: f64 = 40.0;
        let last = self.answers.measured.get_untracked();
        let took = last.map(|last| {
            let first = self.answers.first.with_untracked(|first| {
                first.as_ref().filter(|first| first.of == last.of).map(|first| first.milliseconds)
            });
            first.unwrap_or(last.milliseconds)
        });
        let is_quick = took.is_some_and(|took| took < FRAMES_MILLISECONDS);
        let is_here = || self.is_measured() || self.first_norm().is_some();
        is_quick && self.answers.problem.with_untracked(Option::is_none) && !untrack(is_here)
    }

    /// The norm that is chosen.
    pub fn norm(self) -> Norm {
        self.state.with(|state| state.norm)
    }

    /// Edits the state at a control. An impossible edit leaves the state as it is, and puts a sentence at the control.
    pub fn edit(self, place: &'static str, change: impl FnOnce(&mut PageState)) {
        let mut state = self.state.get_untracked();
        change(&mut state);
        self.put(place, Ok(state));
    }

    /// Stores a new state from a control and returns true. A state with a fault is not stored: a sentence about it then
    /// stands at the control.
    pub fn put(self, place: &'static str, state: Result<PageState, InputError>) -> bool {
        let checked = state.and_then(|state| state.check().map(|()| state));
        match checked {
            Ok(mut state) => {
                state.head_shown = state.head_shown.min(state.n_heads().saturating_sub(1));
                self.address.last_place.set_value(place);
                self.clear_problem();
                self.clear_own_note();
                if STEPS.contains(&place) {
                    self.begin_step();
                }
                self.state.set(state);
                // The effect that also makes this call may run only after the effects that draw.
                untrack(|| self.order());
                true
            }
            Err(problem) => {
                self.complain(place, problem);
                false
            }
        }
    }

    /// Makes the next change a step of its own, which the reader can undo by itself.
    pub fn begin_step(self) {
        self.address.next_is_step.set_value(true);
    }

    /// Puts a sentence at a control.
    pub fn complain(self, place: &'static str, message: impl Into<Message>) {
        self.answers.problem.set(Some(Problem { place, text: message.into() }));
    }

    /// Removes the sentence.
    pub fn clear_problem(self) {
        if self.answers.problem.with_untracked(Option::is_some) {
            self.answers.problem.set(None);
        }
    }

    /// Removes the line about the reader's own data, which is about the state before an edit.
    pub fn clear_own_note(self) {
        if self.answers.own_note.with_untracked(|note| !note.is_empty()) {
            self.answers.own_note.set(String::new());
        }
    }

    /// The state of the numbers on screen.
    pub fn shown_state(self) -> PageState {
        let measured = self.answers.measured.get_untracked();
        measured.map_or_else(|| self.state.get_untracked(), |measured| measured.state.clone())
    }

    /// Takes an experiment as the reader's own; false where the page cannot show it.
    pub fn take_experiment(self, experiment: Experiment) -> bool {
        self.put(PLACE_OWN, self.state.get_untracked().with_experiment(experiment))
    }

    /// The state with the worst tokens known at the present n and R.
    pub fn with_worst(self, worst_known: WorstKnown) -> PageState {
        let state = self.state.get_untracked();
        let ball = self.answers.ball.get_untracked().filter(|facts| facts.is_of(&state));
        worst_known(&state, ball.as_deref().map(|facts| &facts.ball))
    }

    /// Chooses the worst tokens known at the present n and R.
    pub fn load_worst(self, worst_known: WorstKnown) {
        self.put("distribution", Ok(self.with_worst(worst_known)));
    }

    /// Loads the tokens behind a lower bound in the last measurement; false where there are none.
    pub fn load_witness(self, bound: BoundId) -> bool {
        let Some(measured) = self.answers.measured.get_untracked() else { return false };
        let Some(found) = measured.measurement.witnesses.get(bound) else { return false };
        let state = self.state.get_untracked();
        self.put("distribution", found.token_source().map(|source| state.with_clusters(&source)))
    }
}
