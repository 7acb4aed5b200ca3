//! A text with live values in its places.

use leptos::prelude::*;

use crate::lessons::{Age, Facts, Filled, Piece, Said, Slot, pieces};
use crate::page::{Page, use_page};
use crate::strings;

/// The paragraphs of a step.
#[component]
pub fn Prose(
    /// The texts, with places.
    text: &'static [Said],
) -> impl IntoView {
    text.iter().map(|text| view! { <Paragraph text=text.now()/> }).collect_view()
}

#[component]
fn Paragraph(
    /// The text, with places.
    text: &'static str,
) -> impl IntoView {
    // A text whose places name nothing does not pass the tests.
    let pieces = pieces(text).unwrap_or_default();
    let of = |piece: Piece| match piece {
        Piece::Words(words) => bound(words).into_any(),
        Piece::Value(slot) => view! { <Value place=slot/> }.into_any(),
        Piece::Formula(formula) => formula.view(),
    };
    // A formula is set apart; it scrolls by itself where it is wider than the panel.
    match pieces.as_slice() {
        [Piece::Formula(formula)] => view! { <div class="lesson-formula">{formula.view()}</div> }.into_any(),
        _ => view! { <p>{pieces.into_iter().map(of).collect_view()}</p> }.into_any(),
    }
}

/// Words whose last one stays on the line of the value after it, as an equals sign does on that of its sides.
fn bound(words: &str) -> String {
    let words = words.replace(" = ", "\u{a0}=\u{a0}");
    match words.strip_suffix(' ') {
        Some(words) => format!("{words}\u{a0}"),
        None => words,
    }
}

/// What stands in a place now.
#[component]
fn Value(
    /// Which place.
    place: Slot,
) -> impl IntoView {
    let page = use_page();
    let filled = Memo::new(move |_| fill(page, place));
    let text = move || {
        filled.with(|filled| match filled {
            Some(Filled { sign: "", text, .. }) => text.clone(),
            Some(Filled { sign, text, .. }) => format!("{sign}\u{a0}{text}"),
            None => strings::LESSON_WAITING.to_owned(),
        })
    };
    let full = move || filled.with(|filled| filled.as_ref().map_or_else(String::new, |filled| filled.full.clone()));
    let is_old = move || filled.with(|filled| filled.as_ref().is_none_or(|filled| filled.age == Age::Before));
    view! {
        <span class="slot" class:words=place.is_in_words() class:old=is_old data-slot=place.words() data-value=full title=full>{text}</span>
    }
}

fn fill(page: Page, slot: Slot) -> Option<Filled> {
    let (live, labs) = (page.live, page.labs);
    page.state.with(|state| {
        labs.settings.with(|settings| {
            live.measured.with(|measured| {
                live.sweep.with(|sweep| {
                    live.growth.with(|growth| {
                        labs.scaling.with(|scaling| {
                            labs.tightness.with(|tightness| {
                                labs.inverse.with(|inverse| {
                                    let measured = measured.as_deref();
                                    slot.fill(&Facts {
                                        state,
                                        settings,
                                        measured,
                                        sweep,
                                        growth,
                                        scaling,
                                        tightness,
                                        inverse,
                                    })
                                })
                            })
                        })
                    })
                })
            })
        })
    })
}
