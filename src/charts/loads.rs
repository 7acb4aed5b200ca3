//! Buttons that load the tokens which attain a lower bound.

use leptos::prelude::*;

use crate::page::use_page;
use crate::state::TokenChoice;
use crate::strings;

/// Buttons that take the tokens behind a lower bound.
#[component]
pub fn Loads() -> impl IntoView {
    let page = use_page();
    let has_clusters = Memo::new(move |_| {
        page.live.measured.with(|m| m.as_ref().is_some_and(|m| m.measurement.two_clusters.is_some()))
    });
    let has_sink =
        Memo::new(move |_| page.live.measured.with(|m| m.as_ref().is_some_and(|m| m.measurement.sink.is_some())));
    let has_fork =
        Memo::new(move |_| page.live.measured.with(|m| m.as_ref().is_some_and(|m| m.measurement.fork.is_some())));
    let choose = move |choice: TokenChoice| page.edit("law", |state| state.choose_tokens(choice));
    view! {
        <div class="loads" role="group" aria-label=strings::load_hint()>
            <span title=strings::load_hint()>{strings::load()}</span>
            <button
                type="button"
                id="load-two_clusters"
                disabled=move || !has_clusters.get()
                on:click=move |_| {
                    page.load_two_clusters();
                }
            >
                {strings::load_two_clusters()}
            </button>
            <button
                type="button"
                id="load-sink"
                disabled=move || !has_sink.get()
                on:click=move |_| {
                    page.load_witness(|measurement| measurement.sink.as_ref());
                }
            >
                {strings::load_sink()}
            </button>
            <button
                type="button"
                id="load-fork"
                disabled=move || !has_fork.get()
                on:click=move |_| {
                    page.load_witness(|measurement| measurement.fork.as_ref());
                }
            >
                {strings::load_fork()}
            </button>
            <button type="button" id="load-adversarial" on:click=move |_| choose(TokenChoice::Adversarial)>{strings::load_adversarial()}</button>
            <button type="button" id="load-skew" on:click=move |_| choose(TokenChoice::Skew)>{strings::load_skew()}</button>
        </div>
    }
}
