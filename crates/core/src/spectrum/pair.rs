//! The tokens of the first singular pair.

use super::{Energy, Places, TopBlock, TopPair};
use crate::attention::Forward;
use crate::jacobian::BlockRows;
use crate::spectral::{SingularTriplet, largest_singular_value};

/// The most tokens whose energies are told.
const MOST_TOLD: usize = 512;
/// Blocks looked at in a step: some milliseconds.
const BLOCKS_A_STEP: usize = 20_000;

/// |x_i|^2 of each of the `n` parts of a vector.
pub(super) fn energies(vector: &[f64], n: usize) -> Vec<f64> {
    let part = (vector.len() / n.max(1)).max(1);
    vector.chunks(part).map(|token| token.iter().map(|x| x * x).sum()).collect()
}

/// The pair of a triplet over `n` tokens, its block not looked for yet.
pub(super) fn pair(triplet: &SingularTriplet, n: usize) -> TopPair {
    let (inputs, outputs) = (energies(&triplet.right, n), energies(&triplet.left, n));
    TopPair {
        places: Places::Tokens,
        energies: told(&inputs, &outputs),
        relative_residual: triplet.relative_residual,
        block: None,
    }
}

/// The tokens with most energy, in order.
pub(super) fn told(inputs: &[f64], outputs: &[f64]) -> Vec<Energy> {
    let places = inputs.iter().zip(outputs).enumerate();
    let mut all: Vec<Energy> =
        places.map(|(place, (input, output))| Energy { place, input: *input, output: *output }).collect();
    if all.len() > MOST_TOLD {
        all.sort_by(|a, b| (b.input + b.output).total_cmp(&(a.input + a.output)));
        all.truncate(MOST_TOLD);
        all.sort_by_key(|energy| energy.place);
    }
    all
}

/// The search for the block that carries most of s, some rows of blocks a step.
#[derive(Clone, Debug)]
pub(super) struct BlockSearch {
    rows: BlockRows,
    triplet: SingularTriplet,
    next: usize,
    best: (f64, usize, usize),
}

impl BlockSearch {
    pub(super) fn new(forward: &Forward<f64>, triplet: SingularTriplet) -> Self {
        let rows = BlockRows::new(forward, &triplet.right);
        BlockSearch { rows, triplet, next: 0, best: (f64::NEG_INFINITY, 0, 0) }
    }

    /// Some rows; the block once all are seen.
    pub(super) fn step(&mut self, forward: &Forward<f64>) -> Option<TopBlock> {
        let (n, d_out) = (forward.n(), forward.d_out());
        let last = n.min(self.next + (BLOCKS_A_STEP / n.max(1)).max(1));
        for i in self.next..last {
            let row = self.rows.row(forward, i, &self.triplet.left[i * d_out..(i + 1) * d_out]);
            for (j, carried) in row.into_iter().enumerate() {
                if carried > self.best.0 {
                    self.best = (carried, i, j);
                }
            }
        }
        self.next = last;
        if last < n {
            return None;
        }
        let (carried, output, input) = self.best;
        let norm = largest_singular_value(&self.rows.block(forward, output, input));
        let share = carried / self.triplet.value;
        let energy: f64 = self.triplet.left[output * d_out..(output + 1) * d_out].iter().map(|x| x * x).sum();
        Some(TopBlock { output, input, share, of_output: share / energy, norm })
    }
}
