//! The witnesses of `sink` and `fork` (ours, docs/theory.md section 4): lower bounds for every A and V. With |x| <= R,
//! A x != 0, y = A x/|A x|, N = n - t tokens at x and t tokens elsewhere:
//!
//! - `sink`: t tokens at R y: sqrt(N t) p |V (y + (1 - t p)(R y - x) |A x|)|, p = 1/(t + N e^-D), D = R |A x| - x.A x;
//! - `fork`: t/2 tokens at each of R (cos th y +- sin th w), w orthogonal to y: sqrt(N t) p R sin th |A x| |V w|, with
//!   p as above and D = R |A x| cos th - x.A x.
//!
//! These closed forms choose t, |x| and th; the value of the bound is the exact norm at the tokens chosen, which is
//! larger, most of all for few tokens.

use std::f64::consts::LN_2;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::super::Hypotheses;
use super::super::logarithms::softplus;
use super::super::maximum::pattern_search;
use super::witness_direction::WitnessDirection;
use super::witness_form::{Closed, Shape};
use crate::experiment::{InputError, Rows, TokenSource};

/// A few clusters of n tokens in the ball, and the norm of the Jacobian there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterWitness {
    /// A position for each cluster.
    pub positions: Vec<Vec<f64>>,
    /// ln of the number of tokens at each position.
    pub ln_sizes: Vec<f64>,
    /// ||J|| on perturbations in a few dimensions (all of them where d <= 5), or the closed form: a lower bound on ||J||
    /// at these tokens, and so on the Lipschitz constant on the ball.
    pub norm: f64,
    /// ln of the closed form, for the head that the direction of x comes from: at most ln of `norm` if there is one
    /// head and, for a fork, t is even.
    pub ln_closed: f64,
}

impl ClusterWitness {
    /// The tokens, one cluster after the other.
    #[must_use]
    pub fn tokens_in_order(&self) -> Vec<&[f64]> {
        let counts = self.ln_sizes.iter().map(|ln| ln.exp().round() as usize);
        self.positions.iter().zip(counts).flat_map(|(place, count)| std::iter::repeat_n(&place[..], count)).collect()
    }

    /// These clusters as the token measure of an experiment.
    ///
    /// # Errors
    /// [`InputError`] if a position is not finite.
    pub fn token_source(&self) -> Result<TokenSource, InputError> {
        let d = self.positions.first().map_or(0, Vec::len);
        Ok(TokenSource::Clusters {
            positions: Rows::new("The positions", d, self.positions.concat())?,
            log_multiplicities: self.ln_sizes.clone(),
        })
    }
}

/// The best witness of a shape; `None` where no direction is known: for A = 0, and for the fork where d = 1.
pub(crate) fn best(hypotheses: &Hypotheses, shape: Shape) -> Option<ClusterWitness> {
    let ball = Ball { radius: hypotheses.radius, ln_n: hypotheses.ln_n };
    if !(ball.radius > 0.0 && ball.radius.is_finite()) {
        return None;
    }
    // First the directions whose closed form is largest at any real t, then whole t near their best real t.
    let directions = hypotheses.directions.iter().filter(|direction| shape == Shape::Sink || direction.value_w > 0.0);
    let mut real: Vec<(&WitnessDirection, Choice, f64)> = directions
        .map(|direction| {
            let choice = ball.best_choice(direction, shape);
            (direction, choice, ball.ln_closed(direction, shape, choice))
        })
        .collect();
    real.sort_by(|a, b| b.2.total_cmp(&a.2));
    real.truncate(MOST_DIRECTIONS);
    let mut found: Vec<(&WitnessDirection, Choice, f64)> = Vec::new();
    for (direction, near, _) in real {
        for choice in ball.whole_choices(direction, shape, near) {
            found.push((direction, choice, ball.ln_closed(direction, shape, choice)));
        }
    }
    found.sort_by(|a, b| b.2.total_cmp(&a.2));
    found
        .into_iter()
        .take(MOST_EXACT)
        .filter_map(|(direction, choice, ln_closed)| ball.witness(direction, shape, choice, ln_closed))
        .max_by(|a, b| a.norm.total_cmp(&b.norm))
}

