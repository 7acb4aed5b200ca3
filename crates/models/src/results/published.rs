//! The curves c n^alpha published in \[C\] section 5, each with the model, layer, map, mask and tokens that the script
//! released with \[C\] measures.
//!
//! The script returns sqrt(|J^T f(X)|) ([`crate::estimate`]), so the curves are compared with that estimator
//! (docs/models_reference.md).

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
    /// Windows of a text that pass the layers before with the causal mask, while the layer itself has none. No table
    /// has such tokens.
    MaskedText,
    /// Adversarial tokens with this R. The script measures all heads at the tokens of one, and a table one head at its
    /// own.
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
    /// The head whose adversarial tokens they are. `None` for text, and for GPT-2, where the script finds A from rows
    /// of matrices in which a head has columns.
    pub head: Option<usize>,
    /// The map, of all heads. The adversarial BERT with `is_decoder` outputs its keys and values too.
    pub map: MapKind,
    /// The mask with which the layer is measured. The paper calls a BERT with `is_decoder` a decoder, but its script
    /// calls the layer without a mask.
    pub mask: Order,
    /// The tokens at which it was measured.
    pub tokens: CurveTokens,
}

/// All published curves.
pub const PUBLISHED: [Published; 9] = [
    Published { id: "gpt2-0", factor: 35.3, exponent: 0.26, layer: 0, ..GPT2 },
    Published { id: "gpt2-6", factor: 25.0, exponent: 0.51, layer: 6, ..GPT2 },
    Published { id: "bert-0", factor: 14.3, exponent: 0.24, layer: 0, ..BERT },
    Published { id: "bert-decoder-6", factor: 6.44, exponent: 0.25, layer: 6, tokens: CurveTokens::MaskedText, ..BERT },
    Published { id: "random-gpt2-6", factor: 0.445, exponent: 0.25, training: Training::Random, layer: 6, ..GPT2 },
    Published {
        id: "adversarial-bert-0-0",
        factor: 4.39,
        exponent: 0.5,
        layer: 0,
        head: Some(0),
        map: MapKind::Attention,
        tokens: CurveTokens::Adversarial(15.5),
        ..BERT
    },
    Published {
        id: "adversarial-bert-decoder-6-7",
        factor: 5.73,
        exponent: 0.5,
        layer: 6,
        head: Some(7),
        map: MapKind::Attention,
        tokens: CurveTokens::Adversarial(21.5),
        ..BERT
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

/// The fields shared by the curves of trained GPT-2 over text: attention with the output matrix.
const GPT2: Published = Published {
    id: "",
    factor: 1.0,
    exponent: 0.0,
    model: PublishedModel::Gpt2,
    training: Training::Trained,
    layer: 0,
    head: None,
    map: MapKind::WithOutput,
    mask: Order::Causal,
    tokens: CurveTokens::Text,
};

/// The fields shared by the curves of BERT over text. The script calls `layer.attention` without a mask, which includes
/// the output matrix, the residual connection and the layer norm.
const BERT: Published =
    Published { model: PublishedModel::Bert, map: MapKind::AttentionResidual, mask: Order::Free, ..GPT2 };

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

    /// Whether the curve belongs to one layer of a table. Both must have the same model (by name, in the default size),
    /// layer, map, mask and kind of tokens, and all heads. Only curves over text belong to a table.
    #[must_use]
    pub fn is_about(&self, subject: &Subject, layer: usize, heads: Heads) -> bool {
        self.tokens == CurveTokens::Text
            && subject.adversarial_radius().is_none()
            && heads == Heads::All
            && self.layer == layer
            && (subject.mask == "causal") == (self.mask == Order::Causal)
            && subject.map == self.map.id()
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
    fn a_curve_matches_only_its_model_layer_map_and_mask() {
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
        let encoder = |map, mask| subject("bert-base-uncased 0123456789abcdef", map, mask, "00ff");
        assert_eq!(about(&encoder("attention-residual", "none"), 0, Heads::All), ["bert-0"]);
        assert!(about(&encoder("attention-residual", "causal"), 0, Heads::All).is_empty());
        for map in ["attention", "with-output", "mlp-residual", "block", "blocks"] {
            assert!(about(&encoder(map, "none"), 0, Heads::All).is_empty(), "{map}");
        }
    }

    #[test]
    fn no_table_has_the_tokens_of_a_decoder_or_all_heads_at_adversarial_tokens() {
        for mask in ["none", "causal"] {
            for map in MapKind::ALL {
                let decoder = subject("bert-base-uncased 0123", map.id(), mask, "00ff");
                assert!(about(&decoder, 6, Heads::All).is_empty(), "{map:?} {mask}");
                let adversarial = subject("bert-base-uncased 0123", map.id(), mask, "adversarial:21.5");
                for heads in [Heads::All, Heads::One(7)] {
                    assert!(about(&adversarial, 6, heads).is_empty(), "{map:?} {mask} {heads:?}");
                }
            }
        }
        let random = subject("random:gpt2 768x12x12 seed 0", "with-output", "causal", "adversarial:100");
        assert!(about(&random, 6, Heads::All).is_empty() && about(&random, 6, Heads::One(0)).is_empty());
    }

    #[test]
    fn every_curve_has_the_map_and_mask_of_its_script() {
        for curve in PUBLISHED {
            let (map, mask) = match (curve.model, curve.tokens) {
                (PublishedModel::Gpt2, _) => (MapKind::WithOutput, Order::Causal),
                (PublishedModel::Bert, CurveTokens::Adversarial(_)) => (MapKind::Attention, Order::Free),
                (PublishedModel::Bert, _) => (MapKind::AttentionResidual, Order::Free),
            };
            assert_eq!((curve.map, curve.mask), (map, mask), "{}", curve.id);
        }
    }

    #[test]
    fn ids_are_all_different() {
        assert!(PUBLISHED.iter().all(|curve| Published::by_id(curve.id) == Some(*curve)));
    }
}
