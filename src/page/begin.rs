//! Starting the page: its context, the engine's workers, and the effects that feed them.

use crate::prelude::*;

use crate::later::Arrival;
use crate::workers::EngineWorkers;
use lipscope_protocol::pool::Spare;

use super::context::Page;

/// Where the engine's worker is, beside the page.
const WORKER_URL: &str = "./worker_loader.js";

/// Starts the workers and the effects that feed them.
pub fn begin(arrival: Arrival) -> Page {
    let page = Page::new(arrival);
    provide_context(page);
    provide_context(page.later);
    page.begin_address();
    let engine = EngineWorkers::on_all_cores(WORKER_URL, Spare::One, move |(event, _)| page.hear(event));
    page.engine.set_value(Some(engine.clone()));
    engine.start();
    effect(move |_| page.order());
    fetch_later(page);
    page
}

/// Fetches the later part when the first picture is drawn or cannot be.
fn fetch_later(page: Page) {
    let live = page.live;
    let is_drawn = memo(move |_| {
        live.problem.with(Option::is_some) || (live.ball.with(Option::is_some) && live.measured.with(Option::is_some))
    });
    effect(move |_| {
        if is_drawn.get() {
            page.later.fetch_soon();
        }
    });
}
