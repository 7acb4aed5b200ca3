//! The settings of the view of models that an address can hold: which model, the size of a random one, and the plan.

use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_models::{Bounding, DrawnFamily, Estimators, MapKind};

/// Where a model comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    /// A GPT-2 with random weights.
    #[default]
    Gpt2,
    /// A BERT with random weights.
    Bert,
    /// A Llama with random weights.
    Llama,
    /// The reader's own files.
    Files,
    /// The address of a folder.
    Address,
}

impl SourceKind {
    /// All, with their ids.
    pub const ALL: [(&'static str, SourceKind); 5] = [
        ("random-gpt2", SourceKind::Gpt2),
        ("random-bert", SourceKind::Bert),
        ("random-llama", SourceKind::Llama),
        ("files", SourceKind::Files),
        ("address", SourceKind::Address),
    ];

    /// The family, if its weights are random.
    #[must_use]
    pub fn family(self) -> Option<DrawnFamily> {
        match self {
            SourceKind::Gpt2 => Some(DrawnFamily::Gpt2),
            SourceKind::Bert => Some(DrawnFamily::Bert),
            SourceKind::Llama => Some(DrawnFamily::Llama),
            SourceKind::Files | SourceKind::Address => None,
        }
    }
}

/// The settings of the view of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// Where the model comes from. Files and addresses of models are not in a link, only that they are asked for.
    pub kind: SourceKind,
    /// The size of a random model.
    pub size: DrawnSize,
    /// The layers, as a list; `None` takes the middle one.
    pub layers: Option<String>,
    /// The lengths, a list or a range.
    pub lengths: String,
    /// Windows per length.
    pub windows: usize,
    /// Heads: `all`, `each`, or a list.
    pub heads: String,
    /// The mask; `None` takes the model's.
    pub mask: Option<Order>,
    /// The map; `None` takes the model's.
    pub map: Option<MapKind>,
    /// What is computed.
    pub estimators: Estimators,
    /// Whether bounds are computed too.
    pub bounds: Bounding,
    /// Whether an upper number is found for every map.
    pub upper: UpperNumber,
}

/// The size and the seed of a random model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnSize {
    /// Width.
    pub d: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of heads.
    pub heads: usize,
    /// Seed.
    pub seed: u64,
}

impl Default for ModelSettings {
    fn default() -> Self {
        let [lengths, heads] = ["2:98:8", "all"].map(String::from);
        ModelSettings {
            kind: SourceKind::default(),
            size: DrawnSize { d: 768, layers: 12, heads: 12, seed: 0 },
            layers: None,
            lengths,
            windows: 2,
            heads,
            mask: None,
            map: None,
            estimators: Estimators::Both,
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
        }
    }
}

impl ModelSettings {
    /// Masks, with their words in the form and in links.
    pub const MASKS: [(&'static str, Option<Order>); 3] =
        [("usual", None), ("none", Some(Order::Free)), ("causal", Some(Order::Causal))];
    /// Estimators, with their words.
    pub const ESTIMATORS: [(&'static str, Estimators); 3] =
        [("both", Estimators::Both), ("spectral", Estimators::Spectral), ("released", Estimators::Released)];
    /// Bounds, with their words.
    pub const BOUNDS: [(&'static str, Bounding); 2] =
        [("skipped", Bounding::Skipped), ("at-tokens", Bounding::AtTokens)];
    /// Upper numbers, with their words.
    pub const UPPERS: [(&'static str, UpperNumber); 2] =
        [("skipped", UpperNumber::Skipped), ("included", UpperNumber::Included)];

    /// Maps, with their words.
    #[must_use]
    pub fn maps() -> Vec<(&'static str, Option<MapKind>)> {
        std::iter::once(("usual", None)).chain(MapKind::ALL.map(|kind| (kind.id(), Some(kind)))).collect()
    }

    /// A list or a range as a link can hold it: without blanks; `None` for a text with other characters, or a long one.
    #[must_use]
    pub fn list(text: &str) -> Option<String> {
        /// A list of every layer of the largest models is shorter.
        const MOST: usize = 400;
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, ',' | ':' | '-');
        (!text.is_empty() && text.len() <= MOST && text.chars().all(is_plain)).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_a_link_has_no_blanks_and_nothing_that_a_link_needs_for_itself() {
        assert_eq!(ModelSettings::list(" 0, 6 ").as_deref(), Some("0,6"));
        assert_eq!(ModelSettings::list("2:98:x8").as_deref(), Some("2:98:x8"));
        for wrong in ["", "  ", "0_6", "0.6", "0&n=3", "é", &"1,".repeat(300)] {
            assert_eq!(ModelSettings::list(wrong), None, "{wrong}");
        }
    }
}
