//! The engine's sentences in Chinese: none is missing, and what is the reader's stays as it is.

use crate::han::{assert_known, foreign_words, has_han, in_chinese};
use lipscope::state::{PageState, TokenChoice, WeightChoice};
use lipscope_core::estimators::{EstimatorComparison, EstimatorPlan};
use lipscope_core::experiment::{Distribution, Experiment, Given, Normalization, Rows};
use lipscope_core::inverse::{InversePlan, Inverting};
use lipscope_testkit::sources::{SourceFile, sources};

/// Rooms whose errors are not shown on the page.
const ELSEWHERE: [&str; 3] = ["crates/cli", "crates/npm", "src/strings"];
/// Texts that are no part of an error.
const NOT_SAID: [&str; 5] = [
    "The iteration stopped at a relative residual of",
    "# The tokens, one a row",
    "# Q, K and V of each head",
    "# <experiment>",
    // The name of a drawn model.
    "7 7x7x7 seed 7",
];

/// The literals of a source before its tests, without comments, with a number in every place of `format!`.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut literals = Vec::new();
    let mut chars = code.chars().peekable();
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
                literals.push(with_numbers(&literal));
            }
            _ => {}
        }
    }
    literals
}

/// `{name}` and `{:?}` as a number; braces around anything else are braces.
fn with_numbers(literal: &str) -> String {
    let mut out = String::new();
    let mut left = literal;
    while let Some(open) = left.find('{') {
        let end = left[open..].find('}').map(|length| open + length);
        let name = end.map(|end| left[open + 1..end].split(':').next().unwrap_or_default());
        let is_place = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match (end, name) {
            (Some(end), Some(name)) if is_place(name) => {
                out = out + &left[..open] + "7";
                left = &left[end + 1..];
            }
            _ => {
                out += &left[..=open];
                left = &left[open + 1..];
            }
        }
    }
    out + left
}

/// Whether a literal has words that a reader would read: two at least, so that it is no key.
fn is_prose(literal: &str) -> bool {
    literal.trim().contains(' ') && !foreign_words(literal).is_empty()
}

#[test]
fn every_text_in_a_file_that_makes_errors_is_known_in_chinese() {
    let mut count = 0;
    let mut missing = Vec::new();
    for SourceFile { path: inside, text: source } in ["src", "crates"].into_iter().flat_map(sources) {
        if !source.contains("InputError") || ELSEWHERE.iter().any(|folder| inside.starts_with(folder)) {
            continue;
        }
        for literal in literals(&source).iter().filter(|literal| is_prose(literal)) {
            if NOT_SAID.iter().any(|text| literal.starts_with(text)) {
                continue;
            }
            count += 1;
            let said = in_chinese(literal);
            if !has_han(&said) || !foreign_words(&said).is_empty() {
                missing.push(format!("{inside}: {literal}\n  {said}"));
            }
        }
    }
    assert!(missing.is_empty(), "without Chinese in src/strings/problems:\n{}", missing.join("\n"));
    assert!(count > 150, "only {count} texts were found: the scan is broken");
}

#[test]
fn sentences_read_as_sentences() {
    for (english, expected) in [
        (
            "Row 3, column 2 of `tokens.rows` is \"x or y\", which is not a finite number. Replace it.",
            "`tokens.rows` 第 3 行第 2 列为 \"x or y\"，不是有限的数。请替换。",
        ),
        (
            "`mask` is \"casual\", but it must be \"none\" or \"causal\".",
            "`mask` 为 \"casual\"，但必须为 \"none\" 或 \"causal\"。",
        ),
        (
            "`weights.heads[0].k` is 2 x 1, but it must be 1 x 1 so that K x_j and Q x_i can be multiplied.",
            "`weights.heads[0].k` 为 2 × 1，但必须为 1 × 1，这样 K x_j 与 Q x_i 才能相乘。",
        ),
        (
            "This is not valid JSON: expected `,` or `}` at line 1 column 11. Check the text there, or export an \
             experiment to see the form.",
            "这不是有效的 JSON（第 1 行第 11 列：应为 `,` 或 `}`）。请检查该处的文本，或导出一个实验来看格式。",
        ),
        (
            "The number of tokens of a search is 4000, over the limit of 2048. Use fewer tokens or dimensions.",
            "搜寻的词元数为 4000，超过上限 2048。请减少词元或维数。",
        ),
        (
            "The measurement would take 2.94 GiB of memory, over the limit of 1 GiB: lower the number of tokens n to at \
             most 1371.",
            "测量需要 2.94 GiB 内存，超过上限 1 GiB：请减小词元数 n，至多为 1371。",
        ),
        (
            "The measurement would take 49 TiB of memory, over the limit of 512 MiB: lower the head dimension.",
            "测量需要 49 TiB 内存，超过上限 512 MiB：请减小每头维数。",
        ),
        ("`the radius R` is 0, but it must be a number above 0.", "半径 R 为 0，但必须为大于 0 的数。"),
    ] {
        assert_eq!(in_chinese(english), expected);
    }
}

#[test]
fn what_is_the_readers_stays_as_it_is() {
    let fix = "Save the tokens as CSV, TSV, JSON or NumPy .npy.";
    for name in ["my tokens.csv", "The tokens", "a is 4, over the limit of 2. cannot be read: x.csv", "数据 7 or 8.csv"]
    {
        let said = in_chinese(&format!("{name} cannot be read: it is neither text nor a .npy file. {fix}"));
        assert!(said.starts_with(name), "{said}");
    }
    let said = in_chinese("Unknown key `the tokens`. Remove it, or use one of: tokens, weights.");
    assert_eq!(said, "没有键 `the tokens`。请删除，或改用：`tokens, weights`。");
    // What no sentence of the engine's is: another language, another program.
    for text in ["词元数为 7，超过上限。", "", "It is raining. Use an umbrella.", "{key} {"] {
        assert_eq!(in_chinese(text), text);
    }
}

#[test]
fn a_library_s_own_words_are_quoted() {
    let fix = "Copy the file again from the model's folder.";
    let said = in_chinese(&format!(
        "vocab.txt cannot be read: it is not a tokenizer of this kind (data did not match any variant). {fix}"
    ));
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
        assert_known(&Given::from_text(text).expect_err(text).to_string());
    }
    for bytes in [&b"\xff\xfe\x00"[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\x02\x00{}"] {
        assert_known(&Given::from_file("junk.csv", bytes).expect_err("junk").to_string());
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
        assert_known(&state.check().expect_err("too large").to_string());
    }
    let skew = read(format!(r#"{{"tokens":{{"source":"skew"}},{heads}}}"#));
    assert_known(&first().with_experiment(skew).expect_err("its own weights").to_string());
}

#[test]
fn what_the_views_cannot_do_is_told() {
    let experiment = || {
        let text = r#"{"tokens":{"source":"random","n":4,"d":2},"weights":{"source":"identity"}}"#;
        Experiment::from_json(text).expect("an experiment")
    };
    let normalized = Experiment { normalization: Normalization::Layer, ..experiment() };
    let invert = |experiment, fraction| Inverting::start(&InversePlan { experiment, fraction, max_iterations: 9 });
    assert_known(&invert(experiment(), 0.0).expect_err("no fraction").to_string());
    assert_known(&invert(normalized, 0.5).expect_err("normalised").to_string());
    let estimators = EstimatorComparison::new(&EstimatorPlan { experiment: experiment(), tolerance: -1.0 });
    assert_known(&estimators.expect_err("no tolerance").to_string());
}
