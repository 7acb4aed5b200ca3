//! The tokenizer classes of transformers that a `tokenizer_config.json` names, as far as they decide how text becomes
//! tokens.

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

use super::problem::quoted;

/// The tokenizer that a `tokenizer_class` selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// BERT's word pieces, from `vocab.txt`.
    WordPieces(String),
    /// GPT-2's byte-level pieces, from `vocab.json` with `merges.txt`.
    BytePairs(String),
    /// The tokenizer that `tokenizer.json` defines; no other file can define it.
    WholeFile(String),
    /// A class that is known only by name.
    Other(String),
}

/// Classes that treat text as `BertTokenizer` does.
const WORD_PIECES: [&str; 13] = [
    "BertTokenizer",
    "ConvBertTokenizer",
    "DPRContextEncoderTokenizer",
    "DPRQuestionEncoderTokenizer",
    "DPRReaderTokenizer",
    "DistilBertTokenizer",
    "ElectraTokenizer",
    "LayoutLMTokenizer",
    "LxmertTokenizer",
    "MobileBertTokenizer",
    "RealmTokenizer",
    "RetriBertTokenizer",
    "SqueezeBertTokenizer",
];

impl Class {
    /// The class of a name, with or without its ending `Fast`.
    pub(super) fn of(name: &str) -> Self {
        let name = name.to_owned();
        match name.strip_suffix("Fast").unwrap_or(&name) {
            word_pieces if WORD_PIECES.contains(&word_pieces) => Class::WordPieces(name),
            "GPT2Tokenizer" => Class::BytePairs(name),
            "PreTrainedTokenizer" | "TokenizersBackend" => Class::WholeFile(name),
            _ => Class::Other(name),
        }
    }

    /// The name in `tokenizer_config.json`.
    pub(super) fn name(&self) -> &str {
        match self {
            Class::WordPieces(name) | Class::BytePairs(name) | Class::WholeFile(name) | Class::Other(name) => name,
        }
    }

    /// The default special tokens of the class: the key in `tokenizer_config.json` and the token.
    pub(super) fn special_tokens(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Class::WordPieces(_) => &WORD_PIECE_TOKENS,
            Class::BytePairs(_) => &BYTE_PAIR_TOKENS,
            Class::WholeFile(_) | Class::Other(_) => &[],
        }
    }

    /// The refusal for files from which a tokenizer of this class cannot be built.
    pub(super) fn cannot_be_built(&self) -> InputError {
        InputError::File {
            file: "tokenizer_config.json".into(),
            problem: phrase!(
                "tokenizer_class_needs_file",
                "its `tokenizer_class` is {class}, and without a tokenizer.json a tokenizer of this class is not supported",
                class = quoted(self.name())
            ),
            fix: give_tokenizer_json(),
        }
    }
}

/// The special tokens of `BertTokenizer`.
const WORD_PIECE_TOKENS: [(&str, &str); 5] = [
    ("unk_token", "[UNK]"),
    ("sep_token", "[SEP]"),
    ("pad_token", "[PAD]"),
    ("cls_token", "[CLS]"),
    ("mask_token", "[MASK]"),
];
/// The special tokens of `GPT2Tokenizer`.
const BYTE_PAIR_TOKENS: [(&str, &str); 3] =
    [("bos_token", "<|endoftext|>"), ("eos_token", "<|endoftext|>"), ("unk_token", "<|endoftext|>")];

fn give_tokenizer_json() -> Phrase {
    phrase!(
        "write_tokenizer_json",
        "Give its tokenizer.json too, where the Python package transformers writes one: \
         `AutoTokenizer.from_pretrained(folder).save_pretrained(folder)`."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_with_and_without_fast() {
        for (name, is_word_pieces) in
            [("BertTokenizer", true), ("DistilBertTokenizerFast", true), ("BertJapaneseTokenizer", false)]
        {
            assert_eq!(matches!(Class::of(name), Class::WordPieces(_)), is_word_pieces, "{name}");
            assert_eq!(Class::of(name).name(), name);
        }
        assert!(matches!(Class::of("PreTrainedTokenizerFast"), Class::WholeFile(_)));
        assert!(matches!(Class::of("GPT2TokenizerFast"), Class::BytePairs(_)));
        assert!(matches!(Class::of("RobertaTokenizer"), Class::Other(_)));
    }

    #[test]
    fn the_refusal_names_the_class() {
        let said = Class::of("BertJapaneseTokenizer").cannot_be_built().to_string();
        assert!(said.contains("BertJapaneseTokenizer") && said.contains("save_pretrained"), "{said}");
    }
}
