//! Generates functions from the catalogues in `words/`: one folder per language, one file per feature, `key = "text
//! with {argument}"`.
//!
//! A key at the top of `words/en/plot.toml` becomes `plot::key()`, one in a table `[table]` becomes
//! `plot::table::key()`. A text with one argument is a function of it. A text with several is a struct whose fields are
//! its arguments, `plot::key { n, value }.text()`, so that no call can swap them. English defines the keys and their
//! arguments; every other language must have the same, or the build fails. A literal brace is written twice.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use toml::{Table, Value};

/// The language that defines the keys.
const SOURCE: &str = "en";

/// Features whose texts the page looks up by id at run time, and the language that defines them: the errors, whose ids
/// and English are in the crates (`phrase!`).
const FOUND_BY_ID: [(&str, &str); 1] = [("problems", "zh")];

/// Tables whose texts the page looks up by key: the bounds, each of which names its keys (`Statement` in the engine). Their
/// texts have no arguments.
const LOOKED_UP: [(&str, &str); 4] =
    [("bounds", "bound_label"), ("bounds", "formula_words"), ("bounds", "formula_where"), ("bounds", "source")];

/// Placeholder character of the first argument in generated code; later arguments use the following characters. Texts
/// contain none of them.
const FIRST_PLACE: u32 = 0xE000;

/// A file of a catalogue: its language, its feature (`plot` of `plot.toml`), its content.
#[derive(Clone, Debug)]
pub struct CatalogueFile {
    /// The name of its folder.
    pub language: String,
    /// Its name without `.toml`.
    pub feature: String,
    /// Its content, as TOML.
    pub content: String,
}

/// Reads `words/LANGUAGE/FEATURE.toml`, sorted.
///
/// # Errors
///
/// An error message, where a folder or a file cannot be read.
pub fn read(folder: &Path) -> Result<Vec<CatalogueFile>, String> {
    let unreadable = |path: &Path, error: std::io::Error| format!("{} cannot be read: {error}.", path.display());
    let list = |path: &Path| -> Result<Vec<std::path::PathBuf>, String> {
        let entries = std::fs::read_dir(path).map_err(|error| unreadable(path, error))?;
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        Ok(paths)
    };
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = Vec::new();
    for language in list(folder)?.into_iter().filter(|path| path.is_dir()) {
        for path in list(&language)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
            let content = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
            files.push(CatalogueFile { language: name(&language), feature: name(&path), content });
        }
    }
    Ok(files)
}

/// The Rust source of all texts.
///
/// # Errors
///
/// One sentence for each problem, with the file, the key and the language.
pub fn generate(files: &[CatalogueFile]) -> Result<String, Vec<String>> {
    let mut problems = Vec::new();
    // By feature, then by language, then by key.
    let mut catalogues: BTreeMap<&str, BTreeMap<&str, Texts>> = BTreeMap::new();
    for file in files {
        let texts = texts(file, &mut problems);
        catalogues.entry(&file.feature).or_default().insert(&file.language, texts);
    }
    let mut languages: Vec<&str> = files.iter().map(|file| file.language.as_str()).collect();
    languages.sort_unstable();
    languages.dedup();
    if problems.is_empty() {
        for (feature, catalogue) in &catalogues {
            compare(feature, catalogue, &languages, &mut problems);
        }
    }
    if problems.is_empty() { Ok(source(&catalogues, &languages)) } else { Err(problems) }
}

/// Texts by table (empty at the top of the file) and key.
type Texts = BTreeMap<(String, String), Text>;

/// A text: pieces of words alternate with names of arguments. A piece of words, which may be empty, comes first.
#[derive(Clone, Debug, Default, PartialEq)]
struct Text {
    words: Vec<String>,
    arguments: Vec<String>,
}

