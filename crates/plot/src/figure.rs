//! The trait of all plots: one drawing function for every plotters back end.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend, IntoDrawingArea, SVGBackend};

use super::alt::AltText;
use super::export::finish_svg;
use super::sheet::{SVG_SCALE, Sheet};
use super::{
    Caption, ChartLayout, DrawError, HeatMap, HeatMapLayout, Ladder, LadderLayout, LineChart, Panels, PanelsLayout,
    PlaneLayout, Plotted, Scatter, ScatterLayout, Style, Theme, Tiles, TilesLayout, TokenPlane,
};

/// A plot.
pub trait Figure {
    /// The layout: where everything was drawn, for pointer events.
    type Layout;

    /// Draws the plot over the whole area.
    ///
    /// # Errors
    /// [`DrawError`] if the back end fails.
    fn draw_on<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        style: &Style,
    ) -> Result<Self::Layout, DrawError>;

    /// Its content in one line, for readers who cannot see it.
    fn description(&self) -> String;

    /// The plot in the terms of other tools; `None` for one that is more than lines, dots and areas over two axes.
    fn plotted(&self) -> Option<Plotted>;

    /// The plot as a standalone SVG document in the light theme, with its caption under it; `size` in CSS pixels,
    /// without the caption.
    ///
    /// # Errors
    /// [`DrawError`] if the back end fails.
    fn to_svg(&self, (width, height): (f64, f64), title: &str, caption: &Caption) -> Result<String, DrawError> {
        let svg = self.drawn((width, height), Theme::Light)?;
        let alt = AltText { title, description: &self.description() };
        Ok(finish_svg(&svg, &Style::svg(Theme::Light, SVG_SCALE), alt, caption))
    }

    /// The plot on a sheet, as an SVG document; `shape` is its height over its width.
    ///
    /// # Errors
    /// [`DrawError`] if the back end fails.
    fn on_sheet(&self, sheet: &Sheet, shape: f64, title: &str, caption: &Caption) -> Result<String, DrawError> {
        let layout = sheet.lay_out(&[shape], caption);
        let drawn = layout.panels.iter().map(|rect| self.drawn_in((rect.width(), rect.height()), &sheet.style()));
        let drawn = drawn.collect::<Result<Vec<_>, _>>()?;
        Ok(sheet.document(&layout, &drawn, AltText { title, description: &self.description() }, caption))
    }

    /// The plot as plotters writes it, in a theme: four units a CSS pixel, without a title.
    ///
    /// # Errors
    /// [`DrawError`] if the back end fails.
    fn drawn(&self, size: (f64, f64), theme: Theme) -> Result<String, DrawError> {
        self.drawn_in(size, &Style::svg(theme, SVG_SCALE))
    }

    /// The plot as plotters writes it, in a style for SVG.
    ///
    /// # Errors
    /// [`DrawError`] if the back end fails.
    fn drawn_in(&self, (width, height): (f64, f64), style: &Style) -> Result<String, DrawError> {
        let units = |length: f64| (length * style.scale).round().clamp(1.0, 1e5) as u32;
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (units(width), units(height))).into_drawing_area();
            self.draw_on(&area, style)?;
            area.present().map_err(|error| DrawError::new(&error))?;
        }
        Ok(svg)
    }
}

macro_rules! figure {
    ($plot:ty, $layout:ty, $plotted:expr) => {
        impl Figure for $plot {
            type Layout = $layout;

            fn draw_on<DB: DrawingBackend>(
                &self,
                area: &DrawingArea<DB, Shift>,
                style: &Style,
            ) -> Result<Self::Layout, DrawError> {
                self.draw(area, style)
            }

            fn description(&self) -> String {
                self.description()
            }

            fn plotted(&self) -> Option<Plotted> {
                $plotted(self)
            }
        }
    };
}

figure!(LineChart, ChartLayout, |plot: &LineChart| Some(plot.plotted()));
figure!(HeatMap, HeatMapLayout, |_| None);
figure!(TokenPlane, PlaneLayout, |plot: &TokenPlane| Some(plot.plotted()));
figure!(Ladder, LadderLayout, |_| None);
figure!(Scatter, ScatterLayout, |plot: &Scatter| Some(plot.plotted()));
figure!(Tiles, TilesLayout, |_| None);
figure!(Panels, PanelsLayout, |_| None);

#[cfg(test)]
mod tests {
    use super::super::{AxisSpec, Role, Scale, Series, SeriesKind};
    use super::*;

    #[test]
    fn a_figure_is_an_svg_document_of_its_size_with_its_labels() {
        let series = Series::new("a", "bound", Role::Unified, SeriesKind::Line, vec![(1.0, 1.0), (10.0, 5.0)]);
        let chart = LineChart::new(AxisSpec::new("n", Scale::Log), AxisSpec::new("norm", Scale::Linear), vec![series]);
        let svg = chart.to_svg((640.0, 400.0), "norm over n", &Caption::default()).expect("a string can be written");
        assert!(svg.contains("width=\"640\" height=\"400\" viewBox=\"0 0 2560 1600\""), "{svg}");
        assert!(
            svg.contains("<title>norm over n</title>") && svg.contains("bound") && svg.trim_end().ends_with("</svg>")
        );
    }
}
