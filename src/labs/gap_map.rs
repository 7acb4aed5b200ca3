//! The ratio of the best bounds over n and R as a heat map, and as a table.

use crate::strings;
use lipscope_core::bounds::Bound;
use lipscope_core::gap::{GapCell, WidestGap};
use lipscope_plot::{Extent, Kind, Number, Scale, Table, Tiles, ascending};

use super::plot::Written;

/// The least upper end of the colours: a map whose bounds nearly meet is pale.
const LEAST_END: f64 = 2.0;

/// The values of R of a map, the largest first, and its numbers of tokens.
pub struct Axes {
    pub radii: Vec<f64>,
    pub lengths: Vec<f64>,
}

impl Axes {
    /// The axes of a map with these values, in any order and any number of times.
    pub fn new(radii: &[f64], lengths: &[f64]) -> Self {
        let (mut radii, mut lengths) = (radii.to_vec(), lengths.to_vec());
        ascending(&mut radii, |radius| -radius);
        ascending(&mut lengths, |n| *n);
        radii.dedup();
        lengths.dedup();
        Axes { radii, lengths }
    }

    /// The axes of a map with these cells.
    pub fn from_cells(cells: &[GapCell]) -> Self {
        let values = |read: fn(&GapCell) -> f64| cells.iter().map(read).collect::<Vec<f64>>();
        Axes::new(&values(|cell| cell.radius), &values(|cell| cell.n))
    }

    /// The cell at a row and column of the map.
    pub fn cell<'a>(&self, cells: &'a [GapCell], (row, column): (usize, usize)) -> Option<&'a GapCell> {
        let (radius, n) = (self.radii.get(row)?, self.lengths.get(column)?);
        cells.iter().find(|cell| cell.radius == *radius && cell.n == *n)
    }
}

/// The map. Cells that are not computed yet are empty; those without a ratio are grey once all are computed.
pub fn gap_tiles(cells: &[GapCell], axes: &Axes) -> Tiles {
    let Axes { radii, lengths } = axes;
    let places = (0..radii.len()).flat_map(|row| (0..lengths.len()).map(move |column| (row, column)));
    let values: Vec<f64> =
        places.map(|place| axes.cell(cells, place).and_then(GapCell::ratio).unwrap_or(f64::NAN)).collect();
    let most = values.iter().copied().filter(|ratio| ratio.is_finite()).fold(LEAST_END, f64::max);
    let is_whole = cells.len() >= values.len();
    Tiles {
        rows: radii.iter().map(|radius| Number::short(*radius).to_string()).collect(),
        cols: lengths.iter().map(|n| strings::gap_column(*n)).collect(),
        values,
        row_label: strings::gap_y().into(),
        col_label: strings::gap_x().into(),
        value_label: strings::gap_ratio().into(),
        colors: Extent::new(1.0, most).map(|ends| (ends, Scale::Log)),
        absent: if is_whole { strings::gap_absent().into() } else { String::new() },
        ..Tiles::default()
    }
}

/// The cell with the largest ratio.
pub fn widest(cells: &[GapCell]) -> Option<&GapCell> {
    WidestGap::of(cells.iter().filter_map(|cell| Some((cell, cell.log10()?)))).map(|widest| widest.at)
}

/// A row for each cell.
pub fn gap_table(cells: &[GapCell], written: Written<'_>) -> Table {
    let bound = |bound: Option<&Bound>| match bound {
        Some(bound) => {
            let value = written(bound.value.unwrap_or(f64::INFINITY), strings::side_kind(bound.side));
            [value, strings::bound_label(bound.id).to_owned()]
        }
        None => [String::new(), String::new()],
    };
    let row = |cell: &GapCell| {
        let GapCell { n, radius, lower, upper, absent } = cell;
        let ratio = cell.ratio().map_or_else(String::new, |ratio| written(ratio, Kind::UpperBound));
        let absent = absent.map_or_else(String::new, |(side, why)| strings::gap_missing(side, why));
        let bounds = bound(lower.as_ref()).into_iter().chain(bound(upper.as_ref()));
        [Number::short(*radius).to_string(), n.to_string()].into_iter().chain(bounds).chain([ratio, absent]).collect()
    };
    Table { header: strings::gap_columns().map(String::from).to_vec(), rows: cells.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::plot::shown;
    use lipscope_core::bounds::{Absence, SHARP, SINK, Side};

    fn cell(radius: f64, n: f64, bounds: Option<(f64, f64)>) -> GapCell {
        let of = |id, value: f64| Bound::of_ln(id, value.ln());
        let (lower, upper) = bounds.unzip();
        GapCell {
            n,
            radius,
            lower: lower.map(|value| of(&SINK, value)),
            upper: upper.map(|value| of(&SHARP, value)),
            absent: bounds.is_none().then_some((Side::Upper, Absence::L2Attention)),
        }
    }

    #[test]
    fn the_largest_r_is_on_top_and_a_cell_is_grey_only_once_all_are_there() {
        let axes = Axes::new(&[1.0, 2.0], &[2.0, 10.0]);
        let mut cells = vec![cell(1.0, 2.0, Some((1.0, 4.0))), cell(1.0, 10.0, None), cell(2.0, 2.0, None)];
        let tiles = gap_tiles(&cells, &axes);
        assert_eq!((tiles.rows[0].as_str(), tiles.absent.as_str()), ("2", ""));
        assert!((tiles.values[2] - 4.0).abs() < 1e-9 && tiles.values[3].is_nan());
        cells.push(cell(2.0, 10.0, Some((1.0, 9.0))));
        let tiles = gap_tiles(&cells, &axes);
        assert!(!tiles.absent.is_empty());
        assert_eq!(axes.cell(&cells, (0, 1)), widest(&cells));
    }

    #[test]
    fn the_table_has_every_cell_with_its_bounds_or_the_reason() {
        let cells = [cell(0.5, 1e9, Some((2.0, 4.0))), cell(1.0, 2.0, None)];
        let table = gap_table(&cells, &shown);
        assert_eq!(table.rows[0][..3], ["0.5", "1000000000", "2.000"]);
        assert_eq!(table.rows[0][6..], ["2.000", ""]);
        assert!(table.rows[1][2..7].iter().all(String::is_empty) && !table.rows[1][7].is_empty());
    }
}
