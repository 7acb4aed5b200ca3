//! The frame of a plot: its rectangle, the mapping between pixels and data, and its axes.
//!
//! There is no box. Ticks point outwards, the grid is fainter than the axis lines, the vertical axis has a horizontal
//! title above it, and the title of the horizontal axis is at its right end.

use plotters::prelude::DrawingBackend;

use super::axis::{Ruler, Tick};
use super::number::Number;
use super::palette::mix;
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, Type, text_width, wider};
use super::{AxisSpec, DrawError};

/// Plots up to this wide, in CSS pixels, have fewer ticks and shorter labels.
const COMPACT_UP_TO: f64 = 420.0;
/// Areas narrower or lower than this, in CSS pixels, show only the background.
const LEAST_SIDE: f64 = 60.0;

/// The rectangle of a plot in its area and the mapping between its pixels and data, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartLayout {
    /// The rectangle of the axes.
    pub plot: PixelRect,
    /// The horizontal axis.
    pub x: Ruler,
    /// The vertical axis.
    pub y: Ruler,
    /// Whether the plot is narrow.
    pub compact: bool,
    /// The height of a second row of tick labels under the first one; zero without one.
    pub second_row: f64,
}

impl ChartLayout {
    /// The pixel of an x value.
    pub fn x_to_px(&self, x: f64) -> f64 {
        self.px_at(self.x.position(x))
    }

    /// The pixel of a y value; larger values have smaller pixels.
    pub fn y_to_px(&self, y: f64) -> f64 {
        self.py_at(self.y.position(y))
    }

    /// The x value at a pixel.
    pub fn px_to_x(&self, px: f64) -> f64 {
        self.x.value((px - self.plot.left) / self.plot.width())
    }

    /// The y value at a pixel.
    pub fn px_to_y(&self, px: f64) -> f64 {
        self.y.value((self.plot.bottom - px) / self.plot.height())
    }

    /// The pixel of a position (0 to 1) along the horizontal axis.
    pub(super) fn px_at(&self, position: f64) -> f64 {
        self.plot.left + position.clamp(-1e6, 1e6) * self.plot.width()
    }

    /// The pixel of a position (0 to 1) along the vertical axis.
    pub(super) fn py_at(&self, position: f64) -> f64 {
        self.plot.bottom - position.clamp(-1e6, 1e6) * self.plot.height()
    }

    /// Whether the plot is large enough to draw.
    pub(super) fn has_room(&self) -> bool {
        self.plot.width() > 1.0 && self.plot.height() > 1.0
    }

    /// The ticks of both axes, at the usual density of each.
    pub(super) fn ticks(&self) -> Ticks {
        Ticks {
            x: self.x.ticks(self.plot.width() / if self.compact { 56.0 } else { 72.0 }),
            y: y_ticks(&self.y, self.plot.height(), self.compact),
        }
    }

    /// Ticks of equal density on both axes, so that two axes with equal units have equal tick steps.
    pub(super) fn square_ticks(&self) -> Ticks {
        let distance = if self.compact { 44.0 } else { 64.0 };
        Ticks { x: self.x.ticks(self.plot.width() / distance), y: self.y.ticks(self.plot.height() / distance) }
    }
}

/// The ticks of both axes.
pub(super) struct Ticks {
    pub x: Vec<Tick>,
    pub y: Vec<Tick>,
}

/// Lays out a plot in an area, leaving `right` CSS pixels beside it for curve labels.
pub(super) fn lay_out((width, height): (f64, f64), font: &Type, x: Ruler, y: Ruler, right: f64) -> ChartLayout {
    let compact = is_compact(width);
    let top = 1.4 * font.size_normal + 14.0;
    let bottom = height - 8.0 - 1.5 * font.size_small - 1.5 * font.size_normal;
    let left = margin(&y_ticks(&y, bottom - top, compact), font);
    let plot = PixelRect { left, top, right: width - right, bottom };
    let has_room = width >= LEAST_SIDE && height >= LEAST_SIDE && plot.width() > 8.0 && plot.height() > 8.0;
    // A plot that is too small keeps one pixel, so that its mappings stay finite.
    let plot = if has_room { plot } else { PixelRect { right: left + 1.0, bottom: top + 1.0, ..plot } };
    ChartLayout { plot, x, y, compact, second_row: 0.0 }
}

/// The room that the labels of the y axis take beside the plot. In steps, so that the plot does not move when a tick label
/// gains a digit.
pub(super) fn margin(ticks: &[Tick], font: &Type) -> f64 {
    let labels = ticks.iter().filter_map(|tick| tick.label.as_ref());
    let widest = labels.map(|label| text_width(&label.to_string(), font.size_small)).fold(0.0, f64::max);
    14.0 + (wider(widest, font.size_small) / 8.0).ceil().max(3.0) * 8.0
}

/// Whether a plot of this width has fewer ticks and shorter labels.
pub(super) fn is_compact(width: f64) -> bool {
    width <= COMPACT_UP_TO
}

