//! The views of Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", and the search for the worst tokens;
//! each of them has the lab's worker while it is looked at.
//!
//! | module | concept |
//! | --- | --- |
//! | `wanted` | what a view asks the worker for |
//! | `run` | what came of it |
//! | `chart`, `progress`, `number` | parts that the views share |
//! | `scaling`, `tightness` | a view each |
//! | `spectrum`, `spectrum_chart`, `estimators`, `court_chart`, `court_controls` | the singular values, and estimators of the largest |
//! | `inverse`, `inverse_chart`, `inverse_controls`, `plane`, `player` | the view of the inverse |
//! | `search`, `search_chart`, `search_controls`, `search_plane`, `search_run`, `search_work` | the search: it begins when the reader says so |

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
mod run;
mod scaling;
mod search;
mod search_chart;
mod search_controls;
mod search_plane;
mod search_run;
mod search_work;
mod spectrum;
mod spectrum_chart;
mod tightness;
mod wanted;

use std::time::Duration;

use leptos::prelude::*;

use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::scaling::ScalingPoint;
use lipscope_core::spectrum::Spectrum;
use lipscope_core::tightness::TightnessPoint;
use lipscope_protocol::message::{Reply, RunId};

use super::engine::{Job, Role};
use super::page::{Page, PlotChoice};
use super::state::Settings;
use super::strings;

pub use estimators::EstimatorLab;
pub use inverse::InverseLab;
pub use inverse::Which;
pub use run::{Pair, Phase, Run, Side};
pub use scaling::ScalingLab;
pub use search::SearchLab;
pub use search_run::SearchRun;
pub use spectrum::SpectrumLab;
pub use tightness::TightnessLab;

use wanted::Wanted;

/// What came of the scaled tokens.
pub type ScalingRun = Run<Vec<ScalingPoint>>;
/// What came of the search.
pub type TightnessRun = Run<Vec<TightnessPoint>>;
/// What came of the inverses.
pub type InverseRun = Run<Pair>;

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
    search: RwSignal<SearchRun>,
    spectrum: RwSignal<Run<Option<Spectrum>>>,
    estimators: RwSignal<Run<Vec<EstimatorPoint>>>,
    /// The iteration of the inverse that is pictured.
    frame: RwSignal<usize>,
    /// Whose answers come now.
    tab: StoredValue<PlotChoice>,
    /// The first run of the last job: what comes of earlier ones is stale.
    first_run: StoredValue<RunId>,
    /// Runs of the last job that are not over.
    left: StoredValue<usize>,
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
            search: RwSignal::default(),
            spectrum: RwSignal::default(),
            estimators: RwSignal::default(),
            frame: RwSignal::new(0),
            tab: StoredValue::new(PlotChoice::Scaled),
            first_run: StoredValue::new(0),
            left: StoredValue::new(0),
            count: StoredValue::new(0),
        }
    }
}

/// Asks for what the view that is shown needs, whenever that changes.
pub fn begin(page: Page) {
    let wanted = Memo::new(move |_| wanted_now(page));
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
    search_work::begin(page);
}

fn wanted_now(page: Page) -> Option<Wanted> {
    let plot = page.plot.get();
    match plot {
        PlotChoice::Growth | PlotChoice::Draws | PlotChoice::Search | PlotChoice::Model => None,
        _ => page.labs.settings.with(|settings| page.state.with(|state| Wanted::of(plot, settings, state))),
    }
}

impl Labs {
    /// Does again what the view that is shown needs.
    pub fn again(self, page: Page) {
        if let Some(wanted) = untrack(|| wanted_now(page)) {
            self.start(page, wanted);
        }
    }

    /// Stops the work; what there is of it stays.
    pub fn stop(self, page: Page) {
        page.with_engine(|engine| engine.cancel(Role::Lab));
        self.set_phase(&Phase::Stopped);
    }

