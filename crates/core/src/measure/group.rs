//! Detects lists with many equal tokens, whose Jacobian is that of a token measure or of causal runs.

use std::collections::HashMap;

use nalgebra::DMatrix;

use crate::cost::LEAST_MEAN_SIZE;

/// The distinct tokens of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Groups {
    /// The distinct tokens in order of first appearance, d x m.
    pub(crate) positions: DMatrix<f64>,
    /// Multiplicity of each distinct token.
    pub(crate) sizes: Vec<usize>,
    /// For each token the index of its distinct token.
    pub(crate) membership: Vec<u32>,
}

/// Groups equal tokens, wherever they stand; `None` where too few tokens are equal to save work.
pub(crate) fn clusters(tokens: &DMatrix<f64>) -> Option<Groups> {
    distinct(tokens, tokens.ncols() / LEAST_MEAN_SIZE)
}

/// Groups equal tokens, whatever their order; `None` if there are more than `most` distinct ones.
pub(super) fn distinct(tokens: &DMatrix<f64>, most: usize) -> Option<Groups> {
    let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut groups = Collected::default();
    for token in tokens.column_iter() {
        // Adding zero turns -0 into 0.
        let bits: Vec<u64> = token.iter().map(|x| (x + 0.0).to_bits()).collect();
        let next = known.len() as u32;
        let group = *known.entry(bits).or_insert(next);
        if known.len() > most {
            return None;
        }
        groups.take(group, token.as_slice());
    }
    Some(groups.finish(tokens.nrows()))
}

/// Groups consecutive equal tokens; `None` if too few tokens are equal to save work.
pub(super) fn runs(tokens: &DMatrix<f64>) -> Option<Groups> {
    let most = tokens.ncols() / LEAST_MEAN_SIZE;
    let mut groups = Collected::default();
    for (at, token) in tokens.column_iter().enumerate() {
        let is_new = at == 0 || token != tokens.column(at - 1);
        let group = groups.sizes.len() as u32 - u32::from(!is_new);
        if group as usize >= most {
            return None;
        }
        groups.take(group, token.as_slice());
    }
    Some(groups.finish(tokens.nrows()))
}

#[derive(Default)]
struct Collected {
    entries: Vec<f64>,
    sizes: Vec<usize>,
    membership: Vec<u32>,
}

impl Collected {
    fn take(&mut self, group: u32, token: &[f64]) {
        match self.sizes.get_mut(group as usize) {
            Some(size) => *size += 1,
            None => {
                self.sizes.push(1);
                self.entries.extend_from_slice(token);
            }
        }
        self.membership.push(group);
    }

    fn finish(self, d: usize) -> Groups {
        let positions = DMatrix::from_column_slice(d, self.sizes.len(), &self.entries);
        Groups { positions, sizes: self.sizes, membership: self.membership }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_group_all_equal_tokens_and_runs_only_consecutive_ones() {
        let tokens = DMatrix::from_fn(1, 32, |_, col| if col % 16 == 0 { -1.0 } else { 1.0 });
        let found = clusters(&tokens).expect("two positions");
        assert_eq!((found.sizes, found.positions.as_slice()), (vec![2, 30], &[-1.0, 1.0][..]));
        let found = runs(&tokens).expect("four runs");
        assert_eq!((found.sizes, found.membership[17]), (vec![1, 15, 1, 15], 3));
        assert!(clusters(&DMatrix::from_fn(1, 32, |_, col| col as f64)).is_none());
        assert!(runs(&DMatrix::from_fn(1, 32, |_, col| (col % 2) as f64)).is_none());
    }
}
