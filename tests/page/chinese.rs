//! The engine's errors in Chinese: none is missing, and the user's own text stays unchanged.

use std::collections::{BTreeMap, BTreeSet};

use crate::han::{assert_known, foreign_words, has_han, in_chinese};
use lipscope::state::{PageState, TokenChoice, WeightChoice};
use lipscope_core::estimators::{EstimatorComparison, EstimatorPlan};
use lipscope_core::experiment::{
    Distribution, Experiment, Given, InputError, Normalization, Rows, Size, library_words,
};
use lipscope_core::inverse::{InversePlan, Inverting};
use lipscope_core::phrase;
use lipscope_testkit::in_repository;
use lipscope_testkit::sources::{SourceFile, sources};

/// Folders whose errors are not shown on the page.
const ELSEWHERE: [&str; 5] =
    ["crates/cli", "crates/npm", "crates/python", "crates/core/examples", "crates/models/examples"];
/// Texts that are not part of an error.
const NOT_SAID: [&str; 32] = [
    // Words of the prints of Octave and of pandas in a notebook.
    "Diagonal Matrix",
    "Permutation Matrix",
    " rows × ",
    // The page has its own words for the warnings.
    "The iteration stopped at a relative residual of",
    "Within rounding: relative error up to",
    "Within rounding: no digit is certain",
    "# The tokens, one a row",
    "# <given>",
    "# What each head",
    "# K, V and",
    "# Of each head its group",
    "# Q, K and V of each head",
    "# <experiment>",
    // Names of lists that the engine itself computes: they always hold numbers, so that no error names them.
    "The positions",
    "The vectors",
    // Lines of Python that convert weights.
    "import glob, torch;",
    "save_file({n: ",
    "from transformers import",
    "AutoModel.from_pretrained",
    "from safetensors.torch import",
    "save_model(model, ",
    // The name of a drawn model.
    "{} {d}x{layers}x{heads} seed {seed}",
    // What other programs print around a table.
    "Parameter containing:",
    "rows x",
    " rows in set",
    "of size",
    "Tensor of size",
    "let mut ",
    "In [",
    "'descr': [",
    // The first line of a pointer of git-lfs.
    "version https://git-lfs.github.com/spec/",
    // Why a field is never read.
    "only its kind is asked for",
];

/// A source before its tests, without comments.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    lines.join("\n")
}

/// The literals of a code, in order.
fn literals(code: &str) -> impl Iterator<Item = String> {
    let mut chars = code.chars().peekable();
    std::iter::from_fn(move || {
        while let Some(c) = chars.next() {
            match c {
                // A quotation mark as a character.
                '\'' if chars.peek() == Some(&'"') => drop(chars.next()),
                '"' => {
                    let mut literal = String::new();
                    while let Some(c) = chars.next().filter(|c| *c != '"') {
                        match c {
                            '\\' => match chars.next() {
                                Some('\n') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                                Some(c) => literal.push(c),
                                None => {}
                            },
                            c => literal.push(c),
                        }
                    }
                    return Some(literal);
                }
                _ => {}
            }
        }
        None
    })
}

/// The ids and the English of the phrases that a source makes.
fn phrases(source: &str) -> Vec<(String, String)> {
    let code = code(source);
    let calls = code.match_indices("phrase!(").map(|(at, call)| &code[at + call.len()..]);
    calls.filter_map(|call| literals(call).next().zip(literals(call).nth(1))).collect()
}

/// `words/zh/problems.toml`: texts by id, a brace of the text written once.
fn catalogue() -> BTreeMap<String, String> {
    let path = in_repository("words/zh/problems.toml");
    let text = std::fs::read_to_string(path).expect("a catalogue");
    let table: toml::Table = text.parse().expect("a catalogue without a fault");
    let once = |text: &str| text.replace("{{", "{").replace("}}", "}");
    table.into_iter().map(|(id, text)| (id, once(text.as_str().expect("a text")))).collect()
}

/// A text with the same sign in place of every argument.
fn without_places(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let is_argument = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_:?.".contains(c));
        let argument = after.split_once('}').filter(|(name, _)| is_argument(name));
        out.push(if argument.is_some() { '7' } else { '{' });
        rest = argument.map_or(after, |(_, after)| after);
    }
    out + rest
}

/// The names of the arguments of a text.
fn arguments(text: &str) -> BTreeSet<&str> {
    let names = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    names.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')).collect()
}

/// Whether a literal has words for users: at least two, so that it is not a key.
fn is_prose(literal: &str) -> bool {
    literal.trim().contains(' ') && !foreign_words(literal).is_empty()
}

