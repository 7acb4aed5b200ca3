//! Lower bounds: tokens of the ball, at any n, with the exact norm of J on some perturbations of them.
//!
//! | file | concept |
//! | --- | --- |
//! | `adversarial` | the adversarial tokens |
//! | `line` | lines through the origin on which tokens are placed |
//! | `two_clusters` | two clusters on a line, at their best sizes and places |
//! | `two_cluster_norm` | the norm at two clusters |
//! | `witness` | sink and fork: few clusters off the line |
//! | `witness_form` | the closed forms that choose the tokens of `witness` |
//! | `witness_direction` | directions in which `witness` looks for its tokens; the norm at given clusters |
//! | `exponent` | the largest growth of scores over a head's directions |
//! | `pattern_search` | maximises a function of a few numbers in a box |

pub(super) mod adversarial;
pub(super) mod exponent;
pub(super) mod line;
pub(super) mod pattern_search;
pub(super) mod two_cluster_norm;
pub(super) mod two_clusters;
pub(super) mod witness;
pub(super) mod witness_direction;
pub(super) mod witness_form;
