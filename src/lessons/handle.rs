//! A slider in a text: `slider R 1..5`.

use crate::field::AnyField;
use crate::link;

/// A slider for a number that has a key in links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// The number that it sets.
    pub field: AnyField,
    /// Its left end.
    pub from: f64,
    /// Its right end.
    pub to: f64,
}

/// A slider whose ends differ by more than this factor stops at the same numbers in every decade.
const WIDE: f64 = 20.0;
/// The numbers at which a wide range stops, in each decade. A range whose ends differ by a factor of 1e6 or more stops
/// at powers of ten instead.
const OF_A_DECADE: [f64; 9] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0];

impl Handle {
    /// Reads the words of a slider, without the `slider `.
    #[must_use]
    pub fn parse(words: &'static str) -> Option<Self> {
        let (key, range) = words.split_once(' ')?;
        let (from, to) = range.split_once("..")?;
        let (field, from, to) = (link::number(key)?, from.parse().ok()?, to.parse().ok()?);
        (from < to).then_some(Handle { field, from, to })
    }

    /// The values at which it stops, ascending, both ends among them.
    #[must_use]
    pub fn stops(&self) -> Vec<f64> {
        let is_whole = self.field.is_whole();
        let Handle { from, to, .. } = *self;
        let mut stops: Vec<f64> = if from > 0.0 && to / from >= 1e6 {
            (from.log10().ceil() as i32..=to.log10().floor() as i32).map(|power| 10f64.powi(power)).collect()
        } else if from > 0.0 && to / from > WIDE {
            let decades = from.log10().floor() as i32..=to.log10().ceil() as i32;
            // Read from its decimal text, so that it prints without rounding digits.
            let stop = |m: f64, power: i32| format!("{m}e{power}").parse().unwrap_or(m);
            decades.flat_map(|power| OF_A_DECADE.map(|m| stop(m, power))).collect()
        } else {
            let step = if is_whole { ((to - from) / 60.0).ceil().max(1.0) } else { 0.05 };
            let count = ((to - from) / step).round() as i32;
            let digits = |x: f64| (x * 100.0).round() / 100.0;
            (0..=count).map(|at| digits(from + f64::from(at) * step)).collect()
        };
        stops.extend([from, to]);
        if is_whole {
            stops.iter_mut().for_each(|stop| *stop = stop.round());
        }
        stops.retain(|stop| (from..=to).contains(stop));
        stops.sort_by(f64::total_cmp);
        stops.dedup();
        stops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_stops_at_round_numbers_and_at_both_ends() {
        let stops = |words| Handle::parse(words).expect("a slider").stops();
        assert_eq!(stops("d 2..16").len(), 15);
        assert!(stops("R 0.5..3").contains(&1.5));
        assert_eq!(stops("at 100..1e18").len(), 17);
        let wide = stops("R 0.3..200");
        assert_eq!((wide[0], wide[wide.len() - 1]), (0.3, 200.0));
        assert!(wide.contains(&10.0) && wide.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(stops("n 16..512").iter().all(|n| n.fract() == 0.0));
        assert_eq!(Handle::parse("R 5..1"), None);
        assert_eq!(Handle::parse("mask 1..5"), None);
    }
}
