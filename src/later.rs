//! What of the page comes after its first picture: the other plots, lessons, links, files.
//!
//! [`later_part`] and all that only it leads to are cut out of the page's module into one of their own (`src/main.rs`,
//! `scripts/modules.sh`), which the program fetches when it is first asked for. So what draws the first picture names nothing of
//! the later part: it has one table of functions, [`Later`].

use std::sync::OnceLock;
use std::time::Duration;

use crate::prelude::*;
use web_sys::DataTransfer;

use super::charts;
use super::classroom;
use super::controls::Controls;
use super::embed::EmbedLine;
use super::explore::ExploreFolds;
use super::growth;
use super::host;
use super::labs;
use super::lessons::{self, Lesson};
use super::link::{self, Followed, TooLong};
use super::message::Message;
use super::models;
use super::numbers::Details;
use super::own;
use super::page::{Page, PlotChoice, use_page};
use super::plane;
use super::state::Scene;
use super::strings;
use super::train;
use crate::FetchPart;
use crate::workers::EngineReply;

/// How long after the first picture the later part is fetched, so that a click finds it there.
const REST: Duration = Duration::from_millis(150);

/// What the later part does.
pub struct Later {
    /// Starts what its views need.
    pub begin: fn(Page),
    /// A plot, other than the first one.
    pub plot: fn(PlotChoice) -> AnyView,
    /// What stands under the opening view: its table, its files, the ways to its other pictures.
    pub explore_folds: fn() -> AnyView,
    /// All controls.
    pub controls: fn() -> AnyView,
    /// All numbers and the small views.
    pub details: fn() -> AnyView,
    /// Where a reader draws.
    pub guess_stage: fn() -> AnyView,
    /// The panel of the lessons.
    pub lesson_panel: fn() -> AnyView,
    /// The list of keys.
    pub key_list: fn() -> AnyView,
    /// What is in the fold with own data.
    pub own_form: fn() -> AnyView,
    /// The lesson of an id.
    pub find_lesson: fn(&str) -> Option<&'static Lesson>,
    /// Goes some steps on or back in a lesson.
    pub go_by: fn(Page, isize),
    /// The scene that a fragment says.
    pub read_link: fn(&str) -> Followed,
    /// The fragment of a scene.
    pub write_link: fn(&Scene) -> Result<String, TooLong>,
    /// What stands behind the selected number of the ladder.
    pub story: fn() -> AnyView,
    /// The folds under the first pictures.
    pub attention_folds: fn() -> AnyView,
    /// See [`Later::attention_folds`].
    pub ladder_folds: fn() -> AnyView,
    /// See [`Later::attention_folds`].
    pub plane_folds: fn() -> AnyView,
    /// The line under the plot of an embedded page.
    pub embed_line: fn() -> AnyView,
    /// Takes what is dropped where models are shown.
    pub drop_on_models: fn(Page, &DataTransfer),
    /// Takes a text that is dropped where models are trained.
    pub drop_on_training: fn(Page, &DataTransfer),
    /// Takes in what was read of what a person gave.
    pub hear_read: fn(Page, EngineReply),
    /// Takes in an answer about the curves over n.
    pub hear_growth: fn(Page, EngineReply),
    /// Takes in an answer of the search.
    pub hear_search: fn(Page, EngineReply),
    /// The search stopped its worker twice.
    pub give_up_search: fn(Page, &str),
    /// Takes in an answer of the labs' worker.
    pub hear_lab: fn(Page, EngineReply),
    /// The labs' worker stopped over something twice.
    pub give_up_lab: fn(Page, &str),
    /// A message in the page's language.
    pub message: fn(&Message) -> String,
}

