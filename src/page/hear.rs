//! What the workers say, put where the views read it.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use crate::classroom;
use crate::files::download;
use crate::live::{BallFacts, MeasureProgress, Measured, SweepPhase};
use crate::state::PageState;
use crate::strings;
use crate::table_problem::TableProblem;
use crate::workers::{Asked, EngineLane, EngineReply};
use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::PoolEvent;
use lipscope_protocol::tasks::{self, Ball, BoundCurves, EngineEvent, EnginePlan, ReadPlan};

use super::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page};

/// How long after the last number a screen reader hears it.
const ANNOUNCE_REST: Duration = Duration::from_millis(900);

impl Page {
    pub(super) fn hear(self, event: PoolEvent<EngineLane, EnginePlan, EngineEvent, Asked>) {
        let live = self.live;
        match event {
            PoolEvent::Reply { lane, of, content, left, .. } => {
                let reply = EngineReply { of, content, left };
                match lane {
                    EngineLane::Measure => self.hear_measure(reply),
                    EngineLane::Ball => self.hear_ball(reply),
                    EngineLane::Sweep => self.hear_sweep(reply.content),
                    EngineLane::Growth => self.with_later(move |later| (later.hear_growth)(self, reply)),
                    EngineLane::Search => self.with_later(move |later| (later.hear_search)(self, reply)),
                    EngineLane::Read => self.with_later(move |later| (later.hear_read)(self, reply)),
                    EngineLane::Lab => self.with_later(move |later| (later.hear_lab)(self, reply)),
                }
            }
            PoolEvent::Restarted(lane) => live.status.set(Some(strings::restarted(lane).into())),
            PoolEvent::GaveUp { lane, .. } => {
                live.status.set(Some(strings::gave_up(lane).into()));
                match lane {
                    EngineLane::Measure => live.progress.set(None),
                    EngineLane::Sweep => live.sweep.update(|sweep| sweep.phase = SweepPhase::Failed),
                    EngineLane::Ball => self.lack_ball(self.state.with_untracked(PageState::for_ball)),
                    EngineLane::Growth => {}
                    EngineLane::Read => {
                        live.own_note.set(String::new());
                        live.script_note.set(String::new());
                    }
                    EngineLane::Search => {
                        self.with_later(move |later| (later.give_up_search)(self, strings::gave_up(lane)));
                    }
                    EngineLane::Lab => {
                        self.with_later(move |later| (later.give_up_lab)(self, strings::gave_up(lane)));
                    }
                }
            }
            PoolEvent::CannotStart => {
                live.is_down.set(true);
                live.status.set(Some(strings::cannot_start().into()));
            }
        }
    }

    /// What was read of what a person gave, and programs that were asked for.
    pub fn hear_read(self, reply: EngineReply) {
        let live = self.live;
        match (&reply.of.plan, reply.content) {
            (_, Content::Event(EngineEvent::Read(given))) => {
                // In a task of its own: unpacking a long list was work enough for this one.
                set_timeout(move || self.take(given), Duration::ZERO);
            }
            (EnginePlan::Script(plan), Content::Event(EngineEvent::Script(text))) => {
                live.script_note.set(String::new());
                download(&format!("lipscope_{}.py", plan.dialect.id()), "text/x-python", &text);
            }
            (EnginePlan::Script(_), Content::Failed(problem)) => {
                live.script_note.set(strings::told(&problem));
            }
            (EnginePlan::Read(plan), Content::Failed(problem)) => {
                let asked = TableProblem::of(plan, &problem);
                let place = match plan {
                    ReadPlan::Any(_) => {
                        live.own_note.set(String::new());
                        PLACE_OWN
                    }
                    ReadPlan::Weights { .. } => PLACE_OWN_WEIGHTS,
                };
                self.complain(place, problem);
                live.own_question.set(asked);
            }
            (_, Content::Failed(problem)) => {
                live.own_note.set(String::new());
                self.complain(PLACE_OWN, problem);
            }
            _ => {}
        }
    }

    fn hear_measure(self, reply: EngineReply) {
        let live = self.live;
        match (&reply.of.companion, reply.content) {
            (Asked::State(state, chosen), Content::Event(EngineEvent::Measure(measured))) => {
                self.last_good.set_value(Some(chosen.as_ref().clone()));
                let tasks::Measured { measurement, attention, tokens, pair, milliseconds } = measured;
                if live.progress.with_untracked(Option::is_some) {
                    live.progress.set(None);
                }
                // Axes and vectors are known up to their signs: they keep the ones they had.
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
                    state: state.as_ref().clone(),
                })));
                self.announce_soon();
            }
            (_, Content::Progress(progress)) => live.progress.set(Some(MeasureProgress {
                iterations: progress.done as usize,
                relative_residual: progress.relative_residual,
            })),
            (_, Content::Failed(problem)) => {
                live.progress.set(None);
                let place = self.last_place.get_value();
                // Data that cannot be measured give way to what was there before them; a slider stays where it is, for
                // the next move may mend it.
                if matches!(place, PLACE_OWN | PLACE_OWN_WEIGHTS | PLACE_LINK)
                    && let Some(good) = self.last_good.get_value()
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

    fn hear_ball(self, reply: EngineReply) {
        match (&reply.of.companion, reply.content) {
            (Asked::Ball(of), Content::Event(EngineEvent::Ball(ball))) => {
                self.live.ball.set(Some(Arc::new(BallFacts { of: of.as_ref().clone(), ball })));
            }
            // What is wrong is said of the measurement.
            (Asked::Ball(of), Content::Failed(_)) => self.lack_ball(of.as_ref().clone()),
            _ => {}
        }
    }

    /// Nothing is known of a ball: numbers stand without bounds rather than wait for them.
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

    fn hear_sweep(self, content: Content<EngineEvent>) {
        let live = self.live;
        match content {
            Content::Event(EngineEvent::Sweep(points)) => live.sweep.update(|sweep| sweep.take(points)),
            Content::Event(EngineEvent::Curves(curves)) => {
                live.sweep.update(|sweep| sweep.take_curves(curves));
            }
            Content::Finished => live.sweep.update(|sweep| {
                // The curves have an end of their own.
                if sweep.phase == SweepPhase::Running && sweep.points.len() >= sweep.total() {
                    sweep.phase = SweepPhase::Done;
                    sweep.before.clear();
                }
            }),
            Content::Failed(problem) => live.sweep.update(|sweep| {
                sweep.phase = SweepPhase::Failed;
                // Those of another configuration would be taken for this one's.
                sweep.curves = Arc::new(BoundCurves::default());
                sweep.curves_of = None;
                sweep.problem = Some(problem);
            }),
            _ => {}
        }
    }

    fn announce_soon(self) {
        self.announcing.after(ANNOUNCE_REST, move || {
            if !self.held.get_untracked()
                && !untrack(|| classroom::is_covered(self))
                && let Some(measured) = self.live.measured.get_untracked()
            {
                let norm = self.state.with_untracked(|state| state.norm);
                self.live.announcement.set(strings::announcement(&measured.measurement, norm));
            }
        });
    }
}
