//! Imports point upstream only, numerics know no browser, plots know no attention.

#[path = "common/sources.rs"]
mod sources;

use std::fs;
use std::path::Path;

use sources::sources;

/// The rooms in order: a room may import from itself and from those before it.
const ROOMS: [&str; 31] = [
    "random",
    "experiment",
    "tokens",
    "weights",
    "attention",
    "jacobian",
    "spectral",
    "bounds",
    "measure",
    "script",
    "fit",
    "sweep",
    "regime",
    "scaling",
    "tightness",
    "inverse",
    "hunt",
    "spectrum",
    "court",
    "models",
    "picture",
    "message",
    "runner",
    "model_message",
    "model_run",
    "plot",
    "model_charts",
    "worker",
    "model_worker",
    "app",
    "cli",
];

fn room_of(file: &Path) -> String {
    let inside = file.strip_prefix("src").expect("under src");
    let first = inside.components().next().expect("a component").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_string()
}

/// The rooms that a file names: after `crate::`, and inside `use crate::{..}`.
fn imports(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let code = code.split("#[cfg(test)]").next().unwrap_or_default().to_string();
    let mut rooms = Vec::new();
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
                    ',' if depth == 0 => rooms.push(word(std::mem::take(&mut item).trim())),
                    _ if depth == 0 => item.push(c),
                    _ => {}
                }
            }
            rooms.push(word(item.trim()));
        } else {
            rooms.push(word(part));
        }
    }
    rooms.into_iter().filter(|room| ROOMS.contains(&room.as_str())).collect()
}

#[test]
fn imports_point_upstream_only() {
    let mut n_imports = 0;
    for file in sources(Path::new("src")) {
        let room = room_of(&file);
        let Some(place) = ROOMS.iter().position(|r| *r == room) else {
            assert!(["lib", "bin", "npm"].contains(&room.as_str()), "{} is in no known room", file.display());
            continue;
        };
        for import in imports(&fs::read_to_string(&file).expect("text")) {
            let import_place = ROOMS.iter().position(|r| *r == import).expect("a room");
            assert!(import_place <= place, "{} imports from `{import}`, which is downstream", file.display());
            n_imports += 1;
        }
    }
    assert!(n_imports > 40, "only {n_imports} imports were found: the scan is broken");
}

#[test]
fn only_the_page_its_worker_and_the_npm_exports_know_a_browser() {
    for file in sources(Path::new("src")) {
        if ["worker", "model_worker", "app", "npm", "bin", "lib"].contains(&room_of(&file).as_str()) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("text");
        // The command line is native and may have a clock.
        let clock = if room_of(&file) == "cli" { &[][..] } else { &["std::time", "Instant::now"] };
        for word in ["web_sys", "js_sys", "wasm_bindgen", "leptos"].iter().chain(clock) {
            assert!(!text.contains(word), "{} knows `{word}`", file.display());
        }
    }
}

#[test]
fn plots_know_no_attention() {
    for file in sources(Path::new("src/plot")) {
        let text = fs::read_to_string(&file).expect("text");
        let foreign: Vec<String> = imports(&text).into_iter().filter(|room| room != "plot").collect();
        assert!(foreign.is_empty(), "{} imports {foreign:?}", file.display());
    }
}

#[test]
fn the_page_holds_no_formula() {
    for file in sources(Path::new("src/app")) {
        let text = fs::read_to_string(&file).expect("text");
        for room in ["attention", "jacobian", "spectral", "weights"] {
            assert!(!text.contains(&format!("crate::{room}")), "{} reaches into `{room}`", file.display());
        }
    }
}

#[test]
fn nothing_is_left_undone() {
    for file in sources(Path::new("src")).into_iter().chain(sources(Path::new("tests"))) {
        if file.ends_with("layering.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("text");
        for word in ["todo!(", "unimplemented!(", "#[ignore", "FIXME"] {
            assert!(!text.contains(word), "{} holds {word}", file.display());
        }
    }
}
