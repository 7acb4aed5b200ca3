//! Runs of `lipscope model` on all cores. Runs over windows of a text and runs at adversarial tokens share
//! `measure_all`; the runs at adversarial tokens are here too.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rayon::prelude::*;

use super::console::{emit, progress_bar};
use super::model_files::Found;
use super::results::Results;
use lipscope_core::experiment::InputError;
use lipscope_core::parallel::one_of;
use lipscope_models::{
    AdversarialHead, AdversarialPlan, Batch, BatchStep, Cell, Estimate, Held, LayerByLayer, LayerStep, Plan, Shard,
    Table,
};

/// The table of a run, and the problems found.
pub(super) type Outcome = Result<(Table, Vec<InputError>), InputError>;

/// The input of a run: the model, the token ids of the text, and the plan.
pub(super) struct Run {
    pub(super) found: Found,
    pub(super) ids: Vec<u32>,
    pub(super) plan: Plan,
    pub(super) held: Held,
}

/// The results so far, and the problems found.
type Shared = (Results, Vec<InputError>);

/// Measures portions of a run on all threads, and adds their rows to the earlier results and problems.
///
/// A separate thread updates the file, so that measured rows are soon in it, even if the next portion takes an hour.
pub(super) fn measure_all<T: Send>(
    portions: Vec<T>,
    what: &'static str,
    so_far: Shared,
    measure: impl Fn(T) -> Result<Vec<(Cell, Estimate)>, InputError> + Sync,
) -> Outcome {
    /// How often the thread checks whether the file lacks rows.
    const TICK: Duration = Duration::from_millis(200);
    let count = portions.len();
    let bar = progress_bar(count, what);
    let shared = Mutex::new(so_far);
    thread::scope(|scope| {
        let (work, is_over) = mpsc::channel::<()>();
        let shared = &shared;
        scope.spawn(move || {
            while is_over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let mut so_far = locked(shared);
                if let Err(problem) = so_far.0.keep() {
                    note(&mut so_far.1, problem);
                }
            }
        });
        // The bridge hands out portions one by one, so that the longest windows start first.
        portions.into_iter().par_bridge().for_each(|portion| {
            match one_of(count, || measure(portion)) {
                Ok(rows) => locked(shared).0.add(rows),
                Err(problem) => note(&mut locked(shared).1, problem),
            }
            bar.inc(1);
        });
        drop(work);
    });
    bar.finish_and_clear();
    Ok(finished(shared.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Measures the missing cells of some batches with one layer of the model in memory at a time.
pub(super) fn measure_by_layer(run: &mut Run, batches: Vec<Batch>, mut results: Results) -> Outcome {
    let (done, plan) = (results.table().clone(), run.plan.clone());
    let mut problems = Vec::new();
    let is_wanted = |cell: &Cell| plan.is_missing(&done, cell);
    let mut layers = LayerByLayer::new(&mut run.found.model, &run.plan, &run.ids, batches, is_wanted)?;
    emit!("lipscope model: reading one layer at a time, since all together would take more memory than the limit");
    let bar = progress_bar(layers.layers(), "layers");
    loop {
        match layers.step(&mut run.found.model) {
            Ok(LayerStep::Dropped) => bar.inc(1),
            Ok(LayerStep::Measuring(BatchStep::Row(cell, found))) => {
                results.add(vec![(cell, found)]);
                if let Err(problem) = results.keep() {
                    note(&mut problems, problem);
                }
            }
            Ok(LayerStep::Measuring(BatchStep::Done)) => break,
            Ok(LayerStep::Read | LayerStep::Measuring(_)) => {}
            Err(problem) => {
                note(&mut problems, problem);
                break;
            }
        }
    }
    bar.finish_and_clear();
    results.add_notes(run.found.model.notes_on_weights());
    Ok(finished((results, problems)))
}

/// `lipscope model --adversarial`: measures the missing cells of a shard at the adversarial tokens of \[C\]; returns
/// the table and the problems found.
pub(super) fn measure_adversarial(run: &mut Run, radius: f64, shard: Shard, mut results: Results) -> Outcome {
    let of_plan = &run.plan;
    let plan = AdversarialPlan::of(of_plan, radius);
    let (mut heads, mut problems) = (Vec::new(), Vec::new());
    for layer in &of_plan.layers {
        let model = run.found.model.attention(*layer)?;
        for which in &of_plan.heads {
            let head = which.alone()?;
            match AdversarialHead::new(&model, *layer, head, of_plan.kind) {
                Ok(found) => heads.push((*layer, *which, found)),
                // The other heads are still measured.
                Err(InputError::NoRealEigenvalue) => problems.push(InputError::Conflict {
                    what: format!("Layer {layer}, head {head}").into(),
                    problem: "has an A without real eigenvalues, and so no adversarial tokens".into(),
                    fix: "Leave it out of --head.".into(),
                }),
                Err(problem) => return Err(problem),
            }
        }
    }
    results.add_notes(run.found.model.notes_on_weights());
    let mut lengths = of_plan.lengths.clone();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.dedup();
    let wanted: Vec<(&AdversarialHead, usize)> = lengths
        .iter()
        .flat_map(|n| {
            heads.iter().map(move |(layer, heads, at)| (Cell { layer: *layer, heads: *heads, n: *n, window: 0 }, at))
        })
        .enumerate()
        .filter(|(at, (cell, _))| at % shard.count.max(1) == shard.index && !results.table().rows.contains_key(cell))
        .map(|(_, (cell, head))| (head, cell.n))
        .collect();
    measure_all(wanted, "lengths", (results, problems), |(head, n)| Ok(vec![head.measure(&plan, n)?]))
}

/// Writes the table; a problem of that is added to the others.
fn finished((results, mut problems): Shared) -> (Table, Vec<InputError>) {
    let (table, problem) = results.finish();
    if let Some(problem) = problem {
        note(&mut problems, problem);
    }
    (table, problems)
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Many windows may have the same problem; reports it once.
fn note(problems: &mut Vec<InputError>, problem: InputError) {
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}
