//! Tests of the engine.

mod alike;
mod blocks;
mod bounds_hold;
mod bounds_searched;
mod certified;
mod clusters;
mod cost;
mod derivatives;
mod experiment_errors;
mod gallery;
mod golden;
mod growth;
mod l2;
mod parallel;
mod portable;
mod precise;
mod script;
mod search;
mod single;
mod span;
mod spectral_planted;
mod spectrum;
mod table_cases;
mod table_doubts;
mod tables;
mod top_pair;
