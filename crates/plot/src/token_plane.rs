//! Points in a plane with equal axes, or on a line if they have one dimension.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend, RGBColor};

use super::DrawError;
use super::axis::{AxisSpec, Ruler};
use super::extent::{Extent, Scale};
use super::frame::{ChartLayout, draw_axes, lay_out, margin};
use super::number::Number;
use super::palette::mix;
use super::pen::{Align, Pen, PixelRect, Point};
use super::style::{Style, text_width};
use super::table::{Table, exact};

/// The radius of a point of weight 1, in CSS pixels.
pub(super) const DOT: f64 = 3.2;
/// The radius of a point of the largest multiplicity, in CSS pixels.
const LARGEST_DOT: f64 = 9.0;
/// ln of the largest multiplicity, 10^18. It is fixed, so that a multiplicity looks the same in every figure.
const LARGEST_LN_SIZE: f64 = 41.446_531_673_892_82;
/// The margin of a plane without axes, in CSS pixels.
const BARE: f64 = 4.0;
/// In a plane with more points than this, only the selected point is labelled.
const NAMED_UP_TO: usize = 80;

/// Whether points are drawn in a plane or on a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlaneShape {
    /// On a line, with coinciding points stacked; y is ignored.
    Line,
    /// In a plane.
    #[default]
    Plane,
}

/// Whether a plane has axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlaneAxes {
    /// It has.
    #[default]
    Drawn,
    /// A plane with a ball has none: all its room is for the points, and the label of the ball gives the scale.
    Absent,
}

/// Points in the plane, or on a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenPlane {
    /// Coordinates of the points.
    pub points: Vec<(f64, f64)>,
    /// What a point is called in the table, such as "token".
    pub point_label: String,
    /// Labels of the points; may be fewer than the points.
    pub labels: Vec<String>,
    /// Weights of the points, usually 1: the area of a point grows with its weight. May be empty.
    pub weights: Vec<f64>,
    /// ln of the multiplicity of each point; its area grows with it. On a line, points with multiplicities are not
    /// stacked.
    pub ln_sizes: Option<Vec<f64>>,
    /// For the first point at each place, how many lie there, and zero for the others: they are drawn as a pile of dots,
    /// whose area grows with their number. Empty for points that are drawn one over another.
    pub piles: Vec<f64>,
    /// The radius of the ball around the origin that is drawn, if any.
    pub ball_radius: Option<f64>,
    /// The label of the ball, such as "R = 2".
    pub ball_label: String,
    /// The radius of a disc around each point of a plane: how far it may move.
    pub reach: Option<f64>,
    /// The title of the horizontal axis.
    pub x_label: String,
    /// The title of the vertical axis.
    pub y_label: String,
    /// Ranges that the axes always cover, so that the axes do not move when the points do.
    pub shown: Option<(Extent, Extent)>,
    /// The selected point.
    pub selected: Option<usize>,
    /// For the selected point, the share of each point, drawn as a line between the two that is wider for a larger
    /// share. May be empty.
    pub shares: Vec<f64>,
    /// Name of the shares in the table.
    pub shares_label: String,
    /// Changes of the points and of their images.
    pub changes: Option<Changes>,
    /// Line or plane.
    pub shape: PlaneShape,
    /// Whether the figure has axes.
    pub axes: PlaneAxes,
    /// The exact ranges of the axes, for a figure that stays fixed while a point is dragged.
    pub held: Option<(Extent, Extent)>,
}

impl TokenPlane {
    /// Points without labels; on a line if every y is zero.
    pub fn new(points: Vec<(f64, f64)>) -> Self {
        let is_line = !points.is_empty() && points.iter().all(|p| p.1 == 0.0);
        TokenPlane {
            shape: if is_line { PlaneShape::Line } else { PlaneShape::Plane },
            points,
            point_label: "point".into(),
            ..TokenPlane::default()
        }
    }

    /// The ranges of points with their discs, ball and changes.
    pub fn extent(&self) -> Option<(Extent, Extent)> {
        let ball = self.ball().into_iter().flat_map(|r| [(-r, -r), (r, r)]);
        // Without axes the ball fills the plane, and an arrow that leaves it is cut.
        let changes = self.changes.iter().filter(|_| !self.fills_plane());
        let changes = changes.flat_map(|changes| changes.ends(&self.points));
        let all: Vec<Point> = self.corners().chain(ball).chain(changes).collect();
        Some((Extent::of(all.iter().map(|p| p.0))?, Extent::of(all.iter().map(|p| p.1))?))
    }

