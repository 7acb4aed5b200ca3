//! The largest size of a table, and the format of a single number.

use crate::experiment::limits::{self, MAX_TOKEN_ENTRIES};
use crate::experiment::{InputError, Phrase, Table};
use crate::phrase;

impl Table {
    pub(super) fn check_entries(self, count: usize) -> Result<(), InputError> {
        let too_large = |what: Phrase, limit: usize, fix: Phrase| {
            let found = phrase!("more_than", "more than {limit}", limit = limit);
            Err(InputError::TooLarge { what, found, limit: limit.to_string().into(), fix })
        };
        match self {
            Table::Tokens if count > MAX_TOKEN_ENTRIES => too_large(
                phrase!("n_times_d", "n times d"),
                MAX_TOKEN_ENTRIES,
                phrase!("use_fewer_tokens_fewer", "Use fewer tokens or fewer dimensions."),
            ),
            Table::Tokens => Ok(()),
            _ => limits::check_weights(count as u64),
        }
    }
}

/// A finite number with a decimal point, as people and programs write it: `1`, `1.`, `-.5`, `1e-3`, with the minus sign
/// of typesetting, with the exponents of Fortran (`1d0`), Julia (`1f0`) and Mathematica (`1.*^-3`), or as an integer of
/// R (`1L`).
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().or_else(|| rewritten(text)?.parse::<f64>().ok()).filter(|x| x.is_finite())
}

/// A number of another program in the notation that Rust reads; `None` for a text that is no such number.
fn rewritten(text: &str) -> Option<String> {
    /// Longer than any number a program prints.
    const MOST_BYTES: usize = 80;
    if text.len() > MOST_BYTES || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // Word processors write an en dash where a minus was typed.
    let plain = match text.strip_prefix(['\u{2212}', '\u{2013}', '\u{ff0d}']) {
        Some(rest) => format!("-{rest}"),
        None => text.to_string(),
    };
    let plain = plain.replace('\u{2212}', "-");
    if let Some(whole) = plain.strip_suffix('L') {
        return whole.bytes().all(|b| b.is_ascii_digit() || b == b'-').then(|| whole.to_string());
    }
    // Mathematica: digits, then after a backtick how many of them count, then the exponent.
    let plain = match plain.split_once('`') {
        Some((digits, rest)) => {
            digits.to_string() + rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '`'))
        }
        None => plain,
    };
    let plain = plain.replacen("*^", "e", 1);
    match plain.find(['d', 'D', 'f']) {
        Some(at) if plain[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.') => {
            let exponent = &plain[at + 1..];
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            let is_exponent = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            is_exponent.then(|| format!("{}e{exponent}", &plain[..at]))
        }
        _ => Some(plain),
    }
}

/// Whether a text begins like a number (a sign, a bracket or a currency mark before its digits) or is "nan", "inf" or
/// the like: faulty data, not a name. R's `[1,]` and `...1` are names.
pub(super) fn looks_like_a_number(cell: &str) -> bool {
    let begins = |c: char| matches!(c, '-' | '\u{2212}' | '\u{2013}' | '+' | '.' | ',');
    let has_digit = cell.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    let is_dashes = cell.chars().all(|c| c == '-');
    let is_name = cell.starts_with(['[', '`']) || cell.starts_with("...") || cell.starts_with("##");
    (!is_name && (has_digit || (cell.starts_with(begins) && !is_dashes))) || is_missing(cell)
}

/// Whether a cell stands for a truth value, or a missing or non-finite number.
fn is_missing(cell: &str) -> bool {
    /// The words of R, pandas, SQL, Excel and others.
    const MISSING: [&str; 9] = ["na", "null", "none", "<na>", "#n/a", "missing", "nothing", "true", "false"];
    cell.parse::<f64>().is_ok_and(|x| !x.is_finite()) || MISSING.contains(&cell.to_ascii_lowercase().as_str())
        // The errors of a spreadsheet: #DIV/0!, #NAME?.
        || (cell.starts_with('#') && cell.ends_with(['!', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_program_are_read() {
        for (text, value) in [
            ("1.", 1.0),
            ("-.5", -0.5),
            ("+3e2", 300.0),
            ("\u{2212}2.5", -2.5),
            ("\u{2013}1", -1.0),
            ("2.5e\u{2212}1", 0.25),
            ("-2.5D-01", -0.25),
            ("1d0", 1.0),
            ("1.5f0", 1.5),
            ("3L", 3.0),
            ("-3L", -3.0),
            ("5.*^-1", 0.5),
            ("1.5`20.*^-3", 0.0015),
            ("2.`", 2.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "-", "1_0", "0x10", "nan", "inf", "1.O", "4j", "1d", "1.0f", "d1", "L", "1/2", "50%", "1e999"]
        {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn faulty_numbers_are_no_names() {
        for text in ["1.O", "-x", ",5", "$1.50", "€2", "(3)", "7:", "nan", "-inf", "NA", "null", "#N/A"] {
            assert!(looks_like_a_number(text), "{text}");
        }
        for text in ["x", "", "---", "name", "[,1]"] {
            assert!(!looks_like_a_number(text), "{text}");
        }
    }
}
