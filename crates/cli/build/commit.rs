//! The commit of the sources, read from files: no program is run, and git need not be installed.

use std::fs;
use std::path::{Path, PathBuf};

/// Digits of a commit's name: as many on every machine, however large its clone.
const DIGITS: usize = 9;

/// What was found out about the sources.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// The first digits of the commit; `None` where none is known.
    pub commit: Option<String>,
    /// The files that say so: where one of them changes, the commit may be another.
    pub read: Vec<PathBuf>,
}

/// The commit that `package` lies at: a published package names it in a file, a clone two folders above has it as its head. A
/// repository further up is not asked, because it may be another one that contains a copy of the package.
pub fn find(package: &Path) -> Found {
    let named = package.join(".cargo_vcs_info.json");
    if let Ok(text) = fs::read_to_string(&named) {
        let commit = text.split_once("\"sha1\"").and_then(|(_, rest)| rest.split('"').nth(1)).and_then(shortened);
        return Found { commit, read: vec![named] };
    }
    git_folder(&package.join("../../.git")).map(|git| head(&git)).unwrap_or_default()
}

/// The folder of a clone's data: `.git`, or where a file of this name points to, as in a second work tree.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_path_buf());
    }
    let text = fs::read_to_string(git).ok()?;
    Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The commit that is checked out.
fn head(git: &Path) -> Found {
    // A second work tree has a head of its own, and its branches are with those of the first one.
    let common = fs::read_to_string(git.join("commondir")).map_or_else(|_| git.to_path_buf(), |to| git.join(to.trim()));
    let Ok(text) = fs::read_to_string(git.join("HEAD")) else { return Found::default() };
    let mut read = vec![git.join("HEAD"), git.join("logs/HEAD")];
    let commit = match text.trim().strip_prefix("ref: ") {
        None => shortened(text.trim()),
        Some(branch) => {
            let (own, packed) = (common.join(branch), common.join("packed-refs"));
            let commit = fs::read_to_string(&own).ok().and_then(|text| shortened(text.trim()));
            let commit = commit.or_else(|| {
                let text = fs::read_to_string(&packed).ok()?;
                text.lines().find_map(|line| line.strip_suffix(branch)?.strip_suffix(' ').and_then(shortened))
            });
            read.extend([own, packed]);
            commit
        }
    };
    // Cargo would run the build script every time for a file that is not there.
    read.retain(|file| file.exists());
    Found { commit, read }
}

/// The first digits of a commit's name; `None` for any other text.
fn shortened(name: &str) -> Option<String> {
    let is_name = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name.then(|| name[..DIGITS].to_owned())
}
