//! The sweep: its longest length, its draws, its progress.

use std::time::Duration;

use crate::prelude::*;

use crate::answers::{Sweep, n_points};
use crate::field::Field;
use crate::frame::now;
use crate::later::use_later;
use crate::page::{Page, use_page};
use crate::phase::Phase;
use crate::plans;
use crate::state::TokenChoice;
use crate::strings;
use crate::strings::Message;

use super::beside::Meanings;
use super::number::NumberField;

/// Sweeps shorter than this show no progress: it would only flicker.
const WORTH_SHOWING: f64 = 300.0;

/// The controls of the sweep, and its progress.
#[component]
pub fn SweepControls() -> impl IntoView {
    let page = use_page();
    let draws_fixed = Signal::derive(move || {
        page.state
            .with(|state| !state.has_samples() && state.tokens != TokenChoice::Own)
            .then_some(strings::only_random_tokens())
    });
    view! {
        <section class="group" aria-labelledby="sweep-heading">
            <h2 id="sweep-heading">{strings::sweep()}</h2>
            <p class="note">{strings::sweep_line()}</p>
            <NumberField field=Field::SWEEP_MAX/>
            <NumberField field=Field::DRAWS fixed=draws_fixed/>
            <Progress/>
            <Meanings of=vec![Field::SWEEP_MAX.meaning(), Field::DRAWS.meaning()]/>
        </section>
    }
}

/// How far the sweep is, with buttons to pause and to resume it. It keeps its place on the page while it has nothing to
/// show.
#[component]
fn Progress() -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let sweep = page.answers.sweep;
    let phase = memo(move |_| sweep.phase());
    let is_long = RwSignal::new(false);
    effect(move |_| {
        // The timer compares requests: a sweep that has replaced this one is running, too.
        let request = sweep.latest();
        if !sweep.is_running() {
            return is_long.set(false);
        }
        let still_runs = move || untrack(|| sweep.is_running() && sweep.latest() == request);
        set_timeout(move || is_long.set(still_runs()), Duration::from_millis(WORTH_SHOWING as u64));
    });
    // The share of the work, not of the points: the longest lists of tokens come last and cost most.
    let share = memo(move |_| {
        sweep.with(|data| {
            let is_known = !sweep.is_stale() && data.cost() > 0.0;
            if is_known { (100.0 * data.cost_so_far() / data.cost()).min(100.0) as usize } else { 0 }
        })
    });
    let words = memo(move |_| {
        sweep.with(|data| match phase.get() {
            Phase::Waiting => String::new(),
            Phase::Running if is_long.get() => {
                let left = data.milliseconds_left(now()).filter(|_| !sweep.is_stale());
                strings::sweeping(share.get(), left)
            }
            // No point of the paused sweep has come yet: the data are those of the earlier sweep.
            Phase::Paused if sweep.is_stale() => {
                strings::paused { done: 0, total: page.state.with(plans::sweep).as_ref().map_or(0, n_points) }.text()
            }
            Phase::Running => String::new(),
            Phase::Paused | Phase::Stopped => strings::paused { done: data.points.len(), total: data.total() }.text(),
            Phase::Done if data.lengths().is_empty() => strings::one_length().into(),
            Phase::Done => strings::swept(data.points.len()),
            // A sentence that stands at a control is not repeated here.
            Phase::Failed(problem) if says_same(page, &problem) => strings::not_swept().into(),
            Phase::Failed(problem) => later.text_of(problem),
        })
    });
    let can_pause = move || sweep.is_running() && is_long.get();
    let can_resume = move || phase.with(|phase| matches!(phase, Phase::Paused | Phase::Failed(_)));
    view! {
        <div class="progress" data-testid="sweep-progress" data-phase=move || phase.with(Phase::id)>
            <div class="progress-bar" class:idle=move || !can_pause() style=move || format!("--at:{}", share.get() as f64 / 100.0)></div>
            <span class="progress-words">{move || words.get()}</span>
            <button type="button" id="sweep-cancel" hidden=move || !can_pause() on:click=move |_| Sweep::pause(sweep)>
                {strings::pause()}
            </button>
            <button type="button" id="sweep-resume" hidden=move || !can_resume() on:click=move |_| Sweep::resume(sweep)>
                {strings::resume()}
            </button>
        </div>
    }
}

fn says_same(page: Page, problem: &Message) -> bool {
    page.answers.problem.with(|shown| shown.as_ref().is_some_and(|shown| shown.text == *problem))
}
