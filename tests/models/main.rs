//! Tests of transformers.

mod bounds;
mod cases;
mod certified;
mod derivatives;
mod families;
mod figures;
mod files;
mod plain;
mod reference;
mod special;
mod statistics;
mod token_ids;
mod upper;
