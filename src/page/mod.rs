//! The page's context and its flow of data: edits change the state, the state orders work, and replies fill
//! [`Answers`](crate::answers::Answers).
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | what every part of the page may read and do |
//! | `order` | what the page asks of the engine when its state changes |
//! | `history`, `address` | the address follows the scene on screen, and the other way round |

mod address;
mod context;
mod history;
mod order;

use crate::prelude::*;

use crate::later::{Arrival, Later, use_later};
use crate::panels::Panels;
use crate::query::LocalEngine;
use crate::theme::{Themes, follow_themes};
use history::Address;

pub use context::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page, use_page};
pub use history::fragment;

pub use crate::state::PlotChoice;

/// Provides the contexts of the page, and starts the workers and the effects that feed them.
pub fn begin(arrival: Arrival) -> Page {
    let page = provide(follow_themes(), arrival);
    page.begin_address();
    page.engine.start();
    effect(move |_| page.order());
    effect(move |_| page.carry());
    page.announce();
    fetch_later(page);
    emit_whole(page);
    page
}

/// Provides the contexts of the page.
fn provide(themes: Themes, arrival: Arrival) -> Page {
    let later = Later::new(arrival);
    let page = Page::new(Address::new(later, themes.asked));
    provide_context(page);
    provide_context(later);
    provide_context(themes);
    provide_context(Panels::default());
    page
}

/// Tells assets/boot.js when the page shows all that the document of the opening view shows: until then that document
/// covers it.
fn emit_whole(page: Page) {
    let is_whole = memo(move |_| {
        let is_elsewhere = page.plot.get() != PlotChoice::Explore;
        let has_curves = page.answers.sweep.is_whole() && page.answers.bounds.is_whole();
        page.is_refused() || is_elsewhere || (has_numbers(page) && has_curves)
    });
    effect(move |_| {
        if is_whole.get()
            && let Some(root) = document().document_element()
        {
            // Without the attribute, the page is uncovered a few seconds later.
            let _ = root.set_attribute("data-drawn", "");
        }
    });
}

/// As [`begin`] on a first visit, for a document: `here` finds the answers at once, and nothing changes afterwards.
pub(crate) fn begin_document(here: LocalEngine) -> Page {
    let page = provide(Themes::of_document(), Arrival::Waiting);
    page.engine.start_local(here);
    page.order();
    page
}

/// Fetches the later part when the first picture is drawn, or cannot be drawn.
fn fetch_later(page: Page) {
    let later = use_later();
    let is_drawn = memo(move |_| page.is_refused() || has_numbers(page));
    effect(move |_| {
        if is_drawn.get() {
            later.fetch_soon();
        }
    });
}

/// Whether the first numbers are there: the norm at the tokens, and the bounds on their ball.
fn has_numbers(page: Page) -> bool {
    page.answers.ball.with(Option::is_some) && page.answers.measured.with(Option::is_some)
}
