//! Tests of transformers.

mod derivatives;
mod figures;
mod files;
mod reference;
mod token_ids;
