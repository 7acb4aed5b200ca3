//! The search for tokens at which the constant is large.

use leptos::prelude::*;

use crate::charts::Twin;
use crate::page::{PlotChoice, use_page};
use crate::strings;
use lipscope_core::search::SearchStep;
use lipscope_plot::Number;

use super::chart::LabChart;
use super::scaling::Fact;
use super::search_chart::{search_chart, table};
use super::search_controls::{SearchControls, SearchProgress};
use super::search_plane::{SearchPlane, Shown};
use super::search_work::searched_state;

/// The view of the search.
#[component]
pub fn SearchLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.search;
    let at = RwSignal::new(None::<f64>);
    let chart = Memo::new(move |_| run.with(search_chart));
    // Said when it rests, not thirty times a second.
    let words = Memo::new(move |before: Option<&String>| match before {
        Some(before) if run.with(super::SearchRun::is_running) => before.clone(),
        _ => run.with(strings::search_finding),
    });
    let read = move || run.with(|run| strings::search_readout(at.get().and_then(|x| step_at(&run.steps, x))));
    let is_hidden = move || page.plot.get() != PlotChoice::Search;
    view! {
        <div class="lab" hidden=is_hidden data-testid="hunt-lab">
            <SearchControls/>
            <About/>
            <div class="lab-hunt">
                <div class="plot-stage"><LabChart id="hunt-plot" chart at words readout="hunt-readout"/></div>
                <div class="hunt-planes">
                    <SearchPlane shown=Shown::Current/>
                    <SearchPlane shown=Shown::Best/>
                </div>
            </div>
            <Facts/>
            <p class="readout" id="hunt-readout" aria-live="off">{read}</p>
            <div class="lab-foot">
                <SearchProgress/>
                <Keep/>
                <Twin
                    id="hunt-table"
                    name="lipscope-hunt.csv"
                    table=move || run.with(|run| table(run, |x| Number::of(x).to_string()))
                    csv=move || run.with_untracked(|run| table(run, |x| x.to_string()).to_csv())
                />
            </div>
        </div>
    }
}

/// What is searched, and whether the controls are of something else by now.
#[component]
fn About() -> impl IntoView {
    let page = use_page();
    let run = page.labs.search;
    let about = Memo::new(move |_| run.with(|run| run.setting.as_deref().map(strings::search_about)));
    let has_changed = Memo::new(move |_| {
        let now = page.state.with(searched_state);
        run.with(|run| run.of.as_ref().is_some_and(|of| *of != now) && run.loaded.as_ref() != Some(&now))
    });
    view! {
        <p class="note hunt-about">
            <span data-testid="hunt-about">{move || about.get().unwrap_or_else(|| strings::search_about_text().into())}</span>
            <span data-testid="hunt-changed" hidden=move || !has_changed.get()>" " {strings::search_changed()}</span>
        </p>
    }
}

/// The numbers of the search.
#[component]
fn Facts() -> impl IntoView {
    let run = use_page().labs.search;
    let best = Memo::new(move |_| run.with(|run| run.mark.as_ref().map(|mark| mark.best_norm())));
    let upper = Memo::new(move |_| run.with(|run| run.bounds()[0].map(|bound| (bound.id, bound.value))));
    let lower = Memo::new(move |_| run.with(|run| run.bounds()[1].map(|bound| (bound.id, bound.value))));
    let last = move |read: fn(&SearchStep) -> f64| Signal::derive(move || run.with(|run| run.last.as_ref().map(read)));
    let upper_value = move || upper.get().and_then(|(_, value)| value);
    let upper_name =
        Signal::derive(move || upper.get().map_or(strings::search_no_upper(), |(id, _)| strings::bound_label(id)));
    let lower_name =
        Signal::derive(move || lower.get().map_or(strings::search_no_lower(), |(id, _)| strings::bound_label(id)));
    let ratio = Signal::derive(move || Some(best.get()? / upper_value()?));
    let residual = Signal::derive(move || run.with(|run| run.mark.as_ref().map(|mark| mark.best_residual())));
    let start = Memo::new(move |_| run.with(|run| run.mark.as_ref().map(|mark| mark.best_start())));
    view! {
        <dl class="lab-facts">
            <Fact id="hunt-best" name=strings::search_found() sign="≥" value=Signal::derive(move || best.get())/>
            <Fact id="hunt-upper" name=upper_name sign="≤" value=Signal::derive(upper_value)/>
            <Fact id="hunt-ratio" name=strings::search_over_upper() sign="≥" value=ratio/>
            <Fact id="hunt-lower" name=lower_name sign="≥" value=Signal::derive(move || lower.get().and_then(|(_, value)| value))/>
            <div>
                <dt>{strings::search_from()}</dt>
                <dd data-testid="hunt-start" data-value=move || start.get().map_or("", |kind| kind.id())>
                    {move || start.get().map_or(strings::NONE_YET, strings::search_start)}
                </dd>
            </div>
            <Fact id="hunt-now" name=strings::search_now() sign="=" value=last(|step| step.norm)/>
            <Fact id="hunt-iteration" name=strings::search_iteration() sign="" value=last(|step| step.at as f64)/>
            <Fact id="hunt-residual" name=strings::residual() sign="" value=residual/>
        </dl>
    }
}

/// What can be done with the best tokens.
#[component]
fn Keep() -> impl IntoView {
    let page = use_page();
    let has_none = Memo::new(move |_| page.labs.search.with(|run| run.mark.is_none()));
    let sent = Memo::new(move |_| {
        page.live.searched.with(|found| found.as_ref().map(|found| strings::search_sent(found.n, found.norm)))
    });
    view! {
        <div class="hunt-keep">
            <button type="button" id="hunt-load" title=strings::search_load_hint() disabled=has_none on:click=move |_| page.labs.load_searched(page)>
                {strings::search_load()}
            </button>
            <button type="button" id="hunt-send" title=strings::search_send_hint() disabled=has_none on:click=move |_| page.labs.send_searched(page)>
                {strings::search_send()}
            </button>
            <span class="note" role="status" data-testid="hunt-sent">{move || sent.get()}</span>
        </div>
    }
}

/// The iteration that is drawn at an x.
fn step_at(steps: &[SearchStep], x: f64) -> Option<SearchStep> {
    let at = steps.partition_point(|step| (step.at as f64) < x);
    steps.get(at).copied()
}
