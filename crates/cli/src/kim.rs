//! `lipscope scale` and `lipscope tightness`: norms as the tokens are scaled up, and how tight
//! the bound `kim_linf` is.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::emit;
use super::exit::{Exit, Failure};
use super::files::read_text;
use super::output::stdout;
use super::sheet::{Cell, FormArguments, Sheet};
use super::work;
use super::work::{MemoryArguments, NormName};
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::scaling::{MOST_RADII, ScaledTokens, ScalingPlan, ScalingPoint, slopes};
use lipscope_core::sweep::log_spaced;
use lipscope_core::tightness::TightnessPoint;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, TightnessPlan};

/// Arguments of `lipscope scale`.
#[derive(Debug, Args)]
pub(super) struct ScaleArguments {
    /// An experiment file, or - for standard input.
    ///
    /// Its kernel is ignored: both kernels are measured.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The largest R; the smallest is 1.
    #[arg(long, default_value_t = 1e4)]
    most: f64,
    /// Number of R, evenly spaced in log R.
    #[arg(long, default_value_t = 25)]
    count: usize,
    /// Which token list is scaled.
    #[arg(long, value_enum, default_value_t = Shape::OneAtZero)]
    tokens: Shape,
    /// Norm of the Jacobian.
    ///
    /// For max_token it is its upper bound by row sums of block norms.
    #[arg(long, value_enum, default_value_t = NormName::Spectral)]
    norm: NormName,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// The experiment's tokens, the first one moved to 0.
    OneAtZero,
    /// The experiment's tokens, unchanged.
    AsTheyAre,
}

/// Arguments of `lipscope tightness`.
#[derive(Debug, Args)]
pub(super) struct TightnessArguments {
    /// The largest n; the smallest is 2.
    #[arg(long, default_value_t = 1000)]
    most: usize,
    /// Number of n, evenly spaced in log n.
    #[arg(long, default_value_t = 13)]
    count: usize,
    /// Random restarts at each n, in addition to the structured starts.
    #[arg(long, default_value_t = 20)]
    restarts: usize,
    /// Seed of the random restarts.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    form: FormArguments,
}

pub(super) fn scale(arguments: &ScaleArguments) -> Result<Exit, Failure> {
    let text = read_text(&arguments.file)?;
    let points = points(Experiment::from_json(&text)?, arguments)?;
    let mut sheet = Sheet::on_stdout(arguments.form.form(), ["radius", "dot", "l2"])?;
    for ScalingPoint { radius, dot, l2 } in &points {
        sheet.row(&[radius, dot, l2].map(|number| Cell::Number(*number)))?;
    }
    sheet.end()?;
    if let Some((dot, l2)) = slopes(&points) {
        emit!("slope of log norm on log R over the last two decades: dot {:.4}, l2 {:.4}", dot.exponent, l2.exponent);
    }
    Ok(Exit::Done)
}

fn points(experiment: Experiment, arguments: &ScaleArguments) -> Result<Vec<ScalingPoint>, InputError> {
    if !(arguments.most.is_finite() && arguments.most > 1.0) {
        return Err(InputError::bad_value("--most", arguments.most.to_string(), "a number above 1"));
    }
    let count = arguments.count.clamp(2, MOST_RADII);
    let radii = (0..count).map(|at| arguments.most.powf(at as f64 / (count - 1) as f64)).collect();
    let tokens = match arguments.tokens {
        Shape::OneAtZero => ScaledTokens::OneAtZero,
        Shape::AsTheyAre => ScaledTokens::AsTheyAre,
    };
    let plan = ScalingPlan { experiment, tokens, radii, norm: arguments.norm.norm() };
    let mut points = Vec::with_capacity(count);
    work::run(EnginePlan::Scaling(plan), arguments.memory.memory, |event| {
        if let EngineEvent::Scaling(more) = event {
            points.extend(more);
        }
    })?;
    Ok(points)
}

pub(super) fn tightness(arguments: &TightnessArguments) -> Result<Exit, Failure> {
    let lengths = log_spaced(2, arguments.most, arguments.count.clamp(1, 1000));
    let plan = TightnessPlan { lengths, restarts: arguments.restarts, seed: arguments.seed };
    let columns = ["n", "found_linf", "kim_linf", "ratio"];
    let mut sheet = Sheet::begin(stdout()?, arguments.form.form(), columns)?;
    let mut written = Ok(());
    let outcome = work::run(EnginePlan::Tightness(plan), Memory::default(), |event| {
        let EngineEvent::Tightness(points) = event else { return };
        for TightnessPoint { n, found, bound, .. } in points {
            if written.is_ok() {
                written = sheet.row(&[n.into(), found.into(), bound.into(), (bound / found).into()]);
            }
        }
    });
    written?;
    sheet.end()?;
    outcome?;
    Ok(Exit::Done)
}
