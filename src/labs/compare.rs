//! "Which attention is smoothest?": the same tokens and matrices through up to six kinds of attention.

use crate::prelude::*;

use crate::charts::ExperimentSource;
use crate::field::Field;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{CompareSettings, ComparedAlong, ComparedKind, ComparedTokens, PageState, Settings, TokenChoice};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::bounds::Norm;
use lipscope_core::compare::{Along, ComparisonPlan, ComparisonPoint, MOST_KINDS, SearchEffort};
use lipscope_core::experiment::Normalization;
use lipscope_plot::{
    AxisSpec, Extent, KeyEntry, KeyMark, Kind, LineChart, LineStyle, Role, Scale, Series, SeriesKind, Table,
};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};
use super::frame::{LabParts, lab_view};
use super::inputs::{LabChoice, LabNumber};
use super::lab::Lab;
use super::plot::{LabPlot, Written, plot_ids};
use crate::query::{Query, Request};

/// The lengths over n.
const LENGTHS: [usize; 13] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512];
/// The search is made where tokens have at most this many numbers.
const MOST_SEARCHED: usize = 64;
/// The colours of the kinds: a kind keeps its colour and its dashes, whichever others are shown.
const ROLES: [Role; MOST_KINDS] = [
    Role::Measured,
    Role::Unified,
    Role::LowerBound,
    Role::PublishedGeneral,
    Role::PublishedMeanField,
    Role::Reference,
];
/// The dashes of the kinds, for each round of the colours; bounds are dotted.
const LINES: [LineStyle; 3] = [LineStyle::Solid, LineStyle::Dashed, LineStyle::DashDot];
/// The width of all lines, in CSS pixels.
const WIDTH: f64 = 1.5;
/// Bounds are drawn up to this many times the largest norm.
const HEADROOM: f64 = 3.0;

/// Several kinds of attention at the same tokens.
pub struct CompareLab;

impl Lab for CompareLab {
    const PLOT: PlotChoice = PlotChoice::Compare;
    type Data = Vec<ComparisonPoint>;

    fn request(settings: &Settings, state: &PageState) -> Request {
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

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        if let EngineEvent::Compare(points) = event {
            run.fresh(|data| data.extend(points));
        }
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        Some(CardPicture::Lines(chart(&pictures.compare, &CompareSettings::default())))
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let page = use_page();
        let settings = memo(move |_| page.settings.with(|settings| settings.compare.clone()));
        let words = memo(move |_| run.with(|points| settings.with(|settings| finding(points, settings))));
        let plot = LabPlot::new(
            plot_ids!("compare"),
            run,
            move |points| settings.with(|settings| chart(points, settings)),
            move |points| settings.with(|settings| finding(points, settings)),
            move |points, at| settings.with(|settings| readout(points, settings, at)),
            |points, written| table(points, &use_settings(), written),
        );
        let along = memo(move |_| settings.with(|settings| settings.along));
        let at = plot.at();
        effect(move |before: Option<ComparedAlong>| {
            let now = along.get();
            if before.is_some_and(|before| before != now) {
                // A place on the axis before is none on the new one.
                at.set(None);
            }
            now
        });
        lab_view(
            run,
            vec![plot],
            LabParts {
                id: "compare",
                plot: Self::PLOT,
                controls: view! {
                    <CompareControls/>
                    <p class="lab-finding" data-testid="compare-finding">{words}</p>
                }
                .into_any(),
                aside: None,
                facts: view! { <CompareTable run/> }.into_any(),
                terms: vec![
                    (strings::compare_norm(), strings::compare_norm_about()),
                    (strings::compare_output(), strings::compare_output_about()),
                    (strings::compare_bound(), strings::compare_bound_about()),
                    (strings::compare_found(), strings::compare_found_about()),
                ],
                paper: Paper::Castin,
                theory: Some(Place::Start),
                source: ExperimentSource::Others,
            },
        )
    }
}

fn use_settings() -> CompareSettings {
    use_page().settings.with_untracked(|settings| settings.compare.clone())
}

