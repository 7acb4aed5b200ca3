//! The key over a line chart: what its kinds of marks stand for, whatever their colours.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::band::Band;
use super::frame::ChartLayout;
use super::palette::{LineStyle, Role};
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, Type, text_width};

/// The length of the sample line before the words, in CSS pixels.
const SAMPLE: f64 = 22.0;
/// The space between sample and words.
const BESIDE: f64 = 6.0;
/// The space between two entries of a row.
const BETWEEN: f64 = 18.0;

/// A kind of mark and its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyEntry {
    /// The mark.
    pub mark: KeyMark,
    /// Its meaning, in a few words.
    pub words: String,
}

/// A kind of mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMark {
    /// A line with this dash pattern.
    Line(LineStyle),
    /// A ring.
    Ring,
    /// An area in the colour of this role, with a bar across it.
    Area(Role),
}

/// The height of the rows of a key in this much width, in CSS pixels; 0 without entries.
pub(super) fn height(key: &[KeyEntry], font: &Type, width: f64) -> f64 {
    places(key, font, width).last().map_or(0.0, |(last, _)| (last + 1) as f64 * row(font) + 6.0)
}

/// Draws the key with its first row at `top`, from the left edge of the plot on.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    key: &[KeyEntry],
    top: f64,
) -> Result<(), DrawError> {
    let (font, color, left) = (&style.font, style.palette.muted, layout.plot.left);
    for (entry, (at, x)) in key.iter().zip(places(key, font, pen.size().0 - left)) {
        let (from, y) = (left + x, top + (at as f64 + 0.5) * row(font));
        match entry.mark {
            KeyMark::Line(line) => pen.path(&[(from, y), (from + SAMPLE, y)], line, 1.5, color, 1.0)?,
            KeyMark::Ring => pen.ring((from + 0.5 * SAMPLE, y), 2.4, 1.25, color, 1.0)?,
            KeyMark::Area(role) => {
                let (top, bottom, middle) =
                    (y - 0.45 * font.size_small, y + 0.45 * font.size_small, from + 0.5 * SAMPLE);
                let area = PixelRect { left: from, top, right: from + SAMPLE, bottom };
                pen.rect(area, style.palette.role(role), 1.5 * Band::OPACITY)?;
                pen.path(&[(middle, top), (middle, bottom)], LineStyle::Solid, 1.25, color, 1.0)?;
                for edge in [top, bottom] {
                    pen.path(&[(middle - 3.0, edge), (middle + 3.0, edge)], LineStyle::Solid, 1.25, color, 1.0)?;
                }
            }
        }
        pen.text(&entry.words, (from + SAMPLE + BESIDE, y), Align::Left, font.size_small, color, 1.0)?;
    }
    Ok(())
}

/// The row of each entry, from 0, and its left end. An entry that does not fit begins a row.
fn places(key: &[KeyEntry], font: &Type, width: f64) -> Vec<(usize, f64)> {
    let (mut row, mut x) = (0, 0.0);
    key.iter()
        .map(|entry| {
            let long = SAMPLE + BESIDE + text_width(&entry.words, font.size_small);
            if x > 0.0 && x + long > width {
                (row, x) = (row + 1, 0.0);
            }
            let place = (row, x);
            x += long + BETWEEN;
            place
        })
        .collect()
}

fn row(font: &Type) -> f64 {
    1.5 * font.size_small
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theme;

    #[test]
    fn entries_stand_side_by_side_and_begin_a_row_where_they_do_not_fit() {
        let font = Style::canvas(Theme::Light, 1.0).font;
        let entry = |mark, words: &str| KeyEntry { mark, words: words.into() };
        let key = [
            entry(KeyMark::Line(LineStyle::Solid), "at these tokens"),
            entry(KeyMark::Line(LineStyle::Dotted), "bound on the ball"),
            entry(KeyMark::Ring, "found"),
        ];
        let rows = |width: f64| places(&key, &font, width).into_iter().map(|place| place.0).collect::<Vec<_>>();
        assert_eq!(rows(2000.0), [0, 0, 0]);
        assert_eq!(rows(60.0), [0, 1, 2]);
        assert_eq!(height(&[], &font, 100.0), 0.0);
        assert!(height(&key, &font, 60.0) > 2.0 * height(&key, &font, 2000.0));
        for pair in places(&key, &font, 2000.0).windows(2) {
            assert!(pair[0].1 < pair[1].1);
        }
    }
}
