//! Makes the chart of the view over n.

use lipscope_core::bounds::Norm;
use lipscope_core::growth::GrowthRow;
use lipscope_plot::{
    AxisSpec, Band, Extent, HeldExtent, Kind, LineChart, Mark, Role, Rule, Scale, Series, SeriesKind, ascending,
};

use crate::answers::{Curves, Measured, SearchFound, Sweep, values};
use crate::charts::{CURRENT, Faded, MEAN, means, role_of};
use crate::plans::is_marked;
use crate::state::{PageState, Trace, Traces, XAxis};
use crate::strings;

use super::reading::{bound_in, claim_of, draws_of, is_about};
use super::search_run::SearchRun;

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
/// A bound this many powers of ten above everything else is drawn in a strip over the plot.
const DECADES_ABOVE: f64 = 2.0;
/// The axis follows falling curves this many powers of ten below the lowest value of the others.
const DECADES_BELOW: f64 = 0.5;
/// No axis ends beyond this many decades, so that its ends are finite numbers.
const MOST_DECADES: f64 = 300.0;
/// Up to this n the axis has a second row, for sqrt(n).
const ROOTS_UP_TO: f64 = 4096.0;
/// The number of points of the curve sqrt(n) where it is no straight line.
const ROOT_POINTS: i32 = 64;

/// The inputs of the chart.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The curves.
    pub data: &'a Curves,
    /// The draws.
    pub sweep: &'a Sweep,
    /// The present tokens.
    pub current: Option<&'a Measured>,
    /// The results of searches.
    pub found: &'a [SearchFound],
    /// The search under way.
    pub search: &'a SearchRun,
    /// The controls.
    pub state: &'a PageState,
    /// Which draws are new.
    pub faded: Faded,
    /// How visible the curves are, from 0 to 1.
    pub curves: f64,
}

/// The axes' ranges, which hold while a slider is held.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrowthRanges {
    of: Option<XAxis>,
    x: HeldExtent,
    y: HeldExtent,
}

/// The chart of some traces.
pub fn growth_chart(known: &Known<'_>, traces: Traces) -> LineChart {
    let Known { data, state, .. } = *known;
    let (x_scale, y_scale) = match state.x_axis {
        XAxis::LogLog => (Scale::Log, Scale::Log),
        XAxis::SqrtN => (Scale::Sqrt, Scale::Linear),
        XAxis::N => (Scale::Linear, Scale::Linear),
    };
    let mut series = Vec::with_capacity(20);
    if traces.has(Trace::Draws) {
        series.push(mean(known));
    }
    series.extend(curves(known, traces));
    if traces.has(Trace::Root) && state.norm == Norm::Spectral {
        series.push(root(state.growth_end(), x_scale));
    }
    if traces.has(Trace::Exact) && state.norm == Norm::Spectral {
        let marks = data.family.iter().filter(|point| is_marked(point.n, state));
        let marks = marks.map(|point| (point.n, point.spectral)).collect();
        let marks = Series::new(Trace::Exact.id(), "", Role::Measured, SeriesKind::Hollow, marks);
        series.push(Series { opacity: known.curves, ..marks });
    }
    if traces.has(Trace::Draws) {
        series.extend(draws(known));
    }
    if traces.has(Trace::Found) && state.norm == Norm::Spectral {
        series.extend(searched(known));
    }
    if let Some(at) = known.current.and_then(|m| Some((m.measurement.n, m.measurement.norm(state.norm)?))) {
        series.push(Series::new(CURRENT, "", Role::Selected, SeriesKind::Points, vec![at]));
    }
    let mut x = AxisSpec::new(strings::x_axis_title(state.x_axis), x_scale).whole();
    if x_scale == Scale::Log && state.growth_end() <= ROOTS_UP_TO {
        x = x.root(strings::explore_x_root());
    }
    let mut chart = LineChart::new(x, AxisSpec::new(strings::growth_axis(state), y_scale), series);
    let norm = state.norm;
    let rows = data.rows();
    if y_scale == Scale::Log {
        let gap = rows
            .iter()
            .filter_map(|row| Some((row.n, row.best_lower(norm)?.log10, row.best_upper(norm)?.log10)))
            .collect();
        chart.bands = vec![Band::new("gap", strings::gap_text(), Role::Measured, gap).given_log10()];
    }
    if let Some(crossover) = data.crossover(norm).filter(|found| found.ln_n.exp() <= state.growth_end()) {
        chart.rules = vec![Rule::new(crossover.ln_n.exp(), strings::crossover_rule())];
    }
    chart.note = match data.growth {
        Some(_) => strings::growth_note(norm).into(),
        None => strings::measuring_text().into(),
    };
    let n = state.n_tokens();
    chart.mark_x = Some(Mark { x: n, label: strings::n_equals(n) });
    chart
}

