//! The rows of a log, grouped by step, layer and map.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::grid::Grid;
use super::header::Header;
use super::row::{Heads, Place, Row};

/// A monitored run. It has at least one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    header: Option<Header>,
    rows: Vec<Row>,
    /// The map and the place of each row, by their index.
    keys: Vec<(usize, usize)>,
    maps: Vec<String>,
    places: Vec<Place>,
    steps: Vec<u64>,
}

/// Gathers rows, so that the finished run need not be searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    run: Run,
    steps: BTreeSet<u64>,
    places: HashMap<Place, usize>,
    /// Where the row of a step, map and place is.
    known: HashMap<(u64, usize, usize), usize>,
}

impl Gathered {
    pub(crate) fn is_empty(&self) -> bool {
        self.run.rows.is_empty()
    }

    pub(crate) fn header(&mut self) -> &mut Option<Header> {
        &mut self.run.header
    }

    /// Adds a row. It replaces an earlier one of the same step, layer and map: a training that is continued from a checkpoint
    /// measures steps again.
    pub(crate) fn add(&mut self, row: Row) {
        let key = (self.map(&row.map), self.place(row.place()));
        self.steps.insert(row.step);
        let next = self.run.rows.len();
        let at = *self.known.entry((row.step, key.0, key.1)).or_insert(next);
        if at < next {
            self.run.rows[at] = row;
        } else {
            self.run.rows.push(row);
            self.run.keys.push(key);
        }
    }

    pub(crate) fn finish(mut self) -> Run {
        self.run.steps = self.steps.into_iter().collect();
        self.run
    }

    fn map(&mut self, map: &str) -> usize {
        self.run.maps.iter().position(|known| known == map).unwrap_or_else(|| {
            self.run.maps.push(map.to_owned());
            self.run.maps.len() - 1
        })
    }

    fn place(&mut self, place: Place) -> usize {
        let places = &mut self.run.places;
        *self.places.entry(place).or_insert_with_key(|place| {
            places.push(place.clone());
            places.len() - 1
        })
    }
}

impl Run {
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
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// The last measured step up to this one, or the first of all.
    #[must_use]
    pub fn step_up_to(&self, step: u64) -> u64 {
        let next = self.steps.partition_point(|known| *known <= step);
        self.steps.get(next.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The measured maps, in the order of the log.
    #[must_use]
    pub fn maps(&self) -> Vec<&str> {
        self.maps.iter().map(String::as_str).collect()
    }

    /// The layers of a map, in the order of the log.
    #[must_use]
    pub fn places(&self, map: &str) -> Vec<Place> {
        self.place_indices(map).into_iter().map(|place| self.places[place].clone()).collect()
    }

    /// The columns with a number in a row of a map: those of the format in their order, then further ones by name.
    #[must_use]
    pub fn columns(&self, map: &str) -> Vec<&str> {
        let has = |name: &&str| self.of_map(map).any(|(row, _)| row.number(name).is_some());
        let further: BTreeSet<&str> = self.of_map(map).flat_map(|(row, _)| further_numbers(row)).collect();
        Row::COLUMNS.into_iter().filter(has).chain(further).collect()
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
        let (shown, steps) = (self.place_indices(map), self.steps.clone());
        let mut lines = vec![0; self.places.len()];
        shown.iter().enumerate().for_each(|(line, place)| lines[*place] = line);
        let mut values = vec![None; shown.len() * steps.len()];
        for (row, place) in self.of_map(map) {
            if let Ok(step) = steps.binary_search(&row.step) {
                values[lines[place] * steps.len() + step] = row.number(column);
            }
        }
        Grid { places: shown.into_iter().map(|place| self.places[place].clone()).collect(), steps, values }
    }

    /// The columns of single heads that a map has, by name.
    #[must_use]
    pub fn head_columns(&self, map: &str) -> Vec<&str> {
        let names: BTreeSet<&str> =
            self.of_map(map).flat_map(|(row, _)| row.heads.keys().map(String::as_str)).collect();
        names.into_iter().collect()
    }

    /// The numbers of single heads at a step, layer by layer, for layers that were measured then.
    #[must_use]
    pub fn heads(&self, map: &str, step: u64) -> Vec<(Place, &Heads)> {
        self.at_step(map, step).map(|row| (row.place(), &row.heads)).collect()
    }

    /// The rows of a map at a step.
    pub fn at_step<'a, 'b>(&'a self, map: &'b str, step: u64) -> impl Iterator<Item = &'a Row> + use<'a, 'b> {
        self.of_map(map).map(|(row, _)| row).filter(move |row| row.step == step)
    }

    /// The row of a layer at a step.
    #[must_use]
    pub fn row(&self, map: &str, place: &Place, step: u64) -> Option<&Row> {
        self.at_step(map, step).find(|row| row.place() == *place)
    }

    /// The rows of a map, each with the index of its place.
    fn of_map<'a, 'b>(&'a self, map: &'b str) -> impl Iterator<Item = (&'a Row, usize)> + use<'a, 'b> {
        let wanted = self.maps.iter().position(|known| known == map);
        let keyed = self.rows.iter().zip(&self.keys);
        keyed.filter(move |(_, key)| Some(key.0) == wanted).map(|(row, key)| (row, key.1))
    }

    /// The places of a map, by their index, in the order of the log.
    fn place_indices(&self, map: &str) -> Vec<usize> {
        let mut is_seen = vec![false; self.places.len()];
        let places = self.of_map(map).map(|(_, place)| place);
        places.filter(|place| !std::mem::replace(&mut is_seen[*place], true)).collect()
    }
}

/// The names of the further columns in which a row has a number.
fn further_numbers(row: &Row) -> impl Iterator<Item = &str> {
    row.further.iter().filter(|(_, number)| number.is_some()).map(|(name, _)| name.as_str())
}
