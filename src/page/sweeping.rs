//! The sweep over n beside the present tokens: when it starts, pauses and goes on, and how far its bounds are drawn.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use crate::frame::now;
use crate::live::{SweepData, SweepPhase};
use crate::plans::{curve_lengths, curves_end, sweep_lengths};
use crate::state::PageState;
use crate::workers::EngineLane;
use lipscope_protocol::tasks::{CurvesPlan, EnginePlan, SweepRequest};

use super::context::Page;

/// How long the controls rest before a new sweep starts; measuring never waits.
const SWEEP_REST: Duration = Duration::from_millis(70);

impl Page {
    /// Stops the sweep; its points stay.
    pub fn pause_sweep(self) {
        self.engine.beginning.forget();
        self.cancel(EngineLane::Sweep);
        self.live.sweep.update(|sweep| {
            sweep.phase = SweepPhase::Paused;
            // Points of another configuration do not stay beside these.
            sweep.before.clear();
        });
    }

    /// Continues a stopped sweep, or repeats a failed one.
    pub fn resume_sweep(self) {
        let (state, end) = self.state.with_untracked(|state| (state.for_sweeping(), curves_end(state)));
        // The sweep may have been stopped before it began: its points belong to the previous state.
        if state.can_sweep() && !self.live.sweep.with_untracked(|sweep| sweep.points_are_of(&state)) {
            return self.sweep(&state, end);
        }
        let rest = self.rest_of_sweep(&state);
        // The sweep may have been stopped before its bounds arrived.
        let has_curves = self.live.sweep.with_untracked(|sweep| sweep.curves_are_of(&state));
        let curves = (!has_curves).then(|| self.curves(&state, end));
        self.live.sweep.update(|sweep| {
            sweep.phase = if rest.is_some() { SweepPhase::Running } else { SweepPhase::Done };
            sweep.began = now();
            sweep.cost_before = sweep.cost_so_far();
        });
        self.submit_sweep(curves.into_iter().chain(rest));
    }

    /// The draws that are still missing.
    fn rest_of_sweep(self, state: &PageState) -> Option<EnginePlan> {
        let (lengths, draws) = self.live.sweep.with_untracked(|sweep| (sweep.missing(), sweep.draws));
        // All points may have arrived before the message that the sweep is over.
        (!lengths.is_empty()).then(|| {
            EnginePlan::Sweep(SweepRequest {
                experiment: state.experiment(),
                lengths,
                draws,
                norm: state.norm,
                points: None,
            })
        })
    }

    /// Ends the present sweep at once, and starts the new one when the controls rest. Its bounds are drawn up to `end`.
    pub(super) fn sweep_soon(self, state: &PageState, end: usize) {
        self.engine.beginning.forget();
        let is_first = self.live.sweep.with_untracked(|sweep| sweep.lengths.is_empty());
        self.cancel(EngineLane::Sweep);
        let phase = self.live.sweep.with_untracked(|sweep| (sweep.of.as_ref() == Some(state)).then_some(sweep.phase));
        if state.can_sweep()
            && let Some(phase) = phase
        {
            // The sweep is the same: only its curves end elsewhere.
            let rest = if phase == SweepPhase::Running { self.rest_of_sweep(state) } else { None };
            return self.submit_sweep(std::iter::once(self.curves(state, end)).chain(rest));
        }
        if !state.can_sweep() {
            let of = Some(state.clone());
            self.live.sweep.set(SweepData { of, phase: SweepPhase::Done, ..SweepData::default() });
            // There is one n to measure. The bounds over n are drawn around it.
            return self.submit_sweep([self.curves(state, end)]);
        }
        if is_first {
            return self.sweep(state, end);
        }
        let state = state.clone();
        self.engine.beginning.after(SWEEP_REST, move || self.sweep(&state, end));
    }

    /// The plan of a sweep's bounds over n.
    fn curves(self, state: &PageState, end: usize) -> EnginePlan {
        let lengths = self.live.sweep.with_untracked(|sweep| curve_lengths(end, &sweep.lengths));
        EnginePlan::Curves(CurvesPlan { experiment: state.experiment(), lengths, rows: None })
    }

    fn sweep(self, state: &PageState, end: usize) {
        let (longest, draws) = (state.sweep_max, state.draws);
        let lengths = sweep_lengths(longest);
        self.live.sweep.update(|sweep| {
            // Points of the previous sweep stay in sight until this one reaches their n.
            let mut before = std::mem::take(&mut sweep.points);
            if before.len() < sweep.before.len() / 2 {
                before = std::mem::take(&mut sweep.before);
            }
            *sweep = SweepData {
                before,
                of: Some(state.clone()),
                lengths: lengths.clone(),
                draws,
                curves: Arc::clone(&sweep.curves),
                curves_of: sweep.curves_of.take(),
                phase: SweepPhase::Running,
                began: now(),
                ..SweepData::default()
            };
        });
        let plans = std::iter::once(self.curves(state, end)).chain(self.rest_of_sweep(state));
        self.submit_sweep(plans);
    }

    fn submit_sweep(self, plans: impl IntoIterator<Item = EnginePlan>) {
        self.submit(EngineLane::Sweep, plans, move |_, news| self.hear_sweep(news));
    }
}
