//! Means of ||J||_2 of single heads at one length: a row for each layer, a column for each head.

use super::readings::Group;
use crate::config::map_kind::Heads;

/// Means over the windows of one length, layer by layer and head by head.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadMap {
    /// The length of the windows.
    pub n: usize,
    /// The layer of each row.
    pub layers: Vec<usize>,
    /// The head of each column.
    pub heads: Vec<usize>,
    /// Row by row; NaN where nothing was measured.
    pub means: Vec<f64>,
    /// Number of windows behind each mean, row by row.
    pub windows: Vec<usize>,
}

impl HeadMap {
    /// The lengths at which heads were measured one by one, in order.
    #[must_use]
    pub fn lengths(groups: &[Group]) -> Vec<usize> {
        let mut lengths: Vec<usize> = groups
            .iter()
            .filter(|group| group.heads != Heads::All)
            .flat_map(|group| group.readings.iter().map(|(cell, _)| cell.n))
            .collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// The means at windows of n tokens; `None` with fewer than two heads.
    #[must_use]
    pub fn of(groups: &[Group], n: usize) -> Option<Self> {
        let found: Vec<(usize, usize, f64, usize)> = groups
            .iter()
            .filter_map(|group| {
                let Heads::One(head) = group.heads else { return None };
                let at = group.by_length().into_iter().find(|at| at.n == n)?;
                Some((group.layer, head, at.spectral?.mean, at.windows))
            })
            .collect();
        let distinct = |of: fn(&(usize, usize, f64, usize)) -> usize| {
            let mut all: Vec<usize> = found.iter().map(of).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (layers, heads) = (distinct(|found| found.0), distinct(|found| found.1));
        if heads.len() < 2 {
            return None;
        }
        let cell = |layer: usize, head: usize| {
            let found = found.iter().find(|found| (found.0, found.1) == (layer, head));
            found.map_or((f64::NAN, 0), |found| (found.2, found.3))
        };
        let (means, windows) =
            layers.iter().flat_map(|layer| heads.iter().map(move |head| cell(*layer, *head))).unzip();
        Some(HeadMap { n, layers, heads, means, windows })
    }

    /// The mean at a row and column, and its number of windows; `None` where nothing was measured.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> Option<(f64, usize)> {
        let index = (column < self.heads.len()).then(|| row * self.heads.len() + column)?;
        let mean = self.means.get(index).copied().filter(|mean| !mean.is_nan())?;
        Some((mean, *self.windows.get(index)?))
    }
}
