//! The sweep: its longest length, its draws, its progress.

use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::InputError;

use crate::field::Field;
use crate::frame::now;
use crate::later::use_later;
use crate::live::SweepPhase;
use crate::message::Message;
use crate::page::{Page, use_page};
use crate::state::TokenChoice;
use crate::strings;

use super::meanings::Meanings;
use super::number::NumberField;

/// Sweeps shorter than this show no progress: it would only flicker.
const WORTH_SHOWING: f64 = 300.0;

/// Everything about the sweep.
#[component]
pub fn SweepControls() -> impl IntoView {
    let page = use_page();
    let draws_fixed = Signal::derive(move || {
        page.state
            .with(|state| !matches!(state.tokens, TokenChoice::Distribution(_) | TokenChoice::Own))
            .then_some(strings::only_random_tokens())
    });
    view! {
        <section class="group" aria-labelledby="sweep-heading">
            <h2 id="sweep-heading">{strings::sweep()}</h2>
            <p class="note">{strings::sweep_line()}</p>
            <NumberField field=Field::SweepMax/>
            <NumberField field=Field::Draws fixed=draws_fixed/>
            <Progress/>
            <Meanings of=vec![Field::SweepMax.meaning(), Field::Draws.meaning()]/>
        </section>
    }
}

/// How far the sweep is, with a button to stop it and to go on. Its place is kept while there is nothing to show.
#[component]
fn Progress() -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let sweep = page.live.sweep;
    let phase = memo(move |_| sweep.with(|sweep| sweep.phase));
    let is_long = RwSignal::new(false);
    // A sweep that replaces another one is Running too, but began at another time.
    let run = memo(move |_| sweep.with(|sweep| (sweep.phase, sweep.began)));
    effect(move |_| {
        let (phase, began) = run.get();
        if phase != SweepPhase::Running {
            return is_long.set(false);
        }
        let still_runs = move || sweep.with_untracked(|now| now.phase == SweepPhase::Running && now.began == began);
        set_timeout(move || is_long.set(still_runs()), Duration::from_millis(WORTH_SHOWING as u64));
    });
    // By the work, not by the points: the long lists come last and cost most.
    let share = memo(move |_| {
        sweep.with(|sweep| {
            if sweep.cost() > 0.0 { (100.0 * sweep.cost_so_far() / sweep.cost()).min(100.0) as usize } else { 0 }
        })
    });
    let words = memo(move |_| {
        sweep.with(|sweep| match sweep.phase {
            SweepPhase::Waiting => String::new(),
            SweepPhase::Running if is_long.get() => strings::sweeping(share.get(), sweep.milliseconds_left(now())),
            SweepPhase::Running => String::new(),
            SweepPhase::Paused => strings::paused(sweep.points.len(), sweep.total()),
            SweepPhase::Done if sweep.lengths.is_empty() => strings::one_length().into(),
            SweepPhase::Done => strings::swept(sweep.points.len()),
            // A sentence that stands at a control is not repeated here.
            SweepPhase::Failed if says_same(page, sweep.problem.as_ref()) => strings::not_swept().into(),
            SweepPhase::Failed => sweep.problem.clone().map(|problem| later.told(problem)).unwrap_or_default(),
        })
    });
    let can_pause = move || phase.get() == SweepPhase::Running && is_long.get();
    let can_resume = move || matches!(phase.get(), SweepPhase::Paused | SweepPhase::Failed);
    view! {
        <div class="progress" data-testid="sweep-progress" data-phase=move || phase.get().id()>
            <div class="progress-bar" class:idle=move || !can_pause() style=move || format!("--at:{}", share.get() as f64 / 100.0)></div>
            <span class="progress-words">{move || words.get()}</span>
            <button type="button" id="sweep-cancel" hidden=move || !can_pause() on:click=move |_| page.pause_sweep()>
                {strings::pause()}
            </button>
            <button type="button" id="sweep-resume" hidden=move || !can_resume() on:click=move |_| page.resume_sweep()>
                {strings::resume()}
            </button>
        </div>
    }
}

fn says_same(page: Page, problem: Option<&InputError>) -> bool {
    let is_same = |message: &Message| matches!(message, Message::Error(shown) if Some(shown) == problem);
    page.live.problem.with(|shown| shown.as_ref().is_some_and(|shown| is_same(&shown.text)))
}
