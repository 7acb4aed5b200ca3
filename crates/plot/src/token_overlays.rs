//! Overlays on a token plane: the discs within which points may move, arrows for the changes of the points and of their
//! images, and lines from the selected point to the others, wider for larger shares.

use std::cmp::Reverse;

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use super::DrawError;
use super::frame::ChartLayout;
use super::palette::{LineStyle, Role, mix};
use super::pen::{Align, Pen, PixelRect, Point};
use super::style::{Style, text_width};
use super::token_plane::{PlaneLayout, Sway, TokenPlane};

/// Room for the dot of a point between it and a label above or below it, in CSS pixels.
const DOT_ROOM: f64 = 6.0;
/// Half the side of the square that marks an image, in CSS pixels.
const HALF_SIDE: f64 = 3.0;
/// The width of the line to the point with the largest share, in CSS pixels.
const WIDEST: f64 = 5.0;
/// Shares below this fraction of the largest are not drawn.
const LEAST_SHARE: f64 = 4e-3;

impl TokenPlane {
    /// The displacement of a point in pixels.
    pub(super) fn shift(&self, i: usize, chart: &ChartLayout) -> Point {
        let Some(changes) = &self.changes else { return (0.0, 0.0) };
        let by = changes.nudges.get(i).map_or((0.0, 0.0), |by| self.step(*by, changes.stretch, chart));
        (changes.moved_by() * by.0, changes.moved_by() * by.1)
    }

    /// Whether the arrow of a point's change ends more than `height` pixels to the right of the point, and less than
    /// `height` pixels above or below it.
    pub(super) fn points_right(&self, i: usize, height: f64, chart: &ChartLayout) -> bool {
        let by =
            self.changes.as_ref().and_then(|changes| Some(self.step(*changes.nudges.get(i)?, changes.stretch, chart)));
        by.is_some_and(|by| by.0 > height && by.1.abs() < height)
    }

    /// The rectangle of a label of a point, or one beside it, above or below it within the plot that covers no image.
    pub(super) fn avoid_images(&self, label: PixelRect, (x, y): Point, layout: &PlaneLayout) -> PixelRect {
        let (chart, plot) = (&layout.chart, &layout.chart.plot);
        let Some(changes) = self.changes.as_ref().filter(|_| !self.is_line()) else { return label };
        let drawn = changes.images.iter().enumerate().filter(|(i, _)| changes.draws_image(*i));
        let images: Vec<Point> = drawn.filter_map(|(_, image)| self.image_place(*image, chart)).collect();
        let covers_none = |rect: &PixelRect| {
            let near = PixelRect {
                left: rect.left - HALF_SIDE,
                top: rect.top - HALF_SIDE,
                right: rect.right + HALF_SIDE,
                bottom: rect.bottom + HALF_SIDE,
            };
            !images.iter().any(|(x, y)| near.contains(*x, *y))
        };
        let (width, height) = (label.right - label.left, label.bottom - label.top);
        let at = |left: f64, top: f64| PixelRect { left, top, right: left + width, bottom: top + height };
        let mirrored = at(2.0 * x - label.right, label.top);
        let middle = (x - width / 2.0).min(plot.right - width).max(plot.left);
        let away = DOT_ROOM + HALF_SIDE;
        let others = [mirrored, at(middle, y + away), at(middle, y - away - height)];
        let is_inside = |rect: &PixelRect| {
            plot.left <= rect.left && rect.right <= plot.right && plot.top <= rect.top && rect.bottom <= plot.bottom
        };
        if covers_none(&label) {
            return label;
        }
        others.into_iter().find(|rect| is_inside(rect) && covers_none(rect)).unwrap_or(label)
    }

    /// Two opposite corners of the square around the disc of each point; without discs, the points themselves.
    pub(super) fn corners(&self) -> impl Iterator<Item = Point> {
        let reach = self.reach.unwrap_or(0.0);
        self.points.iter().flat_map(move |p| [(p.0 - reach, p.1 - reach), (p.0 + reach, p.1 + reach)])
    }

