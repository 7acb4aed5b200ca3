//! The beginning of a text: as much of it is read and split into tokens as the windows need.
//!
//! A tokenizer may look ahead, so the tokens at the end of a cut text differ from those of the whole one. The beginning is
//! split twice, once without its last eighth. The tokens on which the two agree are those of the whole text: each of them
//! has an eighth of the beginning after it. If they are too few, a longer beginning is read.

use std::ops::Range;

use lipscope_core::experiment::{DecodedText, InputError, Memory, Phrase, Size};
use lipscope_core::phrase;

use super::tokenizer::Tokenizer;
use super::windows::{ids_by_first_appearance, spans_of_words, text_fingerprint};

/// A text of more bytes (in UTF-8) is read from its beginning. The fingerprint of a longer one is that of the tokens of
/// its first bytes, so that it does not depend on how much of it the windows need.
pub const TEXT_HEAD: usize = 1 << 20;

/// What splitting a text takes, in bytes of memory for each byte of the text: measured with vocabularies of GPT-2 and
/// BERT, 155.
const MEMORY_PER_BYTE: u64 = 160;

/// A text that is read from its beginning.
pub trait TextSource {
    /// The text up to at least `least` bytes of UTF-8, or all of it, and whether that is all of it.
    ///
    /// # Errors
    /// [`InputError::File`] if it cannot be read, or is not text.
    fn beginning(&mut self, least: usize) -> Result<(DecodedText<'_>, TextEnd), InputError>;
}

/// Whether a text ends where its beginning does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEnd {
    /// It is all of the text.
    Reached,
    /// There is more.
    Beyond,
}

impl TextSource for &str {
    fn beginning(&mut self, _: usize) -> Result<(DecodedText<'_>, TextEnd), InputError> {
        Ok((DecodedText::from_text(self), TextEnd::Reached))
    }
}

/// How a text becomes tokens.
#[derive(Clone, Copy, Debug)]
pub enum Splitter<'a> {
    /// With a tokenizer.
    Tokenizer(&'a Tokenizer),
    /// By words, for a model with that many token ids and without a tokenizer.
    Words(usize),
}

/// How much of a text is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextExtent {
    /// The tokens that the windows need.
    pub tokens: usize,
    /// The most bytes of the text, in UTF-8.
    pub bytes: usize,
    /// The most memory that splitting it may take.
    pub memory: Memory,
}

/// The tokens of a text, or of its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitText {
    /// The token ids.
    pub ids: Vec<u32>,
    /// The byte range of each token; empty unless they were asked for.
    pub spans: Vec<Range<usize>>,
    /// The fingerprint of the text.
    pub fingerprint: String,
    /// Notes on how the text was read; each is a clause of a sentence.
    pub notes: Vec<Phrase>,
    /// Whether all of the text was split.
    pub end: TextEnd,
}

/// Whether the byte range of each token is found too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spans {
    /// They are found.
    Included,
    /// They are left empty.
    Skipped,
}

