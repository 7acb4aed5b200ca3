//! The controls. Each reads and edits the state; none holds a value of its own.

mod attention;
mod choice;
mod input_box;
mod meanings;
mod number;
mod presets;
mod problem;
mod seed;
mod sweep;
mod switch;
mod text_source;
mod tokens;
mod unavailable;
mod weights;

use crate::prelude::*;

pub use choice::Choice;
pub use input_box::InputBox;
pub use meanings::Meanings;
pub use number::NumberField;
pub use problem::ProblemAt;
pub use switch::Switch;
pub use text_source::{TextFile, TextSource};

/// All controls, top to bottom; own data stand below them.
#[component]
pub fn Controls() -> impl IntoView {
    view! {
        <presets::Presets/>
        <tokens::TokenControls/>
        <weights::WeightControls/>
        <attention::AttentionControls/>
        <sweep::SweepControls/>
    }
}
