//! The parts of the page that a reader can hide, for a lecture or a frame.

/// A part that can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Part {
    /// The main controls, and those of the view.
    Controls,
    /// The list of curves beside or under a plot.
    List,
    /// Numbers, sentences and small pictures under the plot.
    Numbers,
}

impl Part {
    /// All, in the order of their switches.
    pub const ALL: [Part; 3] = [Part::Controls, Part::List, Part::Numbers];

    /// Its word in links and in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The parts that are hidden; none on a first visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenParts(u8);

impl HiddenParts {
    /// Hides these parts and shows the others.
    #[must_use]
    pub fn of(hidden: impl IntoIterator<Item = Part>) -> Self {
        HiddenParts(hidden.into_iter().fold(0, |bits, part| bits | part.bit()))
    }

    /// Whether a part is hidden.
    #[must_use]
    pub fn has(self, part: Part) -> bool {
        self.0 & part.bit() != 0
    }

    /// These parts with one switched over.
    #[must_use]
    pub fn toggled(self, part: Part) -> Self {
        HiddenParts(self.0 ^ part.bit())
    }

    /// The words of the hidden parts, in the order of the switches.
    #[must_use]
    pub fn ids(self, between: &str) -> String {
        let hidden = Part::ALL.into_iter().filter(|part| self.has(*part));
        hidden.map(Part::id).collect::<Vec<_>>().join(between)
    }
}
