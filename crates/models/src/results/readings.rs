//! A table grouped by layer and head, with means per length and fitted slopes; also as grids of means.

use std::collections::BTreeMap;

use super::estimate::Estimate;
use super::table::{Cell, Table};
use crate::config::map_kind::Heads;
use lipscope_core::extremum::{largest, maximum, minimum};
use lipscope_core::fit::{PowerLaw, fit_power_law};

/// The windows of one layer and head.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The layer, from 0.
    pub layer: usize,
    /// All heads, or one.
    pub heads: Heads,
    /// The cells ordered by length, then window.
    pub readings: Vec<(Cell, Estimate)>,
    /// c n^alpha fitted to ||J||_2.
    pub spectral: Option<PowerLaw>,
    /// c n^alpha fitted to sqrt(|J^T f(X)|).
    pub released: Option<PowerLaw>,
}

/// One of the two estimators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// ||J||_2.
    Spectral,
    /// sqrt(|J^T f(X)|).
    Released,
}

/// Minimum, mean and maximum of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Minimum.
    pub low: f64,
    /// Mean.
    pub mean: f64,
    /// Maximum.
    pub high: f64,
}

/// The windows of one length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtLength {
    /// Tokens per window.
    pub n: usize,
    /// Number of windows.
    pub windows: usize,
    /// ||J||_2 over the windows.
    pub spectral: Option<Spread>,
    /// sqrt(|J^T f(X)|) over the windows.
    pub released: Option<Spread>,
    /// Root mean square of the token norms.
    pub radius: Option<Spread>,
    /// Largest column sum of P, unless the map has no attention.
    pub sink: Option<Spread>,
    /// The largest relative residual of an iteration.
    pub worst_residual: f64,
}

/// Means of ||J||_2 over windows, with a row for each layer or head and a column for each length.
#[derive(Clone, Debug, PartialEq)]
pub struct NormGrid {
    /// Index of the layer or head of each row, from 0.
    pub rows: Vec<usize>,
    /// The length of each column.
    pub lengths: Vec<usize>,
    /// Row by row; NaN where nothing was measured.
    pub means: Vec<f64>,
    /// Number of windows behind each mean, row by row.
    pub windows: Vec<usize>,
}

impl Quantity {
    /// The value of this estimator at one window.
    #[must_use]
    pub fn of(self, estimate: &Estimate) -> Option<f64> {
        match self {
            Quantity::Spectral => estimate.spectral.map(|norm| norm.value),
            Quantity::Released => estimate.released,
        }
    }
}

impl Group {
    /// (n, value) for every window that has a value.
    #[must_use]
    pub fn points(&self, quantity: Quantity) -> Vec<(f64, f64)> {
        let point = |(cell, estimate): &(Cell, Estimate)| Some((cell.n as f64, quantity.of(estimate)?));
        self.readings.iter().filter_map(point).collect()
    }

    /// The fit of one estimator.
    #[must_use]
    pub fn fit(&self, quantity: Quantity) -> Option<PowerLaw> {
        match quantity {
            Quantity::Spectral => self.spectral,
            Quantity::Released => self.released,
        }
    }

    /// Summaries by length.
    #[must_use]
    pub fn by_length(&self) -> Vec<AtLength> {
        self.readings.chunk_by(|a, b| a.0.n == b.0.n).map(at_length).collect()
    }

    /// The shortest and the longest length.
    #[must_use]
    pub fn ends(&self) -> Option<(usize, usize)> {
        Some((self.readings.first()?.0.n, self.readings.last()?.0.n))
    }
}

impl Spread {
    /// Minimum, mean and maximum of the numbers; `None` if there are none.
    fn of(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut low, mut high, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0);
        for x in numbers {
            (low, high, sum, count) = (minimum(low, x), maximum(high, x), sum + x, count + 1.0);
        }
        (count > 0.0).then(|| Spread { low, mean: sum / count, high })
    }
}

