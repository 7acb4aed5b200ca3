//! The numbers that a reader can set: their range, their slider's rungs, and their place in the state.

use std::ops::RangeInclusive;

use super::state::{MAX_N, MAX_WITNESS_N, MOST_SEED, PageState, SearchSettings};
use super::strings;

/// A number with a slider and a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Number of tokens.
    N,
    /// Dimension of a token.
    D,
    /// Radius of the ball.
    Radius,
    /// Number of heads.
    Heads,
    /// Dimension of a head.
    HeadDim,
    /// Scale of random weights.
    Scale,
    /// The normaliser's epsilon.
    Eps,
    /// The longest length of the sweep.
    SweepMax,
    /// Draws a length.
    Draws,
    /// The n at which the view over n is read.
    GrowthAt,
    /// Number of starts of the search.
    SearchRestarts,
    /// Seed of the search's random starts.
    SearchSeed,
    /// The dimension in which the search moves tokens of A = I and A = -I.
    SearchDim,
}

impl Field {
    /// The id of its slider; its box has this id and "-number".
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Field::N => "n",
            Field::D => "d",
            Field::Radius => "radius",
            Field::Heads => "heads",
            Field::HeadDim => "head-dim",
            Field::Scale => "scale",
            Field::Eps => "eps",
            Field::SweepMax => "sweep-max",
            Field::Draws => "draws",
            Field::GrowthAt => "growth-at",
            Field::SearchRestarts => "search-restarts",
            Field::SearchSeed => "search-seed",
            Field::SearchDim => "search-d",
        }
    }

    /// The least and the greatest value that some state accepts.
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        match self {
            Field::N => (2.0, MAX_WITNESS_N as f64),
            Field::D => (1.0, 128.0),
            Field::Radius => (1e-6, 1e6),
            Field::Heads => (1.0, 64.0),
            Field::HeadDim => (1.0, 512.0),
            Field::Scale => (0.0, 1e6),
            Field::Eps => (0.0, 1e6),
            Field::SweepMax => (4.0, MAX_N as f64),
            Field::Draws => (1.0, 64.0),
            Field::GrowthAt => (2.0, 1e18),
            Field::SearchRestarts => ends(&SearchSettings::RESTARTS),
            Field::SearchSeed => (0.0, MOST_SEED as f64),
            Field::SearchDim => ends(&SearchSettings::DIM),
        }
    }

    /// Whether only whole numbers make sense.
    #[must_use]
    pub fn is_whole(self) -> bool {
        !matches!(self, Field::Radius | Field::Scale | Field::Eps)
    }

    /// Its value in a state.
    #[must_use]
    pub fn get(self, state: &PageState) -> f64 {
        match self {
            Field::N => state.n_tokens(),
            Field::D => state.dim() as f64,
            Field::Radius => state.radius_used(),
            Field::Heads => state.n_heads() as f64,
            Field::HeadDim => state.head_dim_used() as f64,
            Field::Scale => state.scale,
            Field::Eps => state.eps,
            Field::SweepMax => state.sweep_max as f64,
            Field::Draws => state.draws_used() as f64,
            Field::GrowthAt => state.read_at(),
            Field::SearchRestarts => state.growth.search.restarts as f64,
            Field::SearchSeed => state.growth.search.seed as f64,
            Field::SearchDim => state.growth.search.dim as f64,
        }
    }

    /// Puts a value that [`Field::accept`] has passed into a state.
    pub fn set(self, state: &mut PageState, value: f64) {
        let whole = value as usize;
        match self {
            Field::N => state.n = whole,
            Field::D => state.d = whole,
            Field::Radius => state.radius = value,
            Field::Heads => state.heads = whole,
            Field::HeadDim => state.head_dim = whole,
            Field::Scale => state.scale = value,
            Field::Eps => state.eps = value,
            Field::SweepMax => state.sweep_max = whole,
            Field::Draws => state.draws = whole,
            Field::GrowthAt => state.keep_read_at(value),
            Field::SearchRestarts => state.growth.search.restarts = whole,
            Field::SearchSeed => state.growth.search.seed = value as u64,
            Field::SearchDim => state.growth.search.dim = whole,
        }
    }

    /// The range that a state accepts: only the tokens of a witness can be more than the page measures.
    fn range_in(self, state: &PageState) -> (f64, f64) {
        match self {
            Field::N => (self.range().0, state.most_tokens() as f64),
            _ => self.range(),
        }
    }

    /// The value of a text in a state.
    ///
    /// # Errors
    /// A sentence that says what is wrong and which values are accepted.
    pub fn accept(self, text: &str, state: &PageState) -> Result<f64, String> {
        let name = strings::field_label(self);
        let plain = text.trim().replace(['\u{2212}', '\u{2013}'], "-");
        let value: f64 = plain
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(|| strings::not_a_number(name, text.trim()))?;
        let (least, most) = self.range_in(state);
        if !(least..=most).contains(&value) {
            return Err(strings::out_of_range(name, text.trim(), least, most));
        }
        if self.is_whole() && value.fract() != 0.0 {
            return Err(strings::not_whole(name, text.trim()));
        }
        Ok(value)
    }

    /// The value as its box shows it.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        let largest = if self == Field::GrowthAt { 1e7 } else { 1e9 };
        if value == 0.0 || (1e-4..largest).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
    }

    /// The values that the slider stops at in a state, ascending.
    #[must_use]
    pub fn rungs(self, state: &PageState) -> Vec<f64> {
        match self {
            Field::N => whole_rungs(2, state.most_tokens(), 16.0),
            Field::D if state.dim_step() > 1 => {
                (1..=128 / state.dim_step()).map(|times| (times * state.dim_step()) as f64).collect()
            }
            Field::D => whole_rungs(1, 128, 12.0),
            Field::HeadDim => whole_rungs(1, 128, 12.0),
            Field::SweepMax => whole_rungs(4, MAX_N, 4.0),
            Field::Heads => (1..=16).map(f64::from).collect(),
            Field::Draws => (1..=32).map(f64::from).collect(),
            Field::Radius | Field::Scale => decades(-2, 2),
            Field::GrowthAt => (2..=18).map(|power| rounded(1.0, power)).collect(),
            Field::SearchRestarts => {
                whole_rungs(*SearchSettings::RESTARTS.start(), *SearchSettings::RESTARTS.end(), 2.0)
            }
            Field::SearchSeed => (0..=64).map(f64::from).collect(),
            Field::SearchDim => whole_rungs(*SearchSettings::DIM.start(), *SearchSettings::DIM.end(), 2.0),
            Field::Eps => (-12..=0).map(|power| 10f64.powi(power)).collect(),
        }
    }
}

