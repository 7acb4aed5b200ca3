//! Token tables from users: CSV, TSV, JSON lists, or NumPy's `.npy`, one row per token.

use npyz::{DType, NpyFile, TypeChar};
use serde_json::Value;

use super::error::{InputError, shorten};
use super::fields::rows_of;
use super::limits::{self, MAX_TEXT_BYTES, MAX_TOKEN_ENTRIES};
use super::rows::Rows;
use super::{Phrase, json_problem, library_words};
use crate::phrase;

/// The first bytes of every `.npy` file.
const NPY_MAGIC: &[u8] = b"\x93NUMPY";

/// Reads tokens from the bytes of a file, whose format is detected from its content. `name` is used in errors.
///
/// # Errors
/// [`InputError`] that names the row and column and the fix.
pub fn tokens_from_bytes(name: &str, bytes: &[u8]) -> Result<Rows, InputError> {
    if bytes.len() > MAX_TEXT_BYTES {
        return Err(InputError::TooLarge {
            what: name.into(),
            found: phrase!("megabytes", "{count} MB", count = bytes.len() >> 20),
            limit: phrase!("megabytes", "{count} MB", count = MAX_TEXT_BYTES >> 20),
            fix: phrase!("use_fewer_tokens", "Use fewer tokens."),
        });
    }
    if bytes.starts_with(NPY_MAGIC) {
        return npy(name, bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => tokens_from_text(text),
        Err(_) => Err(InputError::File {
            file: name.into(),
            problem: phrase!("neither_text_nor_npy", "it is neither text nor a .npy file"),
            fix: phrase!("save_tokens_csv_tsv", "Save the tokens as CSV, TSV, JSON or NumPy .npy."),
        }),
    }
}

/// Reads tokens from pasted text: JSON if it starts with `[`, otherwise one token per line, entries separated by tabs,
/// commas, semicolons or blanks. A first line without any number is skipped as a header; lines starting with # are
/// comments.
///
/// # Errors
/// [`InputError`] that names the row and column and the fix.
pub fn tokens_from_text(text: &str) -> Result<Rows, InputError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(InputError::Empty {
            what: phrase!("token_list", "The token list"),
            least: phrase!("two_lines_one_token", "two lines, one token per line"),
        });
    }
    let rows = if text.starts_with('[') { json(text)? } else { separated(text)? };
    checked(rows)
}

fn checked(rows: Rows) -> Result<Rows, InputError> {
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

fn json(text: &str) -> Result<Rows, InputError> {
    let value: Value = serde_json::from_str(text).map_err(|e| InputError::Json { detail: json_problem(&e) })?;
    match &value {
        // A flat list is n tokens of dimension 1.
        Value::Array(list) if list.first().is_some_and(|entry| !entry.is_array()) => {
            let column = Value::Array(list.iter().map(|entry| Value::Array(vec![entry.clone()])).collect());
            rows_of("tokens", &column)
        }
        _ => rows_of("tokens", &value),
    }
}

fn separated(text: &str) -> Result<Rows, InputError> {
    let what = || phrase!("tokens_inside", "the tokens");
    let first_line = text.lines().find(|line| !line.trim_start().starts_with('#')).unwrap_or_default();
    let delimiter = [b'\t', b',', b';'].into_iter().find(|d| first_line.as_bytes().contains(d));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        // Without a delimiter in the first line, entries are separated by blanks and each line is read as one field
        // here.
        .delimiter(delimiter.unwrap_or(b'\x1f'))
        .from_reader(text.as_bytes());
    let mut entries = Vec::new();
    let mut n_columns = 0;
    let mut n_rows = 0;
    let mut line_idx = 0;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| InputError::File {
        file: phrase!("token_list", "The token list"),
        problem: library_words(e.to_string()),
        fix: phrase!("give_one_token_per", "Give one token per line, numbers separated by commas."),
    })? {
        line_idx += 1;
        let cells: Vec<&str> = match delimiter {
            Some(_) => record.iter().collect(),
            None => record.iter().flat_map(str::split_whitespace).collect(),
        };
        let is_header = line_idx == 1 && cells.iter().all(|cell| !cell.is_empty() && cell.parse::<f64>().is_err());
        if is_header && text.lines().nth(1).is_some() && !looks_like_numbers(&cells) {
            continue;
        }
        n_rows += 1;
        // A trailing comma does not add a column.
        let cells = match cells.split_last() {
            Some((last, rest)) if last.is_empty() && !rest.is_empty() => rest,
            _ => &cells[..],
        };
        if n_rows == 1 {
            n_columns = cells.len();
        }
        for (column_idx, cell) in cells.iter().enumerate() {
            match cell.parse::<f64>() {
                Ok(x) if x.is_finite() => entries.push(x),
                _ => {
                    return Err(InputError::NotANumber {
                        what: what(),
                        row: n_rows,
                        column: column_idx + 1,
                        found: if cell.is_empty() {
                            phrase!("empty_cell", "empty")
                        } else {
                            format!("\"{}\"", shorten(cell)).into()
                        },
                    });
                }
            }
        }
        if cells.len() != n_columns {
            return Err(InputError::RaggedRow { what: what(), row: n_rows, found: cells.len(), expected: n_columns });
        }
        if entries.len() > MAX_TOKEN_ENTRIES {
            return Err(InputError::TooLarge {
                what: phrase!("n_times_d", "n times d"),
                found: phrase!("more_than", "more than {limit}", limit = MAX_TOKEN_ENTRIES),
                limit: MAX_TOKEN_ENTRIES.to_string().into(),
                fix: phrase!("use_fewer_tokens_fewer", "Use fewer tokens or fewer dimensions."),
            });
        }
    }
    Rows::new(phrase!("token_list", "The token list"), n_columns, entries)
}

