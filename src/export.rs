//! Exports the experiment on screen: as a link, as a file, as a program.

use crate::prelude::*;
use serde_json::Value;

use lipscope_core::script::Dialect;
use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, ScriptPlan};

use super::files::{copy, download};
use super::page::Page;
use super::state::Stage;
use super::strings;
use super::workers::{EngineLane, EngineMessage};

/// Experiments with more numbers than this are written on one line.
const PRETTY_UP_TO: usize = 20_000;

/// Copies the page's address, which holds all that is on screen.
pub fn copy_link(page: Page, note: RwSignal<&'static str>) {
    match page.link_to(Stage::Full) {
        Some(link) => copy(link, note),
        None => note.set(strings::link_too_long()),
    }
}

/// The experiment on screen, as the file that reproduces it.
pub fn experiment_text(page: Page) -> String {
    let state = page.shown_state();
    let value = state.experiment().to_value();
    if state.n_listed() * state.dim() <= PRETTY_UP_TO { pretty(&value) } else { value.to_string() }
}

/// JSON with a line for each number.
pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

/// Asks for the experiment on screen as a Python program, and saves it when it arrives.
pub fn ask_script(page: Page, dialect: Dialect) {
    let experiment = page.shown_state().experiment();
    let note = page.answers.script_note;
    note.set(strings::writing_script().into());
    let plan = EnginePlan::Script(ScriptPlan { experiment, dialect });
    page.engine.submit(EngineLane::Read, [plan], move |_, message| match message {
        EngineMessage::Reply(Content::Event(EngineEvent::Script(text)), _) => {
            note.set(String::new());
            download(&format!("lipscope_{}.py", dialect.id()), "text/x-python", &text);
        }
        EngineMessage::Reply(Content::Failed(problem), _) => note.set(strings::problem_text(&problem)),
        EngineMessage::GaveUp => note.set(String::new()),
        EngineMessage::Reply(..) => {}
    });
}
