//! The page's context, and what ties it together: edits change the state, the state sends runs, replies fill [`Live`].

mod address;
mod hear;
mod order;
mod sweeping;

use crate::prelude::*;

use lipscope_core::bounds::{BoundId, ClusterWitness, Norm};
use lipscope_core::experiment::{Experiment, Given, InputError, TableSource, WeightTables};
use lipscope_core::measure::Measurement;
use lipscope_core::script::Dialect;
use lipscope_protocol::pool::{Order, Spare};
use lipscope_protocol::tasks::{EnginePlan, ReadPlan, ScriptPlan};

use crate::classroom::{self, Classroom};
use crate::growth::Growth;
use crate::labs::Labs;
use crate::later::Arrival;
use crate::live::{Live, Problem};
use crate::message::Message;
use crate::models::Models;
use crate::newest::Newest;
use crate::plane::Plane;
use crate::state::{LessonAt, PageState, Stage, TokenChoice, WeightChoice};
use crate::strings;
use crate::table_problem::TableAnswer;
use crate::theme::{Themes, use_themes};
use crate::train::Training;
use crate::workers::{Asked, EngineLane, EngineWorkers};

use address::Address;
use order::Ordered;

pub use address::fragment;

pub use crate::state::PlotChoice;

/// Where sentences about own data stand.
pub const PLACE_OWN: &str = "own";
/// Where sentences about own weights stand.
pub const PLACE_OWN_WEIGHTS: &str = "own-weights";
/// Where sentences about the address's link stand.
pub const PLACE_LINK: &str = "link";

/// Edits at these places are steps to which one can go back.
const STEPS: [&str; 5] = ["preset", "law", "weights", PLACE_OWN, PLACE_OWN_WEIGHTS];
/// Where the engine's worker is, beside the page.
const WORKER_URL: &str = "./worker_loader.js";
/// Texts and files up to this many bytes are read without showing a progress line: it would only flash.
const MOST_READ_AT_ONCE: usize = 200_000;

/// What every part of the page may read and do.
#[derive(Clone, Copy)]
pub struct Page {
    /// The value of every control.
    pub state: RwSignal<PageState>,
    /// Which plot is shown.
    pub plot: RwSignal<PlotChoice>,
    /// The row of the bound ladder that is told of; `None` is the measured norm.
    pub rung: RwSignal<Option<BoundId>>,
    /// Where the reader is in a lesson, if in one.
    pub lesson: RwSignal<Option<LessonAt>>,
    /// How much of the page is shown.
    pub stage: RwSignal<Stage>,
    /// Whether a slider is held.
    pub held: RwSignal<bool>,
    /// Whether the fold with own data is open.
    pub own_open: RwSignal<bool>,
    /// Whether the boxes for own matrices are shown in it.
    pub own_matrices_open: RwSignal<bool>,
    /// Whether own tokens came in whose weights the reader has not chosen yet.
    pub own_weights_asked: RwSignal<bool>,
    /// What the workers have answered.
    pub live: Live,
    /// The view over n.
    pub growth: Growth,
    /// The views of L2 attention.
    pub labs: Labs,
    /// What is measured of models.
    pub models: Models,
    /// What is trained.
    pub training: Training,
    /// What the token plane shows.
    pub plane: Plane,
    /// What the lessons hold.
    pub classroom: Classroom,
    /// Whether what comes after the first picture is here.
    pub arrival: RwSignal<Arrival>,
    /// Light or dark.
    pub themes: Themes,
    /// Whether the address says all that is shown; it does not where own data are too long for it.
    pub address_holds: RwSignal<bool>,
    /// Whether a gesture can be undone, and one be done again.
    pub undoable: RwSignal<(bool, bool)>,
    /// What the address says.
    address: StoredValue<Address>,
    /// The last of a movement, which is written when it rests.
    writing: Newest,
    /// Whether the change under way is a step to which one can go back.
    next_is_step: StoredValue<bool>,
    /// The control that was edited last.
    last_place: StoredValue<&'static str>,
    /// The sweep that begins when the controls rest.
    beginning: Newest,
    /// What a screen reader hears when the numbers rest.
    announcing: Newest,
    /// What the controls said when the last number was measured.
    last_good: StoredValue<Option<PageState>>,
    /// What the engine's workers were asked for last.
    ordered: StoredValue<Ordered>,
    engine: StoredValue<Option<EngineWorkers>, LocalStorage>,
}

/// The page's context.
pub fn use_page() -> Page {
    expect_context()
}

impl Page {
    /// Starts the workers and the effects that feed them.
    pub fn begin(arrival: Arrival) -> Self {
        let page = Page {
            state: RwSignal::new(PageState::default()),
            plot: RwSignal::new(PlotChoice::default()),
            // By name: the rows change with mask and kernel.
            rung: RwSignal::new(Some(BoundId::Sharp)),
            lesson: RwSignal::new(None),
            stage: RwSignal::new(Stage::Full),
            held: RwSignal::new(false),
            own_open: RwSignal::new(false),
            own_matrices_open: RwSignal::new(false),
            own_weights_asked: RwSignal::new(false),
            live: Live::default(),
            growth: Growth::default(),
            labs: Labs::default(),
            models: Models::default(),
            training: Training::default(),
            plane: Plane::default(),
            classroom: Classroom::default(),
            arrival: RwSignal::new(arrival),
            themes: use_themes(),
            address_holds: RwSignal::new(true),
            undoable: RwSignal::new((false, false)),
            address: StoredValue::new(Address::default()),
            writing: Newest::default(),
            next_is_step: StoredValue::new(false),
            last_place: StoredValue::new("n"),
            beginning: Newest::default(),
            announcing: Newest::default(),
            last_good: StoredValue::new(None),
            ordered: StoredValue::new(Ordered::default()),
            engine: StoredValue::new_local(None),
        };
        page.begin_address();
        let engine = EngineWorkers::on_all_cores(WORKER_URL, Spare::One, move |(event, _)| page.hear(event));
        page.engine.set_value(Some(engine.clone()));
        engine.start();
        effect(move |_| page.order());
        classroom::begin(page);
        page.begin_later();
        page
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
                self.last_place.set_value(place);
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
        self.next_is_step.set_value(true);
    }

