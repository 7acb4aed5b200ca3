//! What a model adds to the scores of attention by the distance j - i of two tokens: ALiBi, or a table of its files.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use lipscope_core::attention::DistanceBias;
use lipscope_core::experiment::{Alibi, InputError};
use lipscope_core::phrase;

/// What is added to the scores of attention.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScoreBias {
    /// Nothing.
    None,
    /// ALiBi: slope times distance, with a slope for each head.
    Alibi {
        /// What the slopes are multiplied by.
        factor: f64,
    },
    /// A number for each bucket of distances and each head, from a table of the files.
    Table {
        /// Rows of the table.
        rows: usize,
        /// N: half of them for earlier tokens, half for later ones.
        buckets: usize,
        /// D: from this distance on, all tokens share a bucket.
        distance: usize,
    },
}

/// The most buckets of distances, and the largest distance with a bucket of its own; far above existing models.
const MAX_BUCKETS: usize = 65_536;

impl ScoreBias {
    /// Checks the sizes of a table.
    ///
    /// # Errors
    /// [`InputError::BadValue`].
    pub(crate) fn check(self) -> Result<(), InputError> {
        let ScoreBias::Table { rows, buckets, distance } = self else { return Ok(()) };
        let sizes = [
            (phrase!("model_buckets", "buckets of distances"), rows.max(buckets), 4),
            (phrase!("model_distance", "largest distance with a bucket"), distance, 1),
        ];
        for (what, found, least) in sizes {
            // Half of the buckets are for later tokens, and half of those for single distances.
            if !(least..=MAX_BUCKETS).contains(&found) || rows < buckets || distance <= buckets / 4 {
                return Err(InputError::BadValue {
                    key: phrase!("model_size", "The model's {what}", what = what),
                    found: found.to_string().into(),
                    expected: phrase!(
                        "buckets_and_distance",
                        "at least 4 buckets, not more than the table has rows, and a distance above a quarter of them, each at most {most}",
                        most = MAX_BUCKETS
                    ),
                });
            }
        }
        Ok(())
    }

    /// What is added to the scores of some of H heads; `table` has a row for each bucket with a number for each head.
    pub(crate) fn distances(self, table: &[Vec<f32>], heads: Range<usize>, count: usize) -> DistanceBias {
        match self {
            ScoreBias::None => DistanceBias::None,
            ScoreBias::Alibi { factor } => {
                DistanceBias::Slopes(heads.map(|head| factor * alibi_slope(head, count)).collect())
            }
            ScoreBias::Table { buckets, distance, .. } => {
                let far = distance as isize;
                let entry = |head: usize, by: isize| f64::from(table[bucket(by, buckets, distance)][head]);
                DistanceBias::Tables(heads.map(|head| (-far..=far).map(|by| entry(head, by)).collect()).collect())
            }
        }
    }
}

/// The slope of a head: those of ALiBi for the largest power of two up to H, then every other one of twice as many heads.
fn alibi_slope(head: usize, heads: usize) -> f64 {
    let default = Alibi { slopes: None };
    let power = 1 << heads.max(1).ilog2();
    match head.checked_sub(power) {
        None => default.slope(head, power),
        Some(beyond) => default.slope(2 * beyond, 2 * power),
    }
}

/// The bucket of the distance from a token to another: half of them are for later tokens. Of each half, half are for
/// single distances, the others grow by a factor up to `distance`.
fn bucket(by: isize, buckets: usize, distance: usize) -> usize {
    let (half, t) = (buckets / 2, by.unsigned_abs());
    let single = half / 2;
    let first = if by > 0 { half } else { 0 };
    if t < single {
        return first + t;
    }
    let [grown, whole] = [t, distance].map(|x| libm::log2(x as f64 / single as f64));
    // The last digit must not put a power of the factor into the bucket before.
    let further = (grown / whole * (half - single) as f64 + 1e-9).floor() as usize;
    first + (single + further).min(half - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_t5() {
        let of = |by: isize| bucket(by, 32, 128);
        assert_eq!([0, -7, -8, -11, -12, -16, -32, -64, -127, -500].map(of), [0, 7, 8, 8, 9, 10, 12, 14, 15, 15]);
        assert_eq!([1, 7, 8, 16, 128].map(of), [17, 23, 24, 26, 31]);
    }

    #[test]
    fn slopes_beyond_a_power_of_two_are_every_other_one_of_twice_as_many() {
        let slopes: Vec<f64> = (0..6).map(|head| alibi_slope(head, 6)).collect();
        assert_eq!(slopes, [0.25, 0.0625, 0.015_625, 0.003_906_25, 0.5, 0.125]);
    }
}
