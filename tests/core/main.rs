//! The engine's tests.

mod bounds_hold;
mod clusters;
mod derivatives;
mod experiment_errors;
mod golden;
mod hunt;
mod l2;
mod portable;
mod regime;
mod script;
mod spectral_planted;
mod spectrum;
mod top_pair;
