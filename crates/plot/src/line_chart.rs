//! Line charts: curves labelled at their ends, points, and ranges.
//!
//! Curves are clipped to the frame; an arrow marks where one leaves, and its label gives the value at its end.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend, RGBColor};

use super::axis::{AxisSpec, Ruler};
use super::band::{self, Band};
use super::chart_key::{self, KeyEntry};
use super::curve::{self, Edge};
use super::extent::{Extent, Scale};
use super::frame::{ChartLayout, draw_axes, draw_note, x_title_row};
use super::palette::{LineStyle, Role, mix};
use super::pen::{Align, Pen, PixelRect};
use super::rules::{self, Rule};
use super::series::{Series, SeriesKind};
use super::strip::{self, FarAbove};
use super::style::{Style, text_width};
use super::{DrawError, end_labels};

/// The radius of a dot in CSS pixels.
const DOT: f64 = 2.4;

/// A marked position on the horizontal axis, such as the current configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its x value.
    pub x: f64,
    /// Its label, such as "n = 512"; may be empty.
    pub label: String,
}

/// Curves and points over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The vertical axis.
    pub y: AxisSpec,
    /// The series, later ones over earlier ones. The last curves stay unlabelled if there is not enough space.
    pub series: Vec<Series>,
    /// Areas between two curves, drawn behind everything. They do not affect the axis ranges.
    pub bands: Vec<Band>,
    /// Further marked positions on the horizontal axis, labelled at the top of the plot.
    pub rules: Vec<Rule>,
    /// What its kinds of marks mean, over the plot and the strip.
    pub key: Vec<KeyEntry>,
    /// Curves far above all others, in a strip over the plot.
    pub above: Vec<FarAbove>,
    /// A marked x in the accent colour.
    pub mark_x: Option<Mark>,
    /// The x under the pointer: a fine rule, and a ring on every series that has a value there.
    pub hover_x: Option<f64>,
    /// The note in a chart without data, such as "measuring".
    pub note: String,
}

impl LineChart {
    /// A chart without bands, rules and marks.
    pub fn new(x: AxisSpec, y: AxisSpec, series: Vec<Series>) -> Self {
        LineChart {
            x,
            y,
            series,
            bands: Vec::new(),
            rules: Vec::new(),
            key: Vec::new(),
            above: Vec::new(),
            mark_x: None,
            hover_x: None,
            note: String::new(),
        }
    }

    /// The range of the x values that the axis can show.
    pub fn x_extent(&self) -> Option<Extent> {
        Extent::shown(self.points().map(|(_, x, _)| x), self.x.scale)
    }

    /// The range of the y values that the axis can show.
    pub fn y_extent(&self) -> Option<Extent> {
        Extent::shown(self.points().map(|(series, _, y)| series.given.value(y)), self.y.scale)
    }

    /// Moves series that lie more than `decades` powers of ten above all others into the strip, where the y axis is
    /// logarithmic. `ids` names the series that may be moved, the lowest first. `words` gets the label of a moved
    /// series, log10 of its largest value, and by how many powers of ten this value exceeds every value of the series
    /// outside `ids`. It returns two texts: with this distance, and without it.
    pub fn lift(&mut self, ids: &[&str], decades: f64, words: impl Fn(&str, f64, f64) -> [String; 2]) {
        if self.y.scale != Scale::Log {
            return;
        }
        let top = |series: &Series| series.logs().fold(f64::NEG_INFINITY, f64::max);
        let stays = |series: &&Series| !ids.contains(&series.id.as_str());
        let rest = self.series.iter().filter(stays).map(top).fold(f64::NEG_INFINITY, f64::max);
        if !rest.is_finite() {
            return;
        }
        // A series near one that stays also stays.
        let mut under = rest;
        for id in ids {
            let Some(at) = self.series.iter().position(|series| series.id == *id) else { continue };
            let low = self.series[at].logs().fold(f64::INFINITY, f64::min);
            if low > under + decades {
                let series = self.series.remove(at);
                let log10 = top(&series);
                let words = words(&series.label, log10, log10 - rest);
                self.above.push(FarAbove { role: series.role, words, opacity: series.opacity });
            } else {
                under = under.max(top(&self.series[at]));
            }
        }
    }

