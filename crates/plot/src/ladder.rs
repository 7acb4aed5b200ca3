//! Ladders: numbers many decades apart as horizontal bars on one logarithmic axis.
//!
//! A bar is a line in the style of its role. Its end shows the kind of number: a dot for an exact value, "]" for an
//! upper bound, "[" for a lower bound.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend, RGBColor};

use super::DrawError;
use super::extent::Extent;
use super::frame::{is_compact, shortened, whole_at};
use super::ladder_axis::{self, LogTick};
use super::number::{Kind, Number};
use super::palette::{LineStyle, Role, mix};
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width, wider};
use super::table::{Table, exact};

/// The smallest and largest height of a row in CSS pixels.
const ROW_HEIGHTS: (f64, f64) = (13.0, 34.0);
/// Areas narrower or lower than this, in CSS pixels, show only the background.
const LEAST_SIDE: f64 = 60.0;
/// The least width of the bars, in CSS pixels.
const LEAST_BARS: f64 = 24.0;
/// The largest share of the width that labels take. Longer ones are broken into two lines.
const MOST_LABELS: f64 = 0.36;
/// The type of a label in two lines, relative to that of one line, and its line height.
const TWO_LINES: (f64, f64) = (0.9, 1.1);
/// The least width of the labels, as a share of the width of the figure.
const LEAST_LABELS: f64 = 0.2;

/// One number of a ladder.
#[derive(Debug, Clone, PartialEq)]
pub struct LadderRow {
    /// Identifier.
    pub id: String,
    /// Label.
    pub label: String,
    /// log10 of the number; negative infinity is zero.
    pub log10: f64,
    /// Exact value or bound. The kind decides the sign before the number and the shape at the end of its bar.
    pub kind: Kind,
    /// Its role, which decides colour and line style.
    pub role: Role,
}

/// Positive numbers as bars on one logarithmic axis, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// The numbers, the first on top. The last ones are not drawn if there is not enough space.
    pub rows: Vec<LadderRow>,
    /// The name of the quantity.
    pub axis_label: String,
    /// Its unit, empty if it has none.
    pub unit: String,
    /// The highlighted row.
    pub selected: Option<usize>,
    /// Range of the axis as log10; `None` uses [`Ladder::extent`]. A number beyond it has an arrow at the end of its
    /// bar.
    pub range: Option<Extent>,
}

/// Where a ladder was drawn, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct LadderLayout {
    /// The rectangle that the axis and the rows span.
    pub plot: PixelRect,
    /// The rectangles of the drawn rows, including labels and numbers.
    pub rows: Vec<PixelRect>,
    /// Whether the figure is narrow.
    pub compact: bool,
    range: Extent,
}

impl LadderLayout {
    /// The row at a vertical pixel.
    pub fn row_at(&self, py: f64) -> Option<usize> {
        self.rows.iter().position(|row| row.top <= py && py < row.bottom)
    }

    /// The pixel column of a number given as log10.
    pub fn log10_to_px(&self, log10: f64) -> f64 {
        let position = (log10 - self.range.lo()) / (self.range.hi() - self.range.lo());
        self.plot.left + position.clamp(-1e6, 1e6) * self.plot.width()
    }

    /// log10 of the number at a pixel column.
    pub fn px_to_log10(&self, px: f64) -> f64 {
        let position = (px - self.plot.left) / self.plot.width().max(1.0);
        self.range.lo() + position * (self.range.hi() - self.range.lo())
    }
}

impl Ladder {
    /// Numbers without a unit, with an axis range derived from them.
    pub fn new(axis_label: impl Into<String>, rows: Vec<LadderRow>) -> Self {
        Ladder { rows, axis_label: axis_label.into(), unit: String::new(), selected: None, range: None }
    }

