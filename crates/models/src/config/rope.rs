//! Rotary positions of a model: the angle of each pair of entries, and how a model that was trained on short texts
//! stretches them for longer ones.
//!
//! Of a head's k entries the first m turn, pair t of m/2 by f_t = theta^(-2t/m) per position. Formulas of the stretched
//! f_t: transformers 5.23, `modeling_rope_utils.py`.

use std::f64::consts::{LN_2, TAU};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use lipscope_core::attention::Rotary;
use lipscope_core::experiment::RopeLayout;

/// The rotary positions of a model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rope {
    /// theta.
    pub theta: f64,
    /// m, even.
    pub rotary_dim: usize,
    /// Which entries are a pair.
    pub layout: RopeLayout,
    /// How positions are stretched.
    pub stretch: Stretch,
}

/// How positions are stretched: f_t instead of theta^(-2t/m).
// A config is copied a few times a run, so that the size of the largest kind does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stretch {
    /// Not at all.
    None,
    /// f_t/factor.
    Linear {
        /// Above 0.
        factor: f64,
    },
    /// Of Llama 3: f_t for wavelengths below `length`/`high`, f_t/factor for those above `length`/`low`, a mixture
    /// between.
    Llama3 {
        /// Above 0.
        factor: f64,
        /// The low frequency factor.
        low: f64,
        /// The high frequency factor, above the low one.
        high: f64,
        /// The number of positions before stretching.
        length: f64,
    },
    /// YaRN: f_t for pairs that turn more than `fast` times in `length` positions, f_t/factor for those that turn less
    /// than `slow` times, a mixture between; cosines and sines times `attention`.
    Yarn {
        /// Above 0.
        factor: f64,
        /// Turns.
        fast: f64,
        /// Turns.
        slow: f64,
        /// The number of positions before stretching.
        length: f64,
        /// Whether the borders of the mixture are whole pairs.
        border: YarnBorder,
        /// The factor of cosines and sines.
        attention: f64,
    },
    /// LongRoPE: f_t divided by a factor of its own, another one in texts that are longer; cosines and sines times
    /// `attention`.
    LongRope {
        /// A factor for each pair, in texts of up to `length` tokens.
        factors: Factors,
        /// Those in longer texts; `None` if the config has none.
        longer: Option<Factors>,
        /// The number of positions before stretching.
        length: f64,
        /// The factor of cosines and sines.
        attention: f64,
    },
}

/// The most pairs with factors of their own; heads of 128 entries have 64.
const MOST_FACTORS: usize = 64;

/// A factor for each of the first pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    numbers: [f64; MOST_FACTORS],
    count: usize,
}

impl Factors {
    /// These factors; `None` if there are too many, or one is not above 0.
    #[must_use]
    pub fn of(given: &[f64]) -> Option<Self> {
        let is_number = |factor: &f64| factor.is_finite() && *factor > 0.0;
        let mut numbers = [1.0; MOST_FACTORS];
        numbers.get_mut(..given.len())?.copy_from_slice(given);
        given.iter().all(is_number).then_some(Factors { numbers, count: given.len() })
    }

    /// The factors.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.numbers[..self.count]
    }
}

impl Serialize for Factors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Factors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Vec::<f64>::deserialize(deserializer)?;
        Factors::of(&given).ok_or_else(|| D::Error::invalid_length(given.len(), &"at most 64 numbers above 0"))
    }
}

/// Where YaRN's mixture begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum YarnBorder {
    /// At whole pairs, rounded outwards.
    Whole,
    /// Where the formula says.
    Exact,
}

impl Stretch {
    /// LongRoPE's factor of cosines and sines where a config names none; the text may be `factor` times as long as
    /// `length`.
    pub(crate) fn long_attention(factor: f64, length: f64) -> f64 {
        if factor <= 1.0 { 1.0 } else { (1.0 + ln(factor) / ln(length)).sqrt() }
    }

    /// YaRN's factor of cosines and sines where a config names none.
    pub(crate) fn yarn_attention(factor: f64) -> f64 {
        if factor <= 1.0 { 1.0 } else { 0.1 * factor.ln() + 1.0 }
    }
}

impl Rope {
    /// The positions in texts of more than so many tokens, if these have others.
    #[must_use]
    pub fn longer(&self) -> Option<(usize, Self)> {
        let Stretch::LongRope { longer: Some(factors), length, attention, .. } = self.stretch else { return None };
        let stretch = Stretch::LongRope { factors, longer: None, length, attention };
        Some((length as usize, Rope { stretch, ..*self }))
    }

