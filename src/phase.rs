//! The state of work that a reader starts, pauses and stops.

use crate::strings::Message;

/// The state of the work.
#[derive(Clone, Debug, Default, PartialEq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// It has not begun.
    #[default]
    Waiting,
    /// Answers come in.
    Running,
    /// It is stopped for a while, and can be resumed.
    Paused,
    /// It was stopped, by the reader or because its view left the screen.
    Stopped,
    /// All results are there.
    Done,
    /// It cannot be done; the message says why.
    Failed(Message),
}

impl Phase {
    /// Its word in the page's attributes.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.into()
    }
}

/// The state of a run over windows of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ModelPhase {
    /// Nothing is measured.
    #[default]
    Idle,
    /// Rows come in.
    Running,
    /// No new windows are begun.
    Paused,
    /// The workers were ended, and some rows are missing.
    Stopped,
    /// All requested rows are there.
    Done,
}

impl ModelPhase {
    /// Its word in the page's attributes.
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Whether a run is in progress or paused: the model cannot change meanwhile.
    pub fn is_at_work(self) -> bool {
        matches!(self, ModelPhase::Running | ModelPhase::Paused)
    }
}
