//! The rows of a log, grouped by step, layer and map.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use super::error::RunError;
use super::grid::Grid;
use super::header::Header;
use super::reader::RunReader;
use super::row::{Heads, Place, Row};

/// A monitored run. It has at least one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    header: Option<Header>,
    rows: Vec<Row>,
}

impl Run {
    /// Groups rows. Of two rows of one step, layer and map the later one counts: a training that is continued from a checkpoint
    /// measures steps again.
    pub(crate) fn new(header: Option<Header>, rows: Vec<Row>) -> Self {
        let mut last = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            last.insert((row.step, row.place(), row.map.clone()), at);
        }
        let kept: HashSet<usize> = last.into_values().collect();
        let rows = rows.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, row)| row).collect();
        Run { header, rows }
    }

    /// Reads a whole log. The steps of a [`RunReader`] do the same in pieces.
    ///
    /// # Errors
    /// [`RunError`] with the line, the field, what was found and what is allowed.
    pub fn parse(text: &str) -> Result<Self, RunError> {
        let mut reader = RunReader::new();
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_some() { reader.read_line(line)? } else { reader.read_last_line(line)? }
        }
        reader.finish()
    }

    /// The first line of the log, if it has one.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The rows, in the order of the log.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The measured steps, in order.
    #[must_use]
    pub fn steps(&self) -> Vec<u64> {
        let steps: BTreeSet<u64> = self.rows.iter().map(|row| row.step).collect();
        steps.into_iter().collect()
    }

    /// The measured maps, in the order of the log.
    #[must_use]
    pub fn maps(&self) -> Vec<&str> {
        distinct(self.rows.iter().map(|row| row.map.as_str()))
    }

    /// The layers of a map, in the order of the log.
    #[must_use]
    pub fn places(&self, map: &str) -> Vec<Place> {
        distinct(self.of_map(map).map(Row::place))
    }

    /// The columns with a number in a row of a map: those of the format in their order, then further ones by name.
    #[must_use]
    pub fn columns(&self, map: &str) -> Vec<&str> {
        let of_format = Row::COLUMNS.into_iter().filter(|name| self.of_map(map).any(|row| row.number(name).is_some()));
        let further: BTreeSet<&str> = self.of_map(map).flat_map(further_numbers).collect();
        of_format.chain(further).collect()
    }

    /// The further columns that hold one number a step, such as the loss, by name.
    #[must_use]
    pub fn columns_per_step(&self) -> Vec<&str> {
        let further: BTreeSet<&str> = self.rows.iter().flat_map(further_numbers).collect();
        further.into_iter().filter(|name| self.per_step(name).is_some()).collect()
    }

    /// The numbers of a further column that is the same in all rows of a step; `None` if rows of one step differ, or if no row has
    /// a number.
    #[must_use]
    pub fn per_step(&self, column: &str) -> Option<Vec<(u64, f64)>> {
        let mut found = BTreeMap::new();
        for row in &self.rows {
            let Some(number) = row.further.get(column).copied().flatten() else { continue };
            if *found.entry(row.step).or_insert(number) != number {
                return None;
            }
        }
        (!found.is_empty()).then(|| found.into_iter().collect())
    }

    /// A column of a map, over its layers and the steps of the run.
    #[must_use]
    pub fn grid(&self, map: &str, column: &str) -> Grid {
        let (places, steps) = (self.places(map), self.steps());
        let at: HashMap<&Place, usize> = places.iter().enumerate().map(|(at, place)| (place, at)).collect();
        let mut values = vec![None; places.len() * steps.len()];
        for row in self.of_map(map) {
            if let (Some(place), Ok(step)) = (at.get(&row.place()), steps.binary_search(&row.step)) {
                values[place * steps.len() + step] = row.number(column);
            }
        }
        Grid { places, steps, values }
    }

    /// The columns of single heads that a map has, by name.
    #[must_use]
    pub fn head_columns(&self, map: &str) -> Vec<&str> {
        let names: BTreeSet<&str> = self.of_map(map).flat_map(|row| row.heads.keys().map(String::as_str)).collect();
        names.into_iter().collect()
    }

    /// The numbers of single heads at a step, layer by layer, for layers that were measured then.
    #[must_use]
    pub fn heads(&self, map: &str, step: u64) -> Vec<(Place, &Heads)> {
        let rows = self.of_map(map).filter(move |row| row.step == step);
        rows.map(|row| (row.place(), &row.heads)).collect()
    }

    /// The row of a layer at a step.
    #[must_use]
    pub fn row(&self, map: &str, place: &Place, step: u64) -> Option<&Row> {
        self.of_map(map).find(|row| row.step == step && row.place() == *place)
    }

    fn of_map<'a, 'b>(&'a self, map: &'b str) -> impl Iterator<Item = &'a Row> + use<'a, 'b> {
        self.rows.iter().filter(move |row| row.map == map)
    }
}

/// The names of the further columns in which a row has a number.
fn further_numbers(row: &Row) -> impl Iterator<Item = &str> {
    row.further.iter().filter(|(_, number)| number.is_some()).map(|(name, _)| name.as_str())
}

/// Values in the order of their first appearance.
fn distinct<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(value.clone())).collect()
}
