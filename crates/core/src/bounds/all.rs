//! All bounds. A new one is a file in `ball`, `local` or `lower` and its line here.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::evaluator::Evaluator;
use super::statement::{BoundId, Statement};

/// Lists the bounds: their statements, and apart from these their numerics, which a program that only names bounds does not
/// link.
macro_rules! bounds {
    ($($room:ident :: $file:ident :: $name:ident),* $(,)?) => {
        $(pub use super::$room::$file::$name;)*

        /// All bounds, upper ones first.
        pub static ALL: [BoundId; COUNT] = [$(&$name),*];
        /// The number of bounds.
        const COUNT: usize = [$(stringify!($name)),*].len();
        /// How each of them is computed, in the same order.
        pub(crate) static EVALUATORS: [&Evaluator; COUNT] = [$(&super::$room::$file::EVALUATOR),*];
    };
}

bounds! {
    ball::castin_general::CASTIN_GENERAL,
    ball::castin_mean_field::CASTIN_MEAN_FIELD,
    ball::sharp::SHARP,
    ball::sharp_masked::SHARP_MASKED,
    ball::unified::UNIFIED,
    ball::unified_masked::UNIFIED_MASKED,
    ball::general::GENERAL,
    ball::elementwise::ELEMENTWISE,
    local::local_rows::LOCAL,
    local::local_blocks::LOCAL_BLOCKS,
    local::local_token::LOCAL_TOKEN,
    ball::two_tokens::TWO_TOKENS,
    ball::kim_column::KIM_COLUMN,
    ball::kim_l2::KIM_L2,
    ball::kim_linf::KIM_LINF,
    ball::general_token::GENERAL_TOKEN,
    ball::elementwise_token::ELEMENTWISE_TOKEN,
    local::max_token::MAX_TOKEN,
    lower::two_clusters::TWO_CLUSTERS,
    lower::sink::SINK,
    lower::fork::FORK,
    lower::centre::CENTRE,
    lower::cesaro::CESARO,
    lower::equal_tokens::EQUAL_TOKENS,
    lower::zero_key::ZERO_KEY,
    lower::window_causal::WINDOW_CAUSAL,
    lower::adversarial::ADVERSARIAL,
    lower::adversarial_envelope::ADVERSARIAL_ENVELOPE,
    lower::skew::SKEW,
}

impl Statement {
    /// All bounds, upper ones first.
    #[must_use]
    pub fn all() -> &'static [BoundId] {
        &ALL
    }

    /// The bound with a name in files; `None` where there is none.
    #[must_use]
    pub fn by_id(id: &str) -> Option<BoundId> {
        ALL.into_iter().find(|bound| bound.id == id)
    }
}

impl<'de> Deserialize<'de> for &'static Statement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Id;
        impl Visitor<'_> for Id {
            type Value = BoundId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of a bound")
            }

            fn visit_str<E: Error>(self, id: &str) -> Result<BoundId, E> {
                Statement::by_id(id).ok_or_else(|| E::custom(format_args!("no bound is called {id:?}")))
            }
        }
        deserializer.deserialize_str(Id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_comes_back_by_its_own_id() {
        for (bound, evaluator) in ALL.into_iter().zip(EVALUATORS) {
            assert_eq!(Statement::by_id(bound.id), Some(bound));
            assert_eq!(evaluator.statement, bound);
            let text = serde_json::to_string(bound).expect("JSON");
            assert_eq!(text, format!("{:?}", bound.id));
            assert_eq!(serde_json::from_str::<BoundId>(&text).expect("a bound"), bound);
        }
        assert!(serde_json::from_str::<BoundId>("\"none\"").is_err());
    }
}