    /// The layout in an area of this many CSS pixels.
    pub fn layout(&self, size: (f64, f64), style: &Style) -> PlaneLayout {
        let unit = Ruler::new(Scale::Linear, symmetric(1.0));
        let rough = lay_out(size, &style.font, unit, unit, 14.0);
        if self.is_bare(&rough) {
            let plot = PixelRect { left: BARE, top: BARE, right: size.0 - BARE, bottom: size.1 - BARE };
            let (x, y) = self.equal_axes(&plot, style);
            let chart = ChartLayout { plot, x, y, ..rough };
            let positions = self.plane_positions(&chart);
            // A pile on the rim is drawn within it.
            let reach = |count: &f64| if *count > 1.0 { 2.0 * pile_radius(*count) } else { 0.0 };
            return PlaneLayout { chart, positions, piles: self.piles.iter().map(reach).collect() };
        }
        // Repeated with the tick labels of the first layout, because long ones need more space.
        let (x, y) = self.equal_axes(&rough.plot, style);
        let mut frame = lay_out(size, &style.font, x, if self.is_line() { unit } else { y }, 14.0);
        let (x, y) = self.equal_axes(&frame.plot, style);
        let mut chart = ChartLayout { x, y, ..frame };
        // Both axes of a plane have ticks at the same distance, which may be longer numbers than those of the frame. A
        // narrower plot has other ticks, so the margin is looked at again.
        for _ in 0..3 {
            let left = margin(&chart.square_ticks().y, &style.font);
            if self.is_line() || left <= frame.plot.left {
                break;
            }
            frame.plot.left = left;
            let (x, y) = self.equal_axes(&frame.plot, style);
            chart = ChartLayout { x, y, ..frame };
        }
        let positions = if self.is_line() { self.stacked(&chart) } else { self.plane_positions(&chart) };
        PlaneLayout { chart, positions, piles: Vec::new() }
    }

