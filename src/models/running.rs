//! A run of the form: the workers measure the rows that its table lacks, in pieces, with pauses.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use super::session::{At, ModelSession, Progress};
use super::share::Share;
use crate::fault::Fault;
use crate::frame::now;
use crate::phase::ModelPhase;
use crate::workers::ModelLane;
use lipscope_models::{Batch, Cell, Estimate, Held, Plan, Shard, Subject, Table};
use lipscope_protocol::models::{BatchPlan, LayersPlan, ModelFacts, ModelPlan, held};
use lipscope_protocol::pool::Order;

/// How long rows are collected before the figures draw them.
const GATHER: Duration = Duration::from_millis(300);
/// The least time between two notes of how far a window is, in milliseconds: several workers tell by turns.
const NOTE_MILLISECONDS: f64 = 500.0;
/// The most memory that several workers may take together, in bytes. One worker may always run.
const MOST_BYTES: f64 = 1.1e9;
/// The most workers that a run has.
const MOST_WORKERS: usize = 4;

impl ModelSession {
    /// Begins to measure the rows of the plan that the table lacks, as soon as the model is open.
    pub(super) fn run(self) {
        self.note.set(String::new());
        self.models().problem.set(None);
        let Some(facts) = self.facts.get_untracked() else {
            // The run begins when the model is open. It does not also wait for the form to rest.
            self.opening.forget();
            self.is_run_wanted.set_value(true);
            self.progress.set(Progress::default());
            self.models().phase.set(ModelPhase::Running);
            return self.open();
        };
        if let Err(problem) = self.begin(&facts) {
            self.models().phase.set(ModelPhase::Idle);
            self.complain(problem);
        }
    }

    fn begin(self, facts: &ModelFacts) -> Result<(), Fault> {
        let source = self.source_now()?;
        let words = self.plan_text()?;
        let plan = words.plan(&facts.config)?;
        let checked = plan.check(facts.ids.len()).and_then(|()| {
            let batches = plan.batches(Shard { index: 0, count: 1 });
            plan.needs(&facts.ids, &batches).check(&facts.config).map(|()| batches)
        });
        let batches = checked?;
        let held = held(&plan, &facts.config)?;
        self.take_table(
            Table::new(Subject::of(&facts.label, &facts.text, &plan))
                .with_notes(facts.notes.iter().chain(&plan.notes())),
        );
        let jobs = self.missing(&plan, shortest_first(batches));
        let total = plan.batches(Shard { index: 0, count: 1 }).iter().map(|batch| plan.cells(batch).count()).sum();
        let cost = jobs.iter().map(|(batch, wanted)| cost(batch, wanted)).sum();
        let missing: usize = jobs.iter().map(|(_, wanted)| wanted.len()).sum();
        let workers = match held {
            Held::AllLayers => workers_for(&plan, facts).min(jobs.len().max(1)),
            Held::OneLayer => 1,
        };
        self.progress.set(Progress { rows: total - missing, total, cost, workers, held, ..Progress::default() });
        if jobs.is_empty() {
            self.models().phase.set(ModelPhase::Done);
            return Ok(());
        }
        self.models().phase.set(ModelPhase::Running);
        let ids = Arc::new(needed_ids(facts, &plan));
        let origin = source.origin.clone();
        let plans: Vec<ModelPlan> = match held {
            Held::AllLayers => {
                let of = |(batch, wanted)| {
                    let (origin, plan, ids) = (origin.clone(), words.clone(), Arc::clone(&ids));
                    ModelPlan::Batch(BatchPlan { origin, plan, ids, batch, wanted })
                };
                jobs.into_iter().map(of).collect()
            }
            Held::OneLayer => vec![ModelPlan::Layers(LayersPlan { origin, plan: words, ids, batches: jobs })],
        };
        let orders: Vec<_> = plans.into_iter().map(|plan| Order { plan, companion: Some(source.clone()) }).collect();
        self.is_prepared.set_value(false);
        self.with_workers(|pool| {
            pool.with(|pool| {
                pool.set_workers(ModelLane::Batches, workers);
                pool.resume(ModelLane::Batches);
            });
            pool.submit(ModelLane::Batches, orders);
        });
        Ok(())
    }

    /// The batches, each with those of its cells that the table lacks.
    fn missing(self, plan: &Plan, batches: Vec<Batch>) -> Vec<(Batch, Vec<Cell>)> {
        self.models().table.with_untracked(|table| {
            let is_missing = |cell: &Cell| table.as_ref().is_none_or(|table| plan.is_missing(table, cell));
            let job = |batch: Batch| {
                let wanted: Vec<Cell> = plan.cells(&batch).filter(is_missing).collect();
                (!wanted.is_empty()).then_some((batch, wanted))
            };
            batches.into_iter().filter_map(job).collect()
        })
    }

