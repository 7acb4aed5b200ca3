//! Makes the chart of the view over n.

use lipscope_core::bounds::{BoundId, Domain, Norm};
use lipscope_core::growth::GrowthRow;
use lipscope_plot::{
    Band, Extent, KeyEntry, KeyMark, Kind, LineChart, Role, Rule, Scale, Series, SeriesKind, ascending,
};

use crate::answers::{Curves, KnownOfMap, Measured, SearchFound, Sweep};
use crate::charts::role_of;
use crate::over_n::{self, Faded, chart_over_n, kind_of_curve, presence};
use crate::plans::{is_marked, sweep_over_n};
use crate::state::{PageState, Trace, Traces, XAxis};
use crate::strings;

use super::reading::{Widest, band_over, bound_in, claim_of, is_about, widest_of, worst_over};
use super::search_run::SearchRun;

/// The id of the band between the best bounds, and of its ratios in tables.
const GAP: &str = "gap";

/// The curves. Where there is room for few names, the first curves keep theirs.
const CURVES: [Trace; 12] = [
    Trace::Sharp,
    Trace::Worst,
    Trace::MeanField,
    Trace::General,
    Trace::Kim,
    Trace::Unified,
    Trace::TwoClusters,
    Trace::Sink,
    Trace::Fork,
    Trace::Adversarial,
    Trace::Envelope,
    Trace::Skew,
];
/// The bounds that may stand far above everything else, the nearest first.
const HIGH: [Trace; 5] = [Trace::Sharp, Trace::Unified, Trace::Kim, Trace::General, Trace::MeanField];
/// The axis follows falling curves at most this many powers of ten below the lowest value of all other curves.
const DECADES_BELOW: f64 = 0.5;
/// A linear axis ends above the best upper bound if this bound is at most this many times the largest other value.
const TIMES_ABOVE: f64 = 5.0;
/// No axis ends beyond this many decades, so that its ends are finite numbers.
const MOST_DECADES: f64 = 300.0;
/// A logarithmic axis of n that ends at most here has a second row, for sqrt(n).
const ROOTS_UP_TO: f64 = 4096.0;
/// The number of intervals of the curve sqrt(n) where it is no straight line.
const ROOT_POINTS: i32 = 64;

/// The inputs of the chart.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The curves over n.
    pub data: &'a Curves,
    /// The draws over n.
    pub sweep: &'a Sweep,
    /// The measurement at the present tokens.
    pub current: Option<&'a Measured>,
    /// The tokens that were measured or found, of the present map and norm.
    pub tokens: &'a KnownOfMap<'a>,
    /// The selected row of the bound ladder.
    pub rung: Option<BoundId>,
    /// The results of searches.
    pub found: &'a [SearchFound],
    /// The search under way.
    pub search: &'a SearchRun,
    /// The state of the controls.
    pub state: &'a PageState,
    /// Which draws are new and still faint.
    pub faded: Faded,
    /// How visible the curves are, from 0 to 1.
    pub curves: f64,
}

