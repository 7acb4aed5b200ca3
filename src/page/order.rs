//! The page's requests to the engine when the state changes: the norm at these tokens, the bounds on their ball, and
//! the sweep over n.

use crate::prelude::*;

use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_protocol::pool::Order;
use lipscope_protocol::tasks::{BallPlan, EnginePlan, MeasurePlan};

use crate::plans::curves_end;
use crate::state::PageState;
use crate::workers::{EngineLane, EngineListener, EngineNews, EngineWorkers};

use super::context::Page;

/// The most cells a side of the attention picture: about a small view's pixels.
const MOST_CELLS: usize = 192;

impl Page {
    /// Orders the work that a changed state needs. The measurement goes first: a moving slider waits for its number.
    pub(super) fn order(self) {
        // The page reads the address before it starts workers.
        if self.engine.workers.with_value(Option::is_none) {
            return;
        }
        let pair = self.look.pair_wanted(self.plot.get());
        if let Some(state) = self.in_effect() {
            let measured = (state.for_measuring(), pair);
            if self.engine.measured.is_new(&measured) {
                self.measure(&measured.0, pair);
            }
        }
        let swept = self.state.with(|state| (state.for_sweeping(), curves_end(state)));
        if self.engine.swept.is_new(&swept) {
            self.sweep_soon(&swept.0, swept.1);
        }
        let ball = self.state.with(PageState::for_ball);
        if self.engine.ball.is_new(&ball) {
            self.ask_ball(&ball);
        }
    }

    fn measure(self, state: &PageState, pair: PairRequest) {
        let plan = MeasurePlan {
            experiment: state.experiment(),
            head_idx: state.head_shown,
            most_cells: MOST_CELLS,
            block_norms: BlockNorms::for_norm(state.norm),
            pair,
        };
        let (state, chosen) = (state.clone(), self.state.get_untracked());
        self.submit(EngineLane::Measure, [EnginePlan::Measure(plan)], move |_, news| {
            self.hear_measure(&state, &chosen, news);
        });
    }

    fn ask_ball(self, state: &PageState) {
        let plan = BallPlan { experiment: state.experiment(), n: state.n_tokens() };
        let state = state.clone();
        self.submit(EngineLane::Ball, [EnginePlan::Ball(plan)], move |_, news| self.hear_ball(&state, news));
    }

    /// Tries to start the workers again.
    pub fn restart_engine(self) {
        self.live.is_down.set(false);
        self.live.status.set(None);
        self.with_engine(EngineWorkers::start);
    }

    /// Gives plans to a lane of the engine's workers, in place of its present work. `hear` receives the news about each
    /// plan.
    pub fn submit(
        self,
        lane: EngineLane,
        plans: impl IntoIterator<Item = EnginePlan>,
        hear: impl Fn(&EnginePlan, EngineNews) + 'static,
    ) {
        let listener = EngineListener::new(hear);
        let orders = plans.into_iter().map(|plan| Order { plan, companion: listener.clone() });
        self.with_engine(|engine| engine.submit(lane, orders));
    }

    /// Ends the work of a lane of the engine's workers.
    pub fn cancel(self, lane: EngineLane) {
        self.with_engine(|engine| engine.cancel(lane));
    }

    fn with_engine(self, work: impl FnOnce(&EngineWorkers)) {
        // The clone is a handle of its own: the work may call back into the page.
        let engine = self.engine.workers.with_value(Clone::clone);
        if let Some(engine) = engine {
            work(&engine);
        }
    }
}
