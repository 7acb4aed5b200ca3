//! Unsupported model families. The code recognises them by `model_type`, by the classes in `architectures`, and by the
//! first word of their tensors' names. Families that are read are in `families`.
//!
//! Some of them have exactly BERT's tensor names and shapes but compute something else. A file that says "bert" is
//! therefore checked against this list in every way in which it can contradict itself.

use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;

/// An unsupported family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadFamily {
    /// `model_type` in its config.
    pub(crate) model_type: &'static str,
    /// Its name, with which its classes begin.
    pub(crate) name: &'static str,
    /// The first word of its tensors' names; empty where another family has the same first word.
    pub(crate) prefix: &'static str,
    difference: Difference,
}

/// Why its numbers would be wrong if it were read as another family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// Positions are counted from the padding token's id + 1.
    Positions,
    /// Scores depend on distances or angles between positions.
    RelativePositions,
    /// Another block: norms, activations, projections.
    Block,
    /// An encoder and a decoder.
    TwoStacks,
    /// Its tokens are sounds.
    Speech,
    /// Its tokens are parts of images.
    Images,
    /// Keys and values come from a narrower vector.
    LatentAttention,
    /// Layers that carry a state along the text instead of attention.
    States,
}

impl UnreadFamily {
    /// Why it is unsupported, as a phrase after a colon.
    pub(crate) fn reason(&self) -> Phrase {
        match self.difference {
            Difference::Positions => phrase!(
                "why_positions_begin_later",
                "its tensors look like those of BERT, but its positions begin at 2 (the padding token's id + 1), not at 0"
            ),
            Difference::RelativePositions => {
                phrase!("why_other_positions", "positions enter its attention in a way that is not read")
            }
            Difference::Block => phrase!("why_other_block", "its blocks have steps that are not read"),
            Difference::Speech => phrase!("why_speech", "it is a model of speech, and a text does not give its tokens"),
            Difference::Images => phrase!("why_images", "it takes images, and a text does not give its tokens"),
            Difference::LatentAttention => phrase!(
                "why_latent_attention",
                "its keys and values come from one narrower vector for all heads, which is not read"
            ),
            Difference::States => phrase!(
                "why_states",
                "some of its layers carry a state along the text instead of attention to all tokens"
            ),
            Difference::TwoStacks => {
                phrase!("why_encoder_decoder", "the model is an encoder with a decoder, and only one stack is read")
            }
        }
    }
}

/// The family with this `model_type`.
pub(crate) fn of_model_type(model_type: &str) -> Option<&'static UnreadFamily> {
    UNREAD.iter().find(|family| family.model_type == model_type)
}

/// The unsupported family of a transformers class, such as `RobertaForMaskedLM`: the family with the longest name that begins it.
pub(crate) fn of_class(class: &str) -> Option<&'static UnreadFamily> {
    let class = without_framework(class);
    let known = UNREAD.iter().filter(|family| class.starts_with(family.name));
    known.max_by_key(|family| family.name.len())
}

/// The family whose tensors' names begin with this word.
pub(crate) fn of_prefix(word: &str) -> Option<&'static UnreadFamily> {
    UNREAD.iter().find(|family| !family.prefix.is_empty() && family.prefix == word)
}

/// A class name without the mark of TensorFlow or Flax.
pub(crate) fn without_framework(class: &str) -> &str {
    ["TF", "Flax"].into_iter().find_map(|mark| class.strip_prefix(mark)).unwrap_or(class)
}

const fn unread(
    model_type: &'static str,
    name: &'static str,
    prefix: &'static str,
    difference: Difference,
) -> UnreadFamily {
    UnreadFamily { model_type, name, prefix, difference }
}

