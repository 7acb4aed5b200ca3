//! Summaries by length as a table: means, with minimum and maximum over several windows.

use crate::{AtLength, Group, Spread};
use lipscope_plot::{Number, Table};

use super::words::ModelWords;

/// The table of one layer and head, one row per length.
#[must_use]
pub fn lengths_table(group: &Group, words: &ModelWords) -> Table {
    let ModelWords { length, windows, norm, released, token_norm, sink, residual, .. } = words;
    let header = [length, windows, norm, residual, released, token_norm, sink].map(String::clone).to_vec();
    let row = |at: &AtLength| {
        let spread = |spread: Option<Spread>| spread.map_or_else(String::new, |spread| written(spread, at.windows));
        let worst = at.spectral.map_or_else(String::new, |_| Number::rough(at.worst_residual).to_string());
        vec![
            at.n.to_string(),
            at.windows.to_string(),
            spread(at.spectral),
            worst,
            spread(at.released),
            spread(at.radius),
            spread(at.sink),
        ]
    };
    Table { header, rows: group.by_length().iter().map(row).collect() }
}

fn written(Spread { low, mean, high }: Spread, windows: usize) -> String {
    let [low, mean, high] = [low, mean, high].map(|x| Number::of(x).to_string());
    if windows == 1 { mean } else { format!("{low} … {mean} … {high}") }
}
