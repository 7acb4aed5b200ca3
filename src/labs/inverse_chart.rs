//! The error of both inverses against the iteration.

use crate::strings;
use lipscope_core::inverse::InverseStep;
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, Mark, Role, Scale, Series, SeriesKind, Table};

use super::plot::Written;

use crate::answers::{Pair, Side};

/// At most this many iterations of each inverse are marked on its line.
const MARKED: usize = 40;
/// The axis begins no lower than this: smaller errors are rounding.
const LEAST: f64 = 1e-17;

/// Both errors, the guaranteed rate, and a mark at the iteration that the planes show.
pub fn error_chart(pair: &Pair, frame: usize) -> LineChart {
    let errors = |side: &Side| -> Vec<(f64, f64)> {
        side.steps.iter().take(pair.last() + 1).map(|step| at(step, step.error)).collect()
    };
    let marked = |errors: &[(f64, f64)]| -> Vec<(f64, f64)> {
        errors.iter().copied().step_by(errors.len().div_ceil(MARKED).max(1)).collect()
    };
    let rate = pair.l2.steps.iter().filter_map(|step| Some(at(step, step.guaranteed?))).collect();
    let (l2, dot) = (errors(&pair.l2), errors(&pair.dot));
    let (l2_marks, dot_marks) = (marked(&l2), marked(&dot));
    let series = vec![
        Series::new("guaranteed", strings::guaranteed(), Role::PublishedGeneral, SeriesKind::Line, rate)
            .short_label(strings::guaranteed_short()),
        Series::new("dot", strings::dot_product(), Role::Measured, SeriesKind::Line, dot),
        Series::new("dot-points", "", Role::Measured, SeriesKind::Points, dot_marks),
        Series::new("l2", strings::L2_MHA, Role::Measured, SeriesKind::Line, l2),
        Series::new("l2-points", "", Role::Measured, SeriesKind::Hollow, l2_marks),
    ];
    let x = AxisSpec::new(strings::inverse_x(), Scale::Linear).range(Extent::new(0.0, pair.last().max(4) as f64));
    let mut chart = LineChart::new(x, AxisSpec::new(strings::inverse_y(), Scale::Log), series);
    let shown = chart.y_extent().and_then(|extent| Extent::new(extent.lo().max(LEAST), extent.hi()));
    chart.y.range = shown.map(|extent| extent.nice(Scale::Log));
    if pair.last() > 0 {
        let frame = frame.min(pair.last());
        chart.mark_x = Some(Mark { x: frame as f64, label: strings::iteration(frame) });
    }
    chart
}

fn at(step: &InverseStep, value: f64) -> (f64, f64) {
    (step.iteration as f64, value)
}

/// A row for each iteration.
pub fn table(pair: &Pair, written: Written<'_>) -> Table {
    let cell = |value: Option<f64>| value.map_or_else(String::new, |x| written(x, Kind::Plain));
    let row = |t: usize| {
        let (l2, dot) = (pair.l2.steps.get(t), pair.dot.steps.get(t));
        let guaranteed = l2.and_then(|step| step.guaranteed);
        let numbers =
            [l2.map(|s| s.error), l2.map(|s| s.residual), guaranteed, dot.map(|s| s.error), dot.map(|s| s.residual)];
        std::iter::once(t.to_string()).chain(numbers.map(cell)).collect()
    };
    let count = pair.l2.steps.len().max(pair.dot.steps.len());
    Table { header: strings::inverse_columns().map(String::from).to_vec(), rows: (0..count).map(row).collect() }
}
