//! The errors of the engine in the page's language. Their phrases are found in the catalogue `problems` by id. A
//! message to the reader is a finished text, or an error, which becomes a text when it is shown.

use super::{models, train, wrong};
use crate::fault::Fault;
use crate::language::{Language, language};
use crate::words::{place, problems};
use lipscope_core::experiment::{InputError, Phrase};

/// An error as a sentence.
pub fn problem_text(problem: &InputError) -> String {
    phrase_text(&problem.phrase())
}

/// A fault as a sentence.
pub fn fault_text(fault: &Fault) -> String {
    match fault {
        Fault::Number(fault) => wrong::number_fault(fault),
        Fault::NotACount { name, text } => models::model_not_whole(name, text),
        Fault::NotASeed { text, most } => wrong::not_a_seed(text, *most),
        Fault::NotKnown { text, words } => wrong::not_known(text, words),
        Fault::NotANumberFrom { text, least, most } => wrong::not_a_number_from(text, *least, *most),
        Fault::NotAWholeNumberFrom { text, least, most } => wrong::not_a_whole_number_from(text, *least, *most),
        Fault::NotATokenCount { text } => wrong::not_a_token_count(text),
        Fault::NoLessonStep => wrong::link_no_lesson().to_owned(),
        Fault::NoAnswer => wrong::link_no_answer().to_owned(),
        Fault::NoGoals => wrong::link_no_goals().to_owned(),
        Fault::Damaged => wrong::link_damaged().to_owned(),
        Fault::NoModel => models::model_not_chosen().to_owned(),
        Fault::NoTable => models::model_no_table().to_owned(),
        Fault::NoKind => train::train_no_kind().to_owned(),
        Fault::Input(problem) => problem_text(problem),
    }
}

/// A message as a sentence.
pub fn message(message: &Message) -> String {
    match message {
        Message::Text(text) => text.clone(),
        Message::Error(problem) => problem_text(problem),
    }
}

/// A phrase in the page's language. The phrase itself holds the English text.
pub fn phrase_text(phrase: &Phrase) -> String {
    code_in_quotes(&filled(phrase))
}

/// A text of the crates for the page. They put keys and code between back-ticks, as in Markdown; the page, which would
/// show the back-ticks themselves, puts quotation marks.
pub fn code_in_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, code, after)) = rest.split_once('`').and_then(|(before, rest)| {
        let (code, after) = rest.split_once('`')?;
        Some((before, code, after))
    }) {
        out.extend([before, "“", code, "”"]);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn filled(phrase: &Phrase) -> String {
    let Some(template) = phrase.id().and_then(problems::text) else { return phrase.to_string() };
    let mut arguments: Vec<(&str, &Phrase)> = phrase.arguments().collect();
    arguments.sort_unstable_by_key(|(name, _)| *name);
    let mut out = String::new();
    for piece in template.split_inclusive(|c| place(c).is_some()) {
        let argument = piece.chars().next_back().and_then(place).and_then(|place| arguments.get(place));
        match argument {
            Some((_, value)) => {
                push(&mut out, piece.strip_suffix(|c| place(c).is_some()).unwrap_or_default());
                push(&mut out, &filled(value));
            }
            None => push(&mut out, piece),
        }
    }
    out
}

/// A text, or an error as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A text in the page's language.
    Text(String),
    /// An error of the engine.
    Error(InputError),
}

impl From<Fault> for Message {
    fn from(fault: Fault) -> Self {
        Message::Text(fault_text(&fault))
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message::Text(text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message::Text(text.into())
    }
}

impl From<InputError> for Message {
    fn from(error: InputError) -> Self {
        Message::Error(error)
    }
}

/// Appends a text. In Chinese, puts a space between Han characters and others where the two meet.
fn push(out: &mut String, text: &str) {
    if language() == Language::Chinese
        && let (Some(last), Some(first)) = (out.chars().last(), text.chars().next())
        && ((is_han(last) && first.is_ascii_graphic()) || (last.is_ascii_graphic() && is_han(first)))
    {
        out.push(' ');
    }
    out.push_str(text);
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::NumberFault;

    #[test]
    fn a_fault_is_a_sentence_with_what_was_typed_and_what_is_accepted() {
        let said = |fault: &Fault| fault_text(fault);
        let too_large = said(&NumberFault::TooLarge { name: "R", text: "1e400".into() }.into());
        assert!(too_large.contains("R is too large") && too_large.contains("1e400"), "{too_large}");
        let not_a_number = said(&NumberFault::NotANumber { name: "R", text: "x".into() }.into());
        assert!(not_a_number.contains("must be a number"), "{not_a_number}");
        let undivided = said(&NumberFault::MustDivide { name: "Heads a key", found: 4.0, heads: 6 }.into());
        assert!(undivided.contains("must divide the number of heads, 6"), "{undivided}");
        let unknown = said(&Fault::not_known("lft", &["left", "right"]));
        assert!(["lft", "left", "right"].iter().all(|word| unknown.contains(word)), "{unknown}");
        assert_eq!(said(&InputError::OneToken.into()), InputError::OneToken.to_string());
    }

    #[test]
    fn no_message_on_the_page_has_a_back_tick() {
        let problem = InputError::UnknownKey { key: "tocens".into(), expected: "tokens, weights".into() };
        let text = problem_text(&problem);
        assert!(text.starts_with("Unknown key “tocens”.") && !text.contains('`'), "{text}");
        // One that has no partner is the reader's own.
        assert_eq!(code_in_quotes("`a` and b`"), "“a” and b`");
    }
}
