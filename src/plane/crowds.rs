//! The places of the plane where several tokens, or several outputs, lie on each other. One mark and one arrow stand
//! for all of them there, although the norm depends on each: so the picture says how many they are.

use std::collections::BTreeMap;

use lipscope_core::picture::{PlaneFrame, TopPair};
use lipscope_plot::Number;

use super::context::Point;
use crate::answers::Measured;
use crate::strings;

/// Places that are nearer to each other than this part of the largest coordinate are one: outputs are rounded.
const SAME: f64 = 1e-6;

/// For the first point at each place, the number of tokens there; for the other points of the place, zero. A point
/// stands for one token, or for the number of tokens whose logarithm is given.
pub(super) fn crowds(points: &[Point], ln_sizes: Option<&[f64]>) -> Vec<f64> {
    let largest = points.iter().map(|p| p.0.abs().max(p.1.abs())).fold(0.0, f64::max);
    let cell = |x: f64| (x / (SAME * largest).max(f64::MIN_POSITIVE)).round() as i64;
    let mut first = BTreeMap::new();
    let mut counts = vec![0.0; points.len()];
    for (i, (x, y)) in points.iter().enumerate() {
        let at = *first.entry((cell(*x), cell(*y))).or_insert(i);
        counts[at] += ln_sizes.and_then(|logs| logs.get(i)).map_or(1.0, |ln| ln.exp().round());
    }
    counts
}

/// The label of each place where several lie. Where points stand for numbers of tokens, places of one are labelled too.
pub(super) fn labels(counts: &[f64], ln_sizes: Option<&[f64]>, words: fn(f64) -> String) -> Vec<String> {
    let least = if ln_sizes.is_some() { 1.0 } else { 2.0 };
    counts.iter().map(|count| if *count >= least { words(*count) } else { String::new() }).collect()
}

/// The most tokens, and the most outputs, that lie at one place of a measurement's picture; 1 where none coincide.
pub fn most_at_one_place(measured: &Measured) -> (f64, f64) {
    let picture = &measured.tokens;
    let logs = picture.ln_sizes.as_deref();
    let most = |points: &[Point]| crowds(points, logs).into_iter().fold(1.0, f64::max);
    let tokens: Vec<Point> = picture.positions.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).collect();
    let outputs = measured.pair.as_ref().map_or(1.0, |pair| most(&images(pair, &picture.frame)));
    (most(&tokens), outputs)
}

/// Where the outputs lie on the plane.
fn images(pair: &TopPair, frame: &PlaneFrame) -> Vec<Point> {
    pair.outputs.iter().flat_map(|outputs| outputs.images.iter().map(|row| frame.place(row))).collect()
}

/// The sentence about a measurement's crowded places; empty where no two tokens and no two outputs coincide.
pub fn crowd_words(measured: &Measured) -> String {
    let (tokens, outputs) = most_at_one_place(measured);
    match (tokens > 1.0, outputs > 1.0) {
        (false, false) => String::new(),
        (true, false) => strings::crowd_of_tokens(tokens),
        (false, true) => strings::crowd_of_outputs(outputs),
        (true, true) => strings::crowds(tokens, outputs),
    }
}

/// What an arrow of the outputs means where a point stands for several tokens, whose outputs move alike; `None` for
/// tokens one by one, and where no outputs coincide.
pub fn arrow_words(measured: &Measured) -> Option<String> {
    measured.tokens.ln_sizes.as_ref()?;
    let (_, outputs) = most_at_one_place(measured);
    (outputs > 1.0).then(|| strings::arrow_of_crowd(outputs, &Number::short(outputs.sqrt())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_says_how_many_lie_at_a_place() {
        let points = [(1.5, 0.0), (-0.2, 0.1), (1.5 + 1e-9, 0.0), (1.5, -1e-9), (0.3, 0.3)];
        let counts = crowds(&points, None);
        assert_eq!(counts, [3.0, 1.0, 0.0, 0.0, 1.0]);
        let written = labels(&counts, None, strings::outputs_here);
        assert_eq!(written, ["3 outputs here", "", "", "", ""]);
    }

    #[test]
    fn points_that_stand_for_many_tokens_say_so_one_by_one_and_together() {
        let logs = [63f64.ln(), 0.0, 4f64.ln()];
        let distance = crowds(&[(1.0, 0.0), (-1.0, 0.0), (0.5, 0.0)], Some(&logs));
        let written = labels(&distance, Some(&logs), strings::tokens_here);
        assert_eq!(written, ["63 tokens here", "1 token", "4 tokens here"]);
        assert_eq!(crowds(&[(1.0, 0.0), (1.0, 0.0), (0.5, 0.0)], Some(&logs)), [64.0, 0.0, 4.0]);
        // No point, and points at the origin.
        assert_eq!(crowds(&[], None), Vec::<f64>::new());
        assert_eq!(crowds(&[(0.0, 0.0), (0.0, -0.0)], None), [2.0, 0.0]);
    }
}
