//! The figures of a run: the loss, the norm of each layer and further columns over the steps; a column over heads and layers.

use lipscope_plot::{
    AxisSpec, Extent, HeatRows, Kind as Claim, LineChart, Number, Panel, Panels, Role, Scale, Series, SeriesKind,
    Table, Tiles,
};

use super::grid::Grid;
use super::row::{Kind, Place, Row};
use super::run::Run;

/// The name of the column of losses.
pub const LOSS: &str = "loss";
/// The parts of the height: a chart of lines, and the rows of layers.
const LINES: f64 = 1.0;
const FEWEST_ROWS: f64 = 1.2;
const MOST_ROWS: f64 = 3.2;
/// Numbers that span a larger factor have a logarithmic axis.
const LINEAR_UP_TO: f64 = 20.0;
/// The opacity of the lines of layers that are not chosen.
const PALE: f64 = 0.3;

/// The words in the figures of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunWords {
    /// The steps of training.
    pub step: String,
    /// The layers.
    pub layer: String,
    /// The heads.
    pub head: String,
    /// What stands in place of a missing number.
    pub absent: String,
}

impl RunWords {
    /// English words.
    #[must_use]
    pub fn english() -> Self {
        let [step, layer, head, absent] = ["step", "layer", "head", "no number"].map(String::from);
        RunWords { step, layer, head, absent }
    }
}

/// What the figure of a run shows.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// The map.
    pub map: String,
    /// The column of the rows of colours.
    pub column: String,
    /// Further columns, each with a chart of lines.
    pub columns: Vec<String>,
    /// The chosen layer, if there is one.
    pub layer: Option<Place>,
    /// The numbers at the ends of the colours; `None` means the smallest and the largest.
    pub colors: Option<Extent>,
}

impl RunView {
    /// The norm of the whole layers, or else of the first map, with the layer whose norm is largest.
    #[must_use]
    pub fn new(run: &Run) -> Self {
        let maps = run.maps();
        let map = maps.iter().find(|map| **map == "block").or(maps.first()).copied().unwrap_or_default();
        RunView::of_map(run, map)
    }

    /// The norm of a map, with the layer whose norm is largest.
    #[must_use]
    pub fn of_map(run: &Run, map: &str) -> Self {
        let layer = largest_layer(&run.grid(map, "value"));
        RunView { columns: Vec::new(), layer, map: map.into(), column: "value".into(), colors: None }
    }
}

/// The layer with the largest number.
fn largest_layer(grid: &Grid) -> Option<Place> {
    let width = grid.steps.len().max(1);
    let found = grid.values.iter().enumerate().filter_map(|(at, value)| Some((at / width, (*value)?)));
    found.max_by(|a, b| a.1.total_cmp(&b.1)).and_then(|(layer, _)| grid.places.get(layer).cloned())
}

/// The map that has a column: this one, or else the first.
#[must_use]
pub fn map_with<'a>(run: &'a Run, map: &'a str, column: &str) -> Option<&'a str> {
    std::iter::once(map).chain(run.maps()).find(|map| run.columns(map).contains(&column))
}

/// How a norm of this kind is written: an estimate has no sign.
#[must_use]
pub fn claim(kind: Kind) -> Claim {
    match kind {
        Kind::Exact => Claim::Exact,
        Kind::LowerBound => Claim::LowerBound,
        Kind::Estimate | Kind::None => Claim::Plain,
    }
}

/// The rows of a map at a step as a table, without the numbers of single heads.
#[must_use]
pub fn step_table(run: &Run, map: &str, step: u64, words: &RunWords) -> Table {
    let columns = run.columns(map);
    let header = [words.layer.as_str(), "kind"].into_iter().chain(columns.iter().map(|column| column_name(column)));
    let cell = |row: &Row, column: &str| {
        let kind = if column == "value" { claim(row.kind) } else { Claim::Plain };
        row.number(column).map_or_else(String::new, |number| Number::known(number, kind).to_string())
    };
    let line = |row: &Row| {
        let place = [row.place().to_string(), row.kind.id().to_owned()];
        place.into_iter().chain(columns.iter().map(|column| cell(row, column))).collect()
    };
    Table { header: header.map(str::to_owned).collect(), rows: run.at_step(map, step).map(line).collect() }
}

/// The name of a column in a figure: L for the norm, otherwise its key.
#[must_use]
pub fn column_name(column: &str) -> &str {
    if column == "value" { "L" } else { column }
}

/// The loss, the rows of layers, and a chart of lines for each further column.
#[must_use]
pub fn run_panels(run: &Run, view: &RunView, words: &RunWords) -> Panels {
    let loss = run.per_step(LOSS).map(|data| (lines_of_steps(LOSS, data), LINES));
    let grid = run.grid(&view.map, &view.column);
    let height = rows_part(grid.places.len());
    let further = view.columns.iter().map(|column| (lines(run, view, column), LINES));
    let panels = loss.into_iter().chain([(rows(&grid, view, words), height)]).chain(further);
    Panels::new(&AxisSpec::new(words.step.clone(), Scale::Linear).whole(), panels.collect())
}

