//! `lipscope sweep`: the norm over lengths and random samples, on all cores.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::ParallelProgressIterator;
use rayon::prelude::*;
use serde_json::json;

use super::console::{progress_bar, tell};
use super::files::read_text;
use super::steps::StepArguments;
use super::work::{MemoryArguments, NormName, one_of};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::InputError;
use lipscope_core::fit::fit_power_law;
use lipscope_core::measure::{MeasureOptions, measure_with};
use lipscope_core::sweep::{SweepPlan, SweepPoint, parse_lengths};

/// Arguments of `lipscope sweep`.
#[derive(Debug, Args)]
pub(super) struct SweepArguments {
    /// An experiment file, or - for standard input. Its n is replaced by the lengths.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Lengths: a list 2,4,8, or first:last:step, or first:last:xCOUNT for COUNT lengths evenly spaced in log n.
    #[arg(long, short = 'n', default_value = "2:256:x16")]
    lengths: String,
    /// Random samples per length.
    #[arg(long, default_value_t = 8)]
    draws: usize,
    /// Norm of the Jacobian; for max_token its upper bound by row sums of block norms.
    #[arg(long, value_enum, default_value_t = NormName::Spectral)]
    norm: NormName,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One point per line, with a header.
    Csv,
    /// One object with the points and the fitted slope.
    Json,
}

pub(super) fn run(arguments: &SweepArguments) -> io::Result<ExitCode> {
    let text = read_text(&arguments.file)?;
    let norm = arguments.norm.norm();
    let options = MeasureOptions { memory: arguments.memory.memory, ..MeasureOptions::for_norm(norm) };
    let plan = arguments.attention.read(&text).and_then(|experiment| {
        let lengths = parse_lengths(&arguments.lengths)?;
        let plan = SweepPlan::new(&experiment, &lengths, arguments.draws)?;
        plan.check(&options)?;
        Ok(plan)
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(problem) => {
            tell!("lipscope sweep: {problem}");
            return Ok(ExitCode::FAILURE);
        }
    };
    for n in plan.left_out() {
        tell!("lipscope sweep: n = {n} is left out: it must be from 2 to the number of tokens there are");
    }
    let bar = progress_bar(plan.n_points(), "points");
    let results: Vec<Result<SweepPoint, InputError>> = (0..plan.n_points())
        .into_par_iter()
        .progress_with(bar)
        .map(|point_idx| {
            let experiment = plan.experiment_at(point_idx)?;
            let measurement = one_of(plan.n_points(), || measure_with(&experiment, options))?;
            Ok(plan.point(point_idx, &measurement))
        })
        .collect();
    let (points, problems): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let points: Vec<SweepPoint> = points.into_iter().flatten().collect();
    match arguments.format {
        Format::Csv => write_csv(&points, norm)?,
        Format::Json => write_json(&points, norm)?,
    }
    for problem in problems.iter().filter_map(|result| result.as_ref().err()) {
        tell!("lipscope sweep: {problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Leaves the cell of a norm empty where J was too large to compute this norm.
fn write_csv(points: &[SweepPoint], norm: Norm) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "n,draw,{},radius,method,iterations,relative_residual", norm.id())?;
    for p in points {
        let SweepPoint { n, draw, radius, method, iterations, relative_residual, .. } = p;
        let (method, value) = (method.id(), p.norm(norm).map_or_else(String::new, |value| format!("{value:?}")));
        writeln!(out, "{n},{draw},{value},{radius:?},{method},{iterations},{relative_residual:?}")?;
    }
    out.flush()
}

fn write_json(points: &[SweepPoint], norm: Norm) -> io::Result<()> {
    let pairs: Vec<(f64, f64)> = points.iter().filter_map(|p| Some((p.n as f64, p.norm(norm)?))).collect();
    let fit = fit_power_law(&pairs).map(|fit| fit.to_value());
    let list: Vec<_> = points.iter().map(|point| point.to_value(norm)).collect();
    writeln!(io::stdout().lock(), "{}", json!({"points": list, "fit": fit}))
}
