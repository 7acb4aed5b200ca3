//! The keys and what each does: one table for the handlers and for the reader's list.

use web_sys::KeyboardEvent;

use crate::strings;

/// The modifiers held while a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing, or Shift, which is part of the character.
    Nothing,
    /// Alt alone.
    Alt,
    /// Control, or the command key; Shift is part of the character.
    Control,
    /// Anything else: the browser handles it.
    Other,
}

/// A key of the whole page. It does nothing while the reader types text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKey {
    /// Opens the list of keys.
    Help,
    /// Opens or closes the lessons.
    Lessons,
    /// Moves to the next step of the lesson.
    NextStep,
    /// Moves to the previous step of the lesson.
    StepBack,
    /// Switches the teacher's view on or off.
    Teacher,
    /// The plot alone, on the full screen, and back.
    Alone,
    /// Opens the projector's window, or brings it to the front.
    Projector,
    /// A black screen in front of an audience, and back.
    Blank,
    /// Holds the picture of the projector's window, or lets it follow again.
    Freeze,
    /// Undoes the last gesture.
    Undo,
    /// Redoes the last gesture that was undone.
    Redo,
}

impl PageKey {
    /// All, in the order of the list.
    pub const ALL: [PageKey; 11] = [
        PageKey::Help,
        PageKey::Undo,
        PageKey::Redo,
        PageKey::Lessons,
        PageKey::NextStep,
        PageKey::StepBack,
        PageKey::Teacher,
        PageKey::Alone,
        PageKey::Projector,
        PageKey::Blank,
        PageKey::Freeze,
    ];

    /// What a key means.
    #[must_use]
    pub fn of(key: &str, held: Held) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.key() == (key, held))
    }

    /// What a page key of a presenter's remote means, where a lesson is shown to an audience.
    #[must_use]
    pub fn of_remote(key: &str, held: Held) -> Option<Self> {
        match (key, held) {
            ("PageDown", Held::Nothing) => Some(PageKey::NextStep),
            ("PageUp", Held::Nothing) => Some(PageKey::StepBack),
            _ => None,
        }
    }

    /// What an arrow means where a lesson is shown to an audience. Some remotes send arrows, which sliders and plots
    /// need for themselves.
    #[must_use]
    pub fn of_arrow(key: &str, held: Held) -> Option<Self> {
        match (key, held) {
            ("ArrowRight", Held::Nothing) => Some(PageKey::NextStep),
            ("ArrowLeft", Held::Nothing) => Some(PageKey::StepBack),
            _ => None,
        }
    }

    fn key(self) -> (&'static str, Held) {
        match self {
            PageKey::Help => ("?", Held::Nothing),
            PageKey::Lessons => ("l", Held::Nothing),
            PageKey::NextStep => ("ArrowRight", Held::Alt),
            PageKey::StepBack => ("ArrowLeft", Held::Alt),
            PageKey::Teacher => ("t", Held::Nothing),
            PageKey::Alone => ("f", Held::Nothing),
            PageKey::Projector => ("w", Held::Nothing),
            PageKey::Blank => ("b", Held::Nothing),
            PageKey::Freeze => (".", Held::Nothing),
            PageKey::Undo => ("z", Held::Control),
            PageKey::Redo => ("Z", Held::Control),
        }
    }
}

/// A key of a plot that has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKey {
    /// Moves the cursor to the next value on the left.
    Left,
    /// Moves the cursor to the next value on the right.
    Right,
    /// Reads the row above.
    Up,
    /// Reads the row below.
    Down,
    /// Moves the cursor to an n about ten times smaller.
    PageDown,
    /// Moves the cursor to an n about ten times larger.
    PageUp,
    /// Moves the cursor to the first value.
    First,
    /// Moves the cursor to the last value.
    Last,
    /// Keeps the n at the cursor.
    Keep,
    /// Takes the cursor away.
    Leave,
}

impl PlotKey {
    /// All, in the order of the list.
    pub const ALL: [PlotKey; 10] = [
        PlotKey::Left,
        PlotKey::Right,
        PlotKey::Up,
        PlotKey::Down,
        PlotKey::First,
        PlotKey::Last,
        PlotKey::PageDown,
        PlotKey::PageUp,
        PlotKey::Keep,
        PlotKey::Leave,
    ];

    /// What a key means.
    #[must_use]
    pub fn of(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.key() == key)
    }

    /// What a key that is pressed in a plot means; `None` while Alt is held, because those keys belong to the page.
    #[must_use]
    pub fn pressed(event: &KeyboardEvent) -> Option<Self> {
        Self::of(&event.key()).filter(|_| !event.alt_key())
    }

    /// The browser's name of the key.
    fn key(self) -> &'static str {
        match self {
            PlotKey::Left => "ArrowLeft",
            PlotKey::Right => "ArrowRight",
            PlotKey::Up => "ArrowUp",
            PlotKey::Down => "ArrowDown",
            PlotKey::PageDown => "PageDown",
            PlotKey::PageUp => "PageUp",
            PlotKey::First => "Home",
            PlotKey::Last => "End",
            PlotKey::Keep => "Enter",
            PlotKey::Leave => "Escape",
        }
    }
}

/// A key for the curve or the mark that the reader draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessKey {
    /// The handle to the left, or the mark lower.
    Left,
    /// The handle to the right, or the mark higher.
    Right,
    /// Moves the handle or the mark up.
    Up,
    /// Moves the handle or the mark down.
    Down,
    /// Moves the handle or the mark to twice its value.
    PageUp,
    /// Moves the handle or the mark to half its value.
    PageDown,
    /// The first handle, or the mark at its least.
    First,
    /// The last handle, or the mark at its greatest.
    Last,
    /// Shows what the page has computed.
    Reveal,
}

impl GuessKey {
    /// All, in the order of the list.
    pub const ALL: [GuessKey; 9] = [
        GuessKey::Left,
        GuessKey::Right,
        GuessKey::Up,
        GuessKey::Down,
        GuessKey::PageUp,
        GuessKey::PageDown,
        GuessKey::First,
        GuessKey::Last,
        GuessKey::Reveal,
    ];

    /// What a key means.
    #[must_use]
    pub fn of(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.key() == key)
    }

    fn key(self) -> &'static str {
        match self {
            GuessKey::Left => "ArrowLeft",
            GuessKey::Right => "ArrowRight",
            GuessKey::Up => "ArrowUp",
            GuessKey::Down => "ArrowDown",
            GuessKey::PageUp => "PageUp",
            GuessKey::PageDown => "PageDown",
            GuessKey::First => "Home",
            GuessKey::Last => "End",
            GuessKey::Reveal => "Enter",
        }
    }
}

/// A heading of the list; under it the keys as readers see them, each with its effect.
pub type Group = (&'static str, Vec<(&'static str, &'static str)>);

/// The list of all keys.
#[must_use]
pub fn groups() -> Vec<Group> {
    vec![
        (strings::keys_page(), PageKey::ALL.map(strings::page_key).to_vec()),
        (strings::keys_plots(), PlotKey::ALL.map(strings::plot_key).to_vec()),
        (strings::keys_guess(), GuessKey::ALL.map(strings::guess_key).to_vec()),
        (strings::keys_ladder(), strings::ladder_keys().to_vec()),
        (strings::keys_tokens(), strings::token_keys().to_vec()),
        (strings::keys_controls(), strings::control_keys().to_vec()),
    ]
}
