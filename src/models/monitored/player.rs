//! Playing the measured steps.

use crate::prelude::*;

use crate::page::PlotChoice;
use crate::player::{Player, PlayerIds, PlayerWords, Playing, Reel};
use crate::strings;

use super::context::{Runs, Slot, use_runs};

/// The slider over the steps of the first run.
#[component]
pub fn StepPlayer() -> impl IntoView {
    let runs = use_runs();
    let playing = Playing::new(Reel {
        at: memo(move |_| index(runs, runs.step.get())).into(),
        last: memo(move |_| last_index(runs)).into(),
        show: Callback::new(move |(at,): (usize,)| go_to(runs, at)),
        stride: |_| 1,
        plot: PlotChoice::Model,
    });
    let ids = PlayerIds { play: "run-play", back: "run-back", on: "run-on", slider: "run-step" };
    let names = PlayerWords {
        group: strings::run_player(),
        back: strings::run_step_back(),
        on: strings::run_step_on(),
        slider: strings::run_player(),
    };
    let words = Signal::derive(move || strings::run_step(runs.step.get()));
    let value = Signal::derive(move || runs.step.get().to_string());
    view! { <Player playing ids names class="lab-player model-row" words value/> }
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
