//! What no single control shows: sizes together, and tokens that fit the weights.

use crate::app::strings;
use crate::experiment::{InputError, limits};

use super::{MAX_D, MAX_N, MAX_TOKEN_ENTRIES, MAX_WEIGHTS, PageState, TokenChoice, WeightChoice};

impl PageState {
    /// What no single control shows: sizes together, and tokens that fit the weights.
    ///
    /// # Errors
    /// [`InputError`]; its sentence names the fix.
    pub fn check(&self) -> Result<(), InputError> {
        let (n, d) = (self.n_listed(), self.dim());
        limits::check_tokens(n, d)?;
        let too_large = |what: &str, found: usize, limit: usize, fix: &str| {
            Err(InputError::TooLarge {
                what: what.into(),
                found: found.to_string(),
                limit: limit.to_string(),
                fix: fix.into(),
            })
        };
        let most = self.most_tokens();
        if n > most {
            return too_large(strings::WHAT_N, n, most, strings::FIX_N);
        }
        if d > MAX_D {
            return too_large(strings::WHAT_D, d, MAX_D, strings::FIX_D);
        }
        // Of a witness with many tokens only the distinct ones are worked with.
        if n <= MAX_N && n * d > MAX_TOKEN_ENTRIES {
            return too_large(strings::WHAT_ND, n * d, MAX_TOKEN_ENTRIES, strings::FIX_ND);
        }
        if self.weights == WeightChoice::Random && self.tokens != TokenChoice::Skew {
            let entries = 4 * self.heads * self.head_dim * d;
            if entries > MAX_WEIGHTS {
                return too_large(strings::WHAT_WEIGHTS, entries, MAX_WEIGHTS, strings::FIX_WEIGHTS);
            }
        }
        if self.weights == WeightChoice::Kim && self.tokens != TokenChoice::Skew && !d.is_multiple_of(self.heads) {
            return Err(InputError::Conflict {
                what: strings::heads_of(self.heads),
                problem: strings::do_not_divide(d),
                fix: strings::FIX_HEADS.into(),
            });
        }
        match self.own_weight_dim() {
            Some(found) if found != d => Err(InputError::Conflict {
                what: strings::tokens_of_dim(d),
                problem: strings::do_not_fit_weights(found),
                fix: strings::FIX_FIT.into(),
            }),
            _ => Ok(()),
        }
    }
}
