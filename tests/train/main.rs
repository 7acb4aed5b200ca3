//! Tests of the trained Transformer and of its training.

mod backwards;
mod contraction;
mod corpus;
mod exponential;
mod forward;
mod gelu;
mod gradients;
mod halves;
mod plans;
mod pytorch;
mod runs;
mod small;
