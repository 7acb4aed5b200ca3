//! What the view over n up to 1e18 shows.

/// What R does as n grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadiusLaw {
    /// R stays.
    Fixed,
    /// R grows like the root of ln n, through its value at the present n.
    SqrtLog,
}

/// A curve, or a set of points, that can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Our upper bound, with or without the mask.
    Unified,
    /// The published bound for any n.
    General,
    /// The published mean-field bound.
    MeanField,
    /// The best two clusters.
    TwoClusters,
    /// The adversarial family at fixed R.
    Adversarial,
    /// Its envelope.
    Envelope,
    /// The skew witness.
    Skew,
    /// Exact norms of the adversarial tokens.
    Exact,
    /// The draws of the sweep.
    Draws,
    /// The published bound for L2 multi-head attention.
    Kim,
    /// Our best upper bound, with or without the mask.
    Sharp,
    /// The tokens of which one cluster draws the attention of the other.
    Sink,
    /// The tokens of which two clusters share the attention of the third.
    Fork,
}

impl RadiusLaw {
    /// All, with their words in links.
    pub const ALL: [(&'static str, RadiusLaw); 2] = [("fixed", RadiusLaw::Fixed), ("sqrt-log", RadiusLaw::SqrtLog)];
}

impl Trace {
    /// All, in the order of the readout.
    pub const ALL: [Trace; 13] = [
        Trace::Sharp,
        Trace::Unified,
        Trace::General,
        Trace::MeanField,
        Trace::Kim,
        Trace::TwoClusters,
        Trace::Sink,
        Trace::Fork,
        Trace::Adversarial,
        Trace::Exact,
        Trace::Envelope,
        Trace::Skew,
        Trace::Draws,
    ];

    /// Its word in links.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Trace::Unified => "unified",
            Trace::General => "general",
            Trace::MeanField => "mean-field",
            Trace::TwoClusters => "two-clusters",
            Trace::Adversarial => "adversarial",
            Trace::Envelope => "envelope",
            Trace::Skew => "skew",
            Trace::Exact => "exact",
            Trace::Draws => "draws",
            Trace::Kim => "kim",
            Trace::Sharp => "sharp",
            Trace::Sink => "sink",
            Trace::Fork => "fork",
        }
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Which traces are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traces(u16);

impl Default for Traces {
    /// All but those that are about something else, or say less than another.
    fn default() -> Self {
        Traces::of(Trace::ALL.into_iter().filter(|trace| !matches!(trace, Trace::Skew | Trace::Envelope)))
    }
}

impl Traces {
    /// These traces are on, the others off.
    #[must_use]
    pub fn of(on: impl IntoIterator<Item = Trace>) -> Self {
        Traces(on.into_iter().fold(0, |bits, trace| bits | trace.bit()))
    }

    /// Whether a trace is on.
    #[must_use]
    pub fn has(self, trace: Trace) -> bool {
        self.0 & trace.bit() != 0
    }

    /// The same with a trace switched over.
    #[must_use]
    pub fn toggled(self, trace: Trace) -> Self {
        Traces(self.0 ^ trace.bit())
    }
}

/// What the view over n shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthView {
    /// The right end of the axis.
    pub max: f64,
    /// Where it is read while nothing points at it.
    pub at: f64,
    /// What R does as n grows.
    pub radius_law: RadiusLaw,
    /// Which traces are on.
    pub traces: Traces,
}

impl Default for GrowthView {
    fn default() -> Self {
        GrowthView { max: 1e18, at: 1e9, radius_law: RadiusLaw::Fixed, traces: Traces::default() }
    }
}
