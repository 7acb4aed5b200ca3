//! Panels: plots over each other with one horizontal axis, so that one x stands at the same place in all of them.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend};

use super::DrawError;
use super::axis::AxisSpec;
use super::extent::Extent;
use super::frame::ChartLayout;
use super::heat_rows::HeatRows;
use super::line_chart::{LineChart, Mark};
use super::pen::Pen;
use super::style::Style;
use super::table::Table;

/// A plot among others over the same axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Panel {
    /// Curves.
    Lines(LineChart),
    /// Rows of colours.
    Rows(HeatRows),
}

/// Plots over each other, the first on top, each with its part of the height.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    panels: Vec<(Panel, f64)>,
}

/// Where panels were drawn, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelsLayout {
    /// Each panel in its own part, and the top of the part.
    panels: Vec<(ChartLayout, f64)>,
}

impl PanelsLayout {
    /// The x at a pixel column, if it is over the plots.
    #[must_use]
    pub fn x_at(&self, px: f64) -> Option<f64> {
        let (layout, _) = self.panels.first()?;
        (layout.plot.left..=layout.plot.right).contains(&px).then(|| layout.px_to_x(px))
    }

    /// The panel at a height, by its index, with its layout and the height within its part.
    #[must_use]
    pub fn panel_at(&self, y: f64) -> Option<(usize, &ChartLayout, f64)> {
        let found = self.panels.iter().enumerate().rfind(|(_, (_, top))| *top <= y);
        found.map(|(at, (layout, top))| (at, layout, y - top))
    }

    /// The layouts of the panels, each in its own part.
    pub fn layouts(&self) -> impl Iterator<Item = &ChartLayout> {
        self.panels.iter().map(|(layout, _)| layout)
    }
}

impl Panels {
    /// Panels with their parts of the height. They show the same range of x, and the last one has the title of the axis.
    #[must_use]
    pub fn new(x: &AxisSpec, panels: Vec<(Panel, f64)>) -> Self {
        let range = x.range.or_else(|| panels.iter().filter_map(|(panel, _)| panel.x_extent()).reduce(Extent::union));
        let last = panels.len().saturating_sub(1);
        let over = |(at, (panel, part)): (usize, (Panel, f64))| {
            let label = if at == last { x.label.clone() } else { String::new() };
            (panel.over(AxisSpec { label, range, ..x.clone() }), part)
        };
        Panels { panels: panels.into_iter().enumerate().map(over).collect() }
    }

    /// The panels.
    pub fn panels(&self) -> impl Iterator<Item = &Panel> {
        self.panels.iter().map(|(panel, _)| panel)
    }

    /// The same panels with a marked x; the last one names it.
    #[must_use]
    pub fn marked(mut self, x: Option<f64>, label: &str) -> Self {
        let last = self.panels.len().saturating_sub(1);
        for (at, (panel, _)) in self.panels.iter_mut().enumerate() {
            match panel {
                Panel::Rows(rows) => rows.mark_x = x,
                Panel::Lines(chart) => {
                    let label = if at == last { label.to_owned() } else { String::new() };
                    chart.mark_x = x.map(|x| Mark { x, label });
                }
            }
        }
        self
    }

    /// The layout in an area of this many CSS pixels.
    #[must_use]
    pub fn layout(&self, (width, height): (f64, f64), style: &Style) -> PanelsLayout {
        let whole: f64 = self.panels.iter().map(|(_, part)| part).sum();
        let mut top = 0.0;
        let mut panels = Vec::new();
        for (panel, part) in &self.panels {
            let own = height * part / whole.max(f64::MIN_POSITIVE);
            panels.push((panel.layout((width, own), style), top));
            top += own;
        }
        align(&mut panels);
        PanelsLayout { panels }
    }

    /// Draws the panels over the whole area.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<PanelsLayout, DrawError> {
        let pen = Pen::new(area, style);
        let layout = self.layout(pen.size(), style);
        pen.clear()?;
        let bottoms = layout.panels.iter().skip(1).map(|(_, top)| *top).chain([pen.size().1]);
        for (((panel, _), (own, top)), bottom) in self.panels.iter().zip(&layout.panels).zip(bottoms) {
            if own.has_room() {
                panel.draw(&pen.part(*top, bottom), style, own)?;
            }
        }
        Ok(layout)
    }

    /// The content in one line: what each panel shows, and over which range.
    #[must_use]
    pub fn description(&self) -> String {
        let titles = self.panels().map(Panel::title).filter(|title| !title.is_empty());
        titles.collect::<Vec<_>>().join("; ")
    }

    /// The numbers of each panel as CSV, with an empty line between two.
    #[must_use]
    pub fn to_csv(&self) -> String {
        self.panels().map(Panel::to_csv).collect::<Vec<_>>().join("\r\n")
    }
}

/// Gives plots the same left and right edge: those of the narrowest.
fn align(panels: &mut [(ChartLayout, f64)]) {
    let left = panels.iter().map(|(layout, _)| layout.plot.left).fold(f64::NEG_INFINITY, f64::max);
    let right = panels.iter().map(|(layout, _)| layout.plot.right).fold(f64::INFINITY, f64::min);
    for (layout, _) in panels {
        (layout.plot.left, layout.plot.right) = (left, right.max(left + 1.0));
    }
}

impl Panel {
    /// The numbers as a table.
    #[must_use]
    pub fn to_table(&self) -> Table {
        match self {
            Panel::Lines(chart) => chart.to_table(),
            Panel::Rows(rows) => rows.to_table(),
        }
    }

    fn to_csv(&self) -> String {
        match self {
            Panel::Lines(chart) => chart.to_csv(),
            Panel::Rows(rows) => rows.to_csv(),
        }
    }

    fn title(&self) -> String {
        match self {
            Panel::Lines(chart) => chart.y.title(),
            Panel::Rows(rows) => rows.value_label.clone(),
        }
    }

    fn x_extent(&self) -> Option<Extent> {
        match self {
            Panel::Lines(chart) => chart.x_extent(),
            Panel::Rows(rows) => rows.x_extent(),
        }
    }

    fn over(mut self, x: AxisSpec) -> Self {
        match &mut self {
            Panel::Lines(chart) => chart.x = x,
            Panel::Rows(rows) => rows.x = x,
        }
        self
    }

    fn layout(&self, size: (f64, f64), style: &Style) -> ChartLayout {
        match self {
            Panel::Lines(chart) => chart.layout(size, style),
            Panel::Rows(rows) => rows.layout(size, style),
        }
    }

    fn draw<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        style: &Style,
        layout: &ChartLayout,
    ) -> Result<(), DrawError> {
        match self {
            Panel::Lines(chart) => chart.draw_within(pen, style, layout),
            Panel::Rows(rows) => rows.draw_within(pen, style, layout),
        }
    }
}
