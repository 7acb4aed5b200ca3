//! Writes the documents of the site: `documents SITE`, from the root of the repository. The build of the site runs it
//! (`scripts/assemble.sh`).

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use lipscope_documents::{body, page};

/// The documents of the site: the name of the file in `docs`, and what it is about.
const DOCUMENTS: [(&str, &str); 2] = [
    ("theory", "Every bound and witness of Lipscope: statement, hypotheses, source and, where it is ours, proof."),
    (
        "training",
        "Small Transformers with nine kinds of attention: how they are trained, run backwards, and what was seen.",
    ),
];

fn main() -> ExitCode {
    let Some(site) = env::args_os().nth(1) else {
        eprintln!("documents SITE: name the folder of the site");
        return ExitCode::from(2);
    };
    let site = Path::new(&site);
    for (name, about) in DOCUMENTS {
        if let Err(problem) = write(site, name, about) {
            eprintln!("docs/{name}.md: {problem}");
            return ExitCode::FAILURE;
        }
    }
    if let Err(problem) = write_style(site) {
        eprintln!("document.css: {problem}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn write(site: &Path, name: &str, about: &str) -> Result<(), Box<dyn Error>> {
    let text = body(&fs::read_to_string(format!("docs/{name}.md"))?, &DOCUMENTS.map(|(name, _)| name))?;
    fs::write(site.join(format!("{name}.html")), page(&text, about))?;
    for picture in &text.pictures {
        let to = site.join(picture);
        fs::create_dir_all(to.parent().unwrap_or(site))?;
        fs::copy(Path::new("docs").join(picture), to)?;
    }
    println!("documents: {name}.html, {} formulas", text.formulas);
    Ok(())
}

/// The style sheet of all documents. Its colours are those of the explorer.
fn write_style(site: &Path) -> Result<(), Box<dyn Error>> {
    let style = fs::read_to_string("style/base.css")? + &fs::read_to_string("style/document.css")?;
    Ok(fs::write(site.join("document.css"), style)?)
}
