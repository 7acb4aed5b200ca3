//! `lipscope certify`: how far a local bound holds at an experiment's tokens, one line of CSV for each eps, or at windows of
//! a model.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::certify_model::{Certifying, ModelCertifyArguments};
use super::console::tell;
use super::files::read_text;
use super::steps::StepArguments;
use super::work::MemoryArguments;
use lipscope_core::certify::{CertifiedRow, CertifyPlan, certify_within};
use lipscope_core::search::{MOST_ITERATIONS, MOST_RESTARTS, NearbyEffort};

/// Arguments of `lipscope certify`.
#[derive(Debug, Args)]
pub(super) struct CertifyArguments {
    /// An experiment file, or - for standard input: dot-product attention at a list of tokens, without a normaliser.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// How far each token may move, in units of R, the largest norm of a token.
    #[arg(long, short, value_delimiter = ',', default_value = "1e-3,1e-2,1e-1")]
    epsilon: Vec<f64>,
    /// Starts of the search within eps, the tokens themselves first.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=MOST_RESTARTS as i64))]
    restarts: u32,
    /// Gradient steps of each start.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=MOST_ITERATIONS as i64))]
    steps: u32,
    /// Seed of the random starts, and of a randomly initialised model.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    model: ModelCertifyArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &CertifyArguments) -> io::Result<ExitCode> {
    let effort = NearbyEffort {
        restarts: arguments.restarts as usize,
        iterations: arguments.steps as usize,
        seed: arguments.seed,
    };
    let certifying = Certifying { relative: arguments.epsilon.clone(), effort, memory: arguments.memory.memory };
    if let Some(outcome) = arguments.model.run(certifying) {
        return outcome;
    }
    let text = read_text(&arguments.file)?;
    let rows = arguments.attention.read(&text).and_then(|experiment| {
        let plan = CertifyPlan { experiment, relative: arguments.epsilon.clone(), effort };
        certify_within(&plan, arguments.memory.memory).map(|certified| certified.rows)
    });
    match rows {
        Ok(rows) => write(&rows),
        Err(problem) => {
            tell!("lipscope certify: {problem}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn write(rows: &[CertifiedRow]) -> io::Result<ExitCode> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "epsilon_over_r,epsilon,certified,local,ball,found")?;
    for CertifiedRow { relative, epsilon, certified, local, ball, found } in rows {
        writeln!(out, "{relative:?},{epsilon:?},{certified:?},{local:?},{ball:?},{found:?}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
