//! What was measured: the numbers of a cell, tables of cells, their means and slopes, and the published curves.
//!
//! Nothing here knows weights or how a number is computed: a table from a file is read without a model.

pub(crate) mod estimate;
pub(crate) mod head_map;
pub(crate) mod local_bounds;
pub(crate) mod published;
pub(crate) mod readings;
pub(crate) mod statistics;
pub(crate) mod table;
