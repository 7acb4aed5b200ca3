//! The worst tokens known of a ball, with the norm at them: the tokens behind the lower bounds, measured.

use serde::{Deserialize, Serialize};

use super::ball::Ball;
use crate::bounds::{BoundId, ClusterWitness, Hypotheses, Witnesses, bounds_and_witnesses, causal_witnesses};
use crate::experiment::{Attention, Experiment, InputError, Mask, MaskKind, Memory, Normalization, Rows, TokenSource};
use crate::measure::{MeasureOptions, measure_with};
use crate::phrase;
use crate::tokens::AdversarialDirection;

/// Tokens of a ball, and the norm at them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstTokens {
    /// The lower bound that they come from.
    pub id: BoundId,
    /// The tokens: clusters without a mask, a list under the causal mask, where the order counts.
    pub tokens: TokenSource,
    /// ||J||_2 at these tokens. Without a mask it is at least the lower bound `id`.
    pub norm: f64,
}

/// The most numbers of a list that is made for the causal mask, so that the norm at it takes milliseconds.
const MOST_LISTED: f64 = 65_536.0;
/// Up to this many tokens the witnesses of many smaller balls are tried.
const FEW_TOKENS: f64 = 16.0;

/// The worst of the tokens behind the lower bounds on the ball of `hypotheses`, which are those of `experiment`; `None`
/// where there are none: for L2 attention, with a normaliser, and for a list that would be too long.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn worst_tokens(
    experiment: &Experiment,
    hypotheses: &Hypotheses,
    witnesses: &Witnesses,
    memory: Memory,
) -> Result<Option<WorstTokens>, InputError> {
    let is_open = experiment.normalization == Normalization::None;
    if !(experiment.is_plain() && experiment.attention == Attention::Dot && is_open) {
        return Ok(None);
    }
    // What is proved without a mask is proved for tokens that all see each other. The norm of the same tokens under the
    // causal mask is another one, but it is measured below.
    let mut open = hypotheses.clone();
    open.mask = MaskKind::None;
    let is_causal = experiment.mask == Mask::Causal;
    let own = match is_causal {
        false => candidates(witnesses)?,
        true => {
            let mut all = candidates(&bounds_and_witnesses(&open).1)?;
            all.extend(adversarial(experiment, hypotheses)?.map(|tokens| (BoundId::Adversarial, tokens)));
            let causal = causal_witnesses(hypotheses);
            for (id, witness) in of_witnesses(&causal) {
                all.extend(in_order(witness)?.map(|tokens| (id, tokens)));
            }
            all
        }
    };
    let mut found: Vec<(BoundId, TokenSource)> = own;
    for radius in smaller_radii(hypotheses) {
        found.extend(candidates(&bounds_and_witnesses(&open.with_radius(radius)).1)?);
    }
    let mut worst: Option<WorstTokens> = None;
    for (id, tokens) in found {
        let tokens = match is_causal {
            false => tokens,
            true => match tokens {
                TokenSource::Explicit(_) => tokens,
                clusters => match listed(&clusters)? {
                    Some(rows) => TokenSource::Explicit(rows),
                    None => continue,
                },
            },
        };
        let options = MeasureOptions { memory, ..MeasureOptions::for_sweep() };
        // Tokens whose norm overflows, or takes more memory than there is, are left out.
        let Ok(measured) = measure_with(&Experiment { tokens: tokens.clone(), ..experiment.clone() }, options) else {
            continue;
        };
        if worst.as_ref().is_none_or(|worst| measured.spectral > worst.norm) {
            worst = Some(WorstTokens { id, tokens, norm: measured.spectral });
        }
    }
    Ok(worst)
}

/// Radii of smaller balls. The tokens found in a smaller ball lie in this ball too, and the norm at them may be larger
/// than at those that the search in this ball finds. The radii are powers of one number, so that balls of nearly the
/// same R try the same tokens, and the worst norm known seldom falls as R grows.
fn smaller_radii(hypotheses: &Hypotheses) -> impl Iterator<Item = f64> {
    let (step, most) = if hypotheses.n() <= FEW_TOKENS { (1.2f64, 10) } else { (1.25, 2) };
    let radius = hypotheses.radius;
    let last = (radius.ln() / step.ln()).floor();
    (0..=most).map(move |k| step.powf(last - f64::from(k))).filter(move |smaller| *smaller > 0.0 && *smaller < radius)
}

/// The tokens behind the lower bounds.
fn candidates(witnesses: &Witnesses) -> Result<Vec<(BoundId, TokenSource)>, InputError> {
    let mut found = Vec::with_capacity(4);
    if let Some(clusters) = &witnesses.two_clusters {
        found.push((BoundId::TwoClusters, clusters.token_source()?));
    }
    for (id, witness) in of_witnesses(witnesses) {
        found.push((id, witness.token_source()?));
    }
    Ok(found)
}

fn of_witnesses(witnesses: &Witnesses) -> impl Iterator<Item = (BoundId, &ClusterWitness)> {
    let Witnesses { sink, fork, centre, .. } = witnesses;
    [(BoundId::Sink, sink), (BoundId::Fork, fork), (BoundId::Centre, centre)]
        .into_iter()
        .filter_map(|(id, witness)| witness.as_ref().map(|witness| (id, witness)))
}

/// The tokens of a witness of the causal mask as a list; `None` for a list that would be too long.
fn in_order(witness: &ClusterWitness) -> Result<Option<TokenSource>, InputError> {
    let d = witness.positions.first().map_or(0, Vec::len);
    let count: f64 = witness.ln_sizes.iter().map(|ln| ln.exp()).sum();
    if count * d as f64 > MOST_LISTED {
        return Ok(None);
    }
    let entries = witness.tokens_in_order().concat();
    Ok(Some(TokenSource::Explicit(Rows::new(phrase!("tokens", "The tokens"), d, entries)?)))
}

