//! NumPy's `.npy` files.

use half::f16;
use npyz::{DType, NpyFile, TypeChar};

use super::brackets::one_matrix;
use super::reading::Notes;
use crate::experiment::{InputError, Phrase, Rows, Table, library_words};
use crate::phrase;

/// The first bytes of every `.npy` file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads the array of the `.npy` file called `name`.
///
/// # Errors
/// [`InputError::File`], or [`InputError::TooLarge`] before any number is read.
pub(super) fn rows(table: Table, name: &str, bytes: &[u8], notes: &mut Notes) -> Result<Rows, InputError> {
    let broken = |problem: Phrase| InputError::File {
        file: name.into(),
        problem,
        fix: phrase!(
            "save_numpy_save_two",
            "Save it with `numpy.save` as a two-dimensional float array, such as `x.astype(float)`."
        ),
    };
    if !is_plain_header(bytes) {
        /// The beginning of a type with named fields.
        const RECORDS: &[u8] = b"'descr': [";
        let head = &bytes[..bytes.len().min(64)];
        if head.windows(RECORDS.len()).any(|window| window == RECORDS) {
            return Err(broken(records()));
        }
        return Err(broken(phrase!("npy_header_no_table", "its header is not that of a table of numbers")));
    }
    let file = NpyFile::new(bytes).map_err(|e| broken(io_problem(&e)))?;
    let mut shape = file.shape().to_vec();
    while shape.len() > 2 && shape[0] == 1 {
        shape.remove(0);
        notes.drop(phrase!("batch_of_one", "the axis of a batch of one"));
    }
    let (n, d) = match (&shape[..], table) {
        ([n], Table::Tokens) => (*n, 1),
        ([d], _) => (1, *d),
        ([n, d], _) => (*n, *d),
        _ => {
            return Err(InputError::File {
                file: name.into(),
                problem: phrase!(
                    "shape_not_n_d",
                    "its shape is {shape}, not (n, d)",
                    shape = format!("{:?}", file.shape())
                ),
                fix: one_matrix(),
            });
        }
    };
    // Checked before any number is read, because the header may claim more than the file holds.
    let size = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
    let (n, d) = (size(n), size(d));
    table.check_entries(n.saturating_mul(d))?;
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
    Rows::new(name, d, by_rows)
}

/// Whether the header opens no more brackets than a table's header, `{'descr': '<f8', 'shape': (3, 2), ..}`, and claims
/// no more numbers than can be counted. The npy library's time grows exponentially with the nesting depth of brackets,
/// and it multiplies the sizes without checking the product.
fn is_plain_header(bytes: &[u8]) -> bool {
    const MOST_OPEN: usize = 4;
    /// The largest header that NumPy itself reads.
    const MOST_BYTES: usize = 10_000;
    // Magic, version, and a length of two bytes in version 1, of four from version 2 on.
    let (start, length) = match (bytes.get(6), bytes.get(8..10), bytes.get(8..12)) {
        (Some(1), Some(&[a, b]), _) => (10, usize::from(u16::from_le_bytes([a, b]))),
        (Some(_), _, Some(&[a, b, c, d])) => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        // The header is cut off; the library reports it.
        _ => return true,
    };
    let header: Vec<u8> = bytes[start.min(bytes.len())..].iter().take(length).copied().collect();
    let sizes = header.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let size = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u64>().ok();
    let product = sizes.map(size).try_fold(1u64, |product, size| product.checked_mul(size?.max(1)));
    // Python has other ways to write a number, such as 1_000 and 0x10, that NumPy does not use; Python 2 wrote 3L.
    let is_other =
        |pair: &[u8]| pair[0].is_ascii_digit() && (pair[1].is_ascii_alphabetic() || pair[1] == b'_') && pair[1] != b'L';
    let open = header.iter().filter(|byte| b"([{".contains(byte)).count();
    length <= MOST_BYTES && open <= MOST_OPEN && product.is_some() && !header.windows(2).any(is_other)
}

/// Describes an I/O error in terms of the file: the library's message for a truncated file speaks of buffers.
fn io_problem(error: &std::io::Error) -> Phrase {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => phrase!("truncated", "it is truncated"),
        _ => library_words(error.to_string()),
    }
}

fn records() -> Phrase {
    phrase!("npy_records", "its rows are records with named fields")
}

fn npy_entries(file: NpyFile<&[u8]>) -> Result<Vec<f64>, Phrase> {
    let dtype = file.dtype();
    let DType::Plain(plain) = &dtype else {
        return Err(records());
    };
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
        (TypeChar::Float, 2) => file
            .into_vec::<f16>()
            .map(|numbers| numbers.into_iter().map(f64::from).collect())
            .map_err(|e| io_problem(&e)),
        (TypeChar::Int, 8) => read!(i64),
        (TypeChar::Int, 4) => read!(i32),
        (TypeChar::Int, 2) => read!(i16),
        (TypeChar::Int, 1) => read!(i8),
        (TypeChar::Uint, 8) => read!(u64),
        (TypeChar::Uint, 4) => read!(u32),
        (TypeChar::Uint, 2) => read!(u16),
        (TypeChar::Uint, 1) => read!(u8),
        (kind, _) => Err(phrase!(
            "npy_kind_not_read",
            "it holds {what} ({kind}), and only floats of 16, 32 and 64 bits and integers are read",
            what = match kind {
                TypeChar::Bool => phrase!("truth_values", "truth values"),
                TypeChar::Complex => phrase!("complex_numbers", "complex numbers"),
                TypeChar::Float => phrase!("long_doubles", "extended floats"),
                _ => phrase!("objects_or_texts", "objects or texts"),
            },
            kind = dtype.descr()
        )),
    }
}