static LATER: Later = Later {
    begin,
    plot,
    explore_folds: || view! { <ExploreFolds/> }.into_any(),
    controls: || view! { <Controls/> }.into_any(),
    details: || view! { <Details/> }.into_any(),
    guess_stage: || view! { <classroom::GuessStage/> }.into_any(),
    lesson_panel: || view! { <classroom::LessonPanel/> }.into_any(),
    key_list: || view! { <classroom::KeyList/> }.into_any(),
    own_form: || view! { <own::OwnForm/> }.into_any(),
    find_lesson: lessons::find,
    go_by: classroom::go_by,
    read_link: |fragment| link::read(fragment, lessons::scene_of),
    write_link: |scene| link::write(scene, lessons::scene_of),
    story: || view! { <charts::Story/> }.into_any(),
    attention_folds: || view! { <charts::AttentionFolds/> }.into_any(),
    ladder_folds: || view! { <charts::LadderFolds/> }.into_any(),
    plane_folds: || view! { <plane::PlaneTable id="token-table" take="take-tokens" canvas="token-plane"/> }.into_any(),
    embed_line: || view! { <EmbedLine/> }.into_any(),
    drop_on_models: |page, data| page.models.take_dropped(data),
    drop_on_training: |page, data| page.training.take_dropped(data),
    hear_read: Page::hear_read,
    hear_growth: |page, reply| page.growth.hear(page, reply.content),
    hear_search: |page, reply| page.growth.hear_search(page, reply.content),
    give_up_search: |page, words| page.growth.give_up(words),
    hear_lab: |page, reply| page.labs.hear(reply),
    give_up_lab: |page, words| page.labs.give_up(words),
    message: strings::message,
};

fn begin(page: Page) {
    growth::begin(page);
    labs::begin(page);
    plane::begin(page);
    charts::keep_in_sight(page);
    classroom::begin_steps(page);
    host::begin(page);
}

fn plot(choice: PlotChoice) -> AnyView {
    match choice {
        PlotChoice::Explore => ().into_any(),
        PlotChoice::Growth => view! { <growth::GrowthView/> }.into_any(),
        PlotChoice::Scaled => view! { <labs::ScalingLab/> }.into_any(),
        PlotChoice::Tightness => view! { <labs::TightnessLab/> }.into_any(),
        PlotChoice::Inverse => view! { <labs::InverseLab/> }.into_any(),
        PlotChoice::Gallery => view! { <labs::Gallery/> }.into_any(),
        PlotChoice::Reach => view! { <labs::ReachLab/> }.into_any(),
        PlotChoice::Tokens => view! { <plane::TokenStage/> }.into_any(),
        PlotChoice::Spectrum => view! { <labs::SpectrumLab/> }.into_any(),
        PlotChoice::EstimatorComparison => view! { <labs::EstimatorLab/> }.into_any(),
        PlotChoice::Model => view! { <models::ModelView/> }.into_any(),
        PlotChoice::Train => view! { <train::TrainView/> }.into_any(),
    }
}

/// The later part could not be fetched; it can be tried again.
#[derive(Clone, Copy, Debug)]
pub struct Lost;

/// The later part, as the program fetches it.
pub struct LaterPart(&'static Later);

static FETCH: OnceLock<FetchPart<LaterPart>> = OnceLock::new();

/// The later part. Only the program calls this, from the function along which it is cut: another caller would bring the later
/// part into the first module.
#[must_use]
pub fn later_part() -> LaterPart {
    LaterPart(&LATER)
}

/// Says how the later part is fetched ([`Fetch`](crate::Fetch)).
pub fn fetched_by(fetch: FetchPart<LaterPart>) {
    // The page starts once.
    let _ = FETCH.set(fetch);
}

/// Fetches the later part, unless it is here.
pub async fn fetch() -> Result<&'static Later, Lost> {
    let Some(fetch) = FETCH.get() else { return Err(Lost) };
    fetch().await.map(|part| part.0).ok_or(Lost)
}

/// Whether the later part is here.
#[derive(Clone, Copy, Default)]
pub enum Arrival {
    /// Not yet.
    #[default]
    Waiting,
    /// It is.
    Here(&'static Later),
    /// It was asked for, and did not come.
    Lost,
}

impl From<Result<&'static Later, Lost>> for Arrival {
    fn from(fetched: Result<&'static Later, Lost>) -> Self {
        fetched.map_or(Arrival::Lost, Arrival::Here)
    }
}

