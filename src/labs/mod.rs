//! The experiments of the lab and the singular values.
//!
//! | module | concept |
//! | --- | --- |
//! | `lab`, `list` | what a lab is, and the list of all |
//! | `card`, `gallery` | a picture and a sentence of each lab |
//! | `frame`, `plot`, `inputs` | the frame of a lab, and its parts |
//! | `blocks`, `blocks_map` | the norms of the Jacobian's blocks, in the lab of its singular values |
//! | `compare`, `certify`, `scaling`, `tightness`, `gap`, `inverse`, `estimators`, `spectrum` | a lab each, some with more files |
//! | `plane`, `player` | the iterates of the inverse |

mod blocks;
mod blocks_map;
mod card;
mod certify;
mod compare;
mod estimators;
mod estimators_chart;
mod frame;
mod gallery;
mod gap;
mod gap_map;
mod inputs;
mod inverse;
mod inverse_chart;
mod inverse_controls;
mod lab;
mod list;
mod plane;
mod player;
mod plot;
mod scaling;
mod spectrum;
mod spectrum_chart;
mod tightness;

pub use gallery::Gallery;
pub use list::{begin, lab_with};
