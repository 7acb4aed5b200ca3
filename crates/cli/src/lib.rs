//! The command line: `lipscope measure`, `sweep`, `bounds`, `growth`, `gap`, `certify`, `invert`, `scale`, `tightness`,
//! `search`, `spectrum`, `estimators`, `script`, `model`, `merge`, `train` and `plot`.
//!
//! Every command runs on the thread pool that `--threads` sets. Many small measurements run side by side; a few large
//! ones run one after the other with all threads.
//!
//! Results go to standard output, errors to standard error; the exit statuses are in `exit.rs`. Some commands have two forms of
//! their result: one for programs, and one for people at a terminal (`terminal.rs`, `people`).

mod argument;
mod bounds;
mod certify;
mod certify_model;
mod checkpoints;
mod console;
mod examples;
mod exit;
mod figure;
mod files;
mod gap;
mod generate;
mod invert;
mod kim;
mod measure;
mod missing;
mod model;
mod model_chart;
mod model_checkpoints;
mod model_files;
mod model_run;
mod model_source;
mod output;
mod pdf;
mod people;
mod plot;
mod results;
mod run_log;
mod run_rows;
mod run_table;
mod script;
mod search;
mod sheet;
mod spectrum;
mod steps;
mod sweep;
mod tables;
mod terminal;
mod text_file;
mod train;
mod train_invert;
mod train_report;
mod train_run;
mod work;

use std::env;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use exit::{Exit, Failure};
use lipscope_models::names_of_families;

/// How smooth is attention? Local Lipschitz constants of self-attention, and every published bound.
#[derive(Debug, Parser)]
#[command(name = "lipscope", version, long_version = env!("LIPSCOPE_LONG_VERSION"), max_term_width = 100)]
struct Arguments {
    /// Threads; 0 uses all cores. Results have the same digits on any number of threads.
    #[arg(long, value_name = "N", global = true, default_value_t = 0, help_heading = work::LIMITS, hide_short_help = true)]
    threads: usize,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures an experiment file, or JSON Lines of experiments: one result per line.
    Measure(measure::MeasureArguments),
    /// Measures the spectral norm over a list of lengths n, with several random samples at each.
    Sweep(sweep::SweepArguments),
    /// Lists all bounds at a list of n up to 1e300, for an experiment's weights and radius.
    ///
    /// Aligned columns name in brackets the norm of a bound that is not on the spectral norm.
    Bounds(bounds::BoundsArguments),
    /// Writes the data of the growth view: all bounds and the exact norms at the adversarial tokens, over n.
    Growth(bounds::GrowthArguments),
    /// Compares the best upper bound on a ball with the best lower one over n and R.
    Gap(gap::GapArguments),
    /// Bounds the norm at all tokens within eps of an experiment's, or of those that a layer of a model sees.
    Certify(certify::CertifyArguments),
    /// Inverts X + c F(X)/L by fixed-point iteration; writes the error of each step.
    Invert(invert::InvertArguments),
    /// Measures dot-product and L2 attention as the tokens are scaled up.
    Scale(kim::ScaleArguments),
    /// Searches for the largest l_inf norm of L2 attention at each n and compares it with the published bound.
    Tightness(kim::TightnessArguments),
    /// Writes an experiment as a Python program that builds its matrices and prints the norm.
    Script(script::ScriptArguments),
    /// Searches the ball for tokens with a large norm by gradient ascent with restarts; writes best and current norm.
    Search(search::SearchArguments),
    /// Lists the singular values of the Jacobian: all of a small one, the leading ones of a large one.
    Spectrum(spectrum::SpectrumArguments),
    /// Compares power iteration, Lanczos and the dense SVD on one Jacobian; writes every iteration.
    Estimators(spectrum::EstimatorArguments),
    /// Measures the attention, the MLP or the blocks of a transformer, trained or randomly initialised, over windows of text
    /// or over images.
    Model(model::ModelArguments),
    /// Merges tables of `lipscope model`, such as those of its shards.
    Merge(results::MergeArguments),
    /// Trains character-level Transformers on a text, with several kinds of attention and depths; or runs one backwards.
    ///
    /// There is a run for each kind and depth. It writes the loss and the norms of every layer as rows of a monitor.
    Train(train::TrainArguments),
    /// Draws a monitored run: L of each layer over the steps of training, and the loss.
    Plot(plot::PlotArguments),
    /// Writes man pages and completions for shells into a folder.
    #[command(hide = true)]
    Generate(generate::GenerateArguments),
}

