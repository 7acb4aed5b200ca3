//! The controls. Each reads and edits the state; none holds a value of its own.

mod attention;
mod beside;
mod choice;
mod number;
mod presets;
mod seed;
mod sweep;
mod text_source;
mod tokens;
mod weights;

use crate::prelude::*;

pub use beside::{Meanings, ProblemAt};
pub use choice::{Choice, Switch};
pub use number::NumberField;
pub use text_source::{InputBox, TextFile, TextSource};

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