    /// Draws the disc within which each point may move. Many discs are drawn fainter, so that overlaps show.
    pub(super) fn draw_reach<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<(), DrawError> {
        let Some(reach) = self.reach.filter(|_| !self.is_line()) else { return Ok(()) };
        let (chart, color) = (&layout.chart, style.palette.role(Role::Sharp));
        let radius = chart.x_to_px(reach) - chart.x_to_px(0.0);
        let crowd = (self.points.len() as f64 / 16.0).max(1.0).sqrt();
        for place in layout.positions.iter().flatten() {
            pen.circle(*place, radius, 0.75, color, (0.6 / crowd, 0.12 / crowd))?;
        }
        Ok(())
    }

    /// Draws the images with the arrows of their changes.
    pub(super) fn draw_images<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<(), DrawError> {
        let Some(changes) = &self.changes else { return Ok(()) };
        let (chart, color) = (&layout.chart, style.palette.response);
        for (i, image) in changes.images.iter().enumerate().filter(|(i, _)| changes.draws_image(*i)) {
            let Some(place) = self.image_place(*image, chart) else { continue };
            let by = changes.responses.get(i).map_or((0.0, 0.0), |by| self.step(*by, changes.stretch, chart));
            let part = changes.moved_by();
            let moved = (place.0 + part * by.0, place.1 + part * by.1);
            square(pen, moved, HALF_SIDE, color)?;
            let tip = (place.0 + by.0, place.1 + by.1);
            if changes.sway == Sway::Ends {
                for end in [tip, (place.0 - by.0, place.1 - by.1)] {
                    square(pen, end, 0.7 * HALF_SIDE, color)?;
                }
            }
            arrow(pen, place, tip, Head::Open, color)?;
        }
        if self.is_line() && !changes.images.is_empty() {
            let (place, size) = ((chart.plot.left - 6.0, image_row(chart)), style.font.size_small);
            pen.text(&changes.names[1], place, Align::Right, size, style.palette.muted, 1.0)?;
        }
        Ok(())
    }

    /// Draws the labels of the images: each below its image, or beside or above it where another label of `taken` or a
    /// point is in the way. A label without a free place is left out, the shortest first.
    pub(super) fn draw_image_labels<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
        mut taken: Vec<PixelRect>,
    ) -> Result<(), DrawError> {
        let Some(changes) = self.changes.as_ref().filter(|_| !self.is_line()) else { return Ok(()) };
        let (chart, size) = (&layout.chart, style.font.size_small);
        let labelled =
            changes.labels.iter().enumerate().filter(|(i, label)| !label.is_empty() && changes.draws_image(*i));
        let mut labelled: Vec<(usize, &String)> = labelled.collect();
        labelled.sort_by_key(|(_, label)| Reverse(label.chars().count()));
        for (i, label) in labelled {
            let Some(place) = changes.images.get(i).and_then(|image| self.image_place(*image, chart)) else { continue };
            let is_free = |rect: &PixelRect| {
                let meets_point = layout.positions.iter().flatten().any(|(x, y)| rect.contains(*x, *y));
                !meets_point && taken.iter().all(|other| !rect.meets(other))
            };
            let Some(rect) = places_around(place, text_width(label, size), size, &chart.plot).find(is_free) else {
                continue;
            };
            let middle = (rect.top + rect.bottom) / 2.0;
            pen.text(label, (rect.left, middle), Align::Left, size, style.palette.response, 1.0)?;
            taken.push(rect);
        }
        Ok(())
    }

    /// Draws the changes of the points.
    pub(super) fn draw_nudges<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<(), DrawError> {
        let Some(changes) = &self.changes else { return Ok(()) };
        let color = style.palette.nudge;
        for (i, (place, by)) in layout.positions.iter().zip(&changes.nudges).enumerate() {
            let Some(place) = place.filter(|_| changes.draws_nudge(i)) else { continue };
            let by = self.step(*by, changes.stretch, &layout.chart);
            let tip = (place.0 + by.0, place.1 + by.1);
            if changes.sway == Sway::Ends && by.0.hypot(by.1) >= 1.0 {
                for end in [tip, (place.0 - by.0, place.1 - by.1)] {
                    pen.ring(end, 2.5, 1.0, color, 1.0)?;
                }
            }
            arrow(pen, place, tip, Head::Filled, color)?;
        }
        Ok(())
    }

    /// Draws lines from the selected point to the others, with widths by share, and a ring for its own share.
    pub(super) fn draw_shares<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<(), DrawError> {
        let place_of = |i: usize| layout.positions.get(i).copied().flatten();
        let Some((selected, from)) = self.selected.and_then(|i| Some((i, place_of(i)?))) else { return Ok(()) };
        let greatest = self.shares.iter().copied().filter(|share| share.is_finite()).fold(0.0, f64::max);
        let color = mix(style.palette.background, style.palette.accent, 0.55);
        for (i, share) in self.shares.iter().enumerate() {
            let part = share / greatest;
            let Some(to) = place_of(i).filter(|_| part >= LEAST_SHARE) else { continue };
            let width = 0.5 + (WIDEST - 0.5) * part;
            if i == selected {
                pen.ring(from, 9.0, width, color, 1.0)?;
            } else {
                pen.path(&[from, to], LineStyle::Solid, width, color, 0.25 + 0.75 * part)?;
            }
        }
        Ok(())
    }

    /// A change in pixels; for points on a line, its component along the line.
    fn step(&self, by: Point, stretch: f64, chart: &ChartLayout) -> Point {
        let along = |by: f64, ends: (f64, f64), pixels: f64| stretch * by / (ends.1 - ends.0) * pixels;
        let up = if self.is_line() { 0.0 } else { along(by.1, chart.y.ends(), chart.plot.height()) };
        (along(by.0, chart.x.ends(), chart.plot.width()), -up)
    }

    /// Position of an image; for points on a line, in a row of its own below it.
    fn image_place(&self, (x, y): Point, chart: &ChartLayout) -> Option<Point> {
        let place = (chart.x_to_px(x), if self.is_line() { image_row(chart) } else { chart.y_to_px(y) });
        (place.0.is_finite() && place.1.is_finite()).then_some(place)
    }
}

