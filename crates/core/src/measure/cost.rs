//! The cost of a measurement, from the sizes of its experiment alone.

use super::options::{CLUSTER_SVD_LIMIT, basis};
use super::{Detail, MeasureOptions};
use crate::cost::parts::{self, Part};
use crate::cost::{BASE, Cost, Form, Shape, bounds, gathered, largest, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, limits};
use crate::jacobian::SINGLE_TOLERANCE;
use crate::phrase;
use crate::spectral::KEPT_PAIRS;
use crate::weights;

/// The memory and operations of a measurement.
#[must_use]
pub fn cost(experiment: &Experiment, options: &MeasureOptions) -> Cost {
    of_shape(&shape_of(experiment), options)
}

/// The memory that is held while the leading singular pair and the images F(X) are computed after a measurement,
/// including that of the measurement itself. Operations are not counted.
#[must_use]
pub fn cost_of_pictures(experiment: &Experiment, options: &MeasureOptions) -> Cost {
    pictures(&shape_of(experiment), options)
}

/// Refuses a measurement that is too large, before tokens or weights are drawn.
///
/// # Errors
/// [`InputError`] for sizes over a limit, [`InputError::TooCostly`] for memory over that of the options.
pub fn check(experiment: &Experiment, options: &MeasureOptions) -> Result<(), InputError> {
    check_cost(experiment, options, |shape| of_shape(shape, options))
}

/// The same for a measurement after which the leading singular pair and the images F(X) are computed too.
pub(crate) fn check_with_pictures(experiment: &Experiment, options: &MeasureOptions) -> Result<(), InputError> {
    check_cost(experiment, options, |shape| of_shape(shape, options).then(pictures(shape, options)))
}

fn check_cost(
    experiment: &Experiment,
    options: &MeasureOptions,
    cost: impl Fn(&Shape) -> Cost,
) -> Result<(), InputError> {
    let shape = checked_shape(experiment, options)?;
    crate::cost::check(phrase!("measurement", "The measurement"), &shape, options.memory, cost)
}

/// The sizes of an experiment whose numbers of weights, tokens and scores are within their limits.
pub(crate) fn checked_shape(experiment: &Experiment, options: &MeasureOptions) -> Result<Shape, InputError> {
    weights::check_sizes(experiment)?;
    let shape = shape_of(experiment);
    if form(&shape, options) == Form::Tokens {
        limits::check_scores(usize::try_from(shape.n).unwrap_or(usize::MAX))?;
    }
    Ok(shape)
}

/// The memory and operations of a measurement at a shape.
pub(crate) fn of_shape(shape: &Shape, options: &MeasureOptions) -> Cost {
    let inputs = parts::inputs(shape);
    let held = sum([BASE, inputs.kept, shape.listed()]);
    let (bytes, operations) = match form(shape, options) {
        Form::Tokens => of_tokens(shape, options),
        Form::Clusters(m) => of_clusters(shape, m, options),
        Form::Runs(m) => of_runs(shape, m, options),
    };
    let grouping = if options.may_group(shape.side()) { gathered::grouping(shape) } else { Part::default() };
    let numbers = sum([held, largest([inputs.besides, grouping.besides, bytes])]);
    Cost::of_numbers(numbers, sum([inputs.operations, grouping.operations, operations]))
}

/// The memory of the pair and the images, including the measurement's own numbers; without operations.
pub(crate) fn pictures(shape: &Shape, options: &MeasureOptions) -> Cost {
    let inputs = parts::inputs(shape);
    let concatenated = product([shape.n, shape.values]);
    let images = sum([concatenated, shape.outputs(), parts::block(shape.n)]);
    let pair = product([2, sum([shape.inputs(), shape.outputs()])]);
    let (system, vectors) = match form(shape, options) {
        Form::Tokens => {
            let dense = if shape.side() <= options.svd_limit as u64 {
                let (dense, vectors) = (parts::dense(shape), parts::singular_vectors(shape.outputs(), shape.inputs()));
                sum([dense.kept, largest([dense.besides, vectors.peak()])])
            } else {
                0
            };
            (sum([parts::forward(shape).kept, parts::operator(shape).kept]), dense)
        }
        Form::Clusters(m) => {
            let (rows, columns) = gathered::between(shape, m);
            let vectors = if largest([rows, columns]) <= CLUSTER_SVD_LIMIT as u64 {
                parts::singular_vectors(rows, columns)
            } else {
                lanczos(rows, columns, options.lanczos.max_basis)
            };
            let members = if shape.n == m { 0 } else { shape.n };
            (gathered::clusters(shape, m, members).kept, sum([product([rows, columns]), vectors.peak()]))
        }
        Form::Runs(m) => (gathered::runs(shape, m).kept, 0),
    };
    let numbers = sum([BASE, inputs.kept, shape.listed(), system, pair, largest([images, vectors])]);
    Cost::of_numbers(numbers, 0)
}

