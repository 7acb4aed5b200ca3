//! From a sweep to the chart of the norm over n.

use lipscope_core::bounds::{BoundId, Norm, Side};
use lipscope_plot::{AxisSpec, Extent, HeldExtent, LineChart, Mark, Role, Scale, Series, SeriesKind, ascending};

use super::fade::Faded;
use super::search_point::{found_in_draws, search_series};
use crate::live::{Measured, SearchFound, SweepData, SweepPhase, values};
use crate::state::{PageState, TokenChoice, XAxis};
use crate::strings;

/// On a log axis, bounds up to so many powers of ten above the data are shown; higher ones leave the frame.
const DECADES_ABOVE: f64 = 6.0;

/// The ids of the series.
pub mod id {
    /// The draws.
    pub const DRAWS: &str = "draws";
    pub use super::super::lengths::{CURRENT, MEAN};
}

/// The axes' ranges, which hold while a slider is held.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranges {
    x: HeldExtent,
    y: HeldExtent,
    of: Option<XAxis>,
}

/// The role that a bound has in every view.
pub fn role_of(bound: BoundId) -> Role {
    match bound {
        BoundId::CastinGeneral | BoundId::KimL2 | BoundId::KimLinf => Role::PublishedGeneral,
        BoundId::CastinMeanField => Role::PublishedMeanField,
        BoundId::Sharp | BoundId::SharpMasked => Role::Sharp,
        BoundId::Unified | BoundId::UnifiedMasked => Role::Unified,
        BoundId::Local | BoundId::LocalBlocks | BoundId::MaxToken => Role::Local,
        BoundId::TwoClusters => Role::LowerBound,
        BoundId::Sink => Role::LowerSink,
        BoundId::Fork => Role::LowerFork,
        BoundId::Adversarial => Role::LowerFamily,
        BoundId::AdversarialEnvelope => Role::Envelope,
        BoundId::Skew => Role::Skew,
    }
}

/// The chart of a sweep, with the present configuration marked; the newest draws as visible as `faded` says.
pub fn chart(
    sweep: &SweepData,
    current: Option<&Measured>,
    searched: Option<&SearchFound>,
    state: &PageState,
    faded: Faded,
) -> LineChart {
    let (scale_x, scale_y) = scales(state.x_axis);
    let points = sweep.values(state.norm);
    let means = means(&points);
    let mut series = Vec::with_capacity(7);
    let frontier = points.last().map_or(0.0, |point| point.0);
    if sweep.phase != SweepPhase::Done {
        let before: Vec<_> = values(&sweep.before, state.norm).into_iter().filter(|point| point.0 > frontier).collect();
        let mut faint = Series::new("before", "", Role::Measured, SeriesKind::Points, before);
        faint.opacity = 0.2;
        series.push(faint);
    }
    if sweep.draws > 1 {
        series.push(Series::new("range", "", Role::Measured, SeriesKind::Range, points.clone()));
    }
    let (settled, fresh) = points.split_at(faded.settled.min(points.len()));
    for (id, points, opacity) in [(id::DRAWS, settled, 1.0), ("fresh", fresh, faded.opacity)] {
        let mut draws = Series::new(id, "", Role::Measured, SeriesKind::Points, points.to_vec());
        draws.opacity = 0.55 * opacity;
        series.push(draws);
    }
    let label = strings::mean_label(sweep.draws);
    series.push(Series::new(id::MEAN, label, Role::Measured, SeriesKind::Line, means).short_label(strings::measured()));
    for bound in BoundId::ALL.into_iter().filter(|bound| is_drawn(*bound, state)) {
        let curve: Vec<(f64, f64)> = sweep
            .curves
            .bounds
            .iter()
            .filter_map(|(n, bounds)| bounds.iter().find(|b| b.id == bound).map(|b| (*n as f64, b.log10)))
            .collect();
        if !curve.is_empty() {
            let label = strings::bound_label(bound);
            let line = Series::new(bound.id(), label, role_of(bound), SeriesKind::Line, curve);
            series.push(line.short_label(strings::bound_label_short(bound)).given_log10());
        }
    }
    series.extend(found_in_draws(searched, sweep, state).map(search_series));
    if let Some((n, value)) = current.and_then(|m| Some((m.measurement.n, m.measurement.norm(state.norm)?))) {
        series.push(Series::new(id::CURRENT, "", Role::Selected, SeriesKind::Points, vec![(n, value)]));
    }
    let x = AxisSpec::new(strings::x_axis_title(state.x_axis), scale_x).whole();
    let y = AxisSpec::new(strings::norm_axis(state.norm), scale_y);
    let mut chart = LineChart::new(x, y, series);
    chart.note = match sweep.phase {
        // Every point is there, and none has this norm.
        SweepPhase::Done if state.norm != Norm::Spectral => strings::needs_dense().into(),
        _ => strings::measuring_text().into(),
    };
    let n = state.n_tokens();
    chart.mark_x = Some(Mark { x: n, label: strings::n_equals(n) });
    chart
}

