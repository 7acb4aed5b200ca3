//! Upper bounds that hold for all tokens of a ball: a file for each bound, and
//!
//! | file | concept |
//! | --- | --- |
//! | `column_sums` | bounds on the column sums of attention |
//! | `mixed_terms` | the terms whose minimum bounds the mixed part |
//! | `exponent_sums` | column sums from the exponents of A |
//! | `row_mass` | the constants G and F: bounds on one row |
//! | `softmax_terms`, `pair_sums` | what bounds on variants add up: with softmax weights, and with weights that each depend on their own score alone |
//! | `score_constants` | what the bounds on variants ask of scores on the ball |
//! | `row_lengths`, `distance_bias`, `table_sums` | sums over a mask: closed, with ALiBi's bias, and over tables |
//! | `variant_heads` | how bounds of single maps become a bound on all heads |
//! | `kim` | the function phi of the bounds on L2 attention |

pub(super) mod castin_general;
pub(super) mod castin_mean_field;
pub(super) mod column_sums;
pub(super) mod distance_bias;
pub(super) mod elementwise;
pub(super) mod elementwise_token;
pub(super) mod exponent_sums;
pub(super) mod general;
pub(super) mod general_token;
pub(super) mod kim;
pub(super) mod kim_column;
pub(super) mod kim_l2;
pub(super) mod kim_linf;
pub(super) mod mixed_terms;
pub(super) mod pair_sums;
pub(super) mod row_lengths;
pub(super) mod row_mass;
pub(super) mod score_constants;
pub(super) mod sharp;
pub(super) mod sharp_masked;
pub(super) mod softmax_terms;
pub(super) mod table_sums;
pub(super) mod two_tokens;
pub(super) mod unified;
pub(super) mod unified_masked;
pub(super) mod variant_heads;
