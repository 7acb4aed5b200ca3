//! How a drawn curve is judged: by its slope on the plot of log L on log n, which is what such a question asks for. How high
//! the curve stands is told, and not judged.

use lipscope_core::fit::fit_power_law;

/// A drawn slope counts as right up to this distance from the measured one. Growth like √n has slope one half, and the
/// nearest other answers, no growth and growth like n, are one half away.
pub const SLOPE_TOLERANCE: f64 = 0.1;

/// The slopes of log L on log n of a drawn curve and of the measured one, over the same n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slopes {
    /// That of the drawn curve.
    pub yours: f64,
    /// That of the measured curve.
    pub found: f64,
}

impl Slopes {
    /// The slopes over points (n, yours, measured); `None` where they are too few for a slope.
    #[must_use]
    pub fn of(points: &[(f64, f64, f64)]) -> Option<Self> {
        let slope = |value: fn(&(f64, f64, f64)) -> f64| {
            let points: Vec<(f64, f64)> = points.iter().map(|point| (point.0, value(point))).collect();
            fit_power_law(&points).map(|fit| fit.exponent)
        };
        Some(Slopes { yours: slope(|point| point.1)?, found: slope(|point| point.2)? })
    }

    /// Whether the slopes count as the same.
    #[must_use]
    pub fn are_alike(self) -> bool {
        (self.yours - self.found).abs() <= SLOPE_TOLERANCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Guessed;

    /// A curve over the n of the lesson's handles, beside the norm of one token against all others.
    fn drawn(curve: impl Fn(f64) -> f64) -> Vec<(f64, f64, f64)> {
        [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0].map(|n: f64| (n, curve(n), (n - 1.0).sqrt())).to_vec()
    }

    #[test]
    fn a_curve_like_the_square_root_of_n_is_right_at_any_height_and_no_other_growth_is() {
        let is_right = |curve: &dyn Fn(f64) -> f64| Guessed::Curve(drawn(curve)).is_right();
        assert!(is_right(&|n| n.sqrt()));
        assert!(is_right(&|n| 3.0 * n.sqrt()));
        assert!(is_right(&|n| (n - 1.0).sqrt()));
        assert!(is_right(&|n| 1.2 * n.powf(0.544)));
        assert!(!is_right(&|_| 1.0));
        assert!(!is_right(&|n| n));
        assert!(!is_right(&|n| 72.0 * n.powf(-0.457)));
        assert!(!is_right(&|n| n.ln()), "log n has the slope {:?}", Slopes::of(&drawn(f64::ln)));
    }

    #[test]
    fn two_points_have_no_slope() {
        assert_eq!(Slopes::of(&drawn(f64::sqrt)[..2]), None);
    }
}
