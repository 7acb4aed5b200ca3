//! Upper bounds at given tokens: a file for each bound (`local_rows` for `local`), and
//!
//! | file | concept |
//! | --- | --- |
//! | `at_tokens` | the bounds at a forward pass |
//! | `rows` | what rows add up to, and the bounds of all heads together |
//! | `general` | the heads and their rows, for attention of every kind |
//! | `head_matrices` | the matrices of a head |
//! | `row_weights` | the weights of a row |
//! | `row_pieces` | the terms of a row, and the norms of its blocks |
//! | `errors` | how far rounding moves the blocks of a row |
//! | `dot` | the terms of rows of dot-product attention, the special case that is faster |
//! | `dot_head`, `shared`, `rounding` | one head of it, the matrices that its rows share, and its rounding |
//! | `together`, `moments`, `token_pairs` | rows of a head that are taken many at a time |
//! | `blocks` | `local_blocks`: the norm of a small matrix of norms |
//! | `top_eigenvalue` | an upper bound on the largest eigenvalue |

pub(super) mod at_tokens;
pub(super) mod blocks;
pub(super) mod dot;
pub(super) mod dot_head;
pub(super) mod errors;
pub(super) mod general;
pub(super) mod head_matrices;
pub(super) mod local_blocks;
pub(super) mod local_rows;
pub(super) mod local_token;
pub(super) mod max_token;
pub(super) mod moments;
pub(super) mod rounding;
pub(super) mod row_pieces;
pub(super) mod row_weights;
pub(super) mod rows;
pub(super) mod shared;
pub(super) mod together;
pub(super) mod token_pairs;
pub(super) mod top_eigenvalue;
