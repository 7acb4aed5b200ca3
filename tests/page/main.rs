//! The page's tests that need no browser.

mod answers;
mod chinese;
mod dice;
mod han;
mod lessons;
mod lessons_training;
mod links;
mod teaching;
