//! Tests of the figures.

mod charts;
mod panels;
mod planes;
mod redraw;
mod sheets;
mod svg;
