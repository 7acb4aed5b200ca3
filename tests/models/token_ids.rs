//! Token ids, compared with those of transformers, which `token_ids.py` keeps in `tests/data/tokenizers`.

use std::collections::BTreeMap;
use std::fs;

use lipscope_core::experiment::InputError;
use lipscope_models::{TOKENIZER_FILES, Tokenizer, TokenizerFiles};
use lipscope_testkit::in_repository;
use serde::Deserialize;
use serde_json::{Value, json};

/// `expected.json`.
#[derive(Deserialize)]
struct Expected {
    /// The ids of `text.txt` by the name of a folder of cases.
    cases: BTreeMap<String, Vec<u32>>,
    tokenizers: Vec<Combination>,
}

/// A vocabulary with further files.
#[derive(Deserialize)]
struct Combination {
    name: String,
    /// The folder of the vocabulary.
    set: String,
    files: BTreeMap<String, String>,
    /// The ids of texts, by the text's index.
    ids: BTreeMap<usize, Vec<u32>>,
}

impl Combination {
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = folder(&format!("tests/data/tokenizers/{}", self.set));
        files.extend(self.files.clone());
        files
    }
}

fn expected() -> Expected {
    let text = fs::read_to_string(in_repository("tests/data/tokenizers/expected.json")).expect("a file");
    serde_json::from_str(&text).expect("expected ids")
}

fn texts() -> Vec<String> {
    let text = fs::read_to_string(in_repository("tests/data/tokenizers/corpus.json")).expect("a file");
    serde_json::from_str(&text).expect("texts")
}

/// The files of a tokenizer in a folder of the repository.
fn folder(path: &str) -> BTreeMap<String, String> {
    let folder = in_repository(path);
    let file = |name: &str| Some((name.to_owned(), fs::read_to_string(folder.join(name)).ok()?));
    TOKENIZER_FILES.into_iter().filter_map(file).collect()
}

fn read(files: &BTreeMap<String, String>) -> Result<Tokenizer, InputError> {
    Tokenizer::new(&TokenizerFiles::gather(|name| Ok(files.get(name).cloned()))?)
}

