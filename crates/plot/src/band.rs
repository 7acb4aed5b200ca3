//! Bands: translucent areas between two curves, behind everything else in a line chart.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::frame::ChartLayout;
use super::palette::{LineStyle, Role};
use super::pen::{Pen, Point};
use super::series::{Series, ValueForm};
use super::style::Style;

/// Positions further outside than this many axis lengths are clamped, so that their products stay finite.
const FARTHEST: f64 = 1e12;

/// The width of a bar across a band, and half the length of its caps, in CSS pixels.
const BAR_WIDTH: f64 = 1.25;
const BAR_CAP: f64 = 4.0;

/// The area between two curves over the same x values.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Identifier.
    pub id: String,
    /// Name used in texts around the figure. The area itself is neither labelled nor in the table, because the curves
    /// at its edges are.
    pub label: String,
    /// Its role, which decides the colour.
    pub role: Role,
    /// Whether `low` and `high` are values or logarithms.
    pub given: ValueForm,
    /// The points (x, low, high), ordered by x. A point that is not finite makes a gap.
    pub data: Vec<(f64, f64, f64)>,
    /// Opacity, from 0 to 1 (see [`Band::OPACITY`]).
    pub opacity: f64,
    /// An x at which a bar across the band is drawn, such as its widest place.
    pub bar: Option<f64>,
}

impl Band {
    /// The default opacity: clearly visible, and curves on it keep their contrast.
    pub const OPACITY: f64 = 0.14;

    /// A band of plain values with the default opacity.
    pub fn new(id: impl Into<String>, label: impl Into<String>, role: Role, data: Vec<(f64, f64, f64)>) -> Self {
        Band {
            id: id.into(),
            label: label.into(),
            role,
            given: ValueForm::Value,
            data,
            opacity: Self::OPACITY,
            bar: None,
        }
    }

    /// The area from the smallest to the largest value of a series at each of its x.
    pub fn min_to_max(series: &Series) -> Self {
        let data = series.groups().into_iter().map(|group| (group.x, group.low, group.high)).collect();
        Band { given: series.given, ..Band::new(series.id.clone(), series.label.clone(), series.role, data) }
    }

    /// The area between two series, over the x values that both have.
    pub fn between(id: impl Into<String>, role: Role, low: &Series, high: &Series) -> Self {
        let logs = |series: &Series| -> Vec<(f64, f64)> {
            series.data.iter().map(|point| point.0).zip(series.logs()).collect()
        };
        let high = logs(high);
        let high_at = |x: f64| high.iter().find(|point| point.0 == x).map(|point| point.1);
        let data = logs(low).into_iter().filter_map(|(x, y)| Some((x, y, high_at(x)?))).collect();
        Band::new(id, "", role, data).given_log10()
    }

    /// The same band, with lows and highs given as log10.
    pub fn given_log10(mut self) -> Self {
        self.given = ValueForm::Log10;
        self
    }

    /// For each x, high minus low: where they are logarithms, log10 of high over low.
    pub fn heights(&self) -> impl Iterator<Item = (f64, f64)> {
        self.data.iter().map(|&(x, low, high)| (x, high - low))
    }

    /// The ends of the bar, in CSS pixels, clipped to the frame; `None` without a bar inside the frame.
    fn bar_ends(&self, layout: &ChartLayout) -> Option<[Point; 2]> {
        let at = self.bar?;
        let &(x, low, high) = self.data.iter().find(|point| point.0 == at)?;
        let px = layout.x_to_px(x);
        let [low, high] = [low, high].map(|y| self.given.position(&layout.y, y));
        let is_inside = (layout.plot.left - 0.5..=layout.plot.right + 0.5).contains(&px) && high > 0.0 && low < 1.0;
        is_inside.then(|| [low, high].map(|y| (px, layout.py_at(y.clamp(0.0, 1.0)))))
    }

    /// The band as polygons clipped to the frame, separated by its gaps.
    fn polygons(&self, layout: &ChartLayout) -> Vec<Vec<Point>> {
        let corner = |&(x, low, high): &(f64, f64, f64)| {
            let finite = x.is_finite() && low.is_finite() && high.is_finite();
            let up = |y| self.given.position(&layout.y, y);
            let (across, low, high) = (layout.x.position(x), up(low), up(high));
            // A value the axis cannot reach, such as zero on a log axis, is far outside; NaN is a gap.
            (finite && !(across.is_nan() || low.is_nan() || high.is_nan()))
                .then(|| [across, low, high].map(|p| p.clamp(-FARTHEST, FARTHEST)))
        };
        let corners: Vec<Option<[f64; 3]>> = self.data.iter().map(corner).collect();
        let pieces = corners.split(Option::is_none);
        pieces
            .map(|piece| {
                let lows = piece.iter().flatten().map(|c| (c[0], c[1]));
                let highs = piece.iter().rev().flatten().map(|c| (c[0], c[2]));
                let cut = in_unit_square(lows.chain(highs).collect());
                cut.into_iter().map(|(across, up)| (layout.px_at(across), layout.py_at(up))).collect()
            })
            .filter(|polygon: &Vec<Point>| polygon.len() > 2)
            .collect()
    }
}

