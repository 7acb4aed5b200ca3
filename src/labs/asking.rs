//! Asking for the data of the lab on screen, and the workers' answers.

use std::time::Duration;

use crate::prelude::*;

use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use crate::phase::Phase;
use crate::run::{Request, Run, Side};
use crate::strings;
use crate::workers::{EngineLane, EngineNews};

use super::context::{Lab, Labs};
use super::{certify, estimators, inverse, scaling, spectrum, tightness};

/// Calls the same method on the run of a lab, whatever its type.
macro_rules! for_run {
    ($labs:expr, $lab:expr, $do:ident, $($what:tt)+) => {
        match $lab {
            Lab::Certify => $labs.certify.$do($($what)+),
            Lab::Scaled => $labs.page.live.scaling.$do($($what)+),
            Lab::Tightness => $labs.page.live.tightness.$do($($what)+),
            Lab::Spectrum => $labs.spectrum.$do($($what)+),
            Lab::Estimators => $labs.estimators.$do($($what)+),
            Lab::Inverse => $labs.page.live.inverse.$do($($what)+),
        }
    };
}

/// How long the controls rest before the worker is asked.
const REST: Duration = Duration::from_millis(70);

/// Asks for the data of the lab on screen, whenever its inputs change.
pub fn begin(labs: Labs) {
    let wanted = memo(move |_| request_now(labs));
    effect(move |_| {
        labs.leave();
        labs.asking.forget();
        let Some((lab, request)) = wanted.get() else { return };
        if for_run!(labs, lab, with_untracked, |run| run.of.as_ref() == Some(&request)) {
            return;
        }
        labs.asking.after(REST, move || labs.start(lab, request));
    });
}

fn request_now(labs: Labs) -> Option<(Lab, Request)> {
    let page = labs.page;
    let lab = Lab::of(page.plot.get())?;
    let request = match lab {
        Lab::Certify => certify::request,
        Lab::Scaled => scaling::request,
        Lab::Tightness => tightness::request,
        Lab::Inverse => inverse::request,
        Lab::Spectrum => spectrum::request,
        Lab::Estimators => estimators::request,
    };
    let state = page.in_effect()?;
    Some((lab, page.settings.with(|settings| request(settings, &state))))
}

impl Labs {
    /// Asks again for the data of the lab on screen.
    pub fn again(self) {
        if let Some((lab, request)) = untrack(|| request_now(self)) {
            self.start(lab, request);
        }
    }

    /// Stops the work; its results so far stay.
    pub fn stop(self) {
        self.page.cancel(EngineLane::Lab);
        self.set_phase(&Phase::Stopped);
    }

    /// Receives an answer.
    fn hear(self, plan: &EnginePlan, news: EngineNews) {
        let (content, left) = match news {
            EngineNews::Reply(content, left) => (content, left),
            EngineNews::GaveUp => return self.set_phase(&Phase::Failed(strings::gave_up(EngineLane::Lab).to_owned())),
        };
        match content {
            Content::Event(event) => self.take(plan, event),
            Content::Progress(progress) => {
                let at = (progress.done as usize, progress.total.unwrap_or(0) as usize);
                if let Some(lab) = self.asked.get_value() {
                    for_run!(self, lab, update, |run| run.progress = at);
                }
            }
            Content::Finished if left == 0 => self.set_phase(&Phase::Done),
            Content::Failed(problem) => {
                if let EnginePlan::Inverse(plan) = plan {
                    self.page.live.inverse.update(|run| *run.data.side(plan.experiment.attention) = Side::default());
                }
                self.set_phase(&Phase::Failed(strings::told(&problem)));
            }
            _ => {}
        }
    }

    fn take(self, plan: &EnginePlan, event: EngineEvent) {
        match (plan, event) {
            (_, EngineEvent::Certify(certified)) => self.certify.update(|run| *run.fresh() = Some(certified)),
            (_, EngineEvent::Scaling(points)) => self.page.live.scaling.update(|run| run.fresh().extend(points)),
            (_, EngineEvent::Tightness(points)) => self.page.live.tightness.update(|run| run.fresh().extend(points)),
            (_, EngineEvent::Spectrum(spectrum)) => self.spectrum.update(|run| *run.fresh() = Some(*spectrum)),
            (_, EngineEvent::Estimators(points)) => self.estimators.update(|run| run.fresh().extend(points)),
            (EnginePlan::Inverse(plan), EngineEvent::Inverse(event)) => {
                self.page.live.inverse.update(|run| run.renewed().side(plan.experiment.attention).take(event));
            }
            _ => {}
        }
    }

    fn start(self, lab: Lab, request: Request) {
        self.asked.set_value(Some(lab));
        for_run!(self, lab, update, |run| run.begin(request.clone()));
        match request {
            Ok(plans) => self.page.submit(EngineLane::Lab, plans, move |plan, news| self.hear(plan, news)),
            Err(why) => {
                self.page.cancel(EngineLane::Lab);
                self.set_phase(&Phase::Failed(why.to_owned()));
            }
        }
    }

    /// Ends the work of a view that has left the screen. It starts anew when the view is shown again.
    fn leave(self) {
        let Some(lab) = self.asked.get_value() else { return };
        let is_on_screen = Lab::of(self.page.plot.get_untracked()) == Some(lab);
        if !is_on_screen && for_run!(self, lab, with_untracked, Run::is_running) {
            self.stop();
            for_run!(self, lab, update, |run| run.of = None);
        }
    }

    fn set_phase(self, phase: &Phase) {
        if let Some(lab) = self.asked.get_value() {
            for_run!(self, lab, update, |run| run.end(phase));
        }
    }
}
