//! Scatter plots: dots whose colour and size show a third number, curves over them, and one selected dot.
//!
//! Of more than [`MOST_DRAWN`] dots, one is drawn for each cell of 1.5 x 1.5 pixels, and an even selection of these if
//! they are still too many. Every dot can still be selected.

use std::borrow::Cow;

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend, RGBColor};

use super::DrawError;
use super::axis::AxisSpec;
use super::end_labels;
use super::extent::Extent;
use super::frame::{ChartLayout, draw_axes, draw_note};
use super::line_chart::{axis_ruler, draw_series};
use super::palette::mix;
use super::pen::{Pen, PixelRect, Point};
use super::series::{Series, SeriesKind};
use super::style::{Style, text_width};
use super::table::{Table, exact};
use super::tint::{self, Tints};

/// The most dots, and the most points of one series, that are drawn.
pub const MOST_DRAWN: usize = 1200;
/// Opacity of a dot.
pub const DISC_OPACITY: f64 = 0.85;
/// Dots closer than this, in CSS pixels, look like one.
const SEPARATION: f64 = 1.5;
/// Largest distance from a dot to the pointer that selects it, in CSS pixels: half a fingertip.
const REACH: f64 = 22.0;

/// A point with a third number, its tint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dot {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Position on the vertical axis.
    pub y: f64,
    /// The third number, shown by colour and size.
    pub tint: f64,
}

/// Dots and curves over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The vertical axis.
    pub y: AxisSpec,
    /// The dots, in the order of keyboard navigation.
    pub dots: Vec<Dot>,
    /// Name of the tint; `None` draws all dots alike, in ink.
    pub tint: Option<String>,
    /// Curves and other points, drawn over the dots.
    pub series: Vec<Series>,
    /// The selected dot.
    pub selected: Option<usize>,
    /// The note in a plot without data.
    pub note: String,
}

/// A dot as it is drawn, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disc {
    /// Its centre.
    pub center: (f64, f64),
    /// Its radius, before [`Style::marks`] is applied.
    pub radius: f64,
    /// Its colour, at [`DISC_OPACITY`].
    pub color: RGBColor,
}

/// Where a scatter plot and its dots were drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterLayout {
    /// The rectangle of the plot, and the mapping between its pixels and data.
    pub chart: ChartLayout,
    /// Position of each dot in CSS pixels; `None` outside the frame.
    places: Vec<Option<Point>>,
    /// Indices of the dots that are drawn.
    drawn: Vec<usize>,
}

impl ScatterLayout {
    /// Number of dots that are drawn.
    pub fn n_drawn(&self) -> usize {
        self.drawn.len()
    }

    /// The dot nearest a pixel, within 22 CSS pixels.
    pub fn nearest(&self, (x, y): (f64, f64)) -> Option<usize> {
        let distance = |place: &Point| (place.0 - x).hypot(place.1 - y);
        let inside = self.places.iter().enumerate().filter_map(|(at, place)| Some((at, distance(place.as_ref()?))));
        inside.filter(|(_, distance)| *distance <= REACH).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    fn place(&self, at: usize) -> Option<Point> {
        self.places.get(at).copied().flatten()
    }
}

impl Scatter {
    /// A plot without dots and curves.
    pub fn new(x: AxisSpec, y: AxisSpec) -> Self {
        Scatter { x, y, dots: Vec::new(), tint: None, series: Vec::new(), selected: None, note: String::new() }
    }

    /// The layout in an area of this many CSS pixels.
    pub fn layout(&self, size: (f64, f64), style: &Style) -> ScatterLayout {
        let points = || self.series.iter().flat_map(|series| series.data.iter().copied());
        let xs = self.dots.iter().map(|dot| dot.x).chain(points().map(|(x, _)| x));
        let ys = self.dots.iter().map(|dot| dot.y).chain(points().map(|(_, y)| y));
        let x = axis_ruler(&self.x, Extent::shown(xs, self.x.scale));
        let y = axis_ruler(&self.y, Extent::shown(ys, self.y.scale));
        let chart = end_labels::lay_out_named(size, &style.font, (x, y), &self.series);
        if !chart.has_room() {
            return ScatterLayout { chart, places: Vec::new(), drawn: Vec::new() };
        }
        let places: Vec<Option<Point>> = self.dots.iter().map(|dot| place(&chart, dot.x, dot.y)).collect();
        let drawn = distinguishable(&places, &chart.plot);
        ScatterLayout { chart, places, drawn }
    }

