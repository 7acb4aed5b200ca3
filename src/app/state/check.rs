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
            return too_large(strings::what_n(), n, most, strings::fix_n());
        }
        if d > MAX_D {
            return too_large(strings::what_d(), d, MAX_D, strings::fix_d());
        }
        // Of a witness with many tokens only the distinct ones are worked with.
        if n <= MAX_N && n * d > MAX_TOKEN_ENTRIES {
            return too_large(strings::what_nd(), n * d, MAX_TOKEN_ENTRIES, strings::fix_nd());
        }
        if self.weights == WeightChoice::Random && self.tokens != TokenChoice::Skew {
            let entries = 4 * self.heads * self.head_dim * d;
            if entries > MAX_WEIGHTS {
                return too_large(strings::what_weights(), entries, MAX_WEIGHTS, strings::fix_weights());
            }
        }
        if self.weights == WeightChoice::Kim && self.tokens != TokenChoice::Skew && !d.is_multiple_of(self.heads) {
            return Err(InputError::Conflict {
                what: strings::heads_of(self.heads),
                problem: strings::do_not_divide(d),
                fix: strings::fix_heads().into(),
            });
        }
        match self.own_weight_dim() {
            Some(found) if found != d => Err(InputError::Conflict {
                what: strings::tokens_of_dim(d),
                problem: strings::do_not_fit_weights(found),
                fix: strings::fix_fit().into(),
            }),
            _ => Ok(()),
        }
    }
}