    /// The rotation as the engine takes it, in texts that are not longer than the first ones.
    #[must_use]
    pub fn rotary(&self) -> Rotary {
        let factor = match self.stretch {
            Stretch::Yarn { attention, .. } | Stretch::LongRope { attention, .. } => attention,
            _ => 1.0,
        };
        Rotary::Given { layout: self.layout, angles: (0..self.rotary_dim / 2).map(|t| self.angle(t)).collect(), factor }
    }

    /// f_t, the angle of pair t per position.
    fn angle(&self, t: usize) -> f64 {
        let m = self.rotary_dim as f64;
        // libm gives the same bits on every machine; `powf` does not.
        let plain = libm::pow(self.theta, -2.0 * t as f64 / m);
        // A share of 1 leaves the angle, 0 divides it by the factor.
        let mixed = |share: f64, factor: f64| (1.0 - share) * plain / factor + share * plain;
        match self.stretch {
            Stretch::None => plain,
            Stretch::Linear { factor } => plain / factor,
            Stretch::LongRope { factors, .. } => plain / factors.numbers[t],
            Stretch::Llama3 { factor, low, high, length } => {
                let turns = plain * length / TAU;
                mixed(((turns - low) / (high - low)).clamp(0.0, 1.0), factor)
            }
            Stretch::Yarn { factor, fast, slow, length, border, .. } => {
                let pair = |turns: f64| m * ln(length / (TAU * turns)) / (2.0 * ln(self.theta));
                let (first, last) = match border {
                    YarnBorder::Whole => (pair(fast).floor(), pair(slow).ceil()),
                    YarnBorder::Exact => (pair(fast), pair(slow)),
                };
                let (first, last) = (first.max(0.0), last.min(m - 1.0));
                let last = if first == last { last + 0.001 } else { last };
                mixed(1.0 - ((t as f64 - first) / (last - first)).clamp(0.0, 1.0), factor)
            }
        }
    }
}

/// The natural logarithm, with the same bits on every machine.
fn ln(x: f64) -> f64 {
    libm::log2(x) * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn angles(stretch: Stretch) -> Vec<f64> {
        let rope = Rope { theta: 1e4, rotary_dim: 8, layout: RopeLayout::Half, stretch };
        (0..4).map(|t| rope.angle(t)).collect()
    }

    /// The angles of transformers 5.23 (`ROPE_INIT_FUNCTIONS`) for theta 10000, m = 8.
    #[test]
    fn stretched_angles_are_those_of_their_formulas() {
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
            }
        };
        close(angles(Stretch::None), [1.0, 0.1, 0.01, 0.001]);
        close(angles(Stretch::Linear { factor: 4.0 }), [0.25, 0.025, 0.0025, 0.00025]);
        // 100 positions: the pairs turn 15.9, 1.59, 0.159 and 0.0159 times.
        let turns = 0.1 * 100.0 / TAU;
        let share = (turns - 1.0) / 3.0;
        close(
            angles(Stretch::Llama3 { factor: 8.0, low: 1.0, high: 4.0, length: 100.0 }),
            [1.0, 0.1 * (share + (1.0 - share) / 8.0), 0.01 / 8.0, 0.001 / 8.0],
        );
        // With 1000 positions the borders are at pairs 0.7 and 2.2 for 32 and 1 turns.
        let yarn =
            |border| Stretch::Yarn { factor: 4.0, fast: 32.0, slow: 1.0, length: 1000.0, border, attention: 1.1 };
        let mixed = |plain: f64, ramp: f64| plain * (1.0 - ramp) + plain / 4.0 * ramp;
        close(angles(yarn(YarnBorder::Whole)), [1.0, mixed(0.1, 1.0 / 3.0), mixed(0.01, 2.0 / 3.0), 0.001 / 4.0]);
        let [first, last] = [32.0, 1.0].map(|turns: f64| 4.0 * (1000.0 / (TAU * turns)).ln() / 1e4f64.ln());
        let ramp = |t: f64| ((t - first) / (last - first)).clamp(0.0, 1.0);
        close(angles(yarn(YarnBorder::Exact)), [1.0, mixed(0.1, ramp(1.0)), mixed(0.01, ramp(2.0)), 0.001 / 4.0]);
        assert_eq!(Stretch::yarn_attention(0.5), 1.0);
        assert!((Stretch::yarn_attention(1f64.exp()) - 1.1).abs() < 1e-15);
    }
}
