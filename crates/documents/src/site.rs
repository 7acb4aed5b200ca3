//! All documents together: their pages, and the links between them.

use std::fs;
use std::path::Path;

use crate::body::{Body, Target, body};
use crate::chapters::{Chapter, chapters};
use crate::problem::Problem;

/// A document of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Which one.
    pub chapter: Chapter,
    /// Its text.
    pub body: Body,
}

impl Document {
    /// Its title: its first heading.
    pub fn title(&self) -> &str {
        self.body.headings.first().map_or(self.chapter.name, |heading| &heading.text)
    }
}

/// Reads the documents of the repository whose root is `root`.
///
/// # Errors
/// The name of the first file with a problem, and the problem: what keeps a document from becoming a page, or a link to
/// another document that lacks the heading.
pub fn documents(root: &Path) -> Result<Vec<Document>, (String, Problem)> {
    let mut found = Vec::new();
    for chapter in chapters() {
        let in_file = |problem| (format!("docs/{}.md", chapter.name), problem);
        let text = read(root, &format!("{}.md", chapter.name)).map_err(in_file)?;
        let text = with_files(root, &text).map_err(in_file)?;
        found.push(Document { chapter, body: body(&text, &|address| target(root, address)).map_err(in_file)? });
    }
    for document in &found {
        if let Some(link) = document.body.links.iter().find(|link| !leads(&found, link)) {
            return Err((format!("docs/{}.md", document.chapter.name), Problem::Link(link.clone())));
        }
    }
    Ok(found)
}

fn read(root: &Path, file: &str) -> Result<String, Problem> {
    let path = root.join("docs").join(file);
    fs::read_to_string(&path)
        .map_err(|problem| Problem::File { path: format!("docs/{file}"), reason: problem.to_string() })
}

/// The text with files of `docs` in the places of its lines `<!-- show: FILE -->`, as code.
fn with_files(root: &Path, text: &str) -> Result<String, Problem> {
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_prefix("<!-- show: ").and_then(|rest| rest.strip_suffix(" -->")) {
            Some(file) => {
                let kind = file.rsplit('.').next().unwrap_or_default();
                out += &format!("```{kind}\n{}\n```\n", read(root, file)?.trim_end());
            }
            None => out = out + line + "\n",
        }
    }
    Ok(out)
}

fn target(root: &Path, address: &str) -> Option<Target> {
    if let Some((name, anchor)) = address.split_once(".md")
        && chapters().any(|chapter| chapter.name == name)
    {
        return Some(Target::Page(format!("{name}.html{anchor}")));
    }
    if address == "../" || address.starts_with("../#v3") {
        return Some(Target::Explorer);
    }
    let path = root.join("docs").join(address);
    match (path.is_file() && !address.starts_with("../") && !address.ends_with(".md"), path.exists()) {
        (true, _) => Some(Target::File),
        (false, true) => Some(Target::Elsewhere),
        (false, false) => None,
    }
}

/// Whether a link to a page leads to one, and its anchor to a heading there.
fn leads(all: &[Document], link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let document = all.iter().find(|document| file.strip_suffix(".html") == Some(document.chapter.name));
    document.is_some_and(|document| {
        anchor.is_empty() || document.body.headings.iter().any(|heading| heading.anchor == anchor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository whose documents have only titles, apart from some.
    fn repository(texts: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("docs")).expect("a folder");
        for chapter in chapters() {
            let own = texts.iter().find(|(name, _)| *name == chapter.name).map(|(_, text)| *text);
            let text = own.map_or_else(|| format!("# {}\n", chapter.name), Into::into);
            fs::write(folder.path().join(format!("docs/{}.md", chapter.name)), text).expect("a file");
        }
        fs::write(folder.path().join("docs/a.json"), "{\"a\": 1}\n").expect("a file");
        fs::write(folder.path().join("LICENSE"), "").expect("a file");
        folder
    }

    #[test]
    fn documents_link_to_each_other_and_to_files() {
        let index = "# I\n\n[t](theory.md#a-b) [f](a.json) [l](../LICENSE)\n\n<!-- show: a.json -->\n";
        let folder = repository(&[("index", index), ("theory", "# T\n\n## A b\n")]);
        let made = documents(folder.path()).expect("documents");
        let body = &made[0].body;
        assert_eq!((&body.links[..], &body.files[..]), (&["theory.html#a-b".into()][..], &["a.json".into()][..]));
        assert!(body.html.contains("</a> l</p>") && body.html.contains("{\"a\": 1}"), "{}", body.html);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_refused_with_its_file() {
        for (link, problem) in [
            ("theory.md#c", "theory.html#c"),
            ("theroy.md", "theroy.md"),
            ("../NOTHING", "../NOTHING"),
            ("b.json", "b.json"),
        ] {
            let folder = repository(&[("python", &format!("# P\n\n[x]({link})\n"))]);
            let refused = documents(folder.path()).err();
            assert_eq!(refused, Some(("docs/python.md".into(), Problem::Link(problem.into()))));
        }
    }

    #[test]
    fn a_file_that_is_to_be_shown_and_does_not_exist_is_refused() {
        let folder = repository(&[("python", "<!-- show: b.json -->\n")]);
        let refused = documents(folder.path()).expect_err("no file");
        assert!(matches!(&refused.1, Problem::File { path, .. } if path == "docs/b.json"), "{refused:?}");
    }
}
