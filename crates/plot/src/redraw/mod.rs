//! A figure as the source of other tools: its data, and a script of at most forty lines that draws it again.
//!
//! A [`Plotted`] is a figure in the terms that all tools share: two axes, and layers of lines, dots and areas. Each tool has
//! a file that writes it. Data and script are one file, so that neither is lost.

mod layers;
mod matplotlib;
mod pgfplots;
mod text;
mod tool;
mod vega_lite;

pub use layers::{Layer, LayerMark, Plotted, PlottedAxis};
pub use text::{MOST_LINES, SCRIPT};
pub use tool::DrawingTool;
