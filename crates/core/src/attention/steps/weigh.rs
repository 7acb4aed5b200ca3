//! Scores to weights: softmax, where a sink takes its share, or a function of each score by itself.

use super::super::view::Scalar;
use crate::experiment::Weighting;

/// How the scores of a row become weights.
#[derive(Clone, Debug)]
pub(crate) enum Weigh {
    /// P_ij = e^s_ij/(e^c0 + sum_l e^s_il).
    Softmax {
        /// c0 of each head; empty without sinks.
        sinks: Vec<f64>,
    },
    /// Each weight depends on its own score alone.
    Elementwise(Elementwise),
}

/// A weight as a function of its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Elementwise {
    /// 1/(1 + e^-(s + b)).
    Sigmoid {
        /// b.
        bias: f64,
    },
    /// max(s, 0)/L.
    Relu {
        /// ln L.
        ln_divisor: f64,
    },
    /// ln(1 + e^s)/L.
    Softplus {
        /// ln L.
        ln_divisor: f64,
    },
}

/// What is kept of a row besides its weights.
pub(in super::super) struct Weighed<T> {
    /// The token with the largest weight.
    pub(in super::super) top: u32,
    /// The share of the sink, 1 - sum_j P_ij; 0 without one.
    pub(in super::super) sink_share: T,
    /// Whether all scores are finite.
    pub(in super::super) is_finite: bool,
    /// The tokens at whose scores the weight has no derivative.
    pub(in super::super) kinks: Vec<u32>,
}

impl Weigh {
    /// The rule of an experiment with `heads` heads and e^ln_n tokens.
    pub(super) fn of(weighting: &Weighting, heads: usize, ln_n: f64) -> Self {
        let ln_divisor = |divisor: &Option<f64>| divisor.map_or(ln_n, f64::ln);
        match weighting {
            Weighting::Softmax { .. } => {
                Weigh::Softmax { sinks: (0..heads).filter_map(|head_idx| weighting.sink_of(head_idx)).collect() }
            }
            Weighting::Sigmoid { bias } => Weigh::Elementwise(Elementwise::Sigmoid { bias: bias.unwrap_or(-ln_n) }),
            Weighting::Relu { divisor } => Weigh::Elementwise(Elementwise::Relu { ln_divisor: ln_divisor(divisor) }),
            Weighting::Softplus { divisor } => {
                Weigh::Elementwise(Elementwise::Softplus { ln_divisor: ln_divisor(divisor) })
            }
        }
    }

    /// Whether it is softmax without sinks.
    pub(super) fn is_default(&self) -> bool {
        matches!(self, Weigh::Softmax { sinks } if sinks.is_empty())
    }

    /// Whether each weight depends on its own score alone.
    pub(crate) fn is_elementwise(&self) -> bool {
        matches!(self, Weigh::Elementwise(_))
    }

    /// c0 of a head.
    pub(crate) fn sink(&self, head_idx: usize) -> Option<f64> {
        match self {
            Weigh::Softmax { sinks } => sinks.get(head_idx).copied(),
            Weigh::Elementwise(_) => None,
        }
    }

    /// Turns scores, from which softmax may miss `common`, into weights in place, zero where `allows` is false. With elementwise weights, multiplies the
    /// slopes by dP/ds, unless `slopes` is empty.
    pub(super) fn apply<T: Scalar>(
        &self,
        head_idx: usize,
        common: f64,
        scores: &mut [T],
        slopes: &mut [T],
        allows: impl Fn(usize) -> bool,
    ) -> Weighed<T> {
        let zero = T::constant(0.0);
        let mut slots = slopes.iter_mut();
        let sink = self.sink(head_idx).map(|sink| sink - common);
        // The exponential of a score of minus infinity is zero.
        let outside = T::constant(if self.is_elementwise() { 0.0 } else { f64::NEG_INFINITY });
        let (mut top, mut largest, mut is_finite, mut kinks) = (0, f64::NEG_INFINITY, true, Vec::new());
        for (j, score) in scores.iter_mut().enumerate() {
            let slot = slots.next();
            if !allows(j) {
                *score = outside;
                slot.into_iter().for_each(|slot| *slot = zero);
                continue;
            }
            is_finite &= score.value().is_finite();
            if score.value() > largest {
                (top, largest) = (j as u32, score.value());
            }
            if let Weigh::Elementwise(rule) = self {
                if rule.has_kink_at(score.value()) {
                    kinks.push(j as u32);
                }
                let (weight, slope) = rule.weight_and_slope(*score);
                // A divisor near the least f64 takes a weight past the largest one.
                is_finite &= weight.value().is_finite() && slope.value().is_finite();
                *score = weight;
                slot.into_iter().for_each(|slot| *slot *= slope);
            }
        }
        if self.is_elementwise() {
            return Weighed { top, sink_share: zero, is_finite, kinks };
        }
        let shift = T::constant(largest.max(sink.unwrap_or(f64::NEG_INFINITY)));
        if shift.value() == f64::NEG_INFINITY {
            scores.fill(zero);
            return Weighed { top, sink_share: zero, is_finite, kinks };
        }
        let sink = sink.map_or(zero, |sink| (T::constant(sink) - shift).exp());
        let mut sum = sink;
        for score in scores.iter_mut() {
            *score = if score.value() == f64::NEG_INFINITY { zero } else { (*score - shift).exp() };
            sum += *score;
        }
        let inverse = T::constant(1.0) / sum;
        scores.iter_mut().for_each(|p| *p *= inverse);
        Weighed { top, sink_share: sink * inverse, is_finite, kinks }
    }
}

