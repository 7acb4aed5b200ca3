//! Mask, score and weighting as one part of an experiment, and the presets of today's models.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::InputError;
use super::fields::Fields;
use super::mask::{Mask, Order};
use super::types::{Attention, Experiment};
use super::variant::{Alibi, QkNorm, Rope, Score, VectorNorm, Weighting};
use super::{json_problem, parse_variant, strict_json};

/// The steps of attention that do not belong to tokens or weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// Which tokens a token may attend to.
    pub mask: Mask,
    /// The steps between projections and weights.
    pub score: Score,
    /// How scores become weights.
    pub weighting: Weighting,
}

impl Steps {
    /// The steps of the two papers' attention, without a mask.
    #[must_use]
    pub fn plain() -> Self {
        Steps { mask: Mask::None, score: Score::default(), weighting: Weighting::SOFTMAX }
    }

    /// From the keys `mask`, `score` and `weighting` of an experiment file.
    ///
    /// # Errors
    /// [`InputError`] that names the key and the fix.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        let value = strict_json::read(text).map_err(|e| InputError::Json { detail: json_problem(&e) })?;
        let mut fields = Fields::of("", value)?;
        let steps = Steps {
            mask: parse_variant::mask(&mut fields)?,
            score: parse_variant::score(&mut fields)?,
            weighting: parse_variant::weighting(&mut fields)?,
        };
        fields.finish()?;
        Ok(steps)
    }

    /// The keys `mask`, `score` and `weighting` of an experiment file, without those that say nothing.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let plain = Steps::plain();
        let mut file = Map::new();
        if self.mask != plain.mask {
            file.insert("mask".into(), self.mask.to_value());
        }
        if self.score != plain.score {
            file.insert("score".into(), self.score.to_value());
        }
        if self.weighting != plain.weighting {
            file.insert("weighting".into(), self.weighting.to_value());
        }
        Value::Object(file)
    }
}

impl Experiment {
    /// The same experiment with other steps.
    #[must_use]
    pub fn with_steps(self, steps: Steps) -> Self {
        let Steps { mask, score, weighting } = steps;
        Experiment { mask, score, weighting, ..self }
    }

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> Steps {
        Steps { mask: self.mask.clone(), score: self.score.clone(), weighting: self.weighting.clone() }
    }
}

