//! The line about the other window, and the section in the panel of links that opens it.

use crate::prelude::*;
use leptos::html::Section;

use crate::panels::use_panels;
use crate::strings;

use super::audience::{Audience, Following};
use super::bar::keep_room;
use super::lecturer::{Lecturer, Status};
use super::message::Screen;

/// The section in the panel of links. A projector's window has none.
#[component]
pub fn OpenSection() -> impl IntoView {
    let panels = use_panels();
    use_context::<Lecturer>().map(|lecturer| {
        let on_click = move |_| {
            panels.share.set(false);
            lecturer.open();
        };
        view! {
            <section class="share-projector">
                <h3>{strings::projector_heading()}</h3>
                <p class="note">{strings::projector_about()}</p>
                <p><button type="button" id="projector-open" on:click=on_click>{strings::projector_open()}</button></p>
            </section>
        }
    })
}

/// The line about the other window, at the bottom of the page.
#[component]
pub fn ProjectorLine() -> impl IntoView {
    match (use_context::<Lecturer>(), use_context::<Audience>()) {
        (Some(lecturer), _) => view! { <LecturerLine lecturer/> }.into_any(),
        (None, Some(audience)) => view! { <AudienceLine audience/> }.into_any(),
        (None, None) => ().into_any(),
    }
}

/// What the lecturer is told about the projector, with what can be done.
#[component]
fn LecturerLine(
    /// The state of the window.
    lecturer: Lecturer,
) -> impl IntoView {
    let follows = memo(move |_| lecturer.status.get() == Status::Follows);
    let is_black = memo(move |_| lecturer.screen.get() == Screen::Black);
    let is_frozen = memo(move |_| lecturer.frozen.with(Option::is_some));
    let words = memo(move |_| sentence(lecturer));
    let line = NodeRef::<Section>::new();
    keep_room(line, move || words.track());
    view! {
        <section node_ref=line class="projector-line" aria-label=strings::projector_heading() hidden=move || lecturer.status.get() == Status::None class:frozen=move || follows.get() && is_frozen.get()>
            <p role="status" data-testid="projector">{words}</p>
            <div class="projector-acts">
                <button type="button" id="projector-freeze" title=strings::projector_freeze_hint() aria-pressed=move || is_frozen.get().to_string() hidden=move || !follows.get() on:click=move |_| lecturer.freeze_or_follow()>
                    {strings::projector_freeze()}
                </button>
                <button type="button" id="projector-blank" title=strings::projector_blank_hint() aria-pressed=move || is_black.get().to_string() hidden=move || !follows.get() on:click=move |_| lecturer.blank_or_show()>
                    {strings::projector_blank()}
                </button>
                <button type="button" id="projector-close" on:click=move |_| if follows.get_untracked() { lecturer.close() } else { lecturer.dismiss() }>
                    {move || if follows.get() { strings::projector_close() } else { strings::close() }}
                </button>
            </div>
        </section>
    }
}

/// How the projector's window stands, in a sentence or two.
fn sentence(lecturer: Lecturer) -> String {
    match lecturer.status.get() {
        Status::None => String::new(),
        Status::Needed => strings::projector_needed().to_owned(),
        Status::Blocked => strings::projector_blocked().to_owned(),
        Status::Unable => strings::projector_unable().to_owned(),
        Status::Opening => strings::projector_opening().to_owned(),
        Status::Silent => strings::projector_silent().to_owned(),
        Status::Gone => strings::projector_gone().to_owned(),
        Status::Taken => strings::projector_taken().to_owned(),
        Status::Follows => {
            let place = match lecturer.frozen.get() {
                Some(words) => strings::projector_frozen(words),
                None if lecturer.is_too_long.get() => strings::projector_too_long().to_owned(),
                None => strings::projector_follows().to_owned(),
            };
            match lecturer.screen.get() {
                Screen::Picture => place,
                Screen::Black => [place.as_str(), strings::projector_black()].join(strings::between_sentences()),
            }
        }
    }
}

/// What the projector's window says while it does not follow.
#[component]
fn AudienceLine(
    /// The state of the window.
    audience: Audience,
) -> impl IntoView {
    let words = move || match audience.following.get() {
        Following::NotYet => strings::projector_waits(),
        Following::Now => "",
        Following::NoMore => strings::projector_left(),
    };
    let line = NodeRef::<Section>::new();
    keep_room(line, move || audience.following.track());
    view! {
        <section node_ref=line class="projector-line" aria-label=strings::projector_heading() hidden=move || audience.following.get() == Following::Now>
            <p role="status" data-testid="projector">{words}</p>
        </section>
    }
}