/// The height of the panels in CSS pixels, where a chart of lines has `unit`.
#[must_use]
pub fn panels_height(run: &Run, view: &RunView, unit: f64) -> f64 {
    let loss = if run.per_step(LOSS).is_some() { LINES } else { 0.0 };
    unit * (loss + rows_part(run.places(&view.map).len()) + LINES * view.columns.len() as f64)
}

/// The part of the height for so many layers.
fn rows_part(layers: usize) -> f64 {
    (0.6 + 0.12 * layers as f64).clamp(FEWEST_ROWS, MOST_ROWS)
}

/// A column of single heads at a step: a row for each layer, a column for each head.
#[must_use]
pub fn head_tiles(run: &Run, map: &str, column: &str, step: u64, words: &RunWords) -> Tiles {
    let found = run.heads(map, step);
    let of_layer = |at: usize| found[at].1.get(column).map_or(&[][..], Vec::as_slice);
    let heads = (0..found.len()).map(|at| of_layer(at).len()).max().unwrap_or(0);
    let number = |at: usize, head: usize| of_layer(at).get(head).copied().flatten().unwrap_or(f64::NAN);
    Tiles {
        rows: found.iter().map(|(place, _)| place.to_string()).collect(),
        cols: (0..heads).map(|head| head.to_string()).collect(),
        values: (0..found.len()).flat_map(|at| (0..heads).map(move |head| number(at, head))).collect(),
        row_label: words.layer.clone(),
        col_label: words.head.clone(),
        value_label: column_name(column).into(),
        absent: words.absent.clone(),
        ..Tiles::default()
    }
}

fn rows(grid: &Grid, view: &RunView, words: &RunWords) -> Panel {
    let is_positive = grid.values.iter().flatten().all(|value| *value > 0.0);
    let can_be_logarithmic = is_positive && view.colors.is_none_or(|colors| colors.lo() > 0.0);
    Panel::Rows(HeatRows {
        x: AxisSpec::new(words.step.clone(), Scale::Linear).whole(),
        rows: grid.places.iter().map(ToString::to_string).collect(),
        positions: grid.steps.iter().map(|step| *step as f64).collect(),
        values: grid.values.iter().map(|value| value.unwrap_or(f64::NAN)).collect(),
        row_label: words.layer.clone(),
        value_label: format!("{} ({})", column_name(&view.column), view.map),
        scale: if can_be_logarithmic { Scale::Log } else { Scale::Linear },
        range: view.colors,
        selected: grid
            .places
            .iter()
            .position(|place| Some(place) == view.layer.as_ref())
            .filter(|_| grid.places.len() > 1),
        mark_x: None,
    })
}

/// A column over the steps: one line, or one for each layer with the chosen one in front.
fn lines(run: &Run, view: &RunView, column: &str) -> Panel {
    if let Some(data) = run.per_step(column) {
        return lines_of_steps(column, data);
    }
    let grid = run.grid(map_with(run, &view.map, column).unwrap_or(&view.map), column);
    let is_chosen = |at: usize| view.layer.as_ref() == Some(&grid.places[at]);
    let line = |at: usize| {
        let is_chosen = is_chosen(at);
        let label = if is_chosen { grid.places[at].to_string() } else { String::new() };
        let role = if is_chosen { Role::Selected } else { Role::Measured };
        let line = Series::new(grid.places[at].to_string(), label, role, SeriesKind::Line, floats(grid.of_place(at)));
        Series { opacity: if is_chosen { 1.0 } else { PALE }, ..line }
    };
    let mut order: Vec<usize> = (0..grid.places.len()).collect();
    // The chosen line is drawn last, over the others.
    order.sort_by_key(|at| is_chosen(*at));
    chart(column_name(column), order.into_iter().map(line).collect())
}

fn lines_of_steps(column: &str, data: Vec<(u64, f64)>) -> Panel {
    chart(column, vec![Series::new(column, "", Role::Measured, SeriesKind::Line, floats(data))])
}

fn chart(name: &str, series: Vec<Series>) -> Panel {
    let numbers = || series.iter().flat_map(|series| series.data.iter().map(|point| point.1));
    let is_wide = Extent::of(numbers()).is_some_and(|all| all.lo() > 0.0 && all.hi() > LINEAR_UP_TO * all.lo());
    let scale = if is_wide { Scale::Log } else { Scale::Linear };
    Panel::Lines(LineChart::new(AxisSpec::new("", Scale::Linear).whole(), AxisSpec::new(name, scale), series))
}

fn floats(data: Vec<(u64, f64)>) -> Vec<(f64, f64)> {
    data.into_iter().map(|(step, number)| (step as f64, number)).collect()
}
