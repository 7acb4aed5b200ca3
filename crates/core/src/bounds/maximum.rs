//! Maxima of functions of a few numbers: a pattern search in a box, and golden sections of an interval.

/// Moves one number at a time from `start`, by `steps` at first, within the limits. The step of a number grows when its
/// move raises the value and shrinks when no move of it does. A step of zero leaves that number as it is.
pub(crate) fn pattern_search<const K: usize>(
    value: impl Fn([f64; K]) -> f64,
    start: [f64; K],
    mut steps: [f64; K],
    limits: [(f64, f64); K],
) -> [f64; K] {
    let (mut at, mut best) = (start, value(start));
    for _ in 0..MOST_ROUNDS {
        let mut is_higher = false;
        for i in 0..K {
            if steps[i] == 0.0 {
                continue;
            }
            let mut found = false;
            for sign in [1.0, -1.0] {
                let mut moved = at;
                moved[i] = (at[i] + sign * steps[i]).clamp(limits[i].0, limits[i].1);
                if moved[i] == at[i] {
                    continue;
                }
                let reached = value(moved);
                if reached > best {
                    (at, best, found) = (moved, reached, true);
                    break;
                }
            }
            steps[i] *= if found { 1.5 } else { 0.4 };
            is_higher |= found;
        }
        if !is_higher && steps.iter().all(|step| *step < LEAST_STEP) {
            break;
        }
    }
    at
}

/// The interval around the maximum of a function with one maximum between two ends, after some golden sections of the
/// distance between them.
pub(crate) fn narrowed(
    mut value: impl FnMut(f64) -> f64,
    (mut low, mut high): (f64, f64),
    sections: usize,
) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..sections {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if value(left) > value(right) {
            high = right;
        } else {
            low = left;
        }
    }
    (low, high)
}

/// The most rounds of moves.
const MOST_ROUNDS: usize = 60;
/// The search stops once all steps are below this: the value is flat at its maximum, so that finer steps change
/// nothing.
const LEAST_STEP: f64 = 1e-4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_sections_close_in_on_the_maximum_inside_and_at_an_end() {
        let (low, high) = narrowed(|x| -(x - 0.3).powi(2), (-1.0, 2.0), 40);
        assert!(high - low < 3e-8 && (low..=high).contains(&0.3), "{low} {high}");
        let (low, high) = narrowed(|x| x, (0.0, 1.0), 30);
        assert!(low > 1.0 - 1e-6 && high == 1.0, "{low} {high}");
    }

    #[test]
    fn the_maximum_of_a_smooth_function_is_found_inside_and_at_the_edge_of_the_box() {
        let value = |[x, y]: [f64; 2]| -(x - 0.3).powi(2) - 2.0 * (y - 5.0).powi(2) + 0.3 * x * y;
        let [x, y] = pattern_search(value, [0.0, 0.0], [0.5, 0.5], [(-3.0, 3.0), (-9.0, 9.0)]);
        // Where both derivatives are zero.
        let (exact_x, exact_y) = (4.2 / 3.91, 5.0 + 0.075 * 4.2 / 3.91);
        assert!((x - exact_x).abs() < 2e-2 && (y - exact_y).abs() < 2e-2, "{x} {y} for {exact_x} {exact_y}");
        assert_eq!(pattern_search(|[x]: [f64; 1]| x, [0.0], [0.1], [(0.0, 2.0)]), [2.0]);
    }
}
