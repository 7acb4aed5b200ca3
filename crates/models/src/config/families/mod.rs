//! The families of models that are read: one file each, by `model_type`.

mod albert;
mod bert;
mod bloom;
mod clip_text;
mod clip_vision;
mod cohere;
mod dinov2;
mod distilbert;
mod electra;
mod falcon;
mod gemma;
mod gemma2;
mod gemma3;
mod gpt2;
mod gpt_bigcode;
mod gpt_neo;
mod gpt_neox;
mod gpt_oss;
mod gptj;
mod granite;
mod lipscope;
mod llama;
mod mistral;
mod mixtral;
mod modernbert;
mod mpnet;
mod nomic_bert;
mod olmo;
mod olmo2;
mod opt;
mod phi;
mod phi3;
mod qwen2;
mod qwen3;
mod qwen3_moe;
mod roberta;
mod smollm3;
mod stablelm;
mod starcoder2;
mod t5;
mod vit;

use super::family::Family;
use super::fields::Fields;
use serde::{Deserialize, Serialize};

pub(crate) use bert::BERT;
pub(crate) use gpt2::GPT2;
pub(crate) use llama::LLAMA;

/// All families; those whose config chooses between several layers have a row for each.
pub(crate) static ALL: [Family; 56] = [
    BERT,
    distilbert::DISTILBERT,
    roberta::ROBERTA,
    roberta::XLM_ROBERTA,
    roberta::CAMEMBERT,
    electra::ELECTRA,
    albert::ALBERT,
    mpnet::MPNET,
    modernbert::MODERNBERT,
    nomic_bert::NOMIC_BERT,
    t5::T5,
    t5::T5_GATED,
    t5::MT5,
    t5::MT5_PLAIN,
    GPT2,
    lipscope::LIPSCOPE,
    gpt_bigcode::GPT_BIGCODE,
    gpt_neo::GPT_NEO,
    gptj::GPTJ,
    gpt_neox::GPT_NEOX,
    gpt_neox::GPT_NEOX_IN_TURN,
    opt::OPT,
    opt::OPT_NORM_LAST,
    bloom::BLOOM,
    falcon::FALCON,
    falcon::FALCON_11B,
    falcon::FALCON_40B,
    falcon::FALCON_IN_TURN,
    LLAMA,
    mistral::MISTRAL,
    mixtral::MIXTRAL,
    gpt_oss::GPT_OSS,
    qwen2::QWEN2,
    qwen3::QWEN3,
    qwen3_moe::QWEN3_MOE,
    phi::PHI,
    phi3::PHI3,
    stablelm::STABLELM,
    stablelm::STABLELM_SIDE_BY_SIDE,
    olmo::OLMO,
    olmo2::OLMO2,
    smollm3::SMOLLM3,
    granite::GRANITE,
    cohere::COHERE,
    starcoder2::STARCODER2,
    gemma::GEMMA,
    gemma2::GEMMA2,
    gemma3::GEMMA3,
    clip_text::CLIP_TEXT,
    clip_text::SIGLIP_TEXT,
    clip_vision::CLIP_VISION,
    clip_vision::SIGLIP_VISION,
    vit::VIT,
    vit::DEIT,
    dinov2::DINOV2,
    dinov2::DINOV2_GATED,
];

/// A model whose config has that of another family within it.
#[derive(Debug)]
pub(crate) struct Nested {
    /// `model_type` of the whole.
    pub(crate) model_type: &'static str,
    /// How transformers' classes of the whole begin.
    pub(crate) class: &'static str,
    /// The key of the part that is read.
    pub(crate) part: &'static str,
    /// `model_type` of that part.
    pub(crate) family: &'static str,
    /// Which half of the model it is.
    pub(crate) half: Part,
    /// Whether the other half is not read, so that none needs to be chosen.
    pub(crate) is_only: bool,
}

/// A half of a model of texts and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Part {
    /// That of texts.
    Text,
    /// That of pictures.
    Vision,
}

impl Part {
    /// Both halves.
    pub const ALL: [Part; 2] = [Part::Text, Part::Vision];

    /// Its name on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// Models of texts and pictures.
pub(crate) static NESTED: [Nested; 5] = [
    Nested { is_only: true, ..half(("gemma3", "Gemma3"), Part::Text, "gemma3_text") },
    half(("clip", "CLIP"), Part::Text, "clip_text_model"),
    half(("clip", "CLIP"), Part::Vision, "clip_vision_model"),
    half(("siglip", "Siglip"), Part::Text, "siglip_text_model"),
    half(("siglip", "Siglip"), Part::Vision, "siglip_vision_model"),
];

const fn half((model_type, class): (&'static str, &'static str), half: Part, family: &'static str) -> Nested {
    let part = match half {
        Part::Text => "text_config",
        Part::Vision => "vision_config",
    };
    Nested { model_type, class, part, family, half, is_only: false }
}

/// The usual family with this `model_type`.
pub(crate) fn of_model_type(model_type: &str) -> Option<&'static Family> {
    ALL.iter().find(|family| family.model_type == model_type && family.variant.is_empty())
}

/// The family with the same `model_type` that the settings of a config choose.
pub(crate) fn chosen(family: &'static Family, fields: &Fields) -> &'static Family {
    let mut variants = ALL.iter().filter(|other| other.model_type == family.model_type && !other.when.is_empty());
    variants.find(|variant| variant.when.iter().all(|setting| fields.has(setting))).unwrap_or(family)
}

/// The family with this id.
pub(crate) fn of_id(id: &str) -> Option<&'static Family> {
    ALL.iter().find(|family| family.id() == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_families_have_one_model_type_or_class() {
        for (at, family) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| other != family), "{family:?}");
            let is_same = |other: &Family| other.class == family.class && other.model_type != family.model_type;
            assert!(family.class.is_none() || !ALL[..at].iter().any(is_same), "{family:?}");
            assert_eq!(family.variant.is_empty(), family.when.is_empty(), "{family:?}");
        }
    }

    #[test]
    fn no_key_stands_twice_and_accepted_values_are_json() {
        use crate::config::keys::KeyUse;
        for family in &ALL {
            for list in family.keys {
                for (at, (name, used)) in list.iter().enumerate() {
                    assert!(list[..at].iter().all(|(earlier, _)| earlier != name), "{name}");
                    if let KeyUse::Refused(accepted, _) = used {
                        assert!(serde_json::from_str::<serde_json::Value>(accepted).is_ok(), "{name}: {accepted}");
                    }
                }
            }
        }
    }
}
