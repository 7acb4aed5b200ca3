//! `lipscope search`: worst-case search over a ball or sphere, every iteration as CSV or JSON.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::console::{emit, progress_bar};
use super::exit::{Exit, Failure};
use super::files::{named, probe, read_text, save};
use super::people;
use super::sheet::{FormArguments, Sheet};
use super::steps::StepArguments;
use super::terminal::{self, Reader};
use super::work;
use super::work::MemoryArguments;
use lipscope_core::bounds::{Bound, Norm, Side};
use lipscope_core::experiment::{Experiment, InputError, TokenSource};
use lipscope_core::search::{
    DEFAULT_ITERATIONS, DEFAULT_RESTARTS, MOST_ITERATIONS, MOST_RESTARTS, Region, SearchCheckpoint, SearchDomain,
    SearchPlan, SearchStep,
};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, SearchEvent, SearchRequest};

/// The heading of options on the search.
const SEARCH: &str = "Search";

/// Arguments of `lipscope search`.
#[derive(Debug, Args)]
pub(super) struct SearchArguments {
    /// An experiment file, or - for standard input; its tokens are the first start.
    ///
    /// R is the largest norm of its tokens, or the radius of their distribution.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Number of starts.
    ///
    /// The experiment's tokens, adversarial ones, two clusters, crossed and skew ones, then random ones.
    #[arg(long, value_name = "N", help_heading = SEARCH, default_value_t = DEFAULT_RESTARTS as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_RESTARTS as i64))]
    restarts: u32,
    /// Iteration limit of each start.
    #[arg(long, value_name = "N", help_heading = SEARCH, default_value_t = DEFAULT_ITERATIONS as u32, value_parser = clap::value_parser!(u32).range(1..=MOST_ITERATIONS as i64))]
    steps: u32,
    /// Whether tokens stay in the ball or on the sphere.
    #[arg(long, value_name = "SET", value_enum, default_value_t = On::Ball, help_heading = SEARCH)]
    on: On,
    /// A dimension larger than that of the tokens; requires identity weights.
    #[arg(long, value_name = "D", help_heading = SEARCH, hide_short_help = true)]
    dim: Option<usize>,
    /// Seed of the random starts and kicks.
    #[arg(long, default_value_t = 0, help_heading = SEARCH, hide_short_help = true)]
    seed: u64,
    #[command(flatten)]
    form: FormArguments,
    /// Save the experiment at the best tokens, for `lipscope measure`.
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum On {
    /// |x_i| <= R.
    Ball,
    /// |x_i| = R.
    Sphere,
}

pub(super) fn run(arguments: &SearchArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    if let Some(path) = &arguments.out {
        probe(path).map_err(|error| named(path, &error))?;
    }
    let began = Instant::now();
    if let Some(searched) = search(arguments.attention.read(&text)?, arguments)? {
        write(arguments, &searched, began.elapsed())?;
    }
    Ok(Exit::Done)
}

/// The result of a search; `None` where it made no step.
fn search(experiment: Experiment, arguments: &SearchArguments) -> Result<Option<Searched>, InputError> {
    let region = match arguments.on {
        On::Ball => Region::Ball,
        On::Sphere => Region::Sphere,
    };
    let (restarts, iterations) = (arguments.restarts as usize, arguments.steps as usize);
    let plan = SearchPlan { experiment, region, dim: arguments.dim, restarts, iterations, seed: arguments.seed };
    let (mut domain, mut found, mut steps) = (None, None, Vec::<SearchStep>::new());
    let bar = progress_bar(restarts * iterations, "steps");
    let request = SearchRequest { plan, checkpoint: None, starts: None };
    work::run(EnginePlan::Search(request), arguments.memory.memory, |event| match event {
        EngineEvent::Search(SearchEvent::Domain(at)) => domain = at.open(),
        EngineEvent::Search(SearchEvent::Steps { steps: more, checkpoint, .. }) => {
            steps.extend(more);
            found = Some(checkpoint);
            // A start that converges early leaves steps out.
            let position = |step: &SearchStep| step.restart * iterations + step.iteration + 1;
            bar.set_position(steps.last().map_or(0, position) as u64);
        }
        _ => {}
    })?;
    bar.finish_and_clear();
    Ok(domain.zip(found).map(|(domain, found)| Searched { domain, found, steps }))
}

struct Searched {
    domain: SearchDomain,
    found: Box<SearchCheckpoint>,
    steps: Vec<SearchStep>,
}

/// Saves the best experiment, and writes a text for people or the table.
fn write(arguments: &SearchArguments, searched: &Searched, took: Duration) -> io::Result<()> {
    let Searched { domain, found, steps } = searched;
    let best = Experiment { tokens: TokenSource::Explicit(found.best_tokens().clone()), ..domain.experiment.clone() };
    if let Some(path) = &arguments.out {
        save(path, &(best.to_json() + "\n")).map_err(|error| named(path, &error))?;
    }
    match Reader::for_stdout(arguments.form.chosen()) {
        Reader::People(look) => terminal::write(&people::searched(domain, found.best_norm(), steps, took, look)),
        Reader::Program => write_table(arguments, searched, &best),
    }
}

/// Writes every iteration; JSON also gets the bounds and the best experiment.
fn write_table(arguments: &SearchArguments, searched: &Searched, best: &Experiment) -> io::Result<()> {
    let Searched { domain, found, steps } = searched;
    let columns = ["at", "restart", "start", "iteration", "norm", "best", "relative_residual"];
    let mut sheet = Sheet::on_stdout(arguments.form.form(), columns)?;
    for step in steps {
        let SearchStep { at, restart, start, iteration, norm, best, relative_residual } = *step;
        let (norm, best, residual) = (norm.into(), best.into(), relative_residual.into());
        sheet.row(&[at.into(), restart.into(), start.id().into(), iteration.into(), norm, best, residual])?;
    }
    let bound = |bound: &Bound| json!({"id": bound.id.id(), "side": bound.side.id(), "norm": bound.norm.id(), "value": bound.value});
    let bounds: Vec<Value> = domain.bounds.iter().map(bound).collect();
    sheet.end_with([
        ("lower_bound_found", found.best_norm().into()),
        ("n", domain.n.into()),
        ("d", domain.d.into()),
        ("radius", domain.radius.into()),
        ("on", domain.region.id().into()),
        ("bounds", bounds.into()),
        ("experiment", best.to_value()),
    ])?;
    emit!("{}", summary(searched));
    Ok(())
}

/// One line on the result: the norm, its start, and the bound above it.
fn summary(searched: &Searched) -> String {
    let Searched { domain, found, steps } = searched;
    let best = found.best_norm();
    let from = steps.iter().find(|step| step.norm == best);
    let start = from.map_or_else(String::new, |step| format!(", from {} in restart {}", step.start.id(), step.restart));
    let upper = domain.bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm == Norm::Spectral);
    let lowest = upper.filter_map(|bound| Some((bound.value?, bound.id.id()))).min_by(|a, b| a.0.total_cmp(&b.0));
    let above = lowest.map_or_else(String::new, |(value, id)| format!("; {id} <= {value:.6}"));
    let on = domain.region.id();
    format!(
        "lower bound found on the {on} R = {}, n = {}, d = {}: >= {best:.12}{start}{above}",
        domain.radius, domain.n, domain.d
    )
}
