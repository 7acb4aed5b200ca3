//! The experiments of the lab and the singular values; each of them has the lab's worker while it is looked at. A new one is a file, a signal in [`Labs`], and a line wherever the others have one here.
//!
//! | module | concept |
//! | --- | --- |
//! | `frame`, `plot`, `facts`, `inputs`, `number` | what a lab is shown in, and the parts that it is filled with |
//! | `gallery` | all labs, a picture and a sentence each |
//! | `reach`, `scaling`, `tightness`, `inverse`, `estimators`, `spectrum` | a lab each, with `_chart` and `_controls` |
//! | `plane`, `player` | the iterates of the inverse |

mod estimators;
mod estimators_chart;
mod facts;
mod frame;
mod gallery;
mod inputs;
mod inverse;
mod inverse_chart;
mod inverse_controls;
mod number;
mod plane;
mod player;
mod plot;
mod reach;
mod scaling;
mod spectrum;
mod spectrum_chart;
mod tightness;

use std::time::Duration;

use crate::prelude::*;

use lipscope_core::certify::Certified;
use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::spectrum::Spectrum;
use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::newest::Newest;
use super::page::{Page, PlotChoice};
use super::phase::Phase;
use super::run::{InverseRun, Request, Run, ScalingRun, Side, TightnessRun};
use super::state::Settings;
use super::strings;
use super::workers::{EngineLane, EngineReply};

pub use estimators::EstimatorLab;
pub use gallery::Gallery;
pub use inverse::InverseLab;
pub use reach::ReachLab;
pub use scaling::ScalingLab;
pub use spectrum::SpectrumLab;
pub use tightness::TightnessLab;

/// Does the same to the run of a lab, whatever it holds.
macro_rules! for_run {
    ($labs:expr, $plot:expr, $do:ident, $($what:tt)+) => {
        match $plot {
            PlotChoice::Reach => $labs.reach.$do($($what)+),
            PlotChoice::Scaled => $labs.scaling.$do($($what)+),
            PlotChoice::Tightness => $labs.tightness.$do($($what)+),
            PlotChoice::Spectrum => $labs.spectrum.$do($($what)+),
            PlotChoice::EstimatorComparison => $labs.estimators.$do($($what)+),
            _ => $labs.inverse.$do($($what)+),
        }
    };
}

/// How long the controls rest before the worker is asked.
const REST: Duration = Duration::from_millis(70);

/// What the views hold.
#[derive(Clone, Copy, Default)]
pub struct Labs {
    /// What a reader chooses here.
    pub settings: RwSignal<Settings>,
    /// The scaled tokens.
    pub scaling: RwSignal<ScalingRun>,
    /// The search at each n.
    pub tightness: RwSignal<TightnessRun>,
    /// The inverses.
    pub inverse: RwSignal<InverseRun>,
    spectrum: RwSignal<Run<Option<Spectrum>>>,
    estimators: RwSignal<Run<Vec<EstimatorPoint>>>,
    reach: RwSignal<Run<Option<Certified>>>,
    /// The iteration of the inverse that is pictured.
    frame: RwSignal<usize>,
    /// Whose answers come now.
    tab: StoredValue<PlotChoice>,
    /// What is asked for when the controls rest.
    asking: Newest,
}

/// Asks for what the view that is shown needs, whenever that changes.
pub fn begin(page: Page) {
    let wanted = memo(move |_| request_now(page));
    effect(move |_| {
        let labs = page.labs;
        labs.leave(page);
        labs.asking.forget();
        let Some((plot, request)) = wanted.get() else { return };
        if for_run!(labs, plot, with_untracked, |run| run.of.as_ref() == Some(&request)) {
            return;
        }
        labs.asking.after(REST, move || labs.start(page, plot, request));
    });
}

fn request_now(page: Page) -> Option<(PlotChoice, Request)> {
    let plot = page.plot.get();
    let request = match plot {
        PlotChoice::Reach => reach::request,
        PlotChoice::Scaled => scaling::request,
        PlotChoice::Tightness => tightness::request,
        PlotChoice::Inverse => inverse::request,
        PlotChoice::Spectrum => spectrum::request,
        PlotChoice::EstimatorComparison => estimators::request,
        _ => return None,
    };
    let state = page.in_effect()?;
    Some((plot, page.labs.settings.with(|settings| request(settings, &state))))
}

impl Labs {
    /// Does again what the view that is shown needs.
    pub fn again(self, page: Page) {
        if let Some((plot, request)) = untrack(|| request_now(page)) {
            self.start(page, plot, request);
        }
    }

    /// Stops the work; what there is of it stays.
    pub fn stop(self, page: Page) {
        page.cancel(EngineLane::Lab);
        self.set_phase(&Phase::Stopped);
    }

    /// Takes in an answer.
    pub fn hear(self, reply: EngineReply) {
        let EngineReply { of, content, left } = reply;
        match content {
            Content::Event(event) => self.take(&of.plan, event),
            Content::Progress(progress) => {
                let at = (progress.done as usize, progress.total.unwrap_or(0) as usize);
                for_run!(self, self.tab.get_value(), update, |run| run.progress = at);
            }
            Content::Finished if left == 0 => self.set_phase(&Phase::Done),
            Content::Failed(problem) => {
                if let EnginePlan::Inverse(plan) = &of.plan {
                    self.inverse.update(|run| *run.data.side(plan.experiment.attention) = Side::default());
                }
                self.set_phase(&Phase::Failed(strings::told(&problem)));
            }
            _ => {}
        }
    }

    fn take(self, plan: &EnginePlan, event: EngineEvent) {
        match (plan, event) {
            (_, EngineEvent::Certify(certified)) => self.reach.update(|run| *run.fresh() = Some(certified)),
            (_, EngineEvent::Scaling(points)) => self.scaling.update(|run| run.fresh().extend(points)),
            (_, EngineEvent::Tightness(points)) => self.tightness.update(|run| run.fresh().extend(points)),
            (_, EngineEvent::Spectrum(spectrum)) => self.spectrum.update(|run| *run.fresh() = Some(*spectrum)),
            (_, EngineEvent::Estimators(points)) => self.estimators.update(|run| run.fresh().extend(points)),
            (EnginePlan::Inverse(plan), EngineEvent::Inverse(event)) => {
                self.inverse.update(|run| run.renewed().side(plan.experiment.attention).take(event));
            }
            _ => {}
        }
    }

    /// The worker stopped over this twice.
    pub fn give_up(self, words: &str) {
        self.set_phase(&Phase::Failed(words.to_owned()));
    }

    fn start(self, page: Page, plot: PlotChoice, request: Request) {
        self.tab.set_value(plot);
        for_run!(self, plot, update, |run| run.begin(request.clone()));
        match request {
            Ok(plans) => page.submit(EngineLane::Lab, plans),
            Err(why) => {
                page.cancel(EngineLane::Lab);
                self.set_phase(&Phase::Failed(why.to_owned()));
            }
        }
    }

    /// Ends the work of a view that is looked at no more; it begins anew when it is looked at again.
    fn leave(self, page: Page) {
        let tab = self.tab.get_value();
        if tab != page.plot.get_untracked() && for_run!(self, tab, with_untracked, Run::is_running) {
            self.stop(page);
            for_run!(self, tab, update, |run| run.of = None);
        }
    }

    fn set_phase(self, phase: &Phase) {
        for_run!(self, self.tab.get_value(), update, |run| run.end(phase));
    }
}
