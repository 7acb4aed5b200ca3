//! "Which attention is smoothest?": the same tokens and matrices through up to six kinds of attention.

use crate::prelude::*;

use crate::charts::ExperimentSource;
use crate::field::Field;
use crate::page::{PlotChoice, use_page};
use crate::state::{CompareSettings, ComparedAlong, ComparedKind, ComparedTokens, PageState, Settings, TokenChoice};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::bounds::Norm;
use lipscope_core::compare::{Along, ComparisonPlan, ComparisonPoint, MOST_KINDS, SearchEffort};
use lipscope_core::experiment::Normalization;
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, LineStyle, Role, Scale, Series, SeriesKind, Table, ValueForm};
use lipscope_protocol::tasks::EnginePlan;

use super::context::{Labs, use_labs};
use super::frame::{LabParts, lab_view};
use super::inputs::{LabChoice, LabNumber};
use super::plot::{LabPlot, plot_ids};
use crate::ask::Request;

/// The lengths over n.
const LENGTHS: [usize; 13] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512];
/// The search is made where tokens have at most this many numbers.
const MOST_SEARCHED: usize = 64;
/// Colours of the kinds, in their order.
const ROLES: [Role; MOST_KINDS] = [
    Role::Measured,
    Role::Sharp,
    Role::LowerBound,
    Role::PublishedGeneral,
    Role::PublishedMeanField,
    Role::ReleasedScript,
];
/// Bounds are drawn up to this many times the largest norm.
const HEADROOM: f64 = 3.0;

/// The engine's work for this lab.
pub fn request(settings: &Settings, state: &PageState) -> Request {
    let settings = &settings.compare;
    let mut state = state.clone();
    if settings.tokens == ComparedTokens::Adversarial {
        state.choose_tokens(TokenChoice::Adversarial);
        state.normalization = Normalization::None;
    }
    let along = match settings.along {
        ComparedAlong::Tokens if state.tokens == TokenChoice::Clusters => return Err(strings::compare_clusters()),
        ComparedAlong::Tokens => {
            let most = if state.has_fixed_n() { state.n_listed() } else { usize::MAX };
            Along::Tokens(LENGTHS.into_iter().filter(|n| *n <= most).collect())
        }
        ComparedAlong::Radius => Along::Radius((-6..=6).map(|at| 10f64.powf(f64::from(at) / 6.0)).collect()),
        ComparedAlong::Cap => Along::Cap((-4..=12).map(|at| 2f64.powf(f64::from(at) / 2.0)).collect()),
        ComparedAlong::Sink => Along::Sink((-8..=12).map(f64::from).collect()),
        ComparedAlong::Window => Along::Window(std::iter::once(1).chain(LENGTHS).collect()),
    };
    let own = || (state.attention, state.steps());
    let kinds = settings.kinds.iter().map(|kind| kind.attention(settings).unwrap_or_else(own)).collect();
    let search = Some(SearchEffort { restarts: 2, iterations: 30, most_entries: MOST_SEARCHED });
    Ok(vec![EnginePlan::Compare(ComparisonPlan { experiment: state.experiment(), kinds, along, search })])
}

/// The view of the comparison.
#[component]
pub fn CompareLab() -> impl IntoView {
    let labs = use_labs();
    let (page, run) = (labs.page, labs.compare);
    let settings = memo(move |_| page.settings.with(|settings| settings.compare.clone()));
    let plot = LabPlot::new(
        plot_ids!("compare"),
        run,
        move |points| settings.with(|settings| chart(points, settings)),
        move |points| settings.with(|settings| finding(points, settings)),
        move |points, at| settings.with(|settings| readout(points, settings, at)),
        |points, written| table(points, &use_settings(), written),
    );
    lab_view(
        run,
        vec![plot],
        LabParts {
            id: "compare",
            plot: PlotChoice::Compare,
            controls: view! { <CompareControls labs/> }.into_any(),
            beside: None,
            facts: view! { <CompareTable labs/> }.into_any(),
            terms: vec![
                (strings::compare_norm(), strings::compare_norm_about()),
                (strings::compare_bound(), strings::compare_bound_about()),
                (strings::compare_found(), strings::compare_found_about()),
            ],
            paper: Paper::Castin,
            theory: Some(Place::Start),
            source: ExperimentSource::Others,
        },
    )
}

