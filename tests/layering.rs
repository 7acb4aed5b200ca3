//! Checks what Cargo cannot enforce: the order of the engine's modules and of the models' rooms, the imports between
//! the page's features, and words banned from some crates. `FORBIDDEN` lists which crate may not depend on which,
//! checked over `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use lipscope_testkit::imports::{circles, fields_of, imports as imports_between};
use lipscope_testkit::in_repository;
use lipscope_testkit::sources::{SourceFile, sources};
use serde_json::Value;

/// The engine's modules in order: a module imports only from itself and from earlier ones.
const MODULES: [&str; 28] = [
    "extremum",
    "parallel",
    "random",
    "experiment",
    "identity",
    "qr",
    "tokens",
    "weights",
    "attention",
    "jacobian",
    "spectral",
    "bounds",
    "cost",
    "measure",
    "script",
    "fit",
    "sweep",
    "growth",
    "gap",
    "scaling",
    "tightness",
    "inverse",
    "search",
    "compare",
    "certify",
    "spectrum",
    "estimators",
    "picture",
];

/// Crates, and the crates that they must not depend on, directly or through our other crates. A crate that runs only in
/// the browser may depend on crates that are linked only natively, such as the engine's threads.
const FORBIDDEN: [(&str, &[&str]); 12] = [
    ("lipscope-core", &["web-sys", "js-sys", "wasm-bindgen", "plotters", "leptos", "clap"]),
    ("lipscope-plot", &["lipscope-core", "web-sys", "leptos", "nalgebra"]),
    ("lipscope-models", &["web-sys", "leptos", "clap"]),
    ("lipscope-train", &["web-sys", "leptos", "clap", "lipscope-models", "lipscope-plot"]),
    ("lipscope-run", &["web-sys", "leptos", "clap", "lipscope-models", "lipscope-train"]),
    ("lipscope-protocol", &["web-sys", "leptos", "clap"]),
    ("lipscope-documents", &["lipscope", "lipscope-core", "web-sys", "leptos"]),
    ("lipscope-workers", &["leptos", "lipscope", "clap", "rayon"]),
    ("lipscope-cli", &["leptos", "lipscope", "web-sys"]),
    (
        "lipscope-npm",
        &[
            "leptos",
            "clap",
            "web-sys",
            "lipscope",
            "lipscope-plot",
            "lipscope-models",
            "lipscope-train",
            "lipscope-run",
            "lipscope-protocol",
            "lipscope-workers",
            "lipscope-cli",
            "lipscope-python",
        ],
    ),
    ("lipscope-python", &["leptos", "lipscope", "lipscope-cli", "clap", "web-sys"]),
    ("lipscope", &["clap", "lipscope-workers", "lipscope-cli", "lipscope-npm", "lipscope-python"]),
];

/// A file without its comments and its inline tests.
fn code(file: &SourceFile) -> String {
    let lines = file.text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    code.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

/// The modules named in a file after `crate::` and inside `use crate::{..}`.
fn imports(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for part in code.split("crate::").skip(1) {
        let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if let Some(list) = part.strip_prefix('{') {
            let mut depth = 0;
            let mut item = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => modules.push(word(std::mem::take(&mut item).trim())),
                    _ if depth == 0 => item.push(c),
                    _ => {}
                }
            }
            modules.push(word(item.trim()));
        } else {
            modules.push(word(part));
        }
    }
    modules.into_iter().filter(|module| MODULES.contains(&module.as_str())).collect()
}

#[test]
fn the_engines_modules_import_from_earlier_ones_only() {
    let mut n_imports = 0;
    for file in sources("crates/core/src") {
        let inside = file.path.trim_start_matches("crates/core/src/");
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        if module == "lib" {
            continue;
        }
        let place = MODULES.iter().position(|known| *known == module);
        let place = place.unwrap_or_else(|| panic!("{} is in no module of the list", file.path));
        for import in imports(&code(&file)) {
            let import_place = MODULES.iter().position(|known| *known == import).expect("a module");
            assert!(import_place <= place, "{} imports from `{import}`, which is later in the list", file.path);
            n_imports += 1;
        }
    }
    assert!(n_imports > 40, "only {n_imports} imports were found: the scan is broken");
}

