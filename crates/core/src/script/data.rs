//! Matrices as Python literals: small ones as numbers, large ones as base64 bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nalgebra::DMatrix;

/// Matrices with at most this many entries are written as numbers.
const MOST_LISTED: usize = 512;
/// Characters per line of bytes.
const LINE: usize = 96;

/// A matrix as a call of the script's `table` or `block` function, exact to the last bit.
pub fn table(matrix: &DMatrix<f64>) -> String {
    let (rows, columns) = matrix.shape();
    if rows * columns <= MOST_LISTED {
        let row = |row: usize| {
            let numbers: Vec<String> = matrix.row(row).iter().map(|x| format!("{x:?}")).collect();
            format!("[{}]", numbers.join(", "))
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        return format!("table([{}])", rows.join(", "));
    }
    let bytes: Vec<u8> = matrix.transpose().iter().flat_map(|x| x.to_le_bytes()).collect();
    let text = STANDARD.encode(bytes);
    let mut call = format!("block({rows}, {columns}, (\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        call = call + "    \"" + line + "\"\n";
        rest = after;
    }
    call + "))"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_matrices_are_numbers_and_large_ones_are_bytes_row_by_row() {
        let small = DMatrix::from_row_slice(2, 2, &[0.1, -2.0, 1e-300, 3.5]);
        assert_eq!(table(&small), "table([[0.1, -2.0], [1e-300, 3.5]])");
        let large = DMatrix::from_fn(40, 20, |i, j| i as f64 + j as f64 / 32.0);
        let text = table(&large);
        assert!(text.starts_with("block(40, 20, (\n    \""), "{text}");
        let coded: String = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix('"')).collect();
        let bytes = STANDARD.decode(coded).expect("base64");
        let second = f64::from_le_bytes(bytes[8..16].try_into().expect("eight bytes"));
        assert_eq!((bytes.len(), second), (6400, 1.0 / 32.0));
    }
}
