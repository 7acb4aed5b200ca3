//! The lengths n of a sweep, read from a text or evenly spaced in ln n, and how R depends on n.

use serde::{Deserialize, Serialize};

use crate::experiment::{InputError, Normalization};
use crate::phrase;

/// The most points of a sweep.
pub const MAX_POINTS: usize = 100_000;

/// Parses lengths: a list `2,4,8`, a range `2:98:2`, or `2:4096:x16` for 16 lengths evenly spaced in ln n.
///
/// # Errors
/// [`InputError::BadValue`] with the accepted forms.
pub fn parse_lengths(text: &str) -> Result<Vec<usize>, InputError> {
    let wrong = || InputError::BadValue {
        key: "lengths".into(),
        found: text.into(),
        expected: phrase!("list_2_4_8", "a list 2,4,8, a range first:last:step, or first:last:xCOUNT"),
    };
    let number = |part: &str| part.trim().parse::<usize>().map_err(|_| wrong());
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [list] => list.split(',').map(number).collect(),
        [first, last, step] => {
            let (first, last) = (number(first)?, number(last)?);
            match step.strip_prefix('x') {
                Some(count) => Ok(log_spaced(first, last, number(count)?.min(MAX_POINTS))),
                None => match number(step)? {
                    0 => Err(wrong()),
                    step => Ok((first..=last).step_by(step).take(MAX_POINTS + 1).collect()),
                },
            }
        }
        _ => Err(wrong()),
    }
}

/// Integers from `first` to `last`, evenly spaced in the logarithm, without duplicates.
#[must_use]
pub fn log_spaced(first: usize, last: usize, count: usize) -> Vec<usize> {
    let (first, last) = (first.max(1), last.max(first).max(1));
    if count < 2 || first == last {
        return vec![last];
    }
    let (low, high) = ((first as f64).ln(), (last as f64).ln());
    let mut lengths: Vec<usize> = (0..count)
        .map(|at| (low + (high - low) * at as f64 / (count - 1) as f64).exp().round() as usize)
        .map(|n| n.clamp(first, last))
        .collect();
    lengths.dedup();
    lengths
}

/// How R depends on n, in sweeps and in curves over n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Spacing {
    /// R is constant.
    #[default]
    Fixed,
    /// R_n = R sqrt(ln n / ln n_0), with the experiment's R at n_0, so that R^2 is proportional to ln n.
    SqrtLog {
        /// n_0, where R is the experiment's own.
        from_n: f64,
    },
}

impl Spacing {
    /// R at n, where the experiment has this radius.
    #[must_use]
    pub fn radius_at(self, radius: f64, n: f64) -> f64 {
        match self {
            Spacing::Fixed => radius,
            Spacing::SqrtLog { from_n } => radius * (n.ln() / from_n.max(2.0).ln()).sqrt(),
        }
    }

    /// How the radius of the bounds' ball depends on n, if `self` says how R of the tokens does. Without a normaliser
    /// they are the same. The outputs of a normaliser stay in the ball of radius sqrt d, whatever R is.
    #[must_use]
    #[doc(hidden)]
    pub fn of_ball(self, normalization: Normalization) -> Self {
        match normalization {
            Normalization::None => self,
            Normalization::Layer | Normalization::Rms => Spacing::Fixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_lengths;

    #[test]
    fn lengths_parse_from_lists_ranges_and_log_spaced_ranges() {
        assert_eq!(parse_lengths("2,4,8"), Ok(vec![2, 4, 8]));
        assert_eq!(parse_lengths("2:10:4"), Ok(vec![2, 6, 10]));
        assert_eq!(parse_lengths("2:128:x7"), Ok(vec![2, 4, 8, 16, 32, 64, 128]));
        for broken in ["", "2:8", "2:8:0", "a", "2:8:xq", "-1"] {
            assert!(parse_lengths(broken).is_err(), "{broken}");
        }
    }
}