/// A tokenizer of files by name.
fn of<const N: usize>(files: [(&str, &str); N]) -> Result<Tokenizer, InputError> {
    read(&files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}

fn notes(tokenizer: &Tokenizer) -> Vec<String> {
    tokenizer.notes().iter().map(ToString::to_string).collect()
}

#[test]
fn ids_are_those_of_transformers() {
    let texts = texts();
    assert!(texts.len() >= 200, "{} texts", texts.len());
    let expected = expected().tokenizers;
    assert!(expected.len() >= 20, "{} tokenizers", expected.len());
    for combination in expected {
        let name = &combination.name;
        let tokenizer = read(&combination.files()).expect(name);
        for (index, expected) in &combination.ids {
            let text = &texts[*index];
            let ids = tokenizer.ids(text).expect(name);
            assert_eq!(ids, *expected, "{name}: {text:?}");
            let (again, spans) = tokenizer.ids_and_spans(text).expect(name);
            assert_eq!((again.len(), &again), (spans.len(), &ids), "{name}: {text:?}");
            assert!(spans.iter().all(|span| text.get(span.clone()).is_some()), "{name}: {text:?} {spans:?}");
        }
    }
}

#[test]
fn ids_of_every_folder_of_cases_are_those_of_transformers() {
    let cases = expected().cases;
    assert!(cases.len() >= 30, "{} cases", cases.len());
    for (name, expected) in cases {
        let path = format!("tests/data/cases/models/{name}");
        let text = fs::read_to_string(in_repository(&path).join("text.txt")).expect("a text");
        let tokenizer = read(&folder(&path)).expect(&name);
        assert_eq!(tokenizer.ids(&text), Ok(expected), "{name}");
    }
}

#[test]
fn byte_order_marks_and_ends_of_lines_change_no_id() {
    let texts = texts();
    for combination in expected().tokenizers {
        let plain = combination.files();
        let marked = plain.iter().map(|(name, text)| (name.clone(), format!("\u{feff}{text}"))).collect();
        let windows = plain.iter().map(|(name, text)| (name.clone(), text.replace('\n', "\r\n"))).collect();
        let expected = read(&plain).expect("taken");
        for files in [marked, windows] {
            let tokenizer = read(&files).expect("taken");
            assert_eq!(tokenizer.notes(), expected.notes());
            for text in texts.iter().step_by(7) {
                assert_eq!(tokenizer.ids(text), expected.ids(text), "{}: {text:?}", combination.name);
            }
        }
    }
}

#[test]
fn a_vocabulary_gives_the_same_ids_as_its_tokenizer_json() {
    let texts = texts();
    for (set, lowercase) in [("uncased", true), ("cased", false), ("cased", true)] {
        let mut files = folder(&format!("tests/data/tokenizers/{set}"));
        let config = json!({"do_lower_case": lowercase, "tokenizer_class": "BertTokenizer"}).to_string();
        files.insert("tokenizer_config.json".into(), config.clone());
        let vocabulary = read(&files).expect(set);
        let pieces: BTreeMap<&str, usize> = files["vocab.txt"].lines().zip(0..).collect();
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(|token| {
            json!({"id": pieces[token], "content": token, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true})
        });
        let whole = json!({
            "version": "1.0", "truncation": {"max_length": 3, "strategy": "LongestFirst", "stride": 0},
            "padding": null, "added_tokens": special,
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": lowercase},
            "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": pieces},
        });
        let whole = whole.to_string();
        let alone = of([("tokenizer.json", &*whole)]).expect(set);
        let both = of([("tokenizer.json", &*whole), ("tokenizer_config.json", &*config)]).expect(set);
        assert_eq!(notes(&both), Vec::<String>::new());
        for text in &texts {
            let expected = vocabulary.ids_and_spans(text);
            assert_eq!(alone.ids_and_spans(text), expected, "{set}: {text:?}");
            assert_eq!(both.ids_and_spans(text), expected, "{set}: {text:?}");
        }
    }
}

