//! Every text of the page, by view: short, plain, present tense.

mod bounds;
mod controls;
mod head;
mod hunt;
mod keys;
mod labs;
mod lessons;
mod link;
mod norms;
mod numbers;
mod own;
mod pictures;
mod plane;
mod plot;
mod regime;
mod take;
mod workers;
mod wrong;

pub use bounds::*;
pub use controls::*;
pub use head::*;
pub use hunt::*;
pub use keys::*;
pub use labs::*;
pub use lessons::*;
pub use link::*;
pub use norms::*;
pub use numbers::*;
pub use own::*;
pub use pictures::*;
pub use plane::*;
pub use plot::*;
pub use regime::*;
pub use take::*;
pub use workers::*;
pub use wrong::*;
