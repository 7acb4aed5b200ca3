//! Stores the workers' replies where the views read them.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use crate::live::{BallFacts, MeasureProgress, Measured, SweepPhase};
use crate::state::PageState;
use crate::strings;
use crate::workers::{EngineLane, EngineListener, EngineNews};
use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::PoolEvent;
use lipscope_protocol::tasks::{self, Ball, BoundCurves, EngineEvent, EnginePlan};

use super::context::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page};

/// How long after the last number a screen reader hears it.
const ANNOUNCE_REST: Duration = Duration::from_millis(900);

impl Page {
    /// Passes a reply to the listener of its order, and reports the state of the workers.
    pub(super) fn hear(self, event: PoolEvent<EngineLane, EnginePlan, EngineEvent, EngineListener>) {
        let live = self.live;
        match event {
            PoolEvent::Reply { of, content, left, .. } => of.companion.tell(&of.plan, EngineNews::Reply(content, left)),
            PoolEvent::Restarted(lane) => live.status.set(Some(strings::restarted(lane).into())),
            PoolEvent::GaveUp { lane, of, .. } => {
                live.status.set(Some(strings::gave_up(lane).into()));
                of.companion.tell(&of.plan, EngineNews::GaveUp);
            }
            PoolEvent::CannotStart => {
                live.is_down.set(true);
                live.status.set(Some(strings::cannot_start().into()));
            }
        }
    }

    /// Receives news about the measurement of a state; `chosen` is the state of the controls when it was ordered.
    pub(super) fn hear_measure(self, state: &PageState, chosen: &PageState, news: EngineNews) {
        let live = self.live;
        let content = match news {
            EngineNews::Reply(content, _) => content,
            EngineNews::GaveUp => return live.progress.set(None),
        };
        match content {
            Content::Event(EngineEvent::Measure(measured)) => {
                self.engine.last_good.set_value(Some(chosen.clone()));
                let tasks::Measured { measurement, attention, tokens, pair, milliseconds } = measured;
                if live.progress.with_untracked(Option::is_some) {
                    live.progress.set(None);
                }
                // Axes and vectors are determined up to sign only: they keep their earlier signs.
                let earlier = live.measured.get_untracked();
                let tokens = match &earlier {
                    Some(earlier) => tokens.aligned_with(&earlier.tokens),
                    None => *tokens,
                };
                let pair = match (pair, earlier.as_ref().and_then(|earlier| earlier.pair.as_ref())) {
                    (Some(pair), Some(earlier)) => Some(pair.aligned_with(earlier)),
                    (pair, _) => pair,
                };
                live.measured.set(Some(Arc::new(Measured {
                    measurement: *measurement,
                    attention,
                    tokens,
                    pair,
                    milliseconds,
                    state: state.clone(),
                })));
                self.announce_soon();
            }
            Content::Progress(progress) => live.progress.set(Some(MeasureProgress {
                iterations: progress.done as usize,
                relative_residual: progress.relative_residual,
            })),
            Content::Failed(problem) => {
                live.progress.set(None);
                let place = self.address.last_place.get_value();
                // Data that cannot be measured give way to the earlier data. A slider stays where it is, for the next
                // move may mend it.
                if matches!(place, PLACE_OWN | PLACE_OWN_WEIGHTS | PLACE_LINK)
                    && let Some(good) = self.engine.last_good.get_value()
                {
                    let now = self.state.get_untracked();
                    let PageState { norm, x_axis, sweep_max, draws, growth, .. } = now;
                    self.state.set(PageState { norm, x_axis, sweep_max, draws, growth, ..good });
                }
                self.complain(place, problem);
            }
            _ => {}
        }
    }

    /// Receives news about the ball of a state.
    pub(super) fn hear_ball(self, of: &PageState, news: EngineNews) {
        match news {
            EngineNews::Reply(Content::Event(EngineEvent::Ball(ball)), _) => {
                self.live.ball.set(Some(Arc::new(BallFacts { of: of.clone(), ball })));
            }
            // The measurement reports the same fault.
            EngineNews::Reply(Content::Failed(_), _) => self.lack_ball(of.clone()),
            EngineNews::GaveUp => self.lack_ball(self.state.with_untracked(PageState::for_ball)),
            EngineNews::Reply(..) => {}
        }
    }

    /// Stores a ball without bounds, so that the numbers need not wait for bounds.
    fn lack_ball(self, of: PageState) {
        let ball = Ball {
            n: of.n_tokens(),
            radius: of.radius,
            bounds: Vec::new(),
            limit: Vec::new(),
            worst: None,
            growth_ends: None,
        };
        self.live.ball.set(Some(Arc::new(BallFacts { of, ball })));
    }

    /// Receives news about the sweep and its curves.
    pub(super) fn hear_sweep(self, news: EngineNews) {
        let live = self.live;
        let content = match news {
            EngineNews::Reply(content, _) => content,
            EngineNews::GaveUp => return live.sweep.update(|sweep| sweep.phase = SweepPhase::Failed),
        };
        match content {
            Content::Event(EngineEvent::Sweep(points)) => live.sweep.update(|sweep| sweep.take(points)),
            Content::Event(EngineEvent::Curves(curves)) => {
                live.sweep.update(|sweep| sweep.take_curves(curves));
            }
            Content::Finished => live.sweep.update(|sweep| {
                // The curves send a `Finished` of their own.
                if sweep.phase == SweepPhase::Running && sweep.points.len() >= sweep.total() {
                    sweep.phase = SweepPhase::Done;
                    sweep.before.clear();
                }
            }),
            Content::Failed(problem) => live.sweep.update(|sweep| {
                sweep.phase = SweepPhase::Failed;
                // Readers would take curves of another configuration for this one's.
                sweep.curves = Arc::new(BoundCurves::default());
                sweep.curves_of = None;
                sweep.problem = Some(problem);
            }),
            _ => {}
        }
    }

    fn announce_soon(self) {
        self.engine.announcing.after(ANNOUNCE_REST, move || {
            if !self.held.get_untracked()
                && !self.look.is_covered.get_untracked()
                && let Some(measured) = self.live.measured.get_untracked()
            {
                let norm = self.state.with_untracked(|state| state.norm);
                self.live.announcement.set(strings::announcement(&measured.measurement, norm));
            }
        });
    }
}
