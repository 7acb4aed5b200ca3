//! The curves c n^alpha published in \[C\] section 5, each with its model, layer, mask and tokens.
//!
//! The script released with \[C\] returns sqrt(|J^T f(X)|) ([`crate::estimate`]), so the curves are compared with that
//! estimator (docs/models_reference.md).

use super::table::Subject;
use crate::config::map_kind::{Heads, MapKind};
use lipscope_core::experiment::Order;

/// Whether a model's weights are trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Training {
    /// Trained.
    Trained,
    /// Randomly initialised.
    Random,
}

/// The model of a curve, in its default size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedModel {
    /// GPT-2.
    Gpt2,
    /// BERT.
    Bert,
}

/// The tokens at which a curve was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveTokens {
    /// Windows of a text.
    Text,
    /// The adversarial tokens of one head, with this R.
    Adversarial(f64),
}

/// A published curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The curve's id in links and files.
    pub id: &'static str,
    /// c.
    pub factor: f64,
    /// alpha.
    pub exponent: f64,
    /// Its model.
    pub model: PublishedModel,
    /// Trained or randomly initialised.
    pub training: Training,
    /// The layer, from 0.
    pub layer: usize,
    /// The head, if the paper names one.
    pub head: Option<usize>,
    /// The mask; the paper calls a BERT with the causal mask a decoder.
    pub mask: Order,
    /// The tokens at which it was measured.
    pub tokens: CurveTokens,
}

/// All published curves.
pub const PUBLISHED: [Published; 8] = [
    Published { id: "gpt2-0", factor: 35.3, exponent: 0.26, layer: 0, ..GPT2 },
    Published { id: "gpt2-6", factor: 25.0, exponent: 0.51, layer: 6, ..GPT2 },
    Published {
        id: "bert-0",
        factor: 14.3,
        exponent: 0.24,
        model: PublishedModel::Bert,
        mask: Order::Free,
        layer: 0,
        ..GPT2
    },
    Published { id: "random-gpt2-6", factor: 0.445, exponent: 0.25, training: Training::Random, layer: 6, ..GPT2 },
    Published {
        id: "adversarial-bert-0-0",
        factor: 4.39,
        exponent: 0.5,
        model: PublishedModel::Bert,
        mask: Order::Free,
        layer: 0,
        head: Some(0),
        tokens: CurveTokens::Adversarial(15.5),
        ..GPT2
    },
    Published {
        id: "adversarial-bert-decoder-6-7",
        factor: 5.73,
        exponent: 0.5,
        model: PublishedModel::Bert,
        layer: 6,
        head: Some(7),
        tokens: CurveTokens::Adversarial(21.5),
        ..GPT2
    },
    Published {
        id: "adversarial-random-gpt2-6",
        factor: 0.92,
        exponent: 0.5,
        training: Training::Random,
        layer: 6,
        tokens: CurveTokens::Adversarial(100.0),
        ..GPT2
    },
    Published {
        id: "adversarial-gpt2-0",
        factor: 46.9,
        exponent: 0.5,
        layer: 0,
        tokens: CurveTokens::Adversarial(10.0),
        ..GPT2
    },
];

/// The fields shared by the curves of trained GPT-2 over text.
const GPT2: Published = Published {
    id: "",
    factor: 1.0,
    exponent: 0.0,
    model: PublishedModel::Gpt2,
    training: Training::Trained,
    layer: 0,
    head: None,
    mask: Order::Causal,
    tokens: CurveTokens::Text,
};

