//! A text as data: an id and arguments, with its English.
//!
//! The crates use English: [`Phrase`] displays it. A front end in another language looks up the id in its own catalogue
//! and inserts the arguments, which may be phrases too, into the text it finds there.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A text with an id and named arguments, or one that belongs to no language: a key, a number, the name of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase(Box<Content>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    /// Empty for a text that belongs to no language.
    id: Cow<'static, str>,
    /// English, `{name}` for each argument.
    english: Cow<'static, str>,
    arguments: Vec<(Cow<'static, str>, Phrase)>,
}

impl Phrase {
    /// A text of a catalogue; usually made with [`phrase!`](crate::phrase).
    #[must_use]
    #[doc(hidden)]
    pub fn new(id: &'static str, english: &'static str, arguments: Vec<(&'static str, Phrase)>) -> Self {
        let arguments = arguments.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Phrase(Box::new(Content { id: id.into(), english: english.into(), arguments }))
    }

    /// A text that is the same in every language, cut to a length that fits a sentence. It may come from a file:
    /// control characters, which a terminal would obey, become blanks.
    #[must_use]
    #[doc(hidden)]
    pub fn verbatim(text: impl Into<String>) -> Self {
        /// Long enough for paths and lists of choices.
        const MOST_CHARACTERS: usize = 320;
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
            text.truncate(end);
            text.push('…');
        }
        if text.contains(char::is_control) {
            text = text.replace(char::is_control, " ");
        }
        Phrase(Box::new(Content { id: "".into(), english: Cow::Owned(text), arguments: Vec::new() }))
    }

    /// Its id in a catalogue; `None` for a text that is the same in every language.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        Some(&*self.0.id).filter(|id| !id.is_empty())
    }

    /// Its arguments by name.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, &Phrase)> {
        self.0.arguments.iter().map(|(name, value)| (&**name, value))
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Content { id, english, arguments } = &*self.0;
        if id.is_empty() {
            return f.write_str(english);
        }
        let mut rest = &**english;
        while let Some((before, after)) = rest.split_once('{') {
            f.write_str(before)?;
            let argument = after.split_once('}').and_then(|(name, after)| {
                arguments.iter().find(|(other, _)| other == name).map(|(_, value)| (value, after))
            });
            // A brace that opens no argument belongs to the text.
            rest = match argument {
                Some((value, after)) => {
                    write!(f, "{value}")?;
                    after
                }
                None => {
                    f.write_str("{")?;
                    after
                }
            };
        }
        f.write_str(rest)
    }
}

impl From<&str> for Phrase {
    /// A text that is the same in every language.
    fn from(text: &str) -> Self {
        Phrase::verbatim(text)
    }
}

impl From<&String> for Phrase {
    /// A text that is the same in every language.
    fn from(text: &String) -> Self {
        Phrase::verbatim(text)
    }
}

impl From<String> for Phrase {
    /// A text that is the same in every language.
    fn from(text: String) -> Self {
        Phrase::verbatim(text)
    }
}

/// What can be an argument of a [`Phrase`]: a phrase, or a number or text that is the same in every language.
pub trait Argument {
    /// As an argument.
    fn into_argument(self) -> Phrase;
}

impl Argument for Phrase {
    fn into_argument(self) -> Phrase {
        self
    }
}

macro_rules! verbatim_arguments {
    ($($kind:ty)*) => {
        $(impl Argument for $kind {
            fn into_argument(self) -> Phrase {
                Phrase::verbatim(self.to_string())
            }
        })*
    };
}
verbatim_arguments!(&str &String String u16 u32 u64 usize &usize f64);

/// A [`Phrase`](crate::experiment::Phrase): its id, its English with `{name}` for each argument, and the arguments.
///
/// ```
/// let most = 7_usize;
/// let phrase = lipscope_core::phrase!("whole_number_to", "a whole number from 1 to {most}", most = most);
/// assert_eq!(phrase.to_string(), "a whole number from 1 to 7");
/// assert_eq!(phrase.id(), Some("whole_number_to"));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! phrase {
    ($id:literal, $english:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::experiment::Phrase::new(
            $id,
            $english,
            vec![$((stringify!($name), $crate::experiment::Argument::into_argument($value))),*],
        )
    };
}

#[cfg(test)]
mod tests {
    use super::Phrase;

    #[test]
    fn arguments_and_braces_stand_in_the_english() {
        let inner = crate::phrase!("shape", "{rows} x {columns}", rows = 3usize, columns = 2usize);
        let outer =
            crate::phrase!("like", "{what} {shape}, like {\"source\":\"random\"} {..", what = "`a{b}`", shape = inner);
        assert_eq!(outer.to_string(), "`a{b}` 3 x 2, like {\"source\":\"random\"} {..");
        assert_eq!(outer.arguments().map(|(name, _)| name).collect::<Vec<_>>(), ["what", "shape"]);
        assert_eq!(Phrase::verbatim("{a}").to_string(), "{a}");
    }
}
