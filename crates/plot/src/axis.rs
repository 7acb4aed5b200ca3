//! Axes: scales that map data to [0, 1], ticks, and tick labels.

use super::extent::{Extent, Scale, round_step};
use super::number::Number;
use super::order::ascending;

/// The label, unit, scale and range of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisSpec {
    /// The name of the quantity.
    pub label: String,
    /// Its unit, empty if it has none.
    pub unit: String,
    /// How numbers are spaced.
    pub scale: Scale,
    /// The range shown; `None` derives it from the data.
    pub range: Option<Extent>,
    /// Whether only integers occur.
    pub numbers: Numbers,
    /// The name of the row of square roots under the tick labels. Empty if the axis has no such row.
    pub root: String,
}

/// Whether an axis is for real numbers or for counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Numbers {
    /// Real numbers.
    #[default]
    Real,
    /// Counts: ticks at integers only.
    Whole,
}

impl AxisSpec {
    /// An axis without a unit, with a range derived from the data.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        AxisSpec {
            label: label.into(),
            unit: String::new(),
            scale,
            range: None,
            numbers: Numbers::Real,
            root: String::new(),
        }
    }

    /// The same axis with a unit.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// The same axis for counts.
    pub fn whole(mut self) -> Self {
        self.numbers = Numbers::Whole;
        self
    }

    /// The same axis with the square root of each tick under it. On a logarithmic axis of few decades, and on one that is
    /// spaced by the root, the ticks are then at the powers of four, whose roots are whole.
    pub fn root(mut self, name: impl Into<String>) -> Self {
        self.root = name.into();
        self
    }

    /// The same axis with a range.
    pub fn range(mut self, range: Option<Extent>) -> Self {
        self.range = range;
        self
    }

    /// The title of the axis: label and unit.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{}, {}", self.label, self.unit) }
    }
}

impl AxisSpec {
    /// The ticks of this axis. For real numbers, these are the ticks that the ruler proposed. For counts, every integer
    /// has a tick if there are few; otherwise the proposed ticks at integers remain. An axis with square
    /// roots has its ticks at the powers of four, if there are few.
    pub(super) fn own_ticks(&self, ruler: &Ruler, proposed: Vec<Tick>) -> Vec<Tick> {
        /// Up to this many integers all have ticks.
        const FEW: f64 = 8.0;
        /// The least distance between the last power of four and the end of the axis, as a part of the axis.
        const NEAR: f64 = 0.06;
        /// Up to this many powers of four have ticks.
        const MOST_POWERS: usize = 9;
        let (first, last) = (ruler.value(0.0).ceil(), (ruler.value(1.0) + 1e-9).floor());
        if !self.root.is_empty() && ruler.scale() != Scale::Linear {
            let powers = (1..64).map(|power| 4f64.powi(power)).filter(|n| (first..=last).contains(n));
            let mut powers: Vec<f64> = powers.collect();
            // The last n has a tick too, unless it would stand at another one.
            let end = ruler.position(last) - NEAR;
            if powers.last().is_some_and(|power| ruler.position(*power) < end) {
                powers.push(last);
            }
            if (2..=MOST_POWERS).contains(&powers.len()) {
                let tick = |n: f64| Tick { value: n, position: ruler.position(n), label: Some(Number::short(n)) };
                return powers.into_iter().map(tick).collect();
            }
        }
        if self.numbers == Numbers::Real {
            return proposed;
        }
        if last - first < FEW {
            let count = (last - first).max(0.0) as u32;
            let tick = |value: f64| Tick { value, position: ruler.position(value), label: Some(Number::short(value)) };
            return (0..=count).map(|at| tick(first + f64::from(at))).collect();
        }
        proposed
            .into_iter()
            .filter(|tick| (tick.value - tick.value.round()).abs() < 1e-9 * tick.value.abs().max(1.0))
            .collect()
    }
}

/// A scale over a range: maps data to [0, 1] and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ruler {
    scale: Scale,
    /// The ends of the range in the scale's coordinate; `hi > lo`.
    lo: f64,
    hi: f64,
}

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its value.
    pub value: f64,
    /// Its position along the axis, from 0 to 1.
    pub position: f64,
    /// Its label; minor ticks have none.
    pub label: Option<Number>,
}

