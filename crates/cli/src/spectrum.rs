//! `lipscope spectrum` and `lipscope estimators`: singular values, and estimators of the largest one, as CSV or JSON.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use clap::builder::TypedValueParser;

use super::argument::by_name;
use super::console::emit;
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::people;
use super::sheet::{Cell, Form, FormArguments, Sheet};
use super::steps::StepArguments;
use super::terminal::{self, Reader};
use super::work;
use super::work::MemoryArguments;
use lipscope_core::estimators::{ESTIMATOR_TOLERANCE, EstimatorPlan, EstimatorPoint, Preset};
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::spectrum::{Coverage, DEFAULT_COUNT, MOST_COUNT, Places, Spectrum, SpectrumMap, SpectrumPlan};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

/// The heading of options on the singular values.
const VALUES: &str = "Singular values";

/// Arguments of `lipscope spectrum`.
#[derive(Debug, Args)]
pub(super) struct SpectrumArguments {
    /// An experiment file, or - for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Number of leading values if the Jacobian has more than 600 rows.
    ///
    /// A smaller one gives all values.
    #[arg(long, value_name = "N", help_heading = VALUES, default_value_t = DEFAULT_COUNT as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_COUNT as i64))]
    count: u32,
    /// Whose Jacobian: attention, or x + F(x).
    ///
    /// The first value is the local Lipschitz constant of that map.
    #[arg(long, help_heading = VALUES, default_value = "attention", value_parser = by_name(SpectrumMap::ALL, |(id, _)| id).map(|(_, map)| map))]
    map: SpectrumMap,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

/// Arguments of `lipscope estimators`.
#[derive(Debug, Args)]
pub(super) struct EstimatorArguments {
    /// An experiment file, or - for standard input.
    #[arg(default_value = "-", conflicts_with = "preset")]
    file: PathBuf,
    /// A built-in experiment instead of a file.
    #[arg(long, value_parser = by_name(Preset::ALL, |(id, _)| id).map(|(_, preset)| preset))]
    preset: Option<Preset>,
    /// Tolerance of the stopping rules on the change of s^2, absolute and relative.
    #[arg(long, value_name = "T", default_value_t = ESTIMATOR_TOLERANCE)]
    tolerance: f64,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn spectrum(arguments: &SpectrumArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    let (count, map, memory) = (arguments.count as usize, arguments.map, arguments.memory.memory);
    let experiment = arguments.attention.read(&text)?;
    let began = Instant::now();
    // A complete task has reported its result.
    let Some(spectrum) = find(SpectrumPlan { experiment, count, map }, memory)? else { return Ok(Exit::Done) };
    let summary = summary(&spectrum);
    match Reader::for_stdout(arguments.form.chosen()) {
        Reader::People(look) => terminal::write(&people::spectrum(&spectrum, &summary, began.elapsed(), look))?,
        Reader::Program => {
            write(&spectrum, arguments.form.form())?;
            emit!("{summary}");
        }
    }
    Ok(Exit::Done)
}

fn write(spectrum: &Spectrum, form: Form) -> io::Result<()> {
    let columns = ["index", "value", "multiplicity", "relative_residual", "kind"];
    let mut sheet = Sheet::on_stdout(form, columns)?;
    let mut index = 1.0;
    for level in &spectrum.levels {
        let kind = if level.is_converged() { "exact" } else { "lower" };
        let residual = level.relative_residual.unwrap_or(f64::INFINITY);
        let (index_cell, multiplicity) = (Cell::Plain(index), Cell::Plain(level.multiplicity));
        sheet.row(&[index_cell, level.value.into(), multiplicity, residual.into(), kind.into()])?;
        index += level.multiplicity;
    }
    // JSON also gets the leading pair, token by token.
    sheet.end_with([("spectrum", serde_json::to_value(spectrum).map_err(io::Error::from)?)])
}

fn find(plan: SpectrumPlan, memory: Memory) -> Result<Option<Box<Spectrum>>, InputError> {
    let mut found = None;
    work::run(EnginePlan::Spectrum(plan), memory, |event| {
        if let EngineEvent::Spectrum(spectrum) = event {
            found = Some(spectrum);
        }
    })?;
    Ok(found)
}

fn summary(spectrum: &Spectrum) -> String {
    let listed = match spectrum.coverage {
        Coverage::All => format!("all {} singular values, rank {}", spectrum.size, spectrum.rank()),
        Coverage::Leading => format!("the leading {} of {} singular values", spectrum.listed(), spectrum.size),
    };
    let gap = spectrum.gap().map_or_else(String::new, |gap| format!(", s_1/s_2 = {gap:.6}"));
    let block = spectrum.top.as_ref().and_then(|top| Some((top.block?, top.places)));
    let block = block.map_or_else(String::new, |(block, places)| {
        let place = match places {
            Places::Tokens => "token",
            Places::Clusters => "cluster",
        };
        format!(
            "; output {place} {} takes {:.1}% from input {place} {}: {:.1}% of s_1, ||J_ij||_2 = {:.6e}",
            block.output + 1,
            100.0 * block.of_output,
            block.input + 1,
            100.0 * block.share,
            block.norm
        )
    });
    format!("{listed} ({}){gap}{block}", spectrum.method.id())
}

pub(super) fn estimators(arguments: &EstimatorArguments) -> Result<Exit, Failure> {
    let experiment = match arguments.preset {
        Some(preset) => preset.experiment(),
        None => Experiment::from_json(&read_text(&arguments.file)?)?,
    };
    let points = try_all(EstimatorPlan { experiment, tolerance: arguments.tolerance }, arguments.memory.memory)?;
    let stops: Vec<&EstimatorPoint> =
        points.iter().filter(|point| point.iteration == 0 || !point.stops.is_empty()).collect();
    match Reader::for_stdout(arguments.form.chosen()) {
        Reader::People(look) => terminal::write(&people::estimators(&stops, look))?,
        Reader::Program => {
            write_points(&points, arguments.form.form())?;
            stops.into_iter().for_each(emit_stop);
        }
    }
    Ok(Exit::Done)
}

fn write_points(points: &[EstimatorPoint], form: Form) -> io::Result<()> {
    let columns =
        ["estimator", "iteration", "products", "value", "relative_error", "relative_residual", "stops", "milliseconds"];
    let mut sheet = Sheet::on_stdout(form, columns)?;
    for point in points {
        let stops: Vec<&str> = point.stops.iter().map(|stop| stop.id()).collect();
        let EstimatorPoint { iteration, products, value, error, relative_residual, milliseconds, .. } = *point;
        let (id, stops) = (point.estimator.id().into(), stops.join(" "));
        // A clock has no more digits.
        let (stops, time) = (stops.as_str().into(), Cell::Plain((1e4 * milliseconds).round() / 1e4));
        let (value, error, residual) = (value.into(), error.into(), relative_residual.into());
        sheet.row(&[id, iteration.into(), products.into(), value, error, residual, stops, time])?;
    }
    sheet.end()
}

/// A line on a point at which an estimator may stop.
fn emit_stop(point: &EstimatorPoint) {
    let sign = if point.is_converged() { "=" } else { ">=" };
    let stops: Vec<&str> = point.stops.iter().map(|stop| stop.id()).collect();
    emit!(
        "{} {}: s_1 {sign} {:.8e}, relative error {:.1e}, {} products, {:.3} ms",
        point.estimator.id(),
        stops.join(" and "),
        point.value,
        point.error,
        point.products,
        point.milliseconds
    );
}

fn try_all(plan: EstimatorPlan, memory: Memory) -> Result<Vec<EstimatorPoint>, InputError> {
    let mut points = Vec::new();
    work::run(EnginePlan::Estimators(plan), memory, |event| {
        if let EngineEvent::Estimators(more) = event {
            points.extend(more);
        }
    })?;
    Ok(points)
}
