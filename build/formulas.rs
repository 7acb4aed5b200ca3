//! Makes MathML of the formulas: of those of the bounds, whose TeX stands in their statements in the engine, and of those
//! of the lessons in `lessons/formulas.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

use crate::read;

/// The folder with a file for each bound.
pub const BOUNDS: &str = "crates/core/src/bounds";
/// The formulas of the lessons.
pub const LESSONS: &str = "lessons/formulas.toml";

/// Between two formulas of one text.
const BETWEEN: &str = r"\quad ";

/// The code of two tables: the formulas of the bounds by id, and those of the lessons by name.
///
/// # Errors
/// A file that cannot be read, or TeX that is none, in a sentence.
pub fn generate() -> Result<String, String> {
    let mut bounds = BTreeMap::new();
    for path in sources(Path::new(BOUNDS))? {
        for (id, tex) in statements(&read(&path)?) {
            bounds.insert(id, inline(&tex)?);
        }
    }
    let lessons: BTreeMap<String, String> =
        toml::from_str(&read(Path::new(LESSONS))?).map_err(|problem| format!("{LESSONS}: {problem}"))?;
    let lessons = lessons
        .into_iter()
        .map(|(name, tex)| Ok((name, blocks(&tex)?)))
        .collect::<Result<BTreeMap<String, String>, String>>()?;
    Ok(table("BOUNDS", &bounds) + &table("LESSONS", &lessons))
}

fn table(name: &str, formulas: &BTreeMap<String, String>) -> String {
    let mut code = format!("pub static {name}: [(&str, &str); {}] = [", formulas.len());
    formulas.iter().for_each(|(key, markup)| write!(code, "({key:?}, {markup:?}),").expect("a text takes all"));
    code + "];\n"
}

/// The ids and the TeX of the statements in a source.
fn statements(source: &str) -> Vec<(String, String)> {
    let after = |text: &str, begin: &str, end: &str| {
        let (_, rest) = text.split_once(begin)?;
        Some(rest.split_once(end)?.0.to_owned())
    };
    source
        .split(": Statement = Statement {")
        .skip(1)
        .filter_map(|rest| {
            let (statement, _) = rest.split_once("\n};")?;
            Some((after(statement, "id: \"", "\"")?, after(statement, "tex: Some(r\"", "\"")?))
        })
        .collect()
}

/// A formula within a line, without its `<math>`: the page adds it.
fn inline(tex: &str) -> Result<String, String> {
    let markup = convert(tex, MathDisplay::Inline)?;
    let inside = markup.strip_prefix("<math>").and_then(|markup| markup.strip_suffix("</math>"));
    inside.map(str::to_owned).ok_or_else(|| format!("`{tex}` became `{markup}`"))
}

/// Formulas on lines of their own.
fn blocks(tex: &str) -> Result<String, String> {
    let all: Result<Vec<String>, String> = tex.split(BETWEEN).map(|tex| convert(tex, MathDisplay::Block)).collect();
    Ok(all?.join(" "))
}

fn convert(tex: &str, display: MathDisplay) -> Result<String, String> {
    let converter = LatexToMathML::new(MathCoreConfig::default()).expect("no command is defined, so none is wrong");
    let found = converter.convert_with_local_state(tex, display);
    found.map(|found| found.mathml).map_err(|problem| format!("`{tex}` is no TeX: {problem:?}"))
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => found.extend(sources(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}
