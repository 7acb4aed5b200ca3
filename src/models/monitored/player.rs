//! The slider over the measured steps, and play. With reduced motion there are steps only.

use std::time::Duration;

use crate::prelude::*;
use leptos::ev;

use crate::frame::{Debounce, is_motion_reduced};
use crate::page::{PlotChoice, use_page};
use crate::strings;

use super::context::{Runs, Slot, use_runs};

/// How long each step is shown.
const BEAT: Duration = Duration::from_millis(180);

/// The slider over the steps of the first run.
#[component]
pub fn StepPlayer() -> impl IntoView {
    let runs = use_runs();
    let page = use_page();
    let last = memo(move |_| last_index(runs));
    let at = memo(move |_| index(runs, runs.step.get()));
    let is_playing = RwSignal::new(false);
    let beat = Debounce::default();
    let is_elsewhere = Signal::derive(move || page.plot.get() != PlotChoice::Model);
    let play = move || {
        if at.get_untracked() >= last.get_untracked() {
            go_to(runs, 0);
        }
        is_playing.set(true);
        go_on(runs, is_playing, is_elsewhere, beat);
    };
    let on_play = move |_| if is_playing.get_untracked() { is_playing.set(false) } else { play() };
    let step = move |by: isize| {
        is_playing.set(false);
        go_to(runs, at.get_untracked().saturating_add_signed(by));
    };
    let on_slide = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        is_playing.set(false);
        go_to(runs, event.target().value().parse().unwrap_or(0));
    };
    let words = move || strings::run_step(runs.step.get());
    view! {
        <div class="lab-player model-row" role="group" aria-label=strings::run_player()>
            <button type="button" id="run-play" hidden=is_motion_reduced() on:click=on_play>
                {move || if is_playing.get() { strings::pause() } else { strings::play() }}
            </button>
            <button type="button" id="run-back" aria-label=strings::run_step_back() title=strings::run_step_back() on:click=move |_| step(-1)>"←"</button>
            <button type="button" id="run-on" aria-label=strings::run_step_on() title=strings::run_step_on() on:click=move |_| step(1)>"→"</button>
            <input
                type="range"
                id="run-step"
                min="0"
                max=move || last.get().to_string()
                aria-label=strings::run_player()
                aria-valuetext=words
                prop:value=move || at.get().to_string()
                style=move || format!("--at:{}", at.get() as f64 / last.get().max(1) as f64)
                on:input:target=on_slide
            />
            <span class="lab-frame" data-testid="run-step" data-value=move || runs.step.get().to_string()>{words}</span>
        </div>
    }
}

/// Moves to a measured step of the first run, by its index.
pub fn go_to(runs: Runs, index: usize) {
    let step = untrack(|| runs.opened(Slot::First)).and_then(|opened| {
        let steps = opened.run.steps();
        steps.get(index.min(steps.len().saturating_sub(1))).copied()
    });
    if let Some(step) = step {
        set_if_new(runs.step, step);
    }
}

/// The index of a step among those of the first run. Tracks the run.
pub fn index(runs: Runs, step: u64) -> usize {
    let opened = runs.opened(Slot::First);
    opened.map_or(0, |opened| opened.run.steps().partition_point(|known| *known <= step).saturating_sub(1))
}

/// The index of the last step of the first run. Tracks the run.
fn last_index(runs: Runs) -> usize {
    runs.opened(Slot::First).map_or(0, |opened| opened.run.steps().len().saturating_sub(1))
}

/// Shows the next step after every beat, until the last one.
fn go_on(runs: Runs, is_playing: RwSignal<bool>, is_elsewhere: Signal<bool>, beat: Debounce) {
    beat.after(BEAT, move || {
        if !is_playing.get_untracked() {
            return;
        }
        let (next, last) = untrack(|| (index(runs, runs.step.get()) + 1, last_index(runs)));
        go_to(runs, next);
        if next >= last || is_elsewhere.get_untracked() {
            return is_playing.set(false);
        }
        go_on(runs, is_playing, is_elsewhere, beat);
    });
}
