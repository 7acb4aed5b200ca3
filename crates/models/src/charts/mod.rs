//! A table of models as pictures: what of it is drawn where, for the page and for the command line alike.
//!
//! Numbers come from [`crate::models`], pictures from [`lipscope_plot`], words from whoever asks ([`ModelWords`]).
//!
//! | file | picture |
//! | --- | --- |
//! | `words` | names of axes and curves, and laws as text |
//! | `norms` | both estimators over n, with their fits and published curves |
//! | `adversarial` | the same at \[C\]'s adversarial tokens, with C sqrt(n) fitted |
//! | `sinks` | the norm against the largest column sum of attention |
//! | `grids` | layers, or heads, by lengths |
//! | `tables` | length by length, for reading |

mod adversarial;
mod grids;
mod norms;
mod sinks;
mod tables;
mod words;

pub use adversarial::{adversarial_chart, sqrt_law};
pub use grids::{head_tiles, layer_tiles};
pub use norms::{Released, norms_chart};
pub use sinks::{by_sink, sinks_chart};
pub use tables::lengths_table;
pub use words::{ModelWords, law, root_law};
