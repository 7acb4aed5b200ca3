//! From the bounds over n to the chart of them.

use lipscope_core::bounds::{Bound, BoundId, Norm};
use lipscope_core::growth::GrowthRow;
use lipscope_plot::{
    AxisSpec, Band, Extent, HeldExtent, LineChart, Mark, Role, Rule, Scale, Series, SeriesKind, ValueForm,
};

use crate::live::{GrowthData, Measured, SearchFound, SweepData};
use crate::plans::is_marked;
use crate::state::{PageState, Trace};
use crate::strings;

use super::draws_chart::role_of;
use super::search_point::{found_in_growth, search_series};

/// Published bounds up to so many powers of ten above all else are shown; higher ones leave the frame.
const DECADES_ABOVE: f64 = 6.0;
/// Curves that fall are followed so many powers of ten under the lowest value of the others.
const DECADES_BELOW: f64 = 0.5;
/// No axis reaches further than this, so that its ends are numbers.
const MOST_DECADES: f64 = 300.0;

/// The axes' ranges, which hold while a slider is held.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrowthRanges {
    x: HeldExtent,
    y: HeldExtent,
}

/// The bounds that a trace shows: of two masks, the one that applies.
pub fn bounds_of(trace: Trace) -> &'static [BoundId] {
    match trace {
        Trace::Sharp => &[BoundId::Sharp, BoundId::SharpMasked],
        Trace::Unified => &[BoundId::Unified, BoundId::UnifiedMasked],
        Trace::General => &[BoundId::CastinGeneral],
        Trace::MeanField => &[BoundId::CastinMeanField],
        Trace::Sink => &[BoundId::Sink],
        Trace::Fork => &[BoundId::Fork],
        Trace::TwoClusters => &[BoundId::TwoClusters],
        Trace::Adversarial => &[BoundId::Adversarial],
        Trace::Envelope => &[BoundId::AdversarialEnvelope],
        Trace::Skew => &[BoundId::Skew],
        Trace::Kim => &[BoundId::KimL2, BoundId::KimLinf],
        Trace::Exact | Trace::Draws => &[],
    }
}

/// The bound of a trace on a norm in a row.
pub fn bound_in(row: &GrowthRow, trace: Trace, norm: Norm) -> Option<&Bound> {
    row.bounds.iter().find(|bound| bounds_of(trace).contains(&bound.id) && bound.id.is_about(norm))
}

/// Whether a trace has anything to show: a bound at some n, or points of this norm.
pub fn has_values(data: &GrowthData, trace: Trace, norm: Norm) -> bool {
    match trace {
        Trace::Draws => true,
        Trace::Exact => norm == Norm::Spectral && !data.family.is_empty(),
        _ => data.growth.iter().flat_map(|growth| &growth.rows).any(|row| bound_in(row, trace, norm).is_some()),
    }
}

/// The draws of the sweep, if they are of this state.
pub fn draws_of(sweep: &SweepData, state: &PageState) -> Vec<(f64, f64)> {
    match &sweep.of {
        Some(of) if *of == state.for_sweeping() => sweep.values(state.norm),
        _ => Vec::new(),
    }
}

/// The chart of the curves that are on, with the gap between the best bounds and the present configuration.
pub fn growth_chart(
    data: &GrowthData,
    sweep: &SweepData,
    current: Option<&Measured>,
    searched: Option<&SearchFound>,
    state: &PageState,
) -> LineChart {
    let rows: &[GrowthRow] = data.growth.as_ref().map_or(&[], |growth| &growth.rows);
    let (traces, norm) = (state.growth.traces, state.norm);
    let mut series = Vec::with_capacity(10);
    // The first are named first, the last are drawn on top.
    for trace in Trace::ALL.into_iter().filter(|trace| traces.has(*trace)) {
        let curve: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| bound_in(row, trace, norm).map(|bound| (row.n, bound.log10))).collect();
        if let Some(id) = bounds_of(trace).first().filter(|_| !curve.is_empty()) {
            let line = Series::new(id.id(), strings::trace_label(trace), role_of(*id), SeriesKind::Line, curve);
            series.push(line.short_label(strings::trace_label_short(trace)).given_log10());
        }
    }
    if traces.has(Trace::Exact) && norm == Norm::Spectral {
        let marks = data.family.iter().filter(|point| is_marked(point.n)).map(|point| (point.n, point.spectral));
        series.push(Series::new("exact", "", Role::Measured, SeriesKind::Hollow, marks.collect()));
    }
    if traces.has(Trace::Draws) {
        let mut draws = Series::new("draws", "", Role::Measured, SeriesKind::Points, draws_of(sweep, state));
        draws.opacity = 0.55;
        series.push(draws);
    }
    series.extend(found_in_growth(searched, data, state).map(search_series));
    if let Some(at) = current.and_then(|m| Some((m.measurement.n, m.measurement.norm(norm)?))) {
        series.push(Series::new("current", "", Role::Selected, SeriesKind::Points, vec![at]));
    }
    let x = AxisSpec::new(strings::growth_x(), Scale::Log);
    let y = AxisSpec::new(strings::growth_axis(norm), Scale::Log);
    let mut chart = LineChart::new(x, y, series);
    let gap =
        rows.iter().filter_map(|row| Some((row.n, row.best_lower(norm)?.log10, row.best_upper(norm)?.log10))).collect();
    chart.bands = vec![Band::new("gap", strings::gap_text(), Role::Measured, gap).given_log10()];
    if let Some(crossover) = data.crossover(norm) {
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

impl GrowthRanges {
    /// Gives the chart its ranges: those of before while a slider is held, else what the curves ask for.
    pub fn apply(&mut self, chart: &mut LineChart, state: &PageState, is_held: bool) {
        for held in [&mut self.x, &mut self.y] {
            if is_held { held.hold() } else { held.release() }
        }
        chart.x.range = self.x.update(Extent::new(2.0, state.growth.max));
        chart.y.range = self.y.update(wanted_y(chart));
    }
}

/// From the lowest of the curves that do not fall to the highest of all that are not sky-high.
fn wanted_y(chart: &LineChart) -> Option<Extent> {
    let is = |id: &str, bounds: &[BoundId]| bounds.iter().any(|bound| bound.id() == id);
    let published = [BoundId::CastinGeneral, BoundId::CastinMeanField];
    let falling = [BoundId::Adversarial];
    let logs = |wanted: &dyn Fn(&str) -> bool| {
        let series = chart.series.iter().filter(|series| wanted(&series.id));
        let logs = series.flat_map(|series| {
            series.data.iter().map(|point| if series.given == ValueForm::Log10 { point.1 } else { point.1.log10() })
        });
        Extent::of(logs.filter(|log10| log10.is_finite()))
    };
    let core = logs(&|id| !is(id, &published) && !is(id, &falling)).or_else(|| logs(&|_| true))?;
    let mut whole = core;
    for bound in published {
        if let Some(extent) = logs(&|id| id == bound.id()).filter(|extent| extent.hi() <= core.hi() + DECADES_ABOVE) {
            whole = whole.union(extent);
        }
    }
    if let Some(fallen) = logs(&|id| is(id, &falling)) {
        let low = fallen.lo().max(core.lo() - DECADES_BELOW).min(whole.lo());
        whole = Extent::new(low, whole.hi())?;
    }
    let power = |log10: f64| 10f64.powf(log10.clamp(-MOST_DECADES, MOST_DECADES));
    Extent::new(power(whole.lo()), power(whole.hi())).map(|extent| extent.nice(Scale::Log))
}
