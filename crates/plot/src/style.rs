//! The look of a figure: palette, type, and the resolution of its medium.

use super::palette::{Palette, Theme};

/// The type of every figure: one face, two sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Type {
    /// The font stack in CSS syntax.
    pub text: &'static str,
    /// Tick labels, in CSS pixels.
    pub size_small: f64,
    /// Axis titles and curve names, in CSS pixels.
    pub size_normal: f64,
}

impl Default for Type {
    fn default() -> Self {
        Type {
            text: "Inter, system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif",
            size_small: 11.0,
            size_normal: 12.0,
        }
    }
}

/// The medium of a figure. The plotters back ends interpret font sizes differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Medium {
    /// A canvas in the page.
    #[default]
    Canvas,
    /// An SVG document.
    Svg,
}

/// The look of a figure, separate from its data.
///
/// Sizes are in CSS pixels. A drawing area of `w` units shows `w / scale` CSS pixels: `scale` is the device pixel ratio
/// on a canvas, and an integer for a finer SVG (see [`finish_svg`](super::finish_svg)).
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// The colours.
    pub palette: Palette,
    /// The type.
    pub font: Type,
    /// Units of the drawing area per CSS pixel.
    pub scale: f64,
    /// Subdivisions of a unit of the drawing area. Plotters takes integer coordinates, which make curves uneven; on a
    /// canvas with the transform `scale(1 / subpixel)` they are smooth. The drawing area must then begin at the origin.
    /// Everywhere else this is 1.
    pub subpixel: f64,
    /// Factor on line widths and dot sizes, for a projector.
    pub marks: f64,
    /// The medium.
    pub medium: Medium,
}

impl Style {
    /// The look on a canvas with this device pixel ratio and the identity transform.
    pub fn canvas(theme: Theme, device_pixel_ratio: f64) -> Self {
        Style {
            palette: Palette::of(theme),
            font: Type::default(),
            scale: valid_scale(device_pixel_ratio),
            subpixel: 1.0,
            marks: 1.0,
            medium: Medium::Canvas,
        }
    }

    /// The look in an SVG document with `scale` units per CSS pixel.
    pub fn svg(theme: Theme, scale: f64) -> Self {
        Style { medium: Medium::Svg, ..Style::canvas(theme, scale) }
    }

    /// The grid, in CSS pixels, on which edges are sharp: a device pixel on a canvas; a CSS pixel in SVG, which is
    /// usually shown at an integer magnification.
    pub(super) fn grain(&self) -> f64 {
        match self.medium {
            Medium::Canvas => 1.0 / self.scale,
            Medium::Svg => 1.0,
        }
    }

    /// The nearest position at which an edge is sharp.
    pub(super) fn snap(&self, length: f64) -> f64 {
        (length / self.grain()).round() * self.grain()
    }

    /// The same look with type and marks enlarged.
    pub fn enlarged(mut self, times: f64) -> Self {
        let times = valid_scale(times);
        self.font =
            Type { size_small: times * self.font.size_small, size_normal: times * self.font.size_normal, ..self.font };
        self.marks *= times;
        self
    }

    /// The same look, with coordinates rounded to `1 / subpixel` of a unit.
    pub fn with_subpixel(mut self, subpixel: f64) -> Self {
        self.subpixel = valid_scale(subpixel);
        self
    }
}

/// Replaces scales that are zero, negative or not finite by 1.
fn valid_scale(scale: f64) -> f64 {
    if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
}

/// The approximate width of a text in a sans-serif face, in the unit of `size`.
///
/// Widths are those of common sans faces, rounded up. Asking the back end would force a page layout for every label on
/// a canvas, is impossible for SVG, and would give different figures in both.
pub fn text_width(text: &str, size: f64) -> f64 {
    size * text.chars().map(char_width).sum::<f64>()
}

/// The width of a character in ems.
/// The room for a text of this width: some faces are wider than [`text_width`] says, and in large type that is more than
/// the space beside a label.
pub(super) fn wider(width: f64, size: f64) -> f64 {
    /// How much wider, as a part of the width.
    const MOST: f64 = 0.08;
    width * (1.0 + MOST * (size / Type::default().size_normal - 1.0).clamp(0.0, 1.0))
}

fn char_width(c: char) -> f64 {
    match c {
        '\u{200a}' => 0.1,
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' => 0.28,
        ' ' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' => 0.37,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.44,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.92,
        'A'..='Z' | '×' | '−' | '+' | '=' | '≤' | '≥' | '∞' | '↑' | '↓' | '→' => 0.71,
        c if c.is_ascii() => 0.59,
        c if c < '\u{2e80}' => 0.66,
        // Ideographs and emoji fill the em square with a margin.
        _ => 1.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_texts_are_wider_and_empty_ones_have_no_width() {
        assert_eq!(text_width("", 12.0), 0.0);
        assert!(text_width("mmm", 12.0) > text_width("iii", 12.0));
        assert!(text_width("10⁴", 24.0) > text_width("10⁴", 12.0));
    }

    #[test]
    fn an_enlarged_look_has_larger_type_and_marks() {
        let (default, large) = (Style::canvas(Theme::Light, 1.0), Style::canvas(Theme::Light, 1.0).enlarged(1.5));
        assert_eq!(large.font.size_small, 1.5 * default.font.size_small);
        assert_eq!(large.font.size_normal, 1.5 * default.font.size_normal);
        assert_eq!((default.marks, large.marks), (1.0, 1.5));
        assert_eq!(default.clone().enlarged(f64::NAN), default);
    }

    #[test]
    fn broken_scales_become_one() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Style::canvas(Theme::Light, scale).scale, 1.0);
        }
    }
}
