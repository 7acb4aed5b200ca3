//! `lipscope model --adversarial`: measures heads of a model at the adversarial tokens of \[C\], on all cores.

use std::sync::Mutex;

use rayon::prelude::*;

use super::model_run::{Run, thread_pool};
use super::progress::progress_bar;
use super::results::Results;
use lipscope_core::experiment::InputError;
use lipscope_models::{AdversarialHead, AdversarialPlan, Cell, Needs, Shard, Table};

/// Measures the missing cells of a shard; returns the problems met.
pub(super) fn measure(
    run: &mut Run,
    radius: f64,
    (shard, threads): (Shard, usize),
    results: Results,
) -> Result<(Table, Vec<InputError>), InputError> {
    let of_plan = &run.plan;
    let plan = AdversarialPlan::of(of_plan, radius);
    let model = run.found.model.model(&Needs { layers: of_plan.depth(), ids: Default::default(), positions: 0 })?;
    let (mut heads, mut problems) = (Vec::new(), Vec::new());
    for layer in &of_plan.layers {
        for which in &of_plan.heads {
            let head = which.alone()?;
            match AdversarialHead::new(&model, *layer, head, of_plan.kind) {
                Ok(found) => heads.push((*layer, *which, found)),
                // The other heads are still measured.
                Err(InputError::NoRealEigenvalue) => problems.push(InputError::Conflict {
                    what: format!("Layer {layer}, head {head}"),
                    problem: "has an A without real eigenvalues, and so no adversarial tokens".into(),
                    fix: "Leave it out of --head.".into(),
                }),
                Err(problem) => return Err(problem),
            }
        }
    }
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
    let bar = progress_bar(wanted.len(), "lengths");
    let shared = Mutex::new((results, problems));
    thread_pool(threads)?.install(|| {
        wanted.into_par_iter().for_each(|(head, n)| {
            let measured = head.measure(&plan, n);
            bar.inc(1);
            let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Err(problem) = measured.and_then(|row| shared.0.add(vec![row]))
                && !shared.1.contains(&problem)
            {
                shared.1.push(problem);
            }
        });
    });
    bar.finish_and_clear();
    let (results, problems) = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok((results.finish()?, problems))
}