fn use_settings() -> CompareSettings {
    use_page().settings.with_untracked(|settings| settings.compare.clone())
}

#[component]
fn CompareControls(
    /// The labs.
    labs: Labs,
) -> impl IntoView {
    let settings = labs.page.settings;
    let kind = move |(id, kind): (&'static str, ComparedKind)| {
        let is_on = move || settings.with(|settings| settings.compare.kinds.contains(&kind));
        let is_full = move || settings.with(|settings| settings.compare.kinds.len() >= MOST_KINDS) && !is_on();
        view! {
            <label class="tick">
                <input
                    type="checkbox"
                    id=format!("compare-{id}")
                    prop:checked=is_on
                    disabled=is_full
                    on:change=move |_| settings.update(|settings| settings.compare.toggle(kind))
                />
                {move || settings.with(|settings| strings::compared_kind(kind, &settings.compare))}
            </label>
        }
    };
    view! {
        <div class="lab-head">
            <fieldset class="compare-kinds">
                <legend>{strings::compare_kinds()}</legend>
                {ComparedKind::ALL.into_iter().map(kind).collect_view()}
            </fieldset>
            <LabChoice
                id="compare-along"
                label=strings::compare_along()
                all=ComparedAlong::ALL
                words=strings::compared_along
                get=|settings| settings.compare.along
                set=|settings, along: ComparedAlong| settings.compare.along = along
            />
            <LabChoice
                id="compare-tokens"
                label=strings::scaled_tokens()
                all=ComparedTokens::ALL
                words=strings::compared_tokens
                get=|settings| settings.compare.tokens
                set=|settings, tokens: ComparedTokens| settings.compare.tokens = tokens
            />
            <LabNumber field=Field::COMPARE_CAP/>
            <LabNumber field=Field::COMPARE_WINDOW/>
            <LabNumber field=Field::COMPARE_SINK/>
        </div>
    }
}

