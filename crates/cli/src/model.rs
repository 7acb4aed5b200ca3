//! `lipscope model`: the local Lipschitz constant of a transformer's attention, MLP or blocks over windows of text, on
//! all cores.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use super::argument::{by_name, positive, shard, tolerance};
use super::console::{emit, emit_lines};
use super::exit::{Exit, Failure};
use super::figure::FigureArguments;
use super::model_chart::{self, emit_notes, summary};
use super::model_checkpoints::CheckpointRun;
use super::model_files::WindowRequest;
use super::model_run::{Outcome, Run, measure_adversarial, measure_all, measure_by_layer};
use super::model_source::{MODEL, ModelSource, RANDOM};
use super::output::stdout;
use super::people;
use super::results::{Destination, Results};
use super::sheet::FormArguments;
use super::terminal::{self, Reader};
use super::text_file::TextFile;
use super::work::MemoryArguments;
use lipscope_core::experiment::InputError;
use lipscope_core::measure::UpperNumber;
use lipscope_models::{
    Bounding, Estimators, Held, MODEL_TOLERANCE, MapKind, Maps, PlanText, Shard, Statistic, Subject, Table,
    adversarial_text, names_of_families,
};

/// The heading of options on the model.
const OF_MODEL: &str = "Model";
/// The heading of options on what is measured.
const MEASURED: &str = "What is measured";
/// The heading of options on what is written.
const OUTPUT: &str = "Output";

/// Windows per length.
const WINDOWS: usize = 10;
/// The options that do not go with --checkpoints.
const NOT_OF_CHECKPOINTS: [&str; 12] =
    ["families", "adversarial", "image", "estimator", "head", "bounds", "upper", "svg", "shard", "seed", "json", "csv"];

/// Arguments of `lipscope model`.
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// A folder with a model, or random:gpt2, random:bert or random:llama.
    ///
    /// The folder has model.safetensors and config.json of a family that --families lists. The others are randomly
    /// initialised models.
    #[arg(long, value_name = "MODEL", required_unless_present_any = ["families", "checkpoints"], group = MODEL, help_heading = OF_MODEL)]
    weights: Option<String>,
    /// A folder with the checkpoints of a training run: write the rows of a monitor for each, as JSON Lines.
    ///
    /// They are folders such as checkpoint-100, or files such as step_100.safetensors beside config.json; the name has the step.
    /// Measured are the attention and the block of all layers, unless --map and --layers say otherwise, at one window of 64
    /// tokens (-n, --windows), with all columns of --columns. The log of -o is continued.
    #[arg(long, value_name = "FOLDER", group = MODEL, conflicts_with_all = NOT_OF_CHECKPOINTS, help_heading = OF_MODEL)]
    checkpoints: Option<PathBuf>,
    /// List the families of models that are read, by model_type in config.json.
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = OF_MODEL)]
    families: bool,
    #[command(flatten)]
    source: ModelSource,
    /// Layers, counted from 0: a list 0,6. By default 0, or all with --checkpoints.
    #[arg(long, value_name = "LIST", help_heading = MEASURED)]
    layers: Option<String>,
    /// Lengths: a list 2,4,8, or first:last:step, or first:last:xCOUNT.
    ///
    /// The last form has COUNT lengths evenly spaced in log n. The default is 2:98:2, or up to the model's longest.
    #[arg(long, short = 'n', value_name = "LIST", help_heading = MEASURED)]
    lengths: Option<String>,
    /// Windows per length. By default 10, or 1 with --checkpoints.
    #[arg(long, value_name = "N", help_heading = MEASURED)]
    windows: Option<usize>,
    /// Seed of a randomly initialised model.
    #[arg(long, default_value_t = 0, help_heading = RANDOM, hide_short_help = true)]
    seed: u64,
    /// The spectral norm of the Jacobian, the value of the script released with "How Smooth Is Attention?", or both.
    #[arg(long, value_enum, default_value_t = EstimatorName::Both, help_heading = MEASURED, hide_short_help = true)]
    estimator: EstimatorName,
    /// all heads together, each head by itself, or a list 0,7 of single heads.
    #[arg(long, value_name = "HEADS", default_value = "all", help_heading = MEASURED)]
    head: String,
    /// Also compute upper bounds at the same tokens, for attention alone.
    ///
    /// They are the columns local, local_blocks (on the spectral norm) and local_token (on the norm over the largest token). A
    /// run takes about three times as long.
    #[arg(long, conflicts_with = "adversarial", help_heading = MEASURED)]
    bounds: bool,
    /// Also find an upper number on the norm of every map.
    ///
    /// It is the columns upper and failure, the probability over the seeds that it is too small (1e-9; 0 where a proved bound is
    /// smaller). All products are then in 64-bit numbers: twice the time.
    #[arg(long, conflicts_with = "adversarial", help_heading = MEASURED)]
    upper: bool,
    /// Further columns of the table, a list.
    ///
    /// They are those of a row of the monitor (docs/monitor.md); a_norm and vo_norm are norms of the weights. Columns of
    /// attention are the largest (or the mean, the smallest) of the row's heads; --head each gives them by head. sink is always
    /// there.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = column(), conflicts_with = "adversarial", help_heading = MEASURED, hide_short_help = true)]
    columns: Vec<ColumnName>,
    /// Relative residual at which the iteration stops.
    ///
    /// The relative error of the norm is of the order of its square.
    #[arg(long, default_value_t = MODEL_TOLERANCE, value_parser = tolerance, help_heading = MEASURED, hide_short_help = true)]
    tolerance: f64,
    /// Write to this file while running, and resume if it exists.
    ///
    /// Without it the table is written to standard output; on a terminal a text about it is.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    #[command(flatten)]
    form: FormArguments,
    /// Use the adversarial tokens of "How Smooth Is Attention?" with this R, instead of windows of a text.
    ///
    /// They are those of each head of --head, with n from -n; without --map before the output matrix.
    #[arg(long, value_name = "R", value_parser = positive, conflicts_with_all = ["image", "special"], help_heading = MEASURED, hide_short_help = true)]
    adversarial: Option<f64>,
    #[command(flatten)]
    figure: FigureArguments,
    /// Measure part i of N of the windows, as i/N with i from 0; merge the parts with `lipscope merge`.
    #[arg(long, value_name = "I/N", default_value = "0/1", value_parser = shard, help_heading = OUTPUT, hide_short_help = true)]
    shard: Shard,
    #[command(flatten)]
    memory: MemoryArguments,
}