#[test]
fn a_special_token_has_its_own_span() {
    let files = [("vocab.txt", "[UNK]\n[MASK]\nder\nzug\n"), ("tokenizer_config.json", r#"{"do_lower_case": true}"#)];
    let text = "Der[MASK]ZUG";
    let (ids, spans) = of(files).expect("taken").ids_and_spans(text).expect("ids");
    assert_eq!(ids, [2, 1, 3]);
    assert_eq!(spans.iter().map(|span| &text[span.clone()]).collect::<Vec<_>>(), ["Der", "[MASK]", "ZUG"]);
}

#[test]
fn the_casing_is_guessed_only_where_no_file_says_it_and_then_it_is_said() {
    let (lower, upper) = ("[UNK]\n<S>\nder\nzug", "[UNK]\nder\nZug\nzug");
    for (vocabulary, ids, word) in [(lower, [2, 3], "so it was, and accents"), (upper, [0, 2], "so it was not")] {
        let tokenizer = of([("vocab.txt", vocabulary)]).expect("taken");
        assert_eq!(tokenizer.ids("Der Zug"), Ok(ids.to_vec()), "{vocabulary}");
        let said = notes(&tokenizer);
        assert!(said.len() == 1 && said[0].contains(word), "{said:?}");
    }
    for (lowercase, ids) in [(true, [1, 3]), (false, [0, 2])] {
        let config = json!({"do_lower_case": lowercase}).to_string();
        let tokenizer = of([("vocab.txt", upper), ("tokenizer_config.json", &config)]).expect("taken");
        assert_eq!((tokenizer.ids("Der Zug"), notes(&tokenizer)), (Ok(ids.to_vec()), vec![]));
    }
}

/// A `vocab.json` with the single characters of GPT-2's vocabulary, without the letter z.
fn without_z() -> String {
    let files = folder("tests/data/tokenizers/gpt2");
    let whole: Value = serde_json::from_str(&files["vocab.json"]).expect("JSON");
    let pieces = whole.as_object().expect("pieces").keys().filter(|piece| piece.chars().count() == 1 && *piece != "z");
    json!(pieces.zip(0..).collect::<BTreeMap<&String, usize>>()).to_string()
}

#[test]
fn a_character_without_a_token_is_refused_instead_of_left_out() {
    let tokenizer = of([("vocab.json", &*without_z()), ("merges.txt", "#version: 0.2\n")]).expect("taken");
    assert_eq!(tokenizer.ids("abc é").map(|ids| ids.len()), Ok(6));
    for said in [tokenizer.ids("a zebra"), tokenizer.ids_and_spans("a zebra").map(|(ids, _)| ids)] {
        let said = said.expect_err("there is no z").to_string();
        assert!(said.contains("\" zebra\""), "{said}");
    }
}

#[test]
fn an_added_token_has_the_id_that_its_file_gives_it() {
    // The ids lie behind a gap. The library would take the count of entries as the id.
    let files =
        [("vocab.json", &*without_z()), ("merges.txt", ""), ("added_tokens.json", r#"{"<ent>": 300, "<x>": 299}"#)];
    let tokenizer = of(files).expect("taken");
    let (ids, spans) = tokenizer.ids_and_spans("a<ent><x>").expect("ids");
    assert_eq!((&ids[1..], spans[1].clone()), (&[300, 299][..], 1..6));
    assert_eq!(tokenizer.ids("a<ent><x>"), Ok(ids));
}

#[test]
fn files_that_contradict_each_other_are_refused_with_both() {
    let (vocabulary, config) = ("vocab.txt", "tokenizer_config.json");
    let token = |content: &str| json!({"content": content, "special": true});
    let decoder = |id: u32, content: &str| {
        json!({"do_lower_case": true, "added_tokens_decoder": {id.to_string(): token(content)}}).to_string()
    };
    for (config_text, words) in [
        (decoder(1, "<ent>"), ["\"der\"", "\"<ent>\""]),
        (decoder(7, "der"), ["\"der\"", "7"]),
        (json!({"do_lower_case": true, "never_split": ["der"]}).to_string(), ["never_split", "der"]),
        (json!({"do_basic_tokenize": false}).to_string(), ["do_basic_tokenize", "not supported"]),
        (json!({"tokenizer_class": "BertJapaneseTokenizer"}).to_string(), ["BertJapaneseTokenizer", "tokenizer.json"]),
        (
            json!({"tokenizer_class": "PreTrainedTokenizerFast"}).to_string(),
            ["PreTrainedTokenizerFast", "tokenizer.json"],
        ),
        (json!({"mask_token": 4}).to_string(), ["mask_token", "4"]),
        (json!({"additional_special_tokens": "<ent>"}).to_string(), ["additional_special_tokens", "list of tokens"]),
        (json!({"added_tokens_decoder": {"x": token("y")}}).to_string(), ["added_tokens_decoder", "\"x\""]),
        ("[]".to_owned(), ["tokenizer_config.json", "not a tokenizer"]),
    ] {
        let said = of([(vocabulary, "[UNK]\nder\nzug"), (config, &config_text)]).expect_err(&config_text).to_string();
        assert!(words.iter().all(|word| said.contains(word)), "{config_text}: {said}");
    }
    for whole in ["[]", "3", "null", "{}", r#"{"model": [], "normalizer": [], "pre_tokenizer": 3, "added_tokens": {}}"#]
    {
        let said =
            of([("tokenizer.json", whole), (config, r#"{"do_lower_case": true}"#)]).expect_err(whole).to_string();
        assert!(said.contains("tokenizer.json"), "{said}");
    }
    for (file, text, words) in [
        ("added_tokens.json", r#"{"<a>": 3, "<b>": 3}"#, ["\"<a>\"", "\"<b>\""]),
        ("added_tokens.json", r#"{"<a>": -1}"#, ["added_tokens.json", "-1"]),
        ("special_tokens_map.json", r#"{"mask_token": {"lstrip": 3}}"#, ["special_tokens_map.json", "mask_token"]),
        ("vocab.json", "{}", ["vocab.txt", "vocab.json"]),
    ] {
        let said = of([(vocabulary, "[UNK]\nder\nzug"), (file, text), ("merges.txt", "")]).expect_err(text).to_string();
        assert!(words.iter().all(|word| said.contains(word)), "{text}: {said}");
    }
}

#[test]
fn two_tokens_never_share_an_id() {
    // The entries have a gap, so that the library would give a new token the id of the last entry.
    let whole = json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 2}, "unk_token": "a"},
        "added_tokens": [{"id": 3, "content": "<e>", "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true}],
    });
    let said = of([("tokenizer.json", &*whole.to_string())]).expect_err("one id for two").to_string();
    assert!(said.contains("\"b\"") && said.contains("\"<e>\""), "{said}");
}

#[test]
fn what_was_not_used_is_a_note() {
    let files = [
        ("vocab.txt", "[UNK]\nder\nzug\n<ent>"),
        ("tokenizer_config.json", r#"{"do_lower_case": true, "do_upper_case": 1, "added_tokens_decoder": {}}"#),
        ("added_tokens.json", r#"{"<other>": 4}"#),
    ];
    let said = notes(&of(files).expect("taken"));
    assert!(said.len() == 2 && said[0].contains("do_upper_case") && said[1].contains("<other>"), "{said:?}");
}

#[test]
fn a_setting_of_another_kind_of_tokenizer_is_a_note() {
    let pieces = without_z();
    let config = r#"{"do_lower_case": true, "add_prefix_space": true}"#;
    let pairs = of([("vocab.json", &*pieces), ("merges.txt", ""), ("tokenizer_config.json", config)]);
    let words = of([("vocab.txt", "[UNK]\na"), ("tokenizer_config.json", config)]);
    for (tokenizer, key) in [(pairs, "do_lower_case"), (words, "add_prefix_space")] {
        let said = notes(&tokenizer.expect("taken"));
        assert!(said.len() == 1 && said[0].contains(key), "{said:?}");
    }
}

#[test]
fn a_token_that_normalizes_to_nothing_is_refused() {
    let config =
        json!({"do_lower_case": true, "added_tokens_decoder": {"2": {"content": "\u{301}", "normalized": true}}});
    let said = of([("vocab.txt", "[UNK]\na"), ("tokenizer_config.json", &config.to_string())]).expect_err("nothing");
    assert!(said.to_string().contains("nothing is left"), "{said}");
}

/// Its normalization alone would take seconds.
#[test]
fn an_added_token_of_many_letters_is_refused() {
    let long = "a".repeat(5000);
    let config = json!({"added_tokens_decoder": {"2": {"content": long}}});
    let whole = json!({
        "added_tokens": [{"id": 2, "content": long, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": true, "special": false}],
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
    });
    let pieces = of([("vocab.txt", "[UNK]\na"), ("tokenizer_config.json", &*config.to_string())]);
    for said in [pieces, of([("tokenizer.json", &*whole.to_string())])] {
        let said = said.expect_err("too long").to_string();
        assert!(said.contains("has 5000 bytes; at most 4096 are read") && said.len() < 300, "{said}");
    }
    let whole = json!({"normalizer": {"type": "Prepend", "prepend": long},
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}});
    let said = of([("tokenizer.json", &*whole.to_string())]).expect_err("too long").to_string();
    assert!(said.contains("its normalizer has a text of 5000 bytes; at most 4096 are read"), "{said}");
}
