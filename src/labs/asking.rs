//! Asking for the data of the lab on screen, and the workers' answers.

use std::time::Duration;

use crate::prelude::*;

use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use crate::page::PlotChoice;
use crate::phase::Phase;
use crate::run::{Request, Run, Side};
use crate::strings;
use crate::workers::{EngineLane, EngineNews};

use super::context::Labs;
use super::{certify, estimators, inverse, scaling, spectrum, tightness};

/// Calls the same method on the run of a lab, whatever its type.
macro_rules! for_run {
    ($labs:expr, $plot:expr, $do:ident, $($what:tt)+) => {
        match $plot {
            PlotChoice::Certify => $labs.certify.$do($($what)+),
            PlotChoice::Scaled => $labs.page.live.scaling.$do($($what)+),
            PlotChoice::Tightness => $labs.page.live.tightness.$do($($what)+),
            PlotChoice::Spectrum => $labs.spectrum.$do($($what)+),
            PlotChoice::EstimatorComparison => $labs.estimators.$do($($what)+),
            _ => $labs.page.live.inverse.$do($($what)+),
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
        let Some((plot, request)) = wanted.get() else { return };
        if for_run!(labs, plot, with_untracked, |run| run.of.as_ref() == Some(&request)) {
            return;
        }
        labs.asking.after(REST, move || labs.start(plot, request));
    });
}

fn request_now(labs: Labs) -> Option<(PlotChoice, Request)> {
    let page = labs.page;
    let plot = page.plot.get();
    let request = match plot {
        PlotChoice::Certify => certify::request,
        PlotChoice::Scaled => scaling::request,
        PlotChoice::Tightness => tightness::request,
        PlotChoice::Inverse => inverse::request,
        PlotChoice::Spectrum => spectrum::request,
        PlotChoice::EstimatorComparison => estimators::request,
        _ => return None,
    };
    let state = page.in_effect()?;
    Some((plot, page.settings.with(|settings| request(settings, &state))))
}

impl Labs {
    /// Asks again for the data of the lab on screen.
    pub fn again(self) {
        if let Some((plot, request)) = untrack(|| request_now(self)) {
            self.start(plot, request);
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
                for_run!(self, self.tab.get_value(), update, |run| run.progress = at);
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

    fn start(self, plot: PlotChoice, request: Request) {
        self.tab.set_value(plot);
        for_run!(self, plot, update, |run| run.begin(request.clone()));
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
        let tab = self.tab.get_value();
        if tab != self.page.plot.get_untracked() && for_run!(self, tab, with_untracked, Run::is_running) {
            self.stop();
            for_run!(self, tab, update, |run| run.of = None);
        }
    }

    fn set_phase(self, phase: &Phase) {
        for_run!(self, self.tab.get_value(), update, |run| run.end(phase));
    }
}