#[component]
fn CompareControls() -> impl IntoView {
    let settings = use_page().settings;
    let kind = move |(id, kind): (&'static str, ComparedKind)| {
        let is_on = move || settings.with(|settings| settings.compare.kinds.contains(&kind));
        let is_full = move || settings.with(|settings| settings.compare.kinds.len() >= MOST_KINDS) && !is_on();
        view! {
            <label class="tick">
                <input
                    type="checkbox"
                    id=format!("compare-kind-{id}")
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
    /// The comparison.
    run: Query<Vec<ComparisonPoint>>,
) -> impl IntoView {
    let Page { settings, state, .. } = use_page();
    let rows = memo(move |_| {
        run.with(|points| settings.with(|settings| state.with(|state| last_rows(points, state, &settings.compare))))
    });
    view! {
        <table class="compare-table" data-testid="compare-last">
            <thead>
                <tr>
                    <th scope="col">{strings::compare_kind()}</th>
                    <th scope="col">{move || settings.with(|settings| strings::compared_symbol(settings.compare.along))}</th>
                    <th scope="col">{strings::compare_norm()}</th>
                    <th scope="col">{strings::compare_output()}</th>
                    <th scope="col">{strings::compare_found()}</th>
                    <th scope="col">{strings::compare_bound()}</th>
                </tr>
            </thead>
            <tbody>
                {move || {
                    let row = |cells: [String; 6]| {
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

/// For each kind its name, and the texts of its point at the last place that all kinds have: place, norm, output, found,
/// bound.
fn last_rows(points: &[ComparisonPoint], state: &PageState, settings: &CompareSettings) -> Vec<[String; 6]> {
    let row = |point: &ComparisonPoint| {
        let norm = strings::compare_value(point.norm, claim(point));
        let output = point.output.map_or_else(|| strings::NONE_YET.into(), strings::compare_output_value);
        let found = strings::compare_found_value(point, state, settings);
        let bound = point.bound_log10.map_or_else(|| strings::compare_no_bound().into(), strings::compare_bound_value);
        Some([name(point, settings)?, strings::compare_place(point.at), norm, output, found, bound])
    };
    last_place(points, settings).iter().filter_map(row).collect()
}

/// The points of the last place that all kinds have: those of a place come one after the other. Empty before the first
/// such place.
fn last_place<'a>(points: &'a [ComparisonPoint], settings: &CompareSettings) -> &'a [ComparisonPoint] {
    let whole = points.chunks(settings.kinds.len().max(1)).rfind(|place| place.len() == settings.kinds.len());
    whole.unwrap_or_default()
}

fn claim(point: &ComparisonPoint) -> Kind {
    if point.is_converged { Kind::Exact } else { Kind::LowerBound }
}

/// The colour and the dashes of a kind.
fn look(kind: ComparedKind) -> (Role, LineStyle) {
    let at = ComparedKind::ALL.into_iter().position(|(_, one)| one == kind).unwrap_or(0);
    (ROLES[at % ROLES.len()], LINES[at / ROLES.len() % LINES.len()])
}

/// The norm of each kind as a line, its bound dotted, what the search finds as rings.
pub fn chart(points: &[ComparisonPoint], settings: &CompareSettings) -> LineChart {
    let mut series = Vec::new();
    let mut most = f64::MIN_POSITIVE;
    let mut least = f64::INFINITY;
    for (at, kind) in settings.kinds.iter().enumerate() {
        let (role, dashes) = look(*kind);
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
        bound = bound.given_log10().line(LineStyle::Dotted).width(WIDTH);
        bound.opacity = 0.7;
        let line = Series::new(id, name, role, SeriesKind::Line, norms.clone()).line(dashes).width(WIDTH);
        series.push(bound);
        series.push(line);
        series.push(Series::new(format!("{id}-points"), "", role, SeriesKind::Points, norms));
        series.push(Series::new(format!("{id}-found"), "", role, SeriesKind::Hollow, found).claim(Kind::LowerBound));
    }
    let scale = if settings.along == ComparedAlong::Sink { Scale::Linear } else { Scale::Log };
    let x = AxisSpec::new(strings::compared_x(settings.along), scale);
    let entry = |mark: KeyMark, words: &str| KeyEntry { mark, words: words.to_owned() };
    let has_bound = points.iter().any(|point| point.bound_log10.is_some());
    let has_found = points.iter().any(|point| point.found.is_some());
    let mut chart = LineChart::new(x, AxisSpec::new(strings::norm_axis(Norm::Spectral), Scale::Log), series);
    chart.key.push(entry(KeyMark::Line(LineStyle::Solid), strings::compare_key::norm()));
    chart.key.extend(has_bound.then(|| entry(KeyMark::Line(LineStyle::Dotted), strings::compare_key::bound())));
    chart.key.extend(has_found.then(|| entry(KeyMark::Ring, strings::compare_key::found())));
    if least < f64::INFINITY {
        chart.y.range = Extent::new(0.5 * least, HEADROOM * most).map(|extent| extent.nice(Scale::Log));
    }
    chart
}

fn kind_id(kind: ComparedKind) -> &'static str {
    ComparedKind::ALL.into_iter().find(|(_, one)| *one == kind).map_or("", |(id, _)| id)
}

/// The smoothest kind at the last place, in a sentence; those whose norms differ by rounding alone share the place.
fn finding(points: &[ComparisonPoint], settings: &CompareSettings) -> String {
    let here = last_place(points, settings);
    let Some(least) = here.iter().min_by(|a, b| a.norm.total_cmp(&b.norm)) else {
        return strings::compare_waiting().into();
    };
    let is_as_smooth = |point: &&ComparisonPoint| !strings::exceeds(point.norm, least.norm);
    let names: Option<Vec<String>> = here.iter().filter(is_as_smooth).map(|point| name(point, settings)).collect();
    names.map_or_else(|| strings::compare_waiting().into(), |names| strings::compare_finding(&names, least, settings))
}

/// The norm, what a search finds and the bound of all kinds at a place; how to read the plot where there is no such
/// place.
fn readout(points: &[ComparisonPoint], settings: &CompareSettings, at: Option<f64>) -> String {
    let part = |point: &ComparisonPoint| {
        let norm = strings::compare_value(point.norm, claim(point));
        let found = point.found.filter(|found| strings::exceeds(*found, point.norm));
        let found = found.map(|found| strings::compare_value(found, Kind::LowerBound));
        let values = [Some(norm), found, point.bound_log10.map(strings::compare_bound_value)];
        Some(format!("{} {}", name(point, settings)?, values.into_iter().flatten().collect::<Vec<_>>().join(", ")))
    };
    let parts: Vec<String> = points.iter().filter(|point| Some(point.at) == at).filter_map(part).collect();
    match at.filter(|_| !parts.is_empty()) {
        Some(at) => {
            let (symbol, place) = (strings::compared_symbol(settings.along), strings::compare_place(at));
            format!("{symbol} = {place}  ·  {}", parts.join("  ·  "))
        }
        None => strings::compare_readout().into(),
    }
}

/// A row for each point: the bound as a number, empty past the range of f64, and as its logarithm.
fn table(points: &[ComparisonPoint], settings: &CompareSettings, written: Written<'_>) -> Table {
    let row = |point: &ComparisonPoint| {
        let optional = |value: Option<f64>, kind| value.map_or_else(String::new, |x| written(x, kind));
        let bound = point.bound_log10.map(|log10| 10f64.powf(log10)).filter(|bound| bound.is_finite());
        let sign = claim(point).sign().to_owned();
        vec![
            name(point, settings).unwrap_or_default(),
            written(point.at, Kind::Plain),
            sign,
            written(point.norm, claim(point)),
            optional(point.output, Kind::Plain),
            optional(point.found, Kind::LowerBound),
            optional(bound, Kind::UpperBound),
            optional(point.bound_log10, Kind::UpperBound),
        ]
    };
    Table { header: strings::compare_columns(settings.along), rows: points.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::plot::all_digits;
    use lipscope_core::compare::Effect;

    fn point(kind: usize, at: f64, norm: f64) -> ComparisonPoint {
        ComparisonPoint {
            kind,
            at,
            effect: Effect::Changes,
            norm,
            is_converged: true,
            bound_log10: Some(1.0),
            found: None,
            output: Some(0.02),
        }
    }

    fn of(kinds: Vec<ComparedKind>) -> CompareSettings {
        CompareSettings { kinds, ..CompareSettings::default() }
    }

    #[test]
    fn a_kind_keeps_its_look_whichever_others_are_shown_and_no_two_kinds_share_one() {
        let look_of = |settings: &CompareSettings, id: &str| {
            let points: Vec<_> = (0..settings.kinds.len()).map(|kind| point(kind, 4.0, 1.0)).collect();
            let chart = chart(&points, settings);
            let line = chart.series.into_iter().find(|series| series.id == id).expect("a line");
            (line.role, line.line, line.width)
        };
        let few = of(vec![ComparedKind::Cap, ComparedKind::Sink]);
        let many = of(vec![ComparedKind::Plain, ComparedKind::Causal, ComparedKind::Cap, ComparedKind::Sink]);
        for id in ["cap", "sink"] {
            assert_eq!(look_of(&few, id), look_of(&many, id), "{id}");
        }
        let looks = ComparedKind::ALL.map(|(_, kind)| look(kind));
        for (at, look) in looks.iter().enumerate() {
            assert!(!looks[..at].contains(look), "{:?}", ComparedKind::ALL[at]);
        }
        let widths = many.kinds.iter().map(|kind| look_of(&many, kind_id(*kind)).2).collect::<Vec<_>>();
        assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}");
    }

    #[test]
    fn the_rows_are_of_one_place_while_the_last_one_is_measured() {
        let settings = of(vec![ComparedKind::Plain, ComparedKind::Sink]);
        let points = [point(0, 256.0, 3.0), point(1, 256.0, 0.5), point(0, 512.0, 4.0)];
        let rows = last_rows(&points, &PageState::default(), &settings);
        assert_eq!(rows.iter().map(|row| row[1].as_str()).collect::<Vec<_>>(), ["256", "256"]);
        let words = finding(&points, &settings);
        assert!(words.contains("n = 256") && words.contains("0.5000") && words.contains("0.02"), "{words}");
        assert!(last_rows(&points[..1], &PageState::default(), &settings).is_empty());
    }

    #[test]
    fn kinds_with_the_same_norm_are_equally_smooth() {
        let settings = of(vec![ComparedKind::Plain, ComparedKind::Cap, ComparedKind::Sink]);
        let words = finding(&[point(0, 4.0, 1.0), point(1, 4.0, 1.0 + 1e-13), point(2, 4.0, 1.5)], &settings);
        assert!(words.contains("softmax; cap 2 are equally smooth") && words.contains("1.000"), "{words}");
        let words = finding(&[point(0, 4.0, 1.0), point(1, 4.0, 0.9), point(2, 4.0, 1.5)], &settings);
        assert!(words.contains("cap 2 is smoothest"), "{words}");
    }

    #[test]
    fn what_a_search_found_is_said_only_where_it_is_more_and_else_there_is_a_reason() {
        let settings = of(vec![ComparedKind::Plain]);
        let found = |found| {
            let point = ComparisonPoint { found, ..point(0, 4.0, 0.32895) };
            last_rows(&[point], &PageState::default(), &settings)[0][4].clone()
        };
        assert_eq!(found(Some(0.5)), "≥ 0.5000");
        // Rounded down it would be less than the number beside it.
        assert_eq!(found(Some(0.32895)), strings::compare_none_larger());
        assert_eq!(found(None), strings::compare_many());
    }

    #[test]
    fn a_place_of_another_axis_is_not_read() {
        let settings = of(vec![ComparedKind::Plain]);
        let points = [ComparisonPoint { found: Some(2.0), ..point(0, 4.0, 1.0) }];
        assert_eq!(readout(&points, &settings, Some(64.0)), strings::compare_readout());
        let read = readout(&points, &settings, Some(4.0));
        assert!(read.contains("= 1.000, ≥ 2.000, ≤ 10"), "{read}");
    }

    #[test]
    fn every_kind_says_which_step_the_axis_sets() {
        let along = |along| CompareSettings { along, ..CompareSettings::default() };
        let name = |kind, settings: &CompareSettings| strings::compared_name(kind, settings, Effect::Changes);
        let window = along(ComparedAlong::Window);
        assert_eq!(name(ComparedKind::Plain, &window), "softmax, causal window W");
        assert_eq!(name(ComparedKind::Window, &window), "causal window W");
        assert_eq!(name(ComparedKind::Window, &along(ComparedAlong::Tokens)), "causal window 16");
    }

    #[test]
    fn the_table_has_a_sign_and_the_bound_as_a_number_and_as_its_logarithm() {
        let settings = of(vec![ComparedKind::Plain]);
        let huge = ComparisonPoint { bound_log10: Some(400.0), ..point(0, 8.0, 1.0) };
        let made = table(&[point(0, 4.0, 1.0), huge], &settings, &all_digits);
        assert_eq!(made.header.len(), made.rows[0].len());
        assert_eq!(made.rows[0][2..], ["=", "1", "0.02", "", "10", "1"]);
        assert_eq!(made.rows[1][6..], ["", "400"]);
    }
}
