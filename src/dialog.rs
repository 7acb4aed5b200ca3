//! Dialogs, and the buttons that open them. The dialogs come with the later part of the page.

use crate::prelude::*;
use leptos::html::Dialog;

use super::later::{LaterView, Piece};
use super::strings;

/// The node of a dialog that is shown while the signal says so.
pub fn shown_while(is_open: RwSignal<bool>) -> NodeRef<Dialog> {
    let dialog = NodeRef::<Dialog>::new();
    effect(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (is_open.get(), dialog.open()) {
            // A dialog that is no longer in the page cannot be shown: nothing to do.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    dialog
}

/// A button that opens a dialog. The dialog is a piece of the later part.
#[component]
pub fn DialogButton(
    /// The id of the dialog.
    id: &'static str,
    /// What stands on the button.
    words: &'static str,
    /// The heading of the dialog.
    heading: &'static str,
    /// Says more about the button.
    hint: &'static str,
    /// Whether the dialog is open.
    is_open: RwSignal<bool>,
    /// The dialog.
    piece: Piece,
) -> impl IntoView {
    // A button with a sign instead of words is named by its heading.
    let label = (words.chars().count() == 1).then_some(heading);
    view! {
        <button type="button" id=format!("{id}-open") class=format!("{id}-open") aria-label=label title=hint aria-haspopup="dialog" on:click=move |_| is_open.set(true)>{words}</button>
        <LaterView wanted=is_open piece/>
    }
}

/// A dialog with its heading and the button that closes it.
#[component]
pub fn DialogBox(
    /// The id and the class of the dialog, and the beginning of the ids of its parts.
    id: &'static str,
    /// Its heading.
    heading: &'static str,
    /// Whether it is open.
    is_open: RwSignal<bool>,
    /// Its content.
    children: Children,
) -> impl IntoView {
    let dialog = shown_while(is_open);
    view! {
        // Escape closes it, and the browser gives the focus back.
        <dialog node_ref=dialog id=id class=format!("dialog {id}") aria-labelledby=format!("{id}-heading") on:close=move |_| is_open.set(false)>
            <div class="dialog-head">
                <h2 id=format!("{id}-heading")>{heading}</h2>
                <button type="button" id=format!("{id}-close") on:click=move |_| is_open.set(false)>{strings::close()}</button>
            </div>
            {children()}
        </dialog>
    }
}