/// Whether a bound is drawn over n: the lower ones are about one A, and the skew witness has another for each n.
fn is_drawn(bound: BoundId, state: &PageState) -> bool {
    bound.is_about(state.norm)
        && bound != BoundId::AdversarialEnvelope
        && (bound.side() == Side::Upper || state.tokens != TokenChoice::Skew)
}

impl Ranges {
    /// Gives the chart its ranges: those of before while a slider is held, else what the data ask for.
    pub fn apply(&mut self, chart: &mut LineChart, sweep: &SweepData, state: &PageState, is_held: bool) {
        if self.of != Some(state.x_axis) {
            *self = Ranges { of: Some(state.x_axis), ..Ranges::default() };
        }
        for held in [&mut self.x, &mut self.y] {
            if is_held { held.hold() } else { held.release() }
        }
        chart.x.range = self.x.update(wanted_x(chart, sweep, state));
        chart.y.range = self.y.update(wanted_y(chart));
    }
}

fn scales(axis: XAxis) -> (Scale, Scale) {
    match axis {
        XAxis::SqrtN => (Scale::Sqrt, Scale::Linear),
        XAxis::N => (Scale::Linear, Scale::Linear),
        XAxis::LogLog => (Scale::Log, Scale::Log),
    }
}

/// The mean at each n, ascending; the points of one n are together.
pub fn means(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted = points.to_vec();
    ascending(&mut sorted, |point| point.0);
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|point| point.1).sum::<f64>() / same.len() as f64))
        .collect()
}

fn wanted_x(chart: &LineChart, sweep: &SweepData, state: &PageState) -> Option<Extent> {
    let longest = sweep.lengths.last().copied().unwrap_or(state.sweep_max_used()) as f64;
    let longest = longest.max(state.n_tokens());
    let first = if chart.x.scale == Scale::Log { 2.0 } else { 0.0 };
    Extent::new(first, longest)
}

/// On linear axes the data alone; on a log axis the bounds too, as far as they are not sky-high.
fn wanted_y(chart: &LineChart) -> Option<Extent> {
    let is_data = |series: &&Series| series.kind != SeriesKind::Line || series.id == id::MEAN;
    let data = || chart.series.iter().filter(is_data).flat_map(|series| series.data.iter().map(|point| point.1));
    let scale = chart.y.scale;
    let measured = Extent::shown(data(), scale)?;
    if scale != Scale::Log {
        return Extent::new(0.0, 1.04 * measured.hi().max(f64::MIN_POSITIVE)).map(|extent| extent.nice(scale));
    }
    let top = measured.hi().log10() + DECADES_ABOVE;
    let bounds = chart.series.iter().filter(|series| !is_data(series)).flat_map(|series| &series.data);
    let shown =
        Extent::of(bounds.map(|point| point.1).filter(|log10| *log10 <= top)).map(|logs| (logs.lo(), logs.hi()));
    let with_bounds = match shown.and_then(|(lo, hi)| Extent::new(10f64.powf(lo), 10f64.powf(hi))) {
        Some(bounds) => measured.union(bounds),
        None => measured,
    };
    Some(with_bounds.nice(scale))
}