impl Elementwise {
    /// Whether P has no derivative at this score.
    fn has_kink_at(self, s: f64) -> bool {
        matches!(self, Elementwise::Relu { .. }) && s == 0.0
    }

    /// P and dP/ds at a score. relu has slope 0 at 0.
    pub(crate) fn weight_and_slope<T: Scalar>(self, s: T) -> (T, T) {
        let one = T::constant(1.0);
        // e^-|x|, from which both come without cancellation.
        let decay = |x: T| (if x.value() < 0.0 { x } else { -x }).exp();
        let sigmoid = |x: T, decay: T| if x.value() < 0.0 { decay / (one + decay) } else { one / (one + decay) };
        match self {
            Elementwise::Sigmoid { bias } => {
                let x = s + T::constant(bias);
                let decay = decay(x);
                (sigmoid(x, decay), decay / ((one + decay) * (one + decay)))
            }
            Elementwise::Relu { ln_divisor } => {
                let slope = if s.value() > 0.0 { T::constant((-ln_divisor).exp()) } else { T::constant(0.0) };
                (s * slope, slope)
            }
            Elementwise::Softplus { ln_divisor } => {
                let inverse = T::constant((-ln_divisor).exp());
                let decay = decay(s);
                let positive = if s.value() > 0.0 { s } else { T::constant(0.0) };
                ((positive + decay.ln_1p()) * inverse, sigmoid(s, decay) * inverse)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::Dual;

    #[test]
    fn slopes_are_the_derivatives_by_dual_numbers_and_nothing_overflows() {
        let ln_divisor = 3f64.ln();
        for rule in [
            Elementwise::Sigmoid { bias: -1.5 },
            Elementwise::Relu { ln_divisor },
            Elementwise::Softplus { ln_divisor },
        ] {
            for s in [-800.0, -3.0, -0.1, 0.2, 4.0, 800.0] {
                let (_, slope) = rule.weight_and_slope(s);
                let (weight, _) = rule.weight_and_slope(Dual::new(s, 1.0));
                assert!((slope - weight.eps).abs() <= 1e-15, "{rule:?} at {s}: {slope} for {}", weight.eps);
                assert!(weight.re.is_finite() && weight.re >= 0.0, "{rule:?} at {s}: {}", weight.re);
            }
        }
        assert_eq!(Elementwise::Relu { ln_divisor }.weight_and_slope(0.0), (0.0, 0.0));
        let weigh = Weigh::Elementwise(Elementwise::Relu { ln_divisor });
        let weighed = weigh.apply(0, 0.0, &mut [0.0, 1.0, -0.0, 0.0], &mut [], |j| j < 3);
        assert_eq!(weighed.kinks, [0, 2]);
    }

    #[test]
    fn a_sink_takes_its_share_and_an_empty_row_is_zero() {
        let weigh = Weigh::Softmax { sinks: vec![1.0] };
        let mut scores = [0.0, 900.0, 1.0];
        let weighed = weigh.apply(0, 0.0, &mut scores, &mut [], |j| j != 1);
        let e = 1f64.exp();
        assert!((scores[0] - 1.0 / (1.0 + 2.0 * e)).abs() < 1e-15 && scores[1] == 0.0 && weighed.top == 2);
        assert!((weighed.sink_share - e / (1.0 + 2.0 * e)).abs() < 1e-15, "{}", weighed.sink_share);
        let mut scores = [2.0, 3.0];
        weigh.apply(0, 0.0, &mut scores, &mut [], |_| false);
        assert_eq!(scores, [0.0, 0.0]);
        let default = Weigh::Softmax { sinks: Vec::new() };
        let mut scores = [2.0, 3.0];
        assert!(default.apply(0, 0.0, &mut scores, &mut [], |_| false).is_finite);
        assert_eq!(scores, [0.0, 0.0]);
    }
}