/// The rooms of the models, each with the rooms that it may import from.
const MODEL_ROOMS: [(&str, &[&str]); 8] = [
    ("text", &[]),
    ("config", &[]),
    ("pictures", &["text", "config"]),
    ("parts", &["config", "pictures"]),
    ("read", &["text", "config", "pictures", "parts"]),
    ("results", &["config"]),
    ("run", &["text", "config", "parts", "read", "results"]),
    ("charts", &["config", "results"]),
];

#[test]
fn the_rooms_of_the_models_import_from_rooms_upstream_only() {
    let folder = "crates/models/src";
    let room_of = |path: &str| {
        let inside = path.trim_start_matches(folder).trim_start_matches('/');
        inside.split(['/', '.']).next().unwrap_or_default().to_owned()
    };
    for (at, (room, upstream)) in MODEL_ROOMS.iter().enumerate() {
        let earlier = &MODEL_ROOMS[..at];
        let is_earlier = |other: &&str| earlier.iter().any(|(known, _)| known == other);
        assert!(upstream.iter().all(is_earlier), "`{room}` is listed before a room that it uses");
    }
    let mut n_imports = 0;
    for (file, targets) in imports_between(folder, &sources(folder)) {
        let room = room_of(&file);
        if room == "lib" {
            continue;
        }
        let listed = MODEL_ROOMS.iter().find(|(known, _)| *known == room);
        let (_, upstream) = listed.unwrap_or_else(|| panic!("{file} is in no room of the list"));
        for target in targets {
            let other = room_of(&target);
            assert!(other == room || upstream.contains(&other.as_str()), "{file} imports from `{other}`: {target}");
            n_imports += 1;
        }
    }
    assert!(n_imports > 300, "only {n_imports} imports were found: the scan is broken");
}

/// The source folders of this repository's crates: every tree that imports by `crate::`.
const CRATES: [&str; 12] = [
    "src",
    "crates/core/src",
    "crates/plot/src",
    "crates/models/src",
    "crates/train/src",
    "crates/run/src",
    "crates/protocol/src",
    "crates/workers/src",
    "crates/cli/src",
    "crates/documents/src",
    "crates/npm/src",
    "crates/python/src",
];

#[test]
fn no_file_imports_in_a_circle() {
    let mut found = Vec::new();
    let mut n_imports = 0;
    for folder in CRATES {
        let imports = imports_between(folder, &sources(folder));
        n_imports += imports.values().map(BTreeSet::len).sum::<usize>();
        found.extend(circles(&imports));
    }
    let circles: Vec<String> = found.iter().map(|circle| circle.join(" -> ")).collect();
    assert!(circles.is_empty(), "files import in circles:\n{}", circles.join("\n"));
    assert!(n_imports > 2000, "only {n_imports} imports were found: the scan is broken");
}

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.into(), text: text.into() }
}

#[test]
fn a_planted_circle_of_imports_is_found() {
    let files = |of_last: &str| {
        [
            file("src/lib.rs", "mod first;\nmod rooms;\n"),
            file("src/first.rs", "use crate::rooms::Second;\n\npub struct First(Second);\n"),
            file("src/rooms/mod.rs", "mod last;\nmod second;\n\npub use second::Second;\n"),
            file("src/rooms/second.rs", "use super::last::{self, Last};\n\npub struct Second(Last);\n"),
            file("src/rooms/last.rs", of_last),
        ]
    };
    let imports = imports_between("src", &files("pub struct Last;\n"));
    assert_eq!(circles(&imports), Vec::<Vec<String>>::new());
    assert_eq!(imports.values().map(BTreeSet::len).sum::<usize>(), 2, "{imports:?}");
    let imports = imports_between("src", &files("use crate::first::First;\n\npub struct Last(Box<First>);\n"));
    let circle = ["src/first.rs", "src/rooms/second.rs", "src/rooms/last.rs", "src/first.rs"];
    assert_eq!(circles(&imports), [circle]);
}

