//! The range of a set of numbers, and a range that stays fixed while a slider is dragged.

use super::scale::Scale;

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
