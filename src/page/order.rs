//! What the engine's workers are asked for when the state changes: the norm at these tokens, what their ball holds, and the
//! sweep over n.

use crate::prelude::*;

use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_protocol::pool::Order;
use lipscope_protocol::tasks::{BallPlan, EnginePlan, MeasurePlan};

use crate::plans::curves_end;
use crate::state::PageState;
use crate::workers::{Asked, EngineLane};

use super::Page;

/// The most cells a side of the attention picture: about a small view's pixels.
const MOST_CELLS: usize = 192;

/// What was asked for last, as far as the state says it.
#[derive(Default)]
pub(super) struct Ordered {
    measured: Option<(PageState, PairRequest)>,
    ball: Option<PageState>,
    swept: Option<(PageState, usize)>,
}

impl Page {
    /// Asks for what the state has changed. The measurement goes first: its number is what a moving slider waits for.
    pub(super) fn order(self) {
        // The address is followed before there are any workers.
        if self.engine.with_value(Option::is_none) {
            return;
        }
        let pair = self.plane.pair_wanted(self.plot.get());
        if let Some(state) = self.in_effect() {
            let measured = (state.for_measuring(), pair);
            if self.is_new(|ordered| &mut ordered.measured, &measured) {
                self.measure(&measured.0, pair);
            }
        }
        let swept = self.state.with(|state| (state.for_sweeping(), curves_end(state)));
        if self.is_new(|ordered| &mut ordered.swept, &swept) {
            self.sweep_soon(&swept.0, swept.1);
        }
        let ball = self.state.with(PageState::for_ball);
        if self.is_new(|ordered| &mut ordered.ball, &ball) {
            self.ask_ball(&ball);
        }
    }

    /// Whether something is other than what was asked for last; from now on it is what was asked for last.
    fn is_new<T: Clone + PartialEq>(self, last: impl FnOnce(&mut Ordered) -> &mut Option<T>, now: &T) -> bool {
        let replace = |ordered: &mut Ordered| {
            let last = last(ordered);
            let is_new = last.as_ref() != Some(now);
            if is_new {
                *last = Some(now.clone());
            }
            is_new
        };
        self.ordered.try_update_value(replace).unwrap_or(false)
    }

    fn measure(self, state: &PageState, pair: PairRequest) {
        let plan = MeasurePlan {
            experiment: state.experiment(),
            head_idx: state.head_shown,
            most_cells: MOST_CELLS,
            block_norms: BlockNorms::for_norm(state.norm),
            pair,
        };
        let chosen = self.state.get_untracked();
        let companion = Asked::State(Box::new(state.clone()), Box::new(chosen));
        let order = Order { plan: EnginePlan::Measure(plan), companion };
        self.with_engine(|engine| engine.submit(EngineLane::Measure, [order]));
    }

    fn ask_ball(self, state: &PageState) {
        let plan = BallPlan { experiment: state.experiment(), n: state.n_tokens() };
        let order = Order { plan: EnginePlan::Ball(plan), companion: Asked::Ball(Box::new(state.clone())) };
        self.with_engine(|engine| engine.submit(EngineLane::Ball, [order]));
    }
}