/// Runs the program with the arguments of this process.
#[must_use]
pub fn run() -> ExitCode {
    let words = examples::filled(env::args_os().collect());
    let parsed = command().try_get_matches_from(words).and_then(|matches| {
        let name = matches.subcommand_name().unwrap_or_default().to_owned();
        let awaits = matches.subcommand_matches(&name).is_some_and(awaits_typing);
        Ok((name, awaits, Arguments::from_arg_matches(&matches)?))
    });
    let (name, Arguments { threads, command }) = match parsed {
        Ok((name, false, arguments)) => (name, arguments),
        Ok((name, true, _)) => {
            console::emit_lines(&examples::instead_of_typing(&name));
            return Exit::Usage.into();
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            console::emit_lines(&examples::first_steps());
            return Exit::Usage.into();
        }
        Err(error) => {
            let is_usage = error.use_stderr();
            // The help and the version are errors of this type too.
            let is_written = (is_usage || output::stdout().is_ok()) && error.print().is_ok();
            return match is_usage {
                true => Exit::Usage,
                false if is_written => Exit::Done,
                false => Exit::Failed,
            }
            .into();
        }
    };
    let outcome = work::pool(threads).map_err(Failure::from).and_then(|pool| pool.install(|| run_command(command)));
    let exit = outcome.unwrap_or_else(|failure| {
        let exit = failure.exit();
        if exit != Exit::Done {
            console::emit!("lipscope {name}: {failure}");
        }
        exit
    });
    exit.into()
}

/// Whether a command without arguments would read an experiment from a keyboard.
fn awaits_typing(found: &ArgMatches) -> bool {
    !found.args_present() && found.ids().any(|id| id == "file") && io::stdin().is_terminal()
}

/// The whole command line, with what its help says beside the options.
fn command() -> clap::Command {
    let command = examples::with_examples(Arguments::command()).after_help(Exit::table());
    // A run of training writes files; only --invert has a table on standard output.
    let command = command.mut_subcommand("train", |command| {
        ["json", "csv"]
            .into_iter()
            .fold(command, |command, form| command.mut_arg(form, |form| form.requires("invert").hide_short_help(true)))
    });
    // Its figure is that of the runs in a folder.
    let command = command.mut_subcommand("train", train::with_own_figure);
    command.mut_subcommand("model", |command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let names: Vec<&str> = names_of_families().map(|(_, name)| name).collect();
        command.long_about(format!("{about}\n\nFamilies that are read: {}.", names.join(", ")))
    })
}

fn run_command(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Measure(arguments) => measure::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Bounds(arguments) => bounds::bounds(&arguments),
        Command::Growth(arguments) => bounds::run_growth(&arguments),
        Command::Gap(arguments) => gap::run(&arguments),
        Command::Certify(arguments) => certify::run(&arguments),
        Command::Invert(arguments) => invert::run(&arguments),
        Command::Scale(arguments) => kim::scale(&arguments),
        Command::Tightness(arguments) => kim::tightness(&arguments),
        Command::Script(arguments) => script::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Spectrum(arguments) => spectrum::spectrum(&arguments),
        Command::Estimators(arguments) => spectrum::estimators(&arguments),
        Command::Model(arguments) => model::run(&arguments),
        Command::Merge(arguments) => results::merge(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments, self::command()),
    }
}
