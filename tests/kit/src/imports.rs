//! The imports between the files of a crate, read with a Rust parser, and the circles among them.
//!
//! A name is followed through `use` and `pub use` to the file that defines it. A re-export alone is not an import: a
//! parent names what its children define, and they may use what it defines. Items under `#[cfg(test)]` are ignored.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

use crate::sources::SourceFile;

/// How many fields a struct of a source has; `None` where there is no such struct.
#[must_use]
pub fn fields_of(text: &str, name: &str) -> Option<usize> {
    let file = syn::parse_file(text).expect("Rust");
    file.items.iter().find_map(|item| match item {
        syn::Item::Struct(item) if item.ident == name => Some(item.fields.len()),
        _ => None,
    })
}

/// The path of a module inside its crate.
type Module = Vec<String>;

/// A path as it is written, a name for each part.
type Path = Vec<String>;

/// The names in a file.
#[derive(Default)]
struct Names {
    path: String,
    /// The items defined at its top level.
    defined: BTreeSet<String>,
    /// Names in the bodies of macros at item level: such a macro may define them.
    in_item_macros: BTreeSet<String>,
    /// Whether it includes a file that a build script writes, which may define any name.
    includes: bool,
    /// The names from its `use` lines: the local name, `*` for all of a module, and the path.
    used: Vec<(String, Path)>,
    /// The paths of `use` lines that are not re-exports, and all other paths in the file.
    named: BTreeSet<Path>,
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

/// Circles of imports: the shortest one of each file that is in a circle, unless a circle found before contains the
/// file.
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

/// The shortest path from a file back to itself.
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

/// The module of a file; `None` for programs, which no file imports.
fn module_of(folder: &str, path: &str) -> Option<Module> {
    let inside = path.strip_prefix(folder)?.trim_start_matches('/').strip_suffix(".rs")?;
    if inside == "main" || inside.starts_with("bin/") {
        return None;
    }
    Some(inside.split('/').filter(|part| !matches!(*part, "mod" | "lib")).map(str::to_owned).collect())
}

/// The file that defines what a path names; `None` for other crates, locals and modules as such.
fn defined_in<'a>(files: &'a BTreeMap<Module, Names>, from: &Module, path: &[String], depth: usize) -> Option<&'a str> {
    /// The most re-exports of re-exports followed, so that circles of them end.
    const MOST_STEPS: usize = 8;
    if depth > MOST_STEPS {
        return None;
    }
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
                let follow = |(known, target): &'a (String, Path)| {
                    let mut whole = target.clone();
                    whole.extend((known == "*").then(|| name.clone()));
                    whole.extend_from_slice(rest);
                    // A path that leads back to the same name would be followed for ever.
                    (whole != path || module != *from).then(|| defined_in(files, &module, &whole, depth + 1)).flatten()
                };
                let of_name = file.used.iter().filter(|(known, _)| known == name);
                let of_all = file.used.iter().filter(|(known, _)| known == "*");
                let mut found = of_name.chain(of_all).filter_map(follow);
                let is_own = (file.includes && at > 0) || file.in_item_macros.contains(name);
                return found.next().or_else(|| is_own.then_some(file.path.as_str()));
            }
        }
    }
    None
}

fn names(file: &SourceFile) -> Names {
    let parsed = syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let is_parent = file.path.ends_with("/mod.rs") || file.path.ends_with("/lib.rs");
    let mut reader = Reader { names: Names { path: file.path.clone(), ..Names::default() }, is_parent };
    parsed.items.iter().filter(|item| !is_test(item)).for_each(|item| reader.define(item));
    reader.visit_file(&parsed);
    reader.names
}

/// Collects the names of a file.
struct Reader {
    names: Names,
    is_parent: bool,
}

impl Reader {
    /// The name that an item at the top level defines.
    fn define(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::TraitAlias(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            // A module in braces is part of this file.
            Item::Mod(item) if item.content.is_some() => &item.ident,
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.names.defined.insert(name.to_string());
                }
                self.names.includes |= item.mac.path.is_ident("include");
                let mut words = BTreeSet::new();
                each_name(item.mac.tokens.clone(), &mut |path| words.extend(path.first().cloned()));
                self.names.in_item_macros.extend(words);
                return;
            }
            _ => return,
        };
        self.names.defined.insert(name.to_string());
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_re_export = self.is_parent && !matches!(item.vis, Visibility::Inherited);
        let mut found = Vec::new();
        spread(&item.tree, &mut Vec::new(), &mut found);
        for (name, path) in found {
            if !is_re_export {
                self.names.named.insert(path.clone());
            }
            self.names.used.push((name, path));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.names.named.insert(path.segments.iter().map(|part| part.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    /// The input of a macro has no syntax yet: every path in it counts.
    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.visit_path(&invocation.path);
        each_name(invocation.tokens.clone(), &mut |path| {
            self.names.named.insert(path);
        });
    }
}

/// Whether an item exists only in tests.
fn is_test(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

/// The names of a `use`, each with its path; `*` for all of a module.
fn spread(tree: &UseTree, prefix: &mut Path, found: &mut Vec<(String, Path)>) {
    let mut add = |name: String, last: &str| {
        let mut path = prefix.clone();
        // `use a::{self}` is `use a`.
        path.extend((last != "self" || prefix.is_empty()).then(|| last.to_owned()));
        found.push((if name == "self" { path.last().cloned().unwrap_or_default() } else { name }, path));
    };
    match tree {
        UseTree::Path(part) => {
            prefix.push(part.ident.to_string());
            spread(&part.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(name) => add(name.ident.to_string(), &name.ident.to_string()),
        UseTree::Rename(name) => add(name.rename.to_string(), &name.ident.to_string()),
        UseTree::Glob(_) => found.push(("*".into(), prefix.clone())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| spread(tree, prefix, found)),
    }
}

/// Calls `emit` with every path among tokens: names joined by `::`, one or several.
fn each_name(tokens: TokenStream, emit: &mut impl FnMut(Path)) {
    let mut path = Path::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 && !path.is_empty() {
                    emit(std::mem::take(&mut path));
                }
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            other => {
                if !path.is_empty() {
                    emit(std::mem::take(&mut path));
                }
                colons = 0;
                if let TokenTree::Group(group) = other {
                    each_name(group.stream(), emit);
                }
            }
        }
    }
    if !path.is_empty() {
        emit(path);
    }
}
