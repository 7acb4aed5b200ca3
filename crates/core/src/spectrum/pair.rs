//! The tokens and the block on which the leading singular pair is concentrated.

use nalgebra::DMatrix;

use super::{Energy, Places, SpectrumMap, TopBlock, TopPair};
use crate::attention::Forward;
use crate::jacobian::BlockRows;
use crate::spectral::{SingularTriplet, largest_singular_value};

/// The most tokens whose energies are listed.
const MOST_LISTED: usize = 512;
/// Blocks computed per step: a few milliseconds.
const BLOCKS_A_STEP: usize = 20_000;

/// |x_i|^2 for each of the `n` equal parts x_i of a vector.
pub(super) fn energies(vector: &[f64], n: usize) -> Vec<f64> {
    let part = (vector.len() / n.max(1)).max(1);
    vector.chunks(part).map(|token| token.iter().map(|x| x * x).sum()).collect()
}

/// The leading pair over `n` tokens, before its block is searched for.
pub(super) fn pair(triplet: &SingularTriplet, n: usize) -> TopPair {
    let (inputs, outputs) = (energies(&triplet.right, n), energies(&triplet.left, n));
    TopPair {
        places: Places::Tokens,
        energies: largest_energies(&inputs, &outputs),
        relative_residual: triplet.relative_residual,
        block: None,
    }
}

/// The tokens with the largest energies, in the order of the list.
pub(super) fn largest_energies(inputs: &[f64], outputs: &[f64]) -> Vec<Energy> {
    let places = inputs.iter().zip(outputs).enumerate();
    let mut all: Vec<Energy> =
        places.map(|(place, (input, output))| Energy { place, input: *input, output: *output }).collect();
    if all.len() > MOST_LISTED {
        all.sort_by(|a, b| (b.input + b.output).total_cmp(&(a.input + a.output)));
        all.truncate(MOST_LISTED);
        all.sort_by_key(|energy| energy.place);
    }
    all
}

/// Searches for the block with the largest share of s, some rows of blocks per step.
#[derive(Clone, Debug)]
pub(super) struct BlockSearch {
    rows: BlockRows,
    triplet: SingularTriplet,
    map: SpectrumMap,
    next: usize,
    best: (f64, usize, usize),
}

impl BlockSearch {
    pub(super) fn new(forward: &Forward<f64>, triplet: SingularTriplet, map: SpectrumMap) -> Self {
        let rows = BlockRows::new(forward, &triplet.right);
        BlockSearch { rows, triplet, map, next: 0, best: (f64::NEG_INFINITY, 0, 0) }
    }

    /// Computes some rows of blocks; returns the block with the largest share after the last row.
    pub(super) fn step(&mut self, forward: &Forward<f64>) -> Option<TopBlock> {
        let (n, d_out) = (forward.n(), forward.d_out());
        let last = n.min(self.next + (BLOCKS_A_STEP / n.max(1)).max(1));
        for i in self.next..last {
            let left = &self.triplet.left[i * d_out..(i + 1) * d_out];
            let mut row = self.rows.row(forward, i, left);
            if self.map == SpectrumMap::AttentionResidual {
                // The identity carries u_i . v_i from a token to itself.
                let right = &self.triplet.right[i * d_out..(i + 1) * d_out];
                row[i] += left.iter().zip(right).map(|(u, v)| u * v).sum::<f64>();
            }
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
        let mut block = self.rows.block(forward, output, input);
        if self.map == SpectrumMap::AttentionResidual && output == input {
            block += DMatrix::identity(block.nrows(), block.ncols());
        }
        let norm = largest_singular_value(&block);
        let share = carried / self.triplet.value;
        let energy: f64 = self.triplet.left[output * d_out..(output + 1) * d_out].iter().map(|x| x * x).sum();
        Some(TopBlock { output, input, share, of_output: share / energy, norm })
    }
}
