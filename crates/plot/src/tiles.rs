//! Tiles: a grid of named rows and columns with a number in each cell, shown by colour and, if there is space, as text.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend, RGBColor};

use super::DrawError;
use super::extent::{Extent, Scale};
use super::frame::{is_compact, shortened};
use super::number::Number;
use super::palette::mix;
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};
use super::table::{Table, exact};
use super::tint::{self, Tints, Written};

/// The greatest height of a row in CSS pixels.
const TALLEST: f64 = 52.0;

/// The width of the gap before a group of columns in CSS pixels.
const GAP: f64 = 5.0;

/// A grid of numbers, the first row on top.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tiles {
    /// The name of each row.
    pub rows: Vec<String>,
    /// The name of each column; an empty one takes no space.
    pub cols: Vec<String>,
    /// The numbers, row by row; a number that is not finite has no tile.
    pub values: Vec<f64>,
    /// The columns that begin a group: a gap stands before each.
    pub breaks: Vec<usize>,
    /// Name of the row variable.
    pub row_label: String,
    /// Name of the column variable.
    pub col_label: String,
    /// Name of the numbers.
    pub value_label: String,
    /// The values at the ends of the colours, and how the colours are spaced; `None` means from the smallest to the largest
    /// number, evenly.
    pub colors: Option<(Extent, Scale)>,
    /// The meaning of a cell without a number: such cells are grey and have an entry in the key. Without a meaning they
    /// are empty.
    pub absent: String,
    /// The selected row and column.
    pub selected: Option<(usize, usize)>,
}

/// Where the tiles were drawn, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TilesLayout {
    /// The rectangle of all tiles.
    pub plot: PixelRect,
    rows: usize,
    cols: usize,
}

impl TilesLayout {
    /// The row and column at a pixel.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        if !self.plot.contains(x, y) || self.rows == 0 || self.cols == 0 {
            return None;
        }
        let index = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        let row = index((y - self.plot.top) / self.plot.height(), self.rows);
        Some((row, index((x - self.plot.left) / self.plot.width(), self.cols)))
    }

    /// The rectangle of one cell.
    pub fn cell_rect(&self, row: usize, col: usize) -> PixelRect {
        let PixelRect { left, top, .. } = self.plot;
        let (width, height) =
            (self.plot.width() / self.cols.max(1) as f64, self.plot.height() / self.rows.max(1) as f64);
        let x = |col: usize| left + width * col as f64;
        let y = |row: usize| top + height * row as f64;
        PixelRect { left: x(col), top: y(row), right: x(col + 1), bottom: y(row + 1) }
    }

    fn has_room(&self) -> bool {
        self.plot.width() >= 8.0 && self.plot.height() >= 8.0
    }
}

impl Tiles {
    /// The number at a row and column.
    pub fn value(&self, row: usize, col: usize) -> Option<f64> {
        let at = (col < self.cols.len()).then(|| row * self.cols.len() + col)?;
        self.values.get(at).copied().filter(|value| value.is_finite())
    }

    /// The layout in an area of this many CSS pixels.
    pub fn layout(&self, (width, height): (f64, f64), style: &Style) -> TilesLayout {
        let font = &style.font;
        let key = if self.has_absent() { 1.5 * font.size_small } else { 0.0 };
        let top = 1.4 * font.size_normal + 14.0 + key;
        let names = self.rows.iter().map(|name| text_width(name, font.size_small)).fold(0.0, f64::max);
        let left = 12.0 + names.max(14.0);
        let below = 8.0 + 1.5 * font.size_small + 1.5 * font.size_normal;
        let tallest = TALLEST * self.rows.len().max(1) as f64;
        let bottom = (height - below).min(top + tallest);
        let plot = PixelRect { left: style.snap(left), top: style.snap(top), right: width - 6.0, bottom };
        TilesLayout { plot, rows: self.rows.len(), cols: self.cols.len() }
    }