/// The chart with these traces.
pub fn growth_chart(known: &Known<'_>, traces: Traces) -> LineChart {
    let Known { data, sweep, state, tokens, .. } = *known;
    let plan = sweep_over_n(state);
    // Norms at tokens of the present map do not raise the curves of an earlier state.
    let tokens = data.are_of_view(state).then_some(tokens);
    let mut series = Vec::with_capacity(20);
    if traces.has(Trace::Draws) {
        series.push(over_n::mean(sweep, plan.as_ref(), state.norm));
    }
    series.extend(curves(known, tokens, traces));
    if traces.has(Trace::Root) && state.norm == Norm::Spectral {
        series.push(root(state.growth_end(), state.growth_axis()));
    }
    if traces.has(Trace::Exact) && state.norm == Norm::Spectral {
        let marks = data.family.iter().filter(|point| is_marked(point.n, state));
        let marks = marks.map(|point| (point.n, point.spectral)).collect();
        let marks = Series::new(Trace::Exact.id(), "", Role::Measured, SeriesKind::Hollow, marks);
        series.push(Series { opacity: known.curves, ..marks });
    }
    if traces.has(Trace::Draws) {
        series.extend(over_n::draws(sweep, plan.as_ref(), state.norm, known.faded));
    }
    if traces.has(Trace::Found) && state.norm == Norm::Spectral {
        series.extend(searched(known));
    }
    series.extend(over_n::current(known.current, state, state.norm));
    series.extend(at_tokens(known));
    let axis = state.growth_axis();
    let mut chart = chart_over_n(state, axis, (strings::x_axis_title(axis), strings::growth_axis(state)), series);
    if state.growth_end() > ROOTS_UP_TO {
        chart.x.root.clear();
    }
    let norm = state.norm;
    if chart.y.scale == Scale::Log {
        let gap = band_over(data, tokens, norm);
        let widest = widest_of(&gap, data, norm);
        let mut band = Band::new(GAP, strings::gap_text(), Role::Measured, gap).given_log10();
        (band.opacity, band.bar) = (band.opacity * known.curves, widest.map(|widest| widest.n));
        chart.bands = vec![band];
        let entry = |widest: Widest| {
            // An entry cannot be faint: the numbers of an earlier state are left out.
            let words = if known.curves >= 1.0 {
                strings::gap_key(widest.log10, widest.n)
            } else {
                strings::gap_key_alone().into()
            };
            KeyEntry { mark: KeyMark::Area(Role::Measured), words }
        };
        chart.key = widest.map(entry).into_iter().collect();
    }
    // A rule cannot be faint: that of an earlier state is left out.
    let crossover = data.crossover(norm).filter(|_| known.curves >= 1.0);
    if let Some(crossover) = crossover.filter(|found| found.ln_n.exp() <= state.growth_end()) {
        chart.rules = vec![Rule::new(crossover.ln_n.exp(), strings::crossover_rule())];
    }
    if data.growth.is_some() {
        chart.note = strings::growth_note(norm).into();
    }
    chart
}

/// The ratio of the band's edges at each n, for tables and files; `None` without a band.
pub fn gap_series(chart: &LineChart) -> Option<Series> {
    let band = chart.bands.iter().find(|band| band.id == GAP)?;
    let ratios: Vec<(f64, f64)> = band.heights().collect();
    let is_there = !ratios.is_empty();
    let series = Series::new(GAP, strings::gap_text(), Role::Reference, SeriesKind::Line, ratios).given_log10();
    is_there.then_some(series)
}

/// Whether a series is that of [`gap_series`].
pub fn is_gap(series: &Series) -> bool {
    series.id == GAP
}

/// The selected bound of the ladder, where it is about the present tokens alone: a ring at their n, since it has no
/// curve.
fn at_tokens(known: &Known<'_>) -> Option<Series> {
    let measured = known.current?;
    let measurement = &measured.measurement;
    let is_local = |id: &BoundId| id.domain() == Domain::Tokens && id.is_about(known.state.norm);
    let id = known.rung.filter(is_local)?;
    let bound = measurement.bounds.iter().find(|bound| bound.id == id)?;
    let ring = Series::new(
        id.id(),
        strings::bound_label(id),
        role_of(id),
        SeriesKind::Hollow,
        vec![(measurement.n, bound.log10)],
    );
    let opacity = presence(measured.answers(known.state));
    Some(Series { opacity, ..ring.given_log10().claim(claim_of(bound, known.state.norm)) })
}

/// The series that may stand far above everything else.
pub fn high() -> [&'static str; 5] {
    HIGH.map(series_id)
}

/// The id of a trace's series: the id of its first bound, or the trace's own where it has none.
pub fn series_id(trace: Trace) -> &'static str {
    trace.bounds().first().map_or(trace.id(), |id| id.id())
}

/// The curves. Norms at `tokens` raise the curve of the best lower bound.
fn curves<'a>(
    known: &Known<'a>,
    tokens: Option<&'a KnownOfMap<'a>>,
    traces: Traces,
) -> impl Iterator<Item = Series> + 'a {
    let Known { data, state, curves: opacity, .. } = *known;
    CURVES.into_iter().filter(move |trace| traces.has(*trace)).filter_map(move |trace| {
        let of_row = |row: &GrowthRow| Some((row.n, bound_in(row, trace, state.norm)?.log10));
        let curve: Vec<(f64, f64)> = match trace {
            Trace::Worst => worst_over(data, tokens, state.norm),
            _ => data.rows().iter().filter_map(of_row).collect(),
        };
        let role = trace.bounds().first().map_or(Role::LowerBound, |id| role_of(id));
        let claim = match trace {
            Trace::Worst => Kind::LowerBound,
            _ => data
                .rows()
                .iter()
                .find_map(|row| bound_in(row, trace, state.norm))
                .map_or(Kind::Plain, |bound| claim_of(bound, state.norm)),
        };
        let line = Series::new(series_id(trace), strings::trace_label(trace), role, kind_of_curve(&curve), curve)
            .given_log10()
            .claim(claim);
        (!line.data.is_empty()).then_some(Series { opacity, ..line })
    })
}

