//! Patterns with places, and matching by them.
//!
//! A place is `{name}`. What is found there is translated in its turn where the catalogue knows it, and else stays as it is.
//! `{name!}` holds only what is known: a text of the catalogue, or one without words, such as a number or quoted keys; so
//! two places side by side are told apart. `{name=}` is never translated: keys and names of files may look like words.
//! Braces around anything else are braces.

use super::Entry;

/// Texts inside of texts are followed so far. Sentences have three levels: template, piece, number.
const DEEPEST: usize = 6;
/// What a place may end with.
const MARKS: [char; 2] = ['!', '='];

/// What is known, in the order in which it is tried.
#[derive(Clone, Copy)]
pub struct Catalogue {
    /// Whole sentences: they stand in no other.
    pub sentences: &'static [Entry],
    /// What stands in them.
    pub pieces: &'static [&'static [Entry]],
}

impl Catalogue {
    /// A text in Chinese; `None` where no pattern matches.
    pub fn translate(self, text: &str) -> Option<String> {
        let whole = self.pieces.iter().flat_map(|room| room.iter()).find(|(english, _)| *english == text);
        let whole = whole.map(|(_, chinese)| (*chinese).to_owned());
        whole.or_else(|| self.by(self.sentences, text, 0)).or_else(|| self.piece(text, 0))
    }

    fn piece(self, text: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST || text.is_empty() {
            return None;
        }
        self.pieces.iter().find_map(|room| self.by(room, text, depth))
    }

    fn by(self, entries: &[Entry], text: &str, depth: usize) -> Option<String> {
        entries.iter().find_map(|(english, chinese)| {
            let mut found = Vec::new();
            self.matches(english, text, depth, &mut found).then(|| filled(chinese, &found))
        })
    }

    /// Whether a pattern matches all of a text, with what its places hold, translated.
    fn matches<'p>(self, pattern: &'p str, text: &str, depth: usize, found: &mut Vec<(&'p str, String)>) -> bool {
        let (before, place) = first_place(pattern);
        let Some(text) = text.strip_prefix(before) else { return false };
        let Some((place, rest)) = place else { return text.is_empty() };
        let name = place.trim_end_matches(MARKS);
        // The shortest first; what follows the place says where it can end.
        let next = first_place(rest).0;
        let ends: Vec<usize> = match next {
            "" => vec![text.len()],
            next => text.match_indices(next).map(|(at, _)| at).collect(),
        };
        ends.into_iter().filter(|end| *end > 0).any(|end| {
            let held = &text[..end];
            let known = if place.ends_with('=') { None } else { self.piece(held, depth + 1) };
            let translated = match known {
                Some(translated) => translated,
                None if place.ends_with('!') && !is_without_words(held) => return false,
                None => held.to_owned(),
            };
            found.push((name, translated));
            let is_match = self.matches(rest, &text[end..], depth, found);
            if !is_match {
                found.pop();
            }
            is_match
        })
    }
}

/// What stands before the first place, and that place with what stands after it.
fn first_place(pattern: &str) -> (&str, Option<(&str, &str)>) {
    for (open, _) in pattern.match_indices('{') {
        let Some(length) = pattern[open..].find('}') else { break };
        let name = &pattern[open + 1..open + length];
        if !name.is_empty() && name.trim_end_matches(MARKS).bytes().all(|c| c.is_ascii_lowercase() || c == b'_') {
            return (&pattern[..open], Some((name, &pattern[open + length + 1..])));
        }
    }
    (pattern, None)
}

/// A pattern with what was found in its places.
fn filled(pattern: &str, found: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut left = pattern;
    while let (before, Some((name, rest))) = first_place(left) {
        push(&mut out, before);
        if let Some((_, held)) = found.iter().find(|(other, _)| *other == name) {
            push(&mut out, held);
        }
        left = rest;
    }
    push(&mut out, left);
    out
}

/// Appends a text, with a space between Han characters and others.
fn push(out: &mut String, text: &str) {
    if let (Some(last), Some(first)) = (out.chars().last(), text.chars().next())
        && ((is_han(last) && first.is_ascii_graphic()) || (last.is_ascii_graphic() && is_han(first)))
    {
        out.push(' ');
    }
    out.push_str(text);
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Whether a text holds no words but quoted ones. Letters alone are symbols.
fn is_without_words(text: &str) -> bool {
    let mut outside = String::new();
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '`') => {
                quote = Some(c);
                outside.push(' ');
            }
            None => outside.push(c),
        }
    }
    let words = outside.split(|c: char| !c.is_alphabetic());
    quote.is_none() && words.into_iter().all(|word| word.chars().nth(1).is_none())
}