/// The adversarial tokens as two clusters, the first token apart; `None` where A has no real eigenvalue.
fn adversarial(experiment: &Experiment, hypotheses: &Hypotheses) -> Result<Option<TokenSource>, InputError> {
    let Ball { weights, .. } = Ball::of(experiment)?;
    let Some(head) = weights.heads.first() else { return Ok(None) };
    let Ok(line) = AdversarialDirection::of(head.query_key()) else { return Ok(None) };
    let places = [line.first, line.others].map(|place| &line.direction * (place * hypotheses.radius));
    let entries = places.iter().flat_map(|place| place.iter().copied()).collect();
    Ok(Some(TokenSource::Clusters {
        positions: Rows::new(phrase!("positions", "The positions"), line.direction.len(), entries)?,
        log_multiplicities: vec![0.0, (hypotheses.n() - 1.0).ln()],
    }))
}

/// Clusters as a list, the smallest first: under the causal mask the first tokens are those that all others see. `None`
/// for a list that would be too long.
fn listed(source: &TokenSource) -> Result<Option<Rows>, InputError> {
    let TokenSource::Clusters { positions, log_multiplicities } = source else { return Ok(None) };
    let sizes: Vec<f64> = log_multiplicities.iter().map(|ln| ln.exp().round()).collect();
    if sizes.iter().sum::<f64>() * positions.n_columns() as f64 > MOST_LISTED {
        return Ok(None);
    }
    let mut clusters: Vec<(f64, &[f64])> = sizes.into_iter().zip(positions.iter()).collect();
    clusters.sort_by(|a, b| a.0.total_cmp(&b.0));
    let entries = clusters.iter().flat_map(|(size, place)| place.repeat(*size as usize)).collect();
    Rows::new(phrase!("tokens", "The tokens"), positions.n_columns(), entries).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{Side, all_bounds};
    use crate::experiment::{Distribution, RandomTokens, WeightSource};
    use crate::growth::hypotheses_of_ball;

    fn ball(n: usize, radius: f64, mask: Mask) -> (Experiment, Hypotheses) {
        let tokens = TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n, d: 2, radius, seed: 0 });
        let experiment = Experiment { mask, ..Experiment::of(tokens, WeightSource::Identity { sign: -1.0 }) };
        let hypotheses = hypotheses_of_ball(&experiment).expect("a ball").with_n(n as f64);
        (experiment, hypotheses)
    }

    fn found(n: usize, radius: f64, mask: Mask) -> WorstTokens {
        let (experiment, hypotheses) = ball(n, radius, mask);
        let witnesses = bounds_and_witnesses(&hypotheses).1;
        let worst = worst_tokens(&experiment, &hypotheses, &witnesses, Memory::default()).expect("it can be measured");
        worst.expect("some are known")
    }

    #[test]
    fn the_norm_is_at_least_the_lower_bounds_and_that_of_the_same_tokens() {
        for (n, radius, mask) in
            [(2, 1.5, Mask::None), (64, 2.0, Mask::None), (300, 1.5, Mask::None), (64, 2.0, Mask::Causal)]
        {
            let (experiment, hypotheses) = ball(n, radius, mask.clone());
            let worst = found(n, radius, mask.clone());
            let measured =
                measure_with(&Experiment { tokens: worst.tokens.clone(), ..experiment }, MeasureOptions::for_sweep());
            assert_eq!(measured.expect("it can be measured").spectral, worst.norm);
            // The envelope is about fewer tokens, too.
            let lower = all_bounds(&hypotheses)
                .into_iter()
                .filter(|bound| bound.side == Side::Lower && bound.id != BoundId::AdversarialEnvelope);
            let lower = lower.map(|bound| 10f64.powf(bound.log10)).fold(0.0, f64::max);
            assert!(worst.norm >= lower * (1.0 - 1e-12), "n = {n}, R = {radius}, {mask:?}: {} for {lower}", worst.norm);
        }
    }

    #[test]
    fn a_larger_ball_has_no_better_worst_tokens() {
        for (mask, slack) in [(Mask::None, 1e-3), (Mask::Causal, 0.04)] {
            for n in [2, 3, 4, 5, 8, 16, 64, 300] {
                let mut before = 0.0f64;
                for k in 1..=30 {
                    let norm = found(n, 0.1 * f64::from(k), mask.clone()).norm;
                    assert!(norm >= before * (1.0 - slack), "{mask:?}, n = {n}, R = 0.1 * {k}: {norm} after {before}");
                    before = before.max(norm);
                }
            }
        }
    }

    #[test]
    fn under_the_causal_mask_the_tokens_are_a_list_of_n() {
        let TokenSource::Explicit(rows) = found(64, 2.0, Mask::Causal).tokens else { panic!("a list") };
        assert_eq!((rows.n_rows(), rows.n_columns()), (64, 2));
        assert!(rows.iter().all(|token| token.iter().map(|x| x * x).sum::<f64>().sqrt() <= 2.0 + 1e-12));
    }

    #[test]
    fn without_lower_bounds_there_are_no_tokens() {
        let (experiment, hypotheses) = ball(8, 1.0, Mask::None);
        for other in [
            Experiment { attention: Attention::L2, ..experiment.clone() },
            Experiment { normalization: Normalization::Layer, ..experiment },
        ] {
            let witnesses = bounds_and_witnesses(&hypotheses).1;
            assert_eq!(worst_tokens(&other, &hypotheses, &witnesses, Memory::default()), Ok(None));
        }
    }
}