/// Draws the grid, the ticks with their labels, and the axis titles.
pub(super) fn draw_axes<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    ticks: &Ticks,
    (x, y): (&AxisSpec, &AxisSpec),
) -> Result<(), DrawError> {
    let PixelRect { left, top, right, bottom } = layout.plot;
    let (palette, font) = (&style.palette, &style.font);
    let grid = mix(palette.background, palette.hairline, 0.6);
    let minor = mix(palette.background, palette.ink, 0.22);
    let major = mix(palette.background, palette.ink, 0.5);

    for tick in &ticks.y {
        let at = layout.py_at(tick.position);
        let Some(label) = &tick.label else {
            pen.horizontal(at, left - 6.0, left - 3.0, minor)?;
            continue;
        };
        pen.horizontal(at, left, right, grid)?;
        pen.horizontal(at, left - 8.0, left - 3.0, major)?;
        pen.text(&label.to_string(), (left - 11.0, at), Align::Right, font.size_small, palette.muted, 1.0)?;
    }

    let mut free_from = f64::NEG_INFINITY;
    // The row names end before the first label, which may extend over the axis.
    let mut names_end = left - 11.0;
    for tick in &x.own_ticks(&layout.x, ticks.x.clone()) {
        let at = layout.px_at(tick.position);
        let Some(label) = tick.label.as_ref().map(Number::to_string) else {
            pen.vertical(at, bottom + 3.0, bottom + 6.0, minor)?;
            continue;
        };
        pen.vertical(at, top, bottom, grid)?;
        pen.vertical(at, bottom + 3.0, bottom + 8.0, major)?;
        let root = if x.root.is_empty() { String::new() } else { Number::short(tick.value.sqrt()).to_string() };
        let half = text_width(&label, font.size_small).max(text_width(&root, font.size_small)) / 2.0;
        // A wide label at the right end moves in, so that it is not cut off.
        let at = at.min(pen.size().0 - half - 1.0);
        if at - half >= free_from {
            let place = (at, x_label_row(layout, font));
            pen.text(&label, place, Align::Center, font.size_small, palette.muted, 1.0)?;
            if !root.is_empty() {
                let place = (at, place.1 + layout.second_row);
                pen.text(&root, place, Align::Center, font.size_small, palette.muted, 1.0)?;
            }
            names_end = names_end.min(at - half - 0.6 * font.size_small);
            free_from = at + half + 0.6 * font.size_small;
        }
    }

    if !x.root.is_empty() {
        let rows = [x_label_row(layout, font), x_label_row(layout, font) + layout.second_row];
        for (name, row) in ["n", x.root.as_str()].into_iter().zip(rows) {
            pen.text(name, (names_end, row), Align::Right, font.size_small, palette.muted, 1.0)?;
        }
    }
    // The titles have rows of their own, over the whole width of the picture.
    let x_title = shortened(&x.title(), font.size_normal, right - 4.0);
    pen.text(&x_title, (right, x_title_row(layout, font)), Align::Right, font.size_normal, palette.ink, 1.0)?;
    let y_title = shortened(&y.title(), font.size_normal, pen.size().0 - 8.0);
    pen.text(&y_title, (4.0, 0.5 * font.size_normal + 4.0), Align::Left, font.size_normal, palette.ink, 1.0)
}

/// Writes a note into a plot without data; an empty note writes nothing.
pub(super) fn draw_note<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    note: &str,
) -> Result<(), DrawError> {
    if note.is_empty() {
        return Ok(());
    }
    let PixelRect { left, right, top, bottom } = layout.plot;
    let (middle, size) = (((left + right) / 2.0, (top + bottom) / 2.0), style.font.size_normal);
    let note = shortened(note, size, right - left);
    // Clears the grid behind the text.
    let (half, line) = (text_width(&note, size) / 2.0 + 4.0, 0.9 * size);
    let (left, right) = (middle.0 - half, middle.0 + half);
    let ground = PixelRect { left, top: middle.1 - line, right, bottom: middle.1 + line };
    pen.rect(ground, style.palette.background, 1.0)?;
    pen.text(&note, middle, Align::Center, size, style.palette.muted, 1.0)
}

/// The vertical pixel at the middle of the row of tick labels below the plot.
pub(super) fn x_label_row(layout: &ChartLayout, font: &Type) -> f64 {
    layout.plot.bottom + 10.0 + 0.6 * font.size_small
}

/// The vertical pixel at the middle of the row with the title of the horizontal axis.
pub(super) fn x_title_row(layout: &ChartLayout, font: &Type) -> f64 {
    x_label_row(layout, font) + layout.second_row + 0.7 * font.size_small + 0.8 * font.size_normal
}

/// The largest type size, up to `size`, at which a whole text fits into a width; `None` if that is less than three
/// quarters of `size`.
pub(super) fn whole_at(text: &str, size: f64, room: f64) -> Option<f64> {
    let fit = size * (room / text_width(text, size)).min(1.0);
    (fit >= 0.75 * size).then_some(fit)
}

/// A text cut to a width, with an ellipsis if it was cut.
pub(super) fn shortened(text: &str, size: f64, room: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() {
        let candidate = format!("{}…", kept.trim_end());
        if text_width(&candidate, size) <= room {
            return if kept.is_empty() { String::new() } else { candidate };
        }
    }
    String::new()
}

fn y_ticks(y: &Ruler, height: f64, compact: bool) -> Vec<Tick> {
    y.ticks(height / if compact { 36.0 } else { 50.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_smaller_before_it_is_cut() {
        let text = "adversarial, largest up to n";
        let width = text_width(text, 12.0);
        assert_eq!(whole_at(text, 12.0, width), Some(12.0));
        let fit = whole_at(text, 12.0, 0.8 * width).expect("room for smaller type");
        assert!(text_width(text, fit) <= 0.8 * width + 1e-9 && fit >= 9.0, "{fit}");
        assert_eq!(whole_at(text, 12.0, 0.7 * width), None);
    }

    #[test]
    fn long_texts_are_cut_to_the_room_there_is() {
        assert_eq!(shortened("short", 12.0, 100.0), "short");
        let cut = shortened("a rather long name for a curve", 12.0, 80.0);
        assert!(cut.ends_with('…') && text_width(&cut, 12.0) <= 80.0, "{cut}");
        assert_eq!(shortened("anything", 12.0, 3.0), "");
    }
}
