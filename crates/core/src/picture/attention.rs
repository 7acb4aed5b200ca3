//! The attention matrix of one head, averaged over cells if n is large, and its column sums.

use serde::{Deserialize, Serialize};

use crate::attention::Forward;
use crate::jacobian::{CausalRuns, ClusterJacobian};
use crate::measure::View;

/// What one row and column of the picture represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// A token, or several neighbouring ones.
    Token,
    /// All tokens of one cluster.
    Cluster,
    /// All tokens of one run.
    Run,
}

/// The attention matrix of one head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttentionPicture {
    /// Which head.
    pub head_idx: usize,
    /// What one row and column represents.
    pub unit: Unit,
    /// Number of tokens, clusters or runs.
    pub n: usize,
    /// Cells per side: n, or fewer if the matrix is averaged.
    pub side: usize,
    /// side x side, row by row: the mean attention weight from row token(s) to column token(s). For clusters and runs:
    /// from one token of the row's cluster (for a run, their mean) to all tokens of the column's cluster or run. For a
    /// differential head: the difference of its two maps.
    pub weights: Vec<f32>,
    /// c_j = sum_i P_ij, the attention that token j receives, n numbers. For a cluster: the attention that each of its
    /// tokens receives; for a run: the attention that its first token receives.
    pub column_sums: Vec<f64>,
}

/// Grouped tokens are still drawn one by one up to this many; above it, as clusters or runs.
const MOST_TOKENS: usize = 4096;

/// The attention picture of one head, with at most `most_cells` cells per side.
#[must_use]
pub fn attention_picture(view: View<'_>, head_idx: usize, most_cells: usize) -> AttentionPicture {
    match view {
        View::Tokens(forward) => of_tokens(forward, head_idx, most_cells),
        View::Clusters(jacobian, Some(membership)) if membership.len() <= MOST_TOKENS => {
            of_members(jacobian, membership, head_idx, most_cells)
        }
        View::Clusters(jacobian, _) => {
            let masses = jacobian.masses(head_idx);
            let m = masses.nrows();
            let weights = (0..m * m).map(|at| masses[(at / m, at % m)]).collect();
            finish(head_idx, Unit::Cluster, m, (m, weights), jacobian.column_sums(head_idx))
        }
        View::Runs(jacobian, lengths) if jacobian.n() <= MOST_TOKENS => {
            of_run_members(jacobian, lengths, head_idx, most_cells)
        }
        View::Runs(jacobian, lengths) => of_runs(jacobian, lengths, head_idx),
    }
}

fn finish(
    head_idx: usize,
    unit: Unit,
    n: usize,
    (side, weights): (usize, Vec<f64>),
    column_sums: Vec<f64>,
) -> AttentionPicture {
    AttentionPicture { head_idx, unit, n, side, weights: weights.into_iter().map(|x| x as f32).collect(), column_sums }
}

/// Accumulates the matrix of n tokens in cells.
struct Cells {
    n: usize,
    side: usize,
    sums: Vec<f64>,
}

impl Cells {
    fn new(n: usize, most_cells: usize) -> Self {
        let side = n.min(most_cells.max(1));
        Cells { n, side, sums: vec![0.0; side * side] }
    }

    fn of(&self, token: usize) -> usize {
        token * self.side / self.n
    }

    /// The mean weight of each cell.
    fn means(self) -> (usize, Vec<f64>) {
        let mut tokens_a_cell = vec![0.0f64; self.side];
        (0..self.n).for_each(|token| tokens_a_cell[self.of(token)] += 1.0);
        let Cells { side, sums, .. } = self;
        let mean = |(at, sum): (usize, &f64)| sum / (tokens_a_cell[at / side] * tokens_a_cell[at % side]);
        (side, sums.iter().enumerate().map(mean).collect())
    }
}

