//! The largest norms of L2 attention that a search finds, against the bound.

use crate::prelude::*;

use crate::charts::ExperimentSource;
use crate::field::Field;
use crate::page::{Page, PlotChoice};
use crate::state::{PageState, Settings};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::bounds::KIM_LINF;
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, Role, Scale, Series, SeriesKind, Table};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, TightnessPlan};

use super::card::{CardPicture, Pictures};
use super::frame::{Fact, LabParts, lab_view};
use super::inputs::LabNumber;
use super::lab::Lab;
use super::plot::{LabPlot, Written, plot_ids};
use crate::query::{Query, Request};

/// The numbers of tokens at which the lab searches.
const LENGTHS: [usize; 15] = [2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 300, 500, 1000];

/// The largest norms that a search finds, at each n.
pub struct TightnessLab;

impl Lab for TightnessLab {
    const PLOT: PlotChoice = PlotChoice::Tightness;
    type Data = Vec<TightnessPoint>;

    fn request(settings: &Settings, _: &PageState) -> Request {
        let plan = TightnessPlan { lengths: LENGTHS.to_vec(), restarts: settings.restarts, seed: 0 };
        Ok(vec![EnginePlan::Tightness(plan)])
    }

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        if let EngineEvent::Tightness(points) = event {
            run.fresh(|data| data.extend(points));
        }
    }

    fn begin(page: Page) -> Query<Self::Data> {
        page.answers.tightness
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        Some(CardPicture::Lines(chart(&pictures.tightness)))
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let clusters = |points: &Vec<TightnessPoint>, at: Option<f64>| {
            read_at(points, at).map_or_else(String::new, strings::tightness_readout)
        };
        let words = |points: &Vec<TightnessPoint>| strings::tightness_finding(points);
        let plot = LabPlot::new(
            plot_ids!("tightness"),
            run,
            |points| chart(points),
            words,
            clusters,
            |points, written| table(points, written),
        );
        let at = plot.at();
        let read = move |get: fn(&TightnessPoint) -> f64| {
            Signal::derive(move || run.with(|data| read_at(data, at.get()).map(get)))
        };
        let plots = vec![plot];
        lab_view(run, plots, LabParts {
            id: "tightness",
            plot: Self::PLOT,
            controls: view! {
                <div class="lab-head">
                    <LabNumber field=Field::RESTARTS/>
                </div>
            }
            .into_any(),
            aside: None,
            facts: view! {
                <dl class="lab-facts">
                    <Fact id="tight-n" name=strings::SMALL_N sign="=" value=read(|point| point.n as f64) written=strings::count/>
                    <Fact id="tight-found" name=strings::largest_found() sign="≥" value=read(|point| point.found)/>
                    <Fact id="tight-bound" name=strings::kim_linf() sign="≤" value=read(|point| point.bound)/>
                    <Fact id="tight-ratio" name=strings::found_over_bound() sign="≥" value=read(|point| point.found / point.bound)/>
                </dl>
            }
            .into_any(),
            terms: vec![
                Field::RESTARTS.meaning(),
                (strings::largest_found(), strings::tightness_about()),
                (strings::kim_linf(), strings::kim_linf_about()),
            ],
            paper: Paper::Kim,
            theory: Some(Place::Bound(&KIM_LINF)),
            source: ExperimentSource::Others,
        })
    }
}

/// The point under the pointer; else the point of the largest n.
fn read_at(points: &[TightnessPoint], at: Option<f64>) -> Option<&TightnessPoint> {
    at.and_then(|n| points.iter().find(|point| point.n as f64 == n)).or(points.last())
}

/// The search results and the bound over n.
pub fn chart(points: &[TightnessPoint]) -> LineChart {
    let of =
        |read: fn(&TightnessPoint) -> f64| points.iter().map(|point| (point.n as f64, read(point))).collect::<Vec<_>>();
    let (found, bound) = (of(|point| point.found), of(|point| point.bound));
    let top = bound.iter().map(|point| point.1).fold(1.0, f64::max);
    let series = vec![
        Series::new(KIM_LINF.id(), strings::kim_linf(), Role::PublishedGeneral, SeriesKind::Line, bound)
            .short_label(strings::kim_linf_short()),
        Series::new("found", strings::largest_found(), Role::LowerBound, SeriesKind::Points, found.clone())
            .short_label(strings::largest_found_short()),
    ];
    LineChart::new(
        AxisSpec::new(strings::tightness_x(), Scale::Log).range(Extent::new(2.0, 1000.0)),
        AxisSpec::new(strings::tightness_y(), Scale::Linear).range(Extent::new(0.0, top.max(20.0))),
        series,
    )
}

fn table(points: &[TightnessPoint], written: Written<'_>) -> Table {
    let row = |point: &TightnessPoint| {
        let ratio = (point.found / point.bound, Kind::LowerBound);
        let numbers = [(point.found, Kind::LowerBound), (point.bound, Kind::UpperBound), ratio];
        let numbers = numbers.map(|(x, kind)| written(x, kind));
        std::iter::once(point.n.to_string()).chain(numbers).chain([strings::clusters_of(point)]).collect()
    };
    Table { header: strings::tightness_columns().map(String::from).to_vec(), rows: points.iter().map(row).collect() }
}
