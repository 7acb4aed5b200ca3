//! Starting the page: its context, the engine's workers, and the effects that feed them.

use crate::prelude::*;

use crate::drops::Drops;
use crate::later::{Arrival, Later};
use crate::panels::Panels;
use crate::theme::follow_themes;

use super::context::Page;
use super::history::Address;

/// Starts the workers and the effects that feed them.
pub fn begin(arrival: Arrival) -> Page {
    let (themes, later) = (follow_themes(), Later::new(arrival));
    let page = Page::new(Address::new(later, themes.asked));
    provide_context(page);
    provide_context(later);
    provide_context(themes);
    provide_context(Panels::default());
    provide_context(Drops::default());
    page.begin_address();
    page.engine.start();
    effect(move |_| page.order());
    page.announce();
    fetch_later(page, later);
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
