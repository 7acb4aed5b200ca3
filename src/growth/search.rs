//! The search for tokens with a larger norm: its controls, its progress and its numbers. The plot shows its results.

use crate::prelude::*;
use leptos::ev;

use crate::controls::{Choice, NumberField};
use crate::field::Field;
use crate::phase::Phase;
use crate::state::{PageState, SearchFold, Trace};
use crate::strings;
use lipscope_core::search::Region;
use lipscope_plot::{Kind, Number};

use super::context::use_growth;
use super::search_plane::SearchPlane;
use super::search_run::SearchRun;
use super::search_work::has_own_dim;

const REGIONS: [Region; 2] = [Region::Ball, Region::Sphere];

/// The fold of the search.
#[component]
pub fn Search() -> impl IntoView {
    let growth = use_growth();
    let page = growth.page;
    let is_open = memo(move |_| page.state.with(|state| state.growth.fold == SearchFold::Open));
    let has_begun = memo(move |_| growth.search.with(|run| run.mark.is_some()));
    let on_toggle = move |event: ev::Event| {
        let is_open_now = event_target::<web_sys::Element>(&event).has_attribute("open");
        if is_open_now != is_open.get_untracked() {
            let fold = if is_open_now { SearchFold::Open } else { SearchFold::Folded };
            page.edit("search-fold", |state| state.growth.fold = fold);
        }
    };
    view! {
        <details class="search" id="search" prop:open=move || is_open.get() on:toggle=on_toggle>
            <summary>{strings::search_heading()}</summary>
            <div class="search-body" data-testid="search">
                <div class="search-side">
                    <About/>
                    <Controls/>
                    <Progress/>
                    <Facts/>
                </div>
                <div hidden=move || !has_begun.get()><SearchPlane/></div>
            </div>
        </details>
    }
}

/// The domain that is searched, and whether the controls have changed since the search began.
#[component]
fn About() -> impl IntoView {
    let growth = use_growth();
    let (page, run) = (growth.page, growth.search);
    let about = memo(move |_| run.with(|run| run.domain.as_deref().map(strings::search_about)));
    let has_changed = memo(move |_| page.state.with(|state| run.with(|run| run.is_of_other(state))));
    let has_other_dim = memo(move |_| {
        let d = page.state.with(PageState::dim);
        run.with(|run| run.domain.as_ref().is_some_and(|domain| domain.d != d))
    });
    view! {
        <p class="note">{strings::search_about_text()}</p>
        <p class="note" hidden=move || about.get().is_none()>
            <span data-testid="search-about">{move || about.get()}</span>
            <span data-testid="search-other-dim" hidden=move || !has_other_dim.get()>{strings::between_sentences()} {strings::search_other_dim()}</span>
            <span data-testid="search-changed" hidden=move || !has_changed.get()>{strings::between_sentences()} {strings::search_changed()}</span>
        </p>
    }
}

/// The buttons and the settings of the search.
#[component]
fn Controls() -> impl IntoView {
    let growth = use_growth();
    let (page, run) = (growth.page, growth.search);
    let is_running = memo(move |_| run.is_running());
    let can_go_on = memo(move |_| growth.can_go_on());
    let has_begun = memo(move |_| run.with(|run| run.plan.is_some()));
    let can_stop = memo(move |_| matches!(run.phase(), Phase::Running | Phase::Paused));
    let has_own_dim = memo(move |_| page.state.with(has_own_dim));
    let has_found = memo(move |_| run.with(|run| run.mark.is_some()));
    let on_pause = move |_| {
        if is_running.get_untracked() { growth.pause_search() } else { growth.resume_search() }
    };
    let chosen = Signal::derive(move || page.state.with(|state| state.growth.search.region.id()));
    let options =
        Signal::stored(REGIONS.map(|region| (region.id(), strings::search_region(region).to_owned())).to_vec());
    let pick = move |id: String| {
        if let Some(region) = REGIONS.into_iter().find(|region| region.id() == id) {
            page.edit("search-region", |state| state.growth.search.region = region);
        }
    };
    view! {
        <div class="search-controls">
            <div class="search-buttons" role="group" aria-label=strings::search_heading()>
                <button type="button" id="search-start" on:click=move |_| growth.start_search()>
                    {move || if has_begun.get() { strings::search_anew() } else { strings::search_start_text() }}
                </button>
                <button type="button" id="search-pause" class:gone=move || !(is_running.get() || can_go_on.get()) on:click=on_pause>
                    {move || if can_go_on.get() { strings::resume() } else { strings::pause() }}
                </button>
                <button type="button" id="search-stop" class:gone=move || !can_stop.get() on:click=move |_| growth.stop_search()>
                    {strings::stop()}
                </button>
                <button type="button" id="search-load" class:gone=move || !has_found.get() on:click=move |_| growth.load_searched()>
                    {strings::search_load()}
                </button>
            </div>
            <Choice id="search-region" label=strings::search_region_text() options chosen on_pick=Callback::new(pick)/>
            <NumberField field=Field::SEARCH_RESTARTS slider=false/>
            <NumberField field=Field::SEARCH_SEED slider=false/>
            <Show when=move || has_own_dim.get()><NumberField field=Field::SEARCH_DIM slider=false/></Show>
        </div>
    }
}

