//! Tables of numbers from users, tokens and weights alike: CSV and TSV, lists in brackets (JSON, and what NumPy and PyTorch
//! print), or NumPy's `.npy`. One row per token, or per row of the matrix.

mod brackets;
mod kind;
mod npy;
mod separated;

use super::limits::{self, MAX_TEXT_BYTES};
use super::rows::Rows;
use super::{InputError, Phrase};
use crate::phrase;

pub use kind::Table;

impl Table {
    /// Reads a table from the bytes of a text or file, whose format is detected from its content. `file` is the name of
    /// the file, for errors.
    ///
    /// # Errors
    /// [`InputError`] that names the row and column and the fix.
    pub fn read(self, file: Option<&str>, bytes: &[u8]) -> Result<Rows, InputError> {
        self.read_with_header(file, bytes).map(|(rows, _)| rows)
    }

    /// Reads a table as [`Table::read`] does, and gives the first line too where it was skipped as a header.
    ///
    /// # Errors
    /// Those of [`Table::read`].
    pub fn read_with_header(self, file: Option<&str>, bytes: &[u8]) -> Result<(Rows, Option<String>), InputError> {
        let name = || file.map_or_else(|| self.name(), Phrase::verbatim);
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(InputError::TooLarge {
                what: name(),
                found: phrase!("megabytes", "{count} MB", count = bytes.len() >> 20),
                limit: phrase!("megabytes", "{count} MB", count = MAX_TEXT_BYTES >> 20),
                fix: phrase!("use_fewer_numbers", "Use fewer numbers."),
            });
        }
        if bytes.starts_with(npy::MAGIC) {
            return Ok((self.checked(npy::rows(self, file.unwrap_or_default(), bytes)?)?, None));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.read_text(text),
            Err(_) => Err(InputError::File {
                file: name(),
                problem: phrase!("neither_text_nor_npy", "it is neither text nor a .npy file"),
                fix: phrase!("save_table_csv_tsv", "Save the numbers as CSV, TSV, JSON or NumPy .npy."),
            }),
        }
    }

    fn read_text(self, text: &str) -> Result<(Rows, Option<String>), InputError> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(InputError::Empty {
                what: self.name(),
                least: match self {
                    Table::Tokens => phrase!("two_lines_one_token", "two lines, one token per line"),
                    _ => phrase!("one_row_one_number", "one row of one number"),
                },
            });
        }
        if text.contains("...") || text.contains('…') {
            return Err(InputError::Conflict {
                what: self.name(),
                problem: phrase!("is_abridged", "is abridged: \"...\" stands in it for numbers that were not printed"),
                fix: phrase!(
                    "print_in_full",
                    "Print it in full, after `numpy.set_printoptions(threshold=10**9)` or `torch.set_printoptions(threshold=10**9)`, or save it with `numpy.save` and choose the file."
                ),
            });
        }
        let (rows, header) = match brackets::list_of(text) {
            Some(list) => {
                let rows = brackets::rows(self, list)?;
                self.check_entries(rows.iter().map(Vec::len).sum())?;
                (Rows::from_lists(self.inside(), &rows)?, None)
            }
            None => separated::rows(self, text)?,
        };
        Ok((self.checked(rows)?, header))
    }

    fn checked(self, rows: Rows) -> Result<Rows, InputError> {
        if self != Table::Tokens {
            return Ok(rows);
        }
        if rows.n_rows() == 1 && rows.n_columns() > 1 {
            return Err(InputError::Conflict {
                what: phrase!("one_line_numbers", "One line of {count} numbers", count = rows.n_columns()),
                problem: phrase!("one_token_attention_needs", "is one token, and attention needs at least two"),
                fix: phrase!("put_each_token_own", "Put each token on its own line."),
            });
        }
        if rows.n_rows() == 1 {
            return Err(InputError::OneToken);
        }
        limits::check_tokens(rows.n_rows(), rows.n_columns())?;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_tabs_blanks_and_json_give_the_same_tokens() {
        let texts = [
            "1,2\n3,4\n",
            "1\t2\n3\t4",
            "1 2\n 3   4",
            "x;y\n1;2\n3;4",
            "[[1,2],[3,4]]",
            "a,b\n1,2,\n3,4,\n",
            "# a\n1,2\n3,4",
        ];
        for text in texts {
            let (rows, _) = Table::Tokens.read_text(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
            assert_eq!((rows.n_columns(), rows.entries()), (2, &[1.0, 2.0, 3.0, 4.0][..]), "{text:?}");
        }
    }

    #[test]
    fn a_flat_json_list_is_tokens_of_dimension_one() {
        let (rows, _) = Table::Tokens.read_text("[-1, 1, 1]").expect("a list");
        assert_eq!((rows.n_rows(), rows.n_columns()), (3, 1));
    }

    #[test]
    fn a_first_line_that_is_skipped_is_given_back() {
        let header = |text: &str| Table::Tokens.read_text(text).expect(text).1;
        assert_eq!(header("x,y\n1,2\n3,4").as_deref(), Some("x, y"));
        assert_eq!(header("left right\n1 2\n3 4").as_deref(), Some("left, right"));
        assert!(header(&format!("{}\n1\n2", "long".repeat(50))).is_some_and(|header| header.chars().count() < 60));
        for without in ["1,2\n3,4", "# x,y\n1,2\n3,4", "[[1,2],[3,4]]"] {
            assert_eq!(header(without), None, "{without}");
        }
    }

    #[test]
    fn errors_name_the_row_and_column() {
        let message = |text: &str| Table::Tokens.read_text(text).expect_err(text).to_string();
        assert!(message("1,2\n3\n").contains("Row 2"), "{}", message("1,2\n3\n"));
        assert!(message("1,2\n3,x\n").contains("Row 2, column 2"), "{}", message("1,2\n3,x\n"));
        assert!(message("1,2\nnan,1\n").contains("Row 2, column 1"));
        assert!(message("inf,2\n1,1\n").contains("Row 1, column 1"), "{}", message("inf,2\n1,1\n"));
        assert!(message("").contains("empty"));
        assert!(message("1,2,3").contains("own line"));
        assert!(message("5").contains("one token"));
        assert!(message("[[1,2],[3,null]]").contains("Row 2, column 2"));
    }

    #[test]
    fn megabytes_of_junk_give_a_short_error_message() {
        let junk: Vec<u8> = (0..10_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(Table::Tokens.read(Some("junk.bin"), &junk).expect_err("junk").to_string().contains("junk.bin"));
        let letters = "q".repeat(10_000_000);
        assert!(Table::Tokens.read_text(&letters).expect_err("junk").to_string().len() < 200);
    }
}