impl Page {
    /// The later part, if it is here.
    pub fn later(self) -> Option<&'static Later> {
        match self.arrival.get() {
            Arrival::Here(later) => Some(later),
            Arrival::Waiting | Arrival::Lost => None,
        }
    }

    /// Whether the later part is here: views of it that belong to the first ones are wanted as soon as it is.
    pub fn has_later(self) -> Signal<bool> {
        Signal::derive(move || self.later().is_some())
    }

    /// Does something with the later part: at once where it is here, else when it is. It is not done where it is lost.
    pub fn with_later(self, work: impl FnOnce(&'static Later) + 'static) {
        self.do_with_later(Box::new(work));
    }

    fn do_with_later(self, work: Box<dyn FnOnce(&'static Later)>) {
        if let Some(later) = untrack(|| self.later()) {
            return work(later);
        }
        if matches!(self.arrival.get_untracked(), Arrival::Lost) {
            self.arrival.set(Arrival::Waiting);
        }
        spawn_local(async move {
            let fetched = fetch().await;
            // Others may have waited for it too.
            if untrack(|| self.later()).is_none() {
                self.arrival.set(fetched.into());
            }
            if let Ok(later) = fetched {
                work(later);
            }
        });
    }

    /// A message in the page's language. What an error is about is told once the later part is here, which has the sentences; until
    /// then this says that there is one, and that the rest is on its way, or lost.
    pub fn told(self, message: impl Into<Message>) -> String {
        match (message.into(), self.arrival.get()) {
            (Message::Text(text), _) => text,
            (message, Arrival::Here(later)) => (later.message)(&message),
            (Message::Error(_), Arrival::Waiting) => strings::reason_waiting().into(),
            (Message::Error(_), Arrival::Lost) => strings::reason_lost().into(),
        }
    }

    /// Fetches the later part when the first picture is drawn or cannot be, and starts it when it is here.
    pub(super) fn begin_later(self) {
        let is_drawn = memo(move |_| {
            self.live.problem.with(Option::is_some)
                || (self.live.ball.with(Option::is_some) && self.live.measured.with(Option::is_some))
        });
        effect(move |_| {
            if is_drawn.get() {
                set_timeout(move || self.with_later(|_| {}), REST);
            }
        });
        effect(move |_| {
            if let Some(later) = self.later() {
                (later.begin)(self);
            }
        });
    }
}

/// What stands in the place of a view of the later part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Empty,
    Waiting,
    Lost,
    View,
}

/// A view of the later part, made when it is first wanted; until it is here, a line that says so.
#[component]
pub fn LaterView(
    /// Whether it is to be seen.
    #[prop(into)]
    wanted: Signal<bool>,
    /// Makes it.
    view: impl Fn(&'static Later) -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    let page = use_page();
    let was_wanted = memo(move |before| before == Some(&true) || wanted.get());
    effect(move |_| {
        // What was lost is tried again when the reader says so.
        if wanted.get() && matches!(page.arrival.get_untracked(), Arrival::Waiting) {
            page.with_later(|_| {});
        }
    });
    let place = memo(move |_| match (was_wanted.get(), page.arrival.get()) {
        (true, Arrival::Here(_)) => Place::View,
        (true, Arrival::Waiting) if wanted.get() => Place::Waiting,
        (true, Arrival::Lost) if wanted.get() => Place::Lost,
        _ => Place::Empty,
    });
    move || match place.get() {
        Place::Empty => ().into_any(),
        Place::Waiting => view! { <p class="note later" role="status">{strings::later_waiting()}</p> }.into_any(),
        Place::Lost => view! {
            <p class="problem later" role="alert">
                {strings::later_lost()} " "
                <button type="button" on:click=move |_| page.with_later(|_| {})>{strings::try_again()}</button>
            </p>
        }
        .into_any(),
        Place::View => untrack(|| page.later()).map(&view).into_any(),
    }
}
