//! Asking for the curves, and the workers' answers.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use crate::debounce::Debounce;
use crate::live::GrowthData;
use crate::page::PlotChoice;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::workers::{EngineLane, EngineNews};
use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, GrowthEvent};

use super::context::Growth;
use super::plan::growth_request;

/// Curves of another state fade after this time. While a slider moves, new curves come with nearly every frame: without
/// the wait, plot and words would flicker.
const PATIENCE: Duration = Duration::from_millis(100);

/// Asks for the curves whenever their inputs change, while the view is on screen.
pub fn begin(growth: Growth) {
    let page = growth.page;
    let to_draw = memo(move |_| page.state.with(PageState::for_growth));
    effect(move |_| {
        if page.plot.get() == PlotChoice::Growth {
            let state = to_draw.get();
            if state.tokens == TokenChoice::Own || state.weights == WeightChoice::Own {
                // In a task of its own: the page copies a long list for every worker.
                set_timeout(move || growth.ask(&state), Duration::ZERO);
            } else {
                growth.ask(&state);
            }
        }
    });
    let is_stale = memo(move |_| growth.is_stale());
    let fading = Debounce::default();
    effect(move |_| {
        if is_stale.get() {
            fading.after(PATIENCE, move || growth.is_waiting.set(true));
        } else {
            fading.forget();
            growth.is_waiting.set(false);
        }
    });
}

impl Growth {
    fn ask(self, state: &PageState) {
        if self.asked.with_value(|asked| asked.as_ref() == Some(state)) {
            return;
        }
        self.asked.set_value(Some(state.clone()));
        let plan = EnginePlan::Growth(growth_request(state));
        self.page.submit(EngineLane::Growth, [plan], move |_, news| self.hear(news));
    }

    /// Receives an answer about the curves.
    fn hear(self, news: EngineNews) {
        let data = self.page.live.growth;
        let EngineNews::Reply(content, _) = news else { return };
        match content {
            Content::Event(EngineEvent::Growth(GrowthEvent::Sketch(found) | GrowthEvent::Curves(found))) => {
                // A replaced order sends no replies: this reply answers the latest order.
                let of = self.asked.get_value();
                data.set(GrowthData { of, growth: Some(Arc::new(*found)), ..GrowthData::default() });
            }
            Content::Event(EngineEvent::Growth(GrowthEvent::Family(points))) => {
                data.update(|data| data.family.extend(points));
            }
            // Readers would take curves of another configuration for this one's.
            Content::Failed(problem) => data.set(GrowthData { problem: Some(problem), ..GrowthData::default() }),
            _ => {}
        }
    }
}
