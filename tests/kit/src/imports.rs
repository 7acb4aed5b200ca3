//! Which file of a crate imports from which, read from its text, and the circles among them.
//!
//! A name is followed through `use` and `pub use` to the file that defines it. A re-export alone is no import: a parent
//! names what its children define, and they may use what it defines.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::sources::SourceFile;

/// The path of a module inside its crate.
type Module = Vec<String>;

/// A file as far as its names go.
#[derive(Default)]
struct Names {
    path: String,
    /// What it defines at the top.
    defined: BTreeSet<String>,
    /// What its `use` lines name: the name here, and its path.
    used: Vec<(String, Vec<String>)>,
    /// The paths that it names otherwise, and those of its private `use` lines.
    named: Vec<Vec<String>>,
}

/// The files of a crate by their paths, each with the files that it imports from.
pub type Imports = BTreeMap<String, BTreeSet<String>>;

/// Which file imports from which others, among the files of a crate whose sources are in a folder.
#[must_use]
pub fn imports(folder: &str, files: &[SourceFile]) -> Imports {
    let files: BTreeMap<Module, Names> =
        files.iter().filter_map(|file| Some((module_of(folder, &file.path)?, names(file)))).collect();
    files
        .iter()
        .map(|(module, file)| {
            let targets = file.named.iter().filter_map(|path| defined_in(&files, module, path, 0));
            let others = targets.filter(|target| *target != file.path).map(str::to_owned);
            (file.path.clone(), others.collect())
        })
        .collect()
}

/// The paths that a file names: those of its `use` lines, and every other name with `::` in it.
#[must_use]
pub fn paths(file: &SourceFile) -> Vec<Vec<String>> {
    let Names { used, mut named, .. } = names(file);
    named.extend(used.into_iter().map(|(_, path)| path));
    named
}

/// The circles of imports, the shortest for each file that is in one.
#[must_use]
pub fn circles(imports: &Imports) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for file in imports.keys() {
        let is_known = found.iter().any(|circle| circle.iter().any(|known| known == file));
        if let Some(circle) = circle_from(imports, file).filter(|_| !is_known) {
            found.push(circle.into_iter().map(str::to_owned).collect());
        }
    }
    found
}

/// The shortest way from a file back to it.
fn circle_from<'a>(imports: &'a Imports, start: &'a str) -> Option<Vec<&'a str>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in imports[*way.last()?].iter().map(String::as_str) {
            let longer: Vec<&str> = way.iter().copied().chain([next]).collect();
            if next == start {
                return Some(longer);
            }
            if seen.insert(next) {
                ways.push_back(longer);
            }
        }
    }
    None
}

/// `None` for programs, which nothing imports.
fn module_of(folder: &str, path: &str) -> Option<Module> {
    let inside = path.strip_prefix(folder)?.trim_start_matches('/').strip_suffix(".rs")?;
    if inside == "main" || inside.starts_with("bin/") {
        return None;
    }
    Some(inside.split('/').filter(|part| !matches!(*part, "mod" | "lib")).map(str::to_owned).collect())
}

/// The file that defines what a path names; `None` for other crates, locals and modules as such.
fn defined_in<'a>(files: &'a BTreeMap<Module, Names>, from: &Module, path: &[String], depth: usize) -> Option<&'a str> {
    let mut module = from.clone();
    for (at, name) in path.iter().enumerate() {
        let file = files.get(&module)?;
        let child: Module = module.iter().chain([name]).cloned().collect();
        match name.as_str() {
            "crate" => module.clear(),
            "self" => {}
            "super" => drop(module.pop()),
            _ if files.contains_key(&child) => module = child,
            _ if file.defined.contains(name) => return Some(&file.path),
            _ => {
                let rest = &path[at + 1..];
                let targets = file.used.iter().filter(|(known, _)| known == name || known == "*");
                let mut found = targets.filter(|_| depth < 8).filter_map(|(known, target)| {
                    let mut whole = target.clone();
                    whole.extend((known == "*").then(|| name.clone()));
                    whole.extend_from_slice(rest);
                    defined_in(files, &module, &whole, depth + 1)
                });
                return found.next();
            }
        }
    }
    None
}

