//! Tokenizers.

use lipscope_models::{Tokenizer, TokenizerFiles};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};
use lipscope_testkit::dice::Dice;

pub(super) const DOOR: Door = Door {
    name: "tokenizer",
    about: "tokenizer.json, vocab.txt, vocab.json with merges.txt; then token ids and spans of texts",
    made: Vec::new,
    vary: vary_files,
    feed,
};

/// A vocabulary is kept as several maps, and a pattern of a tokenizer becomes an automaton of some megabytes.
const READING: Allowance = Allowance { base: 64 << 20, each: 2_000 };
/// Between the two files that belong together.
const BETWEEN: &str = "\n=== merges.txt ===\n";

const TEXTS: [&str; 5] = [
    "",
    "Attention is smooth, or is it? 3.14 [UNK] ##ing",
    "e\u{301}\u{301} \u{1f600}\u{200d}\u{1f600} \u{4f60}\u{597d} \u{202e}abc\0\u{feff}",
    "\r\n\t \u{a0}\u{3000}",
    "<img src=x onerror=alert(1)> <|endoftext|> =1+1",
];

fn vary_files(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    let form = if dice.once_in(2) { Form::Json } else { Form::Text };
    vary(dice, inputs, form)
}

fn feed(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let files = if let Some((pieces, merges)) = text.split_once(BETWEEN) {
        TokenizerFiles { pieces: Some(pieces.into()), merges: Some(merges.into()), ..TokenizerFiles::default() }
    } else if text.trim_start().starts_with('{') {
        TokenizerFiles { tokenizer: Some(text.into()), ..TokenizerFiles::default() }
    } else {
        TokenizerFiles { word_pieces: Some(text.into()), ..TokenizerFiles::default() }
    };
    let tokenizer = match within("reading a tokenizer", READING.of(input), || Tokenizer::new(&files)) {
        Ok(tokenizer) => tokenizer,
        Err(problem) => return refused(&problem),
    };
    let long = "attention ".repeat(100) + &"a".repeat(1_000);
    for text in TEXTS.into_iter().chain([&*long]) {
        match within("splitting a text", 64 << 20, || tokenizer.ids_and_spans(text)) {
            Ok((ids, spans)) => {
                assert_eq!(ids.len(), spans.len(), "a span for each token");
                assert_eq!(tokenizer.ids(text).as_ref(), Ok(&ids), "the same tokens without their spans");
                for span in spans {
                    assert!(text.get(span.clone()).is_some(), "{span:?} is no part of {text:?}");
                }
            }
            Err(problem) => drop(refused(&problem)),
        }
    }
    Verdict::Taken
}
