//! Heat rows: named rows of numbers over a horizontal axis, shown by colour. A column is as wide as its distance to its
//! neighbours.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::axis::{AxisSpec, Ruler};
use super::extent::{Extent, Scale};
use super::frame::{ChartLayout, Ticks, draw_axes, lay_out, shortened};
use super::number::Number;
use super::palette::mix;
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};
use super::table::{Table, exact};
use super::tint::{self, Tints, Written};
use super::{DrawError, order::ascending};

/// The widest column of row names, as a part of the picture.
const MOST_NAMES: f64 = 0.34;
/// The narrowest column that is drawn, in CSS pixels: narrower ones share a place, which shows their largest number.
const NARROWEST: f64 = 1.0;

/// Named rows of numbers, the first row on top.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatRows {
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The name of each row.
    pub rows: Vec<String>,
    /// The x of each column, ascending.
    pub positions: Vec<f64>,
    /// The numbers, row by row; a number that is not finite has no colour.
    pub values: Vec<f64>,
    /// Name of the row variable.
    pub row_label: String,
    /// Name of the numbers.
    pub value_label: String,
    /// How the colours are spaced between the smallest and the largest number.
    pub scale: Scale,
    /// The values at the ends of the colours; `None` means the smallest and the largest number.
    pub range: Option<Extent>,
    /// A row to outline.
    pub selected: Option<usize>,
    /// A marked x in the accent colour.
    pub mark_x: Option<f64>,
}

impl HeatRows {
    /// The number at a row and column.
    #[must_use]
    pub fn value(&self, row: usize, col: usize) -> Option<f64> {
        let at = (col < self.positions.len()).then(|| row * self.positions.len() + col)?;
        self.values.get(at).copied().filter(|value| value.is_finite())
    }

    /// The range of x that the columns cover.
    #[must_use]
    pub fn x_extent(&self) -> Option<Extent> {
        let edges = edges(&self.positions);
        Extent::new(*edges.first()?, *edges.last()?)
    }

    /// The row at a height of a layout.
    #[must_use]
    pub fn row_at(&self, layout: &ChartLayout, y: f64) -> Option<usize> {
        let share = (y - layout.plot.top) / layout.plot.height();
        let is_inside = (0.0..=1.0).contains(&share) && !self.rows.is_empty();
        is_inside.then(|| ((share * self.rows.len() as f64) as usize).min(self.rows.len() - 1))
    }

    /// The numbers as a table, a line for each row.
    #[must_use]
    pub fn to_table(&self) -> Table {
        self.table(|value| Number::of(value).to_string())
    }

    /// The numbers as CSV, with all digits.
    #[must_use]
    pub fn to_csv(&self) -> String {
        self.table(exact).to_csv()
    }

    /// The layout in an area of this many CSS pixels.
    pub(super) fn layout(&self, size: (f64, f64), style: &Style) -> ChartLayout {
        let range = self.x.range.or_else(|| self.x_extent()).or(Extent::new(0.0, 1.0)).expect("the ends are finite");
        let count = Extent::new(0.0, self.rows.len().max(1) as f64).expect("a count is finite");
        let (x, y) = (Ruler::new(self.x.scale, range), Ruler::new(Scale::Linear, count));
        let mut layout = lay_out(size, &style.font, x, y, 6.0);
        let names = self.rows.iter().map(|name| text_width(name, style.font.size_small)).fold(14.0, f64::max);
        layout.plot.left = (12.0 + names).min(MOST_NAMES * size.0);
        layout
    }

