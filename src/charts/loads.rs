//! Buttons that load the tokens which attain a lower bound.

use crate::prelude::*;

use crate::page::{Page, use_page};
use crate::state::TokenChoice;
use crate::strings;
use lipscope_core::measure::Measurement;

/// A lower bound whose tokens can be loaded: the id of its button, its words, whether it has tokens, and how to load
/// them.
type Witness = (&'static str, fn() -> &'static str, fn(&Measurement) -> bool, fn(Page) -> bool);

const WITNESSES: [Witness; 3] = [
    ("load-two_clusters", || strings::load_two_clusters(), |m| m.two_clusters.is_some(), Page::load_two_clusters),
    ("load-sink", || strings::load_sink(), |m| m.sink.is_some(), |page| page.load_witness(|m| m.sink.as_ref())),
    ("load-fork", || strings::load_fork(), |m| m.fork.is_some(), |page| page.load_witness(|m| m.fork.as_ref())),
];

/// Buttons that load the tokens of a lower bound.
#[component]
pub fn Loads() -> impl IntoView {
    let page = use_page();
    let witness = move |(id, words, is_there, load): Witness| {
        let has = memo(move |_| {
            page.answers.measured.with(|measured| measured.as_ref().is_some_and(|m| is_there(&m.measurement)))
        });
        let on_click = move |_| {
            load(page);
        };
        view! { <button type="button" id=id hidden=move || !has.get() on:click=on_click>{words()}</button> }
    };
    let choice = move |(id, words, choice): (&'static str, &'static str, TokenChoice)| {
        let on_click = move |_| page.edit("distribution", |state| state.choose_tokens(choice));
        view! { <button type="button" id=id on:click=on_click>{words}</button> }
    };
    let choices = [
        ("load-adversarial", strings::load_adversarial(), TokenChoice::Adversarial),
        ("load-skew", strings::load_skew(), TokenChoice::Skew),
    ];
    view! {
        <div class="loads" role="group" aria-label=strings::load_hint()>
            <span>{strings::load()}</span>
            {WITNESSES.map(witness).collect_view()}
            {choices.map(choice).collect_view()}
        </div>
    }
}
