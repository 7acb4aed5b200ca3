//! The checkpoints in the folder of a run, by the step in their names.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::unreadable;
use lipscope_core::experiment::InputError;

/// A model as it was after a step of its training.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Checkpoint {
    /// The step, read from the name.
    pub(super) step: u64,
    /// A folder with a model, or a file of weights.
    pub(super) path: PathBuf,
}

/// The checkpoints of a folder, by step. Other files and folders are left out.
///
/// # Errors
/// [`InputError::File`] if there are none or the folder cannot be read; [`InputError::Conflict`] for two of one step.
pub(super) fn checkpoints(folder: &Path) -> Result<Vec<Checkpoint>, InputError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut found: Vec<Checkpoint> = entries.filter_map(|entry| Checkpoint::at(entry.ok()?.path())).collect();
    found.sort();
    if found.is_empty() {
        return Err(InputError::File {
            file: folder.display().to_string().into(),
            problem: "it holds no checkpoint whose name has a step".into(),
            fix: "Give a folder with models such as checkpoint-100, or with config.json and files such as step_100.safetensors."
                .into(),
        });
    }
    match found.windows(2).find(|pair| pair[0].step == pair[1].step) {
        Some(pair) => Err(two_of_a_step(&pair[0], &pair[1])),
        None => Ok(found),
    }
}

impl Checkpoint {
    /// The checkpoint at a path; `None` if there is none, or no step in its name.
    fn at(path: PathBuf) -> Option<Self> {
        let stem = if path.is_dir() { path.file_name() } else { path.file_stem() };
        let step = step_of(stem?.to_str()?)?;
        (is_model(&path) || is_weights(&path)).then_some(Checkpoint { step, path })
    }
}

/// Whether a path is a folder with a model.
fn is_model(path: &Path) -> bool {
    let has_weights = || fs::read_dir(path).is_ok_and(|files| files.flatten().any(|file| is_weights(&file.path())));
    path.is_dir() && (path.join("config.json").is_file() || has_weights())
}

/// Whether a path is a whole file of weights, and not one of several of a model.
fn is_weights(path: &Path) -> bool {
    let is_one_of_several = || path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains("-of-"));
    path.is_file() && path.extension().is_some_and(|extension| extension == "safetensors") && !is_one_of_several()
}

/// The step in a name: the number after "step", or else that at the end.
fn step_of(name: &str) -> Option<u64> {
    let lower = name.to_ascii_lowercase();
    let mut ends = lower.match_indices("step").map(|(at, word)| at + word.len());
    let after_word = ends.find_map(|end| leading_number(name[end..].trim_start_matches(['-', '_', '=', '.'])));
    after_word.or_else(|| trailing_number(name))
}

fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

fn trailing_number(text: &str) -> Option<u64> {
    let count = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    text[text.len() - count..].parse().ok()
}

fn two_of_a_step(one: &Checkpoint, other: &Checkpoint) -> InputError {
    InputError::Conflict {
        what: format!("{} and {}", one.path.display(), other.path.display()).into(),
        problem: format!("are both of step {}", one.step).into(),
        fix: "Move one of them to another folder.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_from_names_as_trainers_write_them() {
        for (name, step) in [
            ("checkpoint-100", Some(100)),
            ("step_200", Some(200)),
            ("global_step300", Some(300)),
            ("epoch=1-step=2000", Some(2000)),
            ("step-100-loss-2.5", Some(100)),
            ("iter_0000400", Some(400)),
            ("steps_7", Some(7)),
            ("5", Some(5)),
            ("checkpoint-last", None),
            ("step-99999999999999999999", None),
            ("é9", Some(9)),
            ("", None),
        ] {
            assert_eq!(step_of(name), step, "{name}");
        }
    }

    #[test]
    fn folders_and_files_are_found_by_step_and_others_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        assert!(checkpoints(folder.path()).expect_err("empty").to_string().contains("no checkpoint"));
        for name in ["checkpoint-1000", "checkpoint-200", "logs-7"] {
            fs::create_dir(at(name)).expect("a folder");
        }
        fs::write(at("checkpoint-1000/config.json"), "{}").expect("a file");
        fs::write(at("checkpoint-200/model.safetensors"), "").expect("a file");
        for name in ["step_30.safetensors", "model-00001-of-00002.safetensors", "events-5.txt"] {
            fs::write(at(name), "").expect("a file");
        }
        let steps = |found: Vec<Checkpoint>| found.iter().map(|one| one.step).collect::<Vec<_>>();
        assert_eq!(checkpoints(folder.path()).map(steps), Ok(vec![30, 200, 1000]));
        fs::write(at("step_200.safetensors"), "").expect("a file");
        let said = checkpoints(folder.path()).expect_err("two of one step").to_string();
        assert!(said.contains("are both of step 200"), "{said}");
    }
}
