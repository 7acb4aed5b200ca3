//! Writes the documents of the site: `documents SITE`, from the root of the repository. The build of the site runs it
//! (`scripts/assemble.sh`).

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use lipscope_documents::{documents, page, sections};

fn main() -> ExitCode {
    let Some(site) = env::args_os().nth(1) else {
        eprintln!("documents SITE: name the folder of the site");
        return ExitCode::from(2);
    };
    match write(&Path::new(&site).join("docs")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let all = documents(Path::new(".")).map_err(|(file, problem)| format!("{file}: {problem}"))?;
    fs::create_dir_all(folder)?;
    for document in &all {
        fs::write(folder.join(format!("{}.html", document.chapter.name)), page(document, &all))?;
        for file in &document.body.files {
            let to = folder.join(file);
            fs::create_dir_all(to.parent().unwrap_or(folder))?;
            fs::copy(Path::new("docs").join(file), to)?;
        }
    }
    // The style sheet of all documents. Its colours are those of the explorer.
    let style = fs::read_to_string("style/base.css")? + &fs::read_to_string("style/document.css")?;
    fs::write(folder.join("document.css"), style)?;
    // The search: its index, and its scripts, which every page loads.
    let sections = sections(&all);
    fs::write(folder.join("search.json"), serde_json::to_string(&sections)?)?;
    for script in ["search.js", "ranking.js"] {
        fs::copy(Path::new("assets/documents").join(script), folder.join(script))?;
    }
    let formulas: usize = all.iter().map(|document| document.body.formulas).sum();
    println!("documents: {} pages, {} sections, {formulas} formulas", all.len(), sections.len());
    Ok(())
}
