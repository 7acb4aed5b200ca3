//! A message to the reader: a finished text, or an error, which becomes a text when it is shown.

use lipscope_core::experiment::InputError;

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
