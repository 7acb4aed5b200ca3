//! The chosen quantity of each estimator against the iteration, and its value where the estimator stopped.

use crate::state::EstimatorQuantity;
use crate::strings;
use lipscope_core::estimators::{Estimator, EstimatorPoint, Stop};
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, Role, Rule, Scale, Series, SeriesKind, Table};

use super::plot::Written;

/// Smaller errors are rounding. They are drawn at this value, since a log axis has no zero.
const LEAST: f64 = 1e-16;

/// Each estimator over the iteration, with a vertical line where it stopped.
pub fn estimators_chart(points: &[EstimatorPoint], shown: EstimatorQuantity) -> LineChart {
    let read = |point: &EstimatorPoint| match shown {
        EstimatorQuantity::Error => point.error.max(LEAST),
        EstimatorQuantity::Residual => point.relative_residual.max(LEAST),
        EstimatorQuantity::Value => point.value,
    };
    let of = |estimator: Estimator| -> Vec<(f64, f64)> {
        let own = points.iter().filter(|point| point.estimator == estimator && point.relative_residual.is_finite());
        own.map(|point| (point.iteration as f64, read(point))).collect()
    };
    let ends: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.estimator == Estimator::Power && !point.stops.is_empty())
        .map(|point| (point.iteration as f64, read(point)))
        .collect();
    let last = points.iter().map(|point| point.iteration).max().unwrap_or(0).max(10) as f64;
    let truth = points.iter().find(|point| point.estimator == Estimator::DenseSvd).map(|point| point.value);
    let dense = match (shown, truth) {
        (EstimatorQuantity::Value, Some(value)) => vec![(1.0, value), (last, value)],
        (EstimatorQuantity::Error | EstimatorQuantity::Residual, Some(_)) => {
            vec![(1.0, f64::EPSILON), (last, f64::EPSILON)]
        }
        _ => Vec::new(),
    };
    let dense_name = if shown == EstimatorQuantity::Value { strings::dense() } else { strings::dense_rounding() };
    let (lanczos, power) = (of(Estimator::Lanczos), of(Estimator::Power));
    let series = vec![
        Series::new("dense", dense_name, Role::Unified, SeriesKind::Line, dense).short_label(strings::dense()),
        Series::new("power", strings::power_text(), Role::ReleasedScript, SeriesKind::Line, power)
            .short_label(strings::power_short()),
        Series::new("stops", "", Role::ReleasedScript, SeriesKind::Hollow, ends),
        Series::new("lanczos", strings::LANCZOS, Role::Measured, SeriesKind::Line, lanczos.clone()),
        Series::new("lanczos-points", "", Role::Measured, SeriesKind::Points, lanczos),
    ];
    let (title, scale) = match shown {
        EstimatorQuantity::Error => (strings::estimators_error(), Scale::Log),
        EstimatorQuantity::Residual => (strings::estimators_residual(), Scale::Log),
        EstimatorQuantity::Value => (strings::estimators_value(), Scale::Linear),
    };
    let x = AxisSpec::new(strings::estimators_x(), Scale::Log).whole().range(Extent::new(1.0, last));
    let mut chart = LineChart::new(x, AxisSpec::new(title, scale), series);
    if !points.is_empty() {
        chart.rules = stopped(points).into_iter().filter_map(|(point, stop)| rule(point, stop)).collect();
    }
    chart
}

fn rule(point: &EstimatorPoint, stop: Option<Stop>) -> Option<Rule> {
    let role = if point.estimator == Estimator::Power { Role::ReleasedScript } else { Role::Measured };
    let name = strings::stop_short(point.estimator, stop?);
    Some(Rule::new(point.iteration as f64, name).role(role))
}

/// The dense SVD, which no rule stops, then each point at which a rule stopped an estimator, once for each rule.
pub fn stopped(points: &[EstimatorPoint]) -> Vec<(&EstimatorPoint, Option<Stop>)> {
    let dense = points.iter().filter(|point| point.estimator == Estimator::DenseSvd).map(|point| (point, None));
    let others = points.iter().flat_map(|point| point.stops.iter().map(move |stop| (point, Some(*stop))));
    dense.chain(others).collect()
}

/// A row for each point: the dense SVD, then every iteration of Lanczos and of power iteration.
pub fn estimators_table(points: &[EstimatorPoint], written: Written<'_>) -> Table {
    let row = |point: &EstimatorPoint| {
        let stops: Vec<&str> = point.stops.iter().map(|stop| strings::stop_short(point.estimator, *stop)).collect();
        vec![
            strings::estimator(point.estimator).to_owned(),
            point.iteration.to_string(),
            point.products.to_string(),
            strings::claim(point.is_converged()).to_owned(),
            written(point.value, strings::claimed_kind(point.is_converged())),
            written(point.error, Kind::Plain),
            written(point.relative_residual, Kind::Plain),
            stops.join(", "),
        ]
    };
    Table { header: strings::estimators_columns().map(String::from).to_vec(), rows: points.iter().map(row).collect() }
}
