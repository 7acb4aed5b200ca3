//! `lipscope measure`: measures experiments and writes one result per line, or a text for people at a terminal.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::argument::tolerance;
use super::console::{emit, progress_bar};
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::output::stdout;
use super::people;
use super::sheet::Form;
use super::steps::StepArguments;
use super::tables::{TableArguments, options_that_answer};
use super::terminal::{self, Reader};
use super::work::MemoryArguments;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::{BlockNorms, MeasureOptions, Measurement, Measuring, Step, UpperNumber};
use lipscope_core::spectral::LanczosOptions;

/// Arguments of `lipscope measure`.
#[derive(Debug, Args)]
pub(super) struct MeasureArguments {
    /// An experiment file, or JSON Lines (one experiment per line); - reads standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Write JSON, an object per experiment, also on a terminal.
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Relative residual at which the iteration stops.
    #[arg(long, default_value_t = LanczosOptions::default().tolerance, value_parser = tolerance, help_heading = METHOD, hide_short_help = true)]
    tolerance: f64,
    /// Largest number of rows and columns for a dense SVD.
    #[arg(long, default_value_t = MeasureOptions::default().svd_limit, help_heading = METHOD, hide_short_help = true)]
    svd_limit: usize,
    /// Also compute the norm of every block of the Jacobian, for the max-token bound.
    #[arg(long, help_heading = METHOD, hide_short_help = true)]
    block_norms: bool,
    /// Largest number of rows and columns for the Frobenius, l_inf and l_1 norms.
    #[arg(long, default_value_t = MeasureOptions::default().dense_limit, help_heading = METHOD, hide_short_help = true)]
    dense_limit: usize,
    #[command(flatten)]
    tables: TableArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

/// The heading of options on how a norm is computed.
const METHOD: &str = "Method";

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
    let reader = Reader::for_stdout(arguments.json.then_some(Form::Json));
    // An experiment alone advances by the digits of its residual, several advance one by one.
    let (count, is_single) = (experiments.len(), experiments.len() == 1);
    let goal = digits(arguments.tolerance);
    let bar = match is_single {
        true => progress_bar(goal as usize, "digits"),
        false => progress_bar(count, "experiments"),
    };
    let on_residual = |residual: f64| {
        if is_single {
            bar.set_position(digits(residual).min(goal));
        }
    };
    let mut problems = Vec::new();
    for (line, experiment) in experiments {
        let experiment = experiment.and_then(|experiment| arguments.attention.put_into(experiment));
        let text = experiment.and_then(|experiment| {
            let began = Instant::now();
            let found = measured(&experiment, options, on_residual)?;
            Ok(match reader {
                Reader::People(look) => people::measured(&found, &experiment, began.elapsed(), look),
                Reader::Program => format!("{}\n", found.to_value()),
            })
        });
        match text {
            Ok(text) => bar.suspend(|| write(&text, reader))?,
            Err(problem) => {
                bar.suspend(|| match options_that_answer(&problem) {
                    Some(options) => emit!("line {line}: {problem} {options}"),
                    None => emit!("line {line}: {problem}"),
                });
                problems.push(problem);
            }
        }
        if !is_single {
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(Exit::of_all(&problems))
}

/// Measures an experiment; `on_residual` gets the residual of the iteration after each step.
fn measured(
    experiment: &Experiment,
    options: MeasureOptions,
    on_residual: impl Fn(f64),
) -> Result<Measurement, InputError> {
    let mut measuring = Measuring::start(experiment, options)?;
    loop {
        match measuring.step()? {
            Step::Going { relative_residual, .. } => on_residual(relative_residual),
            Step::Done(found) => return Ok(*found),
        }
    }
}

/// The digits that a residual promises; none before the first check, when it is infinite.
fn digits(residual: f64) -> u64 {
    // A NaN stays one here, and becomes 0 as an integer.
    (-residual.log10()).round().clamp(0.0, 16.0) as u64
}

/// Writes a result as soon as it is there.
fn write(text: &str, reader: Reader) -> io::Result<()> {
    match reader {
        Reader::People(_) => terminal::write(text),
        Reader::Program => {
            let mut out = stdout()?;
            out.write_all(text.as_bytes())?;
            out.flush()
        }
    }
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
