//! What the two windows say to each other, as text: a line that names the sender and the kind of message, then what
//! belongs to it.

/// The start of the name of a projector's window. The rest of the name tells pairs of windows apart.
pub const NAME: &str = "lipscope-projector-";

/// Longer messages are not read.
const MOST_READ: usize = 1 << 20;

/// The window that sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A lecturer's window, with a number drawn when it was loaded.
    Lecturer(u32),
    /// The projector's window.
    Projector,
}

/// The projector's screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// It shows the page.
    #[default]
    Picture,
    /// It is black.
    Black,
}

impl Screen {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Screen::Picture => Screen::Black,
            Screen::Black => Screen::Picture,
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The lecturer's window asks the projector's window to follow it.
    Query,
    /// The projector's window is loaded. It follows the lecturer's window with this number, or none yet.
    Here(Option<u32>),
    /// A scene to show.
    Scene {
        /// The fragment of its link.
        link: String,
        /// The drawing of a prediction ([`Drawing`](super::drawing::Drawing)).
        drawing: String,
    },
    /// How the projector's screen is to be, or how it is.
    Screen(Screen),
    /// The projector's window is to close.
    Close,
    /// The sender's window closes, or loads anew.
    Gone,
}

impl Message {
    /// The text of the message from a sender.
    pub fn text(&self, from: Sender) -> String {
        let from = match from {
            Sender::Lecturer(key) => format!("lecturer {key}"),
            Sender::Projector => "projector".to_owned(),
        };
        match self {
            Message::Query => format!("{from}\nask"),
            Message::Here(None) => format!("{from}\nhere"),
            Message::Here(Some(key)) => format!("{from}\nhere\n{key}"),
            Message::Scene { link, drawing } => format!("{from}\nscene\n{link}\n{drawing}"),
            Message::Screen(Screen::Picture) => format!("{from}\npicture"),
            Message::Screen(Screen::Black) => format!("{from}\nblack"),
            Message::Close => format!("{from}\nclose"),
            Message::Gone => format!("{from}\ngone"),
        }
    }

    /// The sender and the message of a text; `None` where it is none of the above.
    pub fn read(text: &str) -> Option<(Sender, Message)> {
        if text.len() > MOST_READ {
            return None;
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let (from, rest) = lines.split_first()?;
        let from = match from.split_once(' ') {
            Some(("lecturer", key)) => Sender::Lecturer(key.parse().ok()?),
            None if *from == "projector" => Sender::Projector,
            _ => return None,
        };
        let message = match rest {
            ["ask"] => Message::Query,
            ["here"] => Message::Here(None),
            ["here", key] => Message::Here(Some(key.parse().ok()?)),
            ["scene", link, drawing] => Message::Scene { link: (*link).to_owned(), drawing: (*drawing).to_owned() },
            ["picture"] => Message::Screen(Screen::Picture),
            ["black"] => Message::Screen(Screen::Black),
            ["close"] => Message::Close,
            ["gone"] => Message::Gone,
            _ => return None,
        };
        Some((from, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_read_as_it_was_sent() {
        let scene = |link: &str, drawing: &str| Message::Scene { link: link.into(), drawing: drawing.into() };
        let all = [
            Message::Query,
            Message::Here(None),
            Message::Here(Some(u32::MAX)),
            scene("v3&view=teacher&n=50", ""),
            scene("v3", "curve=1,2"),
            Message::Screen(Screen::Picture),
            Message::Screen(Screen::Black),
            Message::Close,
            Message::Gone,
        ];
        for message in all {
            for from in [Sender::Projector, Sender::Lecturer(0), Sender::Lecturer(4_000_000_000)] {
                assert_eq!(Message::read(&message.text(from)), Some((from, message.clone())));
            }
        }
    }

    #[test]
    fn other_texts_are_no_messages() {
        let long = format!("lecturer 1\nscene\n{}\n", "x".repeat(MOST_READ));
        let none = [
            "",
            "\n",
            "projector",
            "lecturer\nask",
            "lecturer -1\nask",
            "lecturer 1e3\nask",
            "projector 3\nask",
            "lecturer 1\nscene",
            "lecturer 1\nscene\nv3",
            "lecturer 1\nscene\nv3\n\n",
            "projector\nhere\nx",
            "lecturer 99999999999\nask",
            "projector\nASK",
            "\u{0}\u{ffff}\n\n",
            &long,
        ];
        for text in none {
            assert_eq!(Message::read(text), None, "{text:.40}");
        }
    }
}
