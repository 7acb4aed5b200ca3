//! `lipscope gap`: the best upper bound on a ball over the best lower one, over n and R, as CSV or JSON.

use std::path::PathBuf;

use clap::Args;

use super::bounds::parse_lengths;
use super::console::emit;
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::sheet::{Cell, FormArguments, Sheet};
use super::steps::StepArguments;
use super::work::{self, MemoryArguments};
use lipscope_core::bounds::Bound;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::gap::{DEFAULT_LENGTHS, DEFAULT_RADII, GapCell, GapPlan, WidestGap};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

/// Arguments of `lipscope gap`.
#[derive(Debug, Args)]
pub(super) struct GapArguments {
    /// An experiment file, or - for standard input.
    ///
    /// Its weights, mask and steps are used, its n and R are not.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Numbers of tokens: a list 2,100,1e9, or first:last:xCOUNT.
    ///
    /// The second form has COUNT values evenly spaced in log n. The default are those of the page: 1, 2 and 5 times the powers
    /// of ten, from 2 to 1e9.
    #[arg(long, short = 'n', value_name = "LIST")]
    lengths: Option<String>,
    /// Values of R: a list 0.5,1,2.
    ///
    /// The default are the 16 of the page, from 0.3 to 4.
    #[arg(long, short = 'R', value_name = "LIST")]
    radii: Option<String>,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &GapArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    let cells = cells(arguments.attention.read(&text)?, arguments)?;
    let columns = ["radius", "n", "lower", "lower_bound", "upper", "upper_bound", "ratio", "absent"];
    let mut sheet = Sheet::on_stdout(arguments.form.form(), columns)?;
    for cell in &cells {
        let GapCell { n, radius, lower, upper, absent } = cell;
        let [lower, upper] = [lower, upper].map(|bound| columns_of(bound.as_ref()));
        let absent = absent.map(|(side, why)| format!("{}: {}", side.id(), why.phrase()));
        let (ratio, absent) = (cell.ratio().into(), absent.as_deref().into());
        sheet.row(&[(*radius).into(), (*n).into(), lower[0], lower[1], upper[0], upper[1], ratio, absent])?;
    }
    sheet.end()?;
    let gaps = cells.iter().filter_map(|cell| Some((cell, cell.log10()?)));
    if let Some(widest) = WidestGap::of(gaps) {
        let GapCell { n, radius, .. } = widest.at;
        emit!("largest ratio: {:.4} at n = {n}, R = {radius}", widest.at.ratio().unwrap_or(f64::INFINITY));
    }
    Ok(Exit::Done)
}

/// The value of a bound and its name; inf above the range of f64.
fn columns_of(bound: Option<&Bound>) -> [Cell<'static>; 2] {
    bound.map_or([Cell::Absent; 2], |bound| [bound.value.unwrap_or(f64::INFINITY).into(), bound.id.id().into()])
}

fn cells(experiment: Experiment, arguments: &GapArguments) -> Result<Vec<GapCell>, InputError> {
    let lengths = arguments.lengths.as_deref().map_or_else(|| Ok(DEFAULT_LENGTHS.to_vec()), parse_lengths)?;
    let radii = arguments.radii.as_deref().map_or_else(|| Ok(DEFAULT_RADII.to_vec()), parse_radii)?;
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
