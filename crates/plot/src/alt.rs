//! What a figure says to readers who cannot see it: its title, and its content in one line. The words of that line are the
//! figure's own labels, so it is in the figure's language.

use super::axis::AxisSpec;
use super::extent::Extent;
use super::heat_map::HeatMap;
use super::ladder::Ladder;
use super::line_chart::LineChart;
use super::number::Number;
use super::scatter::Scatter;
use super::series::{Series, SeriesKind, ValueForm};
use super::tiles::Tiles;
use super::token_plane::TokenPlane;

/// The alternative text of a figure in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AltText<'a> {
    /// What the figure shows.
    pub title: &'a str,
    /// Its content, such as [`LineChart::description`]; may be empty.
    pub description: &'a str,
}

impl LineChart {
    /// The ranges of the axes, and the ends of every curve.
    #[must_use]
    pub fn description(&self) -> String {
        let axes = [axis(&self.x, self.x_extent()), axis(&self.y, self.y_extent())];
        let above = self.above.iter().filter_map(|above| above.words.first().cloned());
        joined(axes.into_iter().flatten().chain(above).chain(self.series.iter().filter_map(series)))
    }
}

impl Scatter {
    /// The ranges of the axes, and the ends of every curve.
    #[must_use]
    pub fn description(&self) -> String {
        let points =
            || self.series.iter().flat_map(|series| series.data.iter().map(|point| (point.0, series.value(point.1))));
        let xs = self.dots.iter().map(|dot| dot.x).chain(points().map(|(x, _)| x));
        let ys = self.dots.iter().map(|dot| dot.y).chain(points().map(|(_, y)| y));
        let axes = [axis(&self.x, Extent::shown(xs, self.x.scale)), axis(&self.y, Extent::shown(ys, self.y.scale))];
        joined(axes.into_iter().flatten().chain(self.series.iter().filter_map(series)))
    }
}

impl TokenPlane {
    /// How many points there are, and the ranges of the axes.
    #[must_use]
    pub fn description(&self) -> String {
        let axis = |name: &str, of: fn(&(f64, f64)) -> f64| ranged(name, Extent::of(self.points.iter().map(of)));
        let axes = [axis(&self.x_label, |point| point.0), axis(&self.y_label, |point| point.1)];
        let count = named(&self.point_label, &self.points.len().to_string());
        joined([Some(self.ball_label.clone()), count].into_iter().chain(axes).flatten())
    }
}

impl HeatMap {
    /// The numbers of rows and columns, and the range of the entries.
    #[must_use]
    pub fn description(&self) -> String {
        let entries = ranged(&self.title, Extent::of(self.values.iter().copied()));
        let rows = named(&self.row_label, &self.row_span.to_string());
        joined([entries, rows, named(&self.col_label, &self.col_span.to_string())].into_iter().flatten())
    }
}

impl Tiles {
    /// The first and the last row and column, and the range of the numbers.
    #[must_use]
    pub fn description(&self) -> String {
        let numbers = ranged(&self.value_label, Extent::of(self.values.iter().copied()));
        let ends = |name: &str, all: &[String]| named(name, &between(all.first()?, all.last()?));
        let sides = [ends(&self.row_label, &self.rows), ends(&self.col_label, &self.cols)];
        joined(std::iter::once(numbers).chain(sides).flatten())
    }
}

impl Ladder {
    /// Every row with its number.
    #[must_use]
    pub fn description(&self) -> String {
        let rows = self.table().rows;
        joined(std::iter::once(self.axis_label.clone()).chain(rows.into_iter().map(|row| row.join(" "))))
    }
}

/// The range of an axis: that which is set, or else that of the data.
fn axis(axis: &AxisSpec, data: Option<Extent>) -> Option<String> {
    ranged(&axis.title(), axis.range.or(data))
}

/// The first and the last value of a curve, or the smallest and the largest of points.
fn series(series: &Series) -> Option<String> {
    let groups = series.groups();
    let (first, last) = (groups.first()?, groups.last()?);
    let written = |y: f64| match series.given {
        ValueForm::Value => Number::of(y),
        ValueForm::Log10 => Number::from_log10(y),
    };
    let values = match series.kind {
        SeriesKind::Line if groups.len() > 1 => format!("{} → {}", written(first.mean), written(last.mean)),
        _ => {
            let extent = Extent::of(groups.iter().flat_map(|group| [group.low, group.high]))?;
            between(&written(extent.lo()).to_string(), &written(extent.hi()).to_string())
        }
    };
    named(&series.label, &values)
}

fn ranged(name: &str, extent: Option<Extent>) -> Option<String> {
    let extent = extent?;
    named(name, &between(&Number::short(extent.lo()).to_string(), &Number::short(extent.hi()).to_string()))
}

/// One text, or two with a dash between them.
fn between(low: &str, high: &str) -> String {
    if low == high { low.to_owned() } else { format!("{low} – {high}") }
}

/// A value with its name; a value without a name says nothing.
fn named(name: &str, value: &str) -> Option<String> {
    (!name.is_empty()).then(|| format!("{name}: {value}"))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, LadderRow, Role, Scale};
    use super::*;

    #[test]
    fn a_chart_is_described_by_its_axes_and_the_ends_of_its_curves() {
        let line = |label: &str, data| Series::new(label, label, Role::Sharp, SeriesKind::Line, data);
        let series = vec![
            line("bound", vec![(1.0, 2.0), (100.0, 5000.0)]).given_log10(),
            Series { kind: SeriesKind::Points, ..line("samples", vec![(1.0, 3.0), (2.0, 1.5)]) },
            line("", vec![(1.0, 1.0)]),
        ];
        let x = AxisSpec::new("n", Scale::Log);
        let chart = LineChart::new(x, AxisSpec::new("L", Scale::Log).range(Extent::new(1.0, 1e6)), series);
        assert_eq!(
            chart.description(),
            "n: 1 – 100; L: 1 – 10⁶; bound: 100.0 → 1.000 × 10⁵⁰⁰⁰; samples: 1.500 – 3.000"
        );
    }

    #[test]
    fn figures_without_names_or_data_have_no_description() {
        let axis = || AxisSpec::new("", Scale::Linear);
        assert_eq!(LineChart::new(axis(), axis(), Vec::new()).description(), "");
        assert_eq!(HeatMap::new(0, 0, Vec::new()).description(), "");
        assert_eq!(Tiles::default().description(), "");
    }

    #[test]
    fn a_ladder_is_described_by_its_rows_and_a_plane_by_its_points() {
        let row = LadderRow {
            id: String::new(),
            label: "best".into(),
            log10: 1.0,
            kind: Kind::UpperBound,
            role: Role::Sharp,
        };
        assert_eq!(Ladder::new("L", vec![row]).description(), "L; best ≤ 10.00");
        let plane = TokenPlane {
            ball_label: "R = 2".into(),
            x_label: "x".into(),
            ..TokenPlane::new(vec![(0.0, 1.0), (1.5, 2.0)])
        };
        assert_eq!(plane.description(), "R = 2; point: 2; x: 0 – 1.5");
    }
}
