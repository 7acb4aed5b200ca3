//! The Jacobian of self-attention, as matrix-free products and as a dense matrix. docs/theory.md section 1.
//!
//! J_ij = V \[P_ij (I + (x_j - m_i) b_ij^T) + delta_ij O_i\], O_i = sum_l P_il (x_l - m_i) a_il^T.

mod adjoint;
mod causal_runs;
mod clusters;
mod dense;
mod dense_steps;
mod operator;
mod rows;
mod single;
mod span;

pub use causal_runs::{CausalRuns, RunRow};
pub use clusters::{ClusterJacobian, ClusterSums, MOST_CLUSTER_ROWS};
pub use dense::{BlockRows, DenseRows, dense_jacobian};
pub use operator::{JacobianOperator, LinearOperator, WithResidual};
pub use single::{SINGLE_TOLERANCE, Single};
pub use span::{ProjectionSpan, SpanOperator};