    /// Draws the tiles over the whole area.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<TilesLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        if layout.has_room() {
            let found = Tints::of(self.values.iter().copied());
            let tints = match (self.colors, found.ends) {
                (Some((ends, scale)), Some(_)) => Tints { ends: Some(ends), scale },
                _ => found,
            };
            let written = self.written(&layout, style);
            self.draw_tiles(&pen, style, &layout, (tints, written))?;
            self.draw_names(&pen, style, &layout)?;
            let from = 14.0 + text_width(&self.row_label, style.font.size_normal);
            let color = |share| style.palette.tile(share, written);
            tint::draw_key(&pen, style, (&self.value_label, tints), color, from)?;
            if self.has_absent() {
                self.draw_absent_key(&pen, style)?;
            }
            if let Some((row, col)) =
                self.selected.filter(|(row, col)| *row < self.rows.len() && *col < self.cols.len())
            {
                pen.outline(layout.cell_rect(row, col), 2.0, style.palette.accent)?;
            }
        }
        Ok(layout)
    }

    /// The numbers as a table.
    pub fn to_table(&self) -> Table {
        self.table(|value| Number::of(value).to_string())
    }

    /// The numbers as CSV, with all digits.
    pub fn to_csv(&self) -> String {
        self.table(exact).to_csv()
    }

    /// Whether there is space for all numbers.
    fn written(&self, layout: &TilesLayout, style: &Style) -> Written {
        let (size, rect) = (style.font.size_small, layout.cell_rect(0, 0));
        let numbers = self.values.iter().filter(|value| value.is_finite());
        let widest = numbers.map(|value| text_width(&number(*value), size)).fold(0.0, f64::max);
        if widest + 6.0 <= rect.width() && 1.3 * size <= rect.height() { Written::Yes } else { Written::No }
    }

    fn table(&self, written: impl Fn(f64) -> String) -> Table {
        let header = std::iter::once(format!("{} \\ {}", self.row_label, self.col_label)).chain(self.cols.clone());
        let row = |(row, name): (usize, &String)| {
            let cells = (0..self.cols.len()).map(|col| self.value(row, col).map_or_else(String::new, &written));
            std::iter::once(name.clone()).chain(cells).collect()
        };
        Table { header: header.collect(), rows: self.rows.iter().enumerate().map(row).collect() }
    }

    fn draw_tiles<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &TilesLayout,
        (tints, written): (Tints, Written),
    ) -> Result<(), DrawError> {
        let (palette, size) = (&style.palette, style.font.size_small);
        for row in 0..self.rows.len() {
            for col in 0..self.cols.len() {
                let rect = layout.cell_rect(row, col);
                let rect = PixelRect {
                    left: style.snap(rect.left),
                    top: style.snap(rect.top),
                    right: style.snap(rect.right),
                    bottom: style.snap(rect.bottom),
                };
                let Some(value) = self.value(row, col) else {
                    if !self.absent.is_empty() {
                        pen.rect(rect, absent_color(style), 1.0)?;
                    }
                    pen.horizontal(
                        (rect.top + rect.bottom) / 2.0,
                        rect.left + 2.0,
                        rect.right - 2.0,
                        palette.hairline,
                    )?;
                    continue;
                };
                let share = tints.share(value);
                pen.rect(rect, palette.tile(share, written), 1.0)?;
                if written == Written::Yes {
                    let middle = ((rect.left + rect.right) / 2.0, (rect.top + rect.bottom) / 2.0);
                    pen.text(&number(value), middle, Align::Center, size, palette.ink, 1.0)?;
                }
            }
        }
        for col in &self.breaks {
            let left = style.snap(layout.cell_rect(0, *col).left);
            let PixelRect { top, bottom, .. } = layout.plot;
            pen.rect(
                PixelRect { left: left - GAP / 2.0, top, right: left + GAP / 2.0, bottom },
                palette.background,
                1.0,
            )?;
        }
        // An edge separates the lightest tile from the background.
        let edge = mix(palette.background, palette.ink, 0.3);
        let PixelRect { left, top, right, bottom } = layout.plot;
        pen.horizontal(top, left, right, edge)?;
        pen.horizontal(bottom, left, right, edge)?;
        pen.vertical(left, top, bottom, edge)?;
        pen.vertical(right, top, bottom, edge)
    }

    /// Whether some cell has no number, and a meaning.
    fn has_absent(&self) -> bool {
        let cells = self.rows.len() * self.cols.len();
        !self.absent.is_empty() && (0..cells).any(|at| self.values.get(at).is_none_or(|value| !value.is_finite()))
    }

    /// Draws the meaning of a grey cell into a row of its own over the tiles.
    fn draw_absent_key<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>, style: &Style) -> Result<(), DrawError> {
        let (size, palette, right) = (style.font.size_small, &style.palette, pen.size().0 - 6.0);
        let y = 1.4 * style.font.size_normal + 6.0 + 0.5 * size;
        let words = shortened(&self.absent, size, right - 40.0);
        let left = right - text_width(&words, size) - 26.0;
        let rect = PixelRect { left, top: y - 0.45 * size, right: left + 20.0, bottom: y + 0.45 * size };
        pen.rect(rect, absent_color(style), 1.0)?;
        pen.horizontal(y, rect.left + 2.0, rect.right - 2.0, palette.hairline)?;
        pen.text(&words, (right, y), Align::Right, size, palette.muted, 1.0)
    }

    /// Draws as many names as there is space for.
    fn draw_names<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &TilesLayout,
    ) -> Result<(), DrawError> {
        let (palette, font) = (&style.palette, &style.font);
        let size = font.size_small;
        let middle = |rect: PixelRect| ((rect.left + rect.right) / 2.0, (rect.top + rect.bottom) / 2.0);
        let mut free_from = f64::NEG_INFINITY;
        for (row, name) in self.rows.iter().enumerate() {
            let y = middle(layout.cell_rect(row, 0)).1;
            if y - 0.6 * size >= free_from {
                pen.text(name, (layout.plot.left - 6.0, y), Align::Right, size, palette.muted, 1.0)?;
                free_from = y + 0.6 * size;
            }
        }
        let under = layout.plot.bottom + 8.0 + 0.6 * size;
        let gap = if is_compact(pen.size().0) { 10.0 } else { 7.0 };
        let mut free_from = f64::NEG_INFINITY;
        for (col, name) in self.cols.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let x = middle(layout.cell_rect(0, col)).0;
            let half = text_width(name, size) / 2.0;
            if x - half >= free_from {
                pen.text(name, (x, under), Align::Center, size, palette.muted, 1.0)?;
                free_from = x + half + gap;
            }
        }
        let room = layout.plot.right - 4.0;
        let rows = shortened(&self.row_label, font.size_normal, room / 2.0);
        pen.text(&rows, (4.0, 0.5 * font.size_normal + 4.0), Align::Left, font.size_normal, palette.ink, 1.0)?;
        let place = (layout.plot.right, under + 0.7 * size + 0.8 * font.size_normal);
        let cols = shortened(&self.col_label, font.size_normal, room);
        pen.text(&cols, place, Align::Right, font.size_normal, palette.ink, 1.0)
    }
}

/// The grey of a cell without a number.
fn absent_color(style: &Style) -> RGBColor {
    mix(style.palette.background, style.palette.ink, 0.16)
}

/// A number as written on its tile.
fn number(value: f64) -> String {
    Number::rough(value).to_string()
}
