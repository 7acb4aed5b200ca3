//! All bounds. A new one is a file in `ball`, `local` or `lower` and its line here.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Error, Serialize, Serializer};

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

/// By its id, and between our own programs, which are of one build, by its place in [`ALL`]: a message holds many bounds.
impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_str(self.id);
        }
        let place = ALL.into_iter().position(|bound| bound == self).and_then(|at| u8::try_from(at).ok());
        serializer.serialize_u8(place.ok_or_else(|| S::Error::custom("the bound is not in the list"))?)
    }
}

impl<'de> Deserialize<'de> for &'static Statement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = BoundId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of a bound")
            }

            fn visit_str<E: de::Error>(self, id: &str) -> Result<BoundId, E> {
                Statement::by_id(id).ok_or_else(|| E::custom(format_args!("no bound is called {id:?}")))
            }

            fn visit_u8<E: de::Error>(self, place: u8) -> Result<BoundId, E> {
                ALL.get(usize::from(place)).copied().ok_or_else(|| E::custom("no bound has this place in the list"))
            }
        }
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Name)
        } else {
            deserializer.deserialize_u8(Name)
        }
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
