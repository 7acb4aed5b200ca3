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

/// Where a run over windows of text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelPhase {
    /// Nothing is measured.
    #[default]
    Idle,
    /// Rows come in.
    Running,
    /// No new windows are begun.
    Paused,
    /// The workers were ended, and something is missing.
    Stopped,
    /// All that was asked for is there.
    Done,
}

impl ModelPhase {
    /// Its word in the page's attributes.
    pub fn id(self) -> &'static str {
        match self {
            ModelPhase::Idle => "idle",
            ModelPhase::Running => "running",
            ModelPhase::Paused => "paused",
            ModelPhase::Stopped => "stopped",
            ModelPhase::Done => "done",
        }
    }

    /// Whether windows are measured, or a run of them is paused: the model cannot change meanwhile.
    pub fn is_at_work(self) -> bool {
        matches!(self, ModelPhase::Running | ModelPhase::Paused)
    }
}
