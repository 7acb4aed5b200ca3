//! Self-attention at given tokens: normaliser, scores, weights, heads, output matrix. docs/theory.md section 1. The steps
//! that models of today add are in the folder `steps`.
//!
//! All of it is generic over [`Scalar`]: f64, f32 and dual numbers. Matrices have one column per token; the attention
//! matrix P is stored transposed (column i holds row i of P), so that a softmax row is contiguous.

mod centred;
mod fastest;
mod forward;
mod kernel;
mod normalize;
mod packed;
mod product;
mod projections;
mod single;
mod softmax;
mod stacked;
mod statistics;
mod steps;
mod view;

pub(crate) use centred::Centred;
pub(crate) use fastest::clear_wide_registers;
pub use forward::{Forward, MOST_KEPT, RowBlock, Storage};
pub(crate) use forward::{part, rows_a_block, storage};
pub use kernel::Kernel;
pub use normalize::Normalizer;
pub use product::multiply;
pub(crate) use product::{multiply_gram, multiply_portably, multiply_tokens};
pub(crate) use projections::MapLayout;
pub use projections::{HeadPart, HeadSizes, Projections};
pub(crate) use single::{MOST_COPIED, flushed};
pub use statistics::RowEntropies;
pub use steps::{DistanceBias, GivenSteps, Rotary};
pub(crate) use steps::{Elementwise, Normed, Rotation, Squash, Steps, TurningPair, Weigh, all_rows, stored_a_pair};
pub use view::{Accumulate, Dual, Entries, Scalar, View, ViewMut};
