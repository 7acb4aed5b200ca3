//! The list of keys.

pub use crate::words::keys::*;

use crate::keys::{GuessKey, PageKey, PlotKey};

pub fn ladder_keys() -> [(&'static str, &'static str); 2] {
    [("↑ ↓", ladder_keys::next()), ("Home End", ladder_keys::ends())]
}
pub fn token_keys() -> [(&'static str, &'static str); 5] {
    [
        ("n p", token_keys::next()),
        ("← ↑ → ↓", token_keys::shift()),
        ("a Delete", token_keys::add()),
        ("s S", token_keys::snap()),
        ("Esc", token_keys::none()),
    ]
}
pub fn control_keys() -> [(&'static str, &'static str); 4] {
    [
        ("← →", control_keys::slider_step()),
        ("Page ↑ Page ↓", control_keys::slider_ten_steps()),
        ("↑ ↓", control_keys::number_step()),
        (control_keys::double_click(), control_keys::slider_reset()),
    ]
}

pub fn page_key(key: PageKey) -> (&'static str, &'static str) {
    match key {
        PageKey::Help => ("?", page_key::help()),
        PageKey::Undo => ("Ctrl z", page_key::undo()),
        PageKey::Redo => ("Ctrl Shift z", page_key::redo()),
        PageKey::Lessons => ("l", page_key::lessons()),
        PageKey::NextStep => ("Alt →", page_key::next_step()),
        PageKey::StepBack => ("Alt ←", page_key::step_back()),
        PageKey::Teacher => ("t", page_key::teacher()),
        PageKey::Alone => ("f", page_key::alone()),
        PageKey::Projector => ("w", page_key::projector()),
        PageKey::Blank => ("b", page_key::blank()),
        PageKey::Freeze => (".", page_key::freeze()),
    }
}

pub fn plot_key(key: PlotKey) -> (&'static str, &'static str) {
    match key {
        PlotKey::Left => ("←", plot_key::left()),
        PlotKey::Right => ("→", plot_key::right()),
        PlotKey::Up => ("↑", plot_key::up()),
        PlotKey::Down => ("↓", plot_key::down()),
        PlotKey::First => ("Home", plot_key::first()),
        PlotKey::Last => ("End", plot_key::last()),
        PlotKey::PageDown => ("Page ↓", plot_key::page_down()),
        PlotKey::PageUp => ("Page ↑", plot_key::page_up()),
        PlotKey::Keep => ("Enter", plot_key::keep()),
        PlotKey::Leave => ("Esc", plot_key::leave()),
    }
}

pub fn guess_key(key: GuessKey) -> (&'static str, &'static str) {
    match key {
        GuessKey::Left => ("←", guess_key::left()),
        GuessKey::Right => ("→", guess_key::right()),
        GuessKey::Up => ("↑", guess_key::up()),
        GuessKey::Down => ("↓", guess_key::down()),
        GuessKey::PageUp => ("Page ↑", guess_key::page_up()),
        GuessKey::PageDown => ("Page ↓", guess_key::page_down()),
        GuessKey::First => ("Home", guess_key::first()),
        GuessKey::Last => ("End", guess_key::last()),
        GuessKey::Reveal => ("Enter", guess_key::reveal()),
    }
}