/// A first line that contains "nan" or begins like a number (such as 1.O) is faulty data, not a header.
fn looks_like_numbers(cells: &[&str]) -> bool {
    cells.iter().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')))
        || cells.iter().any(|cell| cell.parse::<f64>().is_ok_and(|x| !x.is_finite()))
}

fn npy(name: &str, bytes: &[u8]) -> Result<Rows, InputError> {
    let broken = |problem: Phrase| InputError::File {
        file: name.into(),
        problem,
        fix: phrase!(
            "save_numpy_save_two",
            "Save it with numpy.save as a two-dimensional float array, one row per token."
        ),
    };
    let file = NpyFile::new(bytes).map_err(|e| broken(io_problem(&e)))?;
    let shape = file.shape().to_vec();
    let (n, d) = match shape[..] {
        [n] => (n, 1),
        [n, d] => (n, d),
        _ => {
            return Err(broken(phrase!(
                "shape_not_n_d",
                "its shape is {shape}, not (n, d)",
                shape = format!("{:?}", shape)
            )));
        }
    };
    // Checked before any number is read, because the header may claim more than the file holds.
    let size = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
    let (n, d) = (size(n), size(d));
    limits::check_tokens(n, d)?;
    let in_rows = file.order() == npyz::Order::C;
    let entries = npy_entries(file).map_err(broken)?;
    if entries.len() != n * d {
        return Err(broken(phrase!(
            "holds_numbers_not",
            "it holds {count} numbers, not {shape}",
            count = entries.len(),
            shape = phrase!("shape", "{rows} x {columns}", rows = n, columns = d)
        )));
    }
    let by_rows = if in_rows { entries } else { (0..n * d).map(|at| entries[(at % d) * n + at / d]).collect() };
    checked(Rows::new(name, d, by_rows)?)
}

/// Describes an I/O error in terms of the file: the library's message for a truncated file speaks of buffers.
fn io_problem(error: &std::io::Error) -> Phrase {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => phrase!("truncated", "it is truncated"),
        _ => library_words(error.to_string()),
    }
}

fn npy_entries(file: NpyFile<&[u8]>) -> Result<Vec<f64>, Phrase> {
    let unsupported = |dtype: &DType| {
        phrase!(
            "numbers_only_32_64",
            "its numbers are {kind}; only 32 and 64 bit floats and integers can be read",
            kind = dtype.descr()
        )
    };
    let dtype = file.dtype();
    let DType::Plain(plain) = &dtype else { return Err(unsupported(&dtype)) };
    macro_rules! read {
        ($number:ty) => {
            file.into_vec::<$number>()
                .map(|numbers| numbers.into_iter().map(|x| x as f64).collect())
                .map_err(|e| io_problem(&e))
        };
    }
    match (plain.type_char(), plain.size_field()) {
        (TypeChar::Float, 8) => read!(f64),
        (TypeChar::Float, 4) => read!(f32),
        (TypeChar::Int, 8) => read!(i64),
        (TypeChar::Int, 4) => read!(i32),
        (TypeChar::Int, 2) => read!(i16),
        (TypeChar::Int, 1) => read!(i8),
        (TypeChar::Uint, 1) => read!(u8),
        _ => Err(unsupported(&dtype)),
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
            let rows = tokens_from_text(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
            assert_eq!((rows.n_columns(), rows.entries()), (2, &[1.0, 2.0, 3.0, 4.0][..]), "{text:?}");
        }
    }

    #[test]
    fn a_flat_json_list_is_tokens_of_dimension_one() {
        let rows = tokens_from_text("[-1, 1, 1]").expect("a list");
        assert_eq!((rows.n_rows(), rows.n_columns()), (3, 1));
    }

    #[test]
    fn errors_name_the_row_and_column() {
        let message = |text: &str| tokens_from_text(text).expect_err(text).to_string();
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
        assert!(tokens_from_bytes("junk.bin", &junk).expect_err("junk").to_string().contains("junk.bin"));
        let letters = "q".repeat(10_000_000);
        assert!(tokens_from_text(&letters).expect_err("junk").to_string().len() < 200);
    }
}
