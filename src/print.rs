//! What is printed beside the page: in a lesson all its steps, else the number, the settings and the link of the
//! figure. It is there only while the browser prints; `style/print.css` leaves the toolbars out.

use crate::prelude::*;

use super::page::use_page;
use super::panels::Panels;
use super::stage::reading_now;
use super::state::Stage;
use super::strings;
use super::theme::Themes;
use lipscope_plot::Theme;

/// Follows the browser's printing.
pub fn begin(panels: Panels, themes: Themes) {
    // Effects run before the browser lays the printed pages out.
    let before = window_event_listener_untyped("beforeprint", move |_| {
        mark(Some(themes.shown.get_untracked()));
        panels.printing.set(true);
    });
    let after = window_event_listener_untyped("afterprint", move |_| {
        mark(None);
        panels.printing.set(false);
    });
    on_cleanup(move || {
        before.remove();
        after.remove();
    });
}

/// Marks the document with the theme of the canvases on it: paper is light, so that dark pictures are printed inverted.
fn mark(theme: Option<Theme>) {
    let Some(root) = document().document_element() else { return };
    // If the document refuses, its pictures are printed as they are.
    let _ = match theme {
        Some(Theme::Light) => root.set_attribute("data-printing", "light"),
        Some(Theme::Dark) => root.set_attribute("data-printing", "dark"),
        None => root.remove_attribute("data-printing"),
    };
}

/// What stands on paper beside the page's figure, or in its place.
#[component]
pub fn PrintSheet(
    /// The page's panels.
    panels: Panels,
    /// The lesson that the reader is in, on paper.
    #[prop(into)]
    handout: Callback<(), Option<AnyView>>,
) -> impl IntoView {
    let page = use_page();
    move || {
        panels.printing.get().then(|| match handout.run(()) {
            Some(handout) => handout,
            None => {
                let has_tokens = untrack(|| page.settings.with(|settings| settings.has_tokens(page.plot.get())));
                let settings = has_tokens.then(|| page.state.with_untracked(strings::settings));
                view! {
                    <div class="print-caption">
                        <p>{untrack(|| page.is_measured().then(|| reading_now(page)).flatten()).map(|(number, place)| format!("{number} {place}"))}</p>
                        <p>{settings}</p>
                        <p class="handout-link">{page.link_to(Stage::Full)}</p>
                    </div>
                }
                .into_any()
            }
        })
    }
}
