//! The command line: `lipscope measure`, `sweep`, `bounds`, `growth`, `gap`, `certify`, `invert`, `scale`, `tightness`,
//! `search`, `spectrum`, `estimators`, `script`, `model`, `merge` and `train`.
//!
//! Every command runs on the thread pool that `--threads` sets. Many small measurements run side by side; a few large
//! ones run one after the other with all threads.
//!
//! Results go to standard output, errors to standard error; the exit code is 1 if anything failed.

mod bounds;
mod certify;
mod certify_model;
mod console;
mod files;
mod gap;
mod invert;
mod kim;
mod measure;
mod missing;
mod model;
mod model_chart;
mod model_files;
mod model_run;
mod model_source;
mod results;
mod script;
mod search;
mod spectrum;
mod steps;
mod sweep;
mod tables;
mod train;
mod train_invert;
mod train_report;
mod train_run;
mod work;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// How smooth is attention? Local Lipschitz constants of self-attention, and every published bound.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Arguments {
    /// Threads; 0 uses all cores. Results have the same digits on any number of threads.
    #[arg(long, global = true, default_value_t = 0)]
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
    Bounds(bounds::BoundsArguments),
    /// Writes the data of the growth view as CSV: all bounds and the exact norms at the adversarial tokens, over n.
    Growth(bounds::GrowthArguments),
    /// Compares the best upper bound on a ball with the best lower one over n and R; writes CSV.
    Gap(gap::GapArguments),
    /// Bounds the norm at all tokens within eps of an experiment's, or of those that a layer of a model sees, for a list of
    /// eps; writes CSV.
    Certify(certify::CertifyArguments),
    /// Inverts X + c F(X)/L by fixed-point iteration; writes the error of each step as CSV.
    Invert(invert::InvertArguments),
    /// Measures dot-product and L2 attention as the tokens are scaled up.
    Scale(kim::ScaleArguments),
    /// Searches for the largest l_inf norm of L2 attention at each n and compares it with the published bound.
    Tightness(kim::TightnessArguments),
    /// Writes an experiment as a Python program that builds its matrices and prints the norm.
    Script(script::ScriptArguments),
    /// Searches the ball for tokens with a large norm by gradient ascent with restarts; writes best and current norm as
    /// CSV.
    Search(search::SearchArguments),
    /// Lists the singular values of the Jacobian: all of a small one, the leading ones of a large one.
    Spectrum(spectrum::SpectrumArguments),
    /// Compares power iteration, Lanczos and the dense SVD on one Jacobian; writes every iteration as CSV.
    Estimators(spectrum::EstimatorArguments),
    /// Measures the attention, the MLP or the blocks of a BERT or GPT-2, trained or randomly initialised, over windows of
    /// text.
    Model(model::ModelArguments),
    /// Merges tables of `lipscope model`, such as those of its shards.
    Merge(results::MergeArguments),
    /// Trains character-level Transformers with dot-product, L2 or contractive attention on a text, one run for each kind and
    /// depth, and writes loss and norms of every layer as CSV; or runs a trained one backwards.
    Train(train::TrainArguments),
}

/// Runs the program with the arguments of this process.
#[must_use]
pub fn run() -> ExitCode {
    let Arguments { threads, command } = Arguments::parse();
    let outcome = work::pool(threads).and_then(|pool| pool.install(|| run_command(command)));
    match outcome {
        Ok(code) => code,
        // A closed pipe is a normal end, as in `lipscope .. | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            console::tell!("lipscope: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_command(command: Command) -> io::Result<ExitCode> {
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
    }
}
