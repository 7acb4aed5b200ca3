//! Tokenizers.

use std::collections::BTreeMap;

use lipscope_models::{TOKENIZER_FILES, Tokenizer, TokenizerFiles};
use serde_json::json;

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};
use lipscope_testkit::dice::Dice;

pub(super) const DOOR: Door = Door {
    name: "tokenizer",
    about: "tokenizer.json, vocab.txt, vocab.json with merges.txt, and the files beside them; then token ids and spans of \
            texts, and the same ids of the same files written in another way",
    made: Vec::new,
    vary: vary_files,
    feed,
};

/// A vocabulary is kept as several maps, and a pattern of a tokenizer becomes an automaton of some megabytes.
const READING: Allowance = Allowance { base: 64 << 20, each: 2_000 };

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

/// The files of an input. The first is a vocabulary or a tokenizer.json; before each later one is a line with its name.
fn files_of(input: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut name = None;
    let mut lines: Vec<&str> = Vec::new();
    for line in input.split('\n') {
        let begun = line.strip_prefix("=== ").and_then(|line| line.strip_suffix(" ==="));
        match begun.filter(|name| TOKENIZER_FILES.contains(name)) {
            Some(begun) => drop(files.insert(name.replace(begun), std::mem::take(&mut lines).join("\n"))),
            None => lines.push(line),
        }
    }
    files.insert(name, lines.join("\n"));
    let with_merges = files.contains_key(&Some("merges.txt"));
    let first = |text: &str| match text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        true if with_merges => "vocab.json",
        true => "tokenizer.json",
        false => "vocab.txt",
    };
    files.into_iter().map(|(name, text)| (name.unwrap_or_else(|| first(&text)).to_owned(), text)).collect()
}

fn read(files: &BTreeMap<String, String>) -> Result<Tokenizer, lipscope_core::experiment::InputError> {
    Tokenizer::new(&TokenizerFiles::gather(|name| Ok(files.get(name).cloned()))?)
}

/// The same files with byte order marks, unless one of them has one already, and the same files with line ends as on
/// Windows, unless one of them has such line ends already.
fn written_anew(files: &BTreeMap<String, String>) -> Vec<BTreeMap<String, String>> {
    let change =
        |change: &dyn Fn(&String) -> String| files.iter().map(|(name, text)| (name.clone(), change(text))).collect();
    let mut all = Vec::new();
    if !files.values().any(|text| text.starts_with('\u{feff}')) {
        all.push(change(&|text| format!("\u{feff}{text}")));
    }
    if !files.values().any(|text| text.contains('\r')) {
        all.push(change(&|text| text.replace('\n', "\r\n")));
    }
    all
}

/// A `vocab.txt` and the `tokenizer.json` that says the same, with the same settings beside them.
fn two_forms(vocabulary: &str) -> Option<[BTreeMap<String, String>; 2]> {
    if vocabulary.contains('\r') {
        return None;
    }
    let text = vocabulary.strip_prefix('\u{feff}').unwrap_or(vocabulary);
    let pieces: BTreeMap<&str, usize> = text.lines().map(str::trim_end).zip(0..).collect();
    let whole = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": pieces},
    });
    let config = json!({"do_lower_case": true, "tokenizer_class": "BertTokenizer"}).to_string();
    let forms = [("vocab.txt", vocabulary.to_owned()), ("tokenizer.json", whole.to_string())];
    let config = ("tokenizer_config.json".to_owned(), config);
    Some(forms.map(|(name, text)| BTreeMap::from([(name.to_owned(), text), config.clone()])))
}

fn feed(input: &[u8]) -> Verdict {
    let files = files_of(&String::from_utf8_lossy(input));
    if let Some([first, second]) = files.get("vocab.txt").and_then(|text| two_forms(text)) {
        let (first, second) = (read(&first), read(&second));
        assert_eq!(first.is_ok(), second.is_ok(), "{first:?} as vocab.txt, {second:?} as tokenizer.json");
        if let (Ok(first), Ok(second)) = (first, second) {
            same_ids(&first, &second);
        }
    }
    let tokenizer = match within("reading a tokenizer", READING.of(input), || read(&files)) {
        Ok(tokenizer) => tokenizer,
        Err(problem) => return refused(&problem),
    };
    for anew in written_anew(&files) {
        match read(&anew) {
            Ok(other) => same_ids(&tokenizer, &other),
            Err(problem) => panic!("written in another way it was refused: {problem}"),
        }
    }
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

/// Checks that two tokenizers give the same tokens.
fn same_ids(first: &Tokenizer, second: &Tokenizer) {
    for text in TEXTS {
        assert_eq!(first.ids_and_spans(text), second.ids_and_spans(text), "{text:?}");
    }
}
