//! Texts that hold numbers, but not one token a line. They are refused with the name of their format.

use super::brackets::one_matrix;
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
    let starts = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
    let csv = || phrase!("export_not_print", "Export the table as CSV instead of printing it.");
    if first.to_ascii_lowercase().starts_with("@relation") {
        return Some((phrase!("it_is_arff", "it is an ARFF file"), csv()));
    }
    if starts("Levels:") > 0 {
        return Some((phrase!("it_is_factor", "it is a factor of R, which holds categories and not numbers"), csv()));
    }
    // Octave's `save -text`.
    let is_of_octave = first.starts_with("# Created by Octave") || first.starts_with("# name:");
    let is_matrix = |line: &str| matches!(line.trim(), "# type: matrix" | "# type: float matrix");
    let is_type = |line: &&str| line.trim_start().starts_with("# type:");
    if is_of_octave && (starts("# name:") > 1 || !text.lines().filter(is_type).all(is_matrix)) {
        return Some((
            phrase!("it_is_octave_file", "it is a file of Octave that holds more than one full matrix"),
            phrase!("export_from_octave", "Write the matrix with `csvwrite(\"x.csv\", full(A))`."),
        ));
    }
    let is_pair = |line: &str| {
        line.trim_start().starts_with('(')
            && line.split(')').skip(1).any(|rest| rest.starts_with(' ') && rest.trim_start().starts_with('('))
    };
    if text.lines().any(is_pair) {
        return Some((
            phrase!("it_has_pairs", "it has several pairs in a row, as complex numbers are printed"),
            phrase!("write_list_of_rows", "Write one list of rows, like [[1, 2], [3, 4]], one row for each token."),
        ));
    }
    if text.contains(['│', '║', '┆']) {
        return Some((phrase!("drawn_frame", "it is a print with a frame of lines around its cells"), csv()));
    }
    // MATLAB prints an array of more dimensions page by page.
    if text.contains("(:,:,") {
        return Some((phrase!("lists_too_deep", "it has more than two dimensions"), one_matrix()));
    }
    let is_glimpse = first.starts_with("Rows: ") && second.starts_with("Columns: ");
    let is_structure = first.starts_with("'data.frame':") || first.starts_with("tibble [");
    (is_glimpse || is_structure)
        .then(|| (phrase!("it_is_summary", "it is a summary that lists columns and not rows"), csv()))
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
            "@RELATION t\n@ATTRIBUTE x NUMERIC\n@DATA\n1,2",
            "[1] 1 4 7\nLevels: 1 4 7",
            "# Created by Octave 6.4.0\n# name: A\n# type: sparse matrix\n# nnz: 3\n1 1 1",
            "# name: A\n# type: matrix\n 1 2\n# name: B\n# type: matrix\n 5 6",
            "  (1.5,2.0)  (3.0,4.0)\n  (0.5,1.0)  (2.0,5.0)",
            "x│y\n1│2",
            "x(:,:,1) =\n\n 1 2\n 3 4",
            "tibble [3 x 2] (S3: tbl_df)\n $ x: num [1:3] 1 2",
        ] {
            assert!(of(text).is_some(), "{text}");
        }
        assert!(of("# name: A\n# type: matrix\n# rows: 1\n 1 2").is_none() && of("((1, 2), (3, 4))").is_none());
        assert!(of("Rows: 3\n1 2").is_none() && of("").is_none());
    }
}
