//! `sink` and `fork` under the causal mask (ours, docs/theory.md section 4): the tokens of `witness` with the t tokens
//! elsewhere first and the N = n - t tokens at x after them. Row t + m sees the t tokens and m tokens at x, so that with the
//! same field as without a mask
//!
//! Lip >= ( sum_(m=1..N) t p_m^2 g(1 - t p_m) )^(1/2),  p_m = 1/(t + m e^-D),
//!
//! where g(z) = |V (y + z (R y - x)|A x|)|^2 for the sink, and the constant (R sin th |A x| |V w|)^2 for the fork.
//!
//! For one head, or concatenated ones, of which the others only add to the norm.

use std::f64::consts::LN_2;

use super::super::Hypotheses;
use super::super::logarithms::ln_subtract;
use super::super::maximum::pattern_search;
use super::causal_sum::CausalTerms;
use super::witness::ClusterWitness;
use super::witness_form::{Closed, Shape};

/// The best witness of a shape, its tokens in their order: those away from x first. `None` where no direction
/// is known.
pub(crate) fn best(hypotheses: &Hypotheses, shape: Shape) -> Option<ClusterWitness> {
    let Hypotheses { radius, ln_n, .. } = *hypotheses;
    if !(radius > 0.0 && radius.is_finite() && ln_n.is_finite()) {
        return None;
    }
    let directions = hypotheses.directions.iter().filter(|direction| shape == Shape::Sink || direction.value_w > 0.0);
    let mut starts: Vec<(Rows<'_>, [f64; 3], f64)> = directions
        .map(|direction| {
            let rows = Rows { closed: Closed { direction, shape, radius }, ln_n };
            let (start, ln) = rows.start();
            (rows, start, ln)
        })
        .collect();
    starts.sort_by(|a, b| b.2.total_cmp(&a.2));
    let found = starts.into_iter().take(MOST_DIRECTIONS).filter_map(|(rows, start, _)| {
        let (place, ln) = rows.best(start)?;
        Some((rows, place, ln))
    });
    let (rows, place, ln_closed) = found.filter(|found| !found.2.is_nan()).max_by(|a, b| a.2.total_cmp(&b.2))?;
    let (positions, ln_sizes) = rows.tokens(place)?;
    Some(ClusterWitness { positions, ln_sizes, norm: ln_closed.exp(), ln_closed })
}

/// How many directions, the best start first, are searched.
const MOST_DIRECTIONS: usize = 2;
/// The first steps of the search in ln t and |x|/R, and for a fork in th.
const STEPS: [f64; 3] = [0.5, 0.1, 0.2];

/// The rows of the tokens at x.
struct Rows<'a> {
    closed: Closed<'a>,
    ln_n: f64,
}

