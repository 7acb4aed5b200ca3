//! The hunt for tokens at which the constant is large.

use leptos::prelude::*;

use crate::charts::Twin;
use crate::page::{PlotChoice, use_page};
use crate::strings;
use lipscope_core::hunt::HuntStep;
use lipscope_plot::Number;

use super::chart::LabChart;
use super::hunt_chart::{hunt_chart, table};
use super::hunt_controls::{HuntControls, HuntProgress};
use super::hunt_plane::{HuntPlane, Shown};
use super::hunt_work::hunted_state;
use super::scaling::Fact;

/// The view of the hunt.
#[component]
pub fn HuntLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.hunt;
    let at = RwSignal::new(None::<f64>);
    let chart = Memo::new(move |_| run.with(hunt_chart));
    // Said when it rests, not thirty times a second.
    let words = Memo::new(move |before: Option<&String>| match before {
        Some(before) if run.with(super::HuntRun::is_running) => before.clone(),
        _ => run.with(strings::hunt_finding),
    });
    let read = move || run.with(|run| strings::hunt_readout(at.get().and_then(|x| step_at(&run.steps, x))));
    let is_hidden = move || page.plot.get() != PlotChoice::Hunt;
    view! {
        <div class="lab" hidden=is_hidden data-testid="hunt-lab">
            <HuntControls/>
            <About/>
            <div class="lab-hunt">
                <div class="plot-stage"><LabChart id="hunt-plot" chart at words readout="hunt-readout"/></div>
                <div class="hunt-planes">
                    <HuntPlane shown=Shown::Current/>
                    <HuntPlane shown=Shown::Best/>
                </div>
            </div>
            <Facts/>
            <p class="readout" id="hunt-readout" aria-live="off">{read}</p>
            <div class="lab-foot">
                <HuntProgress/>
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

/// What is hunted, and whether the controls are of something else by now.
#[component]
fn About() -> impl IntoView {
    let page = use_page();
    let run = page.labs.hunt;
    let about = Memo::new(move |_| run.with(|run| run.setting.as_deref().map(strings::hunt_about)));
    let has_changed = Memo::new(move |_| {
        let now = page.state.with(hunted_state);
        run.with(|run| run.of.as_ref().is_some_and(|of| *of != now) && run.loaded.as_ref() != Some(&now))
    });
    view! {
        <p class="note hunt-about">
            <span data-testid="hunt-about">{move || about.get().unwrap_or_else(|| strings::hunt_about_text().into())}</span>
            <span data-testid="hunt-changed" hidden=move || !has_changed.get()>" " {strings::hunt_changed()}</span>
        </p>
    }
}

/// The numbers of the hunt.
#[component]
fn Facts() -> impl IntoView {
    let run = use_page().labs.hunt;
    let best = Memo::new(move |_| run.with(|run| run.mark.as_ref().map(|mark| mark.best_norm())));
    let upper = Memo::new(move |_| run.with(|run| run.bounds()[0].map(|bound| (bound.id, bound.value))));
    let lower = Memo::new(move |_| run.with(|run| run.bounds()[1].map(|bound| (bound.id, bound.value))));
    let last = move |read: fn(&HuntStep) -> f64| Signal::derive(move || run.with(|run| run.last.as_ref().map(read)));
    let upper_value = move || upper.get().and_then(|(_, value)| value);
    let upper_name =
        Signal::derive(move || upper.get().map_or(strings::hunt_no_upper(), |(id, _)| strings::bound_label(id)));
    let lower_name =
        Signal::derive(move || lower.get().map_or(strings::hunt_no_lower(), |(id, _)| strings::bound_label(id)));
    let ratio = Signal::derive(move || Some(best.get()? / upper_value()?));
    let residual = Signal::derive(move || run.with(|run| run.mark.as_ref().map(|mark| mark.best_residual())));
    let start = Memo::new(move |_| run.with(|run| run.mark.as_ref().map(|mark| mark.best_start())));
    view! {
        <dl class="lab-facts">
            <Fact id="hunt-best" name=strings::hunt_found() sign="≥" value=Signal::derive(move || best.get())/>
            <Fact id="hunt-upper" name=upper_name sign="≤" value=Signal::derive(upper_value)/>
            <Fact id="hunt-ratio" name=strings::hunt_over_upper() sign="≥" value=ratio/>
            <Fact id="hunt-lower" name=lower_name sign="≥" value=Signal::derive(move || lower.get().and_then(|(_, value)| value))/>
            <div>
                <dt>{strings::hunt_from()}</dt>
                <dd data-testid="hunt-start" data-value=move || start.get().map_or("", |kind| kind.id())>
                    {move || start.get().map_or(strings::NONE_YET, strings::hunt_start)}
                </dd>
            </div>
            <Fact id="hunt-now" name=strings::hunt_now() sign="=" value=last(|step| step.norm)/>
            <Fact id="hunt-iteration" name=strings::hunt_iteration() sign="" value=last(|step| step.at as f64)/>
            <Fact id="hunt-residual" name=strings::residual() sign="" value=residual/>
        </dl>
    }
}

/// What can be done with the best tokens.
#[component]
fn Keep() -> impl IntoView {
    let page = use_page();
    let has_none = Memo::new(move |_| page.labs.hunt.with(|run| run.mark.is_none()));
    let sent = Memo::new(move |_| {
        page.live.hunted.with(|found| found.as_ref().map(|found| strings::hunt_sent(found.n, found.norm)))
    });
    view! {
        <div class="hunt-keep">
            <button type="button" id="hunt-load" title=strings::hunt_load_hint() disabled=has_none on:click=move |_| page.labs.load_hunted(page)>
                {strings::hunt_load()}
            </button>
            <button type="button" id="hunt-send" title=strings::hunt_send_hint() disabled=has_none on:click=move |_| page.labs.send_hunted(page)>
                {strings::hunt_send()}
            </button>
            <span class="note" role="status" data-testid="hunt-sent">{move || sent.get()}</span>
        </div>
    }
}

/// The iteration that is drawn at an x.
fn step_at(steps: &[HuntStep], x: f64) -> Option<HuntStep> {
    let at = steps.partition_point(|step| (step.at as f64) < x);
    steps.get(at).copied()
}
