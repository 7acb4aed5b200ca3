//! Tables of numbers from users, for tokens and weights alike: CSV and its relatives, the formats that MATLAB, Julia,
//! R, pandas, NumPy, PyTorch, JAX, TensorFlow and Mathematica write or print, JSON, and NumPy's `.npy`. One row per
//! token, or per row of the matrix.
//!
//! Parts that the code guesses or drops are listed in the [`TableReading`]. Where two readings are plausible, the
//! author is asked ([`InputError::TwoReadings`]).

mod abridged;
mod blocks;
mod brackets;
mod container;
mod decimal;
mod encoding;
mod foreign;
mod header;
mod json;
mod kind;
mod labels;
mod layout;
mod lines;
mod npy;
mod one_column;
mod reading;
mod separated;
mod surroundings;
mod vectors;
mod words;

use super::limits::{self, MAX_TEXT_BYTES};
use super::rows::Rows;
use super::{InputError, Phrase, refuse_lfs_pointer};
use crate::phrase;
use reading::Notes;

pub use super::table_kind::{FirstColumn, FirstRow, NumberComma, Table, TableAnswers, TableQuestion};
pub use reading::TableReading;

impl Table {
    /// Reads a table from the bytes of a text or file, whose format is detected from its content. `file` is the name of
    /// the file, for errors.
    ///
    /// # Errors
    /// [`InputError`] that names the row and column and the fix.
    #[doc(hidden)]
    pub fn read(self, file: Option<&str>, bytes: &[u8]) -> Result<Rows, InputError> {
        self.read_with(file, bytes, TableAnswers::default()).map(|reading| reading.rows)
    }

    /// Reads a table as [`Table::read`] does, with the author's answers, and returns the guessed and dropped parts.
    ///
    /// # Errors
    /// Those of [`Table::read`]; [`InputError::TwoReadings`] for a table that can be read in two ways, where `answers`
    /// does not say which is meant.
    #[doc(hidden)]
    pub fn read_with(
        self,
        file: Option<&str>,
        bytes: &[u8],
        answers: TableAnswers,
    ) -> Result<TableReading, InputError> {
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
            let mut notes = Notes::default();
            let rows = npy::rows(self, file.unwrap_or_default(), bytes, &mut notes)?;
            return self.checked(notes.with(rows));
        }
        refuse_lfs_pointer(name(), bytes)?;
        if let Some((problem, fix)) = container::of(bytes) {
            return Err(InputError::File { file: name(), problem, fix });
        }
        let mut notes = Notes::default();
        match encoding::text_of(bytes, &mut notes) {
            Some(text) => self.read_text(&text, answers, notes),
            None => Err(InputError::File {
                file: name(),
                problem: phrase!("neither_text_nor_npy", "it is neither text nor a .npy file"),
                fix: phrase!("save_table_csv_tsv", "Save the numbers as CSV, TSV, JSON or NumPy .npy."),
            }),
        }
    }

    fn read_text(self, text: &str, answers: TableAnswers, mut notes: Notes) -> Result<TableReading, InputError> {
        if text.trim().is_empty() {
            return Err(InputError::Empty {
                what: self.name(),
                least: match self {
                    Table::Tokens => phrase!("two_lines_one_token", "two lines, one token per line"),
                    _ => phrase!("one_row_one_number", "one row of one number"),
                },
            });
        }
        if abridged::is_abridged(text) {
            return Err(InputError::Conflict {
                what: self.name(),
                problem: phrase!("is_abridged", "is abridged: some of its numbers were not printed"),
                fix: phrase!(
                    "print_in_full",
                    "Write it to a file and choose the file: `numpy.save` for NumPy and PyTorch, `to_csv` for pandas, `write.csv` for R. Or print it in full, after `numpy.set_printoptions(threshold=10**9)` or `torch.set_printoptions(threshold=10**9)`."
                ),
            });
        }
        if let Some((problem, fix)) = foreign::of(text) {
            return Err(InputError::File { file: self.name(), problem, fix });
        }
        let text = lines::without_prefix(text, &mut notes);
        let around = surroundings::without(&text, &mut notes);
        let inner = brackets::without_dashes(around.text.trim());
        let inner = inner.as_ref();
        let is_named = json::is_named(inner);
        if !is_named && !brackets::is_list(inner) {
            return self.checked(separated::read(self, &around, answers, notes)?);
        }
        lines::note_comments(&around.comments, &mut notes);
        let reading =
            if is_named { json::read(self, inner, answers, notes) } else { brackets::read(self, inner, notes) }?;
        around.check(self, &reading.rows, 0)?;
        self.checked(reading)
    }

    fn checked(self, reading: TableReading) -> Result<TableReading, InputError> {
        let (n, d) = (reading.rows.n_rows(), reading.rows.n_columns());
        if self != Table::Tokens {
            return Ok(reading);
        }
        if n == 1 && d > 1 {
            return Err(InputError::Conflict {
                what: phrase!("one_line_numbers", "One line of {count} numbers", count = d),
                problem: phrase!("one_token_attention_needs", "is one token, and attention needs at least two"),
                fix: phrase!("put_each_token_own", "Put each token on its own line."),
            });
        }
        if n == 1 {
            return Err(InputError::OneToken);
        }
        limits::check_tokens(n, d)?;
        Ok(reading)
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
            let TableReading { rows, .. } = Table::Tokens
                .read_with(None, text.as_bytes(), TableAnswers::default())
                .unwrap_or_else(|e| panic!("{text:?}: {e}"));
            assert_eq!((rows.n_columns(), rows.entries()), (2, &[1.0, 2.0, 3.0, 4.0][..]), "{text:?}");
        }
    }

    #[test]
    fn a_flat_json_list_is_tokens_of_dimension_one() {
        let rows = Table::Tokens.read(None, b"[-1, 1, 1]").expect("a list");
        assert_eq!((rows.n_rows(), rows.n_columns()), (3, 1));
    }

    #[test]
    fn what_is_dropped_is_reported() {
        let guessed = |text: &str| {
            let reading = Table::Tokens.read_with(None, text.as_bytes(), TableAnswers::default()).expect(text);
            reading.guesses().map(|guesses| guesses.to_string())
        };
        assert_eq!(guessed("x,y\n1,2\n3,4").as_deref(), Some("dropped: header (x, y)"));
        assert_eq!(guessed("left right\n1 2\n3 4").as_deref(), Some("dropped: header (left, right)"));
        assert_eq!(guessed("# x,y\n1 2\n3 4").as_deref(), Some("dropped: the comment # x,y"));
        assert!(guessed(&format!("{}\n1\n2", "long".repeat(50))).is_some_and(|words| words.chars().count() < 70));
        let commas = "read with: commas between columns, not decimal commas";
        assert_eq!(guessed("1,2\n3,4").as_deref(), Some(commas));
        for without in ["1,2.5\n3,4", "1,2,3\n4,5,6", "1 2\n3 4", "[[1,2],[3,4]]"] {
            assert_eq!(guessed(without), None, "{without}");
        }
    }

    #[test]
    fn errors_name_the_row_and_column() {
        let message = |text: &str| Table::Tokens.read(None, text.as_bytes()).expect_err(text).to_string();
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
        assert!(Table::Tokens.read(None, letters.as_bytes()).expect_err("junk").to_string().len() < 200);
    }
}
