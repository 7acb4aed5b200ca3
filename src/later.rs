//! What of the page comes after its first picture: the other plots, lessons, links, files.
//!
//! `later_table` and all that only it leads to are cut out of the page's module into one of their own (`src/main.rs`,
//! `scripts/modules.sh`), which the program fetches when it is first asked for. So what draws the first picture names nothing of
//! the later part: it has one table of functions, [`LaterTable`].

use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

use crate::prelude::*;

use super::lessons::Lesson;
use super::link::{Followed, TooLong};
use super::message::Message;
use super::state::{PlotChoice, Scene};
use super::strings;

/// How long after the first picture the later part is fetched, so that a click finds it there.
const REST: Duration = Duration::from_millis(150);

/// What the later part does.
pub struct LaterTable {
    /// Provides the contexts of its features and starts what they need, within the owner of the page's contexts.
    pub begin: fn(),
    /// Makes a view.
    pub view: fn(Piece) -> AnyView,
    /// The lesson of an id.
    pub find_lesson: fn(&str) -> Option<&'static Lesson>,
    /// The scene that a fragment says.
    pub read_link: fn(&str) -> Followed,
    /// The fragment of a scene.
    pub write_link: fn(&Scene) -> Result<String, TooLong>,
    /// A message in the page's language.
    pub message: fn(&Message) -> String,
}

/// A view of the later part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A plot, other than the first one.
    Plot(PlotChoice),
    /// What stands under the opening view: its table, its files, the ways to its other pictures.
    ExploreFolds,
    /// All controls.
    Controls,
    /// All numbers and the small views.
    Details,
    /// Where a reader draws.
    GuessStage,
    /// The panel of the lessons.
    LessonPanel,
    /// The list of keys.
    KeyList,
    /// What is in the fold with own data.
    OwnForm,
    /// What stands behind the selected number of the ladder.
    SlackDetails,
    /// The folds under the attention picture.
    AttentionFolds,
    /// The folds under the ladder.
    LadderFolds,
    /// The folds under the token plane.
    PlaneFolds,
    /// The line under the plot of an embedded page.
    EmbedLine,
}

/// The later part could not be fetched; it can be tried again.
#[derive(Clone, Copy, Debug)]
pub struct Lost;

/// The later part, as the program fetches it.
pub struct LaterPart(&'static LaterTable);

impl LaterPart {
    /// Of its table.
    pub fn new(table: &'static LaterTable) -> Self {
        LaterPart(table)
    }
}

/// How a part is fetched; `None` where it could not be had.
pub type FetchPart<T> = fn() -> Pin<Box<dyn Future<Output = Option<T>>>>;

static FETCH: OnceLock<FetchPart<LaterPart>> = OnceLock::new();

/// Says how the later part is fetched ([`Fetch`](crate::Fetch)).
pub fn fetched_by(fetch: FetchPart<LaterPart>) {
    // The page starts once.
    let _ = FETCH.set(fetch);
}

/// Fetches the later part, unless it is here.
pub async fn fetch() -> Result<&'static LaterTable, Lost> {
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
    Here(&'static LaterTable),
    /// It was asked for, and did not come.
    Lost,
}

impl From<Result<&'static LaterTable, Lost>> for Arrival {
    fn from(fetched: Result<&'static LaterTable, Lost>) -> Self {
        fetched.map_or(Arrival::Lost, Arrival::Here)
    }
}

/// The later part, as far as it is here: a context of the page.
#[derive(Clone, Copy)]
pub struct Later {
    arrival: RwSignal<Arrival>,
    /// Holds the page's contexts, in which the later part begins.
    owner: StoredValue<Option<Owner>>,
}

/// The context.
pub fn use_later() -> Later {
    expect_context()
}

impl Later {
    /// It begins in the present owner, where it is here already, once [`Later::begin_if_here`] is called.
    pub fn new(arrival: Arrival) -> Self {
        Later { arrival: RwSignal::new(arrival), owner: StoredValue::new(Owner::current()) }
    }

    /// Begins it where it was here before the page.
    pub fn begin_if_here(self) {
        if let Arrival::Here(table) = self.arrival.get_untracked() {
            (table.begin)();
        }
    }

    /// Whether it is here, is waited for, or is lost.
    pub fn arrival(self) -> Arrival {
        self.arrival.get()
    }

    /// Its functions, if it is here.
    pub fn table(self) -> Option<&'static LaterTable> {
        match self.arrival.get() {
            Arrival::Here(table) => Some(table),
            Arrival::Waiting | Arrival::Lost => None,
        }
    }

    /// Whether it is here: views of it that belong to the first ones are wanted as soon as it is.
    pub fn is_here(self) -> Signal<bool> {
        Signal::derive(move || self.table().is_some())
    }

    /// Fetches it a moment after the first picture is drawn, so that a click finds it there.
    pub fn fetch_soon(self) {
        set_timeout(move || self.with(|_| {}), REST);
    }

    /// Does something with it: at once where it is here, else when it is. It is not done where it is lost.
    pub fn with(self, work: impl FnOnce(&'static LaterTable) + 'static) {
        self.do_with(Box::new(work));
    }

    fn do_with(self, work: Box<dyn FnOnce(&'static LaterTable)>) {
        if let Some(table) = untrack(|| self.table()) {
            return work(table);
        }
        if matches!(self.arrival.get_untracked(), Arrival::Lost) {
            self.arrival.set(Arrival::Waiting);
        }
        spawn_local(async move {
            let fetched = fetch().await;
            // Others may have waited for it too.
            if untrack(|| self.table()).is_none() {
                if let (Ok(table), Some(owner)) = (fetched, self.owner.get_value()) {
                    owner.with(|| (table.begin)());
                }
                self.arrival.set(fetched.into());
            }
            if let Ok(table) = fetched {
                work(table);
            }
        });
    }

    /// A message in the page's language. What an error is about is told once the later part is here, which has the sentences; until
    /// then this says that there is one, and that the rest is on its way, or lost.
    pub fn told(self, message: impl Into<Message>) -> String {
        match (message.into(), self.arrival.get()) {
            (Message::Text(text), _) => text,
            (message, Arrival::Here(table)) => (table.message)(&message),
            (Message::Error(_), Arrival::Waiting) => strings::reason_waiting().into(),
            (Message::Error(_), Arrival::Lost) => strings::reason_lost().into(),
        }
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
    /// Which one.
    piece: Piece,
) -> impl IntoView {
    let later = use_later();
    let was_wanted = memo(move |before| before == Some(&true) || wanted.get());
    effect(move |_| {
        // What was lost is tried again when the reader says so.
        if wanted.get() && matches!(later.arrival.get_untracked(), Arrival::Waiting) {
            later.with(|_| {});
        }
    });
    let place = memo(move |_| match (was_wanted.get(), later.arrival.get()) {
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
                <button type="button" on:click=move |_| later.with(|_| {})>{strings::try_again()}</button>
            </p>
        }
        .into_any(),
        Place::View => untrack(|| later.table()).map(|table| (table.view)(piece)).into_any(),
    }
}
