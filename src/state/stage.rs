//! How much of the page is shown, and how large.

/// What the page is shown for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Everything, for one reader.
    #[default]
    Full,
    /// Plot and main numbers, large, for a projector.
    Teacher,
    /// One picture inside another page.
    Embed,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 3] = [Stage::Full, Stage::Teacher, Stage::Embed];

    /// Its word in links and in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Stage::Full => "full",
            Stage::Teacher => "teacher",
            Stage::Embed => "embed",
        }
    }
}
