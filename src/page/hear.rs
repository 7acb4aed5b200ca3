//! What the workers say, put where the views read it.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use crate::classroom;
use crate::engine::{EngineEvent, Role};
use crate::files::download;
use crate::live::{Curves, GrowthData, MeasureProgress, Measured, SweepPhase};
use crate::state::PageState;
use crate::strings;
use lipscope_protocol::message::Reply;

use super::{PLACE_LINK, PLACE_OWN, Page};

/// How long after the last number a screen reader hears it.
const ANNOUNCE_REST: Duration = Duration::from_millis(900);

impl Page {
    pub(super) fn hear(self, event: EngineEvent) {
        let live = self.live;
        match event {
            EngineEvent::Reply(Role::Measure, reply) => self.hear_measure(reply),
            EngineEvent::Reply(Role::Sweep, reply) => self.hear_sweep(reply),
            EngineEvent::Reply(Role::Growth, reply) => self.hear_growth(reply),
            EngineEvent::Reply(Role::Read, reply) => self.with_later(move |later| (later.hear_read)(self, reply)),
            EngineEvent::Reply(Role::Lab, reply) => self.with_later(move |later| (later.hear_lab)(self, reply)),
            EngineEvent::Restarted(role) => live.status.set(Some(strings::restarted(role).into())),
            EngineEvent::GaveUp(role) => {
                live.status.set(Some(strings::gave_up(role).into()));
                match role {
                    Role::Measure => live.progress.set(None),
                    Role::Sweep => live.sweep.update(|sweep| sweep.phase = SweepPhase::Failed),
                    Role::Growth => {}
                    Role::Read => {
                        live.own_note.set(String::new());
                        live.script_note.set(String::new());
                    }
                    Role::Lab => self.with_later(move |later| (later.give_up_lab)(self, strings::gave_up(role))),
                }
            }
            EngineEvent::CannotStart => {
                live.is_down.set(true);
                live.status.set(Some(strings::cannot_start().into()));
            }
        }
    }

    /// What was read of what a person gave, and programs that were asked for.
    pub fn hear_read(self, reply: Reply) {
        let live = self.live;
        match reply {
            Reply::Read { given, .. } => {
                // In a task of its own: unpacking a long list was work enough for this one.
                set_timeout(move || self.take(given), Duration::ZERO);
            }
            Reply::Script { dialect, text, .. } => {
                live.script_note.set(String::new());
                download(&format!("lipscope_{}.py", dialect.id()), "text/x-python", &text);
            }
            Reply::Failed { run_id, problem } if live.script_run.get_value() == Some(run_id) => {
                live.script_note.set(strings::told(&problem));
            }
            Reply::Failed { problem, .. } => {
                live.own_note.set(String::new());
                self.complain(PLACE_OWN, problem);
            }
            _ => {}
        }
    }

    fn hear_measure(self, reply: Reply) {
        let live = self.live;
        match reply {
            Reply::Measured { run_id, measurement, attention, tokens, pair, milliseconds } => {
                let asked = live.asked.with_value(|asked| {
                    asked.iter().rev().find(|(asked_id, _)| *asked_id == run_id).map(|(_, state)| state.clone())
                });
                let Some(state) = asked else { return };
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
                    state,
                })));
                self.announce_soon();
            }
            Reply::Progress { done, relative_residual, .. } => {
                live.progress.set(Some(MeasureProgress { iterations: done, relative_residual }));
            }
            Reply::Failed { problem, .. } => {
                live.progress.set(None);
                let place = self.last_place.get_value();
                // Data that cannot be measured give way to what was there before them; a slider stays where it is, for
                // the next move may mend it.
                if matches!(place, PLACE_OWN | PLACE_LINK)
                    && let Some(good) = live.measured.get_untracked()
                {
                    let now = self.state.get_untracked();
                    let PageState { norm, x_axis, sweep_max, draws, growth, .. } = now;
                    self.state.set(PageState { norm, x_axis, sweep_max, draws, growth, ..good.state.clone() });
                }
                self.complain(place, problem);
            }
            _ => {}
        }
    }

    fn hear_sweep(self, reply: Reply) {
        let live = self.live;
        match reply {
            Reply::Points { points, .. } => live.sweep.update(|sweep| sweep.take(points)),
            Reply::Curves { radius, bounds, .. } => {
                live.sweep.update(|sweep| sweep.curves = Arc::new(Curves { radius, bounds }));
            }
            Reply::Finished { .. } => live.sweep.update(|sweep| {
                // The curves have an end of their own.
                if sweep.phase == SweepPhase::Running && sweep.points.len() >= sweep.total() {
                    sweep.phase = SweepPhase::Done;
                    sweep.before.clear();
                }
            }),
            Reply::Failed { problem, .. } => live.sweep.update(|sweep| {
                sweep.phase = SweepPhase::Failed;
                sweep.problem = Some(problem);
            }),
            _ => {}
        }
    }

    fn hear_growth(self, reply: Reply) {
        let growth = self.live.growth;
        match reply {
            Reply::Growth { growth: found, .. } => {
                growth.set(GrowthData { growth: Some(Arc::new(*found)), ..GrowthData::default() });
            }
            Reply::Family { points, .. } => growth.update(|growth| growth.family.extend(points)),
            // Curves of another configuration would be taken for this one's.
            Reply::Failed { problem, .. } => {
                growth.set(GrowthData { problem: Some(problem), ..GrowthData::default() });
            }
            _ => {}
        }
    }

    fn announce_soon(self) {
        self.number_count.update_value(|count| *count += 1);
        let count = self.number_count.get_value();
        set_timeout(
            move || {
                if self.number_count.get_value() == count
                    && !self.held.get_untracked()
                    && !untrack(|| classroom::is_covered(self))
                    && let Some(measured) = self.live.measured.get_untracked()
                {
                    let norm = self.state.with_untracked(|state| state.norm);
                    self.live.announcement.set(strings::announcement(&measured.measurement, norm));
                }
            },
            ANNOUNCE_REST,
        );
    }
}
