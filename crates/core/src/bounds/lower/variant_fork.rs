//! `fork` under a cap g and with a sink c0 (ours, docs/theory.md section 6), in closed form. With the tokens of
//! `witness`, s_f = R |A x| cos th and N = n - t:
//!
//! Lip >= sqrt(N t) p g'(s_f) R sin th |A x| |V w|,  p = 1/(t + N e^(g(x.A x) - g(s_f)) + e^(c0 - g(s_f))).

use std::f64::consts::{LN_2, PI};

use super::super::Hypotheses;
use super::super::logarithms::{ln_add, ln_subtract};
use super::super::maximum::{narrowed, pattern_search};
use super::super::variant::Variant;
use super::witness::ClusterWitness;
use super::witness_direction::WitnessDirection;
use crate::extremum::maximum;

/// The best fork; `None` where it does not apply, and where its value is past f64.
pub(crate) fn best(hypotheses: &Hypotheses) -> Option<ClusterWitness> {
    let variant = hypotheses.variant.as_deref()?;
    let (radius, ln_n) = (hypotheses.radius, hypotheses.ln_n);
    if !(radius > 0.0 && radius.is_finite()) {
        return None;
    }
    let directions = hypotheses.directions.iter().filter(|direction| direction.value_w > 0.0);
    let found = directions.map(|direction| {
        let fork = Fork { variant, direction, radius, ln_n };
        let (place, ln_t) = fork.best();
        (fork.ln_at(place, ln_t), fork, place, ln_t)
    });
    let (ln_closed, fork, place, ln_t) = found.filter(|found| !found.0.is_nan()).max_by(|a, b| a.0.total_cmp(&b.0))?;
    fork.witness(place, ln_t)
        .map(|(positions, ln_sizes)| ClusterWitness { positions, ln_sizes, norm: ln_closed.exp(), ln_closed })
        .filter(|witness| witness.norm.is_finite() && witness.norm > 0.0)
}

struct Fork<'a> {
    variant: &'a Variant,
    direction: &'a WitnessDirection,
    radius: f64,
    ln_n: f64,
}

impl Fork<'_> {
    /// ln of the closed form at |x|/R and th, with e^ln_t tokens away from x.
    fn ln_at(&self, [reach, angle]: [f64; 2], ln_t: f64) -> f64 {
        let (x, ln_rest) = (reach * self.radius, self.ln_rest(ln_t));
        let image = self.direction.stretch * x;
        let score = self.radius * image * angle.cos();
        let (to_fork, to_x) = (self.capped(score), self.capped(x * x * self.direction.along));
        let ln_slope = match self.variant.softcap {
            // 1 - tanh^2 = 1/cosh^2, which keeps its digits.
            Some(tau) => 2.0 * (LN_2 - (score / tau).abs() - (-2.0 * (score / tau).abs()).exp().ln_1p()),
            None => 0.0,
        };
        let ln_gain = (self.radius * angle.sin() * image * self.direction.value_w).ln();
        // The largest sink of all heads makes the bound smallest, so that it holds for each.
        let sink = self.variant.heads.iter().filter_map(|head| head.sink).fold(f64::NEG_INFINITY, maximum);
        let ln_total = ln_add(ln_add(ln_t, ln_rest + to_x - to_fork), sink - to_fork);
        0.5 * (ln_rest + ln_t) - ln_total + ln_slope + ln_gain
    }

    fn capped(&self, score: f64) -> f64 {
        self.variant.softcap.map_or(score, |tau| tau * (score / tau).tanh())
    }

    /// ln(n - t).
    fn ln_rest(&self, ln_t: f64) -> f64 {
        ln_subtract(self.ln_n, ln_t)
    }

    /// The best place, and ln of the best even t there.
    fn best(&self) -> ([f64; 2], f64) {
        let value = |place: [f64; 2]| self.ln_at(place, self.best_real_t(place));
        let reaches = [1.0, self.direction.reach()];
        let starts = [1.5, 1.0, 0.5, 0.2].into_iter().flat_map(|angle| reaches.map(|reach| [reach, angle]));
        let start = starts.max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or([1.0, 1.5]);
        let place = pattern_search(value, start, [0.1, 0.2], [(0.0, 1.0), (0.0, PI)]);
        let ln_t = self.best_real_t(place);
        // Above e^30 every number may be taken for even: neighbouring ones give the same value.
        if ln_t > 30.0 {
            return (place, ln_t);
        }
        let most = 2.0 * ((self.ln_n.exp().round() - 1.0) / 2.0).floor();
        let below = 2.0 * (0.5 * ln_t.exp()).floor();
        let even = [below, below + 2.0, 2.0, 4.0].map(|t| t.clamp(2.0, most).ln());
        let ln_t = even.into_iter().max_by(|a, b| self.ln_at(place, *a).total_cmp(&self.ln_at(place, *b)));
        let ln_t = ln_t.unwrap_or(LN_2);
        (pattern_search(|place| self.ln_at(place, ln_t), place, [0.05, 0.05], [(0.0, 1.0), (0.0, PI)]), ln_t)
    }

    /// The best ln t from ln 2 to ln(n - 1), t real: the value has one maximum there.
    fn best_real_t(&self, place: [f64; 2]) -> f64 {
        const SECTIONS: usize = 40;
        let (low, high) = narrowed(|ln_t| self.ln_at(place, ln_t), (LN_2, self.ln_rest(0.0).max(LN_2)), SECTIONS);
        0.5 * (low + high)
    }

    /// The tokens, and ln of their numbers.
    fn witness(&self, [reach, angle]: [f64; 2], ln_t: f64) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
        let direction = self.direction;
        let (along, aside) =
            (&direction.y * (self.radius * angle.cos()), direction.w.as_ref()? * (self.radius * angle.sin()));
        let columns = [&direction.x * (reach * self.radius), &along + &aside, &along - &aside];
        let positions = columns.iter().map(|column| direction.token(column)).collect();
        Some((positions, vec![self.ln_rest(ln_t), ln_t - LN_2, ln_t - LN_2]))
    }
}
