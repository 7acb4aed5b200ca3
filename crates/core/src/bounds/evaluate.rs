//! The values of bounds, and the tokens behind the lower ones.

use serde::{Deserialize, Serialize};

use super::all::{EVALUATORS, TWO_CLUSTERS};
use super::bound::Bound;
use super::evaluator::{Computation, Evaluator};
use super::heads::Combination;
use super::hypotheses::Hypotheses;
use super::local::rows::LocalParts;
use super::lower::found::{Found, Witness};
use super::lower::two_cluster_curve::TwoClusterCurve;
use super::need::first_failing;
use super::slack::{AtHead, BoundSlack, SlackFactor, brief};
use super::statement::{BoundId, Statement};
use crate::experiment::MaskKind;

impl Statement {
    /// The bound under these hypotheses; `None` if they do not hold, if they do not determine the bound (bounds at
    /// given tokens, and `skew`), or if it is infinite.
    #[must_use]
    #[doc(hidden)]
    pub fn at(&'static self, hypotheses: &Hypotheses) -> Option<Bound> {
        EVALUATORS.into_iter().find(|evaluator| evaluator.statement == self)?.evaluate(hypotheses).0
    }
}

impl Evaluator {
    /// The bound, and the tokens behind it.
    fn evaluate(&self, given: &Hypotheses) -> (Option<Bound>, Option<Witness>) {
        if first_failing(self.statement.needs, given).is_some() {
            return (None, None);
        }
        let bound = |ln: f64| (ln < f64::INFINITY).then(|| Bound::of_ln(self.statement, ln));
        match self.value {
            Computation::OnBall(ln) => (ln(given).and_then(bound), None),
            Computation::AtWitness(find) => match find(given) {
                Some(Found { ln, witness }) => (bound(ln), Some(witness)),
                None => (None, None),
            },
            Computation::AtTokens(_) | Computation::Elsewhere => (None, None),
        }
    }
}

/// All bounds on the ball that apply under the hypotheses.
#[must_use]
pub fn all_bounds(hypotheses: &Hypotheses) -> Vec<Bound> {
    bounds_and_witnesses(hypotheses).0
}

/// The tokens behind lower bounds, each with the bound that they prove.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Witnesses(Vec<(BoundId, Witness)>);

impl Witnesses {
    /// The tokens behind a bound; `None` where the bound does not apply or has none.
    #[must_use]
    pub fn get(&self, id: BoundId) -> Option<&Witness> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, witness)| witness)
    }

    /// All of them, in the order of the bounds.
    pub fn iter(&self) -> impl Iterator<Item = (BoundId, &Witness)> {
        self.0.iter().map(|(id, witness)| (*id, witness))
    }

    /// These, and of the others those behind bounds that have none here.
    #[must_use]
    pub(crate) fn or(mut self, others: Witnesses) -> Self {
        let is_new = |(id, _): &(BoundId, Witness)| self.0.iter().all(|(known, _)| known != id);
        let new: Vec<_> = others.0.into_iter().filter(is_new).collect();
        self.0.extend(new);
        self
    }
}

/// All bounds on the ball that apply under the hypotheses, and the tokens behind the lower ones where their order does not
/// count.
#[must_use]
pub fn bounds_and_witnesses(hypotheses: &Hypotheses) -> (Vec<Bound>, Witnesses) {
    let (mut bounds, mut witnesses) = (Vec::new(), Vec::new());
    for evaluator in EVALUATORS {
        let (bound, witness) = evaluator.evaluate(hypotheses);
        bounds.extend(bound);
        witnesses
            .extend(witness.filter(|_| hypotheses.mask == MaskKind::None).map(|found| (evaluator.statement, found)));
    }
    (bounds, Witnesses(witnesses))
}

