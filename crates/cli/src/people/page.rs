//! A result as lines of text, from its main number to what only few need.

use super::ladder::{Rung, ladder};
use super::look::{Ink, Look, MARGIN, wrapped};

/// The text of a result.
#[derive(Debug)]
pub(super) struct Page {
    look: Look,
    lines: Vec<String>,
}

impl Page {
    /// The main number, in bold and with room around it.
    pub(super) fn new(headline: &str, look: Look) -> Self {
        let page = Page { look, lines: vec![String::new()] };
        page.line(Ink::Strong, headline).gap()
    }

    /// A line, or several where it is longer than the terminal is wide.
    pub(super) fn line(mut self, ink: Ink, text: &str) -> Self {
        for line in wrapped(text, self.look.width.saturating_sub(MARGIN)) {
            self.lines.push(format!("{:MARGIN$}{}", "", self.look.paint(ink, &line)));
        }
        self
    }

    /// A line for each text.
    pub(super) fn lines<T: AsRef<str>>(self, ink: Ink, texts: impl IntoIterator<Item = T>) -> Self {
        texts.into_iter().fold(self, |page, text| page.line(ink, text.as_ref()))
    }

    /// An empty line, but never two of them.
    pub(super) fn gap(mut self) -> Self {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
        self
    }

    /// A ladder under its heading; nothing without a rung.
    pub(super) fn ladder(self, heading: &str, rungs: &[Rung]) -> Self {
        if rungs.is_empty() {
            return self;
        }
        let mut page = self.line(Ink::Text, heading);
        page.lines.extend(ladder(rungs, page.look));
        page.gap()
    }

    /// The whole text.
    pub(super) fn text(self) -> String {
        let end = self.lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        self.lines[..end].join("\n") + "\n"
    }
}
