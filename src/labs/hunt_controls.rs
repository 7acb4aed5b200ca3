//! Where the hunt goes, and its buttons.

use leptos::prelude::*;

use crate::controls::Choice;
use crate::page::use_page;
use crate::state::{MOST_SEED, Settings};
use crate::strings;
use lipscope_core::hunt::Region;

use super::number::{LabNumber, Taken};
use super::run::Phase;

const REGIONS: [Region; 2] = [Region::Ball, Region::Sphere];

/// Buttons and settings over the plot of the hunt.
#[component]
pub fn HuntControls() -> impl IntoView {
    let page = use_page();
    let (run, settings) = (page.labs.hunt, page.labs.settings);
    let restarts = Memo::new(move |_| settings.with(|settings| settings.hunt.restarts));
    let is_running = Memo::new(move |_| run.with(super::HuntRun::is_running));
    let can_go_on = Memo::new(move |_| run.with(|run| run.can_go_on(restarts.get())));
    let has_begun = Memo::new(move |_| run.with(|run| run.plan.is_some()));
    let can_stop = Memo::new(move |_| run.with(|run| matches!(run.phase, Phase::Running | Phase::Paused)));
    let on_pause = move |_| {
        if is_running.get_untracked() { page.labs.pause_hunt(page) } else { page.labs.resume_hunt(page) }
    };
    let chosen = Signal::derive(move || settings.with(|settings| settings.hunt.region.id()));
    let options = Signal::stored(REGIONS.map(|region| (region.id(), strings::hunt_region(region).to_owned())).to_vec());
    let pick = move |id: String| {
        if let Some(region) = REGIONS.into_iter().find(|region| region.id() == id) {
            settings.update(|settings| settings.hunt.region = region);
        }
    };
    let no_dim = Signal::derive(move || !page.state.with(super::hunt_work::has_own_dim));
    view! {
        <div class="lab-head">
            <div class="hunt-buttons" role="group" aria-label=strings::plot_hunt()>
                <button type="button" id="hunt-start" title=strings::hunt_start_hint() on:click=move |_| page.labs.start_hunt(page)>
                    {move || if has_begun.get() { strings::hunt_anew() } else { strings::hunt_start_text() }}
                </button>
                <button type="button" id="hunt-pause" disabled=move || !(is_running.get() || can_go_on.get()) on:click=on_pause>
                    {move || if can_go_on.get() { strings::resume() } else { strings::pause() }}
                </button>
                <button type="button" id="hunt-stop" disabled=move || !can_stop.get() on:click=move |_| page.labs.stop_hunt(page)>
                    {strings::stop()}
                </button>
            </div>
            <Choice id="hunt-region" label=strings::hunt_region_text() options chosen on_pick=Callback::new(pick)/>
            <LabNumber id="hunt-restarts" label=strings::restarts() hint=strings::hunt_restarts_hint() taken=Taken::sizes(&Settings::HUNT_RESTARTS) get=|s| s.hunt.restarts as f64 set=|s, x| s.hunt.restarts = x as usize/>
            <LabNumber id="hunt-seed" label=strings::seed() hint=strings::hunt_seed_hint() taken=Taken::Whole(0, MOST_SEED) get=|s| s.hunt.seed as f64 set=|s, x| s.hunt.seed = x as u64/>
            <LabNumber id="hunt-d" label="d" hint=strings::hunt_dim_hint() taken=Taken::sizes(&Settings::HUNT_DIM) get=|s| s.hunt.dim as f64 set=|s, x| s.hunt.dim = x as usize disabled=no_dim/>
        </div>
    }
}

/// How far the hunt is.
#[component]
pub fn HuntProgress() -> impl IntoView {
    let run = use_page().labs.hunt;
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| run.progress));
    let start = Memo::new(move |_| run.with(|run| run.last.map(|step| step.start)));
    let share = move || {
        let (done, total) = progress.get();
        done as f64 / total.max(1) as f64
    };
    let words = move || phase.with(|phase| strings::hunt_progress(phase, progress.get(), start.get()));
    let is_idle = move || phase.with(|phase| *phase != Phase::Running);
    view! {
        <div class="progress lab-progress" data-testid="hunt-progress" data-phase=move || phase.with(Phase::id)>
            <div class="progress-bar" class:idle=is_idle style=move || format!("--at:{}", share())></div>
            <span class="progress-words" role="status">{words}</span>
        </div>
    }
}
