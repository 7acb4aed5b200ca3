//! Pictures of arrays: line charts, heat maps, points in a plane.
//!
//! The plots know arrays, labels and styles, and nothing of attention, formulas or browsers. They
//! draw on any [`plotters`] back end: a canvas in the page, SVG in tests and for export. What a
//! picture says in words (labels, units, numbers) is made from the struct that is drawn, and so
//! are its twins for those who cannot see it: a [`Table`] and CSV.
//!
//! A plot is a plain struct. `draw` paints it on a drawing area in a [`Style`] and returns a
//! layout, which maps CSS pixels to data and back, so that the page can answer the pointer.
//! Any data can be drawn: what is not finite is left out, what is empty draws an empty frame, an
//! area without size draws nothing.
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
//! | `band`, `rules` | areas between curves, marked places on the horizontal axis |
//! | `cells`, `heat_map`, `meter` | a matrix as pixels, as a plot, the bars under it |
//! | `tint`, `scatter`, `tiles` | a third number by colour and size; dots that have one; a grid of named rows and columns |
//! | `token_plane`, `token_line`, `token_changes` | points in the plane, or on a line; changes of them |
//! | `ladder_axis`, `ladder` | numbers far apart as bars on one logarithmic axis |
//! | `table`, `export` | data twins, SVG files |
//! | `figure` | what every plot is: one code, any back end |

mod axis;
mod band;
mod cells;
mod curve;
mod end_labels;
mod export;
mod extent;
mod figure;
mod frame;
mod heat_map;
mod labels;
mod ladder;
mod ladder_axis;
mod line_chart;
mod meter;
mod number;
mod oklab;
mod order;
mod palette;
mod pen;
mod readout;
mod rules;
mod scatter;
mod series;
mod style;
mod table;
mod tiles;
mod tint;
mod token_changes;
mod token_line;
mod token_plane;

use std::fmt;

pub use axis::{AxisSpec, Numbers, Ruler, Scale, Tick};
pub use band::Band;
pub use export::finish_svg;
pub use extent::{Extent, HeldExtent};
pub use figure::Figure;
pub use frame::ChartLayout;
pub use heat_map::{HeatMap, HeatMapLayout};
pub use labels::{Wanted, place};
pub use ladder::{Ladder, LadderLayout, LadderRow};
pub use line_chart::{LineChart, Mark};
pub use number::{Kind, Number};
pub use order::ascending;
pub use palette::{LineStyle, Palette, Role, Theme, css, mix};
pub use pen::PixelRect;
pub use readout::HoverValue;
pub use rules::Rule;
pub use scatter::{DISC_OPACITY, Disc, Dot, MOST_DRAWN, Scatter, ScatterLayout};
pub use series::{Given, Series, SeriesKind};
pub use style::{Medium, Style, Type, text_width};
pub use table::Table;
pub use tiles::{Tiles, TilesLayout};
pub use token_changes::{Changes, Sway};
pub use token_plane::{PlaneLayout, PlaneShape, TokenPlane};

/// The back end could not draw. The data never cause this.
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
