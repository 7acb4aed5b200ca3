//! The settings of the view over n.

use lipscope_core::bounds::{
    ADVERSARIAL, ADVERSARIAL_ENVELOPE, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, ELEMENTWISE, ELEMENTWISE_TOKEN,
    FORK, GENERAL, GENERAL_TOKEN, KIM_COLUMN, KIM_L2, KIM_LINF, SHARP, SHARP_MASKED, SINK, SKEW, Side, TWO_CLUSTERS,
    TWO_TOKENS, UNIFIED, UNIFIED_MASKED,
};

use super::settings::SearchSettings;

/// How R depends on n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadiusGrowth {
    /// R is the same at every n.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Trace {
    /// Lipscope's upper bound, with or without the mask.
    Unified,
    /// The published bound for any n.
    General,
    /// The published mean-field bound.
    MeanField,
    /// The lower bound by two clusters: those with the largest norm that the search finds.
    TwoClusters,
    /// The adversarial family at fixed R.
    Adversarial,
    /// The envelope of the adversarial family.
    Envelope,
    /// The exact norms of the skew witness.
    Skew,
    /// Exact norms of the adversarial tokens.
    Exact,
    /// The draws of the sweep.
    Draws,
    /// The published bound for L2 multi-head attention.
    Kim,
    /// Lipscope's best upper bound, with or without the mask.
    Sharp,
    /// Tokens of two clusters, one of which draws the attention of the other.
    Sink,
    /// Tokens of three clusters, two of which share the attention of the third.
    Fork,
    /// The largest of the lower bounds, at each n.
    Worst,
    /// The results of searches.
    Found,
    /// The root of n, for comparison.
    Root,
}

impl RadiusGrowth {
    /// All, with their words in links.
    pub const ALL: [(&'static str, RadiusGrowth); 2] =
        [("fixed", RadiusGrowth::Fixed), ("sqrt-log", RadiusGrowth::SqrtLog)];
}

impl Range {
    /// All, with their words in links.
    pub const ALL: [(&'static str, Range); 3] =
        [("measured", Range::Measured), ("1e6", Range::Million), ("1e18", Range::Quintillion)];

    /// The shortest range that includes n.
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
        self.into()
    }

    /// The bounds that it shows. Where a bound has a form for each mask or each norm, all forms are listed. Where several
    /// apply, as for two tokens, the smallest is shown.
    #[must_use]
    pub fn bounds(self) -> &'static [BoundId] {
        match self {
            Trace::Sharp => {
                const {
                    &[
                        &SHARP,
                        &SHARP_MASKED,
                        &TWO_TOKENS,
                        &GENERAL,
                        &ELEMENTWISE,
                        &KIM_COLUMN,
                        &GENERAL_TOKEN,
                        &ELEMENTWISE_TOKEN,
                    ]
                }
            }
            Trace::Unified => const { &[&UNIFIED, &UNIFIED_MASKED] },
            Trace::General => const { &[&CASTIN_GENERAL] },
            Trace::MeanField => const { &[&CASTIN_MEAN_FIELD] },
            Trace::Sink => const { &[&SINK] },
            Trace::Fork => const { &[&FORK] },
            Trace::TwoClusters => const { &[&TWO_CLUSTERS] },
            Trace::Adversarial => const { &[&ADVERSARIAL] },
            Trace::Envelope => const { &[&ADVERSARIAL_ENVELOPE] },
            Trace::Skew => const { &[&SKEW] },
            Trace::Kim => const { &[&KIM_L2, &KIM_LINF] },
            Trace::Worst | Trace::Found | Trace::Exact | Trace::Draws | Trace::Root => &[],
        }
    }

    /// The side of the norm on which it stands; `None` for what is measured, and for sqrt(n).
    #[must_use]
    pub fn side(self) -> Option<Side> {
        match self {
            Trace::Worst | Trace::Found | Trace::Exact => Some(Side::Lower),
            _ => self.bounds().first().map(|bound| bound.side()),
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Which traces are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traces(u32);

impl Default for Traces {
    /// Traces that are easy to tell apart. Of the lower bounds these are the largest at each n, the results of
    /// searches, and the adversarial one, which falls again as n grows.
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
    /// Switches these traces on, and the others off.
    #[must_use]
    pub fn of(on: impl IntoIterator<Item = Trace>) -> Self {
        Traces(on.into_iter().fold(0, |bits, trace| bits | trace.bit()))
    }

    /// Whether a trace is on.
    #[must_use]
    pub fn has(self, trace: Trace) -> bool {
        self.0 & trace.bit() != 0
    }

    /// These traces with one switched over.
    #[must_use]
    pub fn toggled(self, trace: Trace) -> Self {
        Traces(self.0 ^ trace.bit())
    }
}

/// The settings of the view over n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthView {
    /// How far the axis goes.
    pub range: Range,
    /// The n at which the view is read while no pointer is on it; `None` is the n of the tokens.
    pub at: Option<f64>,
    /// How R depends on n.
    pub radius_growth: RadiusGrowth,
    /// Which traces are on.
    pub traces: Traces,
    /// The settings of the worst-case search.
    pub search: SearchSettings,
    /// Whether the search is unfolded.
    pub fold: SearchFold,
}

impl Default for GrowthView {
    fn default() -> Self {
        GrowthView {
            range: Range::Measured,
            at: None,
            radius_growth: RadiusGrowth::Fixed,
            traces: Traces::default(),
            search: SearchSettings::default(),
            fold: SearchFold::Folded,
        }
    }
}