#[test]
fn every_phrase_of_the_crates_is_in_the_catalogue() {
    let chinese = catalogue();
    let mut found = BTreeMap::new();
    for SourceFile { path, text } in ["src", "crates"].into_iter().flat_map(sources) {
        for (id, phrase) in phrases(&text) {
            let known = found.entry(id.clone()).or_insert_with(|| phrase.clone());
            assert_eq!(*known, phrase, "{path}: `{id}` is the id of two texts");
            let said = chinese.get(&id).unwrap_or_else(|| panic!("{path}: `{id}` is not in words/zh/problems.toml"));
            assert_eq!(arguments(said), arguments(&phrase), "{path}: the arguments of `{id}`");
            let is_of_symbols = foreign_words(&without_places(said)).is_empty();
            assert!(is_of_symbols && (has_han(said) || !is_prose(&without_places(&phrase))), "{id}: {said}");
        }
    }
    assert!(found.len() > 300, "only {} phrases were found: the scan is broken", found.len());
    let unused: Vec<&String> = chinese.keys().filter(|id| !found.contains_key(*id)).collect();
    assert_eq!(unused, Vec::<&String>::new(), "texts of words/zh/problems.toml that no error has");
}

#[test]
fn no_words_of_an_error_stand_outside_of_phrases() {
    let mut foreign = Vec::new();
    for SourceFile { path, text } in ["src", "crates"].into_iter().flat_map(sources) {
        if !text.contains("InputError") || ELSEWHERE.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let known: Vec<String> = phrases(&text).into_iter().map(|(_, phrase)| phrase).collect();
        for literal in literals(&code(&text)) {
            let is_known = known.contains(&literal) || NOT_SAID.iter().any(|text| literal.starts_with(text));
            if !is_known && is_prose(&without_places(&literal)) {
                foreign.push(format!("{path}: {literal}"));
            }
        }
    }
    assert!(foreign.is_empty(), "words that no language knows; write phrase!(..):\n{}", foreign.join("\n"));
}

