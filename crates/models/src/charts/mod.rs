//! Charts of a table of model measurements, for the page and the command line.
//!
//! Data come from the other modules of this crate, figures from [`lipscope_plot`], texts from the caller
//! ([`ModelWords`]).
//!
//! | file | picture |
//! | --- | --- |
//! | `words` | names of axes and curves, and fitted curves as text |
//! | `norms` | both estimators over n, with their fits and published curves |
//! | `adversarial` | both estimators at \[C\]'s adversarial tokens, with C sqrt(n) fitted |
//! | `sinks` | the norm against the largest column sum of attention |
//! | `grids` | heat maps of layers, or heads, by lengths |
//! | `tables` | summaries by length as a table |

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
pub use words::{ModelWords, power_law_text, sqrt_law_text};
