//! The tools that a figure is written for.

use super::layers::Plotted;
use super::{matplotlib, pgfplots, vega_lite};

/// A tool that draws figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawingTool {
    /// Python's Matplotlib.
    Matplotlib,
    /// LaTeX's pgfplots.
    Pgfplots,
    /// A specification of Vega-Lite.
    VegaLite,
}

impl DrawingTool {
    /// Every tool.
    pub const ALL: [DrawingTool; 3] = [DrawingTool::Matplotlib, DrawingTool::Pgfplots, DrawingTool::VegaLite];

    /// Its name.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            DrawingTool::Matplotlib => "matplotlib",
            DrawingTool::Pgfplots => "pgfplots",
            DrawingTool::VegaLite => "vega-lite",
        }
    }

    /// How the names of its sources end.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            DrawingTool::Matplotlib => "py",
            DrawingTool::Pgfplots => "tex",
            DrawingTool::VegaLite => "vl.json",
        }
    }

    /// The media type of its sources.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            DrawingTool::Matplotlib => "text/x-python",
            DrawingTool::Pgfplots => "application/x-tex",
            DrawingTool::VegaLite => "application/json",
        }
    }

    /// The source of a figure with a title, of a width and a height in inches.
    #[must_use]
    pub fn source(self, plotted: &Plotted, title: &str, inches: (f64, f64)) -> String {
        match self {
            DrawingTool::Matplotlib => matplotlib::source(plotted, title, inches),
            DrawingTool::Pgfplots => pgfplots::source(plotted, title, inches),
            DrawingTool::VegaLite => vega_lite::source(plotted, title, inches),
        }
    }
}