impl Splitter<'_> {
    /// Splits as much of a text as `extent` says.
    ///
    /// # Errors
    /// [`InputError::TooCostly`] before the memory is taken; those of the source and of the tokenizer.
    pub fn split(
        self,
        source: &mut impl TextSource,
        extent: TextExtent,
        spans: Spans,
    ) -> Result<SplitText, InputError> {
        self.split_from(source, extent, spans, TEXT_HEAD)
    }

    /// As [`Splitter::split`], with a first beginning of `head` bytes.
    fn split_from(
        self,
        source: &mut impl TextSource,
        extent: TextExtent,
        spans: Spans,
        head: usize,
    ) -> Result<SplitText, InputError> {
        let mut length = head;
        let mut fingerprint = None;
        loop {
            let (decoded, end) = source.beginning(length.saturating_add(1))?;
            let notes = decoded.notes();
            let (text, end) = match cut(&decoded.text, length) {
                text if text.len() < decoded.text.len() => (text, TextEnd::Beyond),
                text => (text, end),
            };
            let lower = if length == head { Size::Text } else { Size::Tokens };
            check_memory(text.len(), extent.memory, lower)?;
            let (mut ids, mut ranges) = self.tokens(text, spans)?;
            if end == TextEnd::Reached {
                let fingerprint = fingerprint.unwrap_or_else(|| text_fingerprint(&ids));
                return Ok(SplitText { ids, spans: ranges, fingerprint, notes, end });
            }
            let (shorter, _) = self.tokens(cut(text, length - length / 8), Spans::Skipped)?;
            // The bytes of the last one may end elsewhere in the whole text.
            let common = ids.iter().zip(&shorter).take_while(|(one, other)| one == other).count().saturating_sub(1);
            ids.truncate(common);
            ranges.truncate(common);
            let fingerprint = &*fingerprint.get_or_insert_with(|| text_fingerprint(&ids));
            if common >= extent.tokens || length >= extent.bytes {
                return Ok(SplitText { ids, spans: ranges, fingerprint: fingerprint.clone(), notes, end });
            }
            length = length.saturating_mul(2).min(extent.bytes.max(head));
        }
    }

    fn tokens(self, text: &str, spans: Spans) -> Result<(Vec<u32>, Vec<Range<usize>>), InputError> {
        Ok(match (self, spans) {
            (Splitter::Tokenizer(tokenizer), Spans::Included) => tokenizer.ids_and_spans(text)?,
            (Splitter::Tokenizer(tokenizer), Spans::Skipped) => (tokenizer.ids(text)?, Vec::new()),
            (Splitter::Words(vocabulary), Spans::Included) => {
                (ids_by_first_appearance(text, vocabulary), spans_of_words(text))
            }
            (Splitter::Words(vocabulary), Spans::Skipped) => (ids_by_first_appearance(text, vocabulary), Vec::new()),
        })
    }
}

