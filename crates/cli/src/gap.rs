//! `lipscope gap`: the best upper bound on a ball over the best lower one, over n and R, as CSV.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::bounds::parse_lengths;
use super::console::tell;
use super::files::read_text;
use super::steps::StepArguments;
use super::work::{self, MemoryArguments};
use lipscope_core::bounds::Bound;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::gap::{GapCell, GapPlan, USUAL_LENGTHS, USUAL_RADII, WidestGap};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

/// Arguments of `lipscope gap`.
#[derive(Debug, Args)]
pub(super) struct GapArguments {
    /// An experiment file, or - for standard input. Its weights, mask and steps are used, its n and R are not.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Numbers of tokens: a list 2,100,1e9, or first:last:xCOUNT for COUNT values evenly spaced in log n. Without it
    /// those of the page, 1, 2 and 5 times the powers of ten from 2 to 1e9.
    #[arg(long, short = 'n')]
    lengths: Option<String>,
    /// Values of R: a list 0.5,1,2. Without it the 16 of the page, from 0.3 to 4.
    #[arg(long, short = 'R')]
    radii: Option<String>,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &GapArguments) -> io::Result<ExitCode> {
    let text = read_text(&arguments.file)?;
    let found = arguments.attention.read(&text).and_then(|experiment| cells(experiment, arguments));
    let cells = match found {
        Ok(cells) => cells,
        Err(problem) => {
            tell!("lipscope gap: {problem}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "radius,n,lower,lower_bound,upper,upper_bound,ratio,absent")?;
    for cell in &cells {
        let GapCell { n, radius, lower, upper, absent } = cell;
        let ratio = cell.ratio().map_or_else(String::new, |ratio| format!("{ratio:?}"));
        let absent = absent.map_or_else(String::new, |(side, why)| format!("{}: {}", side.id(), why.phrase()));
        writeln!(out, "{radius:?},{n:?},{},{},{ratio},{absent}", columns(lower.as_ref()), columns(upper.as_ref()))?;
    }
    out.flush()?;
    let gaps = cells.iter().filter_map(|cell| Some((cell, cell.log10()?)));
    if let Some(widest) = WidestGap::of(gaps) {
        let GapCell { n, radius, .. } = widest.at;
        tell!("largest ratio: {:.4} at n = {n}, R = {radius}", widest.at.ratio().unwrap_or(f64::INFINITY));
    }
    Ok(ExitCode::SUCCESS)
}

/// The value of a bound and its name; inf above the range of f64.
fn columns(bound: Option<&Bound>) -> String {
    bound.map_or_else(|| ",".into(), |bound| format!("{:?},{}", bound.value.unwrap_or(f64::INFINITY), bound.id.id()))
}

fn cells(experiment: Experiment, arguments: &GapArguments) -> Result<Vec<GapCell>, InputError> {
    let lengths = arguments.lengths.as_deref().map_or_else(|| Ok(USUAL_LENGTHS.to_vec()), parse_lengths)?;
    let radii = arguments.radii.as_deref().map_or_else(|| Ok(USUAL_RADII.to_vec()), parse_radii)?;
    let mut cells = Vec::with_capacity(radii.len() * lengths.len());
    let plan = GapPlan { experiment, radii, lengths };
    work::run(EnginePlan::Gap(plan), arguments.memory.memory, |event| {
        if let EngineEvent::Gap(more) = event {
            cells.extend(more);
        }
    })?;
    Ok(cells)
}

/// Parses a list `0.5,1,2`.
fn parse_radii(text: &str) -> Result<Vec<f64>, InputError> {
    let number = |part: &str| part.trim().parse::<f64>();
    let wrong = |_| InputError::bad_value("--radii", text, "a list of numbers such as 0.5,1,2");
    text.split(',').map(number).collect::<Result<_, _>>().map_err(wrong)
}