    /// Takes in an answer.
    pub fn hear(self, reply: Reply) {
        let first = self.first_run.get_value();
        let is_stale = |run_id: RunId| run_id < first;
        match reply {
            Reply::Scaled { run_id, points } if !is_stale(run_id) => {
                self.scaling.update(|run| run.fresh().extend(points));
            }
            Reply::Tight { run_id, points } if !is_stale(run_id) => {
                self.tightness.update(|run| run.fresh().extend(points));
            }
            Reply::Inverting { run_id, constant, kind, tokens, images } if !is_stale(run_id) => {
                let side = Side { constant: Some((constant, kind)), tokens, images, ..Side::default() };
                self.inverse.update(|run| *run.data.side(run_id - first) = side);
            }
            Reply::Inverse { run_id, steps, outcome } if !is_stale(run_id) => self.inverse.update(|run| {
                let side = run.data.side(run_id - first);
                side.steps.extend(steps);
                side.outcome = outcome;
            }),
            Reply::Search { run_id, domain } if !is_stale(run_id) => self.search.update(|run| run.is_in(*domain)),
            Reply::Searched { run_id, steps, mark, current, best } if !is_stale(run_id) => {
                self.search.update(|run| run.take(&steps, *mark, *current, *best));
            }
            Reply::Spectrum { run_id, spectrum } if !is_stale(run_id) => {
                self.spectrum.update(|run| *run.fresh() = Some(*spectrum));
            }
            Reply::EstimatorComparison { run_id, points } if !is_stale(run_id) => {
                self.estimators.update(|run| run.fresh().extend(points));
            }
            Reply::Progress { run_id, done, total, .. } if !is_stale(run_id) => {
                let total = total.unwrap_or(0);
                match self.tab.get_value() {
                    PlotChoice::Search => self.search.update(|run| run.progress = (done, total)),
                    PlotChoice::Tightness => self.tightness.update(|run| run.progress = (done, total)),
                    PlotChoice::Spectrum => self.spectrum.update(|run| run.progress = (done, total)),
                    _ => self.scaling.update(|run| run.progress = (done, total)),
                }
            }
            Reply::Finished { run_id } if !is_stale(run_id) => {
                self.left.update_value(|left| *left = left.saturating_sub(1));
                if self.left.get_value() == 0 {
                    self.set_phase(&Phase::Done);
                }
            }
            Reply::Failed { run_id, problem } if !is_stale(run_id) => {
                if self.tab.get_value() == PlotChoice::Inverse {
                    self.inverse.update(|run| *run.data.side(run_id - first) = Side::default());
                }
                self.set_phase(&Phase::Failed(strings::told(&problem)));
            }
            _ => {}
        }
    }

    /// The worker stopped over this twice.
    pub fn give_up(self, words: &str) {
        self.set_phase(&Phase::Failed(words.to_owned()));
    }

    fn start(self, page: Page, wanted: Wanted) {
        self.tab.set_value(wanted.tab());
        let of = Some(wanted.clone());
        match wanted.tab() {
            PlotChoice::Scaled => self.scaling.update(|run| run.begin(of)),
            PlotChoice::Tightness => self.tightness.update(|run| run.begin(of)),
            PlotChoice::Spectrum => self.spectrum.update(|run| run.begin(of)),
            PlotChoice::EstimatorComparison => self.estimators.update(|run| run.begin(of)),
            _ => self.inverse.update(|run| run.begin(of)),
        }
        if let Wanted::Refused(_, why) = wanted {
            page.with_engine(|engine| engine.cancel(Role::Lab));
            self.set_phase(&Phase::Failed(why.to_owned()));
            return;
        }
        page.with_engine(|engine| {
            let first = engine.next_run();
            let mut next = Some(first);
            let job: Job = wanted.requests(|| next.take().unwrap_or_else(|| engine.next_run())).into();
            self.first_run.set_value(first);
            self.left.set_value(job.len());
            engine.submit(Role::Lab, job);
        });
    }

    /// Ends the work of a view that is looked at no more; it begins anew when it is looked at again.
    fn leave(self, page: Page) {
        let tab = self.tab.get_value();
        if page.plot.get_untracked() == tab {
            return;
        }
        let is_running = match tab {
            PlotChoice::Scaled => self.scaling.with_untracked(Run::is_running),
            PlotChoice::Tightness => self.tightness.with_untracked(Run::is_running),
            // It is only paused, by an effect of its own.
            PlotChoice::Search => false,
            PlotChoice::Spectrum => self.spectrum.with_untracked(Run::is_running),
            PlotChoice::EstimatorComparison => self.estimators.with_untracked(Run::is_running),
            _ => self.inverse.with_untracked(Run::is_running),
        };
        if is_running {
            self.stop(page);
            match tab {
                PlotChoice::Scaled => self.scaling.update(|run| run.of = None),
                PlotChoice::Tightness => self.tightness.update(|run| run.of = None),
                PlotChoice::Spectrum => self.spectrum.update(|run| run.of = None),
                PlotChoice::EstimatorComparison => self.estimators.update(|run| run.of = None),
                _ => self.inverse.update(|run| run.of = None),
            }
        }
    }

    /// Whether what is wanted is there, or on its way.
    fn has(self, wanted: &Wanted) -> bool {
        match wanted.tab() {
            PlotChoice::Scaled => self.scaling.with_untracked(|run| run.of.as_ref() == Some(wanted)),
            PlotChoice::Tightness => self.tightness.with_untracked(|run| run.of.as_ref() == Some(wanted)),
            PlotChoice::Spectrum => self.spectrum.with_untracked(|run| run.of.as_ref() == Some(wanted)),
            PlotChoice::EstimatorComparison => self.estimators.with_untracked(|run| run.of.as_ref() == Some(wanted)),
            _ => self.inverse.with_untracked(|run| run.of.as_ref() == Some(wanted)),
        }
    }

    fn set_phase(self, phase: &Phase) {
        match self.tab.get_value() {
            PlotChoice::Scaled => self.scaling.update(|run| run.end(phase)),
            PlotChoice::Tightness => self.tightness.update(|run| run.end(phase)),
            PlotChoice::Search => self.search.update(|run| run.phase = phase.clone()),
            PlotChoice::Spectrum => self.spectrum.update(|run| run.end(phase)),
            PlotChoice::EstimatorComparison => self.estimators.update(|run| run.end(phase)),
            _ => self.inverse.update(|run| run.end(phase)),
        }
    }
}