/// The numbers of the last place, a row for each kind.
#[component]
fn CompareTable(
    /// The labs.
    labs: Labs,
) -> impl IntoView {
    let settings = labs.page.settings;
    let rows =
        memo(move |_| labs.compare.with(|points| settings.with(|settings| last_rows(points, &settings.compare))));
    view! {
        <table class="compare-table" data-testid="compare-last">
            <thead>
                <tr>
                    <th scope="col">{strings::compare_kind()}</th>
                    <th scope="col">{move || settings.with(|settings| strings::compared_symbol(settings.compare.along))}</th>
                    <th scope="col">{strings::compare_norm()}</th>
                    <th scope="col">{strings::compare_found()}</th>
                    <th scope="col">{strings::compare_bound()}</th>
                </tr>
            </thead>
            <tbody>
                {move || {
                    let row = |cells: [String; 5]| {
                        let [name, rest @ ..] = cells;
                        view! { <tr><th scope="row">{name}</th>{rest.map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> }
                    };
                    rows.get().into_iter().map(row).collect_view()
                }}
            </tbody>
        </table>
    }
}

/// The name of a point's kind; `None` where the settings have changed since.
fn name(point: &ComparisonPoint, settings: &CompareSettings) -> Option<String> {
    Some(strings::compared_name(*settings.kinds.get(point.kind)?, settings, point.effect))
}

/// For each kind its name, and the texts of its last point: place, norm, found, bound.
fn last_rows(points: &[ComparisonPoint], settings: &CompareSettings) -> Vec<[String; 5]> {
    let of = |at: usize| {
        let last = points.iter().rev().find(|point| point.kind == at)?;
        let name = name(last, settings)?;
        let norm = strings::compare_value(last.norm, if last.is_converged { Kind::Exact } else { Kind::LowerBound });
        let found = last
            .found
            .map_or_else(|| strings::NONE_YET.into(), |found| strings::compare_value(found, Kind::LowerBound));
        let bound = last.bound_log10.map_or_else(|| strings::compare_no_bound().into(), strings::compare_bound_value);
        Some([name, strings::compare_place(last.at), norm, found, bound])
    };
    (0..settings.kinds.len()).filter_map(of).collect()
}

/// The norm of each kind as a line, its bound dotted, what the search finds as rings.
pub fn chart(points: &[ComparisonPoint], settings: &CompareSettings) -> LineChart {
    let mut series = Vec::new();
    let mut most = f64::MIN_POSITIVE;
    let mut least = f64::INFINITY;
    for (at, (kind, role)) in settings.kinds.iter().zip(ROLES).enumerate() {
        let own = || points.iter().filter(move |point| point.kind == at);
        let name = own().next().and_then(|point| name(point, settings)).unwrap_or_default();
        let norms: Vec<(f64, f64)> = own().map(|point| (point.at, point.norm)).collect();
        let found: Vec<(f64, f64)> = own().filter_map(|point| Some((point.at, point.found?))).collect();
        let bounds: Vec<(f64, f64)> = own().filter_map(|point| Some((point.at, point.bound_log10?))).collect();
        for (_, y) in norms.iter().chain(&found) {
            (most, least) = (most.max(*y), if *y > 0.0 { least.min(*y) } else { least });
        }
        let id = kind_id(*kind);
        let mut bound = Series::new(format!("{id}-bound"), "", role, SeriesKind::Line, bounds).claim(Kind::UpperBound);
        (bound.given, bound.line, bound.opacity) = (ValueForm::Log10, Some(LineStyle::Dotted), 0.7);
        let mut line = Series::new(id, name, role, SeriesKind::Line, norms.clone());
        line.line = Some(LineStyle::Solid);
        series.push(bound);
        series.push(line);
        series.push(Series::new(format!("{id}-points"), "", role, SeriesKind::Points, norms));
        series.push(Series::new(format!("{id}-found"), "", role, SeriesKind::Hollow, found).claim(Kind::LowerBound));
    }
    let scale = if settings.along == ComparedAlong::Sink { Scale::Linear } else { Scale::Log };
    let x = AxisSpec::new(strings::compared_x(settings.along), scale);
    let mut chart = LineChart::new(x, AxisSpec::new(strings::norm_axis(Norm::Spectral), Scale::Log), series);
    if least < f64::INFINITY {
        chart.y.range = Extent::new(0.5 * least, HEADROOM * most).map(|extent| extent.nice(Scale::Log));
    }
    chart
}

fn kind_id(kind: ComparedKind) -> &'static str {
    ComparedKind::ALL.into_iter().find(|(_, one)| *one == kind).map_or("", |(id, _)| id)
}

/// The smoothest kind at the last place, in a sentence.
fn finding(points: &[ComparisonPoint], settings: &CompareSettings) -> String {
    // The kinds of a place come one after the other: the last place that has all of them.
    let whole = points.chunks(settings.kinds.len()).rfind(|place| place.len() == settings.kinds.len());
    let here = whole.unwrap_or_default().iter();
    match here.min_by(|a, b| a.norm.total_cmp(&b.norm)).and_then(|point| Some((name(point, settings)?, point))) {
        Some((name, point)) => strings::compare_finding(&name, point, settings.along),
        None => strings::compare_waiting().into(),
    }
}

/// The norms of all kinds at a place.
fn readout(points: &[ComparisonPoint], settings: &CompareSettings, at: Option<f64>) -> String {
    let Some(at) = at else { return strings::compare_readout().into() };
    let part = |point: &ComparisonPoint| {
        let claim = if point.is_converged { Kind::Exact } else { Kind::LowerBound };
        Some(format!("{} {}", name(point, settings)?, strings::compare_value(point.norm, claim)))
    };
    let parts: Vec<String> = points.iter().filter(|point| point.at == at).filter_map(part).collect();
    format!("{} = {}  ·  {}", strings::compared_symbol(settings.along), strings::compare_place(at), parts.join("  ·  "))
}

/// A row for each point.
fn table(points: &[ComparisonPoint], settings: &CompareSettings, written: &dyn Fn(f64) -> String) -> Table {
    let row = |point: &ComparisonPoint| {
        let kind = name(point, settings).unwrap_or_default();
        let optional = |value: Option<f64>| value.map_or_else(String::new, written);
        vec![kind, written(point.at), written(point.norm), optional(point.found), optional(point.bound_log10)]
    };
    Table { header: strings::compare_columns(settings.along), rows: points.iter().map(row).collect() }
}
