//! Scales: how numbers are spaced along an axis.

/// How an axis spaces numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scale {
    /// Equal differences, equal distances.
    #[default]
    Linear,
    /// Equal ratios, equal distances; only positive numbers can be shown.
    Log,
    /// Distances proportional to the square root, mirrored for negative numbers.
    Sqrt,
}

impl Scale {
    /// The number in the scale's own coordinate (for a log scale, its logarithm). Not finite for numbers that the scale
    /// cannot show; a log scale sends zero to negative infinity.
    pub fn forward(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log => value.log10(),
            Scale::Sqrt => value.abs().sqrt().copysign(value),
        }
    }

    /// The inverse of [`Scale::forward`].
    pub fn inverse(self, ruler: f64) -> f64 {
        match self {
            Scale::Linear => ruler,
            Scale::Log => 10f64.powf(ruler),
            Scale::Sqrt => ruler * ruler.abs(),
        }
    }

    /// As [`Scale::forward`], for a value given as log10.
    pub fn forward_log10(self, log10: f64) -> f64 {
        match self {
            Scale::Linear => 10f64.powf(log10),
            Scale::Log => log10,
            Scale::Sqrt => 10f64.powf(log10 / 2.0),
        }
    }

    /// Whether the scale can show a number: [`Scale::forward`] is finite (decided without computing a logarithm).
    pub(super) fn shows(self, value: f64) -> bool {
        value.is_finite() && (self != Scale::Log || value > 0.0)
    }
}
