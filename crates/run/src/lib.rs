//! The rows of a monitored run: norms of a model's layers, and statistics of their attention, at steps of its training.
//!
//! A log is JSON Lines: a [`Header`], then a [`Row`] for each step, layer and map. [`RunReader`] reads it line by line, and
//! [`Run`] groups the rows. docs/monitor.md says what the keys mean; docs/run.schema.json is the schema of a line.
//!
//! ```
//! use lipscope_run::Run;
//!
//! let log = r#"{"step": 0, "layer": "h.0", "map": "block", "value": 1.5, "residual": 0.01, "kind": "lower bound", "loss": 4.1}
//! {"step": 100, "layer": "h.0", "map": "block", "value": NaN, "residual": NaN, "kind": "none", "loss": 2.5}"#;
//! let run = Run::parse(log)?;
//! assert_eq!(run.steps(), [0, 100]);
//! assert_eq!(run.per_step("loss").expect("one loss a step"), [(0, 4.1), (100, 2.5)]);
//! let values = run.grid("block", "value");
//! assert_eq!((values.at(0, 0), values.at(0, 1)), (Some(1.5), None));
//! # Ok::<(), lipscope_run::RunError>(())
//! ```

mod charts;
mod error;
mod grid;
mod header;
mod members;
mod missing_numbers;
mod reader;
mod row;
mod run;

pub use charts::{
    LOSS, RunView, RunWords, claim, column_name, head_tiles, map_with, panels_height, run_panels, step_table,
};
pub use error::{RowProblem, RunError};
pub use grid::Grid;
pub use header::{FORMAT, Header, VERSION};
pub use reader::RunReader;
pub use row::{Heads, Kind, Place, Row};
pub use run::Run;
