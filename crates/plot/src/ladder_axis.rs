//! The axis of a ladder, computed on logarithms so that it reaches beyond the range of f64.

use super::extent::Extent;
use super::number::{Kind, Number};
use super::order::ascending;

/// Ranges of up to this many decades are shown completely.
const WIDEST: f64 = 12.0;
/// Number of decades shown of a longer range.
const CUT_TO: f64 = 8.0;
/// Decades shown below the exact number, if there is one.
const BELOW_EXACT: f64 = 4.0;

/// The largest number is left beyond the axis if it is at least this many decades above the next one, and if this gap
/// takes more than `ALONE_SHARE` of the range: the others would share the rest of the axis.
const ALONE: f64 = 1.5;
/// See [`ALONE`].
const ALONE_SHARE: f64 = 0.4;

/// A tick at a multiple of a power of ten.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogTick {
    /// log10 of its value.
    pub log10: f64,
    /// Its label; minor ticks have none.
    pub label: Option<Number>,
}

/// The axis range for numbers given as log10, in whole decades: all numbers, if they span few decades, but for a largest
/// one that is far above all others. Otherwise the range begins at the smallest number, or a few decades below the number
/// `exact`, so that a vacuous bound does not push `exact` off the axis. `None` without finite numbers.
pub fn axis_range(logs: impl IntoIterator<Item = f64>, exact: Option<f64>) -> Option<Extent> {
    // Larger logarithms have no separate decades in f64.
    let logs: Vec<f64> = logs.into_iter().filter(|log| log.abs() < 1e15).collect();
    let all = Extent::of(logs.iter().copied())?;
    let next = logs.iter().copied().filter(|log| *log < all.hi()).fold(f64::NEG_INFINITY, f64::max);
    let gap = all.hi() - next;
    let is_alone =
        gap.is_finite() && gap >= ALONE && gap > ALONE_SHARE * (all.hi() - all.lo()) && exact != Some(all.hi());
    let all = if is_alone && next > all.lo() { Extent::new(all.lo(), next).unwrap_or(all) } else { all };
    let shown = if all.hi() - all.lo() <= WIDEST {
        all
    } else {
        let exact = exact.filter(|log| all.contains(*log));
        let lo = exact.map_or(all.lo(), |exact| all.lo().max(exact - BELOW_EXACT));
        Extent::of(logs.into_iter().filter(|log| (lo..=lo + CUT_TO).contains(log))).unwrap_or(all)
    };
    // The shortest bar keeps a visible length.
    Extent::new((shown.lo() - 0.2).floor(), shown.hi().ceil().max((shown.lo() - 0.2).floor() + 1.0))
}

/// Ticks over a range of log10, about `most` of them labelled.
pub(super) fn ticks(range: Extent, most: f64) -> Vec<LogTick> {
    let (first, last) = ((range.lo() - 1e-9).ceil() as i64, (range.hi() + 1e-9).floor() as i64);
    let decades = last.saturating_sub(first).saturating_add(1).max(0);
    let most = if most.is_finite() { most.clamp(2.0, 100.0) } else { 2.0 };
    let mut strides = (0..17).flat_map(|e| [1, 2, 3, 5].map(|m| m * 10i64.pow(e)));
    let stride = strides.find(|stride| decades / stride <= most as i64).unwrap_or(i64::MAX);
    let minor = (stride / 10).max(1);
    let multiples = first.div_euclid(minor)..=last.div_euclid(minor);
    let powers = multiples.map(|i| i * minor).filter(|power| (first..=last).contains(power));
    let mut found: Vec<LogTick> = powers
        .map(|power| LogTick { log10: power as f64, label: (power % stride == 0).then(|| power_of_ten(power)) })
        .collect();
    if decades <= 4 && stride == 1 {
        for power in first.saturating_sub(1)..=last {
            for multiple in 2..10 {
                let log10 = power as f64 + f64::from(multiple).log10();
                // A range within one decade has no power of ten to label.
                let labelled = decades < 2 && (multiple == 2 || multiple == 5);
                let label = labelled.then(|| {
                    let value = format!("{multiple}e{power}").parse().unwrap_or(f64::NAN);
                    Number::short(value)
                });
                found.push(LogTick { log10, label });
            }
        }
        found.retain(|tick| range.contains(tick.log10));
        ascending(&mut found, |tick| tick.log10);
    }
    found
}

fn power_of_ten(power: i64) -> Number {
    match i32::try_from(power) {
        Ok(power) if power.abs() < 300 => Number::short(10f64.powi(power)),
        _ => Number { kind: Kind::Plain, mantissa: String::new(), exponent: Some(power), unit: String::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64, most: f64) -> Vec<String> {
        let range = Extent::new(lo, hi).expect("finite");
        ticks(range, most).iter().filter_map(|tick| tick.label.as_ref().map(Number::to_string)).collect()
    }

    #[test]
    fn few_decades_are_all_shown_and_many_are_cut() {
        assert_eq!(axis_range([0.5, 3.2], None), Extent::new(0.0, 4.0));
        assert_eq!(axis_range([0.5, 3.2, 7.1, 5000.0], None), Extent::new(0.0, 8.0));
        assert_eq!(axis_range([f64::NEG_INFINITY, f64::NAN], None), None);
        assert_eq!(axis_range([2.0], None), Extent::new(1.0, 2.0));
    }

    #[test]
    fn a_number_far_above_all_others_leaves_the_axis_to_them() {
        let others = [1.1, 1.4, 2.2];
        assert_eq!(axis_range(others.into_iter().chain([4.6]), Some(1.4)), Extent::new(0.0, 3.0));
        assert_eq!(axis_range(others.into_iter().chain([3.4]), Some(1.4)), Extent::new(0.0, 4.0));
        assert_eq!(axis_range(others.into_iter().chain([4.6]), Some(4.6)), Extent::new(0.0, 5.0), "the exact one");
        assert_eq!(axis_range([1.1, 4.6], None), Extent::new(0.0, 5.0), "two numbers alone");
    }

    #[test]
    fn a_vacuous_number_does_not_push_the_exact_one_off_the_axis() {
        let range = axis_range([-250.0, 1.5, 2.5, 700.0], Some(1.5)).expect("finite");
        assert!(range.contains(1.5) && range.contains(2.5) && range.hi() - range.lo() <= 10.0, "{range:?}");
    }

    #[test]
    fn powers_of_ten_are_labelled_also_beyond_floating_point() {
        assert_eq!(labels(0.0, 4.0, 6.0), ["1", "10", "100", "1000", "10⁴"]);
        assert_eq!(labels(0.0, 8.0, 5.0), ["1", "100", "10⁴", "10⁶", "10⁸"]);
        assert_eq!(labels(0.0, 6.0, 2.0), ["1", "1000", "10⁶"]);
        assert_eq!(labels(400.0, 402.0, 5.0), ["10⁴⁰⁰", "10⁴⁰¹", "10⁴⁰²"]);
        assert_eq!(labels(0.2, 0.8, 5.0), ["2", "5"]);
    }

    #[test]
    fn no_range_has_very_many_ticks() {
        for (lo, hi) in [(-1e14, 1e14), (0.0, 1e12), (-300.0, 300.0), (5.0, 5.0)] {
            let count = ticks(Extent::new(lo, hi).expect("finite"), 6.0).len();
            assert!(count < 200, "{count} ticks from {lo} to {hi}");
        }
    }
}
