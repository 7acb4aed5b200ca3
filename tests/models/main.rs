//! Tests of transformers.

mod cases;
mod derivatives;
mod figures;
mod files;
mod reference;
mod token_ids;
