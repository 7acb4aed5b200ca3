//! What the page asks of the engine when its state changes: the norm at these tokens, the bounds on their ball, the
//! draws over n and the bounds beside them.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::InputError;
use lipscope_core::picture::PairRequest;
use lipscope_protocol::tasks::{self, EngineEvent, EnginePlan, MeasureEvent, WorstAt};

use crate::answers::{BallFacts, Curves, First, Measured, Sweep};
use crate::frame::Debounce;
use crate::query::{Answer, Start};
use crate::state::{PageState, PlotChoice};
use crate::{plans, strings};

use super::context::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page};

/// How long after the last number a screen reader hears it.
const ANNOUNCE_REST: Duration = Duration::from_millis(900);

impl Page {
    /// Asks for what a changed state needs. The measurement goes first: a moving slider waits for its number.
    pub(super) fn order(self) {
        // The page reads the address before it starts workers.
        if !self.engine.has_started() {
            return;
        }
        let (plot, state) = (self.plot.get(), self.state.get());
        let pair = self.look.pair_wanted(plot);
        if let Some(in_effect) = self.in_effect() {
            self.measure(in_effect, &state, pair);
        }
        let of = if plot == PlotChoice::Growth { plans::sweep_over_n(&state) } else { plans::sweep(&state) };
        let (swept, answers) = (state.clone(), self.answers);
        Sweep::ask(self.answers.sweep, of, move |of, points| {
            answers.remember(&|all| all.add_points(&swept, of, points))
        });
        if plot == PlotChoice::Explore {
            let bounds = plans::bounds(&state);
            let worst = plans::worst_over_n(&state, &bounds);
            let asked = state.clone();
            let remember = Rc::new(move |found: &[WorstAt]| answers.remember(&|all| all.add_worst(&asked, found)));
            Curves::ask(self.answers.bounds, (bounds, worst), Start::AtRest, remember);
        } else {
            // No other plot shows these bounds: stopping them leaves the cores to the work of the present plot.
            self.answers.bounds.leave();
        }
        self.ask_ball(&state);
    }

    /// Where the curve of the worst tokens known falls, and the controls and the sweep rest, carries tokens of smaller n to
    /// larger ones.
    pub(super) fn carry(self) {
        let (plot, state) = (self.plot.get(), self.state.get());
        if self.held.get() || self.answers.sweep.is_running() {
            return;
        }
        let (bounds, growth) = (self.answers.bounds, self.answers.growth);
        if plot == PlotChoice::Explore && bounds.with(|curves| curves.are_on_ball(&state)) {
            Curves::carry(bounds, &state, self.answers.known);
        }
        if plot == PlotChoice::Growth && growth.with(|curves| curves.are_of_view(&state)) {
            Curves::carry(growth, &state, self.answers.known);
        }
    }

    fn measure(self, state: PageState, chosen: &PageState, pair: PairRequest) {
        if let Some(last) = self.answers.measured.get_untracked()
            && let Some(same) = last.for_choice(&state, chosen)
        {
            self.answers.measured.set(Some(Arc::new(same)));
        }
        let request = Ok(vec![EnginePlan::Measure(plans::measurement(&state, pair))]);
        let (chosen, answers) = (chosen.clone(), self.answers);
        self.answers.measured.request(request, Start::Now, move |ask, plan, answer| match (plan, answer) {
            (
                EnginePlan::Measure(plan),
                Answer::Event(EngineEvent::Measure(MeasureEvent::First { norm, milliseconds })),
            ) => {
                answers.first.set(Some(First { of: plan.clone(), norm, milliseconds }));
            }
            (EnginePlan::Measure(plan), Answer::Event(EngineEvent::Measure(MeasureEvent::Whole(found)))) => {
                let tasks::Measured { measurement, attention, tokens, pair, milliseconds } = found;
                let (of, state, chosen) = (plan.clone(), state.clone(), chosen.clone());
                let (measurement, tokens) = (*measurement, *tokens);
                answers.remember(&|all| all.add_measured(&state, &measurement));
                let new = Measured { measurement, attention, tokens, pair, milliseconds, of, state, chosen };
                ask.renewed(|last| {
                    let aligned = last.iter().fold(new, |new, earlier| new.aligned_with(earlier));
                    *last = Some(Arc::new(aligned));
                });
            }
            (_, Answer::Failed(problem)) => {
                answers.first.set(None);
                self.refuse(problem);
            }
            _ => {}
        });
    }

    fn ask_ball(self, state: &PageState) {
        let (radius, answers, asked) = (state.radius, self.answers, state.clone());
        let request = Ok(vec![EnginePlan::Ball(plans::ball(state))]);
        self.answers.ball.request(request, Start::Now, move |ask, plan, answer| {
            let EnginePlan::Ball(of) = plan else { return };
            let facts = match answer {
                Answer::Event(EngineEvent::Ball(ball)) => {
                    answers.remember(&|all| all.add_ball(&asked, &ball));
                    BallFacts { of: of.clone(), ball }
                }
                Answer::Event(_) => return,
                // The measurement reports the same fault.
                Answer::Failed(_) | Answer::GaveUp => BallFacts::without_bounds(of.clone(), radius),
            };
            ask.renewed(|last| *last = Some(Arc::new(facts)));
        });
    }

    /// Puts a sentence at the control whose value cannot be measured. Data that cannot be measured give way to the
    /// earlier data. A slider stays where it is, for the next move may mend it.
    fn refuse(self, problem: InputError) {
        let place = self.address.last_place.get_value();
        if matches!(place, PLACE_OWN | PLACE_OWN_WEIGHTS | PLACE_LINK)
            && let Some(good) = self.answers.measured.get_untracked()
        {
            let PageState { norm, x_axis, sweep_max, draws, growth, .. } = self.state.get_untracked();
            self.state.set(PageState { norm, x_axis, sweep_max, draws, growth, ..good.chosen.clone() });
            self.clear_own_note();
        }
        self.complain(place, problem);
    }

    /// Has a screen reader say the number, once the numbers rest.
    pub(super) fn announce(self) {
        let resting = Debounce::default();
        effect(move |_| {
            self.answers.measured.track();
            resting.after(ANNOUNCE_REST, move || {
                if !self.held.get_untracked()
                    && !self.look.is_covered.get_untracked()
                    && let Some(measured) = self.answers.measured.get_untracked()
                {
                    let norm = self.state.with_untracked(|state| state.norm);
                    self.answers.announcement.set(strings::announcement(&measured.measurement, norm));
                }
            });
        });
    }
}
