//! The bars below a heat map: one per column, with a scale from zero to the largest.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::extent::Extent;
use super::frame::shortened;
use super::number::Number;
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};

/// The space between the matrix and the bars, in CSS pixels and in font sizes: between the lowest number of the colour
/// key and the highest of the bars there is room for both.
const GAP: (f64, f64) = (12.0, 1.3);
/// The least height of the bars, in font sizes: three lines of text stand beside them.
const LEAST_LINES: f64 = 2.5;
/// The space between the bars and the labels beside them.
const BESIDE: f64 = 9.0;

/// The numbers of the columns, and their name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meter<'a> {
    pub values: &'a [f64],
    pub label: &'a str,
}

/// The largest number and its index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Peak {
    pub column: usize,
    pub value: f64,
}

impl Meter<'_> {
    /// The space between the matrix and the bars in CSS pixels, beside text of this size.
    pub fn gap(size: f64) -> f64 {
        GAP.0.max(GAP.1 * size).ceil()
    }

    /// The height of the bars in CSS pixels, beside text of this size.
    pub fn height(compact: bool, size: f64) -> f64 {
        (if compact { 28.0_f64 } else { 44.0 }).max(LEAST_LINES * size).ceil()
    }

    /// The width reserved for the labels beside the bars.
    pub fn words_width(&self, size: f64) -> f64 {
        let number = self.peak().map_or(0.0, |peak| text_width(&Number::of(peak.value).to_string(), size));
        BESIDE + text_width(self.label, size).min(84.0).max(number)
    }

    /// The largest positive number; the first one if several are equal.
    pub fn peak(&self) -> Option<Peak> {
        let positive = self.values.iter().enumerate().filter(|(_, v)| v.is_finite() && **v > 0.0);
        let larger = |best: Option<Peak>, (column, &value): (usize, &f64)| match best {
            Some(best) if best.value >= value => Some(best),
            _ => Some(Peak { column, value }),
        };
        positive.fold(None, larger)
    }

    /// Draws the bars and their scale; the largest in the accent colour.
    pub fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>, style: &Style, rect: PixelRect) -> Result<(), DrawError> {
        let palette = &style.palette;
        pen.horizontal(rect.bottom, rect.left, rect.right, palette.hairline)?;
        let peak = self.peak();
        if let Some(peak) = peak {
            self.draw_bars(pen, style, rect, peak)?;
        }
        self.draw_scale(pen, style, rect, peak)
    }

    fn draw_bars<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        rect: PixelRect,
        peak: Peak,
    ) -> Result<(), DrawError> {
        let (count, palette) = (self.values.len(), &style.palette);
        // At most one bar per pixel, showing the largest of the numbers that share it, because peaks matter.
        let bars = count.min(rect.width().max(1.0) as usize);
        for i in 0..bars {
            let covered = i * count / bars..(i + 1) * count / bars;
            let highest = Extent::of(self.values[covered.clone()].iter().copied()).map_or(0.0, Extent::hi);
            let share = highest / peak.value;
            if share.is_nan() || share <= 0.0 {
                continue;
            }
            let color = if covered.contains(&peak.column) { palette.accent } else { palette.sequential(0.55) };
            let x = |bar: usize| style.snap(rect.left + rect.width() * bar as f64 / bars as f64);
            let gap = if rect.width() / bars as f64 > 4.0 { 1.0 } else { 0.0 };
            let top = rect.bottom - share * rect.height();
            pen.rect(PixelRect { left: x(i), right: x(i + 1) - gap, top, ..rect }, color, 1.0)?;
        }
        Ok(())
    }

    /// Draws zero and the largest number at the right end, with the name between them.
    fn draw_scale<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        rect: PixelRect,
        peak: Option<Peak>,
    ) -> Result<(), DrawError> {
        let (palette, size) = (&style.palette, style.font.size_small);
        let left = rect.right + BESIDE;
        let room = pen.size().0 - left - 2.0;
        let write = |text: &str, y: f64, color| {
            let text = shortened(text, size, room);
            pen.text(&text, (left, y), Align::Left, size, color, 1.0)
        };
        write("0", rect.bottom, palette.muted)?;
        write(self.label, (rect.top + rect.bottom) / 2.0, palette.muted)?;
        if let Some(peak) = peak {
            write(&Number::of(peak.value).to_string(), rect.top, palette.accent)?;
            pen.horizontal(rect.top, rect.right + 2.0, rect.right + 6.0, palette.muted)?;
        }
        pen.horizontal(rect.bottom, rect.right + 2.0, rect.right + 6.0, palette.muted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak(values: &[f64]) -> Option<(usize, f64)> {
        Meter { values, label: "" }.peak().map(|peak| (peak.column, peak.value))
    }

    #[test]
    fn the_peak_is_the_first_of_the_largest_positive_numbers() {
        assert_eq!(peak(&[1.0, 7.0, f64::NAN, 7.0, f64::INFINITY, -9.0]), Some((1, 7.0)));
        assert_eq!(peak(&[0.0, -1.0, f64::NAN]), None);
        assert_eq!(peak(&[]), None);
    }
}