impl Ruler {
    /// The ruler of a scale over a range. A range of one number is widened around it; a range the scale cannot show is
    /// replaced by the part it can show, or by an interval around 1.
    pub fn new(scale: Scale, range: Extent) -> Self {
        let (mut lo, mut hi) = (scale.forward(range.lo()), scale.forward(range.hi()));
        if !hi.is_finite() {
            (lo, hi) = (scale.forward(1.0), scale.forward(1.0));
        }
        if !lo.is_finite() {
            // A log range that starts at zero shows three decades below its top.
            lo = hi - 3.0;
        }
        if hi - lo <= 1e-12 * hi.abs().max(lo.abs()) {
            let margin = match scale {
                Scale::Log => 0.5,
                _ if hi == 0.0 => 1.0,
                _ => 0.1 * hi.abs(),
            };
            (lo, hi) = (lo - margin, hi + margin);
        }
        Ruler { scale, lo, hi }
    }

    /// Its scale.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The values at its two ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.scale.inverse(self.lo), self.scale.inverse(self.hi))
    }

    /// The position of a value: 0 at the lower end, 1 at the upper, outside [0, 1] beyond them; not finite if the scale
    /// cannot show the value.
    pub fn position(&self, value: f64) -> f64 {
        self.place(self.scale.forward(value))
    }

    /// The position of a value given as log10.
    pub fn position_log10(&self, log10: f64) -> f64 {
        self.place(self.scale.forward_log10(log10))
    }

    /// The value at a position.
    pub fn value(&self, position: f64) -> f64 {
        self.scale.inverse(self.lo + position * (self.hi - self.lo))
    }

    /// Ticks at round values in order, about `max_labels` of them labelled. Two axes with `max_labels` proportional to
    /// their lengths have equal tick steps.
    pub fn ticks(&self, max_labels: f64) -> Vec<Tick> {
        let max_labels = if max_labels.is_finite() { max_labels.clamp(2.0, 100.0) } else { 2.0 };
        let mut values = match self.scale {
            Scale::Linear => self.linear_ticks(max_labels),
            Scale::Log => self.log_ticks(max_labels),
            Scale::Sqrt => self.sqrt_ticks(max_labels),
        };
        ascending(&mut values, |value| value.0);
        let tick = |(value, labelled): (f64, bool)| {
            let position = self.position(value);
            // The tolerance keeps ticks at ends that were computed from logarithms.
            (-1e-9..=1.0 + 1e-9).contains(&position).then(|| Tick {
                value,
                position: position.clamp(0.0, 1.0),
                label: labelled.then(|| Number::short(value)),
            })
        };
        values.into_iter().filter_map(tick).collect()
    }

    fn place(&self, ruler: f64) -> f64 {
        (ruler - self.lo) / (self.hi - self.lo)
    }

    fn linear_ticks(&self, max_labels: f64) -> Vec<(f64, bool)> {
        let (lo, hi) = self.ends();
        steps(lo, hi, max_labels).into_iter().map(|v| (v, true)).collect()
    }

    fn sqrt_ticks(&self, max_labels: f64) -> Vec<(f64, bool)> {
        // Far from zero the root is almost linear, and squares would be odd tick values.
        if self.lo > 0.5 * self.hi || self.hi < 0.5 * self.lo {
            return self.linear_ticks(max_labels);
        }
        steps(self.lo, self.hi, max_labels).into_iter().map(|root| (self.scale.inverse(root), true)).collect()
    }

    fn log_ticks(&self, max_labels: f64) -> Vec<(f64, bool)> {
        let (first, last) = ((self.lo - 1e-9).ceil() as i32, (self.hi + 1e-9).floor() as i32);
        let decades = last - first + 1;
        if decades < 2 && self.hi - self.lo < 0.7 {
            return self.linear_ticks(max_labels);
        }
        if decades < 3 && self.hi - self.lo < 2.2 {
            let fit = if f64::from(3 * decades) < max_labels { [1.0, 2.0, 5.0].as_slice() } else { &[1.0] };
            return self.within_decades(first - 1, last, |m| fit.contains(&m));
        }
        let stride = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300]
            .into_iter()
            .find(|s| f64::from(decades / s) <= max_labels)
            .unwrap_or(500);
        if stride == 1 {
            return self.within_decades(first - 1, last, |m| m == 1.0);
        }
        let minor = (stride / 10).max(1);
        let marked = (first..=last).filter(|e| e % minor == 0);
        marked.map(|e| (10f64.powi(e), e % stride == 0)).collect()
    }

    /// The multiples 1 to 9 of each power of ten; `labelled` selects which have labels.
    fn within_decades(&self, first: i32, last: i32, labelled: impl Fn(f64) -> bool) -> Vec<(f64, bool)> {
        (first..=last)
            .flat_map(|e| (1..10).map(move |m| (f64::from(m), e)))
            // Parsed instead of multiplied, so that 3 × 10⁻¹ is the same number as 0.3.
            .map(|(m, e)| (format!("{m}e{e}").parse().unwrap_or(f64::NAN), labelled(m)))
            .collect()
    }
}

