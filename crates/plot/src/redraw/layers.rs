//! A figure in the terms that all tools share.

use plotters::style::RGBColor;

use crate::axis::AxisSpec;
use crate::band::Band;
use crate::extent::{Extent, Scale};
use crate::line_chart::LineChart;
use crate::palette::{LineStyle, Palette, Theme, css};
use crate::scatter::Scatter;
use crate::series::{Series, SeriesKind};
use crate::table::exact;
use crate::token_plane::TokenPlane;

/// Corners of the circle that shows a ball.
const CORNERS: usize = 96;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct PlottedAxis {
    /// Its title.
    pub title: String,
    /// How numbers are spaced.
    pub scale: Scale,
    /// Its ends.
    pub range: Option<Extent>,
}

/// How a layer is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerMark {
    /// A line in a dash pattern.
    Line(LineStyle),
    /// A dot at each point.
    Dots,
    /// A ring at each point.
    Rings,
    /// The area between two curves.
    Area,
}

impl LayerMark {
    /// Its name in the data of a source.
    pub(super) fn id(self) -> &'static str {
        match self {
            LayerMark::Line(LineStyle::Solid) => "solid",
            LayerMark::Line(LineStyle::Dashed) => "dashed",
            LayerMark::Line(LineStyle::Dotted) => "dotted",
            LayerMark::Line(LineStyle::DashDot) => "dashdot",
            LayerMark::Dots => "dots",
            LayerMark::Rings => "rings",
            LayerMark::Area => "area",
        }
    }
}

/// Marks of one look.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Its name; empty for one that the legend leaves out.
    pub label: String,
    /// How it is drawn.
    pub mark: LayerMark,
    /// Its colour.
    pub color: RGBColor,
    /// Its opacity, from 0 to 1.
    pub opacity: f64,
    /// The width of a line in points.
    pub width: f64,
    /// The points (x, y, upper y): the upper y is y, except in an area.
    pub points: Vec<(f64, f64, f64)>,
}

/// A figure of layers over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plotted {
    /// The horizontal axis.
    pub x: PlottedAxis,
    /// The vertical axis.
    pub y: PlottedAxis,
    /// Whether a unit has one length on both axes.
    pub has_equal_units: bool,
    /// The layers, later ones over earlier ones.
    pub layers: Vec<Layer>,
}

impl LineChart {
    /// The chart in the terms of other tools. Curves in the strip over the plot are left out.
    #[must_use]
    pub fn plotted(&self) -> Plotted {
        let layers = self.bands.iter().map(area).chain(self.series.iter().map(of_series)).collect();
        plotted((&self.x, self.x_extent()), (&self.y, self.y_extent()), layers)
    }
}

impl Scatter {
    /// The plot in the terms of other tools. All dots have one colour.
    #[must_use]
    pub fn plotted(&self) -> Plotted {
        let ink = Palette::of(Theme::Light).ink;
        let points = self.dots.iter().map(|dot| (dot.x, dot.y, dot.y)).collect();
        let dots = Layer { label: String::new(), mark: LayerMark::Dots, color: ink, opacity: 1.0, width: 1.0, points };
        let layers: Vec<Layer> = std::iter::once(dots).chain(self.series.iter().map(of_series)).collect();
        let shown = |of: fn(&(f64, f64, f64)) -> f64, scale| {
            Extent::shown(layers.iter().flat_map(|layer| &layer.points).map(of), scale)
        };
        let extents = (shown(|point| point.0, self.x.scale), shown(|point| point.1, self.y.scale));
        plotted((&self.x, extents.0), (&self.y, extents.1), layers)
    }
}

