//! Cuts work of known cost into parts.

use lipscope_core::cost::Cost;

use crate::task::Cut;

/// The fewest operations of a part: about 5 ms of small products in a browser. Less is not worth another worker.
const LEAST_OPERATIONS: f64 = 2e6;

/// Cuts units into at most `most` parts of about the same number of operations. Each entry of `costs` is the cost of
/// one unit and the number of consecutive units with that cost. The list is empty if the work is too short to cut.
pub(crate) fn cut_evenly(costs: &[(Cost, usize)], most: usize) -> Vec<Cut> {
    let total: f64 = costs.iter().map(|(cost, count)| cost.operations as f64 * *count as f64).sum();
    let n_parts = (total / LEAST_OPERATIONS).min(most as f64).floor();
    if n_parts < 2.0 {
        return Vec::new();
    }
    let mut cuts: Vec<(f64, Cut)> = Vec::new();
    let (mut unit, mut before) = (0, 0.0);
    for (cost, count) in costs {
        for _ in 0..*count {
            // A unit belongs to the part in which its middle falls, so that a part costs at most an equal share of the
            // total plus the largest unit.
            let part = ((before + 0.5 * cost.operations as f64) / total * n_parts).floor();
            match cuts.last_mut() {
                Some((last, cut)) if *last == part => {
                    cut.units.end = unit + 1;
                    cut.bytes = cut.bytes.max(cost.bytes);
                }
                _ => cuts.push((part, Cut { units: unit..unit + 1, bytes: cost.bytes })),
            }
            unit += 1;
            before += cost.operations as f64;
        }
    }
    cuts.into_iter().map(|(_, cut)| cut).collect()
}

#[cfg(test)]
mod tests {
    use lipscope_core::cost::Cost;

    use super::{LEAST_OPERATIONS, cut_evenly};

    fn cost(parts: f64, bytes: u64) -> Cost {
        Cost { bytes, operations: (parts * LEAST_OPERATIONS) as u64 }
    }

    #[test]
    fn parts_follow_each_other_and_cost_about_the_same() {
        let costs = [(cost(0.5, 10), 20), (cost(2.0, 40), 5), (cost(40.0, 900), 1), (cost(1.0, 20), 10)];
        for most in 2..12 {
            let cuts = cut_evenly(&costs, most);
            assert!((2..=most).contains(&cuts.len()), "{cuts:?}");
            assert_eq!((cuts[0].units.start, cuts[cuts.len() - 1].units.end), (0, 36));
            assert!(cuts.windows(2).all(|pair| pair[0].units.end == pair[1].units.start), "{cuts:?}");
            let of_unit = |unit: usize| match unit {
                0..20 => 0.5,
                20..25 => 2.0,
                25 => 40.0,
                _ => 1.0,
            };
            for cut in &cuts {
                let parts: f64 = cut.units.clone().map(of_unit).sum();
                // At most an equal share plus the largest unit.
                assert!(parts <= 70.0 / most as f64 + 40.0, "{cut:?} of {most} has {parts}");
                assert_eq!(cut.bytes == 900, cut.units.contains(&25), "{cut:?}");
            }
        }
    }

    #[test]
    fn what_is_short_is_not_cut() {
        assert_eq!(cut_evenly(&[(cost(0.09, 1), 20)], 8), []);
        assert_eq!(cut_evenly(&[(cost(0.11, 1), 20)], 8).len(), 2);
        assert_eq!(cut_evenly(&[(cost(1.0, 1), 20)], 1), []);
        assert_eq!(cut_evenly(&[], 8), []);
    }
}
