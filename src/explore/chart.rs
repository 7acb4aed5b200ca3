//! The local constant against the root of n: draws and their mean, the worst tokens known, the best bound, the published
//! mean-field bound, and the root of n itself for comparison.

use lipscope_core::bounds::{Bound, BoundId, Norm};
use lipscope_plot::{AxisSpec, Extent, HeldExtent, LineChart, Mark, Role, Scale, Series, SeriesKind};

use crate::charts::means;
use crate::live::{Measured, SweepData, SweepPhase, values};
use crate::state::{PageState, Trace, XAxis};
use crate::strings;

use super::facts::{best_label, largest, largest_sample, of, smallest};

/// A bound so many powers of ten above everything else stands in a strip over the plot.
const DECADES_ABOVE: f64 = 2.0;

/// The ids of the series.
pub mod id {
    pub use crate::charts::{CURRENT, MEAN};

    /// The draws.
    pub const DRAWS: &str = "draws";
    /// The root of n.
    pub const ROOT: &str = "root";
    /// The worst tokens known.
    pub const WORST: &str = "worst";
    /// The best bound.
    pub const BEST: &str = "best";
    /// The published mean-field bound.
    pub const MEAN_FIELD: &str = "mean-field";
}

/// The axes' ranges, which hold while a slider is held.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExploreRanges {
    of: Option<XAxis>,
    x: HeldExtent,
    y: HeldExtent,
}

/// What is known of a bound over n.
type Pick = fn(&[Bound]) -> Option<Bound>;

/// The chart of a sweep, with the present tokens marked.
pub fn explore_chart(sweep: &SweepData, current: Option<&Measured>, state: &PageState) -> LineChart {
    let norm = Norm::Spectral;
    let (x_scale, y_scale) = match state.x_axis {
        XAxis::LogLog => (Scale::Log, Scale::Log),
        XAxis::SqrtN => (Scale::Sqrt, Scale::Linear),
        XAxis::N => (Scale::Linear, Scale::Linear),
    };
    let points = sweep.values(norm);
    let mut series = Vec::with_capacity(8);
    let curve = |pick: Pick| -> Vec<(f64, f64)> {
        let rows = sweep.curves.bounds.iter();
        rows.filter_map(|(n, bounds)| pick(bounds).map(|bound| (*n as f64, bound.log10))).collect()
    };
    let best: Pick = |bounds| smallest(bounds, Norm::Spectral);
    let best_name = best_label(sweep.curves.bounds.iter().filter_map(|(_, bounds)| best(bounds)));
    let curves: [(&str, Role, Pick, &str); 3] = [
        (
            id::MEAN_FIELD,
            Role::PublishedMeanField,
            |bounds| of(bounds, BoundId::CastinMeanField),
            strings::trace_label(Trace::MeanField),
        ),
        (id::BEST, Role::Sharp, best, best_name),
        (id::WORST, Role::LowerBound, |bounds| largest(bounds, Norm::Spectral), strings::trace_label(Trace::Worst)),
    ];
    for (id, role, pick, name) in curves {
        let mut data = curve(pick);
        if id == id::WORST {
            // The draws are tokens of the ball too, and of fewer of them more can be made.
            data.iter_mut().for_each(|(n, log10)| *log10 = log10.max(largest_sample(&points, state, *n)));
        }
        if !data.is_empty() && state.bounds_hold_on_ball() {
            series.push(Series::new(id, name, role, SeriesKind::Line, data).given_log10());
        }
    }
    let last = last_n(sweep, state);
    let root = [2.0, last].map(|n| (n, n.sqrt()));
    let root = if x_scale == Scale::Linear {
        (0..=64).map(|at| 2.0 + (last - 2.0) * f64::from(at) / 64.0).map(|n| (n, n.sqrt())).collect()
    } else {
        root.to_vec()
    };
    series.push(Series::new(id::ROOT, strings::trace_label(Trace::Root), Role::Reference, SeriesKind::Line, root));
    let frontier = points.last().map_or(0.0, |point| point.0);
    if sweep.phase != SweepPhase::Done {
        let before: Vec<_> = values(&sweep.before, norm).into_iter().filter(|point| point.0 > frontier).collect();
        let mut faint = Series::new("before", "", Role::Measured, SeriesKind::Points, before);
        faint.opacity = 0.2;
        series.push(faint);
    }
    let mut draws = Series::new(id::DRAWS, "", Role::Measured, SeriesKind::Points, points.clone());
    draws.opacity = 0.4;
    series.push(draws);
    series.push(Series::new(
        id::MEAN,
        strings::mean_label(sweep.draws),
        Role::Measured,
        SeriesKind::Line,
        means(&points),
    ));
    if let Some(now) = current {
        let at = vec![(now.measurement.n, now.measurement.spectral)];
        series.push(Series::new(id::CURRENT, "", Role::Selected, SeriesKind::Points, at));
    }
    let mut x = AxisSpec::new(strings::explore_x(), x_scale).whole();
    if x_scale == Scale::Log {
        x = x.root(strings::explore_x_root());
    }
    let mut chart = LineChart::new(x, AxisSpec::new(strings::explore_y(), y_scale), series);
    chart.note = strings::measuring_text().into();
    let n = state.n_tokens();
    chart.mark_x = Some(Mark { x: n, label: strings::n_equals(n) });
    chart
}

impl ExploreRanges {
    /// Gives the chart its ranges: those of before while a slider is held, else what is drawn asks for.
    pub fn apply(&mut self, chart: &mut LineChart, sweep: &SweepData, state: &PageState, is_held: bool) {
        if self.of != Some(state.x_axis) {
            *self = ExploreRanges { of: Some(state.x_axis), ..ExploreRanges::default() };
        }
        for held in [&mut self.x, &mut self.y] {
            if is_held { held.hold() } else { held.release() }
        }
        let last = last_n(sweep, state);
        let first = if chart.x.scale == Scale::Log { 2.0 } else { 0.0 };
        chart.x.range = self.x.update(Extent::new(first, last.max(state.n_tokens())));
        chart.y.range = self.y.update(wanted_y(chart));
    }
}

/// Where the plot ends: with the last of its samples or of its bounds.
fn last_n(sweep: &SweepData, state: &PageState) -> f64 {
    let sampled = sweep.lengths.last().copied().unwrap_or(state.sweep_max_used());
    let bounded = sweep.curves.bounds.last().map_or(sampled, |(n, _)| *n);
    sampled.max(bounded) as f64
}

/// Puts the curves that are far above all others into the strip; for a picture, since tables and readouts have every curve.
pub fn lift(chart: &mut LineChart) {
    chart.lift(&[id::BEST, id::MEAN_FIELD], DECADES_ABOVE, strings::far_above);
}

fn wanted_y(chart: &LineChart) -> Option<Extent> {
    let is_data =
        |series: &&Series| matches!(series.id.as_str(), id::DRAWS | id::CURRENT | id::ROOT | id::WORST | id::MEAN);
    if chart.y.scale != Scale::Log {
        let top = chart.series.iter().filter(is_data).flat_map(Series::logs).fold(f64::NEG_INFINITY, f64::max);
        return Extent::new(0.0, 1.04 * 10f64.powf(top.min(300.0))).map(|extent| extent.nice(Scale::Linear));
    }
    let all = Extent::of(chart.series.iter().flat_map(Series::logs).filter(|log10| log10.abs() < 300.0))?;
    Extent::new(10f64.powf(all.lo()), 10f64.powf(all.hi())).map(|extent| extent.nice(Scale::Log))
}
