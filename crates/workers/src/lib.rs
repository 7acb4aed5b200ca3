//! The browser's side of the two workers: the engine's, and that of models.

pub mod model_worker;
pub mod worker;