    /// Draws the points over the whole area.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<PlaneLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        if !layout.chart.has_room() {
            return Ok(layout);
        }
        let axis = |label: &str| AxisSpec::new(label, Scale::Linear);
        if self.is_bare(&layout.chart) {
            // The label of the ball gives the scale.
        } else if self.is_line() {
            self.draw_line_axis(&pen, style, &layout.chart)?;
        } else {
            let axes = (&axis(&self.x_label), &axis(&self.y_label));
            draw_axes(&pen, style, &layout.chart, &layout.chart.square_ticks(), axes)?;
        }
        self.draw_ball(&pen, style, &layout)?;
        self.draw_reach(&pen, style, &layout)?;
        self.draw_shares(&pen, style, &layout)?;
        self.draw_images(&pen, style, &layout)?;
        self.draw_points(&pen, style, &layout)?;
        self.draw_nudges(&pen, style, &layout)?;
        let mut taken = self.draw_labels(&pen, style, &layout)?;
        taken.extend(self.pile_rects(&layout));
        self.draw_image_labels(&pen, style, &layout, taken)?;
        Ok(layout)
    }

    /// The points as a table with four significant digits.
    pub fn to_table(&self) -> Table {
        self.cells(|value| Number::of(value).to_string())
    }

    /// The points as CSV with all digits.
    pub fn to_csv(&self) -> String {
        self.cells(exact).to_csv()
    }

    /// One row per point, with columns only for the properties that are present.
    fn cells(&self, written: impl Fn(f64) -> String) -> Table {
        let or = |label: &str, other: &str| if label.is_empty() { other.to_owned() } else { label.to_owned() };
        let mut header = vec![self.point_label.clone(), or(&self.x_label, "x"), or(&self.y_label, "y")];
        let columns =
            [("weight", (!self.weights.is_empty()).then_some(&self.weights)), ("ln size", self.ln_sizes.as_ref())];
        let columns: Vec<_> = columns.into_iter().filter_map(|(name, values)| Some((name, values?))).collect();
        header.extend(columns.iter().map(|(name, _)| (*name).to_owned()));
        let mut vectors: Vec<&[Point]> = Vec::new();
        if let Some(changes) = &self.changes {
            let all = [&changes.nudges, &changes.images, &changes.responses];
            for (name, field) in changes.names.iter().zip(all).filter(|(_, field)| !field.is_empty()) {
                let axes = if self.is_line() { &header[1..2] } else { &header[1..3] };
                let names: Vec<String> = axes.iter().map(|axis| format!("{name}, {axis}")).collect();
                header.extend(names);
                vectors.push(field);
            }
        }
        if !self.shares.is_empty() {
            header.push(self.shares_label.clone());
        }
        let row = |(i, p): (usize, &Point)| {
            let name = self.labels.get(i).filter(|name| !name.is_empty()).cloned();
            let more = columns.iter().map(|(_, values)| values.get(i).copied().map_or_else(String::new, &written));
            let entries = |at: &Point| if self.is_line() { vec![at.0] } else { vec![at.0, at.1] };
            let changes = vectors.iter().flat_map(|field| field.get(i).map_or_else(Vec::new, entries));
            let share = (!self.shares.is_empty()).then(|| self.shares.get(i).copied().unwrap_or_default());
            [name.unwrap_or_else(|| (i + 1).to_string()), written(p.0), written(p.1)]
                .into_iter()
                .chain(more)
                .chain(changes.chain(share).map(&written))
                .collect()
        };
        Table { header, rows: self.points.iter().enumerate().map(row).collect() }
    }

    pub(super) fn ball(&self) -> Option<f64> {
        self.ball_radius.filter(|r| r.is_finite() && *r > 0.0)
    }

    /// Whether there are no axes, in a figure with this layout.
    fn is_bare(&self, chart: &ChartLayout) -> bool {
        self.fills_plane() && chart.has_room()
    }

    /// Whether the ball has the whole plane.
    fn fills_plane(&self) -> bool {
        self.axes == PlaneAxes::Absent && !self.is_line() && self.ball().is_some()
    }

    pub(super) fn is_line(&self) -> bool {
        self.shape == PlaneShape::Line
    }

    /// Axes with equal units. The axis that has less space for its range decides the unit; the other axis shows more
    /// than its range.
    fn equal_axes(&self, plot: &PixelRect, style: &Style) -> (Ruler, Ruler) {
        if let Some((x, y)) = self.held {
            return (Ruler::new(Scale::Linear, x), Ruler::new(Scale::Linear, y));
        }
        let fallback = (symmetric(1.0), symmetric(1.0));
        let mut wanted = self.extent().unwrap_or(fallback);
        if let Some(shown) = self.shown {
            wanted = (wanted.0.union(shown.0), wanted.1.union(shown.1));
        }
        if self.is_line() {
            // Space beyond the right end for the label of the ball, at most half the line.
            let (lo, hi) = (wanted.0.lo(), wanted.0.hi());
            let margin = self.line_margin(style).min(0.5 * plot.width());
            let further = hi + (hi - lo) * margin / (plot.width() - margin);
            wanted.0 = Extent::new(lo, further).unwrap_or(wanted.0);
        }
        let (half_x, half_y) = ((wanted.0.hi() - wanted.0.lo()) / 2.0, (wanted.1.hi() - wanted.1.lo()) / 2.0);
        // On a line only the horizontal range matters.
        let vertical_need = if self.is_line() { 0.0 } else { half_y / plot.height() };
        let margin = if self.fills_plane() { 1.02 } else { 1.08 };
        let mut per_px = margin * (half_x / plot.width()).max(vertical_need);
        if !(per_px.is_finite() && per_px > 0.0) {
            per_px = 2.0 / plot.width().max(plot.height());
        }
        let ruler = |extent: Extent, pixels: f64| {
            let middle = extent.lo() / 2.0 + extent.hi() / 2.0;
            let half = per_px * pixels;
            Ruler::new(Scale::Linear, Extent::new(middle - half, middle + half).unwrap_or(symmetric(1.0)))
        };
        (ruler(wanted.0, plot.width()), ruler(wanted.1, plot.height()))
    }

    fn plane_positions(&self, chart: &ChartLayout) -> Vec<Option<Point>> {
        let place = |p: &Point| (chart.x_to_px(p.0), chart.y_to_px(p.1));
        self.points.iter().map(|p| (p.0.is_finite() && p.1.is_finite()).then(|| place(p))).collect()
    }

    fn draw_ball<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<(), DrawError> {
        let chart = &layout.chart;
        let Some(radius) = self.ball() else { return Ok(()) };
        let (palette, font) = (&style.palette, &style.font);
        let color = mix(palette.background, palette.ink, 0.45);
        let edge = chart.x_to_px(radius);
        if self.is_line() {
            let base = line_height(chart);
            for end in [chart.x_to_px(-radius), edge] {
                pen.vertical(end, base - 18.0, base, color)?;
            }
        } else {
            let center = (chart.x_to_px(0.0), chart.y_to_px(0.0));
            pen.circle(center, edge - center.0, 1.0, color, (1.0, 0.0))?;
        }
        let Some(rect) = self.ball_label_rect(style, layout) else { return Ok(()) };
        let place = (rect.left, (rect.top + rect.bottom) / 2.0);
        pen.text(&self.ball_label, place, Align::Left, font.size_small, palette.muted, 1.0)
    }

    /// The rectangle of the label of the ball: outside it, to the upper right.
    fn ball_label_rect(&self, style: &Style, layout: &PlaneLayout) -> Option<PixelRect> {
        if self.is_line() {
            return self.line_label_rect(style, layout);
        }
        let (chart, size) = (&layout.chart, style.font.size_small);
        let center = (chart.x_to_px(0.0), chart.y_to_px(0.0));
        let along = (chart.x_to_px(self.ball()?) - center.0) * std::f64::consts::FRAC_1_SQRT_2;
        let (left, middle) = (center.0 + along + 7.0, center.1 - along - 7.0);
        let width = text_width(&self.ball_label, size);
        // The margin beside the plot is free; beyond it the label would be cut off.
        let left = left.min(chart.plot.right + 4.0 - width);
        Some(PixelRect { left, top: middle - 0.6 * size, right: left + width, bottom: middle + 0.6 * size })
    }

    fn draw_points<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<(), DrawError> {
        // Many points are drawn thinner, so that density shows.
        let crowd = (self.points.len() as f64 / 64.0).max(1.0);
        let opacity = (0.8 / crowd.powf(0.3)).max(0.2);
        let shrink = self.shrink(layout.chart.compact);
        for (i, place) in layout.positions.iter().enumerate() {
            if let Some(place) = place {
                let by = self.shift(i, &layout.chart);
                let place = (place.0 + by.0, place.1 + by.1);
                let place = self.within_rim(place, self.radius(i), &layout.chart);
                match self.pile(i) {
                    Some(count) => draw_pile(pen, place, count, style.palette.ink, opacity)?,
                    // Another point of its place is drawn for it.
                    None if self.piles.get(i) == Some(&0.0) => {}
                    None => pen.disc(place, shrink * self.radius(i), style.palette.ink, opacity)?,
                }
            }
        }
        let place_of = |i: usize| {
            let (place, by) = (layout.positions.get(i).copied().flatten()?, self.shift(i, &layout.chart));
            let place = (place.0 + by.0, place.1 + by.1);
            Some((i, self.within_rim(place, self.radius(i), &layout.chart)))
        };
        let selected = self.selected.and_then(place_of);
        if let Some((i, place)) = selected {
            if let Some(count) = self.pile(i) {
                return draw_pile(pen, place, count, style.palette.accent, 1.0);
            }
            let radius = (shrink * self.radius(i)).max(DOT) + 1.0;
            pen.disc(place, radius + 2.0, style.palette.background, 1.0)?;
            pen.disc(place, radius, style.palette.accent, 1.0)?;
        }
        Ok(())
    }

    /// How many points lie at the place of a point, where it stands for several.
    fn pile(&self, i: usize) -> Option<f64> {
        self.piles.get(i).copied().filter(|count| *count > 1.0)
    }

    /// The squares around the piles.
    fn pile_rects(&self, layout: &PlaneLayout) -> Vec<PixelRect> {
        let of_pile = |i: usize| {
            let (place, radius) = (layout.positions.get(i).copied().flatten()?, pile_radius(self.pile(i)?));
            let (x, y) = self.within_rim(place, radius, &layout.chart);
            Some(PixelRect { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius })
        };
        (0..self.piles.len()).filter_map(of_pile).collect()
    }

    /// A place of a pile of this radius that lies at it, and within the ball where the ball has the whole plane: a pile on
    /// the rim is drawn against it from within.
    fn within_rim(&self, (x, y): Point, radius: f64, chart: &ChartLayout) -> Point {
        let Some(ball) = self.ball().filter(|_| self.fills_plane() && !self.piles.is_empty()) else { return (x, y) };
        let (center, edge) = ((chart.x_to_px(0.0), chart.y_to_px(0.0)), chart.x_to_px(ball));
        let (dx, dy, room) = (x - center.0, y - center.1, (edge - center.0 - radius).max(0.0));
        let away = dx.hypot(dy);
        // Moved points of a swing may lie outside.
        if away <= room || radius <= 2.0 * DOT || away > edge - center.0 + 1.0 {
            return (x, y);
        }
        (center.0 + dx * room / away, center.1 + dy * room / away)
    }

    /// Draws the labels of the points, as many as fit; the selected point always has its label. Returns the rectangles
    /// of all labels.
    fn draw_labels<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &PlaneLayout,
    ) -> Result<Vec<PixelRect>, DrawError> {
        let (palette, size) = (&style.palette, style.font.size_small);
        let mut taken: Vec<PixelRect> = self.ball_label_rect(style, layout).into_iter().collect();
        let all = 0..if self.points.len() <= NAMED_UP_TO && !self.is_line() { self.labels.len() } else { 0 };
        let order = self.selected.into_iter().chain(all.filter(|&i| Some(i) != self.selected));
        for i in order {
            let Some((label, &(x, y))) = self.labels.get(i).zip(layout.positions.get(i).and_then(Option::as_ref))
            else {
                continue;
            };
            let (width, away) = (text_width(label, size), self.radius(i) + 4.0);
            let beside =
                |left: f64| PixelRect { left, top: y - 0.6 * size, right: left + width, bottom: y + 0.6 * size };
            let (right, left) = (beside(x + away), beside(x - away - width));
            // The selected point is always labelled, on the side that is free.
            let is_taken = |rect: &PixelRect| taken.iter().any(|other| rect.meets(other));
            let has_room = right.right <= layout.chart.plot.right;
            let is_better = Some(i) != self.selected || !is_taken(&right) || is_taken(&left);
            // An arrow to the right would go through a label there.
            let is_crossed = self.points_right(i, 0.6 * size, &layout.chart) && left.left >= layout.chart.plot.left;
            let first = if has_room && is_better && !is_crossed { right } else { left };
            let rect = if Some(i) == self.selected { first } else { self.avoid_images(first, (x, y), layout) };
            let (left, y) = (rect.left, (rect.top + rect.bottom) / 2.0);
            let near =
                PixelRect { left: left - 2.0, top: rect.top - 2.0, right: rect.right + 2.0, bottom: rect.bottom + 2.0 };
            let meets_point = || {
                layout
                    .positions
                    .iter()
                    .flatten()
                    .any(|p| Some(p) != layout.positions[i].as_ref() && near.contains(p.0, p.1))
            };
            let selected = Some(i) == self.selected;
            if !selected && (taken.iter().any(|other| rect.meets(other)) || meets_point()) {
                continue;
            }
            let color = if selected { palette.accent } else { palette.muted };
            pen.text(label, (left, y), Align::Left, size, color, 1.0)?;
            taken.push(rect);
        }
        Ok(taken)
    }

    /// The radius of a point before shrinking: its area grows with its weight up to ninefold, and with the logarithm of
    /// its multiplicity.
    pub(super) fn radius(&self, i: usize) -> f64 {
        if let Some(count) = self.pile(i) {
            return pile_radius(count);
        }
        let weight = self.weights.get(i).copied().filter(|w| w.is_finite()).unwrap_or(1.0);
        let share = self.ln_size(i).filter(|ln| !ln.is_nan()).map_or(0.0, |ln| (ln / LARGEST_LN_SIZE).clamp(0.0, 1.0));
        let area = DOT.powi(2) + share * (LARGEST_DOT.powi(2) - DOT.powi(2));
        (area * weight.clamp(0.2, 9.0)).sqrt().min(LARGEST_DOT.max(3.0 * DOT))
    }

    /// The factor by which all radii shrink in figures with many points or little space.
    pub(super) fn shrink(&self, compact: bool) -> f64 {
        (self.points.len() as f64 / 64.0).max(1.0).powf(-0.15) * if compact { 0.8 } else { 1.0 }
    }

    /// The radius of the largest possible point, to reserve space for it.
    pub(super) fn largest_radius(&self) -> f64 {
        if self.ln_sizes.is_some() { LARGEST_DOT } else { DOT }
    }

    fn ln_size(&self, i: usize) -> Option<f64> {
        self.ln_sizes.as_ref()?.get(i).copied()
    }
}

