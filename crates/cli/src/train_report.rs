//! `lipscope train --report`: the runs of a folder as a table in Markdown, and their losses as a chart.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::exit::Failure;
use super::figure::FigureArguments;
use super::files::{read_text, unreadable};
use super::output::stdout;
use lipscope_core::experiment::InputError;
use lipscope_core::extremum::{largest, maximum, minimum};
use lipscope_plot::{AxisSpec, LineChart, LineStyle, Role, Scale, Series, SeriesKind};
use lipscope_protocol::train::RUN_LOG;
use lipscope_run::Run;
use lipscope_train::{Kind, Plan};

/// A run, read from its folder.
struct FinishedRun {
    name: String,
    plan: Plan,
    /// The loss of a uniform guess: ln of the number of distinct characters.
    guess: f64,
    rows: Vec<Row>,
}

/// A measured step of a run.
struct Row {
    step: f64,
    held_out: f64,
    /// One norm for each layer. Norms and bounds are NaN where the scores overflow.
    norms: Vec<f64>,
    bounds: Vec<f64>,
}

/// For a model with more layers than this, the table has only the smallest and the largest value.
const MOST_LAYERS_LISTED: usize = 6;

/// Prints the table of the runs in a folder, and writes the chart of their held-out losses.
///
/// # Errors
/// [`InputError::File`] if the folder holds no run, or a file cannot be read or written; those of standard output.
pub(super) fn run(folder: &Path, files: &FigureArguments) -> Result<(), Failure> {
    let runs = read(folder)?;
    stdout()?.write_all(table(&runs).as_bytes())?;
    Ok(files.write(&chart(&runs), "Held-out loss of character-level Transformers while they learn")?)
}

/// Reads the runs of a folder, sorted by kind, number of blocks and seed.
fn read(folder: &Path) -> Result<Vec<FinishedRun>, InputError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut runs = Vec::new();
    for entry in entries.flatten() {
        if entry.path().join(RUN_LOG).exists() {
            runs.push(FinishedRun::read(&entry.path())?);
        }
    }
    if runs.is_empty() {
        return Err(InputError::File {
            file: folder.display().to_string().into(),
            problem: "it holds no run".into(),
            fix: "Name the folder that `lipscope train -o` has written, such as runs.".into(),
        });
    }
    let place = |kind: Kind| Kind::ALL.iter().position(|one| *one == kind);
    runs.sort_by_key(|run| (place(run.plan.kind), run.plan.blocks, run.plan.seed));
    Ok(runs)
}

fn broken(path: &Path, problem: &str) -> InputError {
    InputError::File {
        file: path.display().to_string().into(),
        problem: problem.to_owned().into(),
        fix: "Train the run again into another folder.".into(),
    }
}

impl Row {
    /// The rows of a step; `None` without a held-out loss. A loss that is not finite is null in a log.
    fn at(log: &Run, step: u64) -> Option<Self> {
        let of_step = || log.rows().iter().filter(|row| row.step == step);
        let numbers = |name: &str| of_step().map(|row| row.number(name).unwrap_or(f64::NAN)).collect();
        let held_out = of_step().next()?.further.get("held_out")?.unwrap_or(f64::NAN);
        Some(Row { step: step as f64, held_out, norms: numbers("value"), bounds: numbers("bound") })
    }
}

impl FinishedRun {
    fn read(folder: &Path) -> Result<Self, InputError> {
        let text = |name: &str| {
            let path = folder.join(name);
            read_text(&path).map(|text| (path, text))
        };
        let (path, config) = text("config.json")?;
        let config: Value = serde_json::from_str(&config).map_err(|error| broken(&path, &error.to_string()))?;
        let plan = Plan::deserialize(&config["lipscope"]["plan"]).map_err(|error| broken(&path, &error.to_string()))?;
        let (path, log) = text(RUN_LOG)?;
        let log = Run::parse(&log).map_err(|error| broken(&path, &error.to_string()))?;
        let rows: Option<Vec<Row>> = log.steps().iter().map(|step| Row::at(&log, *step)).collect();
        let rows = rows.ok_or_else(|| broken(&path, "a row of it has no `held_out`"))?;
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let vocabulary = config["lipscope"]["vocabulary"].as_str().unwrap_or_default().chars().count();
        Ok(FinishedRun { name, plan, guess: (vocabulary as f64).ln(), rows })
    }

