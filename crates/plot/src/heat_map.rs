//! Heat maps: a matrix with its colour key, and its column sums below.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend};

use super::DrawError;
use super::axis::Ruler;
use super::cells::{Grid, to_rgba};
use super::extent::{Extent, Scale};
use super::frame::{is_compact, whole_at};
use super::heat_map_layout::HeatMapLayout;
use super::meter::Meter;
use super::number::Number;
use super::palette::Palette;
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};
use super::table::{Table, exact};

/// [`HeatMap::draw`] draws cells as rectangles, which is slow, so it draws at most this many per side. The page paints
/// one cell per pixel by [`HeatMap::rgba`].
const MOST_RECTANGLES: usize = 192;
/// The width of the colour key in CSS pixels.
const KEY_WIDTH: f64 = 10.0;

/// A matrix drawn as coloured cells, with row 0 on top.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// The entries, row by row. Entries that are not finite show the background.
    pub values: Vec<f64>,
    /// The number of items (such as tokens) in all rows together; more than `rows` if each row is the mean over several
    /// items. Labels, highlights and the layout number items, not rows.
    pub row_span: usize,
    /// The number of items in all columns.
    pub col_span: usize,
    /// The quantity shown, which titles the colour key.
    pub title: String,
    /// Name of a row item.
    pub row_label: String,
    /// Name of a column item.
    pub col_label: String,
    /// The values at the ends of the colour key; `None` means from zero to the largest entry.
    pub range: Option<Extent>,
    /// How colours are spaced between the ends of the colour key.
    pub scale: Scale,
    /// One number per column item, drawn as bars below the matrix, the largest in the accent colour with its column
    /// number.
    pub column_sums: Option<Vec<f64>>,
    /// The name of the numbers in `column_sums`.
    pub sums_label: String,
    /// A row to outline.
    pub highlight_row: Option<usize>,
    /// A column to outline.
    pub highlight_col: Option<usize>,
}