impl Rows<'_> {
    /// The limits of ln t, |x|/R and th.
    fn limits(&self) -> [(f64, f64); 3] {
        let low = self.closed.shape.fewest().ln();
        let [reach, angle] = self.closed.shape.limits();
        [(low, ln_subtract(self.ln_n, 0.0).max(low)), reach, angle]
    }

    /// The best of a few ln t, |x|/R and th, and ln of the value there.
    fn start(&self) -> ([f64; 3], f64) {
        let [(low, high), ..] = self.limits();
        let exponent = self.closed.exponent(1.0, 0.0);
        // As few tokens as there may be, and about as many as have half of the attention of the last row.
        let many = (self.ln_n - exponent).clamp(low, high);
        let angles: &[f64] = if self.closed.shape == Shape::Fork { &[1.5, 1.0, 0.5] } else { &[0.0] };
        let reach = self.closed.direction.reach();
        let places = [low, 0.5 * (low + many), many];
        let starts = places.into_iter().flat_map(|ln_t| angles.iter().map(move |angle| (ln_t, *angle)));
        let starts = starts.flat_map(|(ln_t, angle)| [1.0, reach].map(|reach| [ln_t, reach, angle]));
        let best = starts.map(|start| (start, self.ln_of_integral(start))).max_by(|a, b| a.1.total_cmp(&b.1));
        best.unwrap_or(([low, 1.0, 1.0], f64::NEG_INFINITY))
    }

    /// The best t, |x| and th, and ln of the value there.
    fn best(&self, start: [f64; 3]) -> Option<([f64; 3], f64)> {
        let [of_t, of_reach, of_angle] = STEPS;
        let of_angle = if self.closed.shape == Shape::Fork { of_angle } else { 0.0 };
        let [t, places @ ..] = self.limits();
        let value = |place: [f64; 3]| self.ln_of_integral(place);
        let [ln_t, reach, angle] = pattern_search(value, start, [of_t, of_reach, of_angle], [t, places[0], places[1]]);
        let whole = self.whole(ln_t).into_iter().map(|ln_t| {
            let value = |[reach, angle]: [f64; 2]| self.ln_of_integral([ln_t, reach, angle]);
            let [reach, angle] = pattern_search(value, [reach, angle], [0.5 * of_reach, 0.5 * of_angle], places);
            ([ln_t, reach, angle], self.ln_at(ln_t, reach, angle))
        });
        whole.filter(|found| !found.1.is_nan()).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The places of the tokens and ln of their numbers, in their order.
    fn tokens(&self, [ln_t, reach, angle]: [f64; 3]) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
        let Closed { direction, shape, radius } = self.closed;
        let x = &direction.x * (reach * radius);
        let (mut columns, mut ln_sizes) = match shape {
            Shape::Sink => (vec![&direction.y * radius], vec![ln_t]),
            Shape::Fork => {
                let (along, aside) =
                    (&direction.y * (radius * angle.cos()), direction.w.as_ref()? * (radius * angle.sin()));
                (vec![&along + &aside, &along - &aside], vec![ln_t - LN_2; 2])
            }
        };
        columns.push(x);
        ln_sizes.push(ln_subtract(self.ln_n, ln_t));
        Some((columns.iter().map(|column| direction.token(column)).collect(), ln_sizes))
    }

    /// Whole numbers t near a real one, even for a fork.
    fn whole(&self, ln_t: f64) -> Vec<f64> {
        // Above e^30 every number may be taken for an even one.
        if ln_t > 30.0 {
            return vec![ln_t];
        }
        let (step, most) = (self.closed.shape.fewest(), self.ln_n.exp().round() - 1.0);
        let below = (ln_t.exp() / step).floor() * step;
        let allowed = [below, below + step, step].into_iter().filter(|t| *t >= step && *t <= most);
        allowed.map(f64::ln).collect()
    }

    /// ln of the value for real t, the sum taken as an integral.
    fn ln_of_integral(&self, [ln_t, reach, angle]: [f64; 3]) -> f64 {
        let (ln_unit, terms) = self.terms(ln_t, reach, angle);
        let rest = ln_subtract(self.ln_n, ln_t).exp();
        ln_unit + 0.5 * terms.integral(0.5, rest + 0.5).ln()
    }

    /// ln of the value for a whole t, rounded down.
    fn ln_at(&self, ln_t: f64, reach: f64, angle: f64) -> f64 {
        let (ln_unit, terms) = self.terms(ln_t, reach, angle);
        let rest = ln_subtract(self.ln_n, ln_t).exp();
        let rest = if rest < 9e15 { rest.round() } else { rest };
        ln_unit + 0.5 * terms.sum_from_below(rest).ln()
    }

    /// ln of a unit, and the squares of the rows' outputs over its square.
    fn terms(&self, ln_t: f64, reach: f64, angle: f64) -> (f64, CausalTerms) {
        let gains = self.closed.gain_squares(reach, angle);
        let largest = gains.iter().fold(f64::MIN_POSITIVE, |most, gain| most.max(gain.abs()));
        let rate = (-self.closed.exponent(reach, angle) - ln_t).exp();
        // t p_m^2 = (1 - z)^2/t.
        (0.5 * (largest.ln() - ln_t), CausalTerms::new(rate, gains.map(|gain| gain / largest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{ADVERSARIAL, Bound, BoundId, FORK, SHARP_MASKED, SINK};
    use crate::experiment::Experiment;
    use crate::growth::hypotheses_of_ball;
    use crate::measure::measure;
    use serde_json::{Value, json};

    fn experiment(q: &Value, tokens: &Value) -> Experiment {
        let one = json!([[1.0, 0.0], [0.0, 1.0]]);
        let weights = json!({"source": "explicit", "heads": [{"q": q, "k": one, "v": [[1.0, 0.3], [0.0, 0.7]]}]});
        Experiment::from_value(json!({"tokens": tokens, "weights": weights, "mask": "causal"})).expect("valid")
    }

    fn ball(q: &Value, n: f64, radius: f64) -> Hypotheses {
        let tokens = json!({"source": "random", "distribution": "ball", "n": 5, "d": 2, "radius": radius});
        hypotheses_of_ball(&experiment(q, &tokens)).expect("a ball").with_n(n)
    }

    fn value(bound: Option<Bound>) -> f64 {
        bound.and_then(|bound| bound.value).expect("it applies")
    }

    /// The closed form at given tokens is below the norm there: sinks first, then the tokens at x.
    #[test]
    fn the_closed_forms_are_at_most_the_norm_of_their_tokens() {
        for q in [json!([[-1.4, 0.0], [0.0, -1.4]]), json!([[0.0, -2.0], [2.0, 0.0]]), json!([[1.0, 2.0], [-0.5, 0.3]])]
        {
            let hypotheses = ball(&q, 9.0, 1.5);
            for (shape, t, n, reach, angle) in [
                (Shape::Sink, 1.0, 9.0, 1.0, 0.0),
                (Shape::Sink, 2.0, 30.0, 0.8, 0.0),
                (Shape::Fork, 2.0, 9.0, 1.0, 1.2),
                (Shape::Fork, 4.0, 40.0, 0.7, 0.6),
            ] {
                for direction in &hypotheses.directions {
                    let rows = Rows { closed: Closed { direction, shape, radius: 1.5 }, ln_n: f64::ln(n) };
                    let closed = rows.ln_at(f64::ln(t), reach, angle).exp();
                    let (x, y) = (&direction.x * (1.5 * reach), &direction.y * 1.5);
                    let w = direction.w.as_ref().expect("d = 2");
                    let aside = w * (1.5 * f64::sin(angle));
                    let [first, second] =
                        [1.0, -1.0].map(|side| direction.token(&(&y * f64::cos(angle) + &aside * side)));
                    let half = (t / 2.0) as usize;
                    let mut tokens = vec![first; t as usize - half];
                    tokens.extend(vec![second; half]);
                    tokens.extend(vec![direction.token(&x); (n - t) as usize]);
                    let found =
                        measure(&experiment(&q, &json!({"source": "explicit", "rows": tokens}))).expect("measured");
                    assert!(
                        closed <= found.spectral * (1.0 + 1e-9),
                        "{q} {shape:?} t={t}: {closed}, {}",
                        found.spectral
                    );
                    assert!(closed >= 0.1 * found.spectral, "{q} {shape:?} t={t}: {closed}, {}", found.spectral);
                }
            }
        }
    }

    #[test]
    fn the_causal_bounds_are_below_the_upper_one_and_above_the_adversarial_one_up_to_huge_n() {
        for q in [json!([[-1.4, 0.0], [0.0, -1.4]]), json!([[0.0, -1.4], [1.4, 0.0]]), json!([[1.4, 0.0], [0.0, 1.4]])]
        {
            for radius in [0.1, 1.0, 2.0, 4.0, 20.0] {
                for n in [2.0, 3.0, 4.0, 17.0, 300.0, 1e4, 1e9, 1e18, 1e200] {
                    let hypotheses = ball(&q, n, radius);
                    let at = |id: BoundId| id.at(&hypotheses).map(|bound| bound.log10);
                    let most = at(&SHARP_MASKED).expect("it applies");
                    assert_eq!(at(&FORK).is_some(), n >= 3.0);
                    for id in [&SINK, &FORK] {
                        assert!(at(id).is_none_or(|found| found <= most + 1e-9), "{q} R={radius} n={n} {id:?}: {most}");
                    }
                    let sink = at(&SINK).expect("it applies");
                    assert!(at(&ADVERSARIAL).is_none_or(|found| found <= sink + 0.01), "{q} R={radius} n={n}");
                }
            }
        }
    }

    /// Eleven times `adversarial`.
    #[test]
    fn forks_are_far_above_adversarial_tokens() {
        let hypotheses = ball(&json!([[-2f64.sqrt(), 0.0], [0.0, -2f64.sqrt()]]), 1e4, 4.0);
        let [fork, adversarial] = [&FORK, &ADVERSARIAL].map(|id| value(id.at(&hypotheses)));
        assert!(fork / adversarial > 8.0, "{fork} {adversarial}");
    }
}