impl Published {
    /// The curve with this id.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        PUBLISHED.into_iter().find(|curve| curve.id == id)
    }

    /// c n^alpha.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        self.factor * n.powf(self.exponent)
    }

    /// Whether the curve belongs to one layer and head of a table. Both must have the same model (by name, in the
    /// default size), layer, mask and kind of tokens, and the same map. Over text the map is the attention module; at
    /// adversarial tokens it is a head before the output matrix.
    #[must_use]
    pub fn is_about(&self, subject: &Subject, layer: usize, heads: Heads) -> bool {
        let is_head = match (self.tokens, self.head, heads) {
            (CurveTokens::Text, _, heads) => heads == Heads::All,
            (CurveTokens::Adversarial(_), None, _) => true,
            (CurveTokens::Adversarial(_), Some(head), heads) => heads == Heads::One(head),
        };
        let tokens = subject.adversarial_radius().map_or(CurveTokens::Text, CurveTokens::Adversarial);
        // A single head is measured before the output matrix, which mixes all heads.
        let kind = match (self.tokens, self.model) {
            (CurveTokens::Text, PublishedModel::Gpt2) => MapKind::WithOutput,
            _ => MapKind::Attention,
        };
        is_head
            && self.layer == layer
            && self.tokens == tokens
            && (subject.mask == "causal") == (self.mask == Order::Causal)
            && subject.map == kind.id()
            && self.is_of_model(&subject.model)
    }

    /// Whether the table's model name matches this curve.
    fn is_of_model(&self, model: &str) -> bool {
        let name = model.split_whitespace().next().unwrap_or_default().to_lowercase();
        match (self.training, self.model) {
            (Training::Random, PublishedModel::Gpt2) => model.starts_with("random:gpt2 768x12x12 "),
            (Training::Random, _) => model.starts_with("random:bert 768x12x12 "),
            (Training::Trained, PublishedModel::Gpt2) => name == "gpt2",
            (Training::Trained, _) => name.starts_with("bert-base"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(model: &str, map: &str, mask: &str, text: &str) -> Subject {
        Subject { model: model.into(), text: text.into(), map: map.into(), mask: mask.into(), estimator: "both".into() }
    }

    fn about(subject: &Subject, layer: usize, heads: Heads) -> Vec<&'static str> {
        PUBLISHED.iter().filter(|curve| curve.is_about(subject, layer, heads)).map(|curve| curve.id).collect()
    }

    #[test]
    fn a_curve_matches_only_its_model_layer_and_mask() {
        let random = subject("random:gpt2 768x12x12 seed 3", "with-output", "causal", "00ff");
        assert_eq!(about(&random, 6, Heads::All), ["random-gpt2-6"]);
        assert!(about(&random, 5, Heads::All).is_empty() && about(&random, 6, Heads::One(0)).is_empty());
        let small = subject("random:gpt2 32x3x4 seed 0", "with-output", "causal", "00ff");
        assert!(about(&small, 6, Heads::All).is_empty());
        let trained = subject("gpt2 0123456789abcdef", "with-output", "causal", "00ff");
        assert_eq!(about(&trained, 0, Heads::All), ["gpt2-0"]);
        assert_eq!(about(&trained, 6, Heads::All), ["gpt2-6"]);
        let other = subject("distilgpt2 0123456789abcdef", "with-output", "causal", "00ff");
        assert!(about(&other, 0, Heads::All).is_empty());
        let encoder = subject("bert-base-uncased 0123456789abcdef", "attention", "none", "00ff");
        assert_eq!(about(&encoder, 0, Heads::All), ["bert-0"]);
        let with_output = subject("bert-base-uncased 0123456789abcdef", "with-output", "none", "00ff");
        assert!(about(&with_output, 0, Heads::All).is_empty());
        let block = subject("bert-base-uncased 0123456789abcdef", "block", "none", "00ff");
        assert!(about(&block, 0, Heads::All).is_empty());
    }

    #[test]
    fn an_adversarial_curve_matches_only_its_head_and_radius() {
        let decoder = subject("bert-base-uncased 0123", "attention", "causal", "adversarial:21.5");
        assert_eq!(about(&decoder, 6, Heads::One(7)), ["adversarial-bert-decoder-6-7"]);
        assert!(about(&decoder, 6, Heads::One(6)).is_empty());
        let other = subject("bert-base-uncased 0123", "attention", "causal", "adversarial:20");
        assert!(about(&other, 6, Heads::One(7)).is_empty());
        let random = subject("random:gpt2 768x12x12 seed 0", "attention", "causal", "adversarial:100");
        assert_eq!(about(&random, 6, Heads::One(4)), ["adversarial-random-gpt2-6"]);
    }

    #[test]
    fn ids_are_all_different() {
        assert!(PUBLISHED.iter().all(|curve| Published::by_id(curve.id) == Some(*curve)));
    }
}
