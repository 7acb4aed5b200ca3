//! Texts that hold numbers, but not one token a line: they are refused by name.

use crate::experiment::Phrase;
use crate::phrase;

/// What a text is, and how to export the table instead; `None` for a text that may be a table.
pub(super) fn of(text: &str) -> Option<(Phrase, Phrase)> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, second) = (lines.next()?, lines.next().unwrap_or_default());
    if first.starts_with("%%MatrixMarket") {
        return Some((
            phrase!("it_is_matrix_market", "it is a MatrixMarket file, which lists entries and not rows"),
            phrase!("export_matrix_market", "Save it with `numpy.save(\"x.npy\", scipy.io.mmread(file).toarray())`."),
        ));
    }
    let is_glimpse = first.starts_with("Rows: ") && second.starts_with("Columns: ");
    let is_structure = first.starts_with("'data.frame':") || first.starts_with("tibble [");
    (is_glimpse || is_structure).then(|| {
        (
            phrase!("it_is_summary", "it is a summary that lists columns and not rows"),
            phrase!("export_not_print", "Export the table as CSV instead of printing it."),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_list_no_rows_are_named() {
        for text in [
            "%%MatrixMarket matrix coordinate real general\n3 2 6\n1 1 1.25",
            "Rows: 3\nColumns: 2\n$ x <f64> 1.25, 3.5, -0.125",
            "'data.frame':\t3 obs. of  2 variables:\n $ x: num  1.25 3.5",
            "tibble [3 x 2] (S3: tbl_df)\n $ x: num [1:3] 1 2",
        ] {
            assert!(of(text).is_some(), "{text}");
        }
        assert!(of("Rows: 3\n1 2").is_none() && of("").is_none());
    }
}