/// The radius of a dot of a pile, in CSS pixels.
const PILE_DOT: f64 = 1.7;
/// The distance of the k-th dot of a pile from its centre is this times sqrt(k), in CSS pixels.
const PILE_STEP: f64 = 2.3;
/// The most dots that a pile is drawn with. The label gives the number of larger piles.
const MOST_IN_PILE: f64 = 256.0;

/// The radius of a pile: its area grows with its number.
fn pile_radius(count: f64) -> f64 {
    PILE_STEP * count.min(MOST_IN_PILE).sqrt() + PILE_DOT
}

/// Draws a number of points at one place, as the seeds of a sunflower stand (Vogel 1979).
fn draw_pile<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    (x, y): Point,
    count: f64,
    color: RGBColor,
    opacity: f64,
) -> Result<(), DrawError> {
    /// 2 pi (1 - 1/phi), with the golden ratio phi.
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    for k in 0..count.min(MOST_IN_PILE) as u32 {
        let (angle, away) = (GOLDEN_ANGLE * f64::from(k), PILE_STEP * (f64::from(k) + 0.5).sqrt());
        pen.disc((x + away * angle.cos(), y + away * angle.sin()), PILE_DOT, color, opacity)?;
    }
    Ok(())
}

/// The vertical position of the line of one-dimensional points.
pub(super) fn line_height(chart: &ChartLayout) -> f64 {
    chart.plot.top + 0.62 * chart.plot.height()
}

