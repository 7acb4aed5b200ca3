//! `lipscope model --adversarial`: measures heads of a model at the adversarial tokens of \[C\], on all cores.

use super::model_run::{Outcome, Run, measure_all};
use super::results::Results;
use lipscope_core::experiment::InputError;
use lipscope_models::{AdversarialHead, AdversarialPlan, Cell, Needs, Shard};

/// Measures the missing cells of a shard; returns the problems found.
pub(super) fn measure(run: &mut Run, radius: f64, shard: Shard, results: Results) -> Outcome {
    let of_plan = &run.plan;
    let plan = AdversarialPlan::of(of_plan, radius);
    let model =
        run.found.model.model(&Needs { layers: of_plan.depth(), mlps: 0, ids: Default::default(), positions: 0 })?;
    let (mut heads, mut problems) = (Vec::new(), Vec::new());
    for layer in &of_plan.layers {
        for which in &of_plan.heads {
            let head = which.alone()?;
            match AdversarialHead::new(&model, *layer, head, of_plan.kind) {
                Ok(found) => heads.push((*layer, *which, found)),
                // Measures the other heads all the same.
                Err(InputError::NoRealEigenvalue) => problems.push(InputError::Conflict {
                    what: format!("Layer {layer}, head {head}").into(),
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
    measure_all(wanted, "lengths", (results, problems), |(head, n)| Ok(vec![head.measure(&plan, n)?]))
}