    /// Draws the plot over the whole area.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<ScatterLayout, DrawError> {
        let layout = self.draw_under(area, style)?;
        let pen = Pen::new(area, style);
        for disc in self.discs(&layout, style) {
            pen.disc(disc.center, disc.radius, disc.color, DISC_OPACITY)?;
        }
        self.draw_over(area, style, &layout)?;
        Ok(layout)
    }

    /// Draws the layers below the dots: background and axes.
    pub fn draw_under<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<ScatterLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        if layout.chart.has_room() {
            draw_axes(&pen, style, &layout.chart, &layout.chart.ticks(), (&self.x, &self.y))?;
        }
        Ok(layout)
    }

    /// The dots as they are drawn, for a caller that draws many dots faster than plotters.
    pub fn discs<'a>(&'a self, layout: &'a ScatterLayout, style: &Style) -> impl Iterator<Item = Disc> + use<'a> {
        let (tints, colors, ink) = (self.tints(), style.palette.tints(), style.palette.ink);
        layout.drawn.iter().filter_map(move |&at| {
            let (dot, center) = (self.dots.get(at)?, layout.place(at)?);
            let share = tints.share(dot.tint);
            let step = (share * (colors.len() - 1) as f64).round() as usize;
            Some(match self.tint {
                Some(_) => Disc { center, radius: radius(share), color: colors[step.min(colors.len() - 1)] },
                None => Disc { center, radius: radius(0.3), color: ink },
            })
        })
    }

    /// Draws the layers over the dots: curves with their labels, the key, the selected dot.
    pub fn draw_over<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
        layout: &ScatterLayout,
    ) -> Result<(), DrawError> {
        let (pen, chart) = (Pen::new(area, style), &layout.chart);
        if !chart.has_room() {
            return Ok(());
        }
        for series in &self.series {
            draw_series(&pen, style, chart, &thinned(series, chart))?;
        }
        end_labels::draw(&pen, style, chart, &self.series)?;
        if let Some(name) = &self.tint {
            let from = 14.0 + text_width(&self.y.title(), style.font.size_normal);
            tint::draw_key(&pen, style, (name, self.tints()), |share| style.palette.tint(share), from)?;
        }
        self.draw_selected(&pen, style, layout)?;
        if self.dots.is_empty() {
            draw_note(&pen, style, chart, &self.note)?;
        }
        Ok(())
    }

    /// The first dot after `from` at another x.
    pub fn next_x(&self, from: usize) -> Option<usize> {
        let x = self.dots.get(from)?.x;
        (from..self.dots.len()).find(|at| self.dots[*at].x != x)
    }

    /// The last dot before `from` at another x.
    pub fn previous_x(&self, from: usize) -> Option<usize> {
        let x = self.dots.get(from)?.x;
        (0..from).rev().find(|at| self.dots[*at].x != x)
    }

    /// All dots and points as CSV, one line each, with all digits.
    pub fn to_csv(&self) -> String {
        let tint = self.tint.clone().unwrap_or_default();
        let header = vec!["series".to_owned(), self.x.title(), self.y.title(), tint];
        let dot = |dot: &Dot| {
            let tint = if self.tint.is_some() { exact(dot.tint) } else { String::new() };
            vec!["dots".to_owned(), exact(dot.x), exact(dot.y), tint]
        };
        let of_series = |series: &Series| -> Vec<Vec<String>> {
            let value = |y| series.given.value(y);
            series
                .data
                .iter()
                .map(|(x, y)| vec![series.id.clone(), exact(*x), exact(value(*y)), String::new()])
                .collect()
        };
        let rows = self.dots.iter().map(dot).chain(self.series.iter().flat_map(of_series)).collect();
        Table { header, rows }.to_csv()
    }

    fn tints(&self) -> Tints {
        Tints::of(self.dots.iter().map(|dot| dot.tint))
    }

    fn draw_selected<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ScatterLayout,
    ) -> Result<(), DrawError> {
        let Some(center) = self.selected.and_then(|at| layout.place(at)) else { return Ok(()) };
        let (background, accent) = (style.palette.background, style.palette.accent);
        let rule = mix(background, accent, 0.4);
        pen.vertical(center.0, center.1 + 8.0, layout.chart.plot.bottom, rule)?;
        pen.disc(center, 6.5, background, 1.0)?;
        pen.ring(center, 6.0, 2.0, accent, 1.0)?;
        pen.disc(center, 3.0, accent, 1.0)
    }
}