    /// Lets the workers begin no further batch of windows; the batches under way are finished.
    pub(super) fn pause(self) {
        self.models().phase.set(ModelPhase::Paused);
        self.with_workers(|workers| {
            workers.with(|pool| pool.pause(ModelLane::Batches));
        });
    }

    /// Lets the workers begin further batches again; after a stop, measures the rows that are missing.
    pub(super) fn resume(self) {
        if self.models().phase.get_untracked() != ModelPhase::Paused {
            return self.run();
        }
        // The pause does not count in the run's speed.
        self.progress.update(|progress| progress.first = None);
        self.models().phase.set(ModelPhase::Running);
        self.with_workers(|workers| {
            workers.with(|pool| pool.resume(ModelLane::Batches));
        });
    }

    /// Ends the workers' work at once. Rows that have arrived stay.
    pub(super) fn stop(self) {
        self.is_run_wanted.set_value(false);
        for lane in [ModelLane::Batches, ModelLane::Open, ModelLane::ReadTable, ModelLane::Adversarial] {
            self.cancel(lane);
        }
        self.arriving.set_value(None);
        self.models().adversarial_awaited.set(false);
        self.stopped();
        self.flush();
    }

    /// Adds rows. The figures draw them a few times a second, not with every event.
    pub(super) fn take_rows(self, share: &Share, mut rows: Vec<(Cell, Estimate)>) {
        // If a worker dies, its batch is measured from the start again: rows that came already are dropped.
        self.models().table.with_untracked(|table| {
            self.gathered.with_value(|gathered| {
                rows.retain(|(cell, row)| {
                    let known = table.as_ref().and_then(|table| table.rows.get(cell));
                    let is_new = known.is_none_or(|known| row.adds_to(known));
                    is_new && gathered.iter().all(|(known, _)| known != cell)
                });
            });
        });
        if rows.is_empty() {
            return;
        }
        self.progress.update(|progress| {
            progress.rows += rows.len();
            progress.done += share.cost(&rows);
            progress.last = now();
            progress.first.get_or_insert((progress.last, progress.done));
        });
        let was_empty = self.gathered.with_value(Vec::is_empty);
        self.gathered.update_value(|gathered| gathered.extend(rows));
        if was_empty {
            set_timeout(move || self.flush(), GATHER);
        }
    }

    /// Takes note of how far a worker is with its windows.
    pub(super) fn take_steps(self, at: At) {
        let now = now();
        // Reading is always told: it may take long.
        let is_kept = |(then, _): (f64, At)| now - then < NOTE_MILLISECONDS && matches!(at, At::Window { .. });
        if !self.progress.with_untracked(|progress| progress.at.is_some_and(is_kept)) {
            self.progress.update(|progress| progress.at = Some((now, at)));
        }
    }

    pub(super) fn flush(self) {
        let mut rows = Vec::new();
        self.gathered.update_value(|gathered| rows = std::mem::take(gathered));
        if !rows.is_empty() {
            self.models().table.update(|table| {
                if let Some(table) = table {
                    Arc::make_mut(table).rows.extend(rows);
                }
            });
        }
    }
}

/// The batches with the shortest windows first, so that the first rows come soon. The table is the same in any order.
fn shortest_first(mut batches: Vec<Batch>) -> Vec<Batch> {
    batches.sort_by_key(|batch| (batch.longest(), batch.pass_tokens()));
    batches
}

/// The token ids of the plan's windows: the first ones of the text.
pub(super) fn needed_ids(facts: &ModelFacts, plan: &Plan) -> Vec<u32> {
    let needed = plan.longest().saturating_mul(plan.windows).min(facts.ids.len());
    facts.ids[..needed].to_vec()
}

/// The approximate cost of a batch, without unit: the tokens of its pass, plus the tokens of each cell in `wanted`.
fn cost(batch: &Batch, wanted: &[Cell]) -> f64 {
    (batch.pass_tokens() + wanted.iter().map(|cell| cell.n).sum::<usize>()) as f64
}

/// The number of workers that the browser's cores and the memory allow.
fn workers_for(plan: &Plan, facts: &ModelFacts) -> usize {
    let cores = window().navigator().hardware_concurrency().max(1.0) as usize;
    let by_memory = (MOST_BYTES / plan.bytes(&facts.config) as f64).max(1.0) as usize;
    cores.min(MOST_WORKERS).min(by_memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_models::{PrefixGroup, Window};

    #[test]
    fn short_windows_are_measured_before_long_ones() {
        let batch = |n: usize| Batch {
            prefix_groups: vec![PrefixGroup { longest: Window { n, window: 0 }, shorter: Vec::new() }],
        };
        let sorted = shortest_first([98, 2, 512, 16].map(batch).to_vec());
        assert_eq!(sorted, [2, 16, 98, 512].map(batch));
    }
}
