//! Figures over arrays, such as line charts, heat maps and points in a plane.
//!
//! The plots know arrays, labels and styles, but neither attention nor browsers. They draw on any [`plotters`] back
//! end: a canvas in the page, SVG in tests and exports. Each plot also provides its content as CSV, and most plots as a
//! [`Table`], for users who cannot see it.
//!
//! A plot is a plain struct. `draw` paints it on a drawing area in a [`Style`] and returns a layout that maps CSS
//! pixels to data and back, for pointer events. Any data can be drawn: values that are not finite are left out, empty
//! data draw an empty frame, an area without size draws nothing.
//!
//! | file | concept |
//! | --- | --- |
//! | `number` | numbers as text |
//! | `extent`, `axis` | spans, scales, ticks |
//! | `order` | sorting by a number |
//! | `oklab`, `palette`, `style` | colours, roles, type, density |
//! | `pen`, `labels`, `frame` | drawing in CSS pixels, placing labels, axes around a plot |
//! | `series`, `line_chart`, `readout` | curves and points: data, drawing them, reading them |
//! | `curve`, `end_labels` | curves cut at the frame, and their names at their ends |
//! | `band`, `rules`, `chart_key` | areas between curves, marked positions on the horizontal axis, what kinds of marks mean |
//! | `cells`, `heat_map`, `meter` | a matrix as pixels, as a plot, the bars under it |
//! | `tint`, `scatter`, `tiles` | a third number by colour and size, in dots and in a grid of named rows and columns |
//! | `token_plane`, `token_line`, `token_overlays` | points in the plane or on a line, changes of them, and what is drawn over them |
//! | `ladder_axis`, `ladder` | numbers decades apart as bars on one logarithmic axis |
//! | `heat_rows`, `panels` | named rows of colours over an axis; plots over each other with one axis |
//! | `table`, `export`, `caption`, `alt` | tables, SVG files, the caption of an exported figure, and its alternative text |
//! | `sheet` | figures for documents: widths, grounds, panels |
//! | `redraw` | figures as sources for Matplotlib, pgfplots and Vega-Lite |
//! | `figure` | the trait of all plots |

mod alt;
mod axis;
mod band;
mod caption;
mod cells;
mod chart_key;
mod curve;
mod end_labels;
mod export;
mod extent;
mod figure;
mod frame;
mod heat_map;
mod heat_map_layout;
mod heat_rows;
mod labels;
mod ladder;
mod ladder_axis;
mod line_chart;
mod meter;
mod number;
mod oklab;
mod order;
mod palette;
mod panels;
mod pen;
mod readout;
mod redraw;
mod rules;
mod scatter;
mod series;
mod sheet;
mod strip;
mod style;
mod table;
mod tiles;
mod tint;
mod token_line;
mod token_overlays;
mod token_plane;

use std::fmt;

pub use alt::AltText;
pub use axis::{AxisSpec, Numbers, Ruler, Tick};
pub use band::Band;
pub use caption::{Caption, CaptionLines};
pub use chart_key::{KeyEntry, KeyMark};
pub use export::{escaped, finish_svg};
pub use extent::{Extent, HeldExtent, Scale};
pub use figure::Figure;
pub use frame::ChartLayout;
pub use heat_map::HeatMap;
pub use heat_map_layout::HeatMapLayout;
pub use heat_rows::HeatRows;
pub use labels::{LabelRequest, place};
pub use ladder::{Ladder, LadderLayout, LadderRow};
pub use ladder_axis::axis_range as ladder_range;
pub use line_chart::{LineChart, Mark};
pub use number::{Kind, Number, raised};
pub use order::ascending;
pub use palette::{LineStyle, Palette, Role, Theme, css, mix};
pub use panels::{Panel, Panels, PanelsLayout};
pub use pen::PixelRect;
pub use readout::HoverValue;
pub use redraw::{DrawingTool, Layer, LayerMark, MOST_LINES, Plotted, PlottedAxis, SCRIPT};
pub use rules::Rule;
pub use scatter::{DISC_OPACITY, Disc, Dot, MOST_DRAWN, Scatter, ScatterLayout};
pub use series::{Series, SeriesKind, ValueForm};
pub use sheet::{Ground, Sheet, SheetLayout, SheetWidth};
pub use strip::FarAbove;
pub use style::{Medium, Style, Type, text_width};
pub use table::{FORMULA_MARKS, Table};
pub use tiles::{Tiles, TilesLayout};
pub use token_plane::{Changes, DrawnChanges, PlaneAxes, PlaneLayout, PlaneShape, Sway, TokenPlane};

/// The back end failed to draw; the data never cause this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawError(String);

impl DrawError {
    fn new(cause: &dyn fmt::Display) -> Self {
        DrawError(cause.to_string())
    }
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the plot could not be drawn: {}", self.0)
    }
}

impl std::error::Error for DrawError {}
