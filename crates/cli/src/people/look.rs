//! The width and the colours of a text for people, and its lines.

use clap::builder::styling::{Ansi256Color, Style};

/// The spaces before every line.
pub(crate) const MARGIN: usize = 2;
/// A space within a number, at which no line is broken.
const UNBROKEN: char = '\u{a0}';

/// The room and the colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Characters of a line.
    pub(crate) width: usize,
    pub(crate) colours: Colours,
}

/// Whether a text has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    /// None: the terminal has none, or the user wants none.
    Absent,
    /// Those of the page's roles, as the nearest of a terminal's 256.
    Ansi,
}

/// What a text is about, which decides its colour. No colour stands alone: signs and names say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Plain words.
    Text,
    /// What was measured.
    Strong,
    /// What does not apply, and what only few need.
    Muted,
    /// A lower bound: teal.
    Lower,
    /// Our best upper bound: blue, bold.
    Best,
    /// Another upper bound of ours: blue.
    Upper,
    /// A published upper bound: orange.
    General,
    /// The published mean-field bound: magenta.
    MeanField,
}

impl Ink {
    /// The style. The colours of the first sixteen belong to the user's theme; these do not, and each has a contrast of at
    /// least 3:1 on black and on white.
    fn style(self) -> Style {
        let colour = |index: u8| Ansi256Color(index).on_default();
        match self {
            Ink::Text => Style::new(),
            Ink::Strong => Style::new().bold(),
            Ink::Muted => colour(244),
            Ink::Lower => colour(30),
            Ink::Best => colour(33).bold(),
            Ink::Upper => colour(33),
            Ink::General => colour(166),
            Ink::MeanField => colour(163),
        }
    }
}

impl Look {
    /// A text in its colour.
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        match self.colours {
            Colours::Absent => text.to_owned(),
            Colours::Ansi => {
                let style = ink.style();
                format!("{style}{text}{style:#}")
            }
        }
    }
}

/// A number within a line: no line is broken inside of it.
pub(crate) fn unbroken(number: &str) -> String {
    number.replace(' ', &UNBROKEN.to_string())
}

/// A text in lines of at most `width` characters, broken between words. A longer word has a line of its own.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut length = 0;
    for word in text.split(' ') {
        let size = word.chars().count();
        match lines.last_mut() {
            Some(line) if length + 1 + size <= width => {
                line.push(' ');
                line.push_str(word);
                length += 1 + size;
            }
            _ => {
                lines.push(word.to_owned());
                length = size;
            }
        }
    }
    lines.into_iter().map(|line| line.replace(UNBROKEN, " ")).collect()
}

/// A text cut to `width` characters, with a mark where something is missing.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_never_inside_a_number() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a very-long-word b", 6), ["a", "very-long-word", "b"]);
        let number = unbroken("≤ 1.5 × 10⁴");
        assert_eq!(wrapped(&format!("it is {number}"), 12), ["it is", "≤ 1.5 × 10⁴"]);
        assert_eq!((cut("abcdef", 6), cut("abcdef", 4)), ("abcdef".into(), "abc…".into()));
    }

    #[test]
    fn a_role_has_a_colour_and_plain_text_has_none() {
        let look = Look { width: 80, colours: Colours::Ansi };
        assert_eq!(look.paint(Ink::Lower, "≥ 1"), "\u{1b}[38;5;30m≥ 1\u{1b}[0m");
        assert_eq!(look.paint(Ink::Best, "≤ 1"), "\u{1b}[1m\u{1b}[38;5;33m≤ 1\u{1b}[0m");
        assert_eq!(look.paint(Ink::Text, "words"), "words");
        assert_eq!(Look { colours: Colours::Absent, ..look }.paint(Ink::Best, "≤ 1"), "≤ 1");
    }
}
