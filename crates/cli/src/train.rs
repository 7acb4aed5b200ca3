//! `lipscope train`: character-level Transformers with several kinds of attention and depths, one run a combination, on all
//! cores.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::{Arg, Args, ValueEnum};
use rayon::prelude::*;

use super::argument::{by_name, shard};
use super::console::{emit, progress_bar};
use super::exit::{Exit, Failure};
use super::figure::FigureArguments;
use super::files::read_text_up_to;
use super::people;
use super::sheet::FormArguments;
use super::terminal::{self, Reader};
use super::train_invert;
use super::train_report;
use super::train_run::{Run, RunReport};
use lipscope_core::experiment::InputError;
use lipscope_core::parallel::one_of;
use lipscope_models::Shard;
use lipscope_train::{Corpus, Kind, Norms, Plan, PlanFields};

/// The heading of options on what is trained.
const RUNS: &str = "Runs";
/// The heading of options on the model.
const MODEL: &str = "Model";
/// The heading of options on training.
const TRAINING: &str = "Training";
/// The heading of what is done instead of training.
const INSTEAD: &str = "Instead of training";

/// Arguments of `lipscope train`.
#[derive(Debug, Args)]
pub(super) struct TrainArguments {
    /// Kinds of attention, a list.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', default_value = "dot", value_parser = by_name(Kind::ALL, |kind| kind.id()), help_heading = RUNS)]
    attention: Vec<Kind>,
    /// Numbers of blocks: a list 2,6,12.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "2", help_heading = RUNS)]
    blocks: Vec<usize>,
    /// The text to learn, or - for standard input; its last tenth is held out.
    #[arg(long, value_name = "FILE", required_unless_present = "report", help_heading = RUNS)]
    text: Option<PathBuf>,
    /// Training steps of each run.
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = RUNS)]
    steps: usize,
    /// The folder of the runs; a run that was interrupted goes on from its last save.
    #[arg(long, short, value_name = "FOLDER", default_value = "runs", help_heading = RUNS)]
    out: PathBuf,
    /// d, the dimension of a token.
    #[arg(long, value_name = "D", default_value_t = 64, help_heading = MODEL)]
    width: usize,
    /// Heads of every layer.
    #[arg(long, value_name = "N", default_value_t = 4, help_heading = MODEL)]
    heads: usize,
    /// T, the characters of a window.
    #[arg(long, value_name = "T", default_value_t = 64, help_heading = MODEL)]
    context: usize,
    /// Windows in each training step.
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = TRAINING, hide_short_help = true)]
    batch: usize,
    /// c of the contractive and invertible kinds, above 0 and below 1.
    #[arg(long, default_value_t = 0.9, help_heading = MODEL, hide_short_help = true)]
    c: f64,
    /// Layer norms, or none.
    ///
    /// The contractive kind has none in its attention branches, the invertible kind has none at all.
    #[arg(long, value_enum, default_value_t = NormName::Layer, help_heading = MODEL, hide_short_help = true)]
    norm: NormName,
    /// The largest learning rate.
    #[arg(long, value_name = "RATE", default_value_t = 3e-3, help_heading = TRAINING, hide_short_help = true)]
    learning_rate: f64,
    /// Steps until the learning rate reaches its largest value; a twentieth of the steps by default.
    #[arg(long, value_name = "N", help_heading = TRAINING, hide_short_help = true)]
    warm_up: Option<usize>,
    /// Seed of weights and windows.
    #[arg(long, default_value_t = 0, help_heading = TRAINING, hide_short_help = true)]
    seed: u64,
    /// Steps from one line of the table to the next, which is also how often the run is saved.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..), help_heading = RUNS, hide_short_help = true)]
    every: u64,
    /// Do part i of N of the runs, as i/N with i from 0.
    #[arg(long, value_name = "I/N", default_value = "0/1", value_parser = shard, help_heading = RUNS, hide_short_help = true)]
    shard: Shard,
    /// Print a table of the runs in this folder, in Markdown.
    #[arg(long, value_name = "RUNS", conflicts_with = "invert", help_heading = INSTEAD)]
    report: Option<PathBuf>,
    #[command(flatten)]
    figure: FigureArguments,
    /// Run the model of this folder backwards over held-out windows of --text.
    #[arg(long, value_name = "RUN", help_heading = INSTEAD)]
    invert: Option<PathBuf>,
    /// With --invert: the number of windows.
    #[arg(long, value_name = "N", default_value_t = 20, requires = "invert", help_heading = INSTEAD, hide_short_help = true)]
    windows: usize,
    /// With --invert: the most iterations of a branch.
    #[arg(long, value_name = "N", default_value_t = 500, requires = "invert", help_heading = INSTEAD, hide_short_help = true)]
    iterations: usize,
    /// With --invert: how much is run backwards.
    ///
    /// By default it is the whole stack of an invertible model, otherwise each attention branch by itself.
    #[arg(long, value_enum, requires = "invert", help_heading = INSTEAD, hide_short_help = true)]
    extent: Option<train_invert::ExtentName>,
    // lib.rs lets these go with --invert alone.
    #[command(flatten)]
    form: FormArguments,
}