/// Multiples of a round step within a range, about `max` of them.
fn steps(lo: f64, hi: f64, max: f64) -> Vec<f64> {
    let step = round_step((hi - lo) / max);
    let (first, last) = ((lo / step - 1e-9).ceil(), (hi / step + 1e-9).floor());
    if !(first.is_finite() && last.is_finite()) || last - first > 2.0 * max + 2.0 {
        return Vec::new();
    }
    // Dividing by an integer keeps 0.3 from becoming 0.30000000000000004.
    let inverse = (1.0 / step).round();
    let at = |i: f64| if step < 1.0 && inverse.is_finite() { i / inverse } else { i * step };
    (0..=(last - first).max(-1.0) as i64).map(|i| at(first + i as f64)).filter(|_| last >= first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, lo: f64, hi: f64, max: f64) -> Vec<String> {
        let ruler = Ruler::new(scale, Extent::new(lo, hi).expect("finite"));
        ruler.ticks(max).iter().filter_map(|t| t.label.as_ref().map(Number::to_string)).collect()
    }

    #[test]
    fn log_ticks_are_powers_of_ten_with_minor_ticks_between() {
        assert_eq!(labels(Scale::Log, 1.0, 1e5, 8.0), ["1", "10", "100", "1000", "10⁴", "10⁵"]);
        assert_eq!(labels(Scale::Log, 2.0, 4096.0, 8.0), ["10", "100", "1000"]);
        let ruler = Ruler::new(Scale::Log, Extent::new(2.0, 4096.0).expect("finite"));
        let minor: Vec<f64> = ruler.ticks(8.0).iter().filter(|t| t.label.is_none()).map(|t| t.value).collect();
        assert_eq!(minor[..8], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(minor.last(), Some(&4000.0));
    }

    #[test]
    fn a_log_axis_reaches_over_hundreds_of_decades() {
        let found = labels(Scale::Log, 1.0, 1e300, 7.0);
        assert_eq!(found, ["1", "10⁵⁰", "10¹⁰⁰", "10¹⁵⁰", "10²⁰⁰", "10²⁵⁰", "10³⁰⁰"]);
    }

    #[test]
    fn eighteen_decades_have_a_label_at_every_third_and_a_tick_at_each() {
        assert_eq!(labels(Scale::Log, 2.0, 1e18, 7.7), ["1000", "10⁶", "10⁹", "10¹²", "10¹⁵", "10¹⁸"]);
        assert_eq!(labels(Scale::Log, 2.0, 1e18, 4.0), ["10⁵", "10¹⁰", "10¹⁵"]);
        let ruler = Ruler::new(Scale::Log, Extent::new(2.0, 1e18).expect("finite"));
        assert_eq!(ruler.ticks(4.0).len(), 18);
    }

    #[test]
    fn a_short_log_axis_still_has_ticks() {
        assert_eq!(labels(Scale::Log, 3.0, 40.0, 8.0), ["5", "10", "20"]);
        assert!(labels(Scale::Log, 3.0, 4.0, 5.0).len() >= 3);
        assert!(!labels(Scale::Log, 7.0, 7.0, 5.0).is_empty());
    }

    #[test]
    fn sqrt_ticks_are_labelled_in_the_original_unit() {
        assert_eq!(labels(Scale::Sqrt, 0.0, 4096.0, 8.0), ["0", "100", "400", "900", "1600", "2500", "3600"]);
        assert!(labels(Scale::Sqrt, 900.0, 1000.0, 6.0).contains(&"940".to_owned()));
    }

    #[test]
    fn an_axis_with_roots_has_its_ticks_at_the_powers_of_four() {
        for (scale, first) in [(Scale::Sqrt, 0.0), (Scale::Log, 2.0)] {
            let ruler = Ruler::new(scale, Extent::new(first, 256.0).expect("finite"));
            let ticks = AxisSpec::new("n", scale).whole().root("√n").own_ticks(&ruler, ruler.ticks(8.0));
            let values: Vec<f64> = ticks.iter().map(|tick| tick.value).collect();
            assert_eq!(values, [4.0, 16.0, 64.0, 256.0], "{scale:?}");
        }
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(Scale::Linear, 0.0, 1.0, 5.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(Scale::Linear, -3.0, 7.0, 5.0), ["−2", "0", "2", "4", "6"]);
    }

    #[test]
    fn positions_and_values_are_inverse() {
        for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
            let ruler = Ruler::new(scale, Extent::new(2.0, 4096.0).expect("finite"));
            for position in [0.0, 0.25, 0.9, 1.0] {
                let back = ruler.position(ruler.value(position));
                assert!((back - position).abs() < 1e-12, "{scale:?}: {position} came back as {back}");
            }
        }
    }

    #[test]
    fn a_value_and_its_logarithm_have_the_same_position() {
        for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
            let ruler = Ruler::new(scale, Extent::new(1.0, 1000.0).expect("finite"));
            let error = ruler.position(50.0) - ruler.position_log10(50f64.log10());
            assert!(error.abs() < 1e-12, "{scale:?}: off by {error}");
        }
    }

    #[test]
    fn nice_ranges_hold_the_data_and_have_round_ends() {
        let nice = |lo, hi, scale| Extent::new(lo, hi).map(|e: Extent| e.nice(scale));
        assert_eq!(nice(0.7, 310.0, Scale::Log), Extent::new(0.5, 500.0));
        assert_eq!(nice(1.0, 1000.0, Scale::Log), Extent::new(1.0, 1000.0));
        assert_eq!(nice(0.1, 9.3, Scale::Linear), Extent::new(0.0, 10.0));
        assert_eq!(nice(5.0, 5.0, Scale::Linear), Extent::new(5.0, 5.0));
    }

    #[test]
    fn degenerate_ranges_give_a_usable_ruler() {
        for scale in [Scale::Linear, Scale::Log, Scale::Sqrt] {
            for (lo, hi) in [(0.0, 0.0), (-5.0, -5.0), (-1.0, 0.0), (0.0, 1.0), (f64::MIN, f64::MAX), (5e-324, 1e308)] {
                let ruler = Ruler::new(scale, Extent::new(lo, hi).expect("finite"));
                let middle = ruler.position(ruler.value(0.5));
                assert!(middle.is_nan() || middle.abs() < 2.0, "{scale:?} {lo} {hi}: {middle}");
                assert!(ruler.ticks(6.0).len() < 400);
            }
        }
    }

    #[test]
    fn counts_have_ticks_at_whole_numbers_only() {
        for scale in [Scale::Linear, Scale::Sqrt, Scale::Log] {
            for last in [1.5, 2.0, 3.0, 7.0, 40.0, 4096.0] {
                let axis = AxisSpec::new("n", scale).whole();
                let ruler = Ruler::new(scale, Extent::new(1.0, last).expect("finite"));
                let ticks = axis.own_ticks(&ruler, ruler.ticks(8.0));
                assert!(!ticks.is_empty() && ticks.iter().all(|tick| tick.value.fract().abs() < 1e-6), "{ticks:?}");
            }
        }
    }
}
