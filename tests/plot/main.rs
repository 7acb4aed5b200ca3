//! Tests of the figures.

mod charts;
mod planes;
mod svg;
