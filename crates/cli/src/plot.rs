//! `lipscope plot`: the log of a monitored run as a figure, as a table, and as a text for people.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use lipscope_plot::{Caption, Figure};
use lipscope_run::{Place, Run, RunView, RunWords, panels_height, run_panels};

use super::exit::{Exit, Failure};
use super::files::{MOST_RESULTS, named, read_text_up_to, save};
use super::people;
use super::run_table;
use super::sheet::FormArguments;
use super::terminal::{self, Reader};

/// The heading of options on the figure.
const FIGURE: &str = "Figure";
/// The width of the figure, and the height of a chart of lines in it, in CSS pixels.
const WIDTH: f64 = 760.0;
const LINES: f64 = 150.0;

/// Arguments of `lipscope plot`.
#[derive(Debug, Args)]
pub(super) struct PlotArguments {
    /// A log of `lipscope.torch.Monitor` (JSON Lines), or - for standard input.
    log: PathBuf,
    /// Draw the figure into this SVG file.
    ///
    /// Layers over steps show L by colour, on a logarithmic scale. The loss stands above them, on the same axis.
    #[arg(long, short, value_name = "FILE", help_heading = FIGURE)]
    out: Option<PathBuf>,
    /// The map; block if the log has it.
    #[arg(long, value_name = "MAP", help_heading = FIGURE)]
    map: Option<String>,
    /// The column that is shown by colour.
    #[arg(long, value_name = "COLUMN", help_heading = FIGURE, default_value = "value")]
    column: String,
    /// Further columns, each as a chart of lines: max_logit,entropy_mean.
    #[arg(long, value_name = "LIST", help_heading = FIGURE, value_delimiter = ',')]
    columns: Vec<String>,
    /// The layer whose lines are in front; without it that with the largest L.
    #[arg(long, value_name = "NAME", help_heading = FIGURE)]
    layer: Option<String>,
    #[command(flatten)]
    form: FormArguments,
}

pub(super) fn run(arguments: &PlotArguments) -> Result<Exit, Failure> {
    let run = read(&arguments.log)?;
    let view = view(&run, arguments)?;
    if let Some(path) = &arguments.out {
        save(path, svg(&run, &view, &arguments.log)?).map_err(|error| named(path, &error))?;
    }
    match Reader::for_stdout(arguments.form.chosen()) {
        Reader::People(look) => terminal::write(&people::plotted(&run, &view, look))?,
        // Who asks for a file has the result; a table is written where nothing else was, or where it is asked for.
        Reader::Program if arguments.out.is_some() && arguments.form.chosen().is_none() => {}
        Reader::Program => run_table::write(&run, arguments.form.form())?,
    }
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<Run, InputError> {
    let text = read_text_up_to(path, MOST_RESULTS)?.text;
    Run::parse(&text).map_err(|problem| problem.in_file(path.display().to_string()))
}

/// What the arguments ask the figure to show.
fn view(run: &Run, arguments: &PlotArguments) -> Result<RunView, InputError> {
    let map = match &arguments.map {
        Some(map) => chosen("--map", map, &run.maps())?,
        None => RunView::new(run).map,
    };
    let column = chosen("--column", &arguments.column, &run.columns(&map))?;
    let view = RunView::of_map(run, &map);
    let layer = match &arguments.layer {
        Some(layer) => Some(place(run, &map, layer)?),
        None => view.layer.clone(),
    };
    Ok(RunView { column, columns: lines(run, &arguments.columns)?, layer, ..view })
}

/// The columns of the charts of lines: any map may have them.
fn lines(run: &Run, columns: &[String]) -> Result<Vec<String>, InputError> {
    let all: BTreeSet<&str> = run.maps().into_iter().flat_map(|map| run.columns(map)).collect();
    let all: Vec<&str> = all.into_iter().collect();
    columns.iter().map(|column| chosen("--columns", column, &all)).collect()
}

/// A name that the log has.
fn chosen(option: &str, name: &str, known: &[&str]) -> Result<String, InputError> {
    known.contains(&name).then(|| name.to_owned()).ok_or_else(|| unknown(option, name, known))
}

/// The layer of a map with this name.
fn place(run: &Run, map: &str, layer: &str) -> Result<Place, InputError> {
    let places = run.places(map);
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    let found = places.into_iter().zip(&names).find(|(_, name)| *name == layer);
    let known = || names.iter().map(String::as_str).collect::<Vec<_>>();
    found.map(|(place, _)| place).ok_or_else(|| unknown("--layer", layer, &known()))
}

fn unknown(option: &str, name: &str, known: &[&str]) -> InputError {
    InputError::bad_value(option, name, phrase!("run_one_of", "one of {words}", words = known.join(", ")))
}

fn svg(run: &Run, view: &RunView, path: &Path) -> Result<String, Failure> {
    let panels = run_panels(run, view, &RunWords::english());
    let name = run.header().map_or_else(|| path.display().to_string(), |header| header.model.clone());
    let title = format!("Layers of {name} over the steps of training, map {}", view.map);
    let size = (WIDTH, panels_height(run, view, LINES));
    Ok(panels.to_svg(size, &title, &Caption::default()).map_err(std::io::Error::other)?)
}