    /// The layout in an area of this many CSS pixels.
    pub fn layout(&self, size: (f64, f64), style: &Style) -> ChartLayout {
        let x = axis_ruler(&self.x, self.x_extent());
        let y = axis_ruler(&self.y, self.y_extent());
        let mut layout = end_labels::lay_out_named(size, &style.font, (x, y), &self.series);
        if layout.has_room() {
            if !self.x.root.is_empty() {
                layout.second_row = 1.3 * style.font.size_small;
                layout.plot.bottom -= layout.second_row;
            }
            layout.plot.top += strip::height(&self.above, &style.font);
            layout.plot.top += chart_key::height(&self.key, &style.font, size.0 - layout.plot.left);
        }
        layout
    }

    /// Draws the chart over the whole area.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<ChartLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        if layout.has_room() {
            self.draw_within(&pen, style, &layout)?;
        }
        Ok(layout)
    }

    /// Draws the chart in a layout that has room, on a clear area.
    pub(super) fn draw_within<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        for band in &self.bands {
            band::draw(pen, style, layout, band)?;
        }
        draw_axes(pen, style, layout, &layout.ticks(), (&self.x, &self.y))?;
        strip::draw(pen, style, layout, &self.above)?;
        let over = chart_key::height(&self.key, &style.font, pen.size().0 - layout.plot.left);
        let top = layout.plot.top - strip::height(&self.above, &style.font) - over;
        chart_key::draw(pen, style, layout, &self.key, top)?;
        rules::draw_lines(pen, style, layout, &self.rules)?;
        self.draw_mark(pen, style, layout)?;
        self.draw_hover_rule(pen, style, layout)?;
        for series in &self.series {
            draw_series(pen, style, layout, series)?;
        }
        let mark = self.mark_x.as_ref().map(|mark| layout.x_to_px(mark.x));
        rules::draw_names(pen, style, layout, &self.rules, mark)?;
        self.draw_hover_rings(pen, style, layout)?;
        self.draw_arrows(pen, style, layout)?;
        end_labels::draw(pen, style, layout, &self.series)?;
        if self.x_values().is_empty() {
            draw_note(pen, style, layout, &self.note)?;
        }
        Ok(())
    }

    fn points(&self) -> impl Iterator<Item = (&Series, f64, f64)> {
        self.series.iter().flat_map(|series| series.data.iter().map(move |&(x, y)| (series, x, y)))
    }

    fn draw_mark<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let Some(mark) = &self.mark_x else { return Ok(()) };
        let PixelRect { left, right, top, bottom } = layout.plot;
        let at = layout.x_to_px(mark.x);
        if !(left..=right).contains(&at) {
            return Ok(());
        }
        let (accent, font) = (style.palette.accent, &style.font);
        // The rule is fainter than the selected dots that may lie on it.
        let rule = mix(style.palette.background, accent, 0.55);
        pen.vertical(at, top, bottom + 8.0, rule)?;
        // The label shares a row with the title of the axis, which takes precedence.
        let half = text_width(&mark.label, font.size_normal) / 2.0;
        let last = right - text_width(&self.x.title(), font.size_normal) - 12.0 - half;
        let place = (at.max(left + half - 8.0).min(last), x_title_row(layout, font));
        if last >= left + half - 8.0 {
            pen.text(&mark.label, place, Align::Center, font.size_normal, accent, 1.0)?;
        }
        Ok(())
    }

    fn draw_hover_rule<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let Some(at) = self.hover_x.map(|x| layout.x_to_px(x)) else { return Ok(()) };
        if !(layout.plot.left..=layout.plot.right).contains(&at) {
            return Ok(());
        }
        let rule = mix(style.palette.background, style.palette.ink, 0.4);
        pen.vertical(at, layout.plot.top, layout.plot.bottom, rule)
    }

    fn draw_hover_rings<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let Some(x) = self.hover_x else { return Ok(()) };
        let rule = layout.x_to_px(x);
        for value in self.at(layout, x).unwrap_or_default() {
            // A value further than six pixels from the rule gets no ring.
            if let Some(at) = value.at.filter(|at| (at.0 - rule).abs() <= 6.0) {
                pen.disc(at, 4.5, style.palette.background, 1.0)?;
                pen.ring(at, 3.5, 1.75, style.palette.role(value.role), 1.0)?;
            }
        }
        Ok(())
    }

    /// Draws an arrow at the frame for every curve that leaves it. Curves that are never inside have their arrows side
    /// by side at the right end.
    fn draw_arrows<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        let mut outside = (0, 0);
        for series in self.series.iter().filter(|s| s.kind == SeriesKind::Line) {
            let course = curve::clipped(series, layout);
            let Some(edge) = course.leaves_at_end else { continue };
            let x = course.left_at.unwrap_or_else(|| {
                let already = if edge == Edge::Top { &mut outside.0 } else { &mut outside.1 };
                *already += 1;
                layout.plot.right - 10.0 * f64::from(*already) + 5.0
            });
            draw_arrow(pen, layout, edge, x, 4.0, style.palette.role(series.role), series.opacity)?;
        }
        Ok(())
    }
}

