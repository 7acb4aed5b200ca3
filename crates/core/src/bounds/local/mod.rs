//! The bounds `local`, `local_token` and `local_blocks` at given tokens.
//!
//! | file | concept |
//! | --- | --- |
//! | `at_tokens` | the bounds at a forward pass, whatever its steps |
//! | `bound` | the bounds over all heads, for plain attention |
//! | `steps` | the same for attention whose steps have derivatives of their own |
//! | `head` | the terms of one head, row by row |
//! | `together` | rows of a head that are taken many at a time |
//! | `shared` | matrices that the rows of a head share |
//! | `moments` | covariances under many rows of attention |
//! | `token_pairs` | products of centred tokens |
//! | `blocks` | `local_blocks`: the norm of a small matrix of norms |
//! | `top_eigenvalue` | an upper bound on the largest eigenvalue |
//! | `rounding` | what rounding may add |

pub(super) mod at_tokens;
pub(super) mod blocks;
pub(super) mod bound;
pub(super) mod head;
pub(super) mod moments;
pub(super) mod rounding;
pub(super) mod shared;
pub(super) mod steps;
pub(super) mod together;
pub(super) mod token_pairs;
pub(super) mod top_eigenvalue;
