//! Points on a line: stacking, the axis below them, the label of their ball.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::frame::ChartLayout;
use super::palette::mix;
use super::pen::{Align, Pen, PixelRect, Point};
use super::style::{Style, text_width};
use super::token_plane::{DOT, PlaneLayout, TokenPlane, line_height};

impl TokenPlane {
    /// Positions above the line: points that would overlap are stacked. Points that stand for several tokens are not
    /// stacked.
    pub(super) fn stacked(&self, chart: &ChartLayout) -> Vec<Option<Point>> {
        let base = line_height(chart);
        if self.ln_sizes.is_some() {
            let shrink = self.shrink(chart.compact);
            let place = |(i, p): (usize, &Point)| (chart.x_to_px(p.0), base - shrink * self.radius(i) - 1.0);
            let points = self.points.iter().enumerate();
            return points.map(|(i, p)| p.0.is_finite().then(|| place((i, p)))).collect();
        }
        let bin = 2.0 * DOT;
        let bins: Vec<Option<usize>> = self
            .points
            .iter()
            .map(|p| p.0.is_finite().then(|| ((chart.x_to_px(p.0) - chart.plot.left) / bin).max(0.0) as usize))
            .collect();
        let mut counts = vec![0u32; (chart.plot.width() / bin) as usize + 2];
        let mut levels = Vec::with_capacity(bins.len());
        for bin in &bins {
            let count = bin.and_then(|b| counts.get_mut(b));
            levels.push(count.map(|count| {
                *count += 1;
                *count - 1
            }));
        }
        let highest = counts.iter().max().copied().unwrap_or(1).max(1);
        // Tall stacks are compressed to fit.
        let step = bin.min((base - chart.plot.top - 2.0 * DOT) / f64::from(highest));
        let place = |(p, level): (&Point, &Option<u32>)| {
            level.map(|level| (chart.x_to_px(p.0), base - DOT - 1.0 - step * f64::from(level)))
        };
        self.points.iter().zip(&levels).map(place).collect()
    }

    pub(super) fn draw_line_axis<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        chart: &ChartLayout,
    ) -> Result<(), DrawError> {
        let (palette, font, plot) = (&style.palette, &style.font, chart.plot);
        let base = line_height(chart);
        pen.horizontal(base, plot.left, plot.right, mix(palette.background, palette.ink, 0.5))?;
        for tick in chart.ticks().x {
            let at = chart.px_at(tick.position);
            let Some(label) = tick.label else { continue };
            pen.vertical(at, base + 3.0, base + 8.0, palette.muted)?;
            let place = (at, base + 10.0 + 0.6 * font.size_small);
            pen.text(&label.to_string(), place, Align::Center, font.size_small, palette.muted, 1.0)?;
        }
        let place = (plot.right, title_row(base, style));
        pen.text(&self.x_label, place, Align::Right, font.size_normal, palette.ink, 1.0)
    }

    /// The space that the label of the ball needs beyond the right end of the ball, in CSS pixels; in steps, so that
    /// the axis does not move when a digit changes.
    pub(super) fn line_margin(&self, style: &Style) -> f64 {
        let width = text_width(&self.ball_label, style.font.size_small);
        let needed = if self.ball().is_some() && width > 0.0 { self.beside_stack() + width } else { 0.0 };
        (needed / 12.0).ceil() * 12.0
    }

    /// The rectangle of the label of the ball: beyond the right end of the ball and its stack, or below the line at its
    /// left end if points are in the way or there is no room.
    pub(super) fn line_label_rect(&self, style: &Style, layout: &PlaneLayout) -> Option<PixelRect> {
        let (chart, size) = (&layout.chart, style.font.size_small);
        let width = text_width(&self.ball_label, size);
        let boxed = |left: f64, middle: f64| PixelRect {
            left,
            top: middle - 0.6 * size,
            right: left + width,
            bottom: middle + 0.6 * size,
        };
        let base = line_height(chart);
        let beside = boxed(chart.x_to_px(self.ball()?) + self.beside_stack(), base - 12.0);
        let most = self.largest_radius();
        let around = PixelRect {
            left: beside.left - most,
            right: beside.right + most,
            top: beside.top - most,
            bottom: beside.bottom + most,
        };
        let free = !layout.positions.iter().flatten().any(|p| around.contains(p.0, p.1));
        let inside = beside.right <= chart.plot.right + 12.0 && beside.left >= chart.plot.left;
        Some(if free && inside { beside } else { boxed(chart.plot.left, title_row(base, style)) })
    }

    /// From the end of the ball to its label: half a stack and a margin.
    fn beside_stack(&self) -> f64 {
        6.0 + self.largest_radius()
    }
}

/// The vertical pixel at the middle of the row with the title of the line.
fn title_row(base: f64, style: &Style) -> f64 {
    base + 14.0 + 1.3 * style.font.size_small + 0.6 * style.font.size_normal
}
