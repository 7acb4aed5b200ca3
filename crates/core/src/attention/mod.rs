//! Self-attention at given tokens: normaliser, scores, softmax rows, heads, output. MATH.md section 1.
//!
//! Everything is written over [`Scalar`], so that f64, f32 and dual numbers share one code. Matrices hold a token a
//! column; the attention matrix P is kept transposed (column i holds row i of P), so that a softmax row is contiguous.

mod forward;
mod kernel;
mod normalize;
mod packed;
mod product;
mod projections;
mod scalar;

pub use forward::{Forward, RowBlock, Storage};
pub(crate) use forward::{part, rows_a_block, storage};
pub use kernel::Kernel;
pub use normalize::Normalizer;
pub use product::{Accumulate, View, ViewMut, multiply};
pub use projections::Projections;
pub use scalar::{Dual, Scalar};
