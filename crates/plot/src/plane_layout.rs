//! Where the points of a [`TokenPlane`](super::TokenPlane) were drawn.

use super::extent::Extent;
use super::frame::ChartLayout;
use super::pen::Point;

/// Where the points were drawn, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneLayout {
    /// The axes.
    pub chart: ChartLayout,
    /// The pixel of each point; `None` if it is not finite.
    pub positions: Vec<Option<Point>>,
}

impl PlaneLayout {
    /// The coordinates at a pixel, or at the nearest pixel inside the plot.
    pub fn place_at(&self, x: f64, y: f64) -> Point {
        let plot = &self.chart.plot;
        let (x, y) = (x.clamp(plot.left, plot.right), y.clamp(plot.top, plot.bottom));
        (self.chart.px_to_x(x), self.chart.px_to_y(y))
    }

    /// The ranges of the axes.
    pub fn shown(&self) -> Option<(Extent, Extent)> {
        let extent = |(lo, hi): (f64, f64)| Extent::new(lo, hi);
        Some((extent(self.chart.x.ends())?, extent(self.chart.y.ends())?))
    }

    /// The point nearest a pixel, at most `reach` pixels away.
    pub fn nearest(&self, x: f64, y: f64, reach: f64) -> Option<usize> {
        let distance = |p: &Point| (p.0 - x).hypot(p.1 - y);
        let near = self.positions.iter().enumerate().filter_map(|(i, p)| p.as_ref().map(|p| (i, distance(p))));
        near.filter(|&(_, d)| d <= reach).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    }
}
