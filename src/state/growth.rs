//! What the view over n shows.

use super::settings::SearchSettings;

/// What R does as n grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadiusLaw {
    /// R stays.
    Fixed,
    /// R grows like the root of ln n, through its value at the present n.
    SqrtLog,
}

/// How far the axis of n goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// As far as the sweep measures.
    Measured,
    /// To a million.
    Million,
    /// To 10^18.
    Quintillion,
}

/// Whether the search is unfolded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchFold {
    /// It is folded.
    #[default]
    Folded,
    /// It is unfolded.
    Open,
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
    /// The largest of the lower bounds, at each n.
    Worst,
    /// What searches have found.
    Found,
    /// The root of n, for comparison.
    Root,
}

impl RadiusLaw {
    /// All, with their words in links.
    pub const ALL: [(&'static str, RadiusLaw); 2] = [("fixed", RadiusLaw::Fixed), ("sqrt-log", RadiusLaw::SqrtLog)];
}

impl Range {
    /// All, with their words in links.
    pub const ALL: [(&'static str, Range); 3] =
        [("measured", Range::Measured), ("1e6", Range::Million), ("1e18", Range::Quintillion)];

    /// The shortest that reaches an n.
    #[must_use]
    pub fn reaching(n: f64, sweep_max: usize) -> Self {
        match n {
            n if n <= sweep_max as f64 => Range::Measured,
            n if n <= 1e6 => Range::Million,
            _ => Range::Quintillion,
        }
    }

    pub(super) fn end(self, sweep_max: usize) -> f64 {
        match self {
            Range::Measured => sweep_max as f64,
            Range::Million => 1e6,
            Range::Quintillion => 1e18,
        }
    }
}

impl SearchFold {
    /// All, with their words in links.
    pub const ALL: [(&'static str, SearchFold); 2] = [("folded", SearchFold::Folded), ("open", SearchFold::Open)];
}

impl Trace {
    /// All, in the order of the list: what is measured, upper bounds, lower bounds.
    pub const ALL: [Trace; 16] = [
        Trace::Draws,
        Trace::Root,
        Trace::Sharp,
        Trace::Unified,
        Trace::General,
        Trace::MeanField,
        Trace::Kim,
        Trace::Worst,
        Trace::Found,
        Trace::TwoClusters,
        Trace::Sink,
        Trace::Fork,
        Trace::Adversarial,
        Trace::Exact,
        Trace::Envelope,
        Trace::Skew,
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
            Trace::Worst => "worst",
            Trace::Found => "found",
            Trace::Root => "root",
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
    /// What differs from all others on screen: of the lower bounds the largest, and the one that falls again.
    fn default() -> Self {
        Traces::of([
            Trace::Draws,
            Trace::Root,
            Trace::Sharp,
            Trace::Unified,
            Trace::General,
            Trace::MeanField,
            Trace::Kim,
            Trace::Worst,
            Trace::Found,
            Trace::Adversarial,
        ])
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
    /// How far the axis goes.
    pub range: Range,
    /// The n at which it is read while nothing points at it; `None` is the n of the tokens.
    pub at: Option<f64>,
    /// What R does as n grows.
    pub radius_law: RadiusLaw,
    /// Which traces are on.
    pub traces: Traces,
    /// How worse tokens are searched.
    pub search: SearchSettings,
    /// Whether the search is unfolded.
    pub fold: SearchFold,
}

impl Default for GrowthView {
    fn default() -> Self {
        GrowthView {
            range: Range::Measured,
            at: None,
            radius_law: RadiusLaw::Fixed,
            traces: Traces::default(),
            search: SearchSettings::default(),
            fold: SearchFold::Folded,
        }
    }
}
