//! The `local` bound for each form of the Jacobian, in steps.

use nalgebra::DMatrix;

use super::system::{Clusters, Runs, System};
use crate::attention::{Forward, Kernel, Normalizer};
use crate::bounds::{
    Combination, Counts, DotHead, GeneralHead, LocalBound, LocalBuffers, LocalParts, LocalTokens, RowWeights,
    combine_local,
};
use crate::experiment::Attention;
use crate::jacobian::CausalRuns;
use crate::weights::{HeadWeights, Weights};

/// Rows of a run before this index are processed one by one; later rows in blocks whose size is about the row index
/// divided by this number.
const ROWS_ONE_BY_ONE: usize = 4096;

/// The state of the computation of `local`.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// Over the tokens of a list, or over the positions of a token measure, in several steps.
    InSteps(LocalBound),
    /// Computed at once.
    Known(LocalParts),
    /// Not computed: no bounds are requested; or the runs are too long to process every row, and the bound on a block
    /// of rows is proved only for the dot product.
    Absent,
}

impl Local {
    pub(super) fn new(system: &System, weights: &Weights, combination: Combination) -> Self {
        match system {
            System::Tokens(operator) => Local::InSteps(LocalBound::new(operator.forward(), weights)),
            System::Clusters(clusters) => match &clusters.forward {
                Some(forward) => Local::InSteps(LocalBound::of_clusters(forward, clusters.jacobian.ln_sizes())),
                None => Local::Known(of_clusters(clusters, weights, combination)),
            },
            System::Runs(runs) => of_runs(runs, weights, combination).map_or(Local::Absent, Local::Known),
        }
    }

    /// Does one step; true when done.
    pub(super) fn step(&mut self, system: &System) -> bool {
        let Local::InSteps(bound) = self else { return true };
        match system {
            System::Tokens(operator) => bound.step(operator.forward()),
            System::Clusters(clusters) => clusters.forward.as_ref().is_none_or(|forward| bound.step(forward)),
            System::Runs(_) => true,
        }
    }

    pub(super) fn finish(self, combination: Combination) -> Option<LocalParts> {
        match self {
            Local::InSteps(bound) => Some(bound.finish(combination)),
            Local::Known(parts) => Some(parts),
            Local::Absent => None,
        }
    }
}

/// The heads of dot-product attention at the distinct tokens, each with its queries there (k x m).
fn heads(weights: &Weights, normalizer: &Normalizer<f64>, n: Counts) -> Vec<(DotHead, DMatrix<f64>)> {
    let tokens = LocalTokens::new(normalizer);
    let with_queries = |(head, (outer, _)): (&HeadWeights, (DMatrix<f64>, _))| {
        let kernel = Kernel::new(Attention::Dot, head.q.nrows());
        (DotHead::new(kernel.cross, &outer, head, &tokens, n), tokens.queries(kernel, head))
    };
    weights.heads.iter().zip(weights.values_through_output()).map(with_queries).collect()
}

fn of_clusters(clusters: &Clusters, weights: &Weights, combination: Combination) -> LocalParts {
    let jacobian = &clusters.jacobian;
    let ln_sizes = jacobian.ln_sizes();
    let positions = jacobian.normalizer().outputs();
    let counts = Counts { summed: positions.ncols() as f64, rows: f64::INFINITY };
    let done =
        heads(weights, jacobian.normalizer(), counts).into_iter().enumerate().map(|(head_idx, (head, queries))| {
            let mut head = head.with_blocks(positions.nrows(), weights.heads.len());
            let masses = jacobian.masses(head_idx);
            let mut buffers = LocalBuffers::default();
            for (a, ln_size) in ln_sizes.iter().enumerate() {
                let row: Vec<f64> = masses.row(a).iter().copied().collect();
                // The attention that one token of cluster b receives from all tokens of cluster a.
                let share = |b: usize| if row[b] == 0.0 { 0.0 } else { (ln_size - ln_sizes[b]).exp() * row[b] };
                let query = queries.column(a);
                head.row(&mut buffers, &row, share, query.as_slice(), (1.0, None));
                // The factor of a block on fields constant on each cluster. On fields that sum to zero inside a
                // cluster, J has only the own parts, which are not larger.
                let weight =
                    |b: usize| if row[b] == 0.0 { 0.0 } else { (0.5 * (ln_size - ln_sizes[b])).exp() * row[b] };
                head.block_row(&buffers, &row, weight, query.as_slice(), None);
            }
            head.finish()
        });
    combine_local(done.collect(), combination)
}

