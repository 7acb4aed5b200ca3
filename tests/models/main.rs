//! Tests of transformers.

mod figures;
mod files;
mod reference;
