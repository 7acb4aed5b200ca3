//! Upper bounds that hold for all tokens of a ball.
//!
//! | file | concept |
//! | --- | --- |
//! | `castin` | the bounds of Castin, Ablin and Peyré |
//! | `unified` | ours, from column sums of attention |
//! | `sharp` | ours, sharper, from bounds on single rows of the mixed part |
//! | `general` | ours, for every variant whose weights are a softmax |
//! | `elementwise` | ours, for weights that each depend on their own score alone |
//! | `score_constants` | what the bounds on variants ask of scores on the ball |
//! | `two_tokens` | ours, for two tokens and multiples of the identity for A |
//! | `mixed_terms` | the terms whose minimum bounds the mixed part |
//! | `exponent_sums` | column sums from the exponents of A |
//! | `row_mass` | the constants G and F: bounds on one row |
//! | `row_lengths`, `distance_bias`, `table_sums` | sums over a mask: closed, with ALiBi's bias, and over tables |
//! | `variant_heads` | how bounds of single maps become a bound on all heads |
//! | `kim` | the bounds of Kim, Papamakarios and Mnih on L2 attention |

pub(super) mod castin;
pub(super) mod distance_bias;
pub(super) mod elementwise;
pub(super) mod exponent_sums;
pub(super) mod general;
pub(super) mod kim;
pub(super) mod mixed_terms;
pub(super) mod row_lengths;
pub(super) mod row_mass;
pub(super) mod score_constants;
pub(super) mod sharp;
pub(super) mod table_sums;
pub(super) mod two_tokens;
pub(super) mod unified;
pub(super) mod variant_heads;