#[test]
fn errors_read_as_sentences() {
    let json = |text: &str| Experiment::from_json(text).expect_err(text);
    let tokens = r#""tokens":{"source":"explicit","rows":[[1],[2]]}"#;
    let heads = |k: &str| {
        json(&format!(r#"{{{tokens},"weights":{{"source":"explicit","heads":[{{"q":[[1]],"k":{k},"v":[[1]]}}]}}}}"#))
    };
    let too_costly = |bytes, limit, lower, at_most| InputError::TooCostly {
        what: phrase!("measurement", "The measurement"),
        bytes,
        limit,
        lower,
        at_most,
    };
    for (error, english, chinese) in [
        (
            Given::read(None, b"1,2\n3,x or y").expect_err("words"),
            "Row 2, column 2 of the tokens is \"x or y\", which is not a finite number. Write the \
             number that belongs there, or leave that row or column out.",
            "词元第 2 行第 2 列为 \"x or y\"，不是有限的数。请写上该处应有的数，或去掉该行或该列。",
        ),
        (
            json(&format!(r#"{{"mask":"casual",{tokens}}}"#)),
            "`mask` is \"casual\", but it must be \"none\" or \"causal\" or an object like {\"kind\":\"window\",\"width\":4}.",
            "“mask” 为 \"casual\"，但必须为 \"none\" 或 \"causal\"，或形如 {\"kind\":\"window\",\"width\":4} 的对象。",
        ),
        (
            heads("[[1],[2]]"),
            "`weights.heads[0].k` is 2 x 1, but it must be 1 x 1 so that K x_j and Q x_i can be multiplied.",
            "“weights.heads[0].k” 为 2 × 1，但必须为 1 × 1，这样 K x_j 与 Q x_i 才能相乘。",
        ),
        (
            json(r#"{"mask":1 2"#),
            "This is not valid JSON: a comma or the closing brace } of an object is missing (line 1, column 11). Check the \
             text there, or export an experiment to see the form.",
            "这不是有效的 JSON（第 1 行第 11 列：缺少逗号，或对象的右花括号 }）。请检查该处的文本，或导出一个实验来看格式。",
        ),
        (
            too_costly(3_156_787_855, 1 << 30, Size::Tokens, Some(1371)),
            "The measurement would take 2.94 GiB of memory, over the limit of 1 GiB: lower the number of tokens n to at \
             most 1371.",
            "测量需要 2.94 GiB 内存，超过上限 1 GiB：请减小词元数 n，至多为 1371。",
        ),
        (
            too_costly(49 << 40, 512 << 20, Size::HeadDimension, None),
            "The measurement would take 49 TiB of memory, over the limit of 512 MiB: lower the head dimension.",
            "测量需要 49 TiB 内存，超过上限 512 MiB：请减小每头维数。",
        ),
        (
            InputError::bad_value(
                phrase!("radius_r", "The radius R"),
                "0",
                phrase!("number_above_0", "a number above 0"),
            ),
            "The radius R is 0, but it must be a number above 0.",
            "半径 R 为 0，但必须为大于 0 的数。",
        ),
        (
            json(r#"{"tocens":1,"tokens":{"source":"skew"}}"#),
            "Unknown key `tocens`. If it is misspelt, write one of these: version, attention, mask, score, weighting, \
             normalization, normalization_scope, eps, tokens, weights. Else remove it.",
            "没有键 “tocens”。若是拼写有误，请改为其中之一：“version, attention, mask, score, weighting, normalization, \
             normalization_scope, eps, tokens, weights”；否则请删除。",
        ),
    ] {
        assert_eq!(error.to_string(), english);
        assert_eq!(in_chinese(&error), chinese);
    }
}

#[test]
fn what_is_the_readers_stays_as_it_is() {
    for name in ["my tokens.csv", "The tokens", "a is 4, over the limit of 2. cannot be read: x.csv", "数据 7 or 8.csv"]
    {
        let said = in_chinese(&Given::read(Some(name), b"\xff\xfe\x00").expect_err("junk"));
        assert!(said.starts_with(name), "{said}");
    }
}

#[test]
fn a_library_s_own_words_are_quoted() {
    let error = InputError::File {
        file: "vocab.txt".into(),
        problem: library_words("data did not match any variant"),
        fix: phrase!("copy_file_again", "Copy the file again."),
    };
    let said = in_chinese(&error);
    assert!(said.contains("原文：“data did not match any variant”"), "{said}");
    assert_eq!(foreign_words(&said), Vec::<String>::new(), "{said}");
}

#[test]
fn own_data_that_cannot_be_read_are_told() {
    for text in [
        "1,2\n3",
        "1,2\n3,x",
        "1,,2\n3,4,5",
        "1,inf\n3,4",
        "",
        "5",
        "1,2,3",
        "[[1,2],[3]]",
        "{\"tokens\":",
        "[1,",
        "{",
        "[[],[]]",
        "{\"a\":1}",
    ] {
        assert_known(&Given::read(None, text.as_bytes()).expect_err(text));
    }
    for bytes in [&b"\xff\xfe\x00"[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\x02\x00{}"] {
        assert_known(&Given::read(Some("junk.csv"), bytes).expect_err("junk"));
    }
}

#[test]
fn what_the_page_cannot_show_is_told() {
    let first = PageState::default;
    let ball = || PageState { tokens: TokenChoice::Distribution(Distribution::Ball), ..first() };
    let rows = |d: usize| Rows::new("rows", d, vec![1.0; 2 * d]).expect("numbers");
    let heads = r#""weights":{"source":"explicit","heads":[{"q":[[1,0]],"k":[[1,0]],"v":[[1,0]]}]}"#;
    let read = |text: String| Experiment::from_json(&text).expect("an experiment");
    let own_heads = read(format!(r#"{{"tokens":{{"source":"random","d":2}},{heads}}}"#));
    for state in [
        PageState { n: 900_000, ..ball() },
        PageState { d: 5000, ..ball() },
        PageState { n: 4096, d: 1000, ..ball() },
        PageState { weights: WeightChoice::Random, heads: 64, head_dim: 4096, d: 64, ..ball() },
        PageState { weights: WeightChoice::Random, heads: 1024, head_dim: 16384, d: 64, ..ball() },
        PageState { weights: WeightChoice::Random, heads: 16, head_dim: 128, n: 4096, d: 8, ..ball() },
        PageState { weights: WeightChoice::Kim, heads: 3, ..first().with_own_tokens(rows(4)) },
        first().with_experiment(own_heads).expect("a state").with_own_tokens(rows(3)),
    ] {
        assert_known(&state.check_cost().expect_err("too large"));
    }
    let skew = read(format!(r#"{{"tokens":{{"source":"skew"}},{heads}}}"#));
    assert_known(&first().with_experiment(skew).expect_err("its own weights"));
}

#[test]
fn what_the_views_cannot_do_is_told() {
    let experiment = || {
        let text = r#"{"tokens":{"source":"random","n":4,"d":2},"weights":{"source":"identity"}}"#;
        Experiment::from_json(text).expect("an experiment")
    };
    let normalized = Experiment { normalization: Normalization::Layer, ..experiment() };
    let invert = |experiment, fraction| Inverting::start(&InversePlan { experiment, fraction, max_iterations: 9 });
    assert_known(&invert(experiment(), 0.0).expect_err("no fraction"));
    assert_known(&invert(normalized, 0.5).expect_err("normalised"));
    let estimators = EstimatorComparison::new(&EstimatorPlan { experiment: experiment(), tolerance: -1.0 });
    assert_known(&estimators.expect_err("no tolerance"));
}

#[test]
fn no_chinese_stands_in_the_page_s_sources() {
    // The lessons have their own texts; a language is listed by its own name.
    const ELSEWHERE: [&str; 2] = ["src/lessons/", "src/language.rs"];
    for SourceFile { path, text } in sources("src") {
        if !ELSEWHERE.iter().any(|other| path.starts_with(other)) {
            let line = text.lines().find(|line| has_han(line));
            assert_eq!(line, None, "{path} holds a text of a language; put it into words/");
        }
    }
}
