//! Scales of axes and ranges of numbers: the range of a set of numbers, its widening to round numbers, and a range that
//! stays fixed while a slider is dragged.
//!
//! A chart leaves out numbers that are not finite, and so do its ranges and the largest and smallest of what it draws: a gap
//! in the data is no fault of the chart. Code that computes has another rule, which keeps a NaN.

/// A range of finite numbers, `lo <= hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    lo: f64,
    hi: f64,
}

impl Extent {
    /// The range between two numbers, in either order; `None` if one is not finite.
    pub fn new(a: f64, b: f64) -> Option<Self> {
        (a.is_finite() && b.is_finite()).then(|| Extent { lo: a.min(b), hi: a.max(b) })
    }

    /// The range of the finite numbers among `values`; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().filter(|v| v.is_finite()).fold(None, |extent: Option<Extent>, v| {
            Some(extent.map_or(Extent { lo: v, hi: v }, |e| Extent { lo: e.lo.min(v), hi: e.hi.max(v) }))
        })
    }

    /// The range of the numbers that a scale can show: on a log scale, the positive ones.
    pub fn shown(values: impl IntoIterator<Item = f64>, scale: Scale) -> Option<Self> {
        Self::of(values.into_iter().filter(|v| scale.shows(*v)))
    }

    /// The lower end.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// The smallest range that contains both.
    pub fn union(self, other: Extent) -> Extent {
        Extent { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Whether the range contains a number.
    pub fn contains(self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }
}

/// An axis range that stays fixed while it is held, so that axes do not move while a slider is dragged.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HeldExtent {
    shown: Option<Extent>,
    held: bool,
}

impl HeldExtent {
    /// Keeps the current range from now on.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// Follows the data again from the next [`HeldExtent::update`] on.
    pub fn release(&mut self) {
        self.held = false;
    }

    /// Whether the range is held.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Given the range of the data, returns the range to draw: the previous range while held or without data, otherwise
    /// the given one.
    pub fn update(&mut self, wanted: Option<Extent>) -> Option<Extent> {
        if !(self.held && self.shown.is_some()) {
            self.shown = wanted.or(self.shown);
        }
        self.shown
    }
}

/// How an axis spaces numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scale {
    /// Equal differences of numbers have equal distances on the axis.
    #[default]
    Linear,
    /// Equal ratios of numbers have equal distances on the axis; only positive numbers can be shown.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_ignore_numbers_that_are_not_finite() {
        let extent = Extent::of([f64::NAN, 3.0, f64::INFINITY, -1.0, f64::NEG_INFINITY]);
        assert_eq!(extent, Extent::new(-1.0, 3.0));
        assert_eq!(Extent::of([f64::NAN]), None);
        assert_eq!(Extent::of([]), None);
        assert_eq!(Extent::new(0.0, f64::INFINITY), None);
    }

    #[test]
    fn a_log_scale_shows_positive_numbers_only() {
        assert_eq!(Extent::shown([0.0, -5.0, 2.0, 9.0], Scale::Log), Extent::new(2.0, 9.0));
    }

    #[test]
    fn a_held_extent_never_moves_and_settles_when_released() {
        let mut held = HeldExtent::default();
        let (small, large) = (Extent::new(0.0, 1.0), Extent::new(0.0, 9.0));
        held.hold();
        assert_eq!(held.update(small), small, "the first extent is taken even when held");
        assert_eq!(held.update(large), small);
        assert_eq!(held.update(None), small);
        held.release();
        assert_eq!(held.update(None), small, "no data keeps the last good picture");
        assert_eq!(held.update(large), large);
    }
}
