//! Training: its buttons, its progress, and what the browser keeps of it.

use crate::prelude::*;

use super::keep::{Keeping, Kept, KeptRun};
use super::session::TrainingSession;
use crate::answers::RunState;
use crate::frame::focus_soon;
use crate::phase::Phase;
use crate::strings;

/// The buttons that train, pause, continue and stop, the progress, and the offer of kept runs.
#[component]
pub fn RunBar(
    /// The form and its runs.
    session: TrainingSession,
) -> impl IntoView {
    let is = move |one: Phase| session.phase.with(|phase| *phase == one);
    let is_running = move || is(Phase::Running);
    let has_left = move || session.runs.with(|runs| runs.iter().any(|run| run.state == RunState::Training));
    let can_go_on = move || has_left() && (is(Phase::Paused) || is(Phase::Stopped));
    let steps = memo(move |_| {
        session.runs.with(|runs| {
            (runs.iter().map(|run| run.step()).sum::<usize>(), runs.iter().map(|run| run.plan.steps).sum::<usize>())
        })
    });
    let share = move || steps.get().0 as f64 / steps.get().1.max(1) as f64;
    let words = move || {
        let phase = session.phase.get();
        session.runs.with(|runs| strings::train_progress(&phase, runs))
    };
    let sentence = NodeRef::<leptos::html::P>::new();
    let on_train = move |_| {
        session.train();
        if session.problem.with_untracked(Option::is_some) {
            focus_soon(move || sentence.get_untracked().map(Into::into));
        }
    };
    let offer = move || session.kept.with(|kept| kept.as_ref().map(|kept| offered(kept)));
    let on_kept = move |_| {
        if let Some(kept) = session.kept.get_untracked() {
            session.take_kept(&kept);
        }
    };
    let is_kept = move || matches!(session.keeping.get(), Keeping::Kept { .. }) && !is_running();
    view! {
        <div class="train-offer" data-testid="train-offer" hidden=move || offer().is_none()>
            <span role="status">{offer}</span>
            <button type="button" id="train-take-kept" class="primary" on:click=on_kept>{strings::train_take_kept()}</button>
            <button type="button" id="train-delete-offer" on:click=move |_| session.delete_kept()>{strings::train_delete()}</button>
        </div>
        <div class="model-row">
            <button type="button" id="train-run" class="primary" hidden=move || session.is_at_work() on:click=on_train>{strings::train_run()}</button>
            <button type="button" id="train-pause" hidden=move || !is_running() on:click=move |_| session.pause()>{strings::model_pause()}</button>
            <button type="button" id="train-go-on" hidden=move || !can_go_on() on:click=move |_| session.go_on()>{strings::model_resume()}</button>
            <button type="button" id="train-stop" hidden=move || !session.is_at_work() on:click=move |_| session.stop()>{strings::stop()}</button>
            <span class="note" data-testid="train-keeping">{move || kept_words(session.keeping.get())}</span>
            <button type="button" id="train-delete" hidden=move || !is_kept() on:click=move |_| session.delete_kept()>{strings::train_delete()}</button>
        </div>
        <div class="progress" data-testid="train-progress" data-phase=move || session.phase.with(Phase::id) data-steps=move || steps.get().0>
            <div class="progress-bar" class:idle=move || !is_running() style=move || format!("--at:{}", share())></div>
            <span class="progress-words">{words}</span>
        </div>
        <p class="sr-only" role="status">{move || strings::train_phase(&session.phase.get())}</p>
        <p class="note" role="status">{move || session.note.get()}</p>
        <p class="problem" role="alert" node_ref=sentence tabindex="-1" data-testid="train-problem" hidden=move || session.problem.with(Option::is_none)>
            {move || session.problem.get().unwrap_or_default()}
        </p>
    }
}

/// What the browser keeps, or why it keeps nothing.
fn kept_words(keeping: Keeping) -> String {
    match keeping {
        Keeping::Nothing => String::new(),
        Keeping::Kept { step, bytes } => strings::train_keeping { size: strings::model_bytes(bytes), step }.text(),
        Keeping::Deleted => strings::train_deleted().into(),
        Keeping::Replaced => strings::train_replaced().into(),
        Keeping::NoRoom => strings::train_no_room().into(),
        Keeping::Refused => strings::train_not_kept().into(),
    }
}

/// The offer to continue runs from an earlier visit.
fn offered(kept: &Kept) -> String {
    let run = |run: &KeptRun| {
        let plan = run.plan();
        strings::train_offer_run { kind: strings::train_kind(plan.kind), step: run.step(), steps: plan.steps }.text()
    };
    let runs: Vec<String> = kept.runs.iter().map(run).collect();
    strings::train_offer(runs.join(strings::train_progress::between()))
}