fn root(end: f64, axis: XAxis) -> Series {
    let points = match axis {
        XAxis::N => (0..=ROOT_POINTS)
            .map(|at| 2.0 + (end - 2.0) * f64::from(at) / f64::from(ROOT_POINTS))
            .map(|n| (n, n.sqrt()))
            .collect(),
        XAxis::LogLog | XAxis::SqrtN => [2.0, end].map(|n| (n, n.sqrt())).to_vec(),
    };
    Series::new(Trace::Root.id(), strings::trace_label(Trace::Root), Role::Reference, SeriesKind::Line, points)
}

/// The results of searches as rings, and the best norm of each start of the running search, fainter.
fn searched(known: &Known<'_>) -> Vec<Series> {
    let Known { data, state, found, search, .. } = *known;
    let mut found: Vec<(f64, f64)> =
        found.iter().filter(|found| is_about(found, data, state)).map(|found| (found.n, found.norm)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    ascending(&mut found, |point| point.0);
    let is_here = |n: f64| found.iter().any(|point| point.0 == n);
    let reached = search
        .n()
        .filter(|n| is_here(*n))
        .map_or_else(Vec::new, |n| search.reached.iter().map(|norm| (n, *norm)).collect());
    let mut starts = Series::new("starts", "", Role::LowerBound, SeriesKind::Points, reached);
    starts.opacity = 0.35;
    let rings =
        Series::new(Trace::Found.id(), strings::trace_label(Trace::Found), Role::LowerBound, SeriesKind::Hollow, found);
    vec![starts, rings]
}

/// The range of y. On a log axis: all curves, but falling ones only down to a limit. On other axes: from zero to the
/// largest measured norm or lower bound, or to the best upper bound where that is near.
pub fn wanted_y(chart: &LineChart) -> Option<Extent> {
    let falls = |id: &str| id == series_id(Trace::Adversarial);
    let logs = |wanted: &dyn Fn(&Series) -> bool| {
        let series = chart.series.iter().filter(|series| wanted(series));
        Extent::of(series.flat_map(Series::logs).filter(|log10| log10.is_finite()))
    };
    let power = |log10: f64| 10f64.powf(log10.clamp(-MOST_DECADES, MOST_DECADES));
    if chart.y.scale != Scale::Log {
        let is_high = |id: &str| HIGH.iter().any(|trace| series_id(*trace) == id) || id == Trace::Root.id();
        let shown = logs(&|series| !is_high(&series.id)).or_else(|| logs(&|_| true))?;
        // The axis holds the best upper bound, whose value the page states, unless it is so far above that
        // everything else would look flat.
        let top = |series: &Series| series.logs().fold(f64::NEG_INFINITY, f64::max);
        let upper = chart.series.iter().filter(|series| HIGH.iter().any(|trace| series_id(*trace) == series.id));
        let best = upper.map(top).fold(f64::INFINITY, f64::min);
        let hi = if best <= shown.hi() + TIMES_ABOVE.log10() { best.max(shown.hi()) } else { shown.hi() };
        return Extent::new(0.0, 1.04 * power(hi)).map(|extent| extent.nice(Scale::Linear));
    }
    let mut whole = logs(&|series| !falls(&series.id)).or_else(|| logs(&|_| true))?;
    if let Some(fallen) = logs(&|series| falls(&series.id)) {
        let low = fallen.lo().max(whole.lo() - DECADES_BELOW).min(whole.lo());
        whole = Extent::new(low, whole.hi().max(fallen.hi()))?;
    }
    Extent::new(power(whole.lo()), power(whole.hi())).map(|extent| extent.nice(Scale::Log))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::answers::KnownTokens;
    use crate::over_n::{STALE, of_present};
    use crate::plans;
    use lipscope_core::bounds::{LOCAL, Side};
    use lipscope_core::experiment::Rows;
    use lipscope_core::growth::{Crossover, FamilyPoint, Growth, growth};

    use super::*;

    #[test]
    fn nothing_of_another_state_is_as_dark_as_what_is_of_this_one_and_no_table_has_it() {
        let state = PageState { n: 4, sweep_max: 4, draws: 1, ..PageState::default() };
        let of = plans::growth(&state);
        let found = growth(&of.experiment, &of.plan).expect("curves");
        let crossover = Some(Crossover { ln_n: 1.0, a: 1.0 });
        let curves = Curves {
            growth: Some(Arc::new(Growth { crossover, ..found })),
            family: vec![FamilyPoint { n: 4.0, spectral: 2.0 }],
            of: Some(of),
            ..Curves::default()
        };
        let sweep = Sweep { of: plans::sweep(&state), ..Sweep::default() };
        let measured = Measured::without_pictures(&state);
        // Tokens of the ball of this state, and of all larger ones.
        let mut tokens = KnownTokens::default();
        let rows = Rows::new("tokens", 2, [0.5, 0.0].repeat(4)).expect("numbers");
        tokens.add_found(&plans::map(&state), &rows, 1e6);
        let chart = |state: &PageState, opacity: f64| {
            let known = Known {
                data: &curves,
                sweep: &sweep,
                current: Some(&measured),
                tokens: &tokens.on(state, state.norm),
                rung: Some(&LOCAL),
                found: &[],
                search: &SearchRun::default(),
                state,
                faded: Faded::ALL,
                curves: opacity,
            };
            growth_chart(&known, Traces::of(Trace::ALL))
        };
        let moved = chart(&PageState { radius: 3.0, ..state.clone() }, STALE);
        assert!(moved.series.len() > 6 && moved.bands.len() == 1);
        for series in moved.series.iter().filter(|series| series.id != Trace::Root.id()) {
            assert_eq!(series.opacity, STALE, "{}", series.id);
        }
        let local = LOCAL.id();
        let has = |chart: &LineChart, id: &str| chart.series.iter().any(|series| series.id == id);
        assert!(has(&moved, local) && moved.rules.is_empty());
        let highest = |chart: &LineChart| {
            let worst = chart.series.iter().find(|series| series.id == series_id(Trace::Worst)).expect("it is there");
            worst.logs().fold(f64::NEG_INFINITY, f64::max)
        };
        let is_raised = |chart: &LineChart| (highest(chart) - 6.0).abs() < 1e-9;
        assert!(!is_raised(&moved), "tokens of the present map raise no curve of another state");
        let left = of_present(moved);
        assert_eq!(left.series.iter().map(|series| series.id.as_str()).collect::<Vec<_>>(), [Trace::Root.id()]);
        assert!(left.bands.is_empty());
        let now = chart(&state, 1.0);
        assert!(is_raised(&now) && now.rules.len() == 1);
        let now = of_present(now);
        assert!(now.series.len() > 6 && has(&now, local));
    }

    fn sorted(traces: impl IntoIterator<Item = Trace>) -> Vec<&'static str> {
        let mut ids: Vec<&str> = traces.into_iter().map(Trace::id).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn every_trace_with_a_bound_has_a_curve_and_every_upper_one_may_stand_high() {
        let has_curve = |trace: &Trace| *trace == Trace::Worst || !trace.bounds().is_empty();
        assert_eq!(sorted(CURVES), sorted(Trace::ALL.into_iter().filter(has_curve)));
        let is_upper = |trace: &Trace| trace.side() == Some(Side::Upper);
        assert_eq!(sorted(HIGH), sorted(Trace::ALL.into_iter().filter(is_upper)));
    }

    #[test]
    fn a_linear_axis_holds_what_is_drawn_of_data_and_the_best_bound() {
        let line = |trace: Trace, y: f64| {
            Series::new(series_id(trace), "", Role::Sharp, SeriesKind::Line, vec![(2.0, 1.0), (64.0, y)])
        };
        for (reached, best, general) in [(19.0, 20.36, 1e9), (5.0, 9.0, 30.0), (8.0, 8.0, 8.5), (1.0, 1e6, 1e9)] {
            let series = vec![line(Trace::Worst, reached), line(Trace::Sharp, best), line(Trace::General, general)];
            let axis = |scale| lipscope_plot::AxisSpec::new("", scale);
            let chart = LineChart::new(axis(Scale::Linear), axis(Scale::Linear), series);
            let range = wanted_y(&chart).expect("a range");
            assert!(range.lo() == 0.0 && range.hi() >= reached, "{range:?}");
            assert_eq!(range.hi() >= best, best <= TIMES_ABOVE * reached, "{reached} {best}: {range:?}");
            assert!(range.hi() < general || general < 2.0 * best, "{general}: {range:?}");
        }
    }
}
