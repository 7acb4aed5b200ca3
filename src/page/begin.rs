//! Starting the page: its context, the engine's workers, and the effects that feed them.

use crate::prelude::*;

use crate::drops::Drops;
use crate::later::{Arrival, Later};
use crate::panels::Panels;
use crate::theme::follow_themes;
use crate::workers::EngineWorkers;
use lipscope_protocol::pool::Spare;

use super::context::Page;
use super::history::Address;

/// The URL of the engine's worker, beside the page.
const WORKER_URL: &str = "./worker_loader.js";

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
    let engine = EngineWorkers::on_all_cores(WORKER_URL, Spare::One, move |(event, _)| page.hear(event));
    page.engine.workers.set_value(Some(engine.clone()));
    engine.start();
    effect(move |_| page.order());
    fetch_later(page, later);
    page
}

/// Fetches the later part when the first picture is drawn, or cannot be drawn.
fn fetch_later(page: Page, later: Later) {
    let live = page.live;
    let is_drawn = memo(move |_| {
        live.problem.with(Option::is_some) || (live.ball.with(Option::is_some) && live.measured.with(Option::is_some))
    });
    effect(move |_| {
        if is_drawn.get() {
            later.fetch_soon();
        }
    });
}
