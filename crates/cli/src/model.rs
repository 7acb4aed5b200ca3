//! `lipscope model`: the local Lipschitz constant of a transformer's attention, MLP or blocks over windows of text, on
//! all cores.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::console::{tell, tell_lines};
use super::files::read_text;
use super::model_chart::{summary, tell_notes};
use super::model_files::SpecialName;
use super::model_run::{Outcome, Run, measure_adversarial, measure_all, measure_by_layer};
use super::results::{Form, Results};
use super::work::MemoryArguments;
use super::{model_chart, model_files};
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::measure::UpperNumber;
use lipscope_models::{
    Bounding, Estimators, Held, MODEL_TOLERANCE, MapKind, Maps, Part, PlanText, Resizing, Shard, Subject, Table,
    adversarial_text, names_of_families,
};

/// Arguments of `lipscope model`.
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// A folder with model.safetensors and config.json of a family that --families lists (BERT, RoBERTa, ModernBERT,
    /// T5, GPT-2, Llama, Qwen, Gemma, ..), or random:gpt2, random:bert or random:llama for a randomly initialised model.
    #[arg(long, required_unless_present = "families")]
    weights: Option<String>,
    /// List the families of models that are read, by model_type in config.json.
    #[arg(long)]
    families: bool,
    /// A text file, or - for standard input; the default is a built-in page about attention.
    #[arg(long)]
    text: Option<PathBuf>,
    /// A picture, PNG or JPEG, for a model of pictures (ViT, DeiT, DINOv2, CLIP, SigLIP); may be given several times. Each
    /// is a window, whose length the model says.
    #[arg(long, conflicts_with_all = ["text", "tokenizer", "lengths", "windows", "adversarial"])]
    image: Vec<PathBuf>,
    /// Bring pictures of another size to the model's: the shorter side is scaled, in the way (bilinear or bicubic) of the
    /// model's preprocessor, and the middle cut out. The preprocessor itself may squeeze or cut otherwise.
    #[arg(long, requires = "image")]
    resize: bool,
    /// The half of a model of two halves (CLIP, SigLIP): that of texts or that of pictures.
    #[arg(long, value_parser = part())]
    part: Option<Part>,
    /// A tokenizer.json, if the folder has none or the model is randomly initialised; without one such a model uses
    /// words as tokens.
    #[arg(long)]
    tokenizer: Option<PathBuf>,
    /// Layers, counted from 0: a list 0,6.
    #[arg(long, default_value = "0")]
    layers: String,
    /// Lengths: a list 2,4,8, or first:last:step, or first:last:xCOUNT for COUNT lengths evenly spaced in log n.
    #[arg(long, short = 'n', default_value = "2:98:2")]
    lengths: String,
    /// Windows per length.
    #[arg(long, default_value_t = 10)]
    windows: usize,
    /// Seed of a randomly initialised model.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The spectral norm of the Jacobian, the value of the script released with "How Smooth Is Attention?", or both.
    #[arg(long, value_enum, default_value_t = EstimatorName::Both)]
    estimator: EstimatorName,
    /// Which tokens a token attends to, in the whole model; by default the mask of the model's family.
    #[arg(long, value_enum)]
    mask: Option<MaskName>,
    /// all heads together, each head by itself, or a list 0,7 of single heads.
    #[arg(long, default_value = "all")]
    head: String,
    /// Also compute upper bounds at the same tokens, for attention alone: the columns local, local_blocks (on the
    /// spectral norm) and local_token (on the norm over the largest token). A run takes about three times as long.
    #[arg(long, conflicts_with = "adversarial")]
    bounds: bool,
    /// Also find an upper number on the norm of every map: the columns upper and failure, the probability over the seeds that
    /// it is too small (1e-9; 0 where a proved bound is smaller). All products are then in 64-bit numbers: twice the time.
    #[arg(long, conflicts_with = "adversarial")]
    upper: bool,
    /// What is measured of a layer; by default attention for BERT and with-output for GPT-2, as in their attention modules.
    #[arg(long, value_parser = map_kind())]
    map: Option<MapKind>,
    /// Width of a randomly initialised model.
    #[arg(long, default_value_t = 768)]
    dim: usize,
    /// Layers of a randomly initialised model.
    #[arg(long, default_value_t = 12)]
    depth: usize,
    /// Heads of a randomly initialised model.
    #[arg(long, default_value_t = 12)]
    heads: usize,
    /// Relative residual at which the iteration stops; the relative error of the norm is of the order of its square.
    #[arg(long, default_value_t = MODEL_TOLERANCE, value_parser = super::measure::tolerance)]
    tolerance: f64,
    /// Write to this file while running, and resume if it exists; without it write to standard output.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Form::Csv)]
    format: Form,
    /// Use the adversarial tokens of "How Smooth Is Attention?" with this R at each head of --head, instead of windows
    /// of a text, with n from -n; without --map before the output matrix.
    #[arg(long, value_name = "R", value_parser = radius)]
    adversarial: Option<f64>,
    /// Also draw both estimators over n, with their slopes, into this SVG file.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// The special tokens around every window.
    #[arg(long, value_enum, default_value_t = SpecialName::None, conflicts_with_all = ["image", "adversarial"])]
    special: SpecialName,
    /// Measure part i of N of the windows, as i/N with i from 0; merge the parts with `lipscope merge`.
    #[arg(long, default_value = "0/1", value_parser = shard)]
    shard: Shard,
    #[command(flatten)]
    memory: MemoryArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EstimatorName {
    Spectral,
    Released,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MaskName {
    None,
    Causal,
}

pub(super) fn run(arguments: &ModelArguments) -> io::Result<ExitCode> {
    if arguments.families {
        for (model_type, name) in names_of_families() {
            writeln!(io::stdout(), "{model_type}: {name}")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let text = match &arguments.text {
        Some(path) => read_text(path)?,
        None => include_str!("../../../assets/attention.txt").to_string(),
    };
    if let Some(path) = &arguments.svg {
        model_chart::probe(path)?;
    }
    let outcome = prepare(arguments, &text).and_then(|(mut run, results)| match arguments.adversarial {
        Some(radius) => measure_adversarial(&mut run, radius, arguments.shard, results),
        None => measure(arguments, &mut run, results),
    });
    match outcome {
        Ok((table, problems)) => {
            tell_notes("lipscope model", &table);
            for problem in &problems {
                tell!("lipscope model: {problem}");
            }
            tell_lines(&summary(&table));
            if let Some(path) = &arguments.svg {
                model_chart::write(path, &table)?;
            }
            Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(problem) => {
            tell!("lipscope model: {problem}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn prepare(arguments: &ModelArguments, text: &str) -> Result<(Run, Results), InputError> {
    let size = (arguments.dim, arguments.depth, arguments.heads);
    let weights = arguments.weights.as_deref().unwrap_or_default();
    let mut found = model_files::open(weights, arguments.part, size, arguments.seed)?;
    tell!("lipscope model: {}", found.model.description());
    let resizing = if arguments.resize { Resizing::Allowed } else { Resizing::Refused };
    let input = match (&arguments.image[..], arguments.adversarial) {
        (_, Some(_)) => Default::default(),
        ([], None) => found.text(text, arguments.tokenizer.as_deref(), arguments.special)?,
        (pictures, None) => found.pictures(pictures, resizing)?,
    };
    let (lengths, windows) = match input.pictures {
        0 => (arguments.lengths.clone(), arguments.windows),
        count => ((input.ids.len() / count).to_string(), count),
    };
    let plan = PlanText {
        layers: arguments.layers.clone(),
        heads: arguments.head.clone(),
        lengths,
        windows: if arguments.adversarial.is_some() { 1 } else { windows },
        mask: arguments.mask.map(|mask| match mask {
            MaskName::None => Order::Free,
            MaskName::Causal => Order::Causal,
        }),
        kind: arguments.map.or(arguments.adversarial.map(|_| MapKind::Attention)),
        estimators: match arguments.estimator {
            EstimatorName::Spectral => Estimators::Spectral,
            EstimatorName::Released => Estimators::Released,
            EstimatorName::Both => Estimators::Both,
        },
        tolerance: arguments.tolerance,
        bounds: if arguments.bounds { Bounding::AtTokens } else { Bounding::Skipped },
        upper: if arguments.upper { UpperNumber::Included } else { UpperNumber::Skipped },
        special: input.special.clone(),
    }
    .plan(found.model.config())?;
    plan.check(if arguments.adversarial.is_some() { usize::MAX } else { input.ids.len() })?;
    let (config, memory) = (found.model.config(), arguments.memory.memory);
    let held = plan.held(config, memory)?;
    let text = arguments.adversarial.map_or(input.fingerprint, adversarial_text);
    let subject = Subject::of(found.model.label(), &text, &plan);
    let of_plan = plan.notes();
    let notes = found.model.notes().iter().chain(&input.notes).chain(&of_plan);
    let table = Table::new(subject).with_notes(notes);
    let results = Results::open(arguments.out.as_deref(), arguments.format, table)?;
    Ok((Run { found, ids: input.ids, plan, held }, results))
}

/// Measures the missing cells; returns the table and the problems found.
fn measure(arguments: &ModelArguments, run: &mut Run, results: Results) -> Outcome {
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
    let maps = Maps::new(plan, &model)?;
    measure_all(batches, "portions", (results, Vec::new()), |batch| {
        maps.measure(&run.ids, &batch, |cell| plan.is_missing(&done, cell))
    })
}

/// The parser of `--part`.
fn part() -> impl TypedValueParser<Value = Part> {
    let of_id = |id: String| Part::ALL.into_iter().find(|part| part.id() == id).ok_or("not a half of a model");
    PossibleValuesParser::new(Part::ALL.map(Part::id)).try_map(of_id)
}

/// The parser of `--map`; the help lists the maps with these descriptions.
fn map_kind() -> impl TypedValueParser<Value = MapKind> {
    let help = |kind| match kind {
        MapKind::Attention => "The concatenated heads, before the output matrix",
        MapKind::WithOutput => "The heads after the output matrix",
        MapKind::AttentionResidual => "Attention with its residual connection and layer norm",
        MapKind::MlpResidual => "The MLP with its residual connection and layer norm",
        MapKind::Block => "The whole layer: attention, MLP, residual connections and layer norms",
        MapKind::Blocks => "All layers from 0 to this one, from the embeddings on",
    };
    let values = MapKind::ALL.map(|kind| PossibleValue::new(kind.id()).help(help(kind)));
    PossibleValuesParser::new(values).try_map(|id| MapKind::by_id(&id).ok_or("not the name of a map"))
}

fn radius(text: &str) -> Result<f64, String> {
    let radius = text.parse::<f64>().ok().filter(|radius| radius.is_finite() && *radius > 0.0);
    radius.ok_or_else(|| "must be a number above 0, such as 15.5".into())
}

/// Parses `i/N`, part i of N, with i from 0.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((index, count)) if index < count => Ok(Shard { index, count }),
        _ => Err("must be i/N with i from 0 to N - 1, such as 0/8".into()),
    }
}
