//! The experiments of the lab and the singular values. The lab on screen has the lab's worker. A new lab is a file, a
//! [`Ask`](crate::ask::Ask) in [`Labs`], and a line in each `match` of `asking`.
//!
//! | module | concept |
//! | --- | --- |
//! | `context`, `asking` | what the labs hold; the requests of the lab on screen |
//! | `frame`, `plot`, `facts`, `inputs`, `number` | the frame of a lab, and its parts |
//! | `gallery` | all labs, a picture and a sentence each |
//! | `certify`, `scaling`, `tightness`, `inverse`, `estimators`, `spectrum` | a lab each, with `_chart` and `_controls` |
//! | `plane`, `player` | the iterates of the inverse |

mod asking;
mod certify;
mod context;
mod estimators;
mod estimators_chart;
mod facts;
mod frame;
mod gallery;
mod inputs;
mod inverse;
mod inverse_chart;
mod inverse_controls;
mod number;
mod plane;
mod player;
mod plot;
mod scaling;
mod spectrum;
mod spectrum_chart;
mod tightness;

pub use asking::begin;
pub use certify::CertifyLab;
pub use context::Labs;
pub use estimators::EstimatorLab;
pub use gallery::Gallery;
pub use inverse::InverseLab;
pub use scaling::ScalingLab;
pub use spectrum::SpectrumLab;
pub use tightness::TightnessLab;