/// The attention of a family of models, by the defaults of its reference implementation. Weights and sizes stay the
/// reader's: a preset is the kernel and the steps alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The attention of the two papers.
    Plain,
    /// GPT-2: a causal mask.
    Gpt2,
    /// Llama 3: RoPE with base 500,000, causal.
    Llama,
    /// Mistral: RoPE and a causal window of 4096 tokens.
    Mistral,
    /// Gemma 2: RoPE, scale 1/16, soft cap 50, causal.
    Gemma2,
    /// Gemma 3: qk-norm before RoPE, a causal window of 1024 tokens.
    Gemma3,
    /// Qwen 3: qk-norm before RoPE, causal.
    Qwen3,
    /// gpt-oss: RoPE, a sink, a causal window of 128 tokens.
    GptOss,
    /// GPT-NeoX: a quarter of the entries turn, causal.
    GptNeoX,
    /// BLOOM and MPT: ALiBi, causal.
    Bloom,
    /// Swin v2: cosine scores with scale 10.
    SwinV2,
    /// ViT-22B: qk-norm by LayerNorm.
    Vit22b,
    /// "Off by one": a sink with score 0.
    OffByOne,
    /// Sigmoid attention.
    Sigmoid,
    /// ReLU attention.
    Relu,
    /// Linear attention.
    Linear,
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 16] = [
        Preset::Plain,
        Preset::Gpt2,
        Preset::Llama,
        Preset::Mistral,
        Preset::Gemma2,
        Preset::Gemma3,
        Preset::Qwen3,
        Preset::GptOss,
        Preset::GptNeoX,
        Preset::Bloom,
        Preset::SwinV2,
        Preset::Vit22b,
        Preset::OffByOne,
        Preset::Sigmoid,
        Preset::Relu,
        Preset::Linear,
    ];

    /// Its name on the command line and in links.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Preset::Plain => "plain",
            Preset::Gpt2 => "gpt-2",
            Preset::Llama => "llama",
            Preset::Mistral => "mistral",
            Preset::Gemma2 => "gemma-2",
            Preset::Gemma3 => "gemma-3",
            Preset::Qwen3 => "qwen-3",
            Preset::GptOss => "gpt-oss",
            Preset::GptNeoX => "gpt-neox",
            Preset::Bloom => "bloom",
            Preset::SwinV2 => "swin-v2",
            Preset::Vit22b => "vit-22b",
            Preset::OffByOne => "off-by-one",
            Preset::Sigmoid => "sigmoid",
            Preset::Relu => "relu",
            Preset::Linear => "linear",
        }
    }

    /// Its kernel and its steps.
    #[must_use]
    pub fn attention(self) -> (Attention, Steps) {
        let rope = |base: f64, fraction: f64| Some(Rope { base, fraction, ..Rope::DEFAULT });
        let norm = |kind| Some(QkNorm::of(kind));
        let window = |width| Mask::Window { width, order: Order::Causal };
        let (mask, score, weighting) = match self {
            Preset::Plain | Preset::Linear => (Mask::None, Score::default(), Weighting::SOFTMAX),
            Preset::Gpt2 => (Mask::Causal, Score::default(), Weighting::SOFTMAX),
            Preset::Llama => (Mask::Causal, Score { rope: rope(5e5, 1.0), ..Score::default() }, Weighting::SOFTMAX),
            Preset::Mistral => (window(4096), Score { rope: rope(1e4, 1.0), ..Score::default() }, Weighting::SOFTMAX),
            Preset::Gemma2 => {
                let score =
                    Score { rope: rope(1e4, 1.0), scale: Some(1.0 / 16.0), softcap: Some(50.0), ..Score::default() };
                (Mask::Causal, score, Weighting::SOFTMAX)
            }
            Preset::Gemma3 => {
                let score = Score { qk_norm: norm(VectorNorm::Rms), rope: rope(1e4, 1.0), ..Score::default() };
                (window(1024), score, Weighting::SOFTMAX)
            }
            Preset::Qwen3 => {
                let score = Score { qk_norm: norm(VectorNorm::Rms), rope: rope(1e6, 1.0), ..Score::default() };
                (Mask::Causal, score, Weighting::SOFTMAX)
            }
            Preset::GptOss => {
                (window(128), Score { rope: rope(1.5e5, 1.0), ..Score::default() }, Weighting::with_sink(0.0))
            }
            Preset::GptNeoX => (Mask::Causal, Score { rope: rope(1e4, 0.25), ..Score::default() }, Weighting::SOFTMAX),
            Preset::Bloom => {
                let score = Score { alibi: Some(Alibi { slopes: None }), ..Score::default() };
                (Mask::Causal, score, Weighting::SOFTMAX)
            }
            Preset::SwinV2 => (Mask::None, Score::default(), Weighting::SOFTMAX),
            Preset::Vit22b => {
                let score = Score { qk_norm: norm(VectorNorm::Layer), ..Score::default() };
                (Mask::None, score, Weighting::SOFTMAX)
            }
            Preset::OffByOne => (Mask::None, Score::default(), Weighting::with_sink(0.0)),
            Preset::Sigmoid => (Mask::None, Score::default(), Weighting::Sigmoid { bias: None }),
            Preset::Relu => (Mask::None, Score::default(), Weighting::Relu { divisor: None }),
        };
        let kernel = match self {
            Preset::SwinV2 => Attention::Cosine,
            Preset::Linear => Attention::Linear,
            _ => Attention::Dot,
        };
        (kernel, Steps { mask, score, weighting })
    }

    /// The preset with this kernel and these steps.
    #[must_use]
    pub fn of(attention: Attention, steps: &Steps) -> Option<Self> {
        Preset::ALL.into_iter().find(|preset| {
            let (kernel, own) = preset.attention();
            kernel == attention && own == *steps
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{TokenSource, WeightSource};

    #[test]
    fn every_preset_is_a_valid_experiment_and_is_found_again() {
        let tokens = TokenSource::Adversarial { n: 4, radius: 1.0 };
        for preset in Preset::ALL {
            let (attention, steps) = preset.attention();
            let weights = WeightSource::Identity { sign: -1.0 };
            let experiment =
                Experiment { attention, ..Experiment::of(tokens.clone(), weights) }.with_steps(steps.clone());
            assert_eq!(experiment.check(), Ok(()), "{}", preset.id());
            let again = Experiment::from_json(&experiment.to_json());
            assert_eq!(again.as_ref(), Ok(&experiment), "{}", preset.id());
            assert_eq!(Steps::from_json(&steps.to_value().to_string()), Ok(steps.clone()), "{}", preset.id());
            assert_eq!(Preset::of(attention, &steps), Some(preset));
        }
    }
}
