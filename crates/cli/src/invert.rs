//! `lipscope invert`: inverts attention by fixed-point iteration and writes the error of each step as CSV.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::console::tell;
use super::files::read_text;
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
    #[arg(long, short = 'c', value_delimiter = ',', default_value = "0.5,0.7,0.9")]
    fractions: Vec<f64>,
    /// Iteration limit for each c.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=MOST_ITERATIONS as i64))]
    max_iterations: u32,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &InvertArguments) -> io::Result<ExitCode> {
    let text = read_text(&arguments.file)?;
    let experiment = match Experiment::from_json(&text) {
        Ok(experiment) => experiment,
        Err(problem) => return complain(&problem),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "c,iteration,error,residual,guaranteed")?;
    for fraction in &arguments.fractions {
        let plan = InversePlan {
            experiment: experiment.clone(),
            fraction: *fraction,
            max_iterations: arguments.max_iterations as usize,
        };
        match write_one(&mut out, &plan, arguments.memory.memory)? {
            Ok(summary) => tell!("{summary}"),
            Err(problem) => {
                out.flush()?;
                return complain(&problem);
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn complain(problem: &InputError) -> io::Result<ExitCode> {
    tell!("lipscope invert: {problem}");
    Ok(ExitCode::FAILURE)
}

/// Writes the iterations for one c, and returns a line on how they ended.
fn write_one(out: &mut impl Write, plan: &InversePlan, memory: Memory) -> io::Result<Result<String, InputError>> {
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
                    written = write_step(out, fraction, &step);
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

fn write_step(out: &mut impl Write, fraction: f64, step: &InverseStep) -> io::Result<()> {
    write!(out, "{fraction},{},{:?},{:?},", step.iteration, step.error, step.residual)?;
    match step.guaranteed {
        Some(guaranteed) => writeln!(out, "{guaranteed:?}"),
        None => writeln!(out),
    }
}
