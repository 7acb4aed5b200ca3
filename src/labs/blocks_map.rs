//! The norms of the Jacobian's blocks as a heat map, and as a table.

use crate::strings;
use lipscope_core::picture::BlockPicture;
use lipscope_core::spectrum::TopBlock;
use lipscope_plot::{Extent, HeatMap, Table, ascending};

/// The place (output, input) of the selected block: the reader's, where the picture has it, else the one that adds most
/// to the first singular value, else the one with the largest norm.
pub fn selected(
    picture: &BlockPicture,
    chosen: Option<(usize, usize)>,
    top: Option<&TopBlock>,
) -> Option<(usize, usize)> {
    let is_there = |place: &(usize, usize)| picture.norm(*place).is_some();
    let top = || top.map(|top| (top.output, top.input)).filter(is_there);
    chosen.filter(is_there).or_else(top).or_else(|| picture.largest())
}

/// The heat map, with the row and the column of the selected block outlined.
pub fn blocks_map(picture: &BlockPicture, selected: Option<(usize, usize)>) -> HeatMap {
    let mut map = HeatMap::new(picture.side, picture.side, picture.norms.clone());
    let [rows, columns] = strings::blocks_axes(picture.places);
    (map.row_label, map.col_label) = (rows.into(), columns.into());
    map.title = strings::BLOCK_NORM.into();
    map.range = picture.largest().and_then(|place| Extent::new(0.0, picture.norm(place).unwrap_or(0.0)));
    (map.highlight_row, map.highlight_col) = (selected.map(|place| place.0), selected.map(|place| place.1));
    map
}

/// A row for each block, the largest norm first.
pub fn blocks_table(picture: Option<&BlockPicture>, written: &dyn Fn(f64) -> String) -> Table {
    let header = strings::blocks_columns().map(String::from).to_vec();
    let Some(picture) = picture else { return Table { header, rows: Vec::new() } };
    let mut order: Vec<usize> = (0..picture.norms.len()).collect();
    ascending(&mut order, |at| -picture.norms[*at]);
    let row = |at: usize| {
        vec![(at / picture.side + 1).to_string(), (at % picture.side + 1).to_string(), written(picture.norms[at])]
    };
    Table { header, rows: order.into_iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::spectrum::Places;

    fn picture() -> BlockPicture {
        BlockPicture { places: Places::Tokens, n: 3, side: 2, norms: vec![0.25, 1.5, 0.0, 1.0] }
    }

    #[test]
    fn the_selected_block_is_the_readers_else_the_one_that_adds_most_else_the_largest() {
        let top = |output, input| TopBlock { output, input, share: 0.5, of_output: 0.5, norm: 1.0 };
        let of = |chosen, top: Option<TopBlock>| selected(&picture(), chosen, top.as_ref());
        assert_eq!(of(Some((1, 0)), Some(top(1, 1))), Some((1, 0)));
        assert_eq!(of(None, Some(top(1, 1))), Some((1, 1)));
        assert_eq!(of(None, None), Some((0, 1)));
        // A picture of the first tokens lacks the blocks of later ones.
        assert_eq!(of(Some((2, 0)), Some(top(0, 2))), Some((0, 1)));
    }

    #[test]
    fn the_table_lists_every_block_with_its_places_from_one() {
        let table = blocks_table(Some(&picture()), &|x| x.to_string());
        assert_eq!(table.rows, [["1", "2", "1.5"], ["2", "2", "1"], ["1", "1", "0.25"], ["2", "1", "0"]]);
    }

    #[test]
    fn the_map_outlines_the_selected_block_and_its_key_begins_at_zero() {
        let map = blocks_map(&picture(), Some((0, 1)));
        assert_eq!((map.highlight_row, map.highlight_col), (Some(0), Some(1)));
        assert_eq!(map.range, Extent::new(0.0, 1.5));
        assert_eq!(map.value(0, 1), Some(1.5));
    }
}
