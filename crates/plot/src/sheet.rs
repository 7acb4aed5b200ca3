//! The sheet of a figure for a document: how wide it is, what is under it, and where its panels and its caption stand.
//! Type has 8 pt at that width, whatever the figure.

use std::fmt::Write;

use super::alt::AltText;
use super::caption::Caption;
use super::export::{document, under, xml_text};
use super::palette::{Palette, Theme, css};
use super::pen::PixelRect;
use super::style::{Style, Type};
use plotters::style::RGBColor;

/// Units of an SVG document per CSS pixel: plotters writes integers only.
pub(super) const SVG_SCALE: f64 = 4.0;
/// CSS pixels in an inch.
const INCH: f64 = 96.0;
/// The size of all type on a sheet, in points.
const TYPE: f64 = 8.0;
/// The space between two panels, in CSS pixels.
const GAP: f64 = 12.0;
/// The least height of a panel whose shape is not that of the sheet, in CSS pixels.
const LEAST_HEIGHT: f64 = 200.0;
/// On a sheet up to this wide, in CSS pixels, panels stand over each other.
const STACKED_UP_TO: f64 = 440.0;
/// The narrowest and the widest sheet, in inches.
const INCHES: (f64, f64) = (1.5, 40.0);

/// The width of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum SheetWidth {
    /// A column of a paper with two: 3.3 in.
    Column,
    /// The text of a page: 6.9 in.
    #[default]
    Page,
    /// A slide of 16:9, of the size that Beamer gives it: 160 mm by 90 mm. At 1280 by 720 its type has 22 px.
    Slide,
    /// A width in inches.
    Inches(f64),
}

impl SheetWidth {
    /// The widths that have a name.
    pub const NAMED: [SheetWidth; 3] = [SheetWidth::Column, SheetWidth::Page, SheetWidth::Slide];

    /// Its name; `inches` for a width without one.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            SheetWidth::Column => "column",
            SheetWidth::Page => "page",
            SheetWidth::Slide => "slide",
            SheetWidth::Inches(_) => "inches",
        }
    }

    /// Reads a name, or a number of inches between 1.5 and 40.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let named = Self::NAMED.into_iter().find(|width| width.id() == text);
        let inches = || text.trim_end_matches("in").trim().parse().ok();
        named.or_else(|| inches().filter(|inches| (INCHES.0..=INCHES.1).contains(inches)).map(SheetWidth::Inches))
    }

    /// The width in inches.
    #[must_use]
    pub fn inches(self) -> f64 {
        match self {
            SheetWidth::Column => 3.3,
            SheetWidth::Page => 6.9,
            SheetWidth::Slide => 160.0 / 25.4,
            SheetWidth::Inches(inches) => inches,
        }
    }
}

/// What is under a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ground {
    /// White paper.
    #[default]
    White,
    /// Nothing: the colours are those for white paper.
    None,
    /// The dark theme's background, with its colours.
    Dark,
}

impl Ground {
    /// Every ground.
    pub const ALL: [Ground; 3] = [Ground::White, Ground::None, Ground::Dark];

    /// Its name.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Ground::White => "white",
            Ground::None => "none",
            Ground::Dark => "dark",
        }
    }

    /// The ground with a name.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ground| ground.id() == id)
    }
}

/// The sheet of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sheet {
    /// Its width.
    pub width: SheetWidth,
    /// What is under the figure.
    pub ground: Ground,
}

/// Where panels and caption stand on a sheet, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetLayout {
    /// The rectangle of each panel.
    pub panels: Vec<PixelRect>,
    /// The whole sheet, with its caption.
    pub size: (f64, f64),
    /// The top of the caption.
    pub caption_top: f64,
}

impl Sheet {
    /// The look of figures on this sheet.
    #[must_use]
    pub fn style(&self) -> Style {
        let theme = if self.ground == Ground::Dark { Theme::Dark } else { Theme::Light };
        let own = Palette::of(theme);
        let background = if self.ground == Ground::Dark { own.background } else { RGBColor(0xff, 0xff, 0xff) };
        let size = TYPE / 72.0 * INCH;
        Style {
            palette: own.on(background),
            font: Type { size_small: size, size_normal: size, ..Type::default() },
            ..Style::svg(theme, SVG_SCALE)
        }
    }

    /// Places panels of these shapes (height over width): beside each other, or over each other on a narrow sheet. Panels
    /// on a slide fill it.
    #[must_use]
    pub fn lay_out(&self, shapes: &[f64], caption: &Caption) -> SheetLayout {
        let width = INCH * self.width.inches();
        let under = caption.lines(width, &self.style()).height;
        let fixed = (self.width == SheetWidth::Slide).then(|| (INCH * 90.0 / 25.4 - under).max(LEAST_HEIGHT));
        let panels = match fixed {
            None if width <= STACKED_UP_TO => stacked(width, shapes),
            fixed => side_by_side(width, fixed, shapes),
        };
        let caption_top = panels.iter().map(|panel| panel.bottom).fold(0.0, f64::max);
        SheetLayout { panels, size: (width, caption_top + under), caption_top }
    }