/// Moves bounds that are far above everything else into the strip. For a picture only: tables have every curve.
pub fn lift(chart: &mut LineChart) {
    chart.lift(&HIGH.map(series_id), DECADES_ABOVE, strings::far_above);
}

/// The id of a trace's series: the id of its first bound.
pub fn series_id(trace: Trace) -> &'static str {
    trace.bounds().first().map_or(trace.id(), |id| id.id())
}

fn curves<'a>(known: &Known<'a>, traces: Traces) -> impl Iterator<Item = Series> + 'a {
    let Known { data, state, curves: opacity, .. } = *known;
    CURVES.into_iter().filter(move |trace| traces.has(*trace)).filter_map(move |trace| {
        let of_row = |row: &GrowthRow| bound_in(row, trace, state.norm).map(|bound| (row.n, bound.log10));
        let curve: Vec<(f64, f64)> = data.rows().iter().filter_map(of_row).collect();
        let role = trace.bounds().first().map_or(Role::LowerBound, |id| role_of(*id));
        let claim = data.rows().iter().find_map(|row| bound_in(row, trace, state.norm)).map_or(Kind::Plain, claim_of);
        let line = Series::new(series_id(trace), strings::trace_label(trace), role, SeriesKind::Line, curve)
            .given_log10()
            .claim(claim);
        (!line.data.is_empty()).then_some(Series { opacity, ..line })
    })
}

fn root(end: f64, scale: Scale) -> Series {
    let points = match scale {
        Scale::Linear => (0..=ROOT_POINTS)
            .map(|at| 2.0 + (end - 2.0) * f64::from(at) / f64::from(ROOT_POINTS))
            .map(|n| (n, n.sqrt()))
            .collect(),
        Scale::Log | Scale::Sqrt => [2.0, end].map(|n| (n, n.sqrt())).to_vec(),
    };
    Series::new(Trace::Root.id(), strings::trace_label(Trace::Root), Role::Reference, SeriesKind::Line, points)
}

fn mean(known: &Known<'_>) -> Series {
    let mean = means(&draws_of(known.sweep, known.state));
    Series::new(MEAN, strings::mean_label(known.sweep.draws()), Role::Measured, SeriesKind::Line, mean)
}

/// The draws. New ones fade in, and draws of the earlier sweep stay where no new one is yet.
fn draws(known: &Known<'_>) -> Vec<Series> {
    let Known { sweep, state, faded, .. } = *known;
    let points = draws_of(sweep, state);
    let frontier = points.last().map_or(0.0, |point| point.0);
    let before: Vec<_> = values(&sweep.before, state.norm).into_iter().filter(|point| point.0 > frontier).collect();
    let (settled, fresh) = points.split_at(faded.settled.min(points.len()));
    let parts =
        [("before", before, 0.2), ("draws", settled.to_vec(), 0.5), ("fresh", fresh.to_vec(), 0.5 * faded.opacity)];
    let series = |(id, points, opacity): (&str, Vec<(f64, f64)>, f64)| Series {
        opacity,
        ..Series::new(id, "", Role::Measured, SeriesKind::Points, points)
    };
    parts.map(series).into_iter().filter(|series| !series.data.is_empty()).collect()
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

impl GrowthRanges {
    /// Sets the chart's ranges: the earlier ones while a slider is held, else those of the drawn data.
    pub fn apply(&mut self, chart: &mut LineChart, state: &PageState, is_held: bool) {
        if self.of != Some(state.x_axis) {
            *self = GrowthRanges { of: Some(state.x_axis), ..GrowthRanges::default() };
        }
        for held in [&mut self.x, &mut self.y] {
            if is_held { held.hold() } else { held.release() }
        }
        let first = if chart.x.scale == Scale::Log { 2.0 } else { 0.0 };
        chart.x.range = self.x.update(Extent::new(first, state.growth_end()));
        chart.y.range = self.y.update(wanted_y(chart));
    }
}

/// The range of y. On a log axis: all curves, but falling ones only down to a limit. On other axes: what is measured,
/// and lower bounds.
fn wanted_y(chart: &LineChart) -> Option<Extent> {
    let falls = |id: &str| id == series_id(Trace::Adversarial);
    let logs = |wanted: &dyn Fn(&Series) -> bool| {
        let series = chart.series.iter().filter(|series| wanted(series));
        Extent::of(series.flat_map(Series::logs).filter(|log10| log10.is_finite()))
    };
    let power = |log10: f64| 10f64.powf(log10.clamp(-MOST_DECADES, MOST_DECADES));
    if chart.y.scale != Scale::Log {
        let is_high = |id: &str| HIGH.iter().any(|trace| series_id(*trace) == id) || id == Trace::Root.id();
        let shown = logs(&|series| !is_high(&series.id)).or_else(|| logs(&|_| true))?;
        return Extent::new(0.0, 1.04 * power(shown.hi())).map(|extent| extent.nice(Scale::Linear));
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
    use lipscope_core::bounds::Side;

    use super::*;

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
}