    /// Whether its last loss is not finite, or above the loss of guessing.
    fn has_diverged(&self) -> bool {
        self.rows.last().is_some_and(|row| row.held_out.is_nan() || row.held_out > self.guess)
    }
}

fn table(runs: &[FinishedRun]) -> String {
    let mut text = "| run | steps | held-out nats at first | lowest | at last | bits | norms of the layers at first | at last | their bounds at last | largest norm/bound |\n\
                    | --- | ---: | ---: | ---: | ---: | ---: | --- | --- | --- | ---: |\n"
        .to_owned();
    for run in runs {
        let [Some(first), Some(last)] = [run.rows.first(), run.rows.last()] else { continue };
        let lowest = run.rows.iter().map(|row| row.held_out).fold(f64::INFINITY, f64::min);
        let ratios =
            run.rows.iter().flat_map(|row| row.norms.iter().zip(&row.bounds)).map(|(norm, bound)| norm / bound);
        let most = largest(ratios);
        let end = match run.has_diverged() {
            true => "diverged | ".to_owned(),
            false => format!("{:.3} | {:.3}", last.held_out, last.held_out / std::f64::consts::LN_2),
        };
        text += &format!(
            "| `{}` | {} | {:.3} | {lowest:.3} | {end} | {} | {} | {} | {most:.2} |\n",
            run.name,
            last.step,
            first.held_out,
            layers(&first.norms),
            layers(&last.norms),
            layers(&last.bounds),
        );
    }
    text
}

/// One number for each layer, or the smallest and the largest of many layers.
fn layers(values: &[f64]) -> String {
    let number = |value: f64| lipscope_plot::Number::of(value).to_string();
    if values.len() <= MOST_LAYERS_LISTED {
        return values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(", ");
    }
    let (least, most) =
        values.iter().fold((f64::INFINITY, 0.0), |(a, b), value| (minimum(a, *value), maximum(b, *value)));
    format!("{} to {}", number(least), number(most))
}

/// Held-out loss against the step: a dash pattern for each kind, but one for contractive and invertible together; rings
/// too for kinds with a step beside plain dot-product attention; the deepest models in the accent colour where depths
/// differ.
fn chart(runs: &[FinishedRun]) -> LineChart {
    let deepest = runs.iter().map(|run| run.plan.blocks).max().unwrap_or_default();
    let several = runs.iter().any(|run| run.plan.blocks != deepest);
    let series = runs.iter().flat_map(|run| {
        let role = if several && run.plan.blocks == deepest { Role::Selected } else { Role::Measured };
        let label = format!("{}, {} blocks", run.plan.kind.id(), run.plan.blocks);
        // A curve begins at the first loss that is not above that of guessing, so untrained models are not shown. It
        // ends before the next loss that is above that of guessing.
        let learned = run.rows.iter().skip_while(|row| row.held_out > run.guess);
        let data = learned.map(|row| (row.step, row.held_out)).take_while(|(_, loss)| *loss <= run.guess);
        let data: Vec<_> = data.collect();
        if data.len() < 2 {
            return Vec::new();
        }
        let (style, has_rings) = match run.plan.kind {
            Kind::Dot => (LineStyle::Solid, false),
            Kind::L2 => (LineStyle::Dashed, false),
            Kind::L2Tied => (LineStyle::Dotted, false),
            Kind::Contractive | Kind::Invertible => (LineStyle::DashDot, false),
            Kind::QkNorm => (LineStyle::Dashed, true),
            Kind::Softcap => (LineStyle::Dotted, true),
            Kind::Sigmoid => (LineStyle::DashDot, true),
            Kind::Rope => (LineStyle::Solid, true),
        };
        let rings = Series::new(format!("{}-points", run.name), "", role, SeriesKind::Hollow, data.clone());
        let line = Series::new(run.name.clone(), label, role, SeriesKind::Line, data).line(style);
        std::iter::once(line).chain(has_rings.then_some(rings)).collect()
    });
    let x = AxisSpec::new("step", Scale::Linear).whole();
    LineChart::new(x, AxisSpec::new("held-out loss (nats per character)", Scale::Linear), series.collect())
}
