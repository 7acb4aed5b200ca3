//! The part of the page's head that comes after the first picture: links and documents; and in a menu papers, teacher's
//! view, theme, keys, language.

use crate::prelude::*;
use leptos::ev;

use super::language::{self, Language, language};
use super::share::ShareButton;
use super::stage::TeacherButton;
use super::state::ThemeChoice;
use super::strings;
use super::theme::use_themes;
use super::theory::DOCUMENTS;

/// Links and documents, and the menu.
#[component]
pub fn HeadRest(
    /// The button of the list of keys.
    children: Children,
) -> impl IntoView {
    let themes = use_themes();
    let paper = |(name, address, title): (&'static str, &'static str, &'static str)| {
        view! { <a href=address title=title rel="noreferrer">{name}</a> }
    };
    let option = move |choice: ThemeChoice| {
        view! {
            <button
                type="button"
                aria-pressed=move || (themes.chosen() == choice).to_string()
                data-theme-choice=choice.id()
                on:click=move |_| themes.choose(choice)
            >
                {strings::theme_choice(choice)}
            </button>
        }
    };
    view! {
        <div class="head-links"><ShareButton/><a href=DOCUMENTS id="documents" hreflang="en" target="_blank" rel="noopener">{strings::documents()}</a></div>
        <div class="head-menu">
            <span class="papers">{paper(strings::paper_castin())} {paper(strings::paper_kim())}</span>
            <TeacherButton/>
            <div class="switch" role="group" aria-label=strings::theme()>{ThemeChoice::ALL.map(option).collect_view()}</div>
            {children()}
            <LanguageChoice/>
        </div>
    }
}

/// The languages of the page. Choosing another one starts the page anew.
#[component]
fn LanguageChoice() -> impl IntoView {
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let picked = event.target().value();
        if let Some(language) = Language::OFFERED.into_iter().find(|language| language.tag() == picked) {
            language::choose(language);
        }
    };
    let option = |choice: Language| {
        view! {
            <option value=choice.tag() lang=choice.tag() selected=choice == language()>{choice.name()}</option>
        }
    };
    view! {
        <select id="language" class="language" aria-label=strings::languages() on:change:target=on_change>
            {Language::OFFERED.map(option).collect_view()}
        </select>
    }
}