/// The tokens behind the lower bounds under the causal mask, where their order counts: each witness lists them in it.
#[must_use]
pub(crate) fn causal_witnesses(hypotheses: &Hypotheses) -> Witnesses {
    if hypotheses.mask != MaskKind::Causal {
        return Witnesses::default();
    }
    let has_tokens = |evaluator: &&'static Evaluator| matches!(evaluator.value, Computation::AtWitness(_));
    let witness = |evaluator: &Evaluator| Some((evaluator.statement, evaluator.evaluate(hypotheses).1?));
    Witnesses(EVALUATORS.into_iter().filter(has_tokens).filter_map(witness).collect())
}

/// The bounds at given tokens whose terms these are. In scope `composed` the Jacobian has a factor of the normaliser. If
/// covariances overflow, the bounds are infinite and left out.
#[must_use]
pub fn bounds_at_tokens(parts: &LocalParts, outer_factor: f64) -> Vec<Bound> {
    let bound = |evaluator: &Evaluator| match evaluator.value {
        Computation::AtTokens(value) => {
            let ln = (value(parts)? * outer_factor).ln();
            (ln < f64::INFINITY).then(|| Bound::of_ln(evaluator.statement, ln))
        }
        Computation::OnBall(_) | Computation::AtWitness(_) | Computation::Elsewhere => None,
    };
    EVALUATORS.into_iter().filter_map(bound).collect()
}

/// All bounds on a ball, as functions of n. The search for the two clusters, which does not depend on n, is made once.
#[derive(Clone, Debug)]
pub struct BoundsOverN {
    hypotheses: Hypotheses,
    curve: Option<TwoClusterCurve>,
}

impl BoundsOverN {
    /// Prepares the bounds for up to `longest` tokens; ignores the n of `hypotheses`.
    #[must_use]
    pub fn new(hypotheses: Hypotheses, longest: f64) -> Self {
        let is_missing = first_failing(TWO_CLUSTERS.needs, &hypotheses.with_n(longest)).is_some();
        let curve = if is_missing { None } else { TwoClusterCurve::new(&hypotheses, longest.ln()) };
        BoundsOverN { hypotheses, curve }
    }

    /// The bounds that apply at n tokens.
    #[must_use]
    pub fn at(&self, n: f64) -> Vec<Bound> {
        let at = self.hypotheses.with_n(n);
        let two_clusters = || {
            let curve = self.curve.as_ref().filter(|_| first_failing(TWO_CLUSTERS.needs, &at).is_none())?;
            curve.at(at.ln_n).map(|found| Bound::of_ln(&TWO_CLUSTERS, found.norm.ln()))
        };
        let bound = |evaluator: &Evaluator| {
            if *evaluator.statement == TWO_CLUSTERS { two_clusters() } else { evaluator.evaluate(&at).0 }
        };
        EVALUATORS.into_iter().filter_map(bound).collect()
    }

    /// R of the ball.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.hypotheses.radius
    }
}

/// The slack of each of these bounds, given the terms of `local` and the norm at the tokens. Lower bounds have no
/// factors.
#[must_use]
pub fn slacks(hypotheses: &Hypotheses, bounds: &[Bound], local: Option<&LocalParts>, spectral: f64) -> Vec<BoundSlack> {
    let head_idx = local.map_or(0, |parts| parts.head_idx).min(hypotheses.heads.len().saturating_sub(1));
    if hypotheses.heads.is_empty() {
        return Vec::new();
    }
    let head = hypotheses.head_on_ball(head_idx);
    let of_bound = |bound| {
        let at = AtHead { bound, bounds, given: hypotheses, head_idx, head: &head, local, spectral };
        let evaluator = EVALUATORS.into_iter().find(|evaluator| evaluator.statement == bound.id)?;
        Some(BoundSlack { id: bound.id, worked: worked(evaluator, &at), factors: factors(evaluator, &at) })
    };
    bounds.iter().filter_map(of_bound).collect()
}