/// The form of the Jacobian that a measurement takes.
pub(crate) fn form(shape: &Shape, options: &MeasureOptions) -> Form {
    let shape = if options.may_group(shape.side()) { *shape } else { shape.ungathered() };
    shape.form(options.svd_limit)
}

/// The numbers held besides the inputs, and the operations, where every token stands by itself.
fn of_tokens(shape: &Shape, options: &MeasureOptions) -> (u64, u64) {
    let (forward, operator) = (parts::forward(shape), parts::operator(shape));
    let system = sum([forward.kept, operator.kept]);
    let is_dense = shape.side() <= options.svd_limit as u64;
    let mut iteration = if is_dense { Part::default() } else { iteration(shape, options) };
    if !is_dense && options.lanczos.tolerance >= SINGLE_TOLERANCE && options.assurance().is_none() {
        iteration.besides = sum([iteration.besides, parts::single(shape)]);
    }
    let dense =
        if is_dense || shape.side() <= options.dense_limit as u64 { parts::dense(shape) } else { Part::default() };
    let values = if is_dense { parts::singular_values(shape.outputs(), shape.inputs()) } else { Part::default() };
    let dense_peak = sum([dense.kept, largest([dense.besides, values.peak()]), iteration.kept]);
    let bounds = of_bounds(shape, shape.n, options);
    let peak = largest([iteration.peak(), dense_peak, sum([iteration.kept, bounds.besides])]);
    let products = if is_dense { 0 } else { parts::default_products(operator) };
    let operations = [forward.operations, products, iteration.operations, dense.operations, values.operations];
    (largest([forward.peak(), sum([system, bounds.kept, peak])]), sum([sum(operations), bounds.operations]))
}

fn of_clusters(shape: &Shape, m: u64, options: &MeasureOptions) -> (u64, u64) {
    let members = if shape.n == m { 0 } else { shape.n };
    let jacobian = gathered::clusters(shape, m, members);
    let (rows, columns) = gathered::between(shape, m);
    let norms = if largest([rows, columns]) <= CLUSTER_SVD_LIMIT as u64 {
        parts::singular_values(rows, columns)
    } else {
        lanczos(rows, columns, options.lanczos.max_basis + further_steps(options))
    };
    let bounds = of_bounds(shape, m, options);
    let peak = largest([jacobian.besides, sum([product([rows, columns]), norms.peak()]), bounds.besides]);
    (sum([jacobian.kept, bounds.kept, peak]), sum([jacobian.operations, norms.operations, bounds.operations]))
}

fn of_runs(shape: &Shape, m: u64, options: &MeasureOptions) -> (u64, u64) {
    let jacobian = gathered::runs(shape, m);
    let iteration = iteration(shape, options);
    let bounds = of_bounds(shape, m, options);
    let peak = largest([iteration.peak(), sum([iteration.kept, bounds.besides])]);
    let operations = [parts::default_products(jacobian), iteration.operations, bounds.operations];
    (sum([jacobian.peak(), bounds.kept, peak]), sum(operations))
}

/// The iteration over tokens; it keeps the leading vectors.
fn iteration(shape: &Shape, options: &MeasureOptions) -> Part {
    let max_basis = basis(shape.inputs(), options.lanczos.max_basis) + further_steps(options);
    lanczos(shape.outputs(), shape.inputs(), max_basis)
}

/// The vectors by which the basis may grow for an upper number.
fn further_steps(options: &MeasureOptions) -> usize {
    options.assurance().map_or(0, |assurance| assurance.further_steps)
}

fn lanczos(n_outputs: u64, n_inputs: u64, max_basis: usize) -> Part {
    let kept_pairs = KEPT_PAIRS as u64;
    parts::lanczos(n_inputs, n_outputs, (max_basis as u64).max(kept_pairs + 4), kept_pairs)
}

/// The bounds, where a row of attention has `columns` entries in `local`.
fn of_bounds(shape: &Shape, columns: u64, options: &MeasureOptions) -> Part {
    if options.detail != Detail::Full {
        return Part::default();
    }
    let (hypotheses, local) = (bounds::hypotheses(shape), bounds::local(shape, columns));
    let limit = bounds::large_radius_limit(shape);
    // The queries at the distinct tokens, where equal ones are gathered.
    let queries = if columns < shape.n { product([shape.keys, columns]) } else { 0 };
    Part {
        kept: hypotheses.kept,
        besides: largest([hypotheses.besides, sum([local.peak(), queries]), limit.peak()]),
        operations: sum([hypotheses.operations, local.operations, limit.operations]),
    }
}
