//! Round numbers: 1, 2 and 5 times powers of ten.

use super::extent::Extent;
use super::scale::Scale;

impl Extent {
    /// The range widened to round numbers: 1, 2 or 5 times a power of ten on a log scale, multiples of a round step
    /// otherwise. A small change of the data rarely changes it.
    pub fn nice(self, scale: Scale) -> Extent {
        let widened = match scale {
            Scale::Log if self.lo() > 0.0 => {
                Extent::new(round_1_2_5(self.lo(), f64::le), round_1_2_5(self.hi(), f64::ge))
            }
            Scale::Log => None,
            Scale::Linear => widen_to_steps(self),
            Scale::Sqrt => Extent::new(scale.forward(self.lo()), scale.forward(self.hi()))
                .and_then(widen_to_steps)
                .and_then(|e| Extent::new(scale.inverse(e.lo()), scale.inverse(e.hi()))),
        };
        widened.unwrap_or(self)
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `rough`.
pub(super) fn round_step(rough: f64) -> f64 {
    round_1_2_5(rough.max(f64::MIN_POSITIVE), f64::ge)
}

/// The nearest 1, 2 or 5 times a power of ten that satisfies `compare` with `value`.
fn round_1_2_5(value: f64, compare: fn(&f64, &f64) -> bool) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return value;
    }
    let decade = value.log10().floor() as i32;
    let candidates = (decade - 1..=decade + 1)
        .flat_map(|e| [1, 2, 5].map(|m| format!("{m}e{e}").parse::<f64>().unwrap_or(f64::NAN)))
        .filter(|candidate| candidate.is_finite() && compare(candidate, &value));
    candidates.min_by(|a, b| (a.ln() - value.ln()).abs().total_cmp(&(b.ln() - value.ln()).abs())).unwrap_or(value)
}

/// A range widened to multiples of a round step, about five of them.
fn widen_to_steps(extent: Extent) -> Option<Extent> {
    let (lo, hi) = (extent.lo(), extent.hi());
    if hi <= lo {
        return None;
    }
    let step = round_step((hi - lo) / 5.0);
    Extent::new((lo / step + 1e-9).floor() * step, (hi / step - 1e-9).ceil() * step)
}