/// The first `most` bytes of a text, or one to three fewer where they would divide a character.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn check_memory(bytes_of_text: usize, memory: Memory, lower: Size) -> Result<(), InputError> {
    let bytes = MEMORY_PER_BYTE.saturating_mul(bytes_of_text as u64);
    if bytes <= memory.bytes() {
        return Ok(());
    }
    Err(InputError::TooCostly {
        what: phrase!("splitting_text", "Splitting the text into tokens"),
        bytes,
        limit: memory.bytes(),
        lower,
        at_most: (lower == Size::Text).then(|| memory.bytes() / MEMORY_PER_BYTE),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use lipscope_testkit::in_repository;
    use serde_json::{Value, json};

    use super::*;
    use crate::text::tokenizer::{TOKENIZER_FILES, TokenizerFiles};

    /// A source that counts the bytes it is asked for.
    struct Counted<'a> {
        text: &'a str,
        asked: usize,
    }

    impl TextSource for Counted<'_> {
        fn beginning(&mut self, least: usize) -> Result<(DecodedText<'_>, TextEnd), InputError> {
            self.asked = self.asked.max(least);
            let start = cut(self.text, least);
            let end = if start.len() < self.text.len() { TextEnd::Beyond } else { TextEnd::Reached };
            Ok((DecodedText::from_text(start), end))
        }
    }

    const ALL: TextExtent = TextExtent { tokens: usize::MAX, bytes: usize::MAX, memory: Memory::NATIVE };

    fn tokenizer(files: &BTreeMap<String, String>) -> Tokenizer {
        let files = TokenizerFiles::gather(|name| Ok(files.get(name).cloned())).expect("files");
        Tokenizer::new(&files).expect("a tokenizer")
    }

    fn files_of(folder: &Path) -> BTreeMap<String, String> {
        let file = |name: &str| Some((name.to_owned(), fs::read_to_string(folder.join(name)).ok()?));
        TOKENIZER_FILES.into_iter().filter_map(file).collect()
    }

    /// A `tokenizer.json` whose words reach over blanks and lines: SentencePiece as Llama and T5 have it.
    fn of_whole_texts(model: Value) -> Tokenizer {
        let normalizer = json!({"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]});
        let whole = json!({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": normalizer, "pre_tokenizer": null, "post_processor": null, "decoder": null, "model": model});
        tokenizer(&BTreeMap::from([("tokenizer.json".to_owned(), whole.to_string())]))
    }

    fn bytes() -> impl Iterator<Item = String> {
        (0..=255u8).map(|byte| format!("<0x{byte:02X}>"))
    }

    /// Tokenizers of every kind in the repository, and two more, by name.
    fn tokenizers() -> Vec<(String, Tokenizer)> {
        let mut all = Vec::new();
        for parent in ["tests/data/tokenizers", "tests/data/models", "tests/data/cases/models"] {
            for entry in fs::read_dir(in_repository(parent)).expect("a folder").flatten() {
                let files = files_of(&entry.path());
                let is_one = ["tokenizer.json", "vocab.txt", "merges.txt"].iter().any(|name| files.contains_key(*name));
                // The cases of weights have the tokenizer of another folder.
                if is_one && !entry.file_name().to_string_lossy().starts_with("gpt2_") {
                    all.push((entry.path().display().to_string(), tokenizer(&files)));
                }
            }
        }
        let pieces =
            ["<unk>", "▁", "t", "h", "e", "a", "n", "o", "th", "he", "the", "▁the", "an", "▁an", "no", "aa", "aaaa"];
        let merges = ["t h", "th e", "▁ the", "a n", "▁ an", "h e", "n o", "a a", "aa aa"];
        let vocabulary = pieces.map(String::from).into_iter().chain(bytes());
        let vocabulary: BTreeMap<String, usize> = vocabulary.zip(0..).collect();
        all.push((
            "byte pairs of whole texts".into(),
            of_whole_texts(json!({"type": "BPE", "unk_token": "<unk>",
            "fuse_unk": true, "byte_fallback": true, "vocab": vocabulary, "merges": merges})),
        ));
        let scores: Vec<(String, f64)> = pieces
            .iter()
            .enumerate()
            .map(|(at, piece)| ((*piece).to_owned(), -(at as f64) - 1.0))
            .chain(bytes().map(|byte| (byte, -30.0)))
            .collect();
        all.push((
            "unigrams of whole texts".into(),
            of_whole_texts(json!({"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": scores})),
        ));
        all
    }

    /// Texts of many scripts, and texts without a place to divide them.
    fn texts() -> Vec<String> {
        const BYTES: usize = 20 << 10;
        let corpus = fs::read_to_string(in_repository("tests/data/tokenizers/corpus.json")).expect("a file");
        let corpus: Vec<String> = serde_json::from_str(&corpus).expect("texts");
        let word = format!("{} ", "thean".repeat(180));
        let parts = [corpus.concat(), corpus.join("\n"), "the an no ".to_owned(), word];
        let runs = ["a", " ", "\n", "the", "一二三", "👩‍👩‍👧", "e\u{301}\u{302}", "no\n\n\n", "Ab1."].map(String::from);
        let texts = parts.iter().chain(&runs).map(|part| cut(&part.repeat(BYTES / part.len() + 1), BYTES).to_owned());
        texts.collect()
    }

    #[test]
    fn the_tokens_of_a_beginning_are_those_of_the_whole_text_for_every_kind_of_tokenizer() {
        // An eighth of it is longer than any word that a tokenizer decides on as a whole.
        const HEAD: usize = 8 << 10;
        let tokenizers = tokenizers();
        assert!(tokenizers.len() > 20, "{}", tokenizers.len());
        let mut shorter = 0;
        for text in texts() {
            let splitters = tokenizers.iter().map(|(name, one)| (name.as_str(), Splitter::Tokenizer(one)));
            for (name, splitter) in splitters.chain([("words", Splitter::Words(50))]) {
                let start: String = text.chars().take(12).collect();
                let decoded = DecodedText::from_text(&text).text;
                let Ok((whole, spans)) = splitter.tokens(&decoded, Spans::Included) else { continue };
                for tokens in [1, 1_500] {
                    let extent = TextExtent { tokens, ..ALL };
                    let mut source = Counted { text: &text, asked: 0 };
                    let split = splitter.split_from(&mut source, extent, Spans::Included, HEAD).expect(name);
                    let count = split.ids.len();
                    assert!(count >= tokens.min(whole.len()), "{name}, {start:?}: {count} of {tokens}");
                    // A run without a piece is one piece of bytes, whose range ends where the run does.
                    let is_run = |span: &Range<usize>| span.len() > 1024;
                    let is_same = |one: &Range<usize>, other: &Range<usize>| {
                        one.start == other.start && (one.end == other.end || is_run(one) && is_run(other))
                    };
                    let other =
                        (0..count).find(|at| split.ids[*at] != whole[*at] || !is_same(&split.spans[*at], &spans[*at]));
                    let pair = other.map(|at| [(split.ids[at], &split.spans[at]), (whole[at], &spans[at])]);
                    assert_eq!(pair, None, "{name}, {start:?}: token {other:?} of {count}");
                    assert!(split.end == TextEnd::Beyond || count == whole.len(), "{name}, {start:?}");
                    shorter += usize::from(source.asked < text.len());
                }
            }
        }
        assert!(shorter > 300, "{shorter} of the texts were not read whole");
    }

    #[test]
    fn a_text_has_one_fingerprint_however_much_of_it_is_read() {
        let text = "one two three four five ".repeat(2_000);
        let split = |tokens: usize, head: usize| {
            let extent = TextExtent { tokens, ..ALL };
            let split = Splitter::Words(9).split_from(&mut text.as_str(), extent, Spans::Skipped, head).expect("words");
            (split.fingerprint, split.ids.len(), split.end)
        };
        let (few, many, all) = (split(10, 1 << 10), split(500, 1 << 10), split(usize::MAX, 1 << 10));
        assert_eq!([&many.0, &all.0], [&few.0; 2]);
        assert!(few.1 < 500 && many.1 < 10_000 && all.1 == 10_000, "{few:?} {many:?} {all:?}");
        assert_eq!((few.2, all.2), (TextEnd::Beyond, TextEnd::Reached));
        // A text within the first bytes has the fingerprint of all its tokens.
        let whole = split(10, 1 << 20);
        assert_eq!(whole.0, text_fingerprint(&ids_by_first_appearance(&text, 9)));
        let other = text.replacen("one", "six", 1);
        let other = Splitter::Words(9).split_from(&mut other.as_str(), ALL, Spans::Skipped, 1 << 10).expect("words");
        assert_ne!(other.fingerprint, few.0);
    }

    #[test]
    fn memory_is_refused_before_it_is_taken_and_a_text_ends_at_its_extent() {
        let text = "a b c d ".repeat(1 << 12);
        let memory = |bytes: u64, tokens: usize| {
            let memory = Memory::from_bytes(MEMORY_PER_BYTE * bytes);
            let extent = TextExtent { tokens, bytes: 8 << 10, memory };
            Splitter::Words(9).split_from(&mut text.as_str(), extent, Spans::Skipped, 4 << 10)
        };
        let enough = memory(8 << 10, usize::MAX).expect("enough");
        assert_eq!((enough.end, enough.ids.len() < 5_000), (TextEnd::Beyond, true));
        assert!(memory(4 << 10, 10).is_ok());
        for (bytes, lower) in [(4 << 10, Size::Tokens), ((4 << 10) - 1, Size::Text)] {
            let refused = memory(bytes, usize::MAX).expect_err("too much");
            assert!(matches!(refused, InputError::TooCostly { lower: said, .. } if said == lower), "{refused}");
        }
    }
}