impl TokenPlane {
    /// The points and the ball in the terms of other tools, without changes and attention lines.
    #[must_use]
    pub fn plotted(&self) -> Plotted {
        let palette = Palette::of(Theme::Light);
        let circle = |radius: f64| {
            let corner = |at: usize| (std::f64::consts::TAU * at as f64 / CORNERS as f64).sin_cos();
            (0..=CORNERS).map(corner).map(|(sin, cos)| (radius * cos, radius * sin, radius * sin)).collect()
        };
        let layer = |label: &str, mark, points| Layer {
            label: label.to_owned(),
            mark,
            color: palette.muted,
            opacity: 1.0,
            width: 1.0,
            points,
        };
        let ball = self.ball().map(|radius| layer(&self.ball_label, LayerMark::Line(LineStyle::Solid), circle(radius)));
        let points = self.points.iter().map(|&(x, y)| (x, y, y)).collect();
        let dots = Layer { color: palette.ink, ..layer("", LayerMark::Dots, points) };
        let (x, y) = self.extent().unzip();
        let axis = |title: &str| PlottedAxis { title: title.to_owned(), scale: Scale::Linear, range: None };
        let axes = [(axis(&self.x_label), x), (axis(&self.y_label), y)];
        let [x, y] = axes.map(|(axis, range)| PlottedAxis { range, ..axis });
        Plotted { x, y, has_equal_units: true, layers: ball.into_iter().chain([dots]).map(finite).collect() }
    }
}

impl Plotted {
    /// The points of all layers as CSV: the number of the layer from zero, and the points.
    pub(super) fn points(&self) -> Vec<String> {
        let row =
            |at: usize, &(x, y, high): &(f64, f64, f64)| format!("{at},{},{},{}", exact(x), exact(y), exact(high));
        let of_layer =
            |(at, layer): (usize, &Layer)| layer.points.iter().map(|point| row(at, point)).collect::<Vec<_>>();
        self.layers.iter().enumerate().flat_map(of_layer).collect()
    }
}

impl Layer {
    /// Its colour as six hexadecimal digits after a #.
    pub(super) fn css(&self) -> String {
        css(self.color)
    }
}

fn plotted(x: (&AxisSpec, Option<Extent>), y: (&AxisSpec, Option<Extent>), layers: Vec<Layer>) -> Plotted {
    let axis = |(axis, data): (&AxisSpec, Option<Extent>)| PlottedAxis {
        title: axis.title(),
        scale: axis.scale,
        range: axis.range.or(data),
    };
    let (x, y) = (axis(x), axis(y));
    let shown = |mut layer: Layer| {
        layer.points.retain(|point| x.scale.shows(point.0) && y.scale.shows(point.1));
        finite(layer)
    };
    let layers = layers.into_iter().map(shown).filter(|layer| !layer.points.is_empty()).collect();
    Plotted { x, y, has_equal_units: false, layers }
}

/// Without points that no tool can draw.
fn finite(mut layer: Layer) -> Layer {
    layer.points.retain(|(x, y, high)| [x, y, high].into_iter().all(|number| number.is_finite()));
    layer
}

fn area(band: &Band) -> Layer {
    let value = |y| band.given.value(y);
    Layer {
        label: String::new(),
        mark: LayerMark::Area,
        color: Palette::of(Theme::Light).role(band.role),
        opacity: band.opacity,
        width: 0.0,
        points: band.data.iter().map(|&(x, low, high)| (x, value(low), value(high))).collect(),
    }
}

fn of_series(series: &Series) -> Layer {
    let mark = match series.kind {
        SeriesKind::Line => LayerMark::Line(series.line.unwrap_or(series.role.line())),
        SeriesKind::Hollow => LayerMark::Rings,
        SeriesKind::Points | SeriesKind::Range if series.role.is_hollow() => LayerMark::Rings,
        SeriesKind::Points | SeriesKind::Range => LayerMark::Dots,
    };
    let point = |&(x, y): &(f64, f64)| (x, series.value(y), series.value(y));
    Layer {
        label: series.label.clone(),
        mark,
        color: Palette::of(Theme::Light).role(series.role),
        opacity: series.opacity,
        width: 0.75 * series.width.unwrap_or(series.role.width()),
        points: series.data.iter().map(point).collect(),
    }
}