    /// The axis range for these numbers as log10, in whole decades. If that is too many decades, only some are shown:
    /// from the smallest number on, or from a few decades below the first exact number on.
    pub fn extent(&self) -> Option<Extent> {
        let exact = self.rows.iter().find(|row| row.kind == Kind::Exact && row.log10.is_finite());
        ladder_axis::axis_range(self.rows.iter().map(|row| row.log10), exact.map(|row| row.log10))
    }

    /// The layout in an area of this many CSS pixels.
    pub fn layout(&self, (width, height): (f64, f64), style: &Style) -> LadderLayout {
        let font = &style.font;
        let compact = is_compact(width);
        let size = text_size(style, compact);
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            let widest = texts.map(|text| text_width(&text, size)).fold(0.0, f64::max);
            // In steps, so that the axis does not move when a number changes.
            (wider(widest, size) / 8.0).ceil() * 8.0
        };
        let in_lines = |row: &LadderRow| in_two(&row.label).map_or_else(|| vec![row.label.clone()], Vec::from);
        let whole = widest(&mut self.rows.iter().map(|row| row.label.clone()));
        let broken = widest(&mut self.rows.iter().flat_map(in_lines));
        // All labels in one line where they have room, else the longest ones in two.
        let labels = if whole <= MOST_LABELS * width { whole } else { broken.max(MOST_LABELS * width).min(whole) };
        let right = width - widest(&mut self.rows.iter().map(|row| number(row).to_string())) - 18.0;
        // Long numbers leave less space. Then the labels become narrower, down to their least share, and the bars keep
        // their least width.
        let (before, after) = (8.0, 10.0);
        let label_room = (right - LEAST_BARS - before - after).max(LEAST_LABELS * width);
        let left = before + labels.min(label_room) + after;
        let (top, below) = (4.0, 14.0 + 1.2 * font.size_small + 1.5 * font.size_normal);
        let room = height - top - below;
        let each = (room / self.rows.len().max(1) as f64).clamp(ROW_HEIGHTS.0, ROW_HEIGHTS.1);
        let drawn = ((room + 1e-6) / each).max(0.0) as usize;
        let row = |i: usize| {
            let top = top + each * i as f64;
            PixelRect { left: 0.0, top, right: width, bottom: top + each }
        };
        let rows: Vec<PixelRect> = (0..self.rows.len().min(drawn)).map(row).collect();
        let bottom = rows.last().map_or(top + each, |row| row.bottom);
        let has_room = width >= LEAST_SIDE && height >= LEAST_SIDE && right - left >= LEAST_BARS - 1e-6 && room >= each;
        let range = self.range.or_else(|| self.extent()).filter(|range| range.hi() - range.lo() > 1e-9);
        LadderLayout {
            plot: PixelRect { left, top, right: if has_room { right } else { left }, bottom },
            rows: if has_room { rows } else { Vec::new() },
            compact,
            range: range.or(Extent::new(0.0, 3.0)).expect("the ends are finite"),
        }
    }

    /// The part of a size that the rows and the axis fill: rows grow to a limit, and below them a tall figure is blank.
    pub fn filled(&self, (width, height): (f64, f64), style: &Style) -> (f64, f64) {
        let below = 14.0 + 1.2 * style.font.size_small + 1.5 * style.font.size_normal;
        (width, height.min((self.layout((width, height), style).plot.bottom + below).ceil()))
    }

    /// Draws the ladder over the whole area.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<LadderLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        if layout.plot.width() > 1.0 {
            self.draw_selection(&pen, style, &layout)?;
            self.draw_axis(&pen, style, &layout)?;
            for (i, (row, rect)) in self.rows.iter().zip(&layout.rows).enumerate() {
                let palette = &style.palette;
                let on_tint = (palette.accent, selection_tint(style));
                let colors = if self.selected == Some(i) { on_tint } else { (palette.ink, palette.background) };
                draw_row(&pen, style, &layout, (row, rect), colors)?;
            }
        }
        Ok(layout)
    }

    /// The ladder as a table with four significant digits.
    pub fn table(&self) -> Table {
        let row = |row: &LadderRow| vec![row.label.clone(), number(row).to_string()];
        Table { header: vec!["label".into(), self.title()], rows: self.rows.iter().map(row).collect() }
    }

    /// The numbers as CSV, with all digits of their logarithms.
    pub fn to_csv(&self) -> String {
        let row =
            |row: &LadderRow| vec![row.id.clone(), row.label.clone(), row.kind.sign().to_owned(), exact(row.log10)];
        let header = ["row", "label", "sign", &format!("log10 of {}", self.title())].map(str::to_owned).to_vec();
        Table { header, rows: self.rows.iter().map(row).collect() }.to_csv()
    }

    fn title(&self) -> String {
        if self.unit.is_empty() { self.axis_label.clone() } else { format!("{}, {}", self.axis_label, self.unit) }
    }

    fn draw_selection<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &LadderLayout,
    ) -> Result<(), DrawError> {
        let Some(row) = self.selected.and_then(|i| layout.rows.get(i)) else { return Ok(()) };
        let palette = &style.palette;
        pen.rect(*row, selection_tint(style), 1.0)?;
        pen.rect(PixelRect { right: 3.0, ..*row }, palette.accent, 1.0)
    }

    fn draw_axis<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &LadderLayout,
    ) -> Result<(), DrawError> {
        let PixelRect { top, right, bottom, .. } = layout.plot;
        let (palette, font) = (&style.palette, &style.font);
        let grid = mix(palette.background, palette.ink, 0.08);
        let (minor, major) = (mix(palette.background, palette.ink, 0.22), mix(palette.background, palette.ink, 0.5));
        let mut free_from = f64::NEG_INFINITY;
        let distance = if layout.compact { 34.0 } else { 48.0 };
        for LogTick { log10, label } in ladder_axis::ticks(layout.range, layout.plot.width() / distance) {
            let at = layout.log10_to_px(log10);
            let Some(label) = label.map(|label| label.to_string()) else {
                pen.vertical(at, bottom + 3.0, bottom + 6.0, minor)?;
                continue;
            };
            pen.vertical(at, top, bottom, grid)?;
            pen.vertical(at, bottom + 3.0, bottom + 8.0, major)?;
            let half = text_width(&label, font.size_small) / 2.0;
            if at - half >= free_from {
                let place = (at, bottom + 10.0 + 0.6 * font.size_small);
                pen.text(&label, place, Align::Center, font.size_small, palette.muted, 1.0)?;
                free_from = at + half + 0.4 * font.size_small;
            }
        }
        let title = shortened(&self.title(), font.size_normal, right - 4.0);
        let row = bottom + 10.0 + 1.3 * font.size_small + 0.8 * font.size_normal;
        pen.text(&title, (right, row), Align::Right, font.size_normal, palette.ink, 1.0)
    }
}

