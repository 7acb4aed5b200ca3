//! The list of keys.

use crate::app::keys::{GuessKey, PageKey, PlotKey};

pub const KEYS_LABEL: &str = "Keyboard shortcuts";
pub const KEYS_PAGE: &str = "Everywhere but while typing";
pub const KEYS_PLOTS: &str = "On a plot";
pub const KEYS_GUESS: &str = "On a curve or a mark that you draw";
pub const KEYS_TOKENS: &str = "On the tokens";
pub const KEYS_LADDER: &str = "On the bound ladder";
pub const KEYS_CONTROLS: &str = "On controls";

pub const LADDER_KEYS: [(&str, &str); 2] = [("↑ ↓", "the next bound"), ("Home End", "the first, the last bound")];
pub const TOKEN_KEYS: [(&str, &str); 5] = [
    ("n p", "the next token, the one before; also [ ] and Page keys"),
    ("← ↑ → ↓", "move it; with Shift further"),
    ("a Delete", "add one, remove it"),
    ("s S", "snap all into the ball, onto the sphere"),
    ("Esc", "choose none"),
];
pub const CONTROL_KEYS: [(&str, &str); 4] = [
    ("← →", "on a slider: one step"),
    ("Page ↑ Page ↓", "on a slider: ten steps"),
    ("↑ ↓", "in a number: one step"),
    ("Double-click", "on a slider: back to the first value"),
];

pub fn page_key(key: PageKey) -> (&'static str, &'static str) {
    match key {
        PageKey::Help => ("?", "this list"),
        PageKey::Lessons => ("l", "the lessons"),
        PageKey::NextStep => ("Alt →", "in a lesson: the next step"),
        PageKey::StepBack => ("Alt ←", "in a lesson: the step before"),
        PageKey::Teacher => ("t", "teacher view: larger, for a projector"),
    }
}

pub fn plot_key(key: PlotKey) -> (&'static str, &'static str) {
    match key {
        PlotKey::Left => ("←", "reads the n, R or iteration to the left"),
        PlotKey::Right => ("→", "reads the one to the right"),
        PlotKey::First => ("Home", "reads the first"),
        PlotKey::Last => ("End", "reads the last"),
        PlotKey::PageDown => ("Page ↓", "over n: a decade lower"),
        PlotKey::PageUp => ("Page ↑", "over n: a decade higher"),
        PlotKey::Keep => ("Enter", "keeps the n that is read"),
        PlotKey::Leave => ("Esc", "reads nothing"),
    }
}

pub fn guess_key(key: GuessKey) -> (&'static str, &'static str) {
    match key {
        GuessKey::Left => ("←", "the handle to the left; the mark lower"),
        GuessKey::Right => ("→", "the handle to the right; the mark higher"),
        GuessKey::Up => ("↑", "higher"),
        GuessKey::Down => ("↓", "lower"),
        GuessKey::PageUp => ("Page ↑", "twice as high"),
        GuessKey::PageDown => ("Page ↓", "half as high"),
        GuessKey::First => ("Home", "the first handle"),
        GuessKey::Last => ("End", "the last handle"),
        GuessKey::Reveal => ("Enter", "reveals"),
    }
}
