//! How far the work of a view is, with a button to stop it and to do it again.

use leptos::prelude::*;

use crate::page::use_page;
use crate::strings;

use super::run::Phase;

/// A bar, words, and a button. Its place is kept while there is nothing to show.
#[component]
pub fn LabProgress(
    /// Names the view in ids: "scaled" gives "scaled-progress", "scaled-stop" and "scaled-again".
    id: &'static str,
    /// Where the work stands.
    phase: Memo<Phase>,
    /// Steps done, and in all; none in all where nobody knows.
    progress: Memo<(usize, usize)>,
) -> impl IntoView {
    let page = use_page();
    let is_running = move || phase.with(|phase| *phase == Phase::Running);
    let can_repeat = move || phase.with(|phase| matches!(phase, Phase::Stopped | Phase::Failed(_)));
    let share = move || {
        let (done, total) = progress.get();
        if total > 0 { done as f64 / total as f64 } else { 0.0 }
    };
    let words = move || {
        let (done, total) = progress.get();
        phase.with(|phase| strings::lab_progress(phase, done, total))
    };
    view! {
        <div class="progress lab-progress" data-testid=format!("{id}-progress") data-phase=move || phase.with(Phase::id)>
            <div class="progress-bar" class:idle=move || !is_running() style=move || format!("--at:{}", share())></div>
            <span class="progress-words" role="status">{words}</span>
            <button type="button" id=format!("{id}-stop") hidden=move || !is_running() on:click=move |_| page.labs.stop(page)>
                {strings::stop()}
            </button>
            <button type="button" id=format!("{id}-again") hidden=move || !can_repeat() on:click=move |_| page.labs.again(page)>
                {strings::again()}
            </button>
        </div>
    }
}