#[test]
fn a_circle_is_found_however_names_are_defined_and_written() {
    let defined = [
        "pub fn there<const N: usize>(of: [u8; N]) -> usize {\n    of.len() + BACK\n}\n",
        "pub fn there(of: &'static str, f: fn(usize) -> usize) -> usize {\n    f(of.len() + BACK)\n}\n",
        "pub const fn there() -> usize {\n    BACK\n}\n",
        "pub static there: fn() -> usize = || BACK;\n",
        "pub type there = [u8; BACK];\n",
        "pub struct there<T: Fn(usize) -> usize>(pub T, [u8; BACK]);\n",
        "macro_rules! make {\n    ($name:ident) => {\n        pub fn $name() -> usize { BACK }\n    };\n}\nmake!(there);\n",
    ];
    let named = [
        "use super::super::rooms::there;\n\npub const BACK: usize = 1;\n",
        "use crate::rooms::*;\n\npub const BACK: usize = 1;\npub fn call() {\n    let _ = there;\n}\n",
        "pub const BACK: usize = 1;\npub fn call() {\n    println!(\"{:?}\", { crate::rooms::there; });\n}\n",
        "pub const BACK: usize = 1;\npub trait Call {\n    fn call(&self) {\n        let _ = super::super::rooms::deep::there;\n    }\n}\n",
    ];
    for (definition, naming) in
        defined.iter().flat_map(|definition| named.iter().map(move |naming| (definition, naming)))
    {
        let files = [
            file("src/lib.rs", "mod halls;\nmod rooms;\n"),
            file("src/halls/mod.rs", "pub mod far;\n"),
            file("src/halls/far.rs", naming),
            file("src/rooms/mod.rs", "pub mod deep;\n\npub use deep::there;\n"),
            file("src/rooms/deep.rs", &format!("use crate::halls::far::BACK;\n\n{definition}")),
        ];
        let imports = imports_between("src", &files);
        let circle = ["src/halls/far.rs", "src/rooms/deep.rs", "src/halls/far.rs"];
        assert_eq!(circles(&imports), [circle], "{naming}\n{definition}\n{imports:?}");
    }
}

#[test]
fn tests_inside_of_a_file_import_nothing() {
    let files = [
        file("src/lib.rs", "mod above;\nmod below;\n"),
        file("src/above.rs", "use crate::below::Below;\n\npub struct Above(Below);\n"),
        file("src/below.rs", "pub struct Below;\n\n#[cfg(test)]\nmod tests {\n    use crate::above::Above;\n}\n"),
    ];
    assert_eq!(circles(&imports_between("src", &files)), Vec::<Vec<String>>::new());
}

/// A crate that a package links.
struct Dependency {
    name: String,
    /// Whether it is left out in the browser.
    is_native: bool,
}

/// Crates that run only in the browser.
const BROWSER: [&str; 1] = ["lipscope-workers"];

/// The direct dependencies of every package of the workspace, without dev and build dependencies.
fn dependencies() -> BTreeMap<String, Vec<Dependency>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--no-deps"])
        .current_dir(in_repository("."))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list").iter();
            let linked = dependencies.filter(|dependency| dependency["kind"].is_null());
            let all = linked.filter_map(|dependency| {
                let is_native = dependency["target"].as_str() == Some("cfg(not(target_arch = \"wasm32\"))");
                Some(Dependency { name: dependency["name"].as_str()?.to_owned(), is_native })
            });
            (package["name"].as_str().expect("a name").to_owned(), all.collect())
        })
        .collect()
}

#[test]
fn no_crate_depends_on_a_forbidden_crate() {
    let dependencies = dependencies();
    let of_ours = |name: &str| name.starts_with("lipscope");
    for (package, forbidden) in FORBIDDEN {
        let mut reached = vec![package.to_owned()];
        let mut at = 0;
        while let Some(name) = reached.get(at).cloned() {
            at += 1;
            let direct = dependencies.get(&name).unwrap_or_else(|| panic!("there is no package {name}"));
            for Dependency { name: dependency, .. } in
                direct.iter().filter(|dependency| !dependency.is_native || !BROWSER.contains(&package))
            {
                assert!(!forbidden.contains(&dependency.as_str()), "{package} reaches {dependency} by {name}");
                // Libraries may have optional dependencies with these names that are not enabled.
                if of_ours(dependency) && !reached.contains(dependency) {
                    reached.push(dependency.clone());
                }
            }
        }
    }
}