fn names(file: &SourceFile) -> Names {
    let mut names = Names { path: file.path.clone(), ..Names::default() };
    let code = file.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];
    for line in code.iter().filter(|line| !line.starts_with(' ')) {
        let words = words(line);
        let kind = words.iter().rposition(|word| kinds.contains(word)).filter(|at| *at < 5);
        let after = |at: usize| words[at + 1..].iter().find(|word| **word != "!");
        names.defined.extend(kind.and_then(after).map(|name| (*name).to_owned()));
    }
    let code = code.join("\n");
    let words = words(&code);
    let is_parent = file.path.ends_with("/mod.rs") || file.path.ends_with("/lib.rs");
    let mut at = 0;
    while at < words.len() {
        if words[at] == "use" {
            let is_re_export = is_parent && at > 0 && matches!(words[at - 1], "pub" | ")");
            let end = at + words[at..].iter().position(|word| *word == ";").unwrap_or(0);
            let paths = spread(&words[at + 1..end.max(at + 1)]);
            for (name, path) in paths {
                if !is_re_export {
                    names.named.push(path.clone());
                }
                names.used.push((name, path));
            }
            at = end.max(at);
        } else if is_name(words[at]) && words.get(at + 1) == Some(&"::") {
            let mut path = vec![words[at].to_owned()];
            while words.get(at + 1) == Some(&"::") && words.get(at + 2).is_some_and(|word| is_name(word)) {
                path.push(words[at + 2].to_owned());
                at += 2;
            }
            names.named.push(path);
        }
        at += 1;
    }
    names
}

/// The paths of a `use`, each with the name that it has from then on; `*` for all of a module.
fn spread(words: &[&str]) -> Vec<(String, Vec<String>)> {
    let mut prefixes: Vec<Vec<String>> = vec![Vec::new()];
    let mut path: Vec<String> = Vec::new();
    let mut renamed = None;
    let mut found = Vec::new();
    let mut finish = |path: &mut Vec<String>, renamed: &mut Option<String>, prefix: &Vec<String>| {
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        if let Some(last) = path.last().filter(|_| path.len() > prefix.len() || renamed.is_some() || path == prefix) {
            let name = renamed.take().unwrap_or_else(|| last.clone());
            let target = if last == "*" { path[..path.len() - 1].to_vec() } else { path.clone() };
            found.push((name, target));
        }
        path.clone_from(prefix);
    };
    let mut at = 0;
    while at < words.len() {
        match words[at] {
            "::" => {}
            "{" => prefixes.push(path.clone()),
            "," => finish(&mut path, &mut renamed, &prefixes[prefixes.len() - 1]),
            "}" => {
                finish(&mut path, &mut renamed, &prefixes[prefixes.len() - 1]);
                prefixes.pop();
                path.clear();
            }
            "as" => {
                renamed = words.get(at + 1).map(|name| (*name).to_owned());
                at += 1;
            }
            word => path.push(word.to_owned()),
        }
        at += 1;
    }
    finish(&mut path, &mut renamed, &Vec::new());
    found
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and single other characters; texts in quotes are left out.
fn words(code: &str) -> Vec<&str> {
    let bytes = code.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let rest = &code[at..];
        let c = rest.chars().next().unwrap_or(' ');
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let len = if is_inside(c) {
            rest.find(|c| !is_inside(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            c.len_utf8()
        };
        if c == '"' {
            at += 1;
            while at < code.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
            continue;
        }
        // A quote as a character would open a text.
        if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            at += if rest.starts_with("'\"'") { 3 } else { 4 };
            continue;
        }
        if !c.is_whitespace() {
            words.push(&rest[..len]);
        }
        at += len;
    }
    words
}
