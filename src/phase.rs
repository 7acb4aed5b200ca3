//! How far work is that a reader starts, pauses and stops.

/// Where the work stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It has not begun.
    #[default]
    Waiting,
    /// Answers come in.
    Running,
    /// The reader stopped it for a while.
    Paused,
    /// The reader stopped it.
    Stopped,
    /// All is there.
    Done,
    /// It cannot be done; the sentence says why.
    Failed(String),
}

impl Phase {
    /// Its word in the page's attributes.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Phase::Waiting => "waiting",
            Phase::Running => "running",
            Phase::Paused => "paused",
            Phase::Stopped => "stopped",
            Phase::Done => "done",
            Phase::Failed(_) => "failed",
        }
    }
}
