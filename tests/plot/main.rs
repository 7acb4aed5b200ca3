//! Tests of the figures.

mod charts;
mod panels;
mod planes;
mod svg;