/// The radius of a dot in CSS pixels, from its tint's share of the range.
fn radius(share: f64) -> f64 {
    1.9 + 1.4 * share
}

/// The position of a point in CSS pixels; `None` outside the frame.
fn place(layout: &ChartLayout, x: f64, y: f64) -> Option<Point> {
    let (across, up) = (layout.x.position(x), layout.y.position(y));
    let inside = |position: f64| (-1e-6..=1.0 + 1e-6).contains(&position);
    (inside(across) && inside(up)).then(|| (layout.px_at(across), layout.py_at(up)))
}

/// Selects the positions to draw, so that they can be distinguished.
fn distinguishable(places: &[Option<Point>], plot: &PixelRect) -> Vec<usize> {
    let inside = || places.iter().enumerate().filter_map(|(at, place)| Some((at, (*place)?)));
    if inside().count() <= MOST_DRAWN {
        return inside().map(|(at, _)| at).collect();
    }
    let mut cells = Cells::of(plot);
    let distance: Vec<usize> = inside().filter(|(_, place)| cells.is_first(*place)).map(|(at, _)| at).collect();
    if distance.len() <= MOST_DRAWN {
        return distance;
    }
    (0..MOST_DRAWN).map(|i| distance[i * distance.len() / MOST_DRAWN]).collect()
}

/// Marks the cells of a plot that already have a dot.
struct Cells {
    first: (usize, usize),
    across: usize,
    taken: Vec<bool>,
}

impl Cells {
    fn of(plot: &PixelRect) -> Self {
        let first = cell((plot.left, plot.top));
        let last = cell((plot.right, plot.bottom));
        // One more on both sides, for positions that rounding puts just outside the frame.
        let first = (first.0.saturating_sub(1), first.1.saturating_sub(1));
        let (across, down) = (last.0.saturating_sub(first.0) + 2, last.1.saturating_sub(first.1) + 2);
        Cells { first, across, taken: vec![false; across.saturating_mul(down)] }
    }

    /// Marks the cell of a position; true if it was free.
    fn is_first(&mut self, place: Point) -> bool {
        let (col, row) = cell(place);
        let (col, row) = (col.saturating_sub(self.first.0), row.saturating_sub(self.first.1));
        let taken = self.taken.get_mut(row * self.across + col.min(self.across - 1));
        taken.is_some_and(|taken| !std::mem::replace(taken, true))
    }
}

/// The column and row of a position.
fn cell((x, y): Point) -> (usize, usize) {
    // `as` saturates.
    ((x / SEPARATION + 0.5) as usize, (y / SEPARATION + 0.5) as usize)
}

/// The series with at most [`MOST_DRAWN`] points, selected like the dots; curves are unchanged.
fn thinned<'a>(series: &'a Series, layout: &ChartLayout) -> Cow<'a, Series> {
    if series.kind == SeriesKind::Line || series.data.len() <= MOST_DRAWN {
        return Cow::Borrowed(series);
    }
    let places: Vec<Option<Point>> = series.data.iter().map(|(x, y)| place(layout, *x, *y)).collect();
    let data = distinguishable(&places, &layout.plot).into_iter().map(|at| series.data[at]).collect();
    Cow::Owned(Series { data, ..series.clone() })
}
