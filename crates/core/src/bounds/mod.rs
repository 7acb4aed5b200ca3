//! Bounds on the Lipschitz constant and their hypotheses. A bound whose hypotheses fail is absent.
//!
//! A bound is a row in a file of its own, and a line in `all`; docs/theory.md has statements and proofs.
//!
//! | folder or file | concept |
//! | --- | --- |
//! | `statement`, `need`, `evaluator`, `all` | what a bound states, what it needs, how it is computed, and the list of all |
//! | `ball` | upper bounds that hold for all tokens of a ball |
//! | `lower` | lower bounds: tokens of a ball, with the norm there |
//! | `local` | upper bounds at given tokens |
//! | `evaluate`, `absent`, `best` | all bounds under given hypotheses, why one is absent, the best of several |
//! | `certified` | upper bounds for all tokens near given ones |
//! | `variant` | the steps of attention and the norms that bounds on variants depend on |
//! | `hypotheses`, `heads`, `head_bounds`, `stacked_values`, `exponents`, `isotropic`, `logarithms`, `maximum` | what bounds depend on, and tools that the folders share |
//! | `bound`, `absence`, `slack` | a bound with its value, a reason, and what a proof loses |

mod absence;
mod absent;
mod all;
mod ball;
mod best;
mod bound;
mod certified;
mod evaluate;
mod evaluator;
mod exponents;
mod head_bounds;
mod heads;
mod hypotheses;
mod isotropic;
mod local;
mod logarithms;
mod lower;
mod maximum;
mod need;
mod slack;
mod stacked_values;
mod statement;
mod variant;

pub use absence::Absence;
pub use all::*;
pub use best::{SAME_LOG10, best_lower, best_upper, is_replaced, is_same};
pub use bound::Bound;
pub use certified::{CertifiedHeads, DotAttention, Neighbourhood};
pub(crate) use evaluate::causal_witnesses;
pub use evaluate::{BoundsOverN, Witnesses, all_bounds, bounds_and_witnesses, bounds_at_tokens, slacks};
pub use heads::{Combination, HeadNorms};
pub use hypotheses::{Hypotheses, radius_of_ball};
pub use local::at_tokens::LocalBound;
pub(crate) use local::dot_head::DotHead;
pub(crate) use local::general::GeneralHead;
pub(crate) use local::rounding::Counts;
pub(crate) use local::row_weights::RowWeights;
pub use local::rows::LocalParts;
pub(crate) use local::rows::combine as combine_local;
pub(crate) use local::shared::{LocalBuffers, LocalTokens};
pub(crate) use logarithms::ln_sum;
pub use lower::found::Witness;
pub use lower::two_cluster_curve::{TwoClusterCurve, TwoClusters};
pub use lower::witness::ClusterWitness;
pub(crate) use lower::witness_direction::norm_of_clusters;
pub use slack::{BoundSlack, SlackFactor, SlackKind};
pub(crate) use stacked_values::MOST_STACKED;
pub use statement::{BoundId, Domain, Group, Norm, Side, Statement};