/// How many directions, largest closed form first, are tried with whole numbers t.
const MOST_DIRECTIONS: usize = 2;
/// How many choices, largest closed form first, have their exact norm computed.
const MOST_EXACT: usize = 4;

/// The numbers that the closed forms leave open.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// ln t.
    ln_t: f64,
    /// |x|/R.
    reach: f64,
    /// th; 0 for a sink.
    angle: f64,
}

/// Below this ln t, both whole numbers next to the best t are tried, and those of `FEW` too. Above it, t is rounded.
const LARGE_T: f64 = 4.0;
/// Numbers of tokens away from x that are tried besides the best: for few tokens the closed form prefers too few.
const FEW: [f64; 2] = [2.0, 4.0];

/// R and n.
#[derive(Clone, Copy)]
struct Ball {
    radius: f64,
    ln_n: f64,
}

impl Ball {
    fn n(&self) -> f64 {
        self.ln_n.exp().round()
    }

    /// ln(n - t).
    fn ln_rest(&self, ln_t: f64) -> f64 {
        self.ln_n + (-(ln_t - self.ln_n).exp()).ln_1p()
    }

    /// The least and the largest ln t: at least one token stays at x.
    fn limits(&self, shape: Shape) -> (f64, f64) {
        let low = shape.fewest().ln();
        (low, self.ln_rest(0.0).max(low))
    }

    /// ln(t/(n - t)).
    fn ln_odds(&self, ln_t: f64) -> f64 {
        ln_t - self.ln_rest(ln_t)
    }

