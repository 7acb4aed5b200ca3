//! The controls. Each reads and edits the state, and holds no value of its own but text that is being typed. Examples
//! to start from stand above them.

mod attention;
mod beside;
mod choice;
mod number;
mod seed;
mod steps;
mod sweep;
mod text_source;
mod tick;
mod tokens;
mod weights;

use crate::prelude::*;
use leptos::ev;

use crate::page::use_page;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::experiment::{Distribution, Mask, Normalization};

pub use beside::{Meanings, ProblemAt};
pub use choice::{Choice, Switch};
pub use number::NumberField;
pub use text_source::{InputBox, TextFile, TextSource};
pub use tick::Tick;
pub use tokens::why_n_is_fixed;

/// All controls, top to bottom; own data stand below them.
#[component]
pub fn Controls() -> impl IntoView {
    view! {
        <Presets/>
        <tokens::TokenControls/>
        <weights::WeightControls/>
        <attention::AttentionControls/>
        <sweep::SweepControls/>
    }
}

/// An example: its words, and what it changes.
type Example = (fn() -> &'static str, fn(&mut PageState));

/// The examples: what each changes of [`PageState::adversarial`].
const EXAMPLES: [Example; 9] = [
    (|| strings::example_adversarial(), |_| {}),
    (|| strings::example_two_clusters(), |state| *state = state.with_best_two_clusters()),
    (
        || strings::example_skew(),
        |state| {
            state.tokens = TokenChoice::Skew;
            state.n = 4096;
        },
    ),
    (
        || strings::example_million(),
        |state| {
            state.n = 1_000_000;
            state.mask = Mask::Causal;
        },
    ),
    (|| strings::example_ball(), |state| state.tokens = TokenChoice::Distribution(Distribution::Ball)),
    (
        || strings::example_causal(),
        |state| {
            state.tokens = TokenChoice::Distribution(Distribution::Ball);
            state.mask = Mask::Causal;
        },
    ),
    (
        || strings::example_small_ball(),
        |state| {
            state.tokens = TokenChoice::Distribution(Distribution::Ball);
            state.radius = 0.5;
        },
    ),
    (
        || strings::example_random_heads(),
        |state| {
            state.tokens = TokenChoice::Distribution(Distribution::Gaussian);
            state.weights = WeightChoice::Random;
            (state.d, state.heads, state.head_dim) = (8, 1, 8);
        },
    ),
    (
        || strings::example_layer_norm(),
        |state| {
            state.tokens = TokenChoice::Distribution(Distribution::Gaussian);
            state.weights = WeightChoice::Random;
            (state.d, state.heads, state.head_dim) = (16, 2, 8);
            state.normalization = Normalization::Layer;
        },
    ),
];

/// A list of examples. Picking one sets every control but the reader's own data and how the plots are drawn.
#[component]
fn Presets() -> impl IntoView {
    let page = use_page();
    let state_of = |change: fn(&mut PageState), now: &PageState| {
        let first =
            PageState { x_axis: now.x_axis, growth: now.growth, own_from: now.own_from, ..PageState::adversarial() };
        let mut state = first.keeping_data_of(now);
        change(&mut state);
        state
    };
    // The example whose state equals the present one, if one does. It is derived from the state, so it cannot differ
    // from the controls.
    let current =
        memo(move |_| page.state.with(|now| EXAMPLES.iter().position(|(_, change)| state_of(*change, now) == *now)));
    let value = move || current.get().map_or_else(String::new, |at| at.to_string());
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let picked = event.target().value().parse::<usize>().ok().and_then(|at| EXAMPLES.get(at));
        if let Some((_, change)) = picked {
            page.edit("preset", |state| *state = state_of(*change, state));
        }
    };
    view! {
        <div class="choice preset">
            <label for="preset">{strings::example()}</label>
            <select id="preset" prop:value=value on:change:target=on_change>
                <option value="" hidden>{strings::example_none()}</option>
                {EXAMPLES
                    .iter()
                    .enumerate()
                    .map(|(at, (words, _))| view! { <option value=at.to_string() selected=at == 0>{words()}</option> })
                    .collect_view()}
            </select>
        </div>
    }
}
