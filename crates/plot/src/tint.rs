//! Tints: a number shown by colour and size, and its key.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::DrawError;
use super::axis::Ruler;
use super::extent::{Extent, Scale};
use super::frame::{shortened, whole_at};
use super::number::Number;
use super::palette::{Palette, mix};
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};

/// The width of the key's bar in CSS pixels.
const BAR: f64 = 64.0;
/// The height of the bar's end, in font sizes.
const BAR_HEIGHT: f64 = 0.9;
/// Number of distinct colours of marks: twice the steps of the bar plus one, so that the middle is among them.
const TINTS: usize = 65;
/// Number of steps of the bar.
const STEPS: usize = 32;

/// The range of the tints of a plot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tints {
    /// The range; `None` without numbers.
    pub ends: Option<Extent>,
    /// How the tints are spaced in the range.
    pub scale: Scale,
}

impl Tints {
    /// The range of these numbers; if all look the same when written, they count as one.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let ends = Extent::of(numbers);
        let is_one = |ends: &Extent| Number::of(ends.lo()) == Number::of(ends.hi());
        let ends = ends.map(|ends| if is_one(&ends) { Extent::of([ends.lo()]).unwrap_or(ends) } else { ends });
        Tints { ends, scale: Scale::Linear }
    }

    /// The position in the range, from 0 to 1; the middle if all numbers are one or there are none.
    pub fn share(&self, number: f64) -> f64 {
        let Some(ends) = self.ends else { return 0.5 };
        let is_span = ends.hi() > ends.lo() && number.is_finite();
        if is_span { Ruler::new(self.scale, ends).position(number).clamp(0.0, 1.0) } else { 0.5 }
    }
}

impl Palette {
    /// The colour of a mark at a position from 0 to 1: the upper part of the sequential map, so that every mark stands
    /// out from the background.
    pub fn tint(&self, share: f64) -> RGBColor {
        self.sequential(0.46 + 0.54 * share)
    }

    /// [`Palette::tint`] at equal steps, for drawing many marks.
    pub(super) fn tints(&self) -> [RGBColor; TINTS] {
        std::array::from_fn(|step| self.tint(step as f64 / (TINTS - 1) as f64))
    }

    /// The colour of a tile; pale if a number is written on it in ink.
    pub fn tile(&self, share: f64, written: Written) -> RGBColor {
        match written {
            Written::Yes => self.sequential(0.04 + 0.36 * share),
            Written::No => self.sequential(0.1 + 0.85 * share),
        }
    }
}

/// Whether the number is written on a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is written.
    Yes,
    /// There is not enough space.
    No,
}

/// Draws the key into the row above a plot, right-aligned: its name, the minimum, a bar that grows to the right, the
/// maximum. It begins at `from` or further right; where it has no room, it is not drawn.
pub(super) fn draw_key<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    (name, tints): (&str, Tints),
    color: impl Fn(f64) -> RGBColor,
    from: f64,
) -> Result<(), DrawError> {
    let Some(ends) = tints.ends else { return Ok(()) };
    let (font, palette) = (&style.font, &style.palette);
    let size = font.size_small;
    let middle = 0.5 * font.size_normal + 4.0;
    let right = pen.size().0 - 6.0;
    let [low, high] = [ends.lo(), ends.hi()].map(written);
    if ends.lo() == ends.hi() {
        let only = shortened(&format!("{name} {low}"), size, right - from);
        return pen.text(&only, (right, middle), Align::Right, size, palette.muted, 1.0);
    }
    let (low_width, high_width) = (text_width(&low, size), text_width(&high, size));
    let bar_right = right - high_width - 6.0;
    let bar_left = bar_right - BAR;
    let low_left = bar_left - 6.0 - low_width;
    if low_left < from {
        return Ok(());
    }
    // A name that is cut says less than none.
    if let Some(size) = whole_at(name, size, low_left - 10.0 - from) {
        pen.text(name, (low_left - 10.0, middle), Align::Right, size, palette.muted, 1.0)?;
    }
    pen.text(&low, (bar_left - 6.0, middle), Align::Right, size, palette.muted, 1.0)?;
    pen.text(&high, (bar_right + 6.0, middle), Align::Left, size, palette.muted, 1.0)?;
    let edge = mix(palette.background, palette.ink, 0.3);
    for step in 0..STEPS {
        let share = (step as f64 + 0.5) / STEPS as f64;
        let half = 0.5 * BAR_HEIGHT * size * (0.45 + 0.55 * share);
        let x = |step: usize| bar_left + BAR * step as f64 / STEPS as f64;
        // Each step extends to the right end and the next one covers the rest, so that there are no seams.
        let strip = PixelRect { left: x(step), top: middle - half, right: x(step + 1), bottom: middle + half };
        pen.rect(strip, color(share), 1.0)?;
    }
    for (x, half) in [(bar_left, 0.45), (bar_right, 1.0)] {
        let half = 0.5 * BAR_HEIGHT * size * half;
        pen.vertical(x, middle - half, middle + half, edge)?;
    }
    Ok(())
}

/// Integers as they are, other numbers with four digits.
fn written(end: f64) -> String {
    if end.fract() == 0.0 { Number::short(end).to_string() } else { Number::of(end).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_span_the_range_and_a_single_number_is_in_the_middle() {
        let tints = Tints::of([4.0, f64::NAN, 2.0]);
        assert_eq!([2.0, 3.0, 4.0, 9.0].map(|x| tints.share(x)), [0.0, 0.5, 1.0, 1.0]);
        assert_eq!(Tints::of([3.0, 3.0]).share(3.0), 0.5);
        assert_eq!(Tints::of([27.71, 27.710_001]).share(27.710_001), 0.5, "rounding is no difference");
        assert_eq!(Tints::of([]).share(3.0), 0.5);
        let logarithmic = Tints { scale: Scale::Log, ..Tints::of([1.0, 100.0]) };
        assert!((logarithmic.share(10.0) - 0.5).abs() < 1e-12);
    }
}
