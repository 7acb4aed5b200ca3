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

use crate::ask::Here;
use crate::later::{Arrival, Later};
use crate::panels::Panels;
use crate::theme::{Themes, follow_themes};
use history::Address;

pub use context::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page, use_page};
pub use history::fragment;

pub use crate::state::PlotChoice;

/// Provides the contexts of the page, and starts the workers and the effects that feed them.
pub fn begin(arrival: Arrival) -> Page {
    let (themes, later) = (follow_themes(), Later::new(arrival));
    let page = Page::new(Address::new(later, themes.asked));
    provide_context(page);
    provide_context(later);
    provide_context(themes);
    provide_context(Panels::default());
    page.begin_address();
    page.engine.start();
    effect(move |_| page.order());
    page.announce();
    fetch_later(page, later);
    tell_whole(page);
    page
}

/// Tells assets/boot.js when the page shows all that the document of the opening view shows: until then that document
/// covers it.
fn tell_whole(page: Page) {
    let is_whole = memo(move |_| {
        let answers = page.answers;
        let is_measured = answers.ball.with(Option::is_some) && answers.measured.with(Option::is_some);
        let has_curves = answers.sweep.is_whole() && answers.bounds.is_whole();
        answers.problem.with(Option::is_some) || page.plot.get() != PlotChoice::Explore || (is_measured && has_curves)
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
pub(crate) fn begin_document(here: Here) -> Page {
    let (themes, later) = (Themes::of_document(), Later::new(Arrival::Waiting));
    let page = Page::new(Address::new(later, themes.asked));
    provide_context(page);
    provide_context(later);
    provide_context(themes);
    provide_context(Panels::default());
    page.engine.start_here(here);
    page.order();
    page
}

/// Fetches the later part when the first picture is drawn, or cannot be drawn.
fn fetch_later(page: Page, later: Later) {
    let is_drawn = memo(move |_| {
        page.answers.problem.with(Option::is_some)
            || (page.answers.ball.with(Option::is_some) && page.answers.measured.with(Option::is_some))
    });
    effect(move |_| {
        if is_drawn.get() {
            later.fetch_soon();
        }
    });
}