/// Draws the part of a band inside the frame.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    band: &Band,
) -> Result<(), DrawError> {
    for polygon in band.polygons(layout) {
        pen.polygon(&polygon, style.palette.role(band.role), band.opacity)?;
    }
    let Some([low, high]) = band.bar_ends(layout) else { return Ok(()) };
    // As faint as its band: 1 at the usual opacity.
    let (color, opacity) = (style.palette.muted, (band.opacity / Band::OPACITY).clamp(0.0, 1.0));
    let cap = |at: Point| [(at.0 - BAR_CAP, at.1), (at.0 + BAR_CAP, at.1)];
    for line in [[low, high], cap(low), cap(high)] {
        pen.path(&line, LineStyle::Solid, BAR_WIDTH, color, opacity)?;
    }
    Ok(())
}

/// Clips a polygon to the unit square (Sutherland and Hodgman 1974). Separate parts stay connected along the edge by a
/// bridge of zero area.
fn in_unit_square(polygon: Vec<Point>) -> Vec<Point> {
    // For each side the distance from it, positive inside.
    let sides: [fn(Point) -> f64; 4] = [|p| p.0, |p| 1.0 - p.0, |p| p.1, |p| 1.0 - p.1];
    sides.into_iter().fold(polygon, |corners, inside| {
        let before = corners.iter().skip(corners.len().saturating_sub(1)).chain(&corners);
        let mut cut = Vec::with_capacity(corners.len() + 4);
        for (&from, &to) in before.zip(&corners) {
            let (a, b) = (inside(from), inside(to));
            if (a >= 0.0) != (b >= 0.0) {
                let t = a / (a - b);
                cut.push((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)));
            }
            if b >= 0.0 {
                cut.push(to);
            }
        }
        cut
    })
}

#[cfg(test)]
mod tests {
    use super::super::series::SeriesKind;
    use super::*;

    fn area(polygon: &[Point]) -> f64 {
        let next = polygon.iter().cycle().skip(1);
        polygon.iter().zip(next).map(|(a, b)| (a.0 * b.1 - b.0 * a.1) / 2.0).sum::<f64>().abs()
    }

    #[test]
    fn a_band_takes_its_edges_from_series() {
        let of = |data: Vec<(f64, f64)>| Series::new("a", "", Role::Measured, SeriesKind::Line, data);
        let values = Band::min_to_max(&of(vec![(2.0, 1.0), (4.0, 3.0), (2.0, 5.0)]));
        assert_eq!(values.data, [(2.0, 1.0, 5.0), (4.0, 3.0, 3.0)]);
        let (low, high) =
            (of(vec![(2.0, 10.0), (3.0, 1.0), (4.0, 100.0)]), of(vec![(2.0, 2.0), (4.0, 3.0)]).given_log10());
        let between = Band::between("gap", Role::Sharp, &low, &high);
        assert_eq!((between.given, between.data), (ValueForm::Log10, vec![(2.0, 1.0, 2.0), (4.0, 2.0, 3.0)]));
    }

    #[test]
    fn polygons_are_cut_exactly_at_the_edges() {
        let around = vec![(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)];
        assert!((area(&in_unit_square(around)) - 1.0).abs() < 1e-12);
        let triangle = vec![(0.5, 0.5), (1.5, 0.5), (0.5, 1.5)];
        let found = in_unit_square(triangle);
        assert!((area(&found) - 0.25).abs() < 1e-12, "{found:?}");
        assert!(in_unit_square(vec![(2.0, 2.0), (3.0, 2.0), (3.0, 3.0)]).is_empty());
        assert!(in_unit_square(Vec::new()).is_empty());
    }

    #[test]
    fn an_edge_from_very_far_is_cut_where_it_crosses() {
        let wedge = vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1e9), (0.0, 0.0)];
        let found = in_unit_square(wedge);
        assert!((area(&found) - 1.0).abs() < 1e-6, "{found:?}");
    }
}
