//! One column of a run as a table: a row for each layer, a column for each step.

use super::row::Place;

/// The numbers of one column of one map.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The layers, in the order of the log.
    pub places: Vec<Place>,
    /// The steps, in order.
    pub steps: Vec<u64>,
    /// Layer by layer; `None` where there is no number.
    pub values: Vec<Option<f64>>,
}

impl Grid {
    /// The number of a layer at a step, both by their index.
    #[must_use]
    pub fn at(&self, place: usize, step: usize) -> Option<f64> {
        let is_inside = place < self.places.len() && step < self.steps.len();
        is_inside.then(|| self.values[place * self.steps.len() + step]).flatten()
    }

    /// The numbers of a layer, with their steps.
    #[must_use]
    pub fn of_place(&self, place: usize) -> Vec<(u64, f64)> {
        let found = self.steps.iter().enumerate().map(|(at, &step)| Some((step, self.at(place, at)?)));
        found.flatten().collect()
    }
}
