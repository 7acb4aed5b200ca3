//! Lower bounds: tokens of the ball, at any n, with the exact norm of J on some perturbations of them. A file for each bound,
//! and
//!
//! | file | concept |
//! | --- | --- |
//! | `found` | the tokens behind a bound |
//! | `line` | lines through the origin on which tokens are placed |
//! | `two_cluster_curve` | two clusters on a line, at their best sizes and places |
//! | `two_cluster_norm` | the norm at two clusters |
//! | `witness` | sink and fork: few clusters off the line |
//! | `witness_form` | the closed forms that choose the tokens of `witness` |
//! | `witness_direction` | directions in which `witness` looks for its tokens; the norm at given clusters |
//! | `causal_witness` | sink and fork under the causal mask |
//! | `causal_sum` | sums over the rows of a causal witness |
//! | `centre_direction` | directions in which `centre` looks for its tokens |
//! | `variant_witnesses` | which lower bounds a variant has, and what they need of the weights |
//! | `variant_fork` | the fork under a cap and with a sink, in closed form |
//! | `exponent` | the largest growth of scores over a head's directions |

pub(super) mod adversarial;
pub(super) mod adversarial_envelope;
mod causal_sum;
pub(super) mod causal_witness;
pub(super) mod centre;
pub(super) mod centre_direction;
pub(super) mod cesaro;
pub(super) mod equal_tokens;
pub(super) mod exponent;
pub(super) mod fork;
pub(super) mod found;
pub(super) mod line;
pub(super) mod sink;
pub(super) mod skew;
pub(super) mod two_cluster_curve;
pub(super) mod two_cluster_norm;
pub(super) mod two_clusters;
pub(super) mod variant_fork;
pub(super) mod variant_witnesses;
pub(super) mod window_causal;
pub(super) mod witness;
pub(super) mod witness_direction;
pub(super) mod witness_form;
pub(super) mod zero_key;
