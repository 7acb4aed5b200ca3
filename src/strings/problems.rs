//! The errors of the engine in the page's language. Their phrases are found in the catalogue `problems` by id. A
//! message to the reader is a finished text, or an error, which becomes a text when it is shown.

use crate::language::{Language, language};
use crate::words::{place, problems};
use lipscope_core::experiment::{InputError, Phrase};

/// An error as a sentence.
pub fn problem_text(problem: &InputError) -> String {
    phrase_text(&problem.phrase())
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
    let Some(template) = phrase.id().and_then(problems::text) else { return phrase.to_string() };
    let mut arguments: Vec<(&str, &Phrase)> = phrase.arguments().collect();
    arguments.sort_unstable_by_key(|(name, _)| *name);
    let mut out = String::new();
    for piece in template.split_inclusive(|c| place(c).is_some()) {
        let argument = piece.chars().next_back().and_then(place).and_then(|place| arguments.get(place));
        match argument {
            Some((_, value)) => {
                push(&mut out, piece.strip_suffix(|c| place(c).is_some()).unwrap_or_default());
                push(&mut out, &phrase_text(value));
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
