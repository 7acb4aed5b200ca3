//! Tints: a number told by colour and by size, and the key that says which.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::DrawError;
use super::extent::Extent;
use super::frame::shortened;
use super::number::Number;
use super::palette::{Palette, mix};
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};

/// The width of the key's bar in CSS pixels.
const BAR: f64 = 64.0;
/// The height of the bar's end, in font sizes.
const BAR_HEIGHT: f64 = 0.9;
/// How many colours many marks have: twice as many as the bar has steps, and the middle is one of them.
const TINTS: usize = 65;
/// In how many steps the bar goes from end to end.
const STEPS: usize = 32;

/// What the tints of a plot say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tints {
    /// The numbers at the ends; `None` where there is no number.
    pub ends: Option<Extent>,
}

impl Tints {
    /// For these numbers; where they are all the same as they are written, they are one.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let ends = Extent::of(numbers);
        let is_one = |ends: &Extent| Number::of(ends.lo()) == Number::of(ends.hi());
        Tints { ends: ends.map(|ends| if is_one(&ends) { Extent::of([ends.lo()]).unwrap_or(ends) } else { ends }) }
    }

    /// From 0 to 1; the middle where all numbers are one, or this is none.
    pub fn share(&self, number: f64) -> f64 {
        let Some(ends) = self.ends else { return 0.5 };
        let span = ends.hi() - ends.lo();
        if span > 0.0 && number.is_finite() { ((number - ends.lo()) / span).clamp(0.0, 1.0) } else { 0.5 }
    }
}

impl Palette {
    /// The colour of a mark at a share from 0 to 1: the upper part of the sequential map, so that every mark stands out
    /// from the ground.
    pub fn tint(&self, share: f64) -> RGBColor {
        self.sequential(0.46 + 0.54 * share)
    }

    /// [`Palette::tint`] at equal steps of the share, for drawing many marks.
    pub(super) fn tints(&self) -> [RGBColor; TINTS] {
        std::array::from_fn(|step| self.tint(step as f64 / (TINTS - 1) as f64))
    }

    /// The colour of a tile at a share; pale where a number is written on it in ink.
    pub fn tile(&self, share: f64, written: Written) -> RGBColor {
        match written {
            Written::Yes => self.sequential(0.04 + 0.36 * share),
            Written::No => self.sequential(0.1 + 0.85 * share),
        }
    }
}

/// Whether a tile has its number written on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It has.
    Yes,
    /// There is no room.
    No,
}

/// Draws the key into the row above a plot, right-aligned: its name, the least number, a bar that grows to the right, the
/// greatest. `from` is where it may begin.
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
    let name = shortened(name, size, low_left - 10.0 - from);
    pen.text(&name, (low_left - 10.0, middle), Align::Right, size, palette.muted, 1.0)?;
    pen.text(&low, (bar_left - 6.0, middle), Align::Right, size, palette.muted, 1.0)?;
    pen.text(&high, (bar_right + 6.0, middle), Align::Left, size, palette.muted, 1.0)?;
    let edge = mix(palette.background, palette.ink, 0.3);
    for step in 0..STEPS {
        let share = (step as f64 + 0.5) / STEPS as f64;
        let half = 0.5 * BAR_HEIGHT * size * (0.45 + 0.55 * share);
        let x = |step: usize| bar_left + BAR * step as f64 / STEPS as f64;
        // Up to the right end each time, the next one covering the rest: no seams.
        let strip = PixelRect { left: x(step), top: middle - half, right: x(step + 1), bottom: middle + half };
        pen.rect(strip, color(share), 1.0)?;
    }
    for (x, half) in [(bar_left, 0.45), (bar_right, 1.0)] {
        let half = 0.5 * BAR_HEIGHT * size * half;
        pen.vertical(x, middle - half, middle + half, edge)?;
    }
    Ok(())
}

/// Whole numbers as they are, others with four digits.
fn written(end: f64) -> String {
    if end.fract() == 0.0 { Number::short(end).to_string() } else { Number::of(end).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_go_from_end_to_end_and_one_number_is_in_the_middle() {
        let tints = Tints::of([4.0, f64::NAN, 2.0]);
        assert_eq!([2.0, 3.0, 4.0, 9.0].map(|x| tints.share(x)), [0.0, 0.5, 1.0, 1.0]);
        assert_eq!(Tints::of([3.0, 3.0]).share(3.0), 0.5);
        assert_eq!(Tints::of([27.71, 27.710_001]).share(27.710_001), 0.5, "rounding is no difference");
        assert_eq!(Tints::of([]).share(3.0), 0.5);
    }
}
