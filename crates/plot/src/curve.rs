//! Curves in pixels: a series clipped to the frame of its plot.

use super::frame::ChartLayout;
use super::pen::Point;
use super::series::Series;

/// The edge through which a curve leaves the plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Top,
    Bottom,
}

impl Edge {
    /// The edge beyond which a vertical position lies; `None` inside.
    pub fn beyond(position: f64) -> Option<Edge> {
        if position > 1.0 + 1e-9 {
            Some(Edge::Top)
        } else if position < -1e-9 {
            Some(Edge::Bottom)
        } else {
            None
        }
    }
}

/// The visible part of a curve.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    /// Paths inside the frame.
    pub pieces: Vec<Vec<Point>>,
    /// The edge beyond which the curve ends, if it ends outside.
    pub leaves_at_end: Option<Edge>,
    /// The pixel column at which the visible part of the curve ends; `None` if the curve is never inside.
    pub left_at: Option<f64>,
}

/// Clips a series to the frame. NaN and infinite values interrupt the curve; an infinite last value still counts as its
/// end.
pub(super) fn clipped(series: &Series, layout: &ChartLayout) -> Course {
    let mut course = Course { pieces: Vec::new(), leaves_at_end: None, left_at: None };
    let mut piece: Vec<Point> = Vec::new();
    let mut previous: Option<Point> = None;
    for &(x, y) in &series.data {
        let (across, up) = (layout.x.position(x), series.given.position(&layout.y, y));
        if (-1e-9..=1.0 + 1e-9).contains(&across) && !up.is_nan() {
            course.leaves_at_end = Edge::beyond(up);
        }
        if !(across.is_finite() && up.is_finite()) {
            course.pieces.push(std::mem::take(&mut piece));
            previous = None;
            continue;
        }
        let point = (layout.px_at(across), layout.py_at(up));
        let from = previous.replace(point).unwrap_or(point);
        let Some((a, b)) = clip_segment(from, point, layout) else {
            course.pieces.push(std::mem::take(&mut piece));
            continue;
        };
        if piece.last() != Some(&a) {
            course.pieces.push(std::mem::replace(&mut piece, vec![a]));
        }
        if a != b {
            piece.push(b);
        }
        course.left_at = Some(b.0);
    }
    course.pieces.push(piece);
    course.pieces.retain(|piece| piece.len() > 1);
    if course.pieces.is_empty() {
        course.left_at = None;
    }
    course
}

/// The part of a segment inside the plot (Liang and Barsky 1984).
fn clip_segment(from: Point, to: Point, layout: &ChartLayout) -> Option<(Point, Point)> {
    let plot = &layout.plot;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (speed, distance) in
        [(-dx, from.0 - plot.left), (dx, plot.right - from.0), (-dy, from.1 - plot.top), (dy, plot.bottom - from.1)]
    {
        if speed == 0.0 {
            // Parallel to this edge; the tolerance absorbs rounding.
            if distance < -1e-6 {
                return None;
            }
        } else if speed < 0.0 {
            enter = enter.max(distance / speed);
        } else {
            leave = leave.min(distance / speed);
        }
    }
    let along = |t: f64| (from.0 + t * dx, from.1 + t * dy);
    let end = if leave >= 1.0 { to } else { along(leave) };
    let start = if enter <= 0.0 { from } else { along(enter) };
    (enter <= leave).then_some((start, end))
}