    /// The sheet as an SVG document. `drawn` has the panels, each drawn by
    /// [`Figure::drawn_in`](super::Figure::drawn_in) in the style of this sheet and the size of its rectangle.
    #[must_use]
    pub fn document(&self, layout: &SheetLayout, drawn: &[String], alt: AltText<'_>, caption: &Caption) -> String {
        let style = self.style();
        let units = |length: f64| (SVG_SCALE * length).round();
        let (width, height) = (units(layout.size.0), units(layout.size.1));
        let mut body = String::new();
        if self.ground != Ground::None {
            let fill = css(style.palette.background);
            let _ = writeln!(body, "<rect x=\"0\" y=\"0\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>");
        }
        for (rect, svg) in layout.panels.iter().zip(drawn) {
            let place = (units(rect.left), units(rect.top));
            let inside = xml_text(without_ground(inside(svg)));
            let _ = writeln!(body, "<g transform=\"translate({} {})\">{inside}</g>", place.0, place.1);
        }
        body.push_str(&under(caption, (width, units(layout.caption_top)), &style, None));
        let inches = |length: f64| format!("{:.4}in", length / INCH);
        document((inches(layout.size.0), inches(layout.size.1)), (width, height), alt, &body)
    }
}

/// Panels over each other, each as wide as the sheet.
fn stacked(width: f64, shapes: &[f64]) -> Vec<PixelRect> {
    let mut top = 0.0;
    let place = |shape: &f64| {
        let bottom = top + (width * valid(*shape)).max(LEAST_HEIGHT.min(width)).round();
        let rect = PixelRect { left: 0.0, top, right: width, bottom };
        top = bottom + GAP;
        rect
    };
    shapes.iter().map(place).collect()
}

/// Panels of one height beside each other; their widths are in the ratio that their shapes have at one height.
fn side_by_side(width: f64, height: Option<f64>, shapes: &[f64]) -> Vec<PixelRect> {
    let room = width - GAP * (shapes.len().max(1) - 1) as f64;
    let parts: f64 = shapes.iter().map(|shape| 1.0 / valid(*shape)).sum();
    let height = height.unwrap_or_else(|| (room / parts).max(LEAST_HEIGHT).round());
    let mut left = 0.0;
    let place = |shape: &f64| {
        let right = left + room / parts / valid(*shape);
        let rect = PixelRect { left, top: 0.0, right, bottom: height };
        left = right + GAP;
        rect
    };
    shapes.iter().map(place).collect()
}

/// A shape that leaves room for both axes.
fn valid(shape: f64) -> f64 {
    if shape.is_finite() { shape.clamp(0.3, 1.6) } else { 1.0 }
}

/// The elements of a document of plotters.
fn inside(svg: &str) -> &str {
    let body = svg.strip_prefix("<svg ").and_then(|rest| rest.split_once('>')).map_or(svg, |(_, body)| body);
    body.trim().strip_suffix("</svg>").unwrap_or(body)
}

/// The elements of a figure without the first one, which is its background.
fn without_ground(body: &str) -> &str {
    let rest = body.trim_start();
    rest.strip_prefix("<rect ").and_then(|rest| rest.split_once("/>")).map_or(body, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(width: SheetWidth) -> Sheet {
        Sheet { width, ground: Ground::White }
    }

    #[test]
    fn widths_are_read_by_name_or_in_inches() {
        for width in SheetWidth::NAMED {
            assert_eq!(SheetWidth::parse(width.id()), Some(width));
        }
        assert_eq!(SheetWidth::parse("5.5"), Some(SheetWidth::Inches(5.5)));
        assert_eq!(SheetWidth::parse("5.5in"), Some(SheetWidth::Inches(5.5)));
        for wrong in ["", "wide", "1", "41", "-3", "NaN", "inf"] {
            assert_eq!(SheetWidth::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn all_type_has_eight_points() {
        let font = sheet(SheetWidth::Column).style().font;
        for size in [font.size_small, font.size_normal] {
            assert!((size / INCH * 72.0 - 8.0).abs() < 1e-12, "{size}");
        }
    }

    #[test]
    fn panels_stand_over_each_other_in_a_column_and_beside_each_other_on_a_page() {
        let shapes = [1.0, 0.6];
        let column = sheet(SheetWidth::Column).lay_out(&shapes, &Caption::default());
        assert!(column.panels[1].top > column.panels[0].bottom && column.panels[1].left == 0.0, "{column:?}");
        let page = sheet(SheetWidth::Page).lay_out(&shapes, &Caption::default());
        assert!(page.panels[1].left > page.panels[0].right, "{page:?}");
        assert!((page.panels[1].right - 6.9 * INCH).abs() < 1e-9, "{page:?}");
        let square = page.panels[0].width() / page.panels[0].height();
        assert!((square - 1.0).abs() < 0.02, "a square stays one: {square}");
    }

    #[test]
    fn a_slide_keeps_its_shape_with_a_caption() {
        let caption = Caption { settings: "n = 12".into(), link: None };
        for caption in [Caption::default(), caption] {
            let (width, height) = sheet(SheetWidth::Slide).lay_out(&[1.0, 0.6], &caption).size;
            assert!((width / height - 16.0 / 9.0).abs() < 1e-9, "{width} x {height}");
        }
    }

    #[test]
    fn shapes_that_are_no_numbers_have_a_place() {
        for shapes in [&[][..], &[f64::NAN], &[0.0, f64::INFINITY, -1.0]] {
            for width in [SheetWidth::Column, SheetWidth::Page, SheetWidth::Slide, SheetWidth::Inches(1.5)] {
                let layout = sheet(width).lay_out(shapes, &Caption::default());
                assert!(layout.panels.iter().all(|panel| panel.width() > 0.0 && panel.height() > 0.0), "{layout:?}");
            }
        }
    }
}