/// Where the points were drawn, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneLayout {
    /// The axes.
    pub chart: ChartLayout,
    /// The pixel of each point; `None` if it is not finite.
    pub positions: Vec<Option<Point>>,
    /// How far from its pixel the pile of a point is drawn, in CSS pixels; empty without piles.
    pub piles: Vec<f64>,
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

    /// The point nearest a pixel, at most `reach` pixels away, or the pile on it.
    pub fn nearest(&self, x: f64, y: f64, reach: f64) -> Option<usize> {
        let distance = |p: &Point| (p.0 - x).hypot(p.1 - y);
        let near = self.positions.iter().enumerate().filter_map(|(i, p)| p.as_ref().map(|p| (i, distance(p))));
        let within = |i: usize| reach.max(self.piles.get(i).copied().unwrap_or(0.0));
        near.filter(|&(i, d)| d <= within(i)).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    }
}

/// A change of every point, and the resulting change of its image under a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The change of each point.
    pub nudges: Vec<Point>,
    /// The image of each point; may be empty.
    pub images: Vec<Point>,
    /// Labels of the images, below them; may be fewer than the images.
    pub labels: Vec<String>,
    /// The change of each image.
    pub responses: Vec<Point>,
    /// Factor by which changes are lengthened in the drawing.
    pub stretch: f64,
    /// Names of nudges, images and responses in the table.
    pub names: [String; 3],
    /// Which changes are drawn; `None` for all. The table has all.
    pub drawn: Option<DrawnChanges>,
    /// Whether the changes are animated.
    pub sway: Sway,
}