/// Crates without clock and threads: the engine and what lies beside it, beneath the workers.
const CLOCKLESS: [&str; 6] = [
    "crates/core/src",
    "crates/models/src",
    "crates/train/src",
    "crates/run/src",
    "crates/protocol/src",
    "crates/plot/src",
];

#[test]
fn one_file_of_the_engine_knows_threads() {
    for folder in CLOCKLESS {
        for file in sources(folder).iter().filter(|file| file.path != "crates/core/src/parallel.rs") {
            for word in ["rayon::", "std::thread", "use std::sync::Mutex"] {
                assert!(!code(file).contains(word), "{} knows `{word}`", file.path);
            }
        }
    }
}

/// `f64::max` drops a NaN. Code that computes takes a maximum by the rule of `crates/core/src/extremum.rs`.
#[test]
fn no_maximum_of_a_list_drops_a_nan() {
    let mut n_files = 0;
    for folder in CRATES.iter().filter(|folder| !["src", "crates/plot/src"].contains(folder)) {
        for file in &sources(folder) {
            n_files += 1;
            assert!(!code(file).contains("f64::max)"), "{} folds with f64::max, which drops a NaN", file.path);
        }
    }
    assert!(n_files > 200, "only {n_files} files were found: the scan is broken");
}

/// Native lints see all code without conditions on the target. Other code is only in the engine and where the page and
/// its worker are cut, so `scripts/test.sh check` runs the browser's lints over `core` alone.
#[test]
fn code_for_one_target_is_in_the_engine_and_where_programs_are_cut() {
    // Whether standard output was closed at the start is known on Linux alone: crates/cli/src/output.rs.
    const CUTS: [&str; 3] = ["src/main.rs", "crates/workers/src/bin/worker.rs", "crates/cli/src/output.rs"];
    let folders = ["src", "crates", "build", "benches"].map(sources);
    let of_one_target = folders.iter().flatten().filter(|file| {
        let code = code(file);
        ["(target_", " target_", "cfg(unix", "cfg(windows", "not(unix", "not(windows"]
            .iter()
            .any(|word| code.contains(word))
    });
    let paths: Vec<&str> = of_one_target.map(|file| file.path.as_str()).collect();
    assert!(CUTS.iter().all(|cut| paths.contains(cut)) && paths.len() > 3, "{paths:?}");
    for path in paths {
        assert!(path.starts_with("crates/core/src/") || CUTS.contains(&path), "{path} has code for one target");
    }
}

#[test]
fn the_crates_beneath_the_workers_have_no_clock() {
    for folder in CLOCKLESS {
        for file in sources(folder) {
            for word in ["std::time", "Instant::now", "SystemTime"] {
                assert!(!file.text.contains(word), "{} knows `{word}`", file.path);
            }
        }
    }
}

/// The features of the page, one folder each. A feature imports from itself and from shared code, never from another
/// feature. The shell and the table of the later part combine them.
const FEATURES: [&str; 9] =
    ["explore", "growth", "labs", "models", "train", "lessons", "classroom", "own", "projector"];

/// Folders that a feature may import from: the panel that shows the lessons uses their texts.
const BENEATH: [(&str, &str); 1] = [("classroom", "lessons")];

/// The folder or file at the root of the page that contains a file.
fn room_of(path: &str) -> &str {
    path.trim_start_matches("src/").split(['/', '.']).next().unwrap_or_default()
}

