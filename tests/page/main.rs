//! The page's tests that need no browser.

mod answer_codes;
mod answers;
mod chinese;
mod dice;
mod documents;
mod envelope;
mod fields;
mod figures;
mod han;
mod known;
mod lessons;
mod lessons_shown;
mod lessons_training;
mod links;
mod opening;
mod questions;
mod styles;
mod teaching;
mod theory;
