//! The figures' tests.

mod charts;
mod planes;
mod svg;
