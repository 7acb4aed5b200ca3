//! Charts over n: the opening plot and the view over n draw the same things in the same way. They share axes, the draws
//! and their mean, the present tokens, and the strip for bounds far above everything else. The opening plot adds three
//! bounds and sqrt(n); the view over n adds every curve of its list. `lengths` reads such a plot.
//!
//! New points fade in, so that a stream of points is calm. With reduced motion they appear at once.

mod lengths;

use crate::answers::{Measured, Sweep, values};
use crate::frame::{is_motion_reduced, now};
use crate::state::{PageState, XAxis};
use crate::strings;
use lipscope_core::bounds::Norm;
use lipscope_plot::{AxisSpec, Band, Extent, HeldExtent, LineChart, Mark, Role, Scale, Series, SeriesKind, ascending};
use lipscope_protocol::tasks::SweepRequest;

pub use lengths::{AxisChoice, length_at, on_length_key};

/// The id of the mean of the draws.
pub const MEAN: &str = "mean";
/// The id of the present configuration.
pub const CURRENT: &str = "current";
/// The id of the draws.
pub const DRAWS: &str = "draws";
/// The id of the draws of the earlier sweep.
const BEFORE: &str = "before";
/// The id of the draws that fade in.
const FRESH: &str = "fresh";

/// The opacity of a draw.
pub const DRAW: f64 = 0.4;
/// The opacity of a draw of the earlier sweep.
const EARLIER: f64 = 0.2;
/// A bound this many powers of ten above everything else is drawn in a strip over the plot.
const DECADES_ABOVE: f64 = 2.0;

/// A chart over n for a state, with the present n marked, its axes named, and n spaced by `axis`.
pub fn chart_over_n(state: &PageState, axis: XAxis, (x, y): (&'static str, String), series: Vec<Series>) -> LineChart {
    let (x_scale, y_scale) = match axis {
        XAxis::LogLog => (Scale::Log, Scale::Log),
        XAxis::SqrtN => (Scale::Sqrt, Scale::Linear),
        XAxis::N => (Scale::Linear, Scale::Linear),
    };
    let mut x = AxisSpec::new(x, x_scale).whole();
    if x_scale != Scale::Linear {
        x = x.root(strings::explore_x_root());
    }
    let mut chart = LineChart::new(x, AxisSpec::new(y, y_scale), series);
    chart.note = strings::measuring_text().into();
    let n = state.n_tokens();
    chart.mark_x = Some(Mark { x: n, label: strings::n_equals(n) });
    chart
}

/// The draws of a sweep. New draws fade in, and draws of another plan than `plan` are faint. Beyond the last new draw,
/// those of the earlier sweep stay.
pub fn draws(sweep: &Sweep, plan: Option<&SweepRequest>, norm: Norm, faded: Faded) -> Vec<Series> {
    let points = sweep.values(norm);
    let frontier = points.last().map_or(0.0, |point| point.0);
    let before: Vec<_> = values(&sweep.before, norm).into_iter().filter(|point| point.0 > frontier).collect();
    let (settled, fresh) = points.split_at(faded.settled.min(points.len()));
    let opacity = DRAW * presence(sweep.has_plan(plan));
    let parts = [
        (BEFORE, before, EARLIER),
        (DRAWS, settled.to_vec(), opacity),
        (FRESH, fresh.to_vec(), opacity * faded.opacity),
    ];
    let series = |(id, points, opacity): (&str, Vec<(f64, f64)>, f64)| Series {
        opacity,
        ..Series::new(id, "", Role::Measured, SeriesKind::Points, points)
    };
    parts.map(series).into_iter().filter(|series| !series.data.is_empty()).collect()
}

/// Whether a series is one of [`draws`].
pub fn is_of_draws(series: &Series) -> bool {
    [BEFORE, DRAWS, FRESH].contains(&series.id.as_str())
}

/// The mean of the draws at each n.
pub fn mean(sweep: &Sweep, plan: Option<&SweepRequest>, norm: Norm) -> Series {
    let (label, points) = (strings::mean_label(sweep.of.as_ref()), means(&sweep.values(norm)));
    let mean = Series::new(MEAN, label, Role::Measured, SeriesKind::Line, points);
    Series { opacity: presence(sweep.has_plan(plan)), ..mean }
}

/// The last measured norm, as one point; faint where it belongs to earlier tokens.
pub fn current(measured: Option<&Measured>, state: &PageState, norm: Norm) -> Option<Series> {
    let measured = measured?;
    let at = vec![(measured.measurement.n, measured.measurement.norm(norm)?)];
    let point = Series::new(CURRENT, "", Role::Selected, SeriesKind::Points, at);
    Some(Series { opacity: presence(measured.answers(state)), ..point })
}

/// How a curve is drawn: a ring where it has one point, as beside skew tokens, whose bounds are about one n.
pub fn kind_of_curve(points: &[(f64, f64)]) -> SeriesKind {
    if points.len() == 1 { SeriesKind::Hollow } else { SeriesKind::Line }
}

/// The opacity of data that belong to the present state, or to another one.
pub fn presence(is_present: bool) -> f64 {
    if is_present { 1.0 } else { STALE }
}

/// Moves curves that are far above all others into the strip. For a picture only: tables and readouts have every curve.
pub fn lift(chart: &mut LineChart, high: &[&str]) {
    chart.lift(high, DECADES_ABOVE, strings::far_above);
}

/// The chart without its faint data, which belong to another state or to an earlier sweep: a file or a table could not
/// show that they are faint.
pub fn of_present(mut chart: LineChart) -> LineChart {
    chart.series.retain(|series| match series.id.as_str() {
        DRAWS | FRESH => series.opacity > DRAW * STALE,
        _ => series.opacity > STALE,
    });
    chart.bands.retain(|band| band.opacity > Band::OPACITY * STALE);
    chart
}

/// The ranges of the axes. They stay as they are while a slider is held.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranges {
    of: Option<XAxis>,
    x: HeldExtent,
    y: HeldExtent,
}

