//! A packed, register-blocked matrix product for WebAssembly and for dual numbers.
//!
//! Natively the engine uses faer, which picks the widest vector instructions at run time and allocates nothing after
//! its first call. In WebAssembly faer allocates its buffers in every call and is slower than this code (table in
//! benches/README.md). Operands are copied into panels a few rows or columns wide, so that the innermost loop reads
//! both in order and keeps a small tile of the result in registers; the compiler vectorises the tile.

use std::array::from_fn;
use std::ops::Range;

use super::view::{Accumulate, Entries, Scalar, View, ViewMut};

/// Inner indices per pass: a panel of the left factor (4 x 256 f64, 8 KiB) stays in the first-level cache.
const DEPTH: usize = 256;

/// Columns per pass: the packed part of the right factor (256 x 128 f64, 256 KiB) stays in the second-level cache.
const WIDTH: usize = 128;

/// out = alpha a b, or out += alpha a b, in tiles of ROWS x COLUMNS. With [`Entries::Lower`] the tiles above the
/// diagonal are left out. `scratch` grows to 264 KiB of f64 at most.
pub(super) fn multiply_packed<T: Scalar, const ROWS: usize, const COLUMNS: usize>(
    scratch: &mut Vec<T>,
    out: ViewMut<'_, T>,
    (into, entries): (Accumulate, Entries),
    a: View<'_, T>,
    b: View<'_, T>,
    alpha: T,
) {
    let (m, n, k) = (a.n_rows, b.n_columns, a.n_columns);
    if k == 0 && into == Accumulate::Replace {
        for column in out.data.chunks_mut(out.stride.max(1)).take(n) {
            column[..m].fill(T::constant(0.0));
        }
    }
    let left_len = DEPTH.min(k) * ROWS;
    let right_len = DEPTH.min(k) * WIDTH.min(n).next_multiple_of(COLUMNS);
    if scratch.len() < left_len + right_len {
        scratch.resize(left_len + right_len, T::constant(0.0));
    }
    let (left, right) = scratch.split_at_mut(left_len);
    let b_columns = b.transpose();
    for first_column in (0..n).step_by(WIDTH) {
        let columns = first_column..n.min(first_column + WIDTH);
        for first_inner in (0..k).step_by(DEPTH) {
            let inner = first_inner..k.min(first_inner + DEPTH);
            let left = &mut left[..inner.len() * ROWS];
            let panel_len = inner.len() * COLUMNS;
            for (column, panel) in columns.clone().step_by(COLUMNS).zip(right.chunks_exact_mut(panel_len)) {
                pack::<T, COLUMNS>(panel, b_columns, column, inner.clone());
            }
            let is_fresh = into == Accumulate::Replace && first_inner == 0;
            for row in (0..m).step_by(ROWS) {
                pack::<T, ROWS>(left, a, row, inner.clone());
                for (column, panel) in columns.clone().step_by(COLUMNS).zip(right.chunks_exact(panel_len)) {
                    if entries == Entries::Lower && column >= row + ROWS {
                        break;
                    }
                    let tile = tile::<T, ROWS, COLUMNS>(left, panel);
                    let place = &mut out.data[column * out.stride + row..];
                    let len = ROWS.min(m - row);
                    let count = COLUMNS.min(columns.end - column);
                    if len == ROWS && count == COLUMNS {
                        // With the length known, the compiler writes the columns of a whole tile with vector
                        // instructions.
                        for (at, sums) in tile.iter().enumerate() {
                            if let Some(slots) = place[at * out.stride..].first_chunk_mut::<ROWS>() {
                                store(slots, sums, alpha, is_fresh);
                            }
                        }
                    } else {
                        for (slots, sums) in place.chunks_mut(out.stride).zip(&tile).take(count) {
                            let len = len.min(slots.len());
                            store(&mut slots[..len], sums, alpha, is_fresh);
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn store<T: Scalar>(slots: &mut [T], sums: &[T], alpha: T, is_fresh: bool) {
    for (slot, sum) in slots.iter_mut().zip(sums) {
        *slot = if is_fresh { *sum * alpha } else { *slot + *sum * alpha };
    }
}

/// Copies WIDE rows from `first_row` on into a panel, one inner index after the other; rows past the end are zero.
#[inline(never)]
fn pack<T: Scalar, const WIDE: usize>(panel: &mut [T], view: View<'_, T>, first_row: usize, inner: Range<usize>) {
    let rows = first_row..view.n_rows.min(first_row + WIDE);
    if rows.len() < WIDE {
        panel.fill(T::constant(0.0));
    }
    if view.is_transposed() {
        for (lane, row) in rows.enumerate() {
            let entries = &view.data[row * view.stride + inner.start..row * view.stride + inner.end];
            for (slot, x) in panel[lane..].iter_mut().step_by(WIDE).zip(entries) {
                *slot = *x;
            }
        }
    } else if rows.len() == WIDE {
        for (group, at) in panel.chunks_exact_mut(WIDE).zip(inner) {
            let start = at * view.stride + rows.start;
            group.copy_from_slice(&view.data[start..start + WIDE]);
        }
    } else {
        for (group, at) in panel.chunks_exact_mut(WIDE).zip(inner) {
            let start = at * view.stride;
            group[..rows.len()].copy_from_slice(&view.data[start + rows.start..start + rows.end]);
        }
    }
}

/// The product of two panels, as the columns of a tile.
///
/// Not inlined: inside the loops of the caller, the sums would not stay in registers, neither in LLVM's vectors nor in
/// the browser's machine code, and the product would run at half the speed.
#[inline(never)]
fn tile<T: Scalar, const ROWS: usize, const COLUMNS: usize>(left: &[T], right: &[T]) -> [[T; ROWS]; COLUMNS] {
    let mut sums = [[T::constant(0.0); ROWS]; COLUMNS];
    for (x, y) in left.as_chunks::<ROWS>().0.iter().zip(right.as_chunks::<COLUMNS>().0) {
        sums = from_fn(|column| from_fn(|row| sums[column][row] + x[row] * y[column]));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::Dual;

    fn numbers<T: Scalar>(len: usize, seed: usize) -> Vec<T> {
        (0..len).map(|i| T::constant((((i + seed) * 7919) % 101) as f64 / 50.0 - 1.0)).collect()
    }

    /// Compares with the sum written out. The columns of the output have three more rows, which must stay unchanged.
    fn check<T: Scalar, const ROWS: usize, const COLUMNS: usize>(m: usize, n: usize, k: usize, tolerance: f64) {
        let mut scratch = Vec::new();
        let stride = m + 3;
        for (a_transposed, b_transposed, into) in [
            (false, false, Accumulate::Replace),
            (true, false, Accumulate::Add),
            (false, true, Accumulate::Add),
            (true, true, Accumulate::Replace),
        ] {
            let view = |data, n_rows, n_columns, transposed| {
                if transposed {
                    View::new(data, n_columns, n_rows).transpose()
                } else {
                    View::new(data, n_rows, n_columns)
                }
            };
            let (a_data, b_data) = (numbers::<T>(m * k, 1), numbers::<T>(k * n, 2));
            let (a, b) = (view(&a_data, m, k, a_transposed), view(&b_data, k, n, b_transposed));
            let before = numbers::<T>(stride * n, 3);
            let mut found = before.clone();
            let out = ViewMut::strided(&mut found, m, n, stride);
            multiply_packed::<T, ROWS, COLUMNS>(&mut scratch, out, (into, Entries::All), a, b, T::constant(0.5));
            for (at, x) in found.iter().enumerate() {
                let (row, col) = (at % stride, at / stride);
                let old = before[at].value();
                let sum: f64 = (0..k).filter(|_| row < m).map(|p| a.at(row, p).value() * b.at(p, col).value()).sum();
                let expected = match into {
                    Accumulate::Replace if row < m => 0.5 * sum,
                    _ => old + 0.5 * sum,
                };
                let error = (x.value() - expected).abs();
                assert!(
                    error <= tolerance * (1 + k) as f64,
                    "{m} x {n} x {k} at {row}, {col}: {} {expected}",
                    x.value()
                );
            }
        }
    }

    #[test]
    fn packed_products_equal_the_plain_sum_at_every_shape() {
        for (m, n, k) in [(1, 1, 1), (3, 2, 5), (4, 4, 4), (5, 9, 1), (17, 130, 3), (8, 6, 257), (2, 3, 600), (3, 2, 0)]
        {
            check::<f64, 4, 4>(m, n, k, 1e-15);
            check::<f32, 8, 4>(m, n, k, 1e-6);
            check::<Dual, 2, 2>(m, n, k, 1e-15);
        }
    }
}