/// Where a label of an image may stand, the best place first: below, above, to the right, to the left, and two lines
/// below or above. All places are within the plot, as far as it has room.
fn places_around((x, y): Point, width: f64, size: f64, plot: &PixelRect) -> impl Iterator<Item = PixelRect> {
    let (half, line, away) = (width / 2.0, 1.2 * size, HALF_SIDE + 0.9 * size);
    let aside = HALF_SIDE + 5.0;
    let centers = [
        (x, y + away),
        (x, y - away),
        (x + aside + half, y),
        (x - aside - half, y),
        (x, y + away + line),
        (x, y - away - line),
    ];
    let (left, right) = (plot.left, (plot.right - width).max(plot.left));
    centers.into_iter().map(move |(x, y)| {
        let left = (x - half).clamp(left, right);
        PixelRect { left, top: y - 0.5 * line, right: left + width, bottom: y + 0.5 * line }
    })
}

/// The y, in pixels, of the row with the images of points on a line.
fn image_row(chart: &ChartLayout) -> f64 {
    chart.plot.bottom + 20.0
}

#[derive(Clone, Copy)]
enum Head {
    Filled,
    Open,
}

fn arrow<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    from: Point,
    to: Point,
    head: Head,
    color: RGBColor,
) -> Result<(), DrawError> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    // Shorter arrows are invisible; longer ones come from degenerate data.
    if !(1.0..1e5).contains(&length) {
        return Ok(());
    }
    let (ux, uy) = (dx / length, dy / length);
    let size = (0.45 * length).min(7.0);
    let neck = (to.0 - size * ux, to.1 - size * uy);
    let (wx, wy) = (-0.5 * size * uy, 0.5 * size * ux);
    let (one, other) = ((neck.0 + wx, neck.1 + wy), (neck.0 - wx, neck.1 - wy));
    match head {
        Head::Filled => {
            pen.path(&[from, neck], LineStyle::Solid, 1.75, color, 1.0)?;
            pen.polygon(&[to, one, other], color, 1.0)
        }
        Head::Open => {
            pen.path(&[from, to], LineStyle::Solid, 1.25, color, 1.0)?;
            pen.path(&[one, to, other], LineStyle::Solid, 1.25, color, 1.0)
        }
    }
}

fn square<DB: DrawingBackend>(pen: &Pen<'_, DB>, (x, y): Point, half: f64, color: RGBColor) -> Result<(), DrawError> {
    if !(x.abs() < 1e5 && y.abs() < 1e5) {
        return Ok(());
    }
    let corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)];
    pen.path(&[corners[0], corners[1], corners[2], corners[3], corners[0]], LineStyle::Solid, 1.25, color, 1.0)
}