fn ends(range: &RangeInclusive<usize>) -> (f64, f64) {
    (*range.start() as f64, *range.end() as f64)
}

/// Whole numbers, evenly spaced in the logarithm: a fixed count per doubling, powers of two among them.
fn whole_rungs(first: usize, last: usize, to_a_doubling: f64) -> Vec<f64> {
    let steps = ((last as f64 / first as f64).log2() * to_a_doubling).ceil() as usize;
    let low = (first as f64).log2();
    let mut rungs: Vec<f64> =
        (0..=steps).map(|at| (low + at as f64 / to_a_doubling).exp2().round().min(last as f64)).collect();
    rungs.push(last as f64);
    rungs.dedup();
    rungs
}

/// Numbers of two digits (and a half) from 10^low to 10^high.
fn decades(low: i32, high: i32) -> Vec<f64> {
    let hundredths = (100..200).step_by(5).chain((200..500).step_by(10)).chain((500..1000).step_by(20));
    let mantissas: Vec<u32> = hundredths.collect();
    let decade = |power: i32| mantissas.iter().map(move |m| rounded(f64::from(*m), power - 2));
    (low..high).flat_map(decade).chain(std::iter::once(10f64.powi(high))).collect()
}

/// m 10^power as the number that its shortest decimal denotes.
fn rounded(m: f64, power: i32) -> f64 {
    format!("{m}e{power}").parse().unwrap_or(m * 10f64.powi(power))
}
