//! A figure as the source of other tools: its data, and a script of at most forty lines that draws it again.
//!
//! A [`Plotted`] is a figure in the terms that all tools share: two axes, and layers of lines, dots and areas. Each tool has
//! a file that writes it. Data and script are one file, so that neither is lost.

mod layers;
mod matplotlib;
mod pgfplots;
mod vega_lite;

pub use layers::{Layer, LayerMark, Plotted, PlottedAxis};

/// The most lines of a script, without its data.
pub const MOST_LINES: usize = 40;
/// The line that separates the data of a source from its script, after the mark of a comment.
pub const SCRIPT: &str = "---- the script ----";

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

/// Texts in one line each, at most `most` of them: the last ones share lines where there are more.
fn in_lines(texts: Vec<String>, most: usize, between: &str) -> Vec<String> {
    let of_line = texts.len().div_ceil(most.max(1)).max(1);
    texts.chunks(of_line).map(|chunk| chunk.join(between)).collect()
}

/// A text in one line, without control characters.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text between double quotes, as Python and JSON read it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}