impl HeatMap {
    /// A matrix of `rows` times `cols`, given row by row, without labels.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Self {
        HeatMap {
            rows,
            cols,
            values,
            row_span: rows,
            col_span: cols,
            title: String::new(),
            row_label: String::new(),
            col_label: String::new(),
            range: None,
            scale: Scale::Linear,
            column_sums: None,
            sums_label: String::new(),
            highlight_row: None,
            highlight_col: None,
        }
    }

    /// The entry whose cell covers this row item and this column item.
    pub fn value(&self, row: usize, col: usize) -> Option<f64> {
        let inside = row < self.row_span && col < self.col_span;
        let cell = |index: usize, count: usize, span: usize| index * count / span.max(1);
        let at = || cell(row, self.rows, self.row_span) * self.cols + cell(col, self.cols, self.col_span);
        inside.then(|| self.values.get(at()).copied()).flatten()
    }

    /// The layout in an area of this many CSS pixels.
    pub fn layout(&self, (width, height): (f64, f64), style: &Style) -> HeatMapLayout {
        let font = &style.font;
        let row = 1.5 * font.size_normal;
        let top =
            4.0 + if self.title.is_empty() { 0.0 } else { row } + if self.row_label.is_empty() { 0.0 } else { row };
        let left = 8.0 + text_width(&self.row_span.to_string(), font.size_small).max(14.0) + 6.0;
        let gap = Meter::gap(font.size_small);
        let bars = self.meter().map_or(0.0, |_| gap + Meter::height(is_compact(width), font.size_small));
        let below = bars + 8.0 + 1.4 * font.size_small + if self.col_label.is_empty() { 0.0 } else { row };
        let beside = 14.0 + KEY_WIDTH + 8.0 + self.key_label_width(style);
        let (room_x, room_y) = (width - left - beside, height - top - below);
        let (side_x, side_y) = self.sides(room_x.max(1.0), room_y.max(1.0), style);
        let (left, top) = (style.snap(left), style.snap(top));
        let plot = PixelRect { left, top, right: style.snap(left + side_x), bottom: style.snap(top + side_y) };
        let bars_top = plot.bottom + gap;
        let sums = self.meter().map(|_| PixelRect { top: bars_top, bottom: plot.bottom + bars, ..plot });
        let key_left = plot.right + 14.0;
        let key = PixelRect { left: key_left, top, right: key_left + KEY_WIDTH, bottom: plot.bottom.min(top + 180.0) };
        HeatMapLayout { plot, sums, key, row_span: self.row_span, col_span: self.col_span }
    }

    /// Draws the map over the whole area, with at most 192 cells per side.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<HeatMapLayout, DrawError> {
        self.draw_parts(area, style, |pen, layout| {
            self.draw_cells(pen, style, layout)?;
            self.draw_around(pen, style, layout)?;
            self.outline(pen, style, layout)
        })
    }

    /// Draws everything except the cells and their background, for a page that paints [`HeatMap::rgba`] itself and then
    /// calls [`HeatMap::draw_highlights`].
    pub fn draw_without_cells<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<HeatMapLayout, DrawError> {
        self.draw_parts(area, style, |pen, layout| self.draw_around(pen, style, layout))
    }

    /// Clears the area, and calls `draw` if the map has room.
    fn draw_parts<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
        draw: impl FnOnce(&Pen<'_, DB>, &HeatMapLayout) -> Result<(), DrawError>,
    ) -> Result<HeatMapLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        if layout.has_room() {
            draw(&pen, &layout)?;
        }
        Ok(layout)
    }

    /// Outlines the highlighted row and column over cells that are already drawn.
    pub fn draw_highlights<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<(), DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        if layout.has_room() { self.outline(&pen, style, &layout) } else { Ok(()) }
    }

    /// The cells as an image of `width` times `height` pixels, four bytes each, row by row, as `ImageData` takes them.
    pub fn rgba(&self, width: usize, height: usize, palette: &Palette) -> Vec<u8> {
        let grid = Grid::of(&self.values, (self.rows, self.cols), (height, width));
        let colors = grid.colors(&self.key_ruler(), &palette.sequential_table());
        to_rgba(&grid, &colors, width, height, palette.background)
    }

    /// The matrix as CSV, without a header.
    pub fn to_csv(&self) -> String {
        let cell = |i: usize, j| self.values.get(i * self.cols + j).copied().map_or_else(String::new, exact);
        let line = |i| (0..self.cols).map(|j| cell(i, j)).collect::<Vec<_>>();
        let mut lines = (0..self.rows).map(line);
        Table { header: lines.next().unwrap_or_default(), rows: lines.collect() }.to_csv()
    }

    fn meter(&self) -> Option<Meter<'_>> {
        self.column_sums.as_ref().map(|values| Meter { values, label: &self.sums_label })
    }

    fn shown_range(&self) -> Extent {
        let ends = |e: Extent| Extent::new(e.lo().min(0.0), if e.hi() > 0.0 { e.hi() } else { 1.0 });
        let found = self.range.or_else(|| Extent::of(self.values.iter().copied()).and_then(ends));
        found.or(Extent::new(0.0, 1.0)).expect("the ends are finite")
    }

    fn key_ruler(&self) -> Ruler {
        Ruler::new(self.scale, self.shown_range())
    }

    fn key_label_width(&self, style: &Style) -> f64 {
        let size = style.font.size_small;
        let labels = self.key_labels(f64::INFINITY, size).into_iter();
        let widest = labels.map(|(_, label)| text_width(&label, size)).fold(0.0, f64::max);
        // The labels beside the bars extend further to the left than the numbers of the key.
        let words = self.meter().map_or(0.0, |meter| meter.words_width(size) - KEY_WIDTH - 18.0);
        (widest.max(words) / 12.0).ceil().max(3.0) * 12.0
    }

    /// Positions and labels along a key of some height: round values, and the upper end.
    fn key_labels(&self, height: f64, size: f64) -> Vec<(f64, String)> {
        let ruler = self.key_ruler();
        let top = (1.0, Number::rough(ruler.ends().1).to_string());
        let clear = |position: f64| (1.0 - position) * height >= 1.3 * size;
        let ticks = ruler.ticks(4.0).into_iter().filter(|tick| clear(tick.position));
        let labelled = ticks.filter_map(|tick| tick.label.map(|label| (tick.position, label.to_string())));
        labelled.chain([top]).collect()
    }

    /// The sides of the plot: square cells, unless that would make it very narrow; cells of equal whole pixels, unless
    /// that would waste much space.
    fn sides(&self, room_x: f64, room_y: f64, style: &Style) -> (f64, f64) {
        let (rows, cols) = (self.rows.max(1) as f64, self.cols.max(1) as f64);
        if (rows / cols).max(cols / rows) > 6.0 {
            return (room_x, room_y);
        }
        let exact = (room_x / cols).min(room_y / rows);
        let whole = (exact / style.grain()).floor() * style.grain();
        let cell = if whole > 0.88 * exact { whole } else { exact };
        (cell * cols, cell * rows)
    }

    fn draw_cells<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &HeatMapLayout,
    ) -> Result<(), DrawError> {
        // Each cell gets at least one pixel, so that none is rounded away.
        let pixels = |length: f64| (length / style.grain()) as usize;
        let most = (pixels(layout.plot.height()), pixels(layout.plot.width()));
        let most = (most.0.min(MOST_RECTANGLES), most.1.min(MOST_RECTANGLES));
        let grid = Grid::of(&self.values, (self.rows, self.cols), most);
        let colors = grid.colors(&self.key_ruler(), &style.palette.sequential_table());
        let plot = layout.plot;
        let x = |j: usize| style.snap(plot.left + plot.width() * j as f64 / grid.cols as f64);
        let y = |i: usize| style.snap(plot.top + plot.height() * i as f64 / grid.rows as f64);
        for (i, row) in colors.chunks(grid.cols.max(1)).enumerate() {
            // Neighbours of equal colour are merged into one rectangle.
            let mut j = 0;
            for run in row.chunk_by(|a, b| a == b) {
                let end = j + run.len();
                if let Some(color) = run[0] {
                    pen.rect(PixelRect { left: x(j), top: y(i), right: x(end), bottom: y(i + 1) }, color, 1.0)?;
                }
                j = end;
            }
        }
        Ok(())
    }

    fn draw_around<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &HeatMapLayout,
    ) -> Result<(), DrawError> {
        self.draw_words(pen, style, layout)?;
        self.draw_key(pen, style, layout)?;
        if let Some((meter, rect)) = self.meter().zip(layout.sums) {
            meter.draw(pen, style, rect)?;
        }
        Ok(())
    }

    fn outline<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &HeatMapLayout,
    ) -> Result<(), DrawError> {
        let (plot, accent) = (layout.plot, style.palette.accent);
        if let Some(row) = self.highlight_row.filter(|&row| row < self.row_span) {
            pen.outline(PixelRect { left: plot.left, right: plot.right, ..layout.cell_rect(row, 0) }, 1.5, accent)?;
        }
        if let Some(col) = self.highlight_col.filter(|&col| col < self.col_span) {
            pen.outline(PixelRect { top: plot.top, bottom: plot.bottom, ..layout.cell_rect(0, col) }, 1.5, accent)?;
        }
        Ok(())
    }

    fn draw_words<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &HeatMapLayout,
    ) -> Result<(), DrawError> {
        let (font, palette, plot) = (&style.font, &style.palette, layout.plot);
        let room = pen.size().0 - plot.left - 4.0;
        let mut y = 4.0 + 0.6 * font.size_normal;
        for (text, color) in [(&self.title, palette.ink), (&self.row_label, palette.muted)] {
            if !text.is_empty() {
                if let Some(size) = whole_at(text, font.size_normal, room) {
                    pen.text(text, (plot.left, y), Align::Left, size, color, 1.0)?;
                }
                y += 1.5 * font.size_normal;
            }
        }
        let under = layout.sums.map_or(plot.bottom, |sums| sums.bottom) + 6.0 + 0.6 * font.size_small;
        let small = |text: &str, place, align| pen.text(text, place, align, font.size_small, palette.muted, 1.0);
        if self.row_span > 0 && self.col_span > 0 {
            small("1", (plot.left - 6.0, plot.top + 0.55 * font.size_small), Align::Right)?;
            if self.row_span > 1 {
                small(
                    &self.row_span.to_string(),
                    (plot.left - 6.0, plot.bottom - 0.45 * font.size_small),
                    Align::Right,
                )?;
            }
            self.draw_column_numbers(pen, style, layout, under)?;
        }
        let place = (plot.right, under + 0.7 * font.size_small + 0.8 * font.size_normal);
        // A title without room is left out: a cut word says nothing.
        let Some(size) = whole_at(&self.col_label, font.size_normal, place.0 - 4.0) else { return Ok(()) };
        pen.text(&self.col_label, place, Align::Right, size, palette.muted, 1.0)
    }

    /// Writes the numbers of the first and the last column, and in the accent colour the number of the column with the
    /// largest sum. This number replaces one that it would overlap.
    fn draw_column_numbers<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &HeatMapLayout,
        y: f64,
    ) -> Result<(), DrawError> {
        let (size, palette, plot) = (style.font.size_small, &style.palette, layout.plot);
        let last = self.col_span.to_string();
        let ends = [("1".to_owned(), plot.left), (last.clone(), plot.right - text_width(&last, size))];
        let peak = self.meter().and_then(|meter| meter.peak().map(|peak| (peak.column, meter.values.len())));
        let peak = peak.map(|(column, count)| {
            let name = (column + 1).to_string();
            let middle = plot.left + plot.width() * (column as f64 + 0.5) / count as f64;
            let most = (plot.right - text_width(&name, size)).max(plot.left);
            ((middle - text_width(&name, size) / 2.0).clamp(plot.left, most), name)
        });
        let span = |left: f64, text: &str| (left - 4.0, left + text_width(text, size) + 4.0);
        for (text, left) in ends.iter().take(self.col_span.min(2)) {
            let own = span(*left, text);
            let meets = |(left, name): &(f64, String)| own.0 < span(*left, name).1 && span(*left, name).0 < own.1;
            if !peak.as_ref().is_some_and(meets) {
                pen.text(text, (*left, y), Align::Left, size, palette.muted, 1.0)?;
            }
        }
        match peak {
            Some((left, name)) => pen.text(&name, (left, y), Align::Left, size, palette.accent, 1.0),
            None => Ok(()),
        }
    }

    fn draw_key<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &HeatMapLayout,
    ) -> Result<(), DrawError> {
        let (font, palette, key) = (&style.font, &style.palette, layout.key);
        let bands = key.height().clamp(1.0, 128.0) as usize;
        let y = |i: usize| style.snap(key.bottom - key.height() * i as f64 / bands as f64);
        for i in 0..bands {
            let color = palette.sequential((i as f64 + 0.5) / bands as f64);
            // Each band extends to the top and the next one covers the rest, so that there are no seams.
            pen.rect(PixelRect { bottom: y(i), ..key }, color, 1.0)?;
        }
        // An edge keeps the background end of the key visible.
        for x in [key.left - 1.0, key.right] {
            pen.vertical(x, key.top, key.bottom, palette.hairline)?;
        }
        pen.horizontal(key.bottom, key.left - 1.0, key.right + 1.0, palette.hairline)?;
        for (position, label) in self.key_labels(key.height(), font.size_small) {
            let at = key.bottom - position * key.height();
            pen.horizontal(at, key.right, key.right + 4.0, palette.muted)?;
            pen.text(&label, (key.right + 7.0, at), Align::Left, font.size_small, palette.muted, 1.0)?;
        }
        Ok(())
    }
}
