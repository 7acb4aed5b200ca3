//! `lipscope invert`: inverts attention by fixed-point iteration and writes the error of each step.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::console::emit;
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::sheet::{Cell, FormArguments, Sheet};
use super::work;
use super::work::MemoryArguments;
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::inverse::{ConstantKind, InversePlan, InverseStep, MOST_ITERATIONS};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, InverseEvent};

/// Arguments of `lipscope invert`.
#[derive(Debug, Args)]
pub(super) struct InvertArguments {
    /// An experiment file, or - for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Values of c in X + c F(X)/L, inverted one after the other.
    #[arg(long, short = 'c', value_name = "LIST", value_delimiter = ',', default_value = "0.5,0.7,0.9")]
    fractions: Vec<f64>,
    /// Iteration limit for each c.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=MOST_ITERATIONS as i64))]
    max_iterations: u32,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &InvertArguments) -> Result<Exit, Failure> {
    let experiment = Experiment::from_json(&read_text(&arguments.file)?)?;
    let columns = ["c", "iteration", "error", "residual", "guaranteed"];
    let mut sheet = Sheet::on_stdout(arguments.form.form(), columns)?;
    for fraction in &arguments.fractions {
        let plan = InversePlan {
            experiment: experiment.clone(),
            fraction: *fraction,
            max_iterations: arguments.max_iterations as usize,
        };
        match write_one(&mut sheet, &plan, arguments.memory.memory)? {
            Ok(summary) => emit!("{summary}"),
            Err(problem) => {
                // The rows so far are a whole table.
                sheet.end()?;
                return Err(problem.into());
            }
        }
    }
    sheet.end()?;
    Ok(Exit::Done)
}

/// Writes the iterations for one c, and returns a line on how they ended.
fn write_one(
    sheet: &mut Sheet<impl Write>,
    plan: &InversePlan,
    memory: Memory,
) -> io::Result<Result<String, InputError>> {
    let fraction = plan.fraction;
    let (mut last, mut begins, mut ended) = ((0, f64::NAN), None, None);
    let mut written = Ok(());
    let outcome = work::run(EnginePlan::Inverse(plan.clone()), memory, |event| match event {
        EngineEvent::Inverse(InverseEvent::Begins { constant, kind, .. }) => begins = Some((constant, kind)),
        EngineEvent::Inverse(InverseEvent::Steps { steps, outcome }) => {
            ended = outcome;
            for step in steps {
                last = (step.iteration, step.residual);
                if written.is_ok() {
                    written = write_step(sheet, fraction, &step);
                }
            }
        }
        _ => {}
    });
    written?;
    let (Ok(()), Some((constant, kind))) = (&outcome, begins) else { return Ok(outcome.map(|()| String::new())) };
    let kind = match kind {
        ConstantKind::KimL2 => "kim_l2",
        ConstantKind::KimColumn => "kim_column",
        ConstantKind::Local => "the local constant",
    };
    let outcome = ended.map_or("unfinished", |outcome| outcome.id());
    let (iterations, residual) = (last.0 + 1, last.1);
    Ok(Ok(format!(
        "c = {fraction}: {outcome} after {iterations} iterations, residual {residual:.1e}, L = {constant:.6e} ({kind})"
    )))
}

fn write_step(sheet: &mut Sheet<impl Write>, fraction: f64, step: &InverseStep) -> io::Result<()> {
    let InverseStep { iteration, error, residual, guaranteed, .. } = *step;
    sheet.row(&[Cell::Plain(fraction), iteration.into(), error.into(), residual.into(), guaranteed.into()])
}
