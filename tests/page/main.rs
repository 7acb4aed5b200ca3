//! The page's tests that need no browser.

mod chinese;
mod han;
mod lessons;
mod lessons_training;
mod links;
