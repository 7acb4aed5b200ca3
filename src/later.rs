//! The part of the page that comes after its first picture: the other plots, lessons, links, files.
//!
//! `src/main.rs` and `scripts/modules.sh` cut `later_table`, and all code that only it uses, into a wasm module of its
//! own. The program fetches this module when the page first needs it. The code of the first picture names nothing in
//! it: it calls one table of functions, [`LaterTable`].

use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

use crate::prelude::*;

use super::answers::WorstKnown;
use super::lessons::Lesson;
use super::link::{Followed, TooLong};
use super::state::{PlotChoice, Scene};
use super::strings;
use crate::strings::Message;

/// How long after the first picture the later part is fetched. A click then finds it loaded.
const REST: Duration = Duration::from_millis(150);

/// The functions of the later part.
pub struct LaterTable {
    /// Provides the contexts of its features and starts their effects, within the owner of the page's contexts.
    pub begin: fn(),
    /// Makes a view.
    pub view: fn(Piece) -> AnyView,
    /// The lesson with an id.
    pub find_lesson: fn(&str) -> Option<&'static Lesson>,
    /// Reads the scene of a fragment.
    pub read_link: fn(&str) -> Followed,
    /// Writes the fragment of a scene.
    pub write_link: fn(&Scene) -> Result<String, TooLong>,
    /// A message in the page's language.
    pub message: fn(&Message) -> String,
    /// The state with the worst tokens known.
    pub worst_known: WorstKnown,
}

/// A view of the later part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A plot, other than the first one.
    Plot(PlotChoice),
    /// The foot of the opening view: its table, its files, and links to other plots.
    ExploreFolds,
    /// What follows the first buttons in the head of the page.
    HeadRest,
    /// The notes on side effects of a normaliser.
    Notes,
    /// The missing curves of the opening plot, and its table for a screen reader.
    AtN,
    /// The content of the fold under the sentence of the opening view.
    Why,
    /// Who found the bounds of the opening plot, and where they are proved.
    BoundNames,
    /// The pinned states of the opening plot.
    Pins,
    /// All controls.
    Controls,
    /// All numbers and the small views.
    Details,
    /// The place where a reader draws.
    GuessStage,
    /// The panel of the lessons.
    LessonPanel,
    /// The dialog with the list of keys.
    KeyList,
    /// The dialog with links.
    Share,
    /// The cover that takes what is dropped on the page.
    DropZone,
    /// The black screen.
    BlankScreen,
    /// What is printed beside the page.
    PrintSheet,
    /// The content of the fold for own data.
    OwnForm,
    /// The details of the selected row of the ladder.
    SlackDetails,
    /// The folds under the attention picture.
    AttentionFolds,
    /// The folds under the ladder.
    LadderFolds,
    /// The folds under the token plane.
    PlaneFolds,
    /// The line under a plot that is alone.
    AloneLine,
    /// The number in the head of the teacher's view.
    TeacherReading,
    /// The line about the projector's window.
    ProjectorLine,
}

/// The error that the later part could not be fetched. The page can try again.
#[derive(Clone, Copy, Debug)]
pub struct Lost;

/// The later part, as the program fetches it.
pub struct LaterPart(&'static LaterTable);

impl LaterPart {
    /// The later part with this table.
    pub fn new(table: &'static LaterTable) -> Self {
        LaterPart(table)
    }
}

/// Fetches a part; `None` where this fails.
pub type FetchPart<T> = fn() -> Pin<Box<dyn Future<Output = Option<T>>>>;

static FETCH: OnceLock<FetchPart<LaterPart>> = OnceLock::new();

/// Sets the function that fetches the later part ([`Fetch`](crate::Fetch)).
pub fn fetched_by(fetch: FetchPart<LaterPart>) {
    // The page starts once.
    let _ = FETCH.set(fetch);
}

/// Fetches the later part, unless it has arrived.
pub async fn fetch() -> Result<&'static LaterTable, Lost> {
    let Some(fetch) = FETCH.get() else { return Err(Lost) };
    fetch().await.map(|part| part.0).ok_or(Lost)
}

/// Whether the later part has arrived.
#[derive(Clone, Copy, Default)]
pub enum Arrival {
    /// It has not arrived yet.
    #[default]
    Waiting,
    /// It has arrived.
    Here(&'static LaterTable),
    /// The page asked for it, and fetching failed.
    Lost,
}

impl From<Result<&'static LaterTable, Lost>> for Arrival {
    fn from(fetched: Result<&'static LaterTable, Lost>) -> Self {
        fetched.map_or(Arrival::Lost, Arrival::Here)
    }
}

