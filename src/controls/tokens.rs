//! The tokens: how many, in how many dimensions, how far out, from which distribution.

use crate::prelude::*;

use crate::field::Field;
use crate::later::{Later, use_later};
use crate::page::{Page, use_page};
use crate::panels::{OwnDataKind, Panels, use_panels};
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::bounds::TWO_CLUSTERS;

use super::beside::Meanings;
use super::choice::Choice;
use super::number::NumberField;
use super::seed::SeedField;

const CHOICES: [(&str, TokenChoice); 8] = TokenChoice::ALL;

/// The controls of the tokens.
#[component]
pub fn TokenControls() -> impl IntoView {
    let (page, panels, later) = (use_page(), use_panels(), use_later());
    let chosen = memo(move |_| page.state.with(|state| state.tokens));
    let chosen_id = Signal::derive(move || id_of(chosen.get()));
    let shapes = memo(move |_| page.state.with(|state| CHOICES.map(|(_, choice)| shape_of(state, choice))));
    let options = Signal::derive(move || {
        CHOICES
            .iter()
            .zip(shapes.get())
            .map(|((id, choice), shape)| (*id, strings::token_choice(*choice, shape)))
            .collect()
    });
    let on_pick = move |id: String| match CHOICES.iter().find(|(known, _)| *known == id) {
        Some((_, TokenChoice::Own)) if page.state.with_untracked(|s| s.own_tokens.is_none()) => {
            panels.open_own_data(OwnDataKind::Tokens, later)
        }
        Some((_, TokenChoice::Clusters)) if page.state.with_untracked(|s| s.own_clusters.is_none()) => {
            some_clusters(page, panels, later)
        }
        Some((_, choice)) => page.edit("distribution", |state| state.choose_tokens(*choice)),
        None => {}
    };
    let by_list = Signal::derive(move || page.state.with(why_n_is_fixed));
    let d_fixed = memo(move |_| page.state.with(why_d_is_fixed));
    let seedless =
        Signal::derive(move || (!page.state.with(PageState::has_samples)).then_some(strings::only_random_tokens()));
    view! {
        <section class="group" aria-labelledby="tokens-heading">
            <h2 id="tokens-heading">{strings::tokens()}</h2>
            <p class="note">{strings::tokens_line()}</p>
            <NumberField field=Field::N fixed=by_list/>
            <NumberField field=Field::D fixed=Signal::derive(move || d_fixed.get())/>
            <NumberField field=Field::RADIUS fixed=by_list/>
            <Choice id="distribution" label=strings::distribution() hint=strings::distribution_hint() options chosen=chosen_id on_pick=Callback::new(on_pick)/>
            <SeedField field=Field::TOKEN_SEED redraw_hint=strings::redraw_tokens() fixed=seedless/>
            <Meanings of=vec![
                Field::N.meaning(),
                Field::D.meaning(),
                Field::RADIUS.meaning(),
                (strings::distribution(), strings::distribution_hint()),
                Field::TOKEN_SEED.meaning(),
            ]/>
        </section>
    }
}

/// Loads the two clusters of the last measurement, where it has some; else opens the form for the reader's own data.
fn some_clusters(page: Page, panels: Panels, later: Later) {
    if !page.load_witness(&TWO_CLUSTERS) {
        panels.open_own_data(OwnDataKind::Tokens, later);
    }
}

fn id_of(choice: TokenChoice) -> &'static str {
    CHOICES.iter().find(|(_, known)| *known == choice).map_or("ball", |(id, _)| id)
}

/// Rows and columns of the reader's own data, for a choice that uses such data.
fn shape_of(state: &PageState, choice: TokenChoice) -> Option<(usize, usize)> {
    match choice {
        TokenChoice::Own => state.own_tokens.as_ref().map(|rows| (rows.n_rows(), rows.n_columns())),
        TokenChoice::Clusters => {
            state.own_clusters.as_ref().map(|own| (own.positions.n_rows(), own.positions.n_columns()))
        }
        _ => None,
    }
}

/// Why the reader cannot set n: a list fixes it. Tokens that were moved by hand do not fix n: setting n then draws new
/// ones.
pub fn why_n_is_fixed(state: &PageState) -> Option<&'static str> {
    match state.tokens {
        _ if !state.has_fixed_n() => None,
        TokenChoice::Clusters => Some(strings::fixed_by_clusters()),
        _ => Some(strings::fixed_by_own_tokens()),
    }
}

fn why_d_is_fixed(state: &PageState) -> Option<&'static str> {
    match (state.tokens, state.weights) {
        (TokenChoice::Own, _) => Some(strings::fixed_by_own_tokens()),
        (TokenChoice::Clusters, _) => Some(strings::fixed_by_clusters()),
        (TokenChoice::Skew, _) => Some(strings::fixed_by_skew()),
        (TokenChoice::Adversarial, WeightChoice::Random) => Some(strings::fixed_by_heads()),
        (TokenChoice::Adversarial, WeightChoice::Kim) => Some(strings::one_a_head()),
        (TokenChoice::Adversarial, WeightChoice::IdentityPlus | WeightChoice::IdentityMinus) => {
            Some(strings::fixed_by_identity())
        }
        (_, WeightChoice::Own) => Some(strings::fixed_by_own_weights()),
        _ => None,
    }
}