/// The points whose changes are drawn, and the images that are drawn with theirs, by their indices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnChanges {
    /// Points.
    pub nudges: Vec<usize>,
    /// Images.
    pub images: Vec<usize>,
}

/// Whether changes are static arrows or animated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sway {
    /// Static arrows.
    #[default]
    Arrows,
    /// Arrows, with points and images moved by this fraction of their change: one frame of an animation.
    At(f64),
    /// Arrows, with rings at both ends of the motion, instead of an animation.
    Ends,
}

impl Changes {
    /// The ends of the arrows and of the motion, in units of the axes.
    pub(super) fn ends<'a>(&'a self, points: &'a [Point]) -> impl Iterator<Item = Point> + 'a {
        let both = |(p, by): (&Point, &Point)| {
            let by = (self.stretch * by.0, self.stretch * by.1);
            [(p.0 + by.0, p.1 + by.1), (p.0 - by.0, p.1 - by.1)]
        };
        let ends_of = move |from: &'a [Point], by: &'a [Point]| from.iter().zip(by).flat_map(both);
        ends_of(points, &self.nudges).chain(ends_of(&self.images, &self.responses)).chain(self.images.iter().copied())
    }

    /// Whether the change of a point is drawn.
    pub(super) fn draws_nudge(&self, i: usize) -> bool {
        self.drawn.as_ref().is_none_or(|drawn| drawn.nudges.contains(&i))
    }

    /// Whether an image is drawn, with its change.
    pub(super) fn draws_image(&self, i: usize) -> bool {
        self.drawn.as_ref().is_none_or(|drawn| drawn.images.contains(&i))
    }

    /// The fraction of its change by which a point is moved.
    pub(super) fn moved_by(&self) -> f64 {
        if let Sway::At(part) = self.sway { part } else { 0.0 }
    }
}

fn symmetric(half: f64) -> Extent {
    Extent::new(-half, half).expect("the ends are finite")
}