/// What is done with the functions of the later part.
type Work = Box<dyn FnOnce(&'static LaterTable) + Send + Sync>;

/// The later part and whether it has arrived: a context of the page.
#[derive(Clone, Copy)]
pub struct Later {
    arrival: RwSignal<Arrival>,
    /// What is done when it arrives, in order.
    waiting: StoredValue<Vec<Work>>,
    /// The owner of the page's contexts, in which the later part begins.
    owner: StoredValue<Option<Owner>>,
}

/// The later part, from the context.
pub fn use_later() -> Later {
    expect_context()
}

impl Later {
    /// Makes the context, for a later part in this state. The later part will begin in the owner in which this function
    /// is called.
    pub fn new(arrival: Arrival) -> Self {
        Later {
            arrival: RwSignal::new(arrival),
            waiting: StoredValue::default(),
            owner: StoredValue::new(Owner::current()),
        }
    }

    /// Begins the later part, if it arrived before the page started.
    pub fn begin_if_here(self) {
        if let Arrival::Here(table) = self.arrival.get_untracked() {
            (table.begin)();
        }
    }

    /// Whether it has arrived, is on its way, or is lost.
    pub fn arrival(self) -> Arrival {
        self.arrival.get()
    }

    /// Its functions, if it has arrived.
    pub fn table(self) -> Option<&'static LaterTable> {
        match self.arrival.get() {
            Arrival::Here(table) => Some(table),
            Arrival::Waiting | Arrival::Lost => None,
        }
    }

    /// Whether it has arrived. Those `LaterView`s that are on the first screen without a click take this as `wanted`,
    /// so that they stay empty until then.
    pub fn is_here(self) -> Signal<bool> {
        Signal::derive(move || self.table().is_some())
    }

    /// Fetches it a moment after the first picture is drawn. A click then finds it loaded.
    pub fn fetch_soon(self) {
        set_timeout(move || self.with(|_| {}), REST);
    }

    /// Calls `work` with its functions: at once if it has arrived, else when it does. Does not call `work` if fetching
    /// fails.
    pub fn with(self, work: impl FnOnce(&'static LaterTable) + 'static) {
        self.do_with(Box::new(work));
    }

    /// Calls `work` with its functions: at once if it has arrived, else when it does. Does not ask for it, unless it is
    /// lost: what a reader waits for goes first over a slow line.
    pub fn when_here(self, work: impl FnOnce(&'static LaterTable) + Send + Sync + 'static) {
        if matches!(self.arrival.get_untracked(), Arrival::Waiting) {
            self.waiting.update_value(|waiting| waiting.push(Box::new(work)));
        } else {
            self.with(work);
        }
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
            // Another caller that waited for the same fetch may have begun the part.
            if untrack(|| self.table()).is_none() {
                if let (Ok(table), Some(owner)) = (fetched, self.owner.get_value()) {
                    owner.with(|| (table.begin)());
                }
                self.arrival.set(fetched.into());
                if let Ok(table) = fetched {
                    let waiting = self.waiting.try_update_value(std::mem::take).unwrap_or_default();
                    waiting.into_iter().for_each(|work| work(table));
                }
            }
            if let Ok(table) = fetched {
                work(table);
            }
        });
    }

    /// A message in the page's language. The later part has the sentences of errors: until it arrives, the text says
    /// only that there is an error, and that its sentence is on its way or lost.
    pub fn text_of(self, message: impl Into<Message>) -> String {
        match (message.into(), self.arrival.get()) {
            (Message::Text(text), _) => text,
            (message, Arrival::Here(table)) => (table.message)(&message),
            (Message::Error(_), Arrival::Waiting) => strings::reason_waiting().into(),
            (Message::Error(_), Arrival::Lost) => strings::reason_lost().into(),
        }
    }
}

/// What `LaterView` shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Empty,
    Waiting,
    Lost,
    View,
}

/// A view of the later part, made when it is first wanted. Until the later part arrives, a line says that it is on its
/// way.
#[component]
pub fn LaterView(
    /// Whether the view is to be visible.
    #[prop(into)]
    wanted: Signal<bool>,
    /// The view to make.
    piece: Piece,
) -> impl IntoView {
    let later = use_later();
    let was_wanted = memo(move |before| before == Some(&true) || wanted.get());
    effect(move |_| {
        // A lost part is fetched again only when the reader asks for it.
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
