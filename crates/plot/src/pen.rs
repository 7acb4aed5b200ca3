//! Draws in CSS pixels on any back end: lines, dashes and text shared by the plots.

use plotters::coord::Shift;
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::prelude::{DrawingArea, DrawingBackend, IntoFont, RGBColor};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, RGBAColor, ShapeStyle, TextStyle};

use super::DrawError;
use super::palette::LineStyle;
use super::style::{Medium, Style};

/// A point in CSS pixels, y downwards.
pub(super) type Point = (f64, f64);

/// A rectangle in CSS pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PixelRect {
    /// The left edge.
    pub left: f64,
    /// The top edge.
    pub top: f64,
    /// The right edge.
    pub right: f64,
    /// The bottom edge.
    pub bottom: f64,
}

impl PixelRect {
    /// Its width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Its height.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Whether it contains a point, edges included.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        self.left <= x && x <= self.right && self.top <= y && y <= self.bottom
    }

    /// Whether two rectangles overlap.
    pub(super) fn meets(&self, other: &PixelRect) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// Which point of a text is placed at its anchor: its left end, centre or right end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Center,
    Right,
}

/// A drawing area addressed in CSS pixels.
pub(super) struct Pen<'a, DB: DrawingBackend> {
    area: DrawingArea<DB, Shift>,
    style: &'a Style,
    /// Width and height in CSS pixels.
    size: (f64, f64),
    /// Back-end units per CSS pixel.
    unit: f64,
    /// The top of its part of the area, in CSS pixels.
    top: f64,
}

impl<'a, DB: DrawingBackend> Pen<'a, DB> {
    pub fn new(area: &DrawingArea<DB, Shift>, style: &'a Style) -> Self {
        let (width, height) = area.dim_in_pixel();
        let size = (f64::from(width) / style.scale, f64::from(height) / style.scale);
        // A drawing area clips to its size, so the size has to grow with the finer units.
        let fine = |pixels: u32| (f64::from(pixels) * style.subpixel).round() as i32;
        let area = area.clone().shrink((0, 0), (fine(width), fine(height)));
        Pen { area, style, size, unit: style.scale * style.subpixel, top: 0.0 }
    }

    /// A pen for the part of the area between two heights, which begins at its own origin.
    pub fn part(&self, top: f64, bottom: f64) -> Self {
        let size = (self.size.0, bottom - top);
        Pen { area: self.area.clone(), style: self.style, size, unit: self.unit, top: self.top + top }
    }

    /// Width and height of the area in CSS pixels.
    pub fn size(&self) -> (f64, f64) {
        self.size
    }

    /// Fills the whole area with the background.
    pub fn clear(&self) -> Result<(), DrawError> {
        let (width, height) = self.size();
        self.rect(PixelRect { left: 0.0, top: 0.0, right: width, bottom: height }, self.style.palette.background, 1.0)
    }

    /// A filled rectangle.
    pub fn rect(&self, rect: PixelRect, color: RGBColor, opacity: f64) -> Result<(), DrawError> {
        let corners = [self.at((rect.left, rect.top)), self.at((rect.right, rect.bottom))];
        self.draw(&Rectangle::new(corners, fill(color, opacity)))
    }

    /// The outline of a rectangle.
    pub fn outline(&self, rect: PixelRect, width: f64, color: RGBColor) -> Result<(), DrawError> {
        let PixelRect { left, top, right, bottom } = rect;
        let (left, right) = (left - width, right + width);
        let (upper, lower) = (top - width, bottom + width);
        self.rect(PixelRect { left, top: upper, right, bottom: top }, color, 1.0)?;
        self.rect(PixelRect { left, top: bottom, right, bottom: lower }, color, 1.0)?;
        self.rect(PixelRect { left, top, right: left + width, bottom }, color, 1.0)?;
        self.rect(PixelRect { left: right - width, top, right, bottom }, color, 1.0)
    }

    /// A horizontal line one CSS pixel wide, aligned to the pixel grid.
    pub fn horizontal(&self, y: f64, from: f64, to: f64, color: RGBColor) -> Result<(), DrawError> {
        let y = self.style.snap(y);
        self.rect(PixelRect { left: from, top: y, right: to, bottom: y + self.hair() }, color, 1.0)
    }

