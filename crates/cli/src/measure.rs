//! `lipscope measure`: measures experiments and writes one result per line.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::argument::tolerance;
use super::console::emit;
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::output::stdout;
use super::steps::StepArguments;
use super::tables::{TableArguments, options_that_answer};
use super::work::MemoryArguments;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::{BlockNorms, MeasureOptions, UpperNumber, measure_with};
use lipscope_core::spectral::LanczosOptions;

/// Arguments of `lipscope measure`.
#[derive(Debug, Args)]
pub(super) struct MeasureArguments {
    /// An experiment file, or JSON Lines (one experiment per line); - reads standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Relative residual at which the iteration stops.
    #[arg(long, default_value_t = LanczosOptions::default().tolerance, value_parser = tolerance)]
    tolerance: f64,
    /// Largest number of rows and columns for a dense SVD.
    #[arg(long, default_value_t = MeasureOptions::default().svd_limit)]
    svd_limit: usize,
    /// Also compute the norm of every block of the Jacobian, for the max-token bound.
    #[arg(long)]
    block_norms: bool,
    /// Largest number of rows and columns for the Frobenius, l_inf and l_1 norms.
    #[arg(long, default_value_t = MeasureOptions::default().dense_limit)]
    dense_limit: usize,
    #[command(flatten)]
    tables: TableArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

/// The largest dense Jacobian that can be requested: 16384 square takes 2 GiB.
const MOST_DENSE: usize = 16_384;

pub(super) fn run(arguments: &MeasureArguments) -> Result<Exit, Failure> {
    let experiments = match arguments.tables.experiment()? {
        Some(experiment) => vec![(1, experiment)],
        None => experiments(&read_text(&arguments.file)?),
    };
    let options = MeasureOptions {
        lanczos: LanczosOptions { tolerance: arguments.tolerance, ..LanczosOptions::default() },
        svd_limit: arguments.svd_limit.min(MOST_DENSE),
        dense_limit: arguments.dense_limit.min(MOST_DENSE),
        block_norms: if arguments.block_norms { BlockNorms::Included } else { BlockNorms::Skipped },
        upper: UpperNumber::Included,
        memory: arguments.memory.memory,
        ..MeasureOptions::default()
    };
    let mut out = stdout()?;
    let mut problems = Vec::new();
    for (line, experiment) in experiments {
        let experiment = experiment.and_then(|experiment| arguments.attention.put_into(experiment));
        match experiment.and_then(|experiment| measure_with(&experiment, options)) {
            Ok(measurement) => {
                writeln!(out, "{}", measurement.to_value())?;
                out.flush()?;
            }
            Err(problem) => {
                match options_that_answer(&problem) {
                    Some(options) => emit!("line {line}: {problem} {options}"),
                    None => emit!("line {line}: {problem}"),
                }
                problems.push(problem);
            }
        }
    }
    Ok(Exit::of_all(&problems))
}

/// The experiments of a text with their line numbers: the whole text if it is one JSON value, otherwise each line that
/// is not blank.
fn experiments(text: &str) -> Vec<(usize, Result<Experiment, InputError>)> {
    // The common case first: a text of millions of numbers is read once.
    if let Ok(experiment) = Experiment::from_json(text) {
        let first = text.lines().position(|line| !line.trim().is_empty()).unwrap_or(0);
        return vec![(first + 1, Ok(experiment))];
    }
    let is_one_value = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim().is_empty()).collect();
    // Several lines, none of them valid JSON, are one broken experiment: its error names line and column.
    let is_lines = lines.iter().any(|(_, line)| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok());
    if is_one_value || lines.len() < 2 || !is_lines {
        let first = lines.first().map_or(1, |(at, _)| *at);
        return vec![(first, Experiment::from_json(text))];
    }
    lines.into_iter().map(|(at, line)| (at, Experiment::from_json(line))).collect()
}