#[test]
fn no_feature_of_the_page_imports_from_another() {
    let mut n_files = 0;
    for (file, targets) in imports_between("src", &sources("src")) {
        let feature = room_of(&file);
        if !FEATURES.contains(&feature) {
            continue;
        }
        n_files += 1;
        for target in targets {
            let other = room_of(&target);
            let is_allowed = other == feature || !FEATURES.contains(&other) || BENEATH.contains(&(feature, other));
            assert!(is_allowed, "{file} reaches into the feature `{other}`: {target}");
        }
    }
    assert!(n_files > 60, "only {n_files} files of features were found: the scan is broken");
}

#[test]
fn what_is_beneath_the_features_knows_none_of_them() {
    // These put the features together.
    const COMPOSING: [&str; 5] =
        ["src/opening/mod.rs", "src/shell.rs", "src/plots.rs", "src/later.rs", "src/later_table.rs"];
    let mut n_files = 0;
    for (file, targets) in imports_between("src", &sources("src")) {
        if FEATURES.contains(&room_of(&file)) || COMPOSING.contains(&file.as_str()) {
            continue;
        }
        n_files += 1;
        for target in targets {
            assert!(!FEATURES.contains(&room_of(&target)), "{file} reaches into the feature of {target}");
        }
    }
    assert!(n_files > 60, "only {n_files} files beneath the features were found: the scan is broken");
}

/// The page's context stays small: state that belongs to one feature is kept by that feature.
#[test]
fn the_pages_context_has_ten_fields_at_most() {
    let text = std::fs::read_to_string(in_repository("src/page/context.rs")).expect("a file");
    let fields = fields_of(&text, "Page").expect("the page's context");
    assert!((5..=10).contains(&fields), "`Page` has {fields} fields: give a feature a context of its own");
}

/// ARCHITECTURE.md lists the functions through which one movement of a slider goes. Each file of the page is entered
/// once on the way to the workers and once on the way back, and each function is where the list says.
#[test]
fn a_movement_of_a_slider_enters_each_file_of_the_page_once_on_each_way() {
    let read = |path: &str| std::fs::read_to_string(in_repository(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let text = read("ARCHITECTURE.md");
    let (_, section) = text.split_once("## One movement of a slider\n").expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let (out, rest) = section.split_once("In the worker:").expect("the way to the workers");
    let (_, back) = rest.split_once("Back on the page:").expect("the way back");
    for way in [out, back] {
        let files: Vec<String> = quoted(way).into_iter().filter(|name| name.starts_with("src/")).collect();
        let distinct: BTreeSet<&String> = files.iter().collect();
        assert!(files.len() >= 5 && distinct.len() == files.len(), "a file is entered twice: {files:?}");
    }
    let steps = section.lines().filter(|line| line.split_once(". ").is_some_and(|(at, _)| at.parse::<u8>().is_ok()));
    assert!((7..=9).contains(&steps.count()), "the way of a slider's movement has grown");
    let names = quoted(section);
    let (files, functions): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| name.contains('/'));
    let code: Vec<String> = files.iter().filter(|file| file.ends_with(".rs")).map(|file| read(file)).collect();
    let methods: Vec<&str> = functions.iter().filter_map(|name| Some(name.rsplit_once("::")?.1)).collect();
    assert!(methods.len() > 20, "only {} functions were found: the scan is broken", methods.len());
    for method in methods.iter().filter(|name| name.starts_with(char::is_lowercase)) {
        let is_defined = code.iter().any(|code| code.contains(&format!("fn {method}")));
        assert!(is_defined, "ARCHITECTURE.md names `{method}`, which none of the files beside it defines");
    }
}

#[test]
fn the_page_holds_no_formula() {
    for file in sources("src") {
        for module in ["attention", "jacobian", "spectral", "weights"] {
            let path = format!("lipscope_core::{module}");
            assert!(!file.text.contains(&path), "{} reaches into `{module}`", file.path);
        }
    }
}

#[test]
fn nothing_is_left_undone() {
    for file in ["src", "crates", "tests", "benches"].into_iter().flat_map(sources) {
        if file.path == "tests/layering.rs" {
            continue;
        }
        for word in ["todo!(", "unimplemented!(", "#[ignore", "FIXME", "#[path", "allow(dead_code"] {
            assert!(!file.text.contains(word), "{} holds {word}", file.path);
        }
    }
}
