//! The strip over a line chart: curves far above all others are listed there with their values in words, so that they
//! neither stretch the axis nor are lost.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::frame::{ChartLayout, shortened};
use super::palette::{LineStyle, Role, mix};
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, Type, text_width};

/// The space between the strip and the plot, where the axis breaks.
const BREAK: f64 = 10.0;
/// The length of the line before a name, in CSS pixels.
const SAMPLE: f64 = 26.0;

/// A curve far above all others.
#[derive(Debug, Clone, PartialEq)]
pub struct FarAbove {
    /// Its role.
    pub role: Role,
    /// Its name, its value and how far above the others it is, in words; and the same without how far.
    pub words: [String; 2],
    /// Opacity, from 0 to 1.
    pub opacity: f64,
}

/// The height of the strip with its break.
pub(super) fn height(above: &[FarAbove], font: &Type) -> f64 {
    if above.is_empty() { 0.0 } else { above.len() as f64 * row(font) + BREAK + 4.0 }
}

/// Draws the rows, and the break of the axis under them.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    above: &[FarAbove],
) -> Result<(), DrawError> {
    let PixelRect { left, right, top, .. } = layout.plot;
    let (palette, font) = (&style.palette, &style.font);
    let first = top - height(above, font) + 0.5 * row(font);
    for (at, curve) in above.iter().enumerate() {
        let y = first + row(font) * at as f64;
        let color = palette.role(curve.role);
        // The column right of the plot has the names of the other curves, but lower down: in a narrow plot the words
        // may run on into it.
        let from = left + SAMPLE + 8.0;
        let (words, size) = fitted(&curve.words, font, [right - from - 12.0, pen.size().0 - from - 2.0]);
        let until = right.min(left + SAMPLE);
        pen.path(&[(left, y), (until, y)], curve.role.line(), curve.role.width(), color, curve.opacity)?;
        pen.text(&words, (from, y), Align::Left, size, color, curve.opacity)?;
        let after = from + 8.0 + text_width(&words, size);
        if after < right {
            let rest = [(after, y), (right, y)];
            pen.path(&rest, curve.role.line(), curve.role.width(), color, 0.5 * curve.opacity)?;
        }
    }
    if !above.is_empty() {
        let y = top - 0.5 * BREAK - 2.0;
        let color = mix(palette.background, palette.ink, 0.5);
        for by in [-2.0, 2.0] {
            let mark = [(left - 9.0, y + by + 2.5), (left - 1.0, y + by - 2.5)];
            pen.path(&mark, LineStyle::Solid, 1.0, color, 1.0)?;
        }
    }
    Ok(())
}

/// The longest words that fit, and their size. `inside` is the room up to the right end of the plot, `most` the room up
/// to the edge of the picture, which only the short words may use. They are cut only if not even small type fits.
fn fitted([whole, short]: &[String; 2], font: &Type, [inside, most]: [f64; 2]) -> (String, f64) {
    let sizes = [
        (whole, font.size_normal, inside),
        (short, font.size_normal, inside),
        (short, font.size_normal, most),
        (short, font.size_small, most),
    ];
    let found = sizes.into_iter().find(|(words, size, room)| text_width(words, *size) <= *room);
    found.map_or_else(
        || (shortened(short, font.size_small, most.max(0.0)), font.size_small),
        |(words, size, _)| (words.clone(), size),
    )
}

fn row(font: &Type) -> f64 {
    1.5 * font.size_normal
}
