//! The climb: the current and the best norm against the iteration, between the bounds over the ball.

use crate::charts::role_of;
use crate::strings;
use lipscope_core::bounds::BoundId;
use lipscope_plot::{AxisSpec, Extent, LineChart, Role, Scale, Series, SeriesKind, Table};

use super::run::Phase;
use super::search_run::SearchRun;

/// The bounds that are drawn; each is there where it applies.
const SHOWN: [BoundId; 7] = [
    BoundId::Sharp,
    BoundId::SharpMasked,
    BoundId::Unified,
    BoundId::UnifiedMasked,
    BoundId::KimL2,
    BoundId::TwoClusters,
    BoundId::Adversarial,
];
/// Where the best bounds are further apart than this, a linear axis would show the lower one as zero.
const LINEAR_UP_TO: f64 = 16.0;
/// The axis is at least so many iterations long.
const SHORTEST: f64 = 100.0;

/// The chart of a search.
pub fn search_chart(run: &SearchRun) -> LineChart {
    let end = end_of_axis(run.steps.last().map_or(0.0, |step| step.at as f64));
    let mut series = Vec::with_capacity(SHOWN.len() + 2);
    for id in SHOWN {
        let bound = run.setting.iter().flat_map(|setting| &setting.bounds).find(|bound| bound.id == id);
        if let Some(bound) = bound.filter(|bound| bound.log10.is_finite()) {
            let level = vec![(0.0, bound.log10), (end, bound.log10)];
            let line = Series::new(id.id(), strings::bound_label(id), role_of(id), SeriesKind::Line, level);
            series.push(line.short_label(strings::bound_label_short(id)).given_log10());
        }
    }
    let current = run.steps.iter().map(|step| (step.at as f64, step.norm)).collect();
    let best = run.steps.iter().map(|step| (step.at as f64, step.best)).collect();
    let mut now = Series::new("now", strings::search_now(), Role::Measured, SeriesKind::Line, current);
    now.opacity = 0.6;
    series.push(now);
    series.push(
        Series::new("best", strings::search_best(), Role::Selected, SeriesKind::Line, best)
            .short_label(strings::search_best_short()),
    );
    let (scale, range) = y_axis(run);
    let mut chart = LineChart::new(
        AxisSpec::new(strings::search_x(), Scale::Linear).range(Extent::new(0.0, end)),
        AxisSpec::new(strings::SEARCH_Y, scale).range(range),
        series,
    );
    chart.note = match &run.phase {
        Phase::Waiting => strings::search_note().into(),
        phase => strings::lab_note(phase),
    };
    chart
}

/// 1, 2 or 5 times a power of ten, so that the axis grows now and then and not at every iteration.
fn end_of_axis(last: f64) -> f64 {
    let last = last.max(SHORTEST);
    let power = 10f64.powf(last.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|end| *end >= last).unwrap_or(last)
}

/// From zero, or from the lowest of what is drawn on a log axis, to the upper bound: it holds while the search goes on.
fn y_axis(run: &SearchRun) -> (Scale, Option<Extent>) {
    let [upper, lower] = run.bounds();
    let first = run.steps.first().map(|step| step.norm);
    let Some(top) = upper.and_then(|bound| bound.value) else { return (Scale::Linear, None) };
    let low = lower.and_then(|bound| bound.value).into_iter().chain(first).fold(0.0, f64::max);
    if low == 0.0 || top <= LINEAR_UP_TO * low {
        return (Scale::Linear, Extent::new(0.0, top).map(|extent| extent.nice(Scale::Linear)));
    }
    let least = run.steps.iter().map(|step| step.norm).filter(|norm| *norm > 0.0).fold(low, f64::min);
    (Scale::Log, Extent::new(least, top).map(|extent| extent.nice(Scale::Log)))
}

/// A row for each iteration that is drawn.
pub fn table(run: &SearchRun, written: impl Fn(f64) -> String) -> Table {
    let rows = run.steps.iter().map(|step| {
        vec![
            step.at.to_string(),
            (step.restart + 1).to_string(),
            strings::search_start(step.start).to_owned(),
            step.iteration.to_string(),
            written(step.norm),
            written(step.best),
            written(step.relative_residual),
        ]
    });
    Table { header: strings::search_columns().map(String::from).to_vec(), rows: rows.collect() }
}