    /// A vertical line one CSS pixel wide, aligned to the pixel grid.
    pub fn vertical(&self, x: f64, from: f64, to: f64, color: RGBColor) -> Result<(), DrawError> {
        let x = self.style.snap(x);
        self.rect(PixelRect { left: x, top: from, right: x + self.hair(), bottom: to }, color, 1.0)
    }

    /// A disc.
    pub fn disc(&self, center: Point, radius: f64, color: RGBColor, opacity: f64) -> Result<(), DrawError> {
        self.draw(&Circle::new(self.at(center), self.mark(radius), fill(color, opacity)))
    }

    /// A ring whose stroke is centred on the radius.
    pub fn ring(&self, center: Point, radius: f64, width: f64, color: RGBColor, opacity: f64) -> Result<(), DrawError> {
        self.draw(&Circle::new(self.at(center), self.mark(radius), self.stroke(color, opacity, width)))
    }

    /// A circle around a place with a radius in data units; unlike a mark it does not grow with the type size. Filled
    /// if the opacity `inside` is above 0.
    pub fn circle(
        &self,
        center: Point,
        radius: f64,
        width: f64,
        color: RGBColor,
        (stroke, inside): (f64, f64),
    ) -> Result<(), DrawError> {
        let (center, radius) = (self.at(center), (radius * self.unit).round().max(1.0) as u32);
        if inside > 0.0 {
            self.draw(&Circle::new(center, radius, fill(color, inside)))?;
        }
        self.draw(&Circle::new(center, radius, self.stroke(color, stroke, width)))
    }

    /// A filled polygon.
    pub fn polygon(&self, corners: &[Point], color: RGBColor, opacity: f64) -> Result<(), DrawError> {
        let corners: Vec<(i32, i32)> = corners.iter().map(|&p| self.at(p)).collect();
        self.draw(&Polygon::new(corners, fill(color, opacity)))
    }

    /// An open path. Dashes are measured along the path in pixels.
    pub fn path(
        &self,
        points: &[Point],
        line: LineStyle,
        width: f64,
        color: RGBColor,
        opacity: f64,
    ) -> Result<(), DrawError> {
        if points.len() < 2 {
            return Ok(());
        }
        if line == LineStyle::Solid {
            return self.solid(points, width, color, opacity);
        }
        let pattern: Vec<f64> = pattern(line, width).iter().map(|length| self.style.marks * length).collect();
        for dash in dashes(points, &pattern) {
            match dash.as_slice() {
                // A dash shorter than the line width is drawn as a dot.
                [only] => self.disc(*only, 0.55 * width + 0.25, color, opacity)?,
                dash => self.solid(dash, width, color, opacity)?,
            }
        }
        Ok(())
    }

    /// One line of text, vertically centred at `place`.
    pub fn text(
        &self,
        text: &str,
        place: Point,
        align: Align,
        size: f64,
        color: RGBColor,
        opacity: f64,
    ) -> Result<(), DrawError> {
        if text.is_empty() {
            return Ok(());
        }
        // The SVG back end divides font sizes by 1.24, the canvas does not.
        let size = match self.style.medium {
            Medium::Canvas => size,
            Medium::Svg => 1.24 * size,
        };
        let horizontal = match align {
            Align::Left => HPos::Left,
            Align::Center => HPos::Center,
            Align::Right => HPos::Right,
        };
        let font = (FontFamily::Name(self.style.font.text), size * self.unit, FontStyle::Normal).into_font();
        let color = rgba(color, opacity);
        let style = TextStyle::from(font).color(&color).pos(Pos::new(horizontal, VPos::Center));
        self.draw(&Text::new(text.to_owned(), self.at(place), style))
    }

    fn solid(&self, points: &[Point], width: f64, color: RGBColor, opacity: f64) -> Result<(), DrawError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| self.at(p)).collect();
        self.draw(&PathElement::new(points, self.stroke(color, opacity, width)))
    }

    fn draw<'e, E>(&self, element: &'e E) -> Result<(), DrawError>
    where
        &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<DB>,
    {
        self.area.draw(element).map_err(|error| DrawError::new(&error))
    }

    fn at(&self, (x, y): Point) -> (i32, i32) {
        // `as` saturates, so coordinates cannot overflow.
        ((x * self.unit).round() as i32, ((y + self.top) * self.unit).round() as i32)
    }

    /// Scales a radius or line width, which grow with [`Style::marks`].
    fn mark(&self, length: f64) -> u32 {
        (length * self.style.marks * self.unit).round().max(1.0) as u32
    }

    fn stroke(&self, color: RGBColor, opacity: f64, width: f64) -> ShapeStyle {
        ShapeStyle { color: rgba(color, opacity), filled: false, stroke_width: self.mark(width) }
    }

    /// One CSS pixel in whole device pixels.
    fn hair(&self) -> f64 {
        let grain = self.style.grain();
        grain * (1.0 / grain).round().max(1.0)
    }
}

