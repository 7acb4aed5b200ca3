//! What no single control shows: sizes together, and tokens that fit the weights.
//!
//! What is said of them is English, as all that is said in an `InputError`; `strings/problems` has it in Chinese.

use lipscope_core::experiment::{InputError, Memory, limits};
use lipscope_core::measure::{MeasureOptions, check};

use super::{MAX_D, MAX_N, MAX_TOKEN_ENTRIES, MAX_WEIGHTS, PageState, TokenChoice, WeightChoice};

impl PageState {
    /// What no single control shows: sizes together, and tokens that fit the weights.
    ///
    /// # Errors
    /// [`InputError`]; its sentence names the fix.
    pub fn check(&self) -> Result<(), InputError> {
        let (n, d) = (self.n_listed(), self.dim());
        limits::check_tokens(n, d)?;
        // In u64: in the browser a product of sizes may pass the 32 bits of usize.
        let product = |sizes: &[usize]| sizes.iter().fold(1u64, |product, size| product.saturating_mul(*size as u64));
        let too_large = |what: &str, found: u64, limit: usize, fix: &str| {
            Err(InputError::TooLarge {
                what: what.into(),
                found: found.to_string(),
                limit: limit.to_string(),
                fix: fix.into(),
            })
        };
        let most = self.most_tokens();
        if n > most {
            return too_large("The number of tokens n", n as u64, most, "Use fewer tokens here, or the command line.");
        }
        if d > MAX_D {
            return too_large(
                "The token dimension d",
                d as u64,
                MAX_D,
                "Use a smaller dimension here, or the command line.",
            );
        }
        // Of a witness with many tokens only the distinct ones are worked with.
        if n <= MAX_N && product(&[n, d]) > MAX_TOKEN_ENTRIES as u64 {
            let fix = "Use fewer tokens or fewer dimensions here, or the command line.";
            return too_large("n times d", product(&[n, d]), MAX_TOKEN_ENTRIES, fix);
        }
        if self.weights == WeightChoice::Random && self.tokens != TokenChoice::Skew {
            let entries = product(&[4, self.heads, self.head_dim, d]);
            if entries > MAX_WEIGHTS as u64 {
                let fix = "Use fewer heads or smaller dimensions here, or the command line.";
                return too_large("The number of weights", entries, MAX_WEIGHTS, fix);
            }
        }
        if self.weights == WeightChoice::Kim && self.tokens != TokenChoice::Skew && !d.is_multiple_of(self.heads) {
            return Err(InputError::Conflict {
                what: format!("{} heads of L2-MHA", self.heads),
                problem: format!("cannot share the token dimension {d} equally"),
                fix: "Use a number of heads that divides it, or other tokens.".into(),
            });
        }
        match self.own_weight_dim() {
            Some(found) if found != d => Err(InputError::Conflict {
                what: format!("A token list of dimension {d}"),
                problem: format!("does not fit your weights, which take dimension {found}"),
                fix: "Use tokens of that dimension, or other weights.".into(),
            }),
            _ => check(&self.experiment(), &MeasureOptions { memory: Memory::BROWSER, ..MeasureOptions::default() }),
        }
    }
}
