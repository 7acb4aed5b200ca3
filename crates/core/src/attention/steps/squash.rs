//! What is done to a score before the bias: nothing, the soft cap s <- tau tanh(s/tau) with slope 1 - tanh^2, or for
//! linear attention s <- ln s with slope 1/s.

use super::super::view::Scalar;

/// The map of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Squash {
    /// The identity.
    Absent,
    /// tau tanh(s/tau).
    Cap {
        /// tau, above 0.
        tau: f64,
    },
    /// ln s.
    Log,
}

impl Squash {
    /// The value of the map at s, and its slope there.
    pub(crate) fn value_and_slope<T: Scalar>(self, s: T) -> (T, T) {
        let one = T::constant(1.0);
        match self {
            Squash::Absent => (s, one),
            Squash::Cap { tau } => {
                let x = s / T::constant(tau);
                // 1 - tanh^2 from one exponential: the difference would lose its digits where the cap is reached.
                let decay = (if x.value() < 0.0 { x } else { -x } * T::constant(2.0)).exp();
                let slope = T::constant(4.0) * decay / ((one + decay) * (one + decay));
                (x.tanh() * T::constant(tau), slope)
            }
            Squash::Log => (s.ln(), one / s),
        }
    }

    /// Applies the map to scores in place, and writes the slopes unless `slopes` is empty.
    pub(super) fn apply<T: Scalar>(self, scores: &mut [T], slopes: &mut [T]) {
        if self == Squash::Absent {
            return slopes.fill(T::constant(1.0));
        }
        let mut slots = slopes.iter_mut();
        for score in scores {
            let (value, slope) = self.value_and_slope(*score);
            *score = value;
            if let Some(slot) = slots.next() {
                *slot = slope;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::Dual;

    #[test]
    fn slopes_are_the_derivatives_by_dual_numbers() {
        for squash in [Squash::Absent, Squash::Cap { tau: 2.0 }, Squash::Cap { tau: 50.0 }, Squash::Log] {
            for s in [0.01, 0.7, 3.0, 40.0] {
                let (_, slope) = squash.value_and_slope(s);
                let (value, _) = squash.value_and_slope(Dual::new(s, 1.0));
                assert!((slope - value.eps).abs() <= 1e-15 + 1e-13 * slope, "{squash:?} {s}: {slope} {}", value.eps);
            }
        }
        let (value, slope) = Squash::Cap { tau: 1.0 }.value_and_slope(-100.0);
        assert!(value == -1.0 && slope > 0.0, "{slope:e}");
    }
}
