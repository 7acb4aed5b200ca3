//! Tests of the catalogue generator: which files it refuses, and which code it writes.

mod words;

use std::path::Path;

use words::{CatalogueFile, generate, read};

fn file(language: &str, content: &str) -> CatalogueFile {
    CatalogueFile { language: language.into(), feature: "plot".into(), content: content.into() }
}

/// The one problem that an English and a Chinese file have together.
#[track_caller]
fn problem(english: &str, chinese: &str) -> String {
    let problems = generate(&[file("en", english), file("zh", chinese)]).expect_err("a catalogue with a fault");
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.concat()
}

#[test]
fn a_key_that_a_language_lacks_fails_the_build() {
    assert_eq!(
        problem("[slope]\nnone = \"no slope\"", "[slope]"),
        "words/zh/plot.toml: `slope.none` is missing in the language `zh`."
    );
    assert_eq!(
        problem("", "measured = \"测得\""),
        "words/zh/plot.toml: `measured` of the language `zh` is not in `en`."
    );
}

#[test]
fn a_whole_file_that_a_language_lacks_fails_the_build() {
    let mut other = file("zh", "label = \"标签\"");
    other.feature = "bounds".into();
    let english = [file("en", "measured = \"measured\""), CatalogueFile { language: "en".into(), ..other.clone() }];
    let problems = generate(&[english[0].clone(), english[1].clone(), other]).expect_err("a missing file");
    assert_eq!(problems, ["words/zh/plot.toml: `measured` is missing in the language `zh`."]);
}

#[test]
fn texts_that_the_crates_hold_are_found_by_id_and_have_no_english() {
    let problems = |language: &str| {
        let content = "b = \"{what} 错\"\na = \"好\"".into();
        CatalogueFile { language: language.into(), feature: "problems".into(), content }
    };
    let found = generate(&[problems("en"), problems("zh")]).expect_err("English twice");
    assert_eq!(found, ["words/en/problems.toml: the crates hold these texts; remove the file."]);
    let source = generate(&[file("en", "m = \"m\""), file("zh", "m = \"测\""), problems("zh")]).expect("catalogues");
    assert!(source.contains("static IDS: [&str; 2] = [\n\"a\",\n\"b\",\n];"), "{source}");
    assert!(source.contains("crate::words::find(&IDS, 1, id)"), "{source}");
    assert!(source.contains("pub static ZH: [&str; 3]"), "{source}");
}

#[test]
fn the_texts_of_bounds_are_found_by_key_except_those_with_arguments() {
    let bounds = |language: &str, label: &str| CatalogueFile {
        feature: "bounds".into(),
        ..file(
            language,
            &format!("[bound_label]\nsharp = \"{label}\"\n[source]\nours = \"{label}\"\nsentence = \"{{x}}\""),
        )
    };
    let source = generate(&[bounds("en", "best"), bounds("zh", "最好")]).expect("catalogues");
    assert!(source.contains("pub fn find_bound_label(key: &str) -> Option<&'static str>"), "{source}");
    assert!(source.contains("\"sharp\" => bound_label::sharp(),"), "{source}");
    assert!(source.contains("\"ours\" => source::ours(),") && !source.contains("\"sentence\" =>"), "{source}");
}

#[test]
fn an_argument_that_a_language_lacks_or_invents_fails_the_build() {
    assert_eq!(
        problem("draws = \"mean of {count}\"", "draws = \"平均\""),
        "words/zh/plot.toml: `draws` lacks the argument {count} in the language `zh`."
    );
    assert_eq!(
        problem("draws = \"mean\"", "draws = \"{count} 次平均\""),
        "words/zh/plot.toml: `draws` has an argument {count} in the language `zh` that `en` has not."
    );
}

#[test]
fn a_key_that_is_there_twice_fails_the_build() {
    let problem = problem("", "draws = \"平均\"\ndraws = \"均值\"");
    assert!(problem.starts_with("words/zh/plot.toml is no catalogue: "), "{problem}");
    assert!(problem.contains("duplicate key") && problem.contains("draws"), "{problem}");
}

#[test]
fn what_is_no_text_or_no_name_fails_the_build() {
    assert_eq!(problem("", "draws = 3"), "words/zh/plot.toml: `draws` must be a text in quotation marks.");
    let name = "words/zh/plot.toml: `match` cannot name a function: use a-z, 0-9 and _, and no word of Rust.";
    assert_eq!(problem("", "match = \"匹配\""), name);
    for text in ["{", "}", "{ count }", "{}", "{a"] {
        let problem = problem("", &format!("draws = \"{text}\""));
        assert!(problem.contains("`draws` has a brace that opens no {argument}; write it twice"), "{text}: {problem}");
    }
}

#[test]
fn arguments_are_taken_by_name_in_every_language() {
    let english = "slope = \"{least} to {most}, at {least}\"\nset = \"{{a}}\"";
    let chinese = "slope = \"{most} 与 {least}\"\nset = \"集 {{a}}\"";
    let source = generate(&[file("en", english), file("zh", chinese)]).expect("two catalogues");
    let (first, second) = ("\\u{e000}", "\\u{e001}");
    assert!(source.contains("pub struct slope<T0, T1> { pub least: T0, pub most: T1 }"), "{source}");
    assert!(source.contains("&[&self.least, &self.most]"), "{source}");
    assert!(source.contains(&format!("crate::words::pick(\"{first} to {second}, at {first}\", 1)")), "{source}");
    assert!(source.contains("pub fn set() -> &'static str { crate::words::pick(\"{a}\", 0) }"), "{source}");
    let list = format!("pub static ZH: [&str; 2] = [\n\"集 {{a}}\",\n\"{second} 与 {first}\",\n];");
    assert!(source.contains(&list), "{source}");
}

#[test]
fn the_catalogues_of_the_page_are_whole() {
    let files = read(&folder()).expect("the catalogues");
    assert!(files.len() > 40, "only {} files are in words/", files.len());
    generate(&files).expect("catalogues without a fault");
}

#[test]
fn no_two_definitions_say_the_same() {
    for CatalogueFile { language, feature, content } in read(&folder()).expect("the catalogues") {
        let table: toml::Table = content.parse().expect("a catalogue without a fault");
        let mut known = std::collections::BTreeMap::new();
        for (key, text) in table.iter().filter(|(key, _)| key.ends_with("_hint") || key.ends_with("_about")) {
            // A table, such as that of the curves' hints, is left out.
            let Some(text) = text.as_str() else { continue };
            if let Some(other) = known.insert(text.to_owned(), key) {
                panic!("words/{language}/{feature}.toml: `{other}` and `{key}` both say: {text}");
            }
        }
    }
}

#[test]
fn powers_of_ten_are_written_as_in_print() {
    for CatalogueFile { language, feature, content } in read(&folder()).expect("the catalogues") {
        let as_in_code = content.lines().find(|line| line.contains("1e-"));
        assert_eq!(as_in_code, None, "words/{language}/{feature}.toml: write 10⁻¹⁰, not 1e-10");
    }
}

#[test]
fn chinese_has_no_blank_after_its_wide_marks_and_one_name_for_what_is_ours() {
    for CatalogueFile { language, feature, content } in read(&folder()).expect("the catalogues") {
        if language != "zh" {
            continue;
        }
        for line in content.lines() {
            let is_parted = ["。 ", "， ", "； ", "： ", "、 "].iter().any(|mark| line.contains(mark));
            assert!(!is_parted, "words/zh/{feature}.toml: a blank after a wide mark: {line}");
            assert!(!line.contains("我们"), "words/zh/{feature}.toml: say 本工具, as the curves do: {line}");
        }
    }
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("words")
}