    /// Puts a sentence at a control.
    pub fn complain(self, place: &'static str, message: impl Into<Message>) {
        if matches!(place, PLACE_OWN | PLACE_OWN_WEIGHTS) {
            // The sentence stands beside the data, which may be folded.
            self.own_open.set(true);
            self.live.own_question.set(None);
        }
        self.live.problem.set(Some(Problem { place, text: message.into() }));
    }

    /// Takes the sentence away.
    pub fn clear_problem(self) {
        if self.live.problem.with_untracked(Option::is_some) {
            self.live.problem.set(None);
            self.live.own_question.set(None);
        }
    }

    /// Tries to start the workers again.
    pub fn restart_engine(self) {
        self.live.is_down.set(false);
        self.live.status.set(None);
        self.with_engine(EngineWorkers::start);
    }

    /// Gives plans to a lane of the engine's workers, in place of what it does.
    pub fn submit(self, lane: EngineLane, plans: impl IntoIterator<Item = EnginePlan>) {
        let orders = plans.into_iter().map(|plan| Order { plan, companion: Asked::Plan });
        self.with_engine(|engine| engine.submit(lane, orders));
    }

    /// Ends what a lane of the engine's workers does.
    pub fn cancel(self, lane: EngineLane) {
        self.with_engine(|engine| engine.cancel(lane));
    }

    fn with_engine(self, work: impl FnOnce(&EngineWorkers)) {
        // A handle of its own: the work may call back into the page.
        let engine = self.engine.with_value(Clone::clone);
        if let Some(engine) = engine {
            work(&engine);
        }
    }

    /// Takes what a person gave, when a worker has read it.
    pub fn take_given(self, given: TableSource) {
        if given.bytes.len() > MOST_READ_AT_ONCE {
            self.live.own_note.set(strings::reading().into());
        }
        self.submit(EngineLane::Read, [EnginePlan::Read(ReadPlan::Any(given))]);
    }

    /// Reads again what a person gave, with the answer to what was asked about it.
    pub fn answer_question(self, answer: TableAnswer) {
        let Some(asked) = self.live.own_question.get_untracked() else { return };
        self.live.own_question.set(None);
        self.submit(EngineLane::Read, [EnginePlan::Read(asked.answered(answer))]);
    }

    /// Takes the weights of one head, when a worker has read them. They must fit tokens that are listed; tokens of a
    /// distribution take their dimension.
    pub fn take_weights(self, tables: WeightTables) {
        let d = self.state.with_untracked(PageState::listed_dim);
        self.submit(EngineLane::Read, [EnginePlan::Read(ReadPlan::Weights { tables: Box::new(tables), d })]);
    }

    /// Asks for the experiment on screen as a Python program, which is saved when it is there.
    pub fn ask_script(self, dialect: Dialect) {
        let experiment = self.shown_state().experiment();
        self.live.script_note.set(strings::writing_script().into());
        self.submit(EngineLane::Read, [EnginePlan::Script(ScriptPlan { experiment, dialect })]);
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

    fn take(self, given: Given) {
        let now = self.state.get_untracked();
        let has_weights = !matches!(given, Given::Tokens { .. });
        let (place, state, guesses) = match given {
            Given::Tokens(reading) => {
                let guesses = reading.guesses();
                (PLACE_OWN, Ok(now.with_own_tokens(reading.rows)), guesses.into_iter().collect())
            }
            Given::Experiment(experiment) => (PLACE_OWN, now.with_experiment(*experiment), Vec::new()),
            Given::Weights(reading) => (PLACE_OWN_WEIGHTS, Ok(now.with_weights(reading.weights)), reading.notes),
        };
        let is_taken = self.put(place, state);
        if is_taken {
            // Weights that the reader gave earlier need no question.
            let is_chosen = has_weights || self.state.with_untracked(|state| state.weights == WeightChoice::Own);
            self.own_weights_asked.set(!is_chosen);
        }
        let applied = |state: &PageState| strings::applied_with(state, &guesses);
        let note = if is_taken { self.state.with_untracked(applied) } else { String::new() };
        self.live.own_note.set(note);
    }

    /// Takes the best two clusters behind the last measurement as tokens; false where there are none.
    pub fn load_two_clusters(self) -> bool {
        let Some(measured) = self.live.measured.get_untracked() else { return false };
        let Some(found) = &measured.measurement.two_clusters else { return false };
        let state = self.state.get_untracked();
        self.put("law", found.token_source().map(|source| state.with_clusters(&source)))
    }

    /// Takes the tokens of a lower bound as the last measurement has them; false where there are none.
    pub fn load_witness(self, witness: impl Fn(&Measurement) -> Option<&ClusterWitness>) -> bool {
        let Some(measured) = self.live.measured.get_untracked() else { return false };
        let Some(found) = witness(&measured.measurement) else { return false };
        let state = self.state.get_untracked();
        self.put("law", found.token_source().map(|source| state.with_clusters(&source)))
    }
}
