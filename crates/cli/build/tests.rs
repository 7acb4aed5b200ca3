//! Tests of the build script: the commit that a release names, and the names of the bounds.

mod commit;
mod words;

use std::fs;

#[test]
fn a_release_names_the_commit_of_its_clone_or_of_its_package() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    let package = folder.path().join("crates/cli");
    fs::create_dir_all(&package).expect("made");
    let found = || commit::find(&package).commit;
    let name = |digit: &str| digit.repeat(40) + "\n";
    assert_eq!(commit::find(&package), commit::Found::default(), "no commit is known");
    // A branch in a file of its own, packed, and no branch.
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(".git/packed-refs", &format!("# pack-refs\n{} refs/heads/main\n", name("a").trim()));
    assert_eq!(found().as_deref(), Some("aaaaaaaaa"));
    write(".git/refs/heads/main", &name("b"));
    assert_eq!(found().as_deref(), Some("bbbbbbbbb"));
    assert_eq!(commit::find(&package).read.len(), 3, "cargo watches only files that exist");
    write(".git/HEAD", &name("c"));
    assert_eq!(found().as_deref(), Some("ccccccccc"));
    write(".git/HEAD", "none\n");
    assert_eq!(found(), None);
    // A second work tree.
    fs::rename(folder.path().join(".git"), folder.path().join("first")).expect("moved");
    write(".git", "gitdir: first/worktrees/second\n");
    write("first/worktrees/second/HEAD", "ref: refs/heads/main\n");
    write("first/worktrees/second/commondir", "../..\n");
    assert_eq!(found().as_deref(), Some("bbbbbbbbb"));
    // A published package.
    write("crates/cli/.cargo_vcs_info.json", &format!(r#"{{"git": {{"sha1": "{}"}}}}"#, name("d").trim()));
    assert_eq!(found().as_deref(), Some("ddddddddd"));
}

#[test]
fn the_names_of_the_bounds_are_a_constant_and_a_broken_catalogue_is_named() {
    let source = words::generate("[bound_label]\nfork = \"a \\\"fork\\\"\"\n\n[source]\nours = \"ours\"\n");
    let expected = "const BOUND_LABELS: [(&str, &str); 1] = [(\"fork\", \"a \\\"fork\\\"\")];\n\
                    const BOUND_SOURCES: [(&str, &str); 1] = [(\"ours\", \"ours\")];\n";
    assert_eq!(source.as_deref(), Ok(expected));
    assert_eq!(words::generate("[source]").as_deref(), Err(&"there is no table [bound_label]".to_owned()));
    let number = words::generate("[bound_label]\nfork = 1\n[source]\n");
    assert_eq!(number.as_deref(), Err(&"`fork` in [bound_label] is no text".to_owned()));
}
