//! The teacher's view: plot and main numbers, large.

use crate::prelude::*;

use crate::page::{Page, use_page};
use crate::state::Stage;
use crate::strings;

/// Sets the stage on the document, for its font size.
pub fn begin(page: Page) {
    effect(move |_| {
        let stage = page.stage.get();
        if let Some(root) = document().document_element() {
            // If the document refuses, its font size stays.
            let _ = root.set_attribute("data-stage", stage.id());
        }
    });
}

/// Switches to the teacher's view, or back.
pub fn toggle(page: Page) {
    page.stage.update(|stage| {
        *stage = match stage {
            Stage::Full => Stage::Teacher,
            Stage::Teacher => Stage::Full,
            Stage::Embed => Stage::Embed,
        };
    });
}

/// The button in the head of the page.
#[component]
pub fn TeacherButton() -> impl IntoView {
    let page = use_page();
    view! {
        <button
            type="button"
            id="teacher-view"
            title=strings::teacher_hint()
            aria-pressed=move || (page.stage.get() == Stage::Teacher).to_string()
            on:click=move |_| toggle(page)
        >
            {strings::teacher()}
        </button>
    }
}