impl Text {
    /// The names of its arguments, each once, in alphabetical order.
    fn signature(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Its words as a Rust literal, with a placeholder for every argument.
    fn literal(&self) -> String {
        let signature = self.signature();
        let mut text = String::new();
        for (index, words) in self.words.iter().enumerate() {
            text.push_str(words);
            let place = self.arguments.get(index).and_then(|name| signature.iter().position(|other| other == name));
            text.extend(place.and_then(|place| char::from_u32(FIRST_PLACE + place as u32)));
        }
        format!("{text:?}")
    }
}

/// The texts of a file.
fn texts(file: &CatalogueFile, problems: &mut Vec<String>) -> Texts {
    let name = format!("words/{}/{}.toml", file.language, file.feature);
    let table: Table = match file.content.parse() {
        Ok(table) => table,
        Err(error) => {
            // The parser reports a duplicate key with its line.
            let told = error.to_string();
            let told: Vec<&str> = told.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            problems.push(format!("{name} is no catalogue: {}.", told.join(" ")));
            return Texts::new();
        }
    };
    let mut texts = Texts::new();
    let mut put = |table: &str, key: &str, value: &Value| {
        let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        let Some(written) = value.as_str() else {
            return problems.push(format!("{name}: `{path}` must be a text in quotation marks."));
        };
        for part in [table, key].into_iter().filter(|part| !part.is_empty()) {
            if !is_name(part) {
                problems
                    .push(format!("{name}: `{part}` cannot name a function: use a-z, 0-9 and _, and no word of Rust."));
            }
        }
        match parse(written) {
            Ok(text) => drop(texts.insert((table.to_owned(), key.to_owned()), text)),
            Err(problem) => problems.push(format!("{name}: `{path}` {problem}.")),
        }
    };
    for (key, value) in &table {
        match value {
            Value::Table(inner) => inner.iter().for_each(|(inner_key, value)| put(key, inner_key, value)),
            value => put("", key, value),
        }
    }
    texts
}

/// Words and arguments of a text as it is written.
fn parse(written: &str) -> Result<Text, String> {
    let mut text = Text { words: vec![String::new()], arguments: Vec::new() };
    let mut rest = written;
    while let Some(at) = rest.find(['{', '}']) {
        let last = text.words.last_mut().ok_or("has no words")?;
        last.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        if rest[at + 1..].starts_with(brace) {
            last.push_str(brace);
            rest = &rest[at + 2..];
            continue;
        }
        let end = if brace == "{" { rest[at..].find('}') } else { None };
        let argument = end.map(|end| (&rest[at + 1..at + end], &rest[at + end + 1..]));
        match argument.filter(|(argument, _)| is_name(argument)) {
            Some((argument, after)) => {
                text.arguments.push(argument.to_owned());
                text.words.push(String::new());
                rest = after;
            }
            None => return Err("has a brace that opens no {argument}; write it twice".into()),
        }
    }
    if let Some(last) = text.words.last_mut() {
        last.push_str(rest);
    }
    Ok(text)
}

/// Whether a name is a valid name of a Rust function.
fn is_name(name: &str) -> bool {
    const RUST: [&str; 38] = [
        "as", "async", "await", "box", "break", "const", "continue", "crate", "do", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
        "self", "static", "struct", "super", "trait", "true", "type", "use", "where", "while",
    ];
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
        && !RUST.contains(&name)
}

/// The language that defines the texts of a feature.
fn source_of(feature: &str) -> &'static str {
    FOUND_BY_ID.iter().find(|(other, _)| *other == feature).map_or(SOURCE, |(_, language)| language)
}

/// Reports the texts and arguments of the source language that another language lacks, and those that only the other
/// language has.
fn compare(feature: &str, catalogue: &BTreeMap<&str, Texts>, languages: &[&str], problems: &mut Vec<String>) {
    let none = Texts::new();
    let source_language = source_of(feature);
    if source_language != SOURCE && catalogue.contains_key(SOURCE) {
        problems.push(format!("words/{SOURCE}/{feature}.toml: the crates hold these texts; remove the file."));
    }
    let source = catalogue.get(source_language).unwrap_or(&none);
    let path = |(table, key): &(String, String)| if table.is_empty() { key.clone() } else { format!("{table}.{key}") };
    for language in languages.iter().filter(|language| ![SOURCE, source_language].contains(language)) {
        let own = catalogue.get(language).unwrap_or(&none);
        let file = format!("words/{language}/{feature}.toml");
        for (key, text) in source {
            let Some(other) = own.get(key) else {
                problems.push(format!("{file}: `{}` is missing in the language `{language}`.", path(key)));
                continue;
            };
            let (expected, found) = (text.signature(), other.signature());
            for argument in expected.iter().filter(|argument| !found.contains(argument)) {
                let path = path(key);
                problems
                    .push(format!("{file}: `{path}` lacks the argument {{{argument}}} in the language `{language}`."));
            }
            for argument in found.iter().filter(|argument| !expected.contains(argument)) {
                let path = path(key);
                problems.push(format!(
                    "{file}: `{path}` has an argument {{{argument}}} in the language `{language}` that `{source_language}` has not."
                ));
            }
        }
        for key in own.keys().filter(|key| !source.contains_key(*key)) {
            problems
                .push(format!("{file}: `{}` of the language `{language}` is not in `{source_language}`.", path(key)));
        }
    }
}