fn of_tokens(forward: &Forward<f64>, head_idx: usize, most_cells: usize) -> AttentionPicture {
    let n = forward.n();
    let head_idx = head_idx.min(forward.n_heads().saturating_sub(1));
    let mut cells = Cells::new(n, most_cells);
    let side = cells.side;
    let mut column_sums = vec![0.0f64; n];
    let mut buffer = forward.row_buffer();
    for (map_idx, factor) in forward.maps_of(head_idx) {
        for rows in forward.row_blocks() {
            let reach = forward.reach(&rows);
            let block = forward.rows_of_p(map_idx, rows.clone(), &mut buffer);
            for (row, p_row) in rows.zip(block.weights.chunks(block.stride)) {
                let start = cells.of(row) * side;
                for (column, p) in p_row[..reach].iter().enumerate() {
                    let cell = start + cells.of(column);
                    cells.sums[cell] += factor * p;
                    column_sums[column] += factor * p;
                }
            }
        }
    }
    finish(head_idx, Unit::Token, n, cells.means(), column_sums)
}

/// A list of tokens that was grouped into clusters, drawn token by token.
fn of_members(jacobian: &ClusterJacobian, membership: &[u32], head_idx: usize, most_cells: usize) -> AttentionPicture {
    let (n, m) = (membership.len(), jacobian.ln_sizes().len());
    let mut cells = Cells::new(n, most_cells);
    let side = cells.side;
    // Number of tokens of each cluster in each cell.
    let mut counts = vec![0.0; side * m];
    for (token, cluster) in membership.iter().enumerate() {
        counts[cells.of(token) * m + *cluster as usize] += 1.0;
    }
    let masses = jacobian.masses(head_idx);
    let single: Vec<f64> =
        (0..m * m).map(|at| masses[(at / m, at % m)] * (-jacobian.ln_sizes()[at % m]).exp()).collect();
    for row in 0..side {
        // The attention that one token of each cluster receives from the tokens of this cell.
        let mut given = vec![0.0; m];
        for (a, count) in counts[row * m..][..m].iter().enumerate().filter(|(_, count)| **count > 0.0) {
            given.iter_mut().zip(&single[a * m..][..m]).for_each(|(sum, p)| *sum += count * p);
        }
        for column in 0..side {
            cells.sums[row * side + column] = counts[column * m..][..m].iter().zip(&given).map(|(c, p)| c * p).sum();
        }
    }
    let sums = jacobian.column_sums(head_idx);
    let column_sums = membership.iter().map(|cluster| sums[*cluster as usize]).collect();
    finish(head_idx, Unit::Token, n, cells.means(), column_sums)
}

/// A list of tokens that was grouped into runs, drawn token by token.
fn of_run_members(jacobian: &CausalRuns, lengths: &[usize], head_idx: usize, most_cells: usize) -> AttentionPicture {
    let n = jacobian.n();
    let membership: Vec<usize> =
        lengths.iter().enumerate().flat_map(|(run, length)| std::iter::repeat_n(run, *length)).collect();
    let mut cells = Cells::new(n, most_cells);
    let side = cells.side;
    let mut column_sums = vec![0.0; n];
    let mut token = 0;
    jacobian.for_rows(head_idx, |row| {
        let start = cells.of(token) * side;
        for (column, run) in membership[..=token].iter().enumerate() {
            let cell = start + cells.of(column);
            cells.sums[cell] += row.shares[*run];
            column_sums[column] += row.shares[*run];
        }
        token += 1;
    });
    finish(head_idx, Unit::Token, n, cells.means(), column_sums)
}

fn of_runs(jacobian: &CausalRuns, lengths: &[usize], head_idx: usize) -> AttentionPicture {
    let m = lengths.len();
    let (mut weights, mut column_sums) = (vec![0.0; m * m], vec![0.0; m]);
    jacobian.for_rows(head_idx, |row| {
        for (b, (mass, share)) in row.masses.iter().zip(&row.shares).enumerate() {
            weights[row.run * m + b] += mass / lengths[row.run] as f64;
            // The first token of a run receives attention from its own row and every later one.
            column_sums[b] += share;
        }
    });
    finish(head_idx, Unit::Run, m, (m, weights), column_sums)
}
