//! The page in other sizes. For a projector: plot and main numbers, large. Inside another page: the plot, its main number,
//! and a link to the whole page.

use crate::prelude::*;

use lipscope_plot::Number;

use super::page::{Page, use_page};
use super::state::Stage;
use super::strings;

/// The line under the plot of an embedded page. A page that is not embedded has no such line.
#[component]
pub fn EmbedLine() -> impl IntoView {
    let page = use_page();
    let is_embed = memo(move |_| page.stage.get() == Stage::Embed);
    let address = memo(move |_| {
        // Tracks the whole scene, which the link holds.
        page.scene();
        page.link_to(Stage::Full).unwrap_or_else(|| ".".into())
    });
    let norm = memo(move |_| page.norm());
    let reading = move || {
        page.answers.measured.with(|measured| {
            measured.as_ref().map(|m| {
                let norm = norm.get();
                let value = m.measurement.norm(norm).map_or_else(
                    || strings::NONE_YET.to_owned(),
                    |value| Number::claimed(value.log10(), strings::kind_of(&m.measurement, norm)).to_string(),
                );
                strings::embed_line(norm, &value, m.measurement.n, m.measurement.radius)
            })
        })
    };
    let full = move || {
        let value = page.answers.measured.with(|m| m.as_ref().and_then(|m| m.measurement.norm(norm.get())));
        value.map_or_else(String::new, |value| value.to_string())
    };
    move || {
        is_embed.get().then(|| {
            view! {
                <footer class="embed-line">
                    <span data-testid="embed-norm" class:stale=move || !page.is_measured() data-value=full>{reading}</span>
                    <a href=move || address.get() target="_blank" rel="noopener">{strings::open_whole()}</a>
                </footer>
            }
        })
    }
}

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

/// The button in the head of the page that switches the teacher's view on and off.
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
