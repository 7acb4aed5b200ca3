//! Checks that no single control can make: sizes taken together, and tokens that fit the weights.
//!
//! A fault is an `InputError`, which is data: the page finds the sentence in its language by id.

use lipscope_core::experiment::{InputError, Memory, Phrase, limits};
use lipscope_core::measure::{self, MeasureOptions};

use super::{MAX_D, MAX_N, MAX_TOKEN_ENTRIES, MAX_WEIGHTS, MAX_WITNESS_N, PageState, TokenChoice, WeightChoice};
use lipscope_core::phrase;

/// What to do about too many tokens: the page's two limits on n, in every sentence about n.
fn fewer_tokens() -> Phrase {
    phrase!(
        "use_fewer_tokens_here",
        "Use fewer tokens here, or the command line. This page takes up to {most} tokens, and up to {most_of_witness} that are adversarial or those of the skew witness.",
        most = MAX_N,
        most_of_witness = MAX_WITNESS_N
    )
}

/// An error about data that were given, with the page's limit on n in place of the engine's, which is larger.
#[must_use]
pub fn of_page(problem: InputError) -> InputError {
    const KEY: &str = "`tokens.n`";
    match &problem {
        InputError::TooLarge { what, found, .. } if what.to_string() == KEY => match found.to_string().parse::<u64>() {
            Ok(n) if n > MAX_WITNESS_N as u64 => {
                InputError::too_large(phrase!("number_tokens_n", "The number of tokens n"), n, MAX_N, fewer_tokens())
            }
            _ => problem,
        },
        _ => problem,
    }
}

impl PageState {
    /// Checks sizes taken together, and that tokens fit the weights.
    ///
    /// # Errors
    /// [`InputError`]; its sentence names the fix.
    pub fn check(&self) -> Result<(), InputError> {
        let (n, d) = (self.n_listed(), self.dim());
        // In u64: in the browser a product of sizes may exceed the 32 bits of usize.
        let product = |sizes: &[usize]| sizes.iter().fold(1u64, |product, size| product.saturating_mul(*size as u64));
        let too_large = |what, found, limit, fix| Err(InputError::too_large(what, found, limit, fix));
        let most = self.most_tokens();
        if n > most {
            return too_large(phrase!("number_tokens_n", "The number of tokens n"), n as u64, most, fewer_tokens());
        }
        limits::check_tokens(n, d)?;
        if d > MAX_D {
            return too_large(
                phrase!("token_dimension_d", "The token dimension d"),
                d as u64,
                MAX_D,
                phrase!("use_smaller_dimension_here", "Use a smaller dimension here, or the command line."),
            );
        }
        // A witness with many tokens is computed with its distinct tokens only.
        if n <= MAX_N && product(&[n, d]) > MAX_TOKEN_ENTRIES as u64 {
            let fix = phrase!(
                "use_fewer_tokens_fewer_dimensions",
                "Use fewer tokens or fewer dimensions here, or the command line."
            );
            return too_large(phrase!("n_times_d", "n times d"), product(&[n, d]), MAX_TOKEN_ENTRIES, fix);
        }
        if self.weights == WeightChoice::Random && self.tokens != TokenChoice::Skew {
            let entries = product(&[4, self.heads, self.head_dim, d]);
            if entries > MAX_WEIGHTS as u64 {
                let fix = phrase!(
                    "use_fewer_heads_smaller_dimensions",
                    "Use fewer heads or smaller dimensions here, or the command line."
                );
                return too_large(phrase!("number_weights", "The number of weights"), entries, MAX_WEIGHTS, fix);
            }
        }
        if self.weights == WeightChoice::Kim && self.tokens != TokenChoice::Skew && !d.is_multiple_of(self.heads) {
            return Err(InputError::Conflict {
                what: phrase!("heads_l2_mha", "{count} heads of L2-MHA", count = self.heads),
                problem: phrase!("cannot_share_token_dimension", "cannot share the token dimension {d} equally", d = d),
                fix: phrase!(
                    "use_number_heads_divides_other",
                    "Use a number of heads that divides it, or other tokens."
                ),
            });
        }
        self.experiment().check()?;
        match self.own_weight_dim() {
            Some(found) if found != d => Err(InputError::Conflict {
                what: phrase!("token_list_dimension", "A token list of dimension {d}", d = d),
                problem: phrase!("does_not_fit_your", "does not fit your weights, which take dimension {d}", d = found),
                fix: phrase!("use_tokens_dimension_other", "Use tokens of that dimension, or other weights."),
            }),
            _ => Ok(()),
        }
    }

    /// As `check`, and checks that the measurement fits the memory. Every measurement checks this too. A link is
    /// checked already when it is read, so that the page does not open with a state that cannot be measured.
    ///
    /// # Errors
    /// [`InputError`]; its sentence names the fix.
    pub fn check_cost(&self) -> Result<(), InputError> {
        self.check()?;
        measure::check(&self.experiment(), &MeasureOptions { memory: Memory::BROWSER, ..MeasureOptions::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::PageState;
    use lipscope_core::experiment::Experiment;

    #[test]
    fn both_limits_on_the_number_of_tokens_stand_in_one_sentence_wherever_n_comes_from() {
        let of_page = |n: u64| {
            let text = format!(r#"{{"tokens":{{"source":"random","n":{n},"d":2}},"weights":{{"source":"identity"}}}}"#);
            let found = Experiment::from_json(&text).and_then(|it| PageState::default().with_experiment(it)?.check());
            super::of_page(found.expect_err("too many")).to_string()
        };
        for n in [5_000, 5_000_000] {
            let text = of_page(n);
            assert!(text.starts_with(&format!("The number of tokens n is {n}, over the limit of 4096.")), "{text}");
            assert!(text.contains("up to 4096 tokens, and up to 1000000 that are adversarial"), "{text}");
        }
    }
}