fn number(row: &LadderRow) -> Number {
    Number::claimed(row.log10, row.kind)
}

/// The background of the highlighted row.
fn selection_tint(style: &Style) -> RGBColor {
    mix(style.palette.background, style.palette.accent, 0.09)
}

fn text_size(style: &Style, compact: bool) -> f64 {
    if compact { style.font.size_small } else { style.font.size_normal }
}

/// A label in the room of a row, and the size of its type: in one line if it has room, else in two, else cut.
fn label_lines(label: &str, size: f64, (width, height): (f64, f64)) -> (Vec<String>, f64) {
    if text_width(label, size) <= width {
        return (vec![label.to_owned()], size);
    }
    let two = in_two(label).and_then(|lines| {
        let fits = lines.iter().filter_map(|line| whole_at(line, TWO_LINES.0 * size, width));
        let fit = fits.clone().fold(TWO_LINES.0 * size, f64::min);
        (fits.count() == 2 && 2.0 * TWO_LINES.1 * fit <= height).then_some((Vec::from(lines), fit))
    });
    two.or_else(|| whole_at(label, size, width).map(|fit| (vec![label.to_owned()], fit)))
        .unwrap_or_else(|| (vec![shortened(label, 0.75 * size, width)], 0.75 * size))
}

/// A text in two lines, broken at the space that makes them most equal; `None` for a single word.
fn in_two(text: &str) -> Option<[String; 2]> {
    let widest = |at: &usize| text_width(&text[..*at], 1.0).max(text_width(&text[at + 1..], 1.0));
    let breaks = text.match_indices(' ').map(|(at, _)| at);
    let at = breaks.min_by(|a, b| widest(a).total_cmp(&widest(b)))?;
    Some([text[..at].to_owned(), text[at + 1..].to_owned()])
}

