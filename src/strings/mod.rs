//! Every text of the page, by view, in every language of the page side by side: short, plain, present tense.

#[macro_use]
mod speak;

mod bounds;
mod controls;
mod growth;
mod head;
mod keys;
mod labs;
mod lesson_steps;
mod lessons;
mod link;
mod model_figures;
mod models;
mod norms;
mod numbers;
mod own;
mod pictures;
mod plane;
mod plot;
mod problems;
mod search;
mod spectrum;
mod take;
mod workers;
mod wrong;

use speak::t;

pub use bounds::*;
pub use controls::*;
pub use growth::*;
pub use head::*;
pub use keys::*;
pub use labs::*;
pub use lesson_steps::*;
pub use lessons::*;
pub use link::*;
pub use model_figures::*;
pub use models::*;
pub use norms::*;
pub use numbers::*;
pub use own::*;
pub use pictures::*;
pub use plane::*;
pub use plot::*;
pub use problems::told;
pub use search::*;
pub use spectrum::*;
pub use take::*;
pub use workers::*;
pub use wrong::*;
