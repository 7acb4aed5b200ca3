//! `lipscope certify`: how far a local bound holds at an experiment's tokens, one row for each eps, or at windows of
//! a model.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::certify_model::{Certifying, ModelCertifyArguments};
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::sheet::{Cell, Form, FormArguments, Sheet};
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
    #[arg(long, default_value_t = NearbyEffort::DEFAULT.restarts as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_RESTARTS as i64))]
    restarts: u32,
    /// Gradient steps of each start.
    #[arg(long, default_value_t = NearbyEffort::DEFAULT.iterations as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_ITERATIONS as i64))]
    steps: u32,
    /// Seed of the random starts, and of a randomly initialised model.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    model: ModelCertifyArguments,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &CertifyArguments) -> Result<Exit, Failure> {
    let effort = NearbyEffort {
        restarts: arguments.restarts as usize,
        iterations: arguments.steps as usize,
        seed: arguments.seed,
    };
    let certifying = Certifying { relative: arguments.epsilon.clone(), effort, memory: arguments.memory.memory };
    if let Some(outcome) = arguments.model.run(certifying, arguments.form.form()) {
        return outcome;
    }
    let text = read_text(&arguments.file)?;
    let experiment = arguments.attention.read(&text)?;
    let plan = CertifyPlan { experiment, relative: arguments.epsilon.clone(), effort };
    write(&certify_within(&plan, arguments.memory.memory)?.rows, arguments.form.form())?;
    Ok(Exit::Done)
}

fn write(rows: &[CertifiedRow], form: Form) -> io::Result<()> {
    let columns = ["epsilon_over_r", "epsilon", "certified", "local", "ball", "found"];
    let mut sheet = Sheet::on_stdout(form, columns)?;
    for CertifiedRow { relative, epsilon, certified, local, ball, found } in rows {
        sheet.row(&[relative, epsilon, certified, local, ball, found].map(|number| Cell::Number(*number)))?;
    }
    sheet.end()
}