static UNREAD: [UnreadFamily; 74] = [
    unread("xlm-roberta-xl", "XLMRobertaXL", "roberta", Difference::Positions),
    unread("roberta-prelayernorm", "RobertaPreLayerNorm", "roberta_prelayernorm", Difference::Positions),
    unread("data2vec-text", "Data2VecText", "data2vec_text", Difference::Positions),
    unread("ibert", "IBert", "ibert", Difference::Positions),
    unread("longformer", "Longformer", "longformer", Difference::Block),
    unread("ernie", "Ernie", "ernie", Difference::Block),
    unread("mobilebert", "MobileBert", "mobilebert", Difference::Block),
    unread("squeezebert", "SqueezeBert", "", Difference::Block),
    unread("layoutlm", "LayoutLM", "layoutlm", Difference::Block),
    unread("nezha", "Nezha", "nezha", Difference::RelativePositions),
    unread("roformer", "RoFormer", "roformer", Difference::RelativePositions),
    unread("deberta", "Deberta", "deberta", Difference::RelativePositions),
    unread("deberta-v2", "DebertaV2", "deberta", Difference::RelativePositions),
    unread("convbert", "ConvBert", "convbert", Difference::Block),
    unread("megatron-bert", "MegatronBert", "", Difference::Block),
    unread("bert-generation", "BertGeneration", "", Difference::Block),
    unread("jina_bert", "JinaBert", "", Difference::RelativePositions),
    unread("big_bird", "BigBird", "", Difference::Block),
    unread("flaubert", "Flaubert", "", Difference::Block),
    unread("xlm", "XLM", "", Difference::Block),
    unread("xlnet", "XLNet", "", Difference::RelativePositions),
    unread("openai-gpt", "OpenAIGPT", "", Difference::Block),
    unread("imagegpt", "ImageGPT", "", Difference::Block),
    unread("codegen", "CodeGen", "", Difference::RelativePositions),
    unread("mistral3", "Mistral3", "", Difference::Block),
    unread("qwen2_moe", "Qwen2Moe", "", Difference::Block),
    unread("qwen2_vl", "Qwen2VL", "", Difference::RelativePositions),
    unread("qwen2_5_vl", "Qwen2_5_", "", Difference::RelativePositions),
    unread("qwen2_audio", "Qwen2Audio", "", Difference::Speech),
    unread("qwen3_next", "Qwen3Next", "", Difference::States),
    unread("qwen3_vl", "Qwen3VL", "", Difference::RelativePositions),
    unread("gemma3n", "Gemma3n", "", Difference::Block),
    unread("granitemoe", "GraniteMoe", "", Difference::Block),
    unread("cohere2", "Cohere2", "", Difference::Block),
    unread("falcon_mamba", "FalconMamba", "", Difference::States),
    unread("falcon_h1", "FalconH1", "", Difference::States),
    unread("gpt_neox_japanese", "GPTNeoXJapanese", "gpt_neox_japanese", Difference::Block),
    unread("granite_speech", "GraniteSpeech", "", Difference::Speech),
    unread("granitemoehybrid", "GraniteMoeHybrid", "", Difference::States),
    unread("llama4", "Llama4", "", Difference::Block),
    unread("modernbert-decoder", "ModernBertDecoder", "", Difference::Block),
    unread("olmo3", "Olmo3", "", Difference::Block),
    unread("olmoe", "Olmoe", "", Difference::Block),
    unread("phimoe", "Phimoe", "", Difference::Block),
    unread("phi4_multimodal", "Phi4Multimodal", "", Difference::Block),
    unread("t5gemma", "T5Gemma", "", Difference::TwoStacks),
    unread("deepseek_v2", "DeepseekV2", "", Difference::LatentAttention),
    unread("deepseek_v3", "DeepseekV3", "", Difference::LatentAttention),
    unread("kimi_k2", "KimiK2", "", Difference::LatentAttention),
    unread("glm4", "Glm4", "", Difference::Block),
    unread("mamba", "Mamba", "", Difference::States),
    unread("mamba2", "Mamba2", "", Difference::States),
    unread("rwkv", "Rwkv", "", Difference::States),
    unread("lfm2", "Lfm2", "", Difference::States),
    unread("qwen3_5", "Qwen3_5", "", Difference::States),
    unread("whisper", "Whisper", "", Difference::Speech),
    unread("wav2vec2", "Wav2Vec2", "wav2vec2", Difference::Speech),
    unread("hubert", "Hubert", "hubert", Difference::Speech),
    unread("moonshine", "Moonshine", "", Difference::Speech),
    unread("pegasus", "Pegasus", "", Difference::TwoStacks),
    unread("mbart", "MBart", "", Difference::TwoStacks),
    unread("marian", "Marian", "", Difference::TwoStacks),
    unread("llava", "Llava", "", Difference::Images),
    unread("paligemma", "PaliGemma", "", Difference::Images),
    unread("vit_mae", "ViTMAE", "", Difference::Block),
    unread("vit_msn", "ViTMSN", "", Difference::Block),
    unread("vit_hybrid", "ViTHybrid", "", Difference::Block),
    unread("vitdet", "VitDet", "", Difference::Block),
    unread("dinov2_with_registers", "Dinov2WithRegisters", "", Difference::Block),
    unread("siglip2", "Siglip2", "", Difference::Block),
    unread("swin", "Swin", "swin", Difference::Block),
    unread("beit", "Beit", "beit", Difference::Block),
    unread("bart", "Bart", "", Difference::TwoStacks),
    unread("encoder-decoder", "EncoderDecoder", "", Difference::TwoStacks),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_the_family_with_the_longest_name() {
        let of = |class: &str| of_class(class).map(|family| family.model_type);
        assert_eq!(of("RobertaPreLayerNormModel"), Some("roberta-prelayernorm"));
        assert_eq!(of("TFXLMRobertaXLModel"), Some("xlm-roberta-xl"));
        assert_eq!(of("FlaxBartModel"), Some("bart"));
        assert_eq!(of("BertGenerationDecoder"), Some("bert-generation"));
        for read in ["BertModel", "DistilBertModel", "GPT2LMHeadModel", "HF_ColBERT"] {
            assert_eq!(of(read), None, "{read}");
        }
    }
}
