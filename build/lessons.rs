//! Reads the lessons, so that a wrong one fails the build.

use std::collections::BTreeSet;
use std::path::Path;

use crate::read;

mod file {
    include!("../src/lessons/file.rs");
}

use file::{Edition, Fault};

/// Checks that every English lesson can be read, and that its Chinese file agrees with it.
pub fn check() -> Result<(), String> {
    let names = |language: &str| -> Result<BTreeSet<String>, String> {
        let folder = format!("lessons/{language}");
        let files = std::fs::read_dir(&folder).map_err(|problem| format!("{folder}: {problem}"))?;
        Ok(files.flatten().filter_map(|file| file.file_name().into_string().ok()).collect())
    };
    let (english, chinese) = (names("en")?, names("zh")?);
    if let Some(alone) = english.symmetric_difference(&chinese).next() {
        return Err(format!("{alone} stands in one of lessons/en and lessons/zh only"));
    }
    for name in &english {
        let paths = [format!("lessons/en/{name}"), format!("lessons/zh/{name}")];
        let [en, zh] = [read(Path::new(&paths[0]))?, read(Path::new(&paths[1]))?];
        let at = |path: &str| {
            let path = path.to_owned();
            move |Fault { line, text }: Fault| format!("{path}:{line}: {text}")
        };
        let en = file::parse(&en, Edition::English).map_err(at(&paths[0]))?;
        let zh = file::parse(&zh, Edition::Translation).map_err(at(&paths[1]))?;
        file::agree(&en, &zh).map_err(at(&paths[1]))?;
        if en.value("id").map(|id| format!("{id}.md")).as_deref() != Some(name) {
            return Err(format!("{}:1: its `id` is not its name", paths[0]));
        }
    }
    Ok(())
}