    /// Draws the rows with their axis and key.
    pub(super) fn draw_within<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let ticks = Ticks { y: Vec::new(), ..layout.ticks() };
        draw_axes(pen, style, layout, &ticks, (&self.x, &AxisSpec::new(self.row_label.clone(), Scale::Linear)))?;
        let tints = self.tints();
        let color = |share| style.palette.tile(share, Written::No);
        self.draw_cells(pen, style, layout, |value| color(tints.share(value)))?;
        self.draw_names(pen, style, layout)?;
        let from = 14.0 + text_width(&self.row_label, style.font.size_normal);
        tint::draw_key(pen, style, (&self.value_label, tints), color, from)?;
        self.draw_marks(pen, style, layout)
    }

    fn tints(&self) -> Tints {
        let ends = self.range.or_else(|| Extent::shown(self.values.iter().copied(), self.scale));
        Tints { ends, scale: self.scale }
    }

    fn draw_cells<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
        color: impl Fn(f64) -> RGBColor,
    ) -> Result<(), DrawError> {
        let height = layout.plot.height() / self.rows.len().max(1) as f64;
        let y = |row: usize| style.snap(layout.plot.top + height * row as f64);
        let places = self.places(layout, style);
        for row in 0..self.rows.len() {
            for (left, right, columns) in &places {
                let values = columns.clone().filter_map(|col| self.value(row, col));
                let Some(value) = values.reduce(f64::max) else { continue };
                let rect = PixelRect { left: *left, top: y(row), right: *right, bottom: y(row + 1) };
                pen.rect(rect, color(value), 1.0)?;
            }
        }
        let edge = mix(style.palette.background, style.palette.ink, 0.3);
        pen.horizontal(layout.plot.top, layout.plot.left, layout.plot.right, edge)?;
        pen.horizontal(layout.plot.bottom, layout.plot.left, layout.plot.right, edge)
    }

    /// The left and the right edge of each place, and the columns that it shows.
    fn places(&self, layout: &ChartLayout, style: &Style) -> Vec<(f64, f64, std::ops::Range<usize>)> {
        let px: Vec<f64> = edges(&self.positions)
            .into_iter()
            .map(|edge| style.snap(layout.x_to_px(edge).clamp(layout.plot.left, layout.plot.right)))
            .collect();
        let mut found = Vec::new();
        let mut first = 0;
        for last in 0..self.positions.len() {
            let is_wide = px[last + 1] - px[first] >= NARROWEST;
            if is_wide || last + 1 == self.positions.len() {
                found.push((px[first], px[last + 1].max(px[first] + style.grain()), first..last + 1));
                first = last + 1;
            }
        }
        found
    }

    /// Draws as many names as there is space for.
    fn draw_names<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let (size, plot) = (style.font.size_small, layout.plot);
        let height = plot.height() / self.rows.len().max(1) as f64;
        let mut free_from = f64::NEG_INFINITY;
        for (row, name) in self.rows.iter().enumerate() {
            let y = plot.top + height * (row as f64 + 0.5);
            if y - 0.6 * size >= free_from {
                let name = shortened(name, size, plot.left - 10.0);
                pen.text(&name, (plot.left - 6.0, y), Align::Right, size, style.palette.muted, 1.0)?;
                free_from = y + 0.6 * size;
            }
        }
        Ok(())
    }

    fn draw_marks<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let (plot, accent) = (layout.plot, style.palette.accent);
        if let Some(row) = self.selected.filter(|row| *row < self.rows.len()) {
            let height = plot.height() / self.rows.len() as f64;
            let top = plot.top + height * row as f64;
            pen.outline(PixelRect { top, bottom: top + height, ..plot }, 1.5, accent)?;
        }
        let at = self.mark_x.map(|x| layout.x_to_px(x)).filter(|at| (plot.left..=plot.right).contains(at));
        at.map_or(Ok(()), |at| pen.vertical(at, plot.top, plot.bottom, accent))
    }

    fn table(&self, written: impl Fn(f64) -> String) -> Table {
        let header = std::iter::once(format!("{} \\ {}", self.row_label, self.x.label));
        let header = header.chain(self.positions.iter().map(f64::to_string));
        let row = |(row, name): (usize, &String)| {
            let cells = (0..self.positions.len()).map(|col| self.value(row, col).map_or_else(String::new, &written));
            std::iter::once(name.clone()).chain(cells).collect()
        };
        Table { header: header.collect(), rows: self.rows.iter().enumerate().map(row).collect() }
    }
}

/// The edges between columns, halfway to their neighbours; the outer ones are as far on the other side.
fn edges(positions: &[f64]) -> Vec<f64> {
    let mut sorted = positions.to_vec();
    ascending(&mut sorted, |x| *x);
    let [first, .., last] = sorted.as_slice() else {
        return sorted.first().map_or_else(Vec::new, |only| vec![only - 0.5, only + 0.5]);
    };
    let inner = sorted.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let gaps = (sorted[1] - sorted[0], last - sorted[sorted.len() - 2]);
    std::iter::once(first - 0.5 * gaps.0).chain(inner).chain([last + 0.5 * gaps.1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_reaches_halfway_to_its_neighbours() {
        assert_eq!(edges(&[0.0, 10.0, 40.0]), [-5.0, 5.0, 25.0, 55.0]);
        assert_eq!(edges(&[3.0]), [2.5, 3.5]);
        assert!(edges(&[]).is_empty());
    }
}