fn of_runs(runs: &Runs, weights: &Weights, combination: Combination) -> Option<LocalParts> {
    let Runs { jacobian, lengths, forward, .. } = runs;
    if let Some(forward) = forward {
        // The bound on a block of rows uses covariances, which determine `local` for the dot product only.
        let is_short = lengths.iter().all(|length| *length <= ROWS_ONE_BY_ONE);
        return is_short.then(|| row_by_row(jacobian, forward, combination));
    }
    let n = jacobian.n() as f64;
    let done = heads(weights, jacobian.normalizer(), Counts { summed: n, rows: n }).into_iter().enumerate().map(
        |(head_idx, (mut head, queries))| {
            let (mut block, mut buffers) = (Block::default(), LocalBuffers::default());
            let (mut count, mut run) = (0, usize::MAX);
            jacobian.for_rows(head_idx, |row| {
                count = if row.run == run { count + 1 } else { 1 };
                run = row.run;
                if block.until == 0 {
                    // Along a run the covariance is (1 - pi) (C + pi D), with pi the attention to the run itself; 1 - pi
                    // and pi change at most in proportion to the row index. So the factor w_i of every row in the block is
                    // at most that of the first row times the ratio of the block's last index to its first. Every own part,
                    // which is 1 - pi times a matrix linear in pi, is at most that of the first or last row times this
                    // ratio.
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
                    head.row(&mut buffers, &block.masses, |b| shares[b], query.as_slice(), (block.slack, None));
                    if block.slack > 1.0 {
                        head.row(&mut buffers, &row.masses, |_| 0.0, query.as_slice(), (block.slack, None));
                    }
                    block.until = 0;
                }
            });
            head.finish()
        },
    );
    Some(combine_local(done.collect(), combination))
}

/// Every row by itself; `forward` is the forward pass at one token of each run.
fn row_by_row(jacobian: &CausalRuns, forward: &Forward<f64>, combination: Combination) -> LocalParts {
    let of_head = |head_idx: usize| {
        let mut head = GeneralHead::new(forward, head_idx, jacobian.n() as f64);
        jacobian.for_rows(head_idx, |row| {
            let weights = RowWeights::from_softmax(&row.masses, &row.shares);
            let ratio = |b: usize| if row.masses[b] == 0.0 { 0.0 } else { row.shares[b] / row.masses[b] };
            head.add_softmax_row(forward, row.run, weights, ratio);
        });
        head.finish(0.0)
    };
    combine_local((0..forward.n_heads()).map(of_head).collect(), combination)
}

/// A block of rows of a run that share one bound.
#[derive(Default)]
struct Block {
    /// The number of the block's last row in its run, from 1; 0 between blocks.
    until: usize,
    slack: f64,
    masses: Vec<f64>,
    shares: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::experiment::Experiment;
    use crate::extremum::largest;
    use crate::measure::{Grouping, MeasureOptions, Method, measure_with};

    /// The largest column sum of P in any head, for tokens on a line (d = 1). `scores` holds A of each head.
    fn largest_column_sum(tokens: &[f64], scores: &[f64], is_causal: bool) -> f64 {
        let of_head = |a: f64| {
            let mut sums = vec![0.0; tokens.len()];
            for (i, x) in tokens.iter().enumerate() {
                let seen = if is_causal { &tokens[..=i] } else { tokens };
                let weights: Vec<f64> = seen.iter().map(|y| (a * x * y).exp()).collect();
                let total: f64 = weights.iter().sum();
                sums.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum += weight / total);
            }
            largest(sums)
        };
        largest(scores.iter().map(|a| of_head(*a)))
    }

    #[test]
    fn the_largest_column_sum_is_that_of_all_heads_and_not_of_the_head_with_the_largest_bound() {
        let runs = [(2.0, 20), (1.0, 30), (-1.0, 10)];
        let tokens: Vec<f64> = runs.iter().flat_map(|(x, count)| vec![*x; *count]).collect();
        let rows: Vec<[f64; 1]> = tokens.iter().map(|x| [*x]).collect();
        let listed = json!({"source": "explicit", "rows": rows});
        let clusters = json!({
            "source": "clusters", "positions": runs.map(|(x, _)| [x]),
            "log_multiplicities": runs.map(|(_, count)| (count as f64).ln()),
        });
        let head = |a: f64, v: f64| json!({"q": [[a]], "k": [[1.0]], "v": [[v]]});
        // With A = 0 a head attends to all tokens equally; its large V gives it the largest bound. The other head has
        // the largest column sum.
        let (large, small) = (head(0.0, 10.0), head(1.5, 0.01));
        let never = MeasureOptions { grouping: Grouping::Never, ..MeasureOptions::default() };
        let grouped = MeasureOptions { svd_limit: 0, ..MeasureOptions::default() };
        for heads in [[&large, &small], [&small, &large]] {
            let forms: [(&Value, &str, MeasureOptions, Method); 4] = [
                (&listed, "none", never, Method::DenseSvd),
                (&listed, "causal", never, Method::DenseSvd),
                (&clusters, "none", never, Method::Clusters),
                (&listed, "causal", grouped, Method::CausalRuns),
            ];
            for (tokens_source, mask, options, method) in forms {
                let experiment = json!({
                    "tokens": tokens_source, "mask": mask, "weights": {"source": "explicit", "heads": heads},
                });
                let measured = measure_with(&Experiment::from_value(experiment).expect("valid"), options);
                let measured = measured.expect("measured");
                assert_eq!(measured.method, method, "{mask}");
                let expected = largest_column_sum(&tokens, &[0.0, 1.5], mask == "causal");
                let found = measured.largest_column_sum.expect("with bounds");
                assert!((found / expected - 1.0).abs() < 1e-12, "{method:?} {mask}: {found} for {expected}");
            }
        }
    }
}