/// How far the search is.
#[component]
fn Progress() -> impl IntoView {
    let growth = use_growth();
    let run = growth.search;
    let phase = memo(move |_| run.phase());
    let progress = memo(move |_| (growth.starts_done(), run.with(SearchRun::starts)));
    let start = memo(move |_| run.with(|run| run.last.map(|step| step.start)));
    let share = move || {
        let (done, total) = progress.get();
        done as f64 / total.max(1) as f64
    };
    let words = move || phase.with(|phase| strings::search_progress(phase, progress.get(), start.get()));
    let is_idle = move || phase.with(|phase| *phase != Phase::Running);
    view! {
        <div class="progress" data-testid="search-progress" data-phase=move || phase.with(Phase::id)>
            <div class="progress-bar" class:idle=is_idle style=move || format!("--at:{}", share())></div>
            <span class="progress-words" role="status">{words}</span>
        </div>
    }
}

/// The numbers of the search.
#[component]
fn Facts() -> impl IntoView {
    let run = use_growth().search;
    let best = memo(move |_| run.with(|run| run.mark.as_ref().map(|mark| mark.best_norm())));
    let start = memo(move |_| run.with(|run| run.mark.as_ref().map(|mark| mark.best_start())));
    let now = memo(move |_| run.with(|run| run.last.map(|step| step.norm)));
    let iteration = memo(move |_| run.with(|run| run.last.map(|step| step.at as f64)));
    let upper = memo(move |_| run.with(|run| run.upper().and_then(|bound| bound.value)));
    let share = memo(move |_| Some(best.get()? / upper.get()?));
    let fact = |id: &'static str, name: &'static str, kind: Kind, value: Memo<Option<f64>>| {
        // Rounded to the side on which the sign holds, as in the list.
        let rounded = move |x: f64| match kind {
            Kind::LowerBound | Kind::UpperBound => Number::digits(x, kind),
            _ => Number::of(x),
        };
        view! {
            <div>
                <dt>{name}</dt>
                <dd>
                    <span class="sign">{move || if value.get().is_some() { kind.sign() } else { "" }}</span>
                    <span class="value" data-testid=id data-value=move || value.get().map_or_else(String::new, |x| x.to_string())>
                        {move || value.get().map_or_else(|| strings::NONE_YET.to_owned(), |x| rounded(x).to_string())}
                    </span>
                </dd>
            </div>
        }
    };
    view! {
        <dl class="search-facts" hidden=move || best.get().is_none()>
            {fact("search-best", strings::trace_label(Trace::Found), Kind::LowerBound, best)}
            {fact("search-upper", strings::search_upper(), Kind::UpperBound, upper)}
            {fact("search-share", strings::search_over_upper(), Kind::LowerBound, share)}
            <div>
                <dt>{strings::search_from()}</dt>
                <dd data-testid="search-from" data-value=move || start.get().map_or("", |kind| kind.id())>
                    {move || start.get().map_or(strings::NONE_YET, strings::search_start)}
                </dd>
            </div>
            {fact("search-now", strings::search_now(), Kind::Exact, now)}
            {fact("search-iteration", strings::search_iteration(), Kind::Plain, iteration)}
        </dl>
    }
}