impl Table {
    /// The rows grouped by layer, then by head.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: BTreeMap<(usize, Heads), Vec<(Cell, Estimate)>> = BTreeMap::new();
        for (cell, estimate) in &self.rows {
            groups.entry((cell.layer, cell.heads)).or_default().push((*cell, *estimate));
        }
        let group = |((layer, heads), readings): ((usize, Heads), Vec<(Cell, Estimate)>)| {
            let mut group = Group { layer, heads, readings, spectral: None, released: None };
            group.spectral = fit_power_law(&group.points(Quantity::Spectral));
            group.released = fit_power_law(&group.points(Quantity::Released));
            group
        };
        groups.into_iter().map(group).collect()
    }

    /// The table restricted to one layer and head.
    #[must_use]
    pub fn only(&self, layer: usize, heads: Heads) -> Table {
        let rows = self.rows.iter().filter(|(cell, _)| (cell.layer, cell.heads) == (layer, heads));
        let rows = rows.map(|(cell, estimate)| (*cell, *estimate)).collect();
        Table { subject: self.subject.clone(), rows, notes: self.notes.clone() }
    }
}

/// The means for each layer and length, for all heads together; `None` with fewer than two layers.
#[must_use]
pub fn layer_grid(groups: &[Group]) -> Option<NormGrid> {
    let rows = groups.iter().filter(|group| group.heads == Heads::All).map(|group| (group.layer, group));
    NormGrid::of(rows.collect())
}

/// The means for each head of one layer and each length; `None` with fewer than two heads.
#[must_use]
pub fn head_grid(groups: &[Group], layer: usize) -> Option<NormGrid> {
    let of_head = |group: &'_ Group| match group.heads {
        Heads::One(head) if group.layer == layer => Some(head),
        _ => None,
    };
    NormGrid::of(groups.iter().filter_map(|group| Some((of_head(group)?, group))).collect())
}

/// The layers of which at least two heads were measured one by one.
#[must_use]
pub fn layers_by_head(groups: &[Group]) -> Vec<usize> {
    let mut layers: Vec<usize> = groups.iter().map(|group| group.layer).collect();
    layers.dedup();
    layers.retain(|layer| head_grid(groups, *layer).is_some());
    layers
}

impl NormGrid {
    fn of(rows: Vec<(usize, &Group)>) -> Option<Self> {
        let with_norms: Vec<(usize, Vec<AtLength>)> = rows
            .into_iter()
            .map(|(row, group)| (row, group.by_length()))
            .filter(|(_, lengths)| lengths.iter().any(|at| at.spectral.is_some()))
            .collect();
        if with_norms.len() < 2 {
            return None;
        }
        let mut lengths: Vec<usize> = with_norms.iter().flat_map(|(_, row)| row.iter().map(|at| at.n)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let cells = with_norms.iter().flat_map(|(_, row)| {
            lengths
                .iter()
                .map(|n| row.iter().find(|at| at.n == *n).and_then(|at| Some((at.spectral?.mean, at.windows))))
        });
        let (means, windows) = cells.map(|cell| cell.unwrap_or((f64::NAN, 0))).unzip();
        Some(NormGrid { rows: with_norms.iter().map(|(row, _)| *row).collect(), lengths, means, windows })
    }

    /// The mean at a row and column, and its number of windows; `None` where nothing was measured.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> Option<(f64, usize)> {
        let index = (column < self.lengths.len()).then(|| row * self.lengths.len() + column)?;
        let mean = self.means.get(index).copied().filter(|mean| !mean.is_nan())?;
        Some((mean, *self.windows.get(index)?))
    }
}

fn at_length(readings: &[(Cell, Estimate)]) -> AtLength {
    let spread = |of: &dyn Fn(&Estimate) -> Option<f64>| Spread::of(readings.iter().filter_map(|(_, e)| of(e)));
    AtLength {
        n: readings.first().map_or(0, |(cell, _)| cell.n),
        windows: readings.len(),
        spectral: spread(&|estimate| Quantity::Spectral.of(estimate)),
        released: spread(&|estimate| Quantity::Released.of(estimate)),
        radius: spread(&|estimate| Some(estimate.radius)),
        sink: spread(&|estimate| Some(estimate.sink?.mass)),
        worst_residual: largest(
            readings.iter().filter_map(|(_, estimate)| estimate.spectral.map(|norm| norm.relative_residual)),
        ),
    }
}
