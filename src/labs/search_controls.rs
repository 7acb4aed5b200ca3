//! Where the search goes, and its buttons.

use leptos::prelude::*;

use crate::controls::Choice;
use crate::page::use_page;
use crate::state::{MOST_SEED, Settings};
use crate::strings;
use lipscope_core::search::Region;

use super::number::{LabNumber, Taken};
use super::run::Phase;

const REGIONS: [Region; 2] = [Region::Ball, Region::Sphere];

/// Buttons and settings over the plot of the search.
#[component]
pub fn SearchControls() -> impl IntoView {
    let page = use_page();
    let (run, settings) = (page.labs.search, page.labs.settings);
    let restarts = Memo::new(move |_| settings.with(|settings| settings.search.restarts));
    let is_running = Memo::new(move |_| run.with(super::SearchRun::is_running));
    let can_go_on = Memo::new(move |_| run.with(|run| run.can_go_on(restarts.get())));
    let has_begun = Memo::new(move |_| run.with(|run| run.plan.is_some()));
    let can_stop = Memo::new(move |_| run.with(|run| matches!(run.phase, Phase::Running | Phase::Paused)));
    let on_pause = move |_| {
        if is_running.get_untracked() { page.labs.pause_search(page) } else { page.labs.resume_search(page) }
    };
    let chosen = Signal::derive(move || settings.with(|settings| settings.search.region.id()));
    let options =
        Signal::stored(REGIONS.map(|region| (region.id(), strings::search_region(region).to_owned())).to_vec());
    let pick = move |id: String| {
        if let Some(region) = REGIONS.into_iter().find(|region| region.id() == id) {
            settings.update(|settings| settings.search.region = region);
        }
    };
    let no_dim = Signal::derive(move || !page.state.with(super::search_work::has_own_dim));
    view! {
        <div class="lab-head">
            <div class="hunt-buttons" role="group" aria-label=strings::plot_search()>
                <button type="button" id="hunt-start" title=strings::search_start_hint() on:click=move |_| page.labs.start_search(page)>
                    {move || if has_begun.get() { strings::search_anew() } else { strings::search_start_text() }}
                </button>
                <button type="button" id="hunt-pause" disabled=move || !(is_running.get() || can_go_on.get()) on:click=on_pause>
                    {move || if can_go_on.get() { strings::resume() } else { strings::pause() }}
                </button>
                <button type="button" id="hunt-stop" disabled=move || !can_stop.get() on:click=move |_| page.labs.stop_search(page)>
                    {strings::stop()}
                </button>
            </div>
            <Choice id="hunt-region" label=strings::search_region_text() options chosen on_pick=Callback::new(pick)/>
            <LabNumber id="hunt-restarts" label=strings::restarts() hint=strings::search_restarts_hint() taken=Taken::sizes(&Settings::SEARCH_RESTARTS) get=|s| s.search.restarts as f64 set=|s, x| s.search.restarts = x as usize/>
            <LabNumber id="hunt-seed" label=strings::seed() hint=strings::search_seed_hint() taken=Taken::Whole(0, MOST_SEED) get=|s| s.search.seed as f64 set=|s, x| s.search.seed = x as u64/>
            <LabNumber id="hunt-d" label="d" hint=strings::search_dim_hint() taken=Taken::sizes(&Settings::SEARCH_DIM) get=|s| s.search.dim as f64 set=|s, x| s.search.dim = x as usize disabled=no_dim/>
        </div>
    }
}

/// How far the search is.
#[component]
pub fn SearchProgress() -> impl IntoView {
    let run = use_page().labs.search;
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| run.progress));
    let start = Memo::new(move |_| run.with(|run| run.last.map(|step| step.start)));
    let share = move || {
        let (done, total) = progress.get();
        done as f64 / total.max(1) as f64
    };
    let words = move || phase.with(|phase| strings::search_progress(phase, progress.get(), start.get()));
    let is_idle = move || phase.with(|phase| *phase != Phase::Running);
    view! {
        <div class="progress lab-progress" data-testid="hunt-progress" data-phase=move || phase.with(Phase::id)>
            <div class="progress-bar" class:idle=is_idle style=move || format!("--at:{}", share())></div>
            <span class="progress-words" role="status">{words}</span>
        </div>
    }
}
