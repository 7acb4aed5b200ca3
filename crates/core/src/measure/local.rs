//! `local` for each form of the Jacobian, in steps.

use nalgebra::DMatrix;

use super::system::{Clusters, Runs, System};
use crate::attention::Kernel;
use crate::bounds::{Combination, LocalBound, LocalHead, LocalParts, combine_local};
use crate::experiment::Attention;
use crate::weights::{HeadWeights, Weights};

/// Up to so many rows of a run are taken one by one; further ones in blocks of this part of what came before.
const ROWS_ONE_BY_ONE: usize = 4096;

/// `local` under way.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// Token by token, in steps.
    Tokens(Box<LocalBound>),
    /// In one step.
    Known(LocalParts),
    /// Too long to compute exactly, and no blocks for this kernel.
    Absent,
}

impl Local {
    pub(super) fn new(system: &System, weights: &Weights, attention: Attention, combination: Combination) -> Self {
        match system {
            System::Tokens(operator) => Local::Tokens(Box::new(LocalBound::new(operator.forward(), weights))),
            System::Clusters(clusters) => Local::Known(of_clusters(clusters, weights, attention, combination)),
            System::Runs(runs) => of_runs(runs, weights, attention, combination).map_or(Local::Absent, Local::Known),
        }
    }

    /// Some work; true when all is done.
    pub(super) fn step(&mut self, system: &System) -> bool {
        match (self, system) {
            (Local::Tokens(bound), System::Tokens(operator)) => bound.step(operator.forward()),
            _ => true,
        }
    }

    pub(super) fn finish(self, combination: Combination) -> Option<LocalParts> {
        match self {
            Local::Tokens(bound) => Some(bound.finish(combination)),
            Local::Known(parts) => Some(parts),
            Local::Absent => None,
        }
    }
}

/// The heads at the distinct tokens, with the queries there (k x m each).
fn heads(weights: &Weights, attention: Attention, tokens: &DMatrix<f64>) -> Vec<(LocalHead, DMatrix<f64>)> {
    let with_queries = |(head, (outer, _)): (&HeadWeights, (DMatrix<f64>, _))| {
        let kernel = Kernel::new(attention, head.q.nrows());
        (LocalHead::new(kernel, &outer, head, tokens), &head.q * tokens)
    };
    weights.heads.iter().zip(weights.values_through_output()).map(with_queries).collect()
}

fn of_clusters(clusters: &Clusters, weights: &Weights, attention: Attention, combination: Combination) -> LocalParts {
    let jacobian = &clusters.jacobian;
    let ln_sizes = jacobian.ln_sizes();
    let parts = heads(weights, attention, jacobian.normalizer().outputs()).into_iter().enumerate().map(
        |(head_idx, (mut head, queries))| {
            let masses = jacobian.masses(head_idx);
            for (a, ln_size) in ln_sizes.iter().enumerate() {
                let row: Vec<f64> = masses.row(a).iter().copied().collect();
                // What one token of b receives from all the tokens of a.
                let share = |b: usize| if row[b] == 0.0 { 0.0 } else { (ln_size - ln_sizes[b]).exp() * row[b] };
                head.row(&row, share, queries.column(a).as_slice(), 1.0);
            }
            head.parts(head_idx)
        },
    );
    combine_local(parts, combination)
}

fn of_runs(runs: &Runs, weights: &Weights, attention: Attention, combination: Combination) -> Option<LocalParts> {
    let Runs { jacobian, lengths, .. } = runs;
    // The blocks' argument is about covariances alone, which are all that the dot product needs.
    if attention != Attention::Dot && lengths.iter().any(|length| *length > ROWS_ONE_BY_ONE) {
        return None;
    }
    let parts = heads(weights, attention, jacobian.normalizer().outputs()).into_iter().enumerate().map(
        |(head_idx, (mut head, queries))| {
            let mut block = Block::default();
            let (mut count, mut run) = (0, usize::MAX);
            jacobian.for_rows(head_idx, |row| {
                count = if row.run == run { count + 1 } else { 1 };
                run = row.run;
                if block.until == 0 {
                    // Along a run the covariance is (1 - pi) (C + pi D), pi the attention to the run itself, and 1 - pi
                    // and pi change at most as the count does: so no w is above the first row's times the ratio, and
                    // no own part, which is linear in pi but for 1 - pi, above that of the first or the last.
                    block.until = if count < ROWS_ONE_BY_ONE { count } else { count + count / ROWS_ONE_BY_ONE };
                    block.until = block.until.min(lengths[run]);
                    block.slack = block.until as f64 / count as f64;
                    block.masses.clone_from(&row.masses);
                    block.shares.clear();
                    block.shares.resize(row.shares.len(), 0.0);
                }
                block.shares.iter_mut().zip(&row.shares).for_each(|(sum, share)| *sum += share);
                if count == block.until {
                    let shares = &block.shares;
                    let query = queries.column(run);
                    head.row(&block.masses, |b| shares[b], query.as_slice(), block.slack);
                    if block.slack > 1.0 {
                        head.row(&row.masses, |_| 0.0, query.as_slice(), block.slack);
                    }
                    block.until = 0;
                }
            });
            head.parts(head_idx)
        },
    );
    Some(combine_local(parts, combination))
}

/// Rows of a run that are taken together.
#[derive(Default)]
struct Block {
    /// The count of the last row; 0 between blocks.
    until: usize,
    slack: f64,
    masses: Vec<f64>,
    shares: Vec<f64>,
}
