//! The run: its buttons, how far it is, and what can be exported.

use crate::prelude::*;
use leptos::ev;
use web_sys::HtmlInputElement;

use super::session::{At, ModelSession, Progress};
use super::taking::take_table_file;
use crate::fault::Fault;
use crate::files::copy;
use crate::frame::focus_soon;
use crate::phase::ModelPhase;
use crate::strings;
use lipscope_models::Held;
use lipscope_protocol::models::{Input, TableForm, command_line};

/// The buttons of the run and of its table, the progress, and sentences about the run.
#[component]
pub fn RunBar(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    let phase = session.models().phase;
    let problem = session.models().problem;
    let is = move |one: ModelPhase| phase.get() == one;
    let is_at_work = move || is(ModelPhase::Running) || is(ModelPhase::Paused);
    let can_resume = move || is(ModelPhase::Paused) || is(ModelPhase::Stopped);
    // A run layer by layer has no batches between which it could pause.
    let is_by_layer = move || session.progress.with(|progress| progress.held == Held::OneLayer);
    let share = move || {
        let progress = session.progress.get();
        progress.rows as f64 / progress.total.max(1) as f64
    };
    let has_rows =
        move || session.models().table.with(|table| table.as_ref().is_some_and(|table| !table.rows.is_empty()));
    let copied = RwSignal::new("");
    let on_table = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            take_table_file(session, file);
        }
        input.set_value("");
    };
    let sentence = NodeRef::<leptos::html::P>::new();
    let is_pressed = StoredValue::new(false);
    let on_run = move |_| {
        is_pressed.set_value(true);
        session.run();
    };
    // A problem may end the run a moment after the press, and its sentence may be out of sight. So the focus moves to
    // the sentence.
    effect(move |_| {
        if problem.with(Option::is_some) && phase.get() == ModelPhase::Idle && is_pressed.get_value() {
            is_pressed.set_value(false);
            focus_soon(move || sentence.get_untracked().map(Into::into));
        }
    });
    let on_command = move |_| match session.command() {
        Ok(line) => copy(line, copied),
        Err(problem) => session.complain(problem),
    };
    view! {
        <div class="model-row">
            <button type="button" id="model-run" class="primary" hidden=is_at_work on:click=on_run>{strings::model_run()}</button>
            <button type="button" id="model-pause" hidden=move || !is(ModelPhase::Running) || is_by_layer() on:click=move |_| session.pause()>{strings::model_pause()}</button>
            <button type="button" id="model-resume" hidden=move || !can_resume() on:click=move |_| session.resume()>{strings::model_resume()}</button>
            <button type="button" id="model-stop" hidden=move || !is_at_work() on:click=move |_| session.stop()>{strings::stop()}</button>
            <button type="button" id="model-csv" hidden=move || !has_rows() on:click=move |_| session.save_table(TableForm::Csv)>"CSV"</button>
            <button type="button" id="model-json" hidden=move || !has_rows() on:click=move |_| session.save_table(TableForm::Json)>"JSON"</button>
            <button type="button" id="model-command" title=strings::model_command_hint() on:click=on_command>{strings::model_command()}</button>
            <label class="file">
                <input type="file" id="model-table" accept=".csv,.json" on:change:target=on_table/>
                <span>{strings::model_open_table()}</span>
            </label>
            <span class="note" role="status">{move || copied.get()}</span>
        </div>
        <div class="progress" data-testid="model-progress" data-phase=move || phase.get().id() data-rows=move || session.progress.get().rows data-workers=move || session.progress.get().workers>
            <div class="progress-bar" class:idle=move || !is_at_work() style=move || format!("--at:{}", share())></div>
            <span class="progress-words" role="status">{move || progress_words(phase.get(), &session.progress.get())}</span>
            // Not a live region: it changes twice a second.
            <span class="progress-window note" data-testid="model-window">{move || window_words(phase.get(), &session.progress.get())}</span>
        </div>
        <p class="note" role="status" data-testid="model-note">{move || session.note.get()}</p>
        <p class="problem" role="alert" node_ref=sentence tabindex="-1" data-testid="model-problem" hidden=move || problem.with(Option::is_none)>
            {move || problem.get().unwrap_or_default()}
        </p>
    }
}

impl ModelSession {
    /// The command line that measures what this form measures.
    fn command(self) -> Result<String, Fault> {
        let source = self.source_now()?;
        let words = self.plan_text()?;
        let text = self.text_file.with_untracked(|file| file.as_ref().map(|file| file.name.clone()));
        let is_own = text.is_none() && self.text.with_untracked(|text| text != super::session::DEFAULT_TEXT);
        let text = text.or_else(|| is_own.then(|| "text.txt".to_owned()));
        let facts = self.facts.get_untracked();
        let (pictures, part) = (facts.as_ref().map(|facts| facts.pictures.clone()), facts.and_then(|facts| facts.part));
        let input = match pictures.as_deref() {
            Some(pictures) if !pictures.is_empty() => Input::Pictures(pictures),
            _ => Input::Text(text.as_deref()),
        };
        Ok(command_line((&source.origin, part), input, &words))
    }
}

/// How far the run is, and about how long the rest takes.
fn progress_words(phase: ModelPhase, progress: &Progress) -> String {
    use strings::model_progress as words;
    let Progress { rows, total, workers, .. } = *progress;
    match phase {
        ModelPhase::Idle => String::new(),
        ModelPhase::Running if total == 0 => words::opening().into(),
        ModelPhase::Running if progress.held == Held::OneLayer => words::by_layer { rows, total }.text(),
        ModelPhase::Running if progress.first.is_none() => words::preparing { rows, total, workers }.text(),
        ModelPhase::Running => match seconds_left(progress) {
            Some(left) => words::running { left: strings::time_left(left), rows, total }.text(),
            None => words::none { rows, total }.text(),
        },
        ModelPhase::Paused => words::paused { rows, total }.text(),
        ModelPhase::Stopped => words::stopped { rows, total }.text(),
        ModelPhase::Done => words::done(total),
    }
}

/// How far a worker is, as it has last told.
fn window_words(phase: ModelPhase, progress: &Progress) -> Option<String> {
    let (_, at) = progress.at.filter(|_| phase == ModelPhase::Running)?;
    Some(match at {
        At::Window { n, progress } => strings::model_window_progress(n, &progress),
        At::Reading { layer, of, bytes } => strings::model_reading(layer, of, bytes),
    })
}

/// The seconds left, from the rate since the first rows; `None` until later rows have arrived.
fn seconds_left(progress: &Progress) -> Option<f64> {
    let (began, before) = progress.first?;
    let done = progress.done - before;
    let seconds = (progress.last - began) / 1e3 * (progress.cost - progress.done) / done;
    (done > 0.0 && seconds.is_finite()).then_some(seconds)
}