impl Ranges {
    /// Sets the chart's ranges: x up to `last`, y by `wanted_y`; while a slider is held, the earlier ones.
    pub fn apply(
        &mut self,
        chart: &mut LineChart,
        axis: XAxis,
        last: f64,
        is_held: bool,
        wanted_y: fn(&LineChart) -> Option<Extent>,
    ) {
        if self.of != Some(axis) {
            *self = Ranges { of: Some(axis), ..Ranges::default() };
        }
        for held in [&mut self.x, &mut self.y] {
            if is_held { held.hold() } else { held.release() }
        }
        let first = if chart.x.scale == Scale::Log { 2.0 } else { 0.0 };
        chart.x.range = self.x.update(Extent::new(first, last));
        chart.y.range = self.y.update(wanted_y(chart));
    }
}

/// How long a point takes to fade in, in milliseconds.
const FADE: f64 = 120.0;

/// The opacity of data of another state, which stay in sight until the data of the present state arrive.
pub const STALE: f64 = 0.45;

/// Which points of a growing list are new.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fade {
    settled: usize,
    since: Option<f64>,
}

/// The points before `settled` are fully visible; the others are at `opacity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faded {
    /// How many points are fully visible.
    pub settled: usize,
    /// How visible the others are, from 0 to 1.
    pub opacity: f64,
}

impl Faded {
    /// All points are fully visible.
    pub const ALL: Faded = Faded { settled: usize::MAX, opacity: 1.0 };
}

impl Fade {
    /// How the list is to be drawn now, when it has `count` points.
    pub fn at(&mut self, count: usize) -> Faded {
        if count < self.settled {
            *self = Fade::default();
        }
        if count == self.settled || is_motion_reduced() {
            *self = Fade { settled: count, since: None };
            return Faded { settled: count, opacity: 1.0 };
        }
        let time = now();
        let opacity = (time - *self.since.get_or_insert(time)) / FADE;
        if opacity >= 1.0 {
            *self = Fade { settled: count, since: None };
        }
        Faded { settled: self.settled, opacity: opacity.min(1.0) }
    }

    /// Whether another frame is needed.
    pub fn is_going(&self) -> bool {
        self.since.is_some()
    }
}

/// The mean of the values at each n, ascending in n.
fn means(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted = points.to_vec();
    ascending(&mut sorted, |point| point.0);
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|point| point.1).sum::<f64>() / same.len() as f64))
        .collect()
}
