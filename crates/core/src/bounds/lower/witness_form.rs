//! The closed forms of the witnesses (`witness.rs`) as functions of t, |x| and th.

use std::f64::consts::PI;

use super::witness_direction::WitnessDirection;

/// The arrangement of the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Two clusters: x, and one far along A x.
    Sink,
    /// Three clusters: x, and two on both sides of A x.
    Fork,
}

impl Shape {
    /// The fewest tokens away from x.
    pub(crate) fn fewest(self) -> f64 {
        match self {
            Shape::Sink => 1.0,
            Shape::Fork => 2.0,
        }
    }

    /// The ranges of |x|/R and of th.
    pub(crate) fn limits(self) -> [(f64, f64); 2] {
        [(0.0, 1.0), (0.0, if self == Shape::Fork { PI } else { 0.0 })]
    }
}

/// The closed form of a direction. Let r = t/(n - t) and z = 1/(1 + r e^D): z is the attention that a token at x gives
/// to all tokens at x. Then sqrt(N t) p = e^(D/2) sqrt(z (1 - z)) and 1 - t p = z.
pub(crate) struct Closed<'a> {
    pub(crate) direction: &'a WitnessDirection,
    pub(crate) shape: Shape,
    pub(crate) radius: f64,
}

impl Closed<'_> {
    /// |A x| and D.
    fn image_and_exponent(&self, reach: f64, angle: f64) -> (f64, f64) {
        let x = reach * self.radius;
        let image = self.direction.stretch * x;
        let toward = if self.shape == Shape::Sink { 1.0 } else { angle.cos() };
        (image, self.radius * image * toward - x * x * self.direction.along)
    }

    /// D.
    pub(crate) fn exponent(&self, reach: f64, angle: f64) -> f64 {
        self.image_and_exponent(reach, angle).1
    }

    /// The coefficients of 1, z and z^2 in the square of what one token at x gains, over t p^2.
    pub(crate) fn gain_squares(&self, reach: f64, angle: f64) -> [f64; 3] {
        let (image, _) = self.image_and_exponent(reach, angle);
        match self.shape {
            Shape::Sink => self.gains(reach, image),
            Shape::Fork => [(self.radius * angle.sin() * image * self.direction.value_w).powi(2), 0.0, 0.0],
        }
    }

    /// The coefficients of 1, z and z^2 in |V (y + z (R y - x) |A x|)|^2.
    fn gains(&self, reach: f64, image: f64) -> [f64; 3] {
        let [yy, yx, xx] = self.direction.values;
        let (r, x) = (self.radius, reach * self.radius);
        [yy, 2.0 * image * (r * yy - x * yx), image * image * (r * r * yy - 2.0 * r * x * yx + x * x * xx)]
    }

    /// ln of the closed form at a given ln r.
    pub(crate) fn at(&self, ln_odds: f64, reach: f64, angle: f64) -> f64 {
        let (image, d) = self.image_and_exponent(reach, angle);
        let s = ln_odds + d;
        let e = (-s.abs()).exp();
        // ln sqrt(z (1 - z)), since ln z = -ln(1 + e^s) and ln(1 - z) = s - ln(1 + e^s).
        let ln_split = -0.5 * s.abs() - e.ln_1p();
        let ln_gain = match self.shape {
            Shape::Sink => {
                let z = if s > 0.0 { e } else { 1.0 } / (1.0 + e);
                let [one, linear, square] = self.gains(reach, image);
                0.5 * (one + z * (linear + z * square)).max(0.0).ln()
            }
            Shape::Fork => (self.radius * angle.sin() * image * self.direction.value_w).ln(),
        };
        0.5 * d + ln_split + ln_gain
    }

    /// The best ln r within its limits: z = 1/2 for the fork; for the sink the z that maximises z (1 - z) times the
    /// square of the gain, a polynomial in z.
    pub(crate) fn best_ln_odds(&self, reach: f64, angle: f64, (low, high): (f64, f64)) -> f64 {
        let (image, d) = self.image_and_exponent(reach, angle);
        let best = match self.shape {
            Shape::Fork => -d,
            Shape::Sink => {
                let [one, linear, square] = self.gains(reach, image);
                let value = |z: f64| z * (1.0 - z) * (one + z * (linear + z * square));
                const PARTS: usize = 8;
                let parts = (1..PARTS).map(|part| part as f64 / PARTS as f64);
                let mut z = parts.max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(0.5);
                // Newton's steps from there, as long as they go up.
                for _ in 0..NEWTON_STEPS {
                    let slope = one + z * (2.0 * (linear - one) + z * (3.0 * (square - linear) - z * 4.0 * square));
                    let bend = 2.0 * (linear - one) + z * (6.0 * (square - linear) - z * 12.0 * square);
                    let moved = (z - slope / bend).clamp(1e-3, 1.0 - 1e-3);
                    if value(moved) > value(z) {
                        z = moved;
                    } else {
                        break;
                    }
                }
                ((1.0 - z) / z).ln() - d
            }
        };
        best.clamp(low, high)
    }
}

/// Enough steps for all digits: the first point is at most 1/8 from the maximum.
const NEWTON_STEPS: usize = 6;
