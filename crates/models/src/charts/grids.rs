//! Heat maps of mean ||J||_2: layers by lengths, heads by lengths.

use crate::NormGrid;
use lipscope_plot::Tiles;

use super::words::ModelWords;

/// The heat map of layers by lengths.
#[must_use]
pub fn layer_tiles(grid: &NormGrid, words: &ModelWords) -> Tiles {
    tiles(grid, &words.layer, words)
}

/// The heat map of heads by lengths.
#[must_use]
pub fn head_tiles(grid: &NormGrid, words: &ModelWords) -> Tiles {
    tiles(grid, &words.head, words)
}

fn tiles(grid: &NormGrid, row_label: &str, words: &ModelWords) -> Tiles {
    Tiles {
        rows: grid.rows.iter().map(usize::to_string).collect(),
        cols: grid.lengths.iter().map(usize::to_string).collect(),
        values: grid.means.clone(),
        row_label: row_label.to_owned(),
        col_label: words.length.clone(),
        value_label: words.mean_norm.clone(),
        selected: None,
    }
}