fn rgba(color: RGBColor, opacity: f64) -> RGBAColor {
    color.mix(if opacity.is_nan() { 1.0 } else { opacity.clamp(0.0, 1.0) })
}

fn fill(color: RGBColor, opacity: f64) -> ShapeStyle {
    ShapeStyle { color: rgba(color, opacity), filled: true, stroke_width: 0 }
}

/// Lengths in CSS pixels of dash, gap, dash, gap ... for a line width; a dash of length zero is a round dot.
fn pattern(line: LineStyle, width: f64) -> &'static [f64] {
    match line {
        LineStyle::Solid => &[f64::INFINITY, 0.0],
        LineStyle::Dotted if width > 2.0 => &[0.0, 6.0],
        LineStyle::Dotted => &[0.0, 4.5],
        LineStyle::Dashed => &[7.0, 4.0],
        LineStyle::DashDot => &[9.0, 4.0, 0.0, 4.0],
    }
}

/// Splits a path into its dashes.
fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut found = Vec::new();
    let mut phase = 0;
    let mut left = pattern[0];
    let mut dash = vec![points[0]];
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        // Coordinates were clipped to the plot; this guards against an endless loop.
        if !length.is_finite() || length > 1e5 {
            continue;
        }
        let mut walked = 0.0;
        while length - walked >= left {
            walked += left;
            let along = if length > 0.0 { walked / length } else { 0.0 };
            let here = (x0 + along * (x1 - x0), y0 + along * (y1 - y0));
            if phase % 2 == 0 {
                if left > 0.0 || dash.len() > 1 {
                    dash.push(here);
                }
                found.push(std::mem::take(&mut dash));
            } else {
                dash = vec![here];
            }
            phase = (phase + 1) % pattern.len();
            left = pattern[phase];
        }
        left -= length - walked;
        if phase % 2 == 0 && length > 0.0 {
            dash.push((x1, y1));
        }
    }
    if dash.len() > 1 {
        found.push(dash);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(path: &[Point]) -> f64 {
        path.windows(2).map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1)).sum()
    }

    #[test]
    fn dashes_have_the_lengths_of_the_pattern_across_corners() {
        let corner = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (10.0, 40.0)];
        let found = dashes(&corner, &[7.0, 4.0]);
        let lengths: Vec<f64> = found.iter().map(|d| length(d)).collect();
        assert_eq!(lengths, [7.0, 7.0, 7.0, 7.0, 6.0]);
    }

    #[test]
    fn dots_are_single_points_evenly_apart() {
        let found = dashes(&[(0.0, 0.0), (20.0, 0.0)], &[0.0, 5.0]);
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|dot| dot.len() == 1));
        assert_eq!(found[2][0], (10.0, 0.0));
    }

    #[test]
    fn finely_sampled_paths_are_dashed_like_coarse_ones() {
        let fine: Vec<Point> = (0..=1000).map(|i| (f64::from(i) * 0.1, 0.0)).collect();
        let coarse = dashes(&[(0.0, 0.0), (100.0, 0.0)], &[7.0, 4.0]);
        let found = dashes(&fine, &[7.0, 4.0]);
        assert_eq!(found.len(), coarse.len());
        for (a, b) in found.iter().zip(&coarse) {
            assert!((length(a) - length(b)).abs() < 1e-6, "{} against {}", length(a), length(b));
        }
    }

    #[test]
    fn paths_without_length_have_no_dashes_and_end() {
        assert!(dashes(&[(1.0, 1.0), (1.0, 1.0)], &[7.0, 4.0]).is_empty());
        assert!(dashes(&[(0.0, 0.0), (f64::INFINITY, 0.0)], &[7.0, 4.0]).is_empty());
    }
}
