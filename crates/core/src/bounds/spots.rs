//! The spots of all heads, and the largest exponent.

use super::exponent::HeadDirections;
use super::head_span::HeadSpan;
use super::line::Line;
use super::local_shared::reduced_value;
use super::spot::Spot;
use crate::weights::Weights;

/// Spots, and the largest gamma of the heads.
pub(super) struct Spots {
    pub(super) gamma: f64,
    pub(super) spots: Vec<Spot>,
}

/// The most spots: each costs a search at every n.
const MOST_SPOTS: usize = 8;

/// The spots at the directions of the leading heads, without those whose constants are equal. Without lines no
/// lower bound applies, so that there are no spots; the exponent does in any case.
pub(super) fn spots(weights: &Weights, leading: &[(usize, HeadSpan)], lines: &[Line]) -> Spots {
    let known: Vec<_> = lines.iter().map(|line| line.direction.clone()).collect();
    let (mut gamma, mut spots) = (0.0f64, Vec::<Spot>::new());
    for (head_idx, span) in leading {
        let head = &weights.heads[*head_idx];
        let found = HeadDirections::of(span, &known);
        gamma = gamma.max(found.gamma);
        let Some((outer, value)) = weights.values_through_output().nth(*head_idx).filter(|_| !lines.is_empty()) else {
            continue;
        };
        let value = reduced_value(&outer, value);
        for u in found.directions {
            if spots.len() < MOST_SPOTS
                && let Some(spot) = Spot::new(weights, head, &value, &u)
                && !spots.iter().any(|known| known.is_like(&spot))
            {
                spots.push(spot);
            }
        }
    }
    Spots { gamma, spots }
}
