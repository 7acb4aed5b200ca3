//! Size limits of an experiment, with reasons.

use super::InputError;
use crate::phrase;

/// The most tokens. It can exceed the limit on n x n scores, because causal runs and clusters need no such table.
pub const MAX_TOKENS: usize = 1_000_000;
/// The most dimensions of a token.
pub const MAX_DIM: usize = 16_384;
/// The most numbers in a token matrix (n times d): 32 MiB of f64, so that a Lanczos basis of 32 pairs stays under 2.2
/// GB natively; the page asks for far less.
pub const MAX_TOKEN_ENTRIES: usize = 4_194_304;
/// The most heads.
pub const MAX_HEADS: usize = 1_024;
/// The most numbers in the weights.
pub const MAX_WEIGHT_ENTRIES: usize = 33_554_432;
/// The most scores of one head (n times n) when equal tokens are not grouped. Above it a product takes minutes.
pub const MAX_SCORES: usize = 16_384 * 16_384;
/// The largest ln N_a of a cluster: 1e304 tokens, so that the sum over a few thousand clusters is still finite.
pub const MAX_LOG_MULTIPLICITY: f64 = 700.0;
/// The largest file or pasted text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// Checks the shape of a token matrix.
///
/// # Errors
/// [`InputError::Empty`] or [`InputError::TooLarge`].
pub fn check_tokens(n: usize, d: usize) -> Result<(), InputError> {
    if n == 0 || d == 0 {
        return Err(InputError::Empty {
            what: phrase!("token_list", "The token list"),
            least: phrase!("one_token_one_number", "one token of one number"),
        });
    }
    let too_large = |what, found, limit, fix| Err(InputError::too_large(what, found, limit, fix));
    if n > MAX_TOKENS {
        return too_large(
            phrase!("number_tokens_n", "The number of tokens n"),
            n as u64,
            MAX_TOKENS,
            phrase!("use_fewer_tokens", "Use fewer tokens."),
        );
    }
    if d > MAX_DIM {
        return too_large(
            phrase!("token_dimension_d", "The token dimension d"),
            d as u64,
            MAX_DIM,
            phrase!("use_fewer_columns", "Use fewer columns."),
        );
    }
    // In u64: with a 32-bit usize, the product may wrap.
    match (n as u64).saturating_mul(d as u64) {
        entries if entries <= MAX_TOKEN_ENTRIES as u64 => Ok(()),
        entries => too_large(
            phrase!("n_times_d", "n times d"),
            entries,
            MAX_TOKEN_ENTRIES,
            phrase!("use_fewer_tokens_fewer", "Use fewer tokens or fewer dimensions."),
        ),
    }
}

/// Checks that n x n scores of a head are within [`MAX_SCORES`].
///
/// # Errors
/// [`InputError::TooLarge`].
pub fn check_scores(n: usize) -> Result<(), InputError> {
    if (n as u64).saturating_mul(n as u64) > MAX_SCORES as u64 {
        return Err(InputError::TooLarge {
            what: phrase!("number_scores_n_times", "The number of scores n times n"),
            found: phrase!("shape", "{rows} x {columns}", rows = n, columns = n),
            limit: MAX_SCORES.to_string().into(),
            fix: phrase!("use_most_16384_tokens", "Use at most 16384 tokens."),
        });
    }
    Ok(())
}

/// Checks the number of weights.
///
/// # Errors
/// [`InputError::TooLarge`].
pub fn check_weights(entries: u64) -> Result<(), InputError> {
    if entries <= MAX_WEIGHT_ENTRIES as u64 {
        return Ok(());
    }
    Err(InputError::TooLarge {
        what: phrase!("number_weights", "The number of weights"),
        found: entries.to_string().into(),
        limit: MAX_WEIGHT_ENTRIES.to_string().into(),
        fix: phrase!("use_fewer_heads_smaller", "Use fewer heads, a smaller head dimension, or a smaller d."),
    })
}