/// Modules of functions, with the texts of [`SOURCE`], and a list of texts for every other language.
fn source(catalogues: &BTreeMap<&str, BTreeMap<&str, Texts>>, languages: &[&str]) -> String {
    let mut out = String::from("// Generated from words/ by build/words.rs.\n\n");
    let mut count = 0;
    for (feature, catalogue) in catalogues {
        // A text has the name of its key, whether it is a function or a struct.
        let _ =
            writeln!(out, "/// The texts of `{feature}.toml`.\n#[allow(non_camel_case_types)]\npub mod {feature} {{");
        if source_of(feature) != SOURCE {
            let texts = catalogue.get(source_of(feature)).into_iter().flatten();
            let ids: Vec<&str> = texts.map(|((_, id), _)| id.as_str()).collect();
            out.push_str(&ids_of_texts(&ids, count));
            count += ids.len();
            continue;
        }
        let (mut open, mut tables) = ("", String::new());
        for ((table, name), text) in catalogue.get(SOURCE).into_iter().flatten() {
            if table != open {
                if !open.is_empty() {
                    out.push_str("}\n");
                }
                if LOOKED_UP.contains(&(feature, table)) {
                    let keys = catalogue.get(SOURCE).into_iter().flatten().filter(|((of, _), _)| of == table);
                    tables.push_str(&lookup(table, keys.filter(|(_, text)| text.arguments.is_empty())));
                }
                let _ = writeln!(out, "/// The texts of `[{table}]`.\npub mod {table} {{");
                open = table;
            }
            out.push_str(&function(name, text, count));
            count += 1;
        }
        if !open.is_empty() {
            out.push_str("}\n");
        }
        out.push_str(&tables);
        out.push_str("}\n");
    }
    for language in languages.iter().filter(|language| **language != SOURCE) {
        let name = language.to_uppercase().replace('-', "_");
        let _ = writeln!(
            out,
            "/// All texts of `words/{language}`, in the order of the functions.\npub static {name}: [&str; {count}] = ["
        );
        for text in catalogues.values().filter_map(|catalogue| catalogue.get(language)).flat_map(BTreeMap::values) {
            let _ = writeln!(out, "{},", text.literal());
        }
        out.push_str("];\n");
    }
    out
}

/// A function that finds a text of a table by its key.
fn lookup<'a>(table: &str, texts: impl Iterator<Item = (&'a (String, String), &'a Text)>) -> String {
    let mut out = format!(
        "/// The text of `[{table}]` with a key.\npub fn find_{table}(key: &str) -> Option<&'static str> {{\nSome(match key {{\n"
    );
    for ((_, key), _) in texts {
        let _ = writeln!(out, "{key:?} => {table}::{key}(),");
    }
    out.push_str("_ => return None,\n})\n}\n");
    out
}

/// Texts looked up by id, sorted; the first one has the number `first` in the other languages' lists.
fn ids_of_texts(ids: &[&str], first: usize) -> String {
    let mut out = format!("static IDS: [&str; {}] = [\n", ids.len());
    for id in ids {
        let _ = writeln!(out, "{id:?},");
    }
    out.push_str("];\n/// The text with an id in the page's language; `None` in English.\n");
    let _ =
        writeln!(out, "pub fn text(id: &str) -> Option<&'static str> {{ crate::words::find(&IDS, {first}, id) }}\n}}");
    out
}

/// A text as a function, or as a struct of its arguments; `number` is its index in the other languages' lists.
fn function(name: &str, text: &Text, number: usize) -> String {
    let (literal, signature) = (text.literal(), text.signature());
    let pick = format!("crate::words::pick({literal}, {number})");
    match signature[..] {
        [] => format!("pub fn {name}() -> &'static str {{ {pick} }}\n"),
        [one] => format!(
            "pub fn {name}({one}: impl std::fmt::Display) -> String {{ crate::words::fill({pick}, &[&{one}]) }}\n"
        ),
        _ => {
            let each = |write: &dyn Fn((usize, &str)) -> String| {
                signature.iter().copied().enumerate().map(write).collect::<Vec<_>>().join(", ")
            };
            let (types, bounds) =
                (each(&|(at, _)| format!("T{at}")), each(&|(at, _)| format!("T{at}: std::fmt::Display")));
            let (fields, given) =
                (each(&|(at, name)| format!("pub {name}: T{at}")), each(&|(_, name)| format!("&self.{name}")));
            format!(
                "pub struct {name}<{types}> {{ {fields} }}\nimpl<{bounds}> {name}<{types}> {{\n/// The text with these arguments.\npub fn text(&self) -> String {{ crate::words::fill({pick}, &[{given}]) }}\n}}\n"
            )
        }
    }
}
