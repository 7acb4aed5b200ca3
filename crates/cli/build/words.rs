//! The names of the bounds and their sources, from the page's catalogue of English texts: the terminal and the page call a
//! bound by one name.

use toml::{Table, Value};

/// The tables of the catalogue, each with the name of its constant.
const TABLES: [(&str, &str); 2] = [("bound_label", "BOUND_LABELS"), ("source", "BOUND_SOURCES")];

/// The Rust source of a constant for each of [`TABLES`]: pairs of a key and its text.
///
/// # Errors
/// A sentence that names the table or the key.
pub fn generate(catalogue: &str) -> Result<String, String> {
    let words: Table = catalogue.parse().map_err(|problem: toml::de::Error| problem.to_string())?;
    let constant = |(table, name): &(&str, &str)| -> Result<String, String> {
        let texts =
            words.get(*table).and_then(Value::as_table).ok_or_else(|| format!("there is no table [{table}]"))?;
        let pair = |(key, text): (&String, &Value)| -> Result<String, String> {
            let text = text.as_str().ok_or_else(|| format!("`{key}` in [{table}] is no text"))?;
            Ok(format!("({key:?}, {text:?})"))
        };
        let pairs: Vec<String> = texts.iter().map(pair).collect::<Result<_, _>>()?;
        Ok(format!("const {name}: [(&str, &str); {}] = [{}];\n", pairs.len(), pairs.join(", ")))
    };
    TABLES.iter().map(constant).collect()
}