/// A column of `--columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnName {
    /// The sink, which every table has.
    Sink,
    /// One that a table has where it is asked for.
    Further(Statistic),
}

impl ColumnName {
    fn id(&self) -> &'static str {
        match self {
            ColumnName::Sink => "sink",
            ColumnName::Further(statistic) => statistic.id(),
        }
    }

    fn statistic(self) -> Option<Statistic> {
        match self {
            ColumnName::Sink => None,
            ColumnName::Further(statistic) => Some(statistic),
        }
    }
}

/// The parser of `--columns`.
fn column() -> impl TypedValueParser<Value = ColumnName> {
    let [condition, max_logit, entropy_mean, entropy_min, a_norm, vo_norm] = Statistic::ALL.map(ColumnName::Further);
    by_name([condition, max_logit, entropy_mean, entropy_min, ColumnName::Sink, a_norm, vo_norm], ColumnName::id)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EstimatorName {
    Spectral,
    Released,
    Both,
}

impl ModelArguments {
    /// The further numbers of `--columns`.
    fn statistics(&self) -> Vec<Statistic> {
        self.columns.iter().filter_map(|column| column.statistic()).collect()
    }

    fn checkpoint_run<'a>(&'a self, folder: &'a Path) -> CheckpointRun<'a> {
        CheckpointRun {
            folder,
            source: &self.source,
            layers: self.layers.as_deref(),
            lengths: self.lengths.as_deref(),
            windows: self.windows.unwrap_or(1),
            columns: (!self.columns.is_empty()).then(|| self.statistics()),
            tolerance: self.tolerance,
            out: self.out.as_deref(),
            memory: self.memory.memory,
        }
    }
}

pub(super) fn run(arguments: &ModelArguments) -> Result<Exit, Failure> {
    if arguments.families {
        let mut out = stdout()?;
        for (model_type, name) in names_of_families() {
            writeln!(out, "{model_type}: {name}")?;
        }
        return Ok(Exit::Done);
    }
    if let Some(folder) = &arguments.checkpoints {
        return arguments.checkpoint_run(folder).run();
    }
    let text = arguments.source.open_text()?;
    arguments.figure.probe()?;
    let reader = Reader::for_stdout(arguments.form.chosen());
    let (mut run, results) = prepare(arguments, text, reader)?;
    let began = Instant::now();
    let (table, problems) = match arguments.adversarial {
        Some(radius) => measure_adversarial(&mut run, radius, arguments.shard, results)?,
        None => measure(arguments, &mut run, results)?,
    };
    emit_notes("lipscope model", &table);
    for problem in &problems {
        emit!("lipscope model: {problem}");
    }
    match reader {
        Reader::People(look) => terminal::write(&people::modelled(&table, &summary(&table), began.elapsed(), look))?,
        Reader::Program => emit_lines(&summary(&table)),
    }
    model_chart::write(&arguments.figure, &table)?;
    Ok(Exit::of_all(&problems))
}

fn prepare(arguments: &ModelArguments, text: Option<TextFile>, reader: Reader) -> Result<(Run, Results), InputError> {
    let source = &arguments.source;
    let weights = arguments.weights.as_deref().unwrap_or_default();
    let mut found = source.open("lipscope model", weights, arguments.seed)?;
    let memory = arguments.memory.memory;
    let request =
        WindowRequest { lengths: arguments.lengths.as_deref(), windows: arguments.windows.unwrap_or(WINDOWS), memory };
    let input = match arguments.adversarial {
        Some(_) => request.without_text(found.model.config()),
        None => source.input(&mut found, text, &request)?,
    };
    let plan = PlanText {
        layers: arguments.layers.clone().unwrap_or_else(|| "0".into()),
        heads: arguments.head.clone(),
        lengths: input.lengths,
        windows: input.windows,
        mask: source.order(),
        kind: source.map.or(arguments.adversarial.map(|_| MapKind::Attention)),
        estimators: match arguments.estimator {
            EstimatorName::Spectral => Estimators::Spectral,
            EstimatorName::Released => Estimators::Released,
            EstimatorName::Both => Estimators::Both,
        },
        tolerance: arguments.tolerance,
        bounds: if arguments.bounds { Bounding::AtTokens } else { Bounding::Skipped },
        upper: if arguments.upper { UpperNumber::Included } else { UpperNumber::Skipped },
        statistics: arguments.statistics(),
        special: input.special.clone(),
    }
    .plan(found.model.config())?;
    plan.check(if arguments.adversarial.is_some() { usize::MAX } else { input.ids.len() })?;
    let held = plan.held(found.model.config(), memory)?;
    let text = arguments.adversarial.map_or(input.fingerprint, adversarial_text);
    let subject = Subject::of(found.model.label(), &text, &plan);
    let of_plan = plan.notes();
    let notes = found.model.notes().iter().chain(&input.notes).chain(&of_plan);
    let table = Table::new(subject).with_notes(notes);
    let destination = match (&arguments.out, reader) {
        (Some(path), _) => Destination::File(path.clone()),
        (None, Reader::People(_)) => Destination::Nowhere,
        (None, Reader::Program) => Destination::StandardOutput,
    };
    let results = Results::open(destination, arguments.form.form(), table)?;
    Ok((Run { found, ids: input.ids, plan, held }, results))
}

/// Measures the missing cells; returns the table and the problems found.
fn measure(arguments: &ModelArguments, run: &mut Run, mut results: Results) -> Outcome {
    let plan = &run.plan;
    let done = results.table().clone();
    let batches: Vec<_> = plan
        .batches(arguments.shard)
        .into_iter()
        .filter(|batch| plan.cells(batch).any(|cell| plan.is_missing(&done, &cell)))
        .collect();
    if run.held == Held::OneLayer {
        return measure_by_layer(run, batches, results);
    }
    let model = run.found.model.model(&plan.needs(&run.ids, &batches))?;
    results.add_notes(run.found.model.notes_on_weights());
    let maps = Maps::new(plan, &model)?;
    measure_all(batches, "portions", (results, Vec::new()), |batch| {
        maps.measure(&run.ids, &batch, |cell| plan.is_missing(&done, cell))
    })
}
