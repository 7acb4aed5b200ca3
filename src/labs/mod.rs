//! The views of Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention"; each of them has the lab's worker while
//! it is looked at.
//!
//! | module | concept |
//! | --- | --- |
//! | `request` | what a view asks the workers for |
//! | `run` | what came of it |
//! | `chart`, `progress`, `number` | parts that the views share |
//! | `scaling`, `tightness` | a view each |
//! | `spectrum`, `spectrum_chart`, `estimators`, `court_chart`, `court_controls` | the singular values, and estimators of the largest |
//! | `inverse`, `inverse_chart`, `inverse_controls`, `plane`, `player` | the view of the inverse |

mod chart;
mod estimators;
mod estimators_chart;
mod estimators_controls;
mod inverse;
mod inverse_chart;
mod inverse_controls;
mod number;
mod plane;
mod player;
mod progress;
mod request;
mod run;
mod scaling;
mod spectrum;
mod spectrum_chart;
mod tightness;

use std::time::Duration;

use leptos::prelude::*;

use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::scaling::ScalingPoint;
use lipscope_core::spectrum::Spectrum;
use lipscope_core::tightness::TightnessPoint;
use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, InverseEvent};

use super::page::{Page, PlotChoice};
use super::state::Settings;
use super::strings;
use super::workers::{EngineLane, EngineReply};

pub use estimators::EstimatorLab;
pub use inverse::InverseLab;
pub use inverse::Which;
pub use run::{Pair, Phase, Run, Side};
pub use scaling::ScalingLab;
pub use spectrum::SpectrumLab;
pub use tightness::TightnessLab;

use request::LabRequest;

/// What came of the scaled tokens.
pub type ScalingRun = Run<Vec<ScalingPoint>>;
/// What came of the search.
pub type TightnessRun = Run<Vec<TightnessPoint>>;
/// What came of the inverses.
pub type InverseRun = Run<Pair>;

/// Does the same to the run of a view, whatever it holds.
macro_rules! for_run {
    ($labs:ident, $tab:expr, $do:ident, $($what:tt)+) => {
        match $tab {
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
#[derive(Clone, Copy)]
pub struct Labs {
    /// What a reader chooses here.
    pub settings: RwSignal<Settings>,
    /// The scaled tokens.
    pub scaling: RwSignal<ScalingRun>,
    /// The search.
    pub tightness: RwSignal<TightnessRun>,
    /// The inverses.
    pub inverse: RwSignal<InverseRun>,
    spectrum: RwSignal<Run<Option<Spectrum>>>,
    estimators: RwSignal<Run<Vec<EstimatorPoint>>>,
    /// The iteration of the inverse that is pictured.
    frame: RwSignal<usize>,
    /// Whose answers come now.
    tab: StoredValue<PlotChoice>,
    /// Counts jobs.
    count: StoredValue<u64>,
}

impl Default for Labs {
    fn default() -> Self {
        Labs {
            settings: RwSignal::default(),
            scaling: RwSignal::default(),
            tightness: RwSignal::default(),
            inverse: RwSignal::default(),
            spectrum: RwSignal::default(),
            estimators: RwSignal::default(),
            frame: RwSignal::new(0),
            tab: StoredValue::new(PlotChoice::Scaled),
            count: StoredValue::new(0),
        }
    }
}

/// Asks for what the view that is shown needs, whenever that changes.
pub fn begin(page: Page) {
    let wanted = Memo::new(move |_| request_now(page));
    Effect::new(move |_| {
        let labs = page.labs;
        labs.leave(page);
        labs.count.update_value(|count| *count += 1);
        let Some(wanted) = wanted.get() else { return };
        if labs.has(&wanted) {
            return;
        }
        let count = labs.count.get_value();
        set_timeout(
            move || {
                if labs.count.get_value() == count {
                    labs.start(page, wanted);
                }
            },
            REST,
        );
    });
}

fn request_now(page: Page) -> Option<LabRequest> {
    let plot = page.plot.get();
    match plot {
        PlotChoice::Growth | PlotChoice::Model => None,
        _ => page
            .in_effect()
            .and_then(|state| page.labs.settings.with(|settings| LabRequest::of(plot, settings, &state))),
    }
}

impl Labs {
    /// Does again what the view that is shown needs.
    pub fn again(self, page: Page) {
        if let Some(wanted) = untrack(|| request_now(page)) {
            self.start(page, wanted);
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
            (_, EngineEvent::Scaling(points)) => self.scaling.update(|run| run.fresh().extend(points)),
            (_, EngineEvent::Tightness(points)) => self.tightness.update(|run| run.fresh().extend(points)),
            (EnginePlan::Inverse(plan), EngineEvent::Inverse(event)) => self.inverse.update(|run| {
                let side = run.data.side(plan.experiment.attention);
                match event {
                    InverseEvent::Begins { constant, kind, tokens, images } => {
                        *side = Side { constant: Some((constant, kind)), tokens, images, ..Side::default() };
                    }
                    InverseEvent::Steps { steps, outcome } => {
                        side.steps.extend(steps);
                        side.outcome = outcome;
                    }
                }
            }),
            (_, EngineEvent::Spectrum(spectrum)) => self.spectrum.update(|run| *run.fresh() = Some(*spectrum)),
            (_, EngineEvent::Estimators(points)) => self.estimators.update(|run| run.fresh().extend(points)),
            _ => {}
        }
    }

    /// The worker stopped over this twice.
    pub fn give_up(self, words: &str) {
        self.set_phase(&Phase::Failed(words.to_owned()));
    }

    fn start(self, page: Page, wanted: LabRequest) {
        self.tab.set_value(wanted.tab());
        let of = Some(wanted.clone());
        for_run!(self, wanted.tab(), update, |run| run.begin(of));
        if let LabRequest::Refused(_, why) = wanted {
            page.cancel(EngineLane::Lab);
            self.set_phase(&Phase::Failed(why.to_owned()));
            return;
        }
        page.submit(EngineLane::Lab, wanted.plans());
    }

    /// Ends the work of a view that is looked at no more; it begins anew when it is looked at again.
    fn leave(self, page: Page) {
        let tab = self.tab.get_value();
        if page.plot.get_untracked() == tab {
            return;
        }
        if for_run!(self, tab, with_untracked, Run::is_running) {
            self.stop(page);
            for_run!(self, tab, update, |run| run.of = None);
        }
    }

    /// Whether what is wanted is there, or on its way.
    fn has(self, wanted: &LabRequest) -> bool {
        for_run!(self, wanted.tab(), with_untracked, |run| run.of.as_ref() == Some(wanted))
    }

    fn set_phase(self, phase: &Phase) {
        for_run!(self, self.tab.get_value(), update, |run| run.end(phase));
    }
}