fn worked(evaluator: &Evaluator, at: &AtHead<'_>) -> String {
    let formula = (evaluator.worked)(at);
    // Where the Jacobian includes the normaliser, every bound is multiplied by the normaliser's factor at these tokens.
    let outer = at.given.outer_factor;
    let formula = if outer == 1.0 || formula.is_empty() { formula } else { format!("{} · ({formula})", brief(outer)) };
    match (at.given.heads.len(), at.given.combination) {
        (0 | 1, _) => formula,
        (_, Combination::Sum) => format!("{formula} for this head; heads add up, or less"),
        (_, Combination::RootOfSquares) => format!("{formula} for this head; heads combine as √(b₁² + b₂² + …)"),
    }
}

fn factors(evaluator: &Evaluator, at: &AtHead<'_>) -> Vec<SlackFactor> {
    let mut factors = (evaluator.losses)(at);
    factors.retain(|factor| factor.times.is_finite() && factor.times > 1.0 + 1e-9);
    factors.sort_by(|a, b| b.times.total_cmp(&a.times));
    factors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{CASTIN_MEAN_FIELD, ELEMENTWISE, ELEMENTWISE_TOKEN, GENERAL, GENERAL_TOKEN};
    use crate::experiment::Experiment;
    use crate::measure::measure;

    #[test]
    fn the_formula_of_a_variant_in_numbers_is_its_bound() {
        for rest in [
            r#""score":{"softcap":2},"weighting":{"kind":"softmax","sink":1}"#,
            r#""score":{"qk_norm":{"kind":"rms","eps":1}},"mask":{"kind":"window","width":3}"#,
            r#""weighting":{"kind":"sigmoid"}"#,
        ] {
            let text = format!(
                r#"{{"tokens":{{"source":"random","distribution":"ball","n":6,"d":3,"radius":1}},
                "weights":{{"source":"random","heads":1,"head_dim":2}},{rest}}}"#
            );
            let found = measure(&Experiment::from_json(&text).expect("an experiment")).expect("a measurement");
            let mut checked = 0;
            let of_variants: [BoundId; 4] = [&GENERAL, &GENERAL_TOKEN, &ELEMENTWISE, &ELEMENTWISE_TOKEN];
            for slack in found.slacks.iter().filter(|slack| of_variants.contains(&slack.id)) {
                // The numbers have four digits: v times a sum, or v times a number.
                let number = |text: &str| text.trim().trim_matches(['(', ')']).parse::<f64>().expect("a short number");
                let (v, rest) = slack.worked.split_once('·').expect("a product");
                let value = number(v) * rest.split('+').map(number).sum::<f64>();
                let bound = found.bounds.iter().find(|bound| bound.id == slack.id).and_then(|bound| bound.value);
                let bound = bound.expect("in range");
                assert!(
                    (value / bound - 1.0).abs() < 3e-3,
                    "{rest} {:?}: {} is {value}, not {bound}",
                    slack.id,
                    slack.worked
                );
                checked += 1;
            }
            assert_eq!(checked, 2, "{rest}: two norms");
        }
    }

    #[test]
    fn a_formula_in_numbers_holds_the_factor_of_the_normaliser() {
        let text = r#"{"tokens":{"source":"random","distribution":"ball","n":6,"d":4,"radius":0.1},
            "weights":{"source":"identity","sign":-1},"normalization":"rms","normalization_scope":"composed"}"#;
        let found = measure(&Experiment::from_json(text).expect("an experiment")).expect("a measurement");
        let slack = found.slacks.iter().find(|slack| slack.id == &CASTIN_MEAN_FIELD).expect("the bound applies");
        let (factor, rest) = slack.worked.split_once(" · (").expect("a factor and the rest");
        let bound = found.bounds.iter().find(|bound| bound.id == &CASTIN_MEAN_FIELD).expect("the same");
        // v (1 + 3a) e^(2a) with v = 1 and a = d, the square of R after a normaliser.
        let ball = (1.0 + 3.0 * 4.0) * 8f64.exp();
        assert!(rest.starts_with("1 · "), "{}", slack.worked);
        let factor: f64 = factor.parse().expect("a number");
        assert!((factor * ball / bound.value.expect("in range") - 1.0).abs() < 1e-2, "{}", slack.worked);
    }
}