    /// The closed form of a shape at a direction.
    fn closed<'a>(&self, direction: &'a WitnessDirection, shape: Shape) -> Closed<'a> {
        Closed { direction, shape, radius: self.radius }
    }

    /// ln of the closed form.
    fn ln_closed(&self, direction: &WitnessDirection, shape: Shape, choice: Choice) -> f64 {
        self.closed(direction, shape).at(self.ln_odds(choice.ln_t), choice.reach, choice.angle)
    }

    /// Choices with whole t near a real one.
    fn whole_choices(&self, direction: &WitnessDirection, shape: Shape, near: Choice) -> Vec<Choice> {
        let (low, high) = self.limits(shape);
        let t = near.ln_t.exp();
        // Above e^4 neighbouring integers give the same norm to within the accuracy needed.
        let around = if near.ln_t < LARGE_T { vec![t.floor(), t.ceil(), FEW[0], FEW[1]] } else { vec![t.round()] };
        let mut whole: Vec<f64> = around.into_iter().map(|t| t.ln().clamp(low, high)).collect();
        whole.sort_by(f64::total_cmp);
        whole.dedup();
        let closed = self.closed(direction, shape);
        let moved = if shape == Shape::Fork { 0.1 } else { 0.0 };
        let best_at = |ln_t: f64| {
            let ln_odds = self.ln_odds(ln_t);
            let value = |[reach, angle]: [f64; 2]| closed.at(ln_odds, reach, angle);
            let [reach, angle] = pattern_search(value, [near.reach, near.angle], [0.05, moved], shape.limits());
            Choice { ln_t, reach, angle }
        };
        whole.into_iter().map(best_at).collect()
    }

    /// The best choice with any real t.
    fn best_choice(&self, direction: &WitnessDirection, shape: Shape) -> Choice {
        let (low, high) = self.limits(shape);
        let odds = (self.ln_odds(low), self.ln_odds(high));
        let closed = self.closed(direction, shape);
        let value = |[reach, angle]: [f64; 2]| closed.at(closed.best_ln_odds(reach, angle, odds), reach, angle);
        // At the angle sqrt(2/exponent) and |x| = R, D is about one less than at th = 0.
        let exponent = self.radius * self.radius * direction.stretch;
        let (angles, moved): (&[f64], f64) = match shape {
            Shape::Sink => (&[0.0], 0.0),
            Shape::Fork => (&[1.5, 1.0, (2.0 / exponent).sqrt().min(0.7)], 0.2),
        };
        let reaches: &[f64] = if direction.reach() < 1.0 { &[1.0, direction.reach()] } else { &[1.0] };
        let starts = angles.iter().flat_map(|angle| reaches.iter().map(|reach| [*reach, *angle]));
        let start = starts.map(|start| (start, value(start))).max_by(|a, b| a.1.total_cmp(&b.1));
        let start = start.map_or([1.0, 0.0], |(start, _)| start);
        let [reach, angle] = pattern_search(value, start, [0.1, moved], shape.limits());
        let ln_odds = closed.best_ln_odds(reach, angle, odds);
        // t = n/(1 + (n - t)/t).
        Choice { ln_t: (self.ln_n - softplus(-ln_odds)).clamp(low, high), reach, angle }
    }

    /// The tokens of a choice, and the exact norm there.
    fn witness(
        &self,
        direction: &WitnessDirection,
        shape: Shape,
        choice: Choice,
        ln_closed: f64,
    ) -> Option<ClusterWitness> {
        let Choice { ln_t, reach, angle } = choice;
        let x = &direction.x * (reach * self.radius);
        let (mut columns, mut ln_sizes) = (vec![x], vec![self.ln_rest(ln_t)]);
        // Sizes are rounded to whole numbers where f64 has digits for them.
        if self.ln_n < 34.0 {
            ln_sizes[0] = (self.n() - ln_t.exp().round()).ln();
        }
        match (shape, &direction.w) {
            (Shape::Sink, _) => {
                columns.push(&direction.y * self.radius);
                ln_sizes.push(ln_t);
            }
            (Shape::Fork, Some(w)) => {
                let (along, aside) = (&direction.y * (self.radius * angle.cos()), w * (self.radius * angle.sin()));
                columns.extend([&along + &aside, &along - &aside]);
                let t = ln_t.exp().round();
                let first = (0.5 * t).floor();
                ln_sizes.extend(if ln_t < 34.0 { [first.ln(), (t - first).ln()] } else { [ln_t - LN_2; 2] });
            }
            (Shape::Fork, None) => return None,
        }
        let norm = direction.norm(&DMatrix::from_columns(&columns), &ln_sizes)?;
        let token = |column: &DVector<f64>| direction.token(column);
        Some(ClusterWitness { positions: columns.iter().map(token).collect(), ln_sizes, norm, ln_closed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::heads::head_norms;
    use crate::bounds::heads::leading_heads;
    use crate::bounds::lower::exponent::HeadGrowth;
    use crate::bounds::lower::line::lines;
    use crate::bounds::lower::witness_direction::directions;
    use crate::bounds::{BoundId, FORK, SHARP, SINK, TWO_CLUSTERS, bounds_and_witnesses};
    use crate::experiment::{Attention, MaskKind};
    use crate::random::{Random, Stream};
    use crate::weights::{HeadWeights, Weights};

    /// Hypotheses for one head with a given A and V = 1.
    fn at(a: &DMatrix<f64>, radius: f64, n: f64) -> Hypotheses {
        let d = a.nrows();
        let head = HeadWeights {
            q: a * (d as f64).sqrt(),
            k: DMatrix::identity(d, d),
            v: DMatrix::identity(d, d),
            second: None,
        };
        let weights = Weights { heads: vec![head], shared: Vec::new(), output: None, l2_mha: None };
        let norms = head_norms(&weights);
        let leading = leading_heads(&weights, &norms);
        let lines = lines(&weights, &leading);
        let growth = [HeadGrowth::of(&weights, &leading, 0, norms[0].a_norm)];
        let directions = directions(&weights, &leading, &lines, &growth);
        Hypotheses {
            lines,
            directions,
            exponents: vec![growth[0].exponents],
            ..Hypotheses::of_norms(Attention::Dot, MaskKind::None, norms[0], radius, n)
        }
    }

    fn value(id: BoundId, hypotheses: &Hypotheses) -> f64 {
        id.at(hypotheses).and_then(|bound| bound.value).unwrap_or(0.0)
    }

    fn best_lower(hypotheses: &Hypotheses) -> f64 {
        [&TWO_CLUSTERS, &SINK, &FORK].map(|id| value(id, hypotheses)).into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn the_best_upper_bound_is_near_the_best_lower_one_for_minus_the_identity() {
        let minus = -DMatrix::<f64>::identity(2, 2);
        for (radius, most, most_far) in [(1.0, 1.62, 1.62), (2.0, 1.85, 1.1), (3.0, 2.1, 1.1)] {
            let few = (3..80).map(f64::from);
            let many = (0..120).map(|step| (4.3 + 0.31 * f64::from(step)).exp().round());
            for n in few.chain(many) {
                let hypotheses = at(&minus, radius, n);
                let ratio = value(&SHARP, &hypotheses) / best_lower(&hypotheses);
                let allowed = if n >= 1e9 { most_far } else { most };
                assert!((1.0..=allowed).contains(&ratio), "R={radius} n={n}: sharp is {ratio} times the best witness");
            }
        }
    }

    #[test]
    fn the_witnesses_of_a_quarter_turn_reach_319_where_two_clusters_reach_one() {
        let turn = DMatrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
        let hypotheses = at(&turn, 3.0, 1e6);
        let (line, sink) = (value(&TWO_CLUSTERS, &hypotheses), value(&SINK, &hypotheses));
        assert!((line - 1.0).abs() < 1e-9 && sink >= 319.0, "two clusters {line}, sink {sink}");
        assert!((hypotheses.exponent() - 9.0).abs() < 1e-9, "{}", hypotheses.exponent());
    }

    #[test]
    fn closed_forms_are_at_most_the_norm_of_their_tokens_up_to_huge_n() {
        let mut random = Random::new(7, Stream::Tokens);
        for (d, radius) in [(1, 2.0), (2, 0.5), (3, 3.0), (5, 6.0), (9, 2.5)] {
            let a = DMatrix::from_fn(d, d, |_, _| random.normal());
            for n in [2.0, 3.0, 4.0, 9.0, 41.0, 1e3, 1e7, 1e15, 1e60, 1e300] {
                let hypotheses = at(&a, radius, n);
                for shape in [Shape::Sink, Shape::Fork] {
                    let Some(found) = best(&hypotheses, shape) else {
                        assert!(shape == Shape::Fork && (d == 1 || n == 2.0), "d={d} n={n}: no {shape:?}");
                        continue;
                    };
                    let total = crate::bounds::ln_sum(found.ln_sizes.iter().copied());
                    assert!((total - n.ln()).abs() < 1e-9, "{shape:?} d={d} n={n}: {:?}", found.ln_sizes);
                    let is_uneven = shape == Shape::Fork && found.ln_sizes[1] != found.ln_sizes[2];
                    assert!(is_uneven || found.ln_closed <= found.norm.ln() + 1e-9, "{shape:?} d={d} n={n}: {found:?}");
                    let most = value(&SHARP, &hypotheses);
                    assert!(found.norm <= most * (1.0 + 1e-9), "{shape:?} d={d} n={n}: {} above {most}", found.norm);
                }
            }
        }
    }

    #[test]
    fn the_witnesses_are_absent_where_they_are_not_proved() {
        let minus = -DMatrix::<f64>::identity(2, 2);
        let causal = Hypotheses { mask: MaskKind::Causal, ..at(&minus, 1.0, 10.0) };
        let witnesses = bounds_and_witnesses(&causal).1;
        assert!(witnesses.get(&SINK).is_none() && witnesses.get(&FORK).is_none());
        assert!(best(&at(&DMatrix::zeros(2, 2), 1.0, 10.0), Shape::Sink).is_none());
        assert!(best(&at(&-DMatrix::<f64>::identity(1, 1), 1.0, 10.0), Shape::Fork).is_none());
    }
}
