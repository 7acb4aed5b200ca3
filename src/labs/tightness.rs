//! The largest norms that a search finds, against the bound.

use leptos::prelude::*;

use crate::charts::{Behind, Take, Twin};
use crate::page::{PlotChoice, use_page};
use crate::state::Settings;
use crate::strings::{self, Paper};
use lipscope_core::bounds::BoundId;
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::{AxisSpec, Extent, LineChart, Number, Role, Scale, Series, SeriesKind, Table};

use super::chart::LabChart;
use super::number::{LabNumber, Taken};
use super::progress::LabProgress;
use super::run::Phase;
use super::scaling::Fact;

/// The view of the search.
#[component]
pub fn TightnessLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.tightness;
    let at = RwSignal::new(None::<f64>);
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| run.progress));
    let chart = Memo::new(move |_| run.with(|run| chart(&run.data, &run.phase)));
    // What the pointer reads; else the largest n.
    let point = Memo::new(move |_| {
        run.with(|run| {
            let pointed = at.get().and_then(|n| run.data.iter().find(|point| point.n as f64 == n));
            pointed.or(run.data.last()).cloned()
        })
    });
    let read = move |get: fn(&TightnessPoint) -> f64| Signal::derive(move || point.with(|p| p.as_ref().map(get)));
    let words = Memo::new(move |_| run.with(|run| strings::tightness_finding(&run.data)));
    let clusters = move || point.with(|point| point.as_ref().map_or_else(String::new, strings::tightness_readout));
    let is_hidden = move || page.plot.get() != PlotChoice::Tightness;
    let csv = move || run.with_untracked(|run| table(&run.data, |x| x.to_string()).to_csv());
    view! {
        <div class="lab" hidden=is_hidden data-testid="tightness-lab">
            <div class="lab-head">
                <p class="lab-finding">{strings::tightness_about()}</p>
                <LabNumber
                    id="tightness-restarts"
                    label=strings::restarts()
                    hint=strings::restarts_hint()
                    taken=Taken::sizes(&Settings::RESTARTS)
                    get=|settings| settings.restarts as f64
                    set=|settings, value| settings.restarts = value as usize
                />
            </div>
            <div class="plot-stage">
                <LabChart id="tightness-plot" chart at words readout="tightness-readout"/>
            </div>
            <dl class="lab-facts">
                <Fact id="tight-n" name=strings::SMALL_N sign="=" value=read(|point| point.n as f64) written=strings::count/>
                <Fact id="tight-found" name=strings::largest_found() sign="≥" value=read(|point| point.found)/>
                <Fact id="tight-bound" name=strings::kim_linf() sign="≤" value=read(|point| point.bound)/>
                <Fact id="tight-ratio" name=strings::found_over_bound() sign="≥" value=read(|point| point.found / point.bound)/>
            </dl>
            <p class="readout" id="tightness-readout" aria-live="polite">{clusters}</p>
            <div class="lab-foot">
                <LabProgress id="tightness" phase progress/>
                <Twin
                    id="tightness-table"
                    name="lipscope-tightness.csv"
                    table=move || run.with(|run| table(&run.data, |x| Number::of(x).to_string()))
                    csv
                />
                <Take
                    id="take-tightness"
                    name="lipscope-tightness"
                    canvas="tightness-plot"
                    title=strings::tightness_heading()
                    figure=move |_| Some(chart.get_untracked())
                    csv
                    paper=Paper::Kim
                    behind=Behind::Others
                />
            </div>
        </div>
    }
}

fn chart(points: &[TightnessPoint], phase: &Phase) -> LineChart {
    let of =
        |read: fn(&TightnessPoint) -> f64| points.iter().map(|point| (point.n as f64, read(point))).collect::<Vec<_>>();
    let (found, bound) = (of(|point| point.found), of(|point| point.bound));
    let top = bound.iter().map(|point| point.1).fold(1.0, f64::max);
    let series = vec![
        Series::new(BoundId::KimLinf.id(), strings::kim_linf(), Role::PublishedGeneral, SeriesKind::Line, bound)
            .short_label(strings::kim_linf_short()),
        Series::new("found", strings::largest_found(), Role::LowerBound, SeriesKind::Points, found.clone())
            .short_label(strings::largest_found_short()),
    ];
    let mut chart = LineChart::new(
        AxisSpec::new(strings::tightness_x(), Scale::Log).range(Extent::new(2.0, 1000.0)),
        AxisSpec::new(strings::tightness_y(), Scale::Linear).range(Extent::new(0.0, top.max(20.0))),
        series,
    );
    chart.note = strings::lab_note(phase);
    chart
}

fn table(points: &[TightnessPoint], written: impl Fn(f64) -> String) -> Table {
    let row = |point: &TightnessPoint| {
        let numbers = [point.found, point.bound, point.found / point.bound].map(&written);
        std::iter::once(point.n.to_string()).chain(numbers).chain([strings::clusters_of(point)]).collect()
    };
    Table { header: strings::tightness_columns().map(String::from).to_vec(), rows: points.iter().map(row).collect() }
}
