//! What a task costs before it is begun: the most memory it holds at a time, and about how many operations it takes.
//!
//! Everything follows from the [`Shape`] of an experiment (n, d, heads, k, d_v, d_out, mask, ..), which needs no token
//! and no weight to be drawn. All arithmetic is in `u64` and saturates: a product of sizes never wraps, also where
//! `usize` has 32 bits. The module of each task computes its cost from the `parts` here (`measure::cost`,
//! `SweepPlan::cost`, `spectrum::cost`, ..), and `check` refuses what does not fit a [`Memory`] before anything is
//! allocated.
//!
//! | file | concept |
//! | --- | --- |
//! | `shape` | the sizes of an experiment, and the same with one of them changed |
//! | `parts` | the memory of each part of the engine: inputs, forward pass, operator, Lanczos basis, dense Jacobian |
//! | `bounds` | the same for the bounds: their constants, and `local` |
//! | `gathered` | the same for token measures and causal runs |
//! | `check` | refuses too large a task and names the size to lower |
//!
//! Bytes are those requested from the allocator. `tests/core/peaks.rs` checks them against measured peaks.

pub(crate) mod bounds;
mod check;
pub(crate) mod gathered;
pub(crate) mod parts;
mod shape;
mod steps;

pub use crate::experiment::Memory;
pub use check::{check, check_sizes, size_at};
pub use shape::{Form, Shape, shape_of};
pub(crate) use shape::{LEAST_MEAN_SIZE, MOST_GATHERED};

/// The cost of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The most bytes that are held at a time.
    pub bytes: u64,
    /// About how many floating-point operations it takes, for an iteration that converges in forty steps.
    pub operations: u64,
}

impl Cost {
    /// The cost of doing `next` after this: the larger memory, the sum of the operations.
    #[must_use]
    pub fn then(self, next: Cost) -> Cost {
        Cost { bytes: self.bytes.max(next.bytes), operations: self.operations.saturating_add(next.operations) }
    }

    /// The cost of doing this `count` times, one after the other.
    #[must_use]
    pub fn times(self, count: u64) -> Cost {
        Cost { operations: self.operations.saturating_mul(count), ..self }
    }

    /// The cost of one of `count` equal pieces of this work, which are done one after the other.
    #[must_use]
    pub fn of_each(self, count: usize) -> Cost {
        Cost { operations: self.operations / (count as u64).max(1), ..self }
    }

    /// The same cost while `numbers` more numbers are held.
    #[must_use]
    pub(crate) fn holding(self, numbers: u64) -> Cost {
        Cost { bytes: self.bytes.saturating_add(bytes_of(numbers)), ..self }
    }

    /// The cost of a task that holds `numbers` numbers of eight bytes.
    #[must_use]
    pub(crate) fn of_numbers(numbers: u64, operations: u64) -> Cost {
        Cost { bytes: bytes_of(numbers), operations }
    }
}

/// Memory that every task holds: the packing buffers of the matrix product, small vectors, the result.
pub(crate) const BASE: u64 = (5 << 20) / 8;

/// The product of some sizes; saturates at the largest `u64`.
pub(crate) fn product<const N: usize>(sizes: [u64; N]) -> u64 {
    sizes.into_iter().fold(1, u64::saturating_mul)
}

/// The sum of some sizes; saturates at the largest `u64`.
pub(crate) fn sum<const N: usize>(sizes: [u64; N]) -> u64 {
    sizes.into_iter().fold(0, u64::saturating_add)
}

/// The largest of some sizes.
pub(crate) fn largest<const N: usize>(sizes: [u64; N]) -> u64 {
    sizes.into_iter().fold(0, u64::max)
}

fn bytes_of(numbers: u64) -> u64 {
    numbers.saturating_mul(8)
}

#[cfg(test)]
mod tests {
    use super::{Cost, product, sum};

    #[test]
    fn what_passes_u64_is_the_largest_u64() {
        assert_eq!(product([1 << 40, 1 << 20, 1 << 4]), u64::MAX);
        assert_eq!(product([0, u64::MAX]), 0);
        assert_eq!(sum([u64::MAX, 1]), u64::MAX);
        let cost = Cost::of_numbers(1 << 62, u64::MAX).then(Cost::of_numbers(1, 1)).holding(1).times(2);
        assert_eq!((cost.bytes, cost.operations), (u64::MAX, u64::MAX));
    }
}
