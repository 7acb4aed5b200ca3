//! `lipscope certify`: how far a local bound holds at an experiment's tokens, one row for each eps, or at windows of
//! a model.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::certify_model::{Certifying, ModelCertifyArguments};
use super::console::progress_bar;
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::people;
use super::sheet::{Cell, Form, FormArguments, Sheet};
use super::steps::StepArguments;
use super::terminal::{self, Reader};
use super::work::MemoryArguments;
use lipscope_core::certify::{Certificate, Certified, CertifiedRow, CertifyPlan};
use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::search::{MOST_ITERATIONS, MOST_RESTARTS, NearbyEffort};

/// Arguments of `lipscope certify`.
#[derive(Debug, Args)]
pub(super) struct CertifyArguments {
    /// An experiment file, or - for standard input.
    ///
    /// It has dot-product attention at a list of tokens, without a normaliser.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// How far each token may move, in units of R.
    ///
    /// R is the largest norm of a token.
    #[arg(long, short, value_name = "EPS", value_delimiter = ',', default_value = "1e-3,1e-2,1e-1", help_heading = SEARCH)]
    epsilon: Vec<f64>,
    /// Starts of the search within eps, the tokens themselves first.
    #[arg(long, value_name = "N", help_heading = SEARCH, default_value_t = NearbyEffort::DEFAULT.restarts as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_RESTARTS as i64))]
    restarts: u32,
    /// Gradient steps of each start.
    #[arg(long, value_name = "N", help_heading = SEARCH, default_value_t = NearbyEffort::DEFAULT.iterations as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_ITERATIONS as i64))]
    steps: u32,
    /// Seed of the random starts, and of a randomly initialised model.
    #[arg(long, default_value_t = 0, help_heading = SEARCH, hide_short_help = true)]
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

/// The heading of options on eps and on the search within it.
const SEARCH: &str = "Neighbourhoods";

pub(super) fn run(arguments: &CertifyArguments) -> Result<Exit, Failure> {
    let effort = NearbyEffort {
        restarts: arguments.restarts as usize,
        iterations: arguments.steps as usize,
        seed: arguments.seed,
    };
    let certifying = Certifying { relative: arguments.epsilon.clone(), effort, memory: arguments.memory.memory };
    if let Some(outcome) = arguments.model.run(certifying, arguments.form) {
        return outcome;
    }
    let text = read_text(&arguments.file)?;
    let experiment = arguments.attention.read(&text)?;
    let plan = CertifyPlan { experiment, relative: arguments.epsilon.clone(), effort };
    let began = Instant::now();
    let found = certify(&plan, arguments.memory.memory)?;
    match Reader::for_stdout(arguments.form.chosen()) {
        Reader::People(look) => terminal::write(&people::certified(&found, began.elapsed(), look))?,
        Reader::Program => write(&found.rows, arguments.form.form())?,
    }
    Ok(Exit::Done)
}

/// The certificate of a plan, with a bar over its searches.
fn certify(plan: &CertifyPlan, memory: Memory) -> Result<Certified, InputError> {
    let mut certificate = Certificate::start_within(plan, memory)?;
    let bar = progress_bar(plan.relative.len(), "searches");
    while certificate.step()? {
        bar.set_position(certificate.progress().0 as u64);
    }
    bar.finish_and_clear();
    Ok(certificate.so_far().clone())
}

fn write(rows: &[CertifiedRow], form: Form) -> io::Result<()> {
    let columns = ["epsilon_over_r", "epsilon", "certified", "local", "ball", "found"];
    let mut sheet = Sheet::on_stdout(form, columns)?;
    for CertifiedRow { relative, epsilon, certified, local, ball, found } in rows {
        sheet.row(&[relative, epsilon, certified, local, ball, found].map(|number| Cell::Number(*number)))?;
    }
    sheet.end()
}
