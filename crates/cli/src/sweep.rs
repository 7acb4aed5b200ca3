//! `lipscope sweep`: the norm over lengths and random samples, on all cores.

use std::io;
use std::path::PathBuf;

use clap::Args;
use indicatif::ParallelProgressIterator;
use rayon::prelude::*;
use serde_json::Value;

use super::console::{emit, progress_bar};
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::sheet::{Cell, FormArguments, Sheet};
use super::steps::StepArguments;
use super::work::{MemoryArguments, NormName};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::InputError;
use lipscope_core::fit::fit_power_law;
use lipscope_core::measure::MeasureOptions;
use lipscope_core::sweep::{SweepPlan, SweepPoint, parse_lengths};

/// Arguments of `lipscope sweep`.
#[derive(Debug, Args)]
pub(super) struct SweepArguments {
    /// An experiment file, or - for standard input. Its n is replaced by the lengths.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Lengths: a list 2,4,8, or first:last:step, or first:last:xCOUNT.
    ///
    /// The last form has COUNT lengths evenly spaced in log n.
    #[arg(long, short = 'n', value_name = "LIST", default_value = "2:256:x16")]
    lengths: String,
    /// Random samples per length.
    #[arg(long, value_name = "N", default_value_t = 8)]
    draws: usize,
    /// Norm of the Jacobian.
    ///
    /// For max_token it is its upper bound by row sums of block norms.
    #[arg(long, value_enum, default_value_t = NormName::Spectral)]
    norm: NormName,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &SweepArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    let norm = arguments.norm.norm();
    let options = MeasureOptions { memory: arguments.memory.memory, ..MeasureOptions::for_norm(norm) };
    let experiment = arguments.attention.read(&text)?;
    let plan = SweepPlan::new(&experiment, &parse_lengths(&arguments.lengths)?, arguments.draws)?;
    plan.check(&options)?;
    for n in plan.left_out() {
        emit!("lipscope sweep: n = {n} is left out: it must be from 2 to the number of tokens there are");
    }
    let bar = progress_bar(plan.n_points(), "points");
    let results: Vec<Result<SweepPoint, InputError>> = (0..plan.n_points())
        .into_par_iter()
        .progress_with(bar)
        .map(|point_idx| plan.measure_point(point_idx, options))
        .collect();
    let (points, problems): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let points: Vec<SweepPoint> = points.into_iter().flatten().collect();
    write(&points, norm, arguments.form)?;
    let problems: Vec<InputError> = problems.into_iter().filter_map(Result::err).collect();
    for problem in &problems {
        emit!("lipscope sweep: {problem}");
    }
    Ok(Exit::of_all(&problems))
}

/// Leaves the cell of a norm empty where J was too large to compute this norm. JSON also gets the fitted slope.
fn write(points: &[SweepPoint], norm: Norm, form: FormArguments) -> io::Result<()> {
    let columns = ["n", "draw", norm.id(), "radius", "method", "iterations", "relative_residual"];
    let mut sheet = Sheet::on_stdout(form.form(), columns)?;
    for p in points {
        let SweepPoint { n, draw, radius, method, iterations, relative_residual, .. } = *p;
        let (method, residual) = (Cell::Text(method.id()), relative_residual.into());
        sheet.row(&[n.into(), draw.into(), p.norm(norm).into(), radius.into(), method, iterations.into(), residual])?;
    }
    let pairs: Vec<(f64, f64)> = points.iter().filter_map(|p| Some((p.n as f64, p.norm(norm)?))).collect();
    let fit = fit_power_law(&pairs).map_or(Value::Null, |fit| fit.to_value());
    sheet.end_with([("fit", fit)])
}