/// The command with what its figure shows, which only --report has.
pub(super) fn with_own_figure(command: clap::Command) -> clap::Command {
    let of_report = |arg: Arg| arg.requires("report").help_heading(INSTEAD);
    let others = ["pdf", "redraw", "sheet"];
    let command = others.into_iter().fold(command, |command, id| command.mut_arg(id, of_report));
    // --width is that of the model.
    let command = command.mut_arg("figure_width", |arg| of_report(arg).long("figure-width"));
    let svg = "With --report: also draw the held-out losses into this SVG file";
    command.mut_arg("svg", |arg| of_report(arg).help(svg))
}

/// The largest text that is learnt: its characters take nine bytes each.
const MOST_CORPUS: u64 = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NormName {
    Layer,
    None,
}

pub(super) fn run(arguments: &TrainArguments) -> Result<Exit, Failure> {
    match (&arguments.report, &arguments.text) {
        (Some(folder), _) => train_report::run(folder, &arguments.figure)?,
        (None, Some(text)) => {
            let text = read_text_up_to(text, MOST_CORPUS)?;
            for note in text.notes() {
                emit!("lipscope train: note: {note}");
            }
            let corpus = Corpus::new(&text.text)?;
            match &arguments.invert {
                Some(folder) => {
                    let extent = arguments.extent.map(train_invert::ExtentName::extent);
                    let effort = (arguments.windows, arguments.iterations);
                    train_invert::run(folder, corpus, effort, extent, arguments.form)?;
                }
                None => train(arguments, &corpus)?,
            }
        }
        // The argument parser requires one of them.
        (None, None) => {}
    }
    Ok(Exit::Done)
}

fn train(arguments: &TrainArguments, corpus: &Corpus) -> Result<(), Failure> {
    let began = Instant::now();
    let plans = plans(arguments)?;
    let runs: Vec<Run> = plans
        .into_iter()
        .enumerate()
        .filter(|(at, _)| at % arguments.shard.count == arguments.shard.index)
        .map(|(_, plan)| Run::open(&arguments.out, plan, corpus, arguments.every as usize))
        .collect::<Result<_, _>>()?;
    let bar = progress_bar(runs.iter().map(Run::steps_left).sum(), "steps");
    let outcomes: Mutex<Vec<Result<RunReport, InputError>>> = Mutex::new(Vec::new());
    // `par_bridge` hands out runs in this order. The deepest models take longest, so they start first.
    let mut runs = runs;
    runs.sort_by_key(|run| std::cmp::Reverse(run.blocks()));
    let count = runs.len();
    runs.into_iter().par_bridge().for_each(|run| {
        let outcome = one_of(count, || run.finish(|steps| bar.inc(steps as u64)));
        outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
    });
    bar.finish_and_clear();
    let mut reports =
        outcomes.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect::<Result<Vec<_>, _>>()?;
    reports.sort_by(|a, b| a.name.cmp(&b.name));
    match Reader::for_stdout(None) {
        Reader::People(look) => {
            let out = arguments.out.display().to_string();
            terminal::write(&people::trained(&reports, &out, began.elapsed(), look))?;
        }
        Reader::Program => reports.iter().for_each(|report| emit!("{report}")),
    }
    Ok(())
}

/// One plan for each kind and number of blocks.
fn plans(arguments: &TrainArguments) -> Result<Vec<Plan>, InputError> {
    let choices =
        arguments.attention.iter().flat_map(|kind| arguments.blocks.iter().map(move |blocks| (*kind, *blocks)));
    let mut plans: Vec<Plan> = Vec::new();
    for (kind, blocks) in choices {
        let plan = Plan::new(PlanFields {
            kind,
            blocks,
            width: arguments.width,
            heads: arguments.heads,
            context: arguments.context,
            batch: arguments.batch,
            c: arguments.c,
            norms: match arguments.norm {
                NormName::Layer if kind != Kind::Invertible => Norms::Layer,
                _ => Norms::None,
            },
            learning_rate: arguments.learning_rate,
            warm_up: arguments.warm_up.unwrap_or(arguments.steps / 20),
            steps: arguments.steps,
            seed: arguments.seed,
        })?;
        // A run that is named twice would have two threads write into one folder.
        if !plans.contains(&plan) {
            plans.push(plan);
        }
    }
    Ok(plans)
}