/// The ruler of an axis for data of this range.
pub(super) fn axis_ruler(axis: &AxisSpec, data: Option<Extent>) -> Ruler {
    let range = axis.range.or_else(|| data.map(|extent| extent.nice(axis.scale)));
    Ruler::new(axis.scale, range.unwrap_or_else(|| empty_range(axis.scale)))
}

/// The range of an axis without data.
fn empty_range(scale: Scale) -> Extent {
    let ends = match scale {
        Scale::Log => Extent::new(1.0, 1000.0),
        Scale::Linear | Scale::Sqrt => Extent::new(0.0, 1.0),
    };
    ends.expect("the ends are finite")
}

pub(super) fn draw_series<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    series: &Series,
) -> Result<(), DrawError> {
    let color = style.palette.role(series.role);
    match series.kind {
        SeriesKind::Line => {
            for piece in curve::clipped(series, layout).pieces {
                let line = series.line.unwrap_or(series.role.line());
                let width = series.width.unwrap_or(series.role.width());
                pen.path(&piece, line, width, color, series.opacity)?;
            }
            Ok(())
        }
        SeriesKind::Points | SeriesKind::Hollow => draw_points(pen, layout, series, color),
        SeriesKind::Range => draw_ranges(pen, layout, series, color),
    }
}

fn draw_points<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    layout: &ChartLayout,
    series: &Series,
    color: RGBColor,
) -> Result<(), DrawError> {
    // Many dots are translucent so that density shows; a few are solid.
    let solid = match series.data.len() {
        0..=150 => 0.85,
        _ => 0.6,
    };
    let hollow = series.kind == SeriesKind::Hollow || series.role.is_hollow();
    for &(x, y) in &series.data {
        let (px, position) = (layout.x_to_px(x), series.given.position(&layout.y, y));
        if !(layout.plot.left - 0.5..=layout.plot.right + 0.5).contains(&px) || position.is_nan() {
            continue;
        }
        let opacity = solid * series.opacity;
        // A larger dot makes one selected point visible among many.
        let dot = if series.role == Role::Selected { 1.8 * DOT } else { DOT };
        let py = layout.py_at(position);
        match Edge::beyond(position) {
            Some(edge) => draw_arrow(pen, layout, edge, px, 2.5, color, opacity)?,
            None if hollow => pen.ring((px, py), dot, 1.25, color, opacity)?,
            None => pen.disc((px, py), dot, color, opacity)?,
        }
    }
    Ok(())
}

/// Draws bars from minimum to maximum with the mean on them.
fn draw_ranges<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    layout: &ChartLayout,
    series: &Series,
    color: RGBColor,
) -> Result<(), DrawError> {
    for group in series.groups() {
        let px = layout.x_to_px(group.x);
        if !(layout.plot.left - 0.5..=layout.plot.right + 0.5).contains(&px) {
            continue;
        }
        let [low, mean, high] = [group.low, group.mean, group.high].map(|y| series.given.position(&layout.y, y));
        if high >= 0.0 && low <= 1.0 {
            let ends = [(px, layout.py_at(low.max(0.0))), (px, layout.py_at(high.min(1.0)))];
            pen.path(&ends, LineStyle::Solid, 1.5, color, 0.45 * series.opacity)?;
        }
        if (0.0..=1.0).contains(&mean) {
            pen.disc((px, layout.py_at(mean)), DOT + 0.4, color, series.opacity)?;
        }
    }
    Ok(())
}

/// Draws a triangle at the top or bottom edge, pointing out of the plot.
fn draw_arrow<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    layout: &ChartLayout,
    edge: Edge,
    x: f64,
    size: f64,
    color: RGBColor,
    opacity: f64,
) -> Result<(), DrawError> {
    let (base, tip) = match edge {
        Edge::Top => (layout.plot.top + 0.5 * size, layout.plot.top - 1.5 * size),
        Edge::Bottom => (layout.plot.bottom - 0.5 * size, layout.plot.bottom + 1.5 * size),
    };
    pen.polygon(&[(x - size, base), (x + size, base), (x, tip)], color, opacity)
}