fn draw_row<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &LadderLayout,
    (row, rect): (&LadderRow, &PixelRect),
    (label_color, ground): (RGBColor, RGBColor),
) -> Result<(), DrawError> {
    let size = text_size(style, layout.compact);
    let middle = (rect.top + rect.bottom) / 2.0;
    let PixelRect { left, right, .. } = layout.plot;
    let room = left - 18.0;
    let (lines, fit) = label_lines(&row.label, size, (room, rect.height()));
    for (i, line) in lines.iter().enumerate() {
        let below = TWO_LINES.1 * fit * (i as f64 - (lines.len() as f64 - 1.0) / 2.0);
        pen.text(line, (left - 10.0, middle + below), Align::Right, fit, label_color, 1.0)?;
    }

    let color = style.palette.role(row.role);
    let at = layout.log10_to_px(row.log10);
    let bar = |to: f64| pen.path(&[(left, middle), (to, middle)], row.role.line(), row.role.width(), color, 1.0);
    let arrow =
        |tip: f64, base: f64| pen.polygon(&[(base, middle - 4.0), (base, middle + 4.0), (tip, middle)], color, 1.0);
    let number_from = if row.log10 == f64::NEG_INFINITY || row.log10.is_nan() {
        // Zero and NaN cannot be shown on the axis.
        left
    } else if at > right + 0.5 {
        bar(right - 4.0)?;
        arrow(right + 4.0, right - 3.0)?;
        right + 4.0
    } else if at < left - 0.5 {
        arrow(left, left + 7.0)?;
        left + 7.0
    } else {
        bar(at)?;
        draw_end(pen, row, (at, middle), color, ground)?;
        at + 5.0
    };
    let text = number(row).to_string();
    let from = number_from + 6.0;
    // Clears the grid behind the digits, because a grid line could be read as a digit.
    let under = PixelRect {
        left: from - 1.0,
        top: middle - 0.55 * size,
        right: from + text_width(&text, size),
        bottom: middle + 0.55 * size,
    };
    pen.rect(under, ground, 1.0)?;
    pen.text(&text, (from, middle), Align::Left, size, color, 1.0)
}

/// Draws the end of a bar, whose shape shows the kind of number.
fn draw_end<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    row: &LadderRow,
    (x, y): (f64, f64),
    color: RGBColor,
    ground: RGBColor,
) -> Result<(), DrawError> {
    let bracket = |arm: f64| {
        let corners = [(x + arm, y - 5.0), (x, y - 5.0), (x, y + 5.0), (x + arm, y + 5.0)];
        pen.path(&corners, LineStyle::Solid, 1.5, color, 1.0)
    };
    match row.kind {
        Kind::UpperBound => bracket(-3.0),
        Kind::LowerBound => bracket(3.0),
        Kind::Plain | Kind::Exact if row.role.is_hollow() => {
            pen.disc((x, y), 3.6, ground, 1.0)?;
            pen.ring((x, y), 3.2, 1.5, color, 1.0)
        }
        Kind::Plain | Kind::Exact => pen.disc((x, y), 3.6, color, 1.0),
    }
}
