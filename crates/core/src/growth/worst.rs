//! The worst tokens known of a ball, with the norm at them: those behind the lower bounds, or where no proof names any
//! those of `candidates`, measured.

use serde::{Deserialize, Serialize};

use super::ball::Ball;
use super::candidates::{
    MOST_LISTED, candidates, clusters, clusters_of, directions, has_order, list, listed, reversed,
};
use crate::bounds::{Hypotheses, Witness, Witnesses, bounds_and_witnesses, causal_witnesses};
use crate::experiment::{
    Attention, Distribution, Experiment, InputError, Mask, MaskKind, Memory, Normalization, RandomTokens, Rows, Scope,
    TokenSource,
};
use crate::measure::{self, MeasureOptions, measure_with};
use crate::phrase;
use crate::tokens::AdversarialDirection;

/// Tokens of a ball, and the norm at them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstTokens {
    /// The tokens: a list where their order counts, else clusters.
    pub tokens: TokenSource,
    /// ||J||_2 at these tokens. For dot-product attention without further steps and without a mask it is at least the
    /// lower bounds that have tokens.
    pub norm: f64,
}

/// Up to this many tokens the witnesses of many smaller balls are tried.
const FEW_TOKENS: f64 = 16.0;
/// About how many operations the norms at all candidates may take together: some hundredths of a second, and enough for
/// the 256 tokens at which a sweep usually ends.
pub(super) const MOST_OPERATIONS: u64 = 1_000_000_000;
/// Where fewer candidates than this can be measured, none is: the largest of so few norms says little.
const FEWEST_CANDIDATES: u64 = 4;

/// The worst of the tokens that are known in the ball of `hypotheses`, which are those of `experiment`: of those behind
/// the lower bounds for dot-product attention without further steps and normaliser, of `candidates` elsewhere. `None`
/// where none are tried: for a list that would be too long, where a norm takes too long, and where a table of the mask or of
/// biases is about another number of tokens.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn worst_tokens(
    experiment: &Experiment,
    hypotheses: &Hypotheses,
    witnesses: &Witnesses,
    memory: Memory,
) -> Result<Option<WorstTokens>, InputError> {
    // A table says nothing about other numbers of tokens.
    if hypotheses.table_size().is_some_and(|size| size as f64 != hypotheses.n().round()) {
        return Ok(None);
    }
    let options = MeasureOptions { memory, ..MeasureOptions::for_sweep() };
    let tried = if experiment.has_proved_witnesses() {
        proved(experiment, hypotheses, witnesses)?
    } else {
        let ball = Ball::of(experiment)?;
        let most = number_measured(experiment, &ball, hypotheses.n(), &options);
        if most < FEWEST_CANDIDATES {
            return Ok(None);
        }
        let radii = radii(experiment, hypotheses);
        let mut all = candidates(experiment, &ball, &radii, hypotheses.ln_n, witnesses)?;
        all.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        all
    };
    Ok(worst_of(experiment, tried, options))
}

/// The tokens with the largest norm. Tokens whose norm overflows, or takes more memory than there is, are left out.
pub(super) fn worst_of(
    experiment: &Experiment,
    tried: impl IntoIterator<Item = TokenSource>,
    options: MeasureOptions,
) -> Option<WorstTokens> {
    let mut worst: Option<WorstTokens> = None;
    for tokens in tried {
        let Ok(measured) = measure_with(&Experiment { tokens: tokens.clone(), ..experiment.clone() }, options) else {
            continue;
        };
        if worst.as_ref().is_none_or(|worst| measured.spectral > worst.norm) {
            worst = Some(WorstTokens { tokens, norm: measured.spectral });
        }
    }
    worst
}

impl Experiment {
    /// Whether proofs name bad tokens of a ball: for dot-product attention without further steps and normaliser.
    #[must_use]
    #[doc(hidden)]
    pub fn has_proved_witnesses(&self) -> bool {
        self.is_plain() && self.attention == Attention::Dot && self.normalization == Normalization::None
    }
}

/// The tokens behind the lower bounds of attention without further steps.
fn proved(
    experiment: &Experiment,
    hypotheses: &Hypotheses,
    witnesses: &Witnesses,
) -> Result<Vec<TokenSource>, InputError> {
    // What is proved without a mask is proved for tokens that all see each other. The norm of the same tokens under the
    // causal mask is another one, but it is measured.
    let mut open = hypotheses.clone();
    open.mask = MaskKind::None;
    let ball = (experiment.mask == Mask::Causal).then(|| Ball::of(experiment)).transpose()?;
    let mut found = match &ball {
        None => clusters_of(witnesses)?,
        Some(ball) => {
            let mut all = clusters_of(&bounds_and_witnesses(&open).1)?;
            all.extend(adversarial(ball, hypotheses)?);
            all
        }
    };
    for radius in smaller_radii(hypotheses.radius, hypotheses.n()).take(most_balls(hypotheses)) {
        found.extend(clusters_of(&bounds_and_witnesses(&open.with_radius(radius)).1)?);
    }
    let Some(ball) = ball else { return Ok(found) };
    let lists = found.iter().map(listed).collect::<Result<Vec<_>, _>>()?;
    let mut lists: Vec<Rows> = lists.into_iter().flatten().collect();
    for (_, witness) in causal_witnesses(hypotheses).iter() {
        lists.extend(in_order(witness)?);
    }
    if hypotheses.n() <= FEW_TOKENS {
        // Behind the few others the last token sees most, so that the rows of both orders differ much.
        let turned = lists.iter().map(reversed).collect::<Result<Vec<_>, _>>()?;
        lists.extend(turned);
        lists.extend(last_tokens(experiment, &ball, hypotheses)?);
    }
    Ok(lists.into_iter().map(TokenSource::Explicit).collect())
}

/// The tokens of a witness of the causal mask; `None` for a list that would be too long.
fn in_order(witness: &Witness) -> Result<Option<Rows>, InputError> {
    let Witness::Clusters(witness) = witness else { return Ok(None) };
    let d = witness.positions.first().map_or(0, Vec::len);
    let count: f64 = witness.ln_sizes.iter().map(|ln| ln.exp()).sum();
    if count * d as f64 > MOST_LISTED {
        return Ok(None);
    }
    Rows::new(phrase!("tokens", "The tokens"), d, witness.tokens_in_order().concat()).map(Some)
}

/// How many candidates can be measured within [`MOST_OPERATIONS`].
fn number_measured(experiment: &Experiment, ball: &Ball, n: f64, options: &MeasureOptions) -> u64 {
    let d = ball.weights.d();
    let tokens = if !has_order(experiment) {
        const PLACES: usize = 3;
        let positions = Rows::new(phrase!("positions", "The positions"), d, vec![0.0; PLACES * d]);
        positions.map(|positions| TokenSource::Clusters { positions, log_multiplicities: vec![n.ln(); PLACES] }).ok()
    } else if n * d as f64 <= MOST_LISTED {
        let n = n.round() as usize;
        Some(TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n, d, radius: 1.0, seed: 0 }))
    } else {
        None
    };
    let one = tokens.map(|tokens| measure::cost(&Experiment { tokens, ..experiment.clone() }, options).operations);
    one.map_or(0, |one| MOST_OPERATIONS / one.max(1))
}

/// Radii of smaller balls. The tokens found in a smaller ball lie in this ball too, and the norm at them may be larger
/// than at those that the search in this ball finds. The radii are powers of one number, so that balls of nearly the
/// same R try the same tokens, and the worst norm known seldom falls as R grows.
fn smaller_radii(radius: f64, n: f64) -> impl Iterator<Item = f64> {
    let (step, most) = if n <= FEW_TOKENS { (1.2f64, 10) } else { (1.25, 2) };
    let last = (radius.ln() / step.ln()).floor();
    (0..=most).map(move |k| step.powf(last - f64::from(k))).filter(move |smaller| *smaller > 0.0 && *smaller < radius)
}

/// The radii of the balls whose tokens are tried, that of the bounds first. Behind a normaliser it is the length that tokens
/// are left, so that the same ones are tried whatever R is; in scope `composed` also those that are so short that its
/// slope is near its largest.
fn radii(experiment: &Experiment, hypotheses: &Hypotheses) -> Vec<f64> {
    let largest = hypotheses.radius;
    let steep = (experiment.scope() == Scope::Composed).then(|| largest * experiment.eps.sqrt());
    let all = [largest].into_iter().chain(steep).chain(smaller_radii(largest, hypotheses.n()));
    all.filter(|radius| *radius > 0.0).take(most_balls(hypotheses)).collect()
}

/// In how many balls tokens are looked for: the search for two clusters takes each head by itself.
fn most_balls(hypotheses: &Hypotheses) -> usize {
    const MOST_SEARCHES: usize = 64;
    (MOST_SEARCHES / hypotheses.heads.len().max(1)).max(1)
}

/// Few tokens of which the last is elsewhere on a line through the others: the others at R u, or half of them at -R u,
/// and the last where its weights are even or nearly so. Alone the last row of the causal mask sees all tokens.
fn last_tokens(experiment: &Experiment, ball: &Ball, hypotheses: &Hypotheses) -> Result<Vec<Rows>, InputError> {
    const PLACES: [f64; 5] = [0.0, -0.25, 0.25, -0.5, 0.5];
    let largest = hypotheses.radius;
    let n = hypotheses.n().round() as usize;
    let mut found = Vec::new();
    for u in directions(experiment, ball) {
        let all = PLACES.map(|place| (largest, place * largest));
        for (radius, last) in all.into_iter().chain(smaller_radii(largest, hypotheses.n()).map(|radius| (radius, 0.0)))
        {
            found.push(list(&u, n, |at| if at + 1 == n { last } else { radius })?);
            if n > 2 {
                let side = |at: usize| if at.is_multiple_of(2) { radius } else { -radius };
                found.push(list(&u, n, |at| if at + 1 == n { last } else { side(at) })?);
            }
        }
    }
    Ok(found)
}

/// The adversarial tokens as two clusters, the first token apart; `None` where A has no real eigenvalue.
fn adversarial(ball: &Ball, hypotheses: &Hypotheses) -> Result<Option<TokenSource>, InputError> {
    let Some(head) = ball.weights.heads.first() else { return Ok(None) };
    let Ok(line) = AdversarialDirection::of(head.query_key()) else { return Ok(None) };
    let places = [line.first, line.others].map(|place| place * hypotheses.radius);
    clusters(&line.direction, &places, vec![0.0, (hypotheses.n() - 1.0).ln()]).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{ADVERSARIAL_ENVELOPE, Norm, Side, all_bounds, best_upper};
    use crate::experiment::{Preset, WeightSource};
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
                .filter(|bound| bound.side == Side::Lower && bound.id != &ADVERSARIAL_ENVELOPE);
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
    fn the_last_of_a_few_tokens_under_the_causal_mask_sees_the_others_evenly() {
        // Two tokens at R u and 0: the second row has weights of 1/2 and the covariance R^2/4, so that the norm is at
        // least R^2/4 - 1/2. Three, with the others at R u and -R u: 2 R^2/3 - 1/3.
        for (n, least) in [(2, 99.5), (3, 2.0 * 400.0 / 3.0 - 1.0 / 3.0)] {
            let worst = found(n, 20.0, Mask::Causal).norm;
            assert!(worst >= least * (1.0 - 1e-12), "n = {n}: {worst} for {least}");
        }
    }

    #[test]
    fn behind_a_normalizer_the_worst_tokens_known_are_the_same_whatever_r_is() {
        for normalization in [Normalization::Rms, Normalization::Layer] {
            for normalization_scope in [Scope::Inputs, Scope::Composed] {
                for (n, mask) in [(2, Mask::None), (9, Mask::None), (9, Mask::Causal), (64, Mask::None)] {
                    let at = |radius: f64| {
                        let (experiment, _) = ball(n, radius, mask.clone());
                        let experiment = Experiment { normalization, normalization_scope, ..experiment };
                        let hypotheses = hypotheses_of_ball(&experiment).expect("a ball").with_n(n as f64);
                        worst_tokens(&experiment, &hypotheses, &Witnesses::default(), Memory::default())
                            .expect("it can be measured")
                            .expect("some are tried")
                    };
                    assert_eq!(at(0.01), at(1.5), "{normalization:?} {normalization_scope:?} {n} {mask:?}");
                    assert_eq!(at(1.5), at(40.0), "{normalization:?} {normalization_scope:?} {n} {mask:?}");
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

    /// The experiment with a preset's kernel and steps, and the norm at a list of its tokens.
    fn of_preset(preset: Preset, n: usize) -> (Experiment, Hypotheses) {
        let (experiment, _) = ball(n, 1.5, Mask::None);
        let (attention, steps) = preset.attention();
        let experiment = Experiment { attention, ..experiment }.with_steps(steps);
        let hypotheses = hypotheses_of_ball(&experiment).expect("a ball").with_n(n as f64);
        (experiment, hypotheses)
    }

    fn norm_at(experiment: &Experiment, tokens: TokenSource) -> f64 {
        let at = Experiment { tokens, ..experiment.clone() };
        measure_with(&at, MeasureOptions::for_sweep()).expect("it can be measured").spectral
    }

    #[test]
    fn with_every_preset_the_worst_known_are_no_better_than_adversarial_equal_or_opposed_tokens() {
        let n = 64;
        for preset in Preset::ALL {
            let (experiment, hypotheses) = of_preset(preset, n);
            let witnesses = bounds_and_witnesses(&hypotheses).1;
            let worst = worst_tokens(&experiment, &hypotheses, &witnesses, Memory::default());
            let worst = worst.expect("it can be measured").expect("some are tried");
            assert_eq!(norm_at(&experiment, worst.tokens.clone()), worst.norm, "{}", preset.id());
            if let TokenSource::Explicit(rows) | TokenSource::Clusters { positions: rows, .. } = &worst.tokens {
                let longest = rows.iter().map(|token| token.iter().map(|x| x * x).sum::<f64>().sqrt());
                assert!(longest.fold(0.0, f64::max) <= 1.5 * (1.0 + 1e-9), "{}", preset.id());
            }
            let at = |sign: &dyn Fn(usize) -> f64| {
                let entries = (0..n).flat_map(|at| [1.5 * sign(at), 0.0]).collect();
                TokenSource::Explicit(Rows::new("tokens", 2, entries).expect("numbers"))
            };
            for (name, tokens) in [
                ("adversarial", at(&|at| if at == 0 { -1.0 } else { 1.0 })),
                ("equal", at(&|_| 1.0)),
                ("alternating", at(&|at| if at % 2 == 0 { -1.0 } else { 1.0 })),
                ("one at zero", at(&|at| if at == 0 { 0.0 } else { 1.0 })),
            ] {
                // A ReLU weight has no derivative at a score of 0.
                let at = Experiment { tokens, ..experiment.clone() };
                let norm = match measure_with(&at, MeasureOptions::for_sweep()) {
                    Err(InputError::NoDerivative { .. }) => continue,
                    found => found.expect("it can be measured").spectral,
                };
                assert!(worst.norm >= norm * (1.0 - 1e-9), "{}: {} for {norm} of {name}", preset.id(), worst.norm);
            }
            // The adversarial tokens, turned back: 9.1435 in float64 elsewhere. As they are they reach 3.1.
            assert!(preset != Preset::Llama || worst.norm > 9.14, "{}", worst.norm);
            let upper = best_upper(&all_bounds(&hypotheses), Norm::Spectral).map(|bound| bound.log10);
            assert!(upper.is_none_or(|upper| worst.norm.log10() <= upper + 1e-9), "{}", preset.id());
        }
    }

    #[test]
    fn other_kernels_and_normalizers_have_their_tokens_too() {
        let (experiment, _) = ball(8, 1.0, Mask::None);
        for other in [
            Experiment { attention: Attention::L2, ..experiment.clone() },
            Experiment { normalization: Normalization::Layer, ..experiment.clone() },
            Experiment { normalization: Normalization::Rms, mask: Mask::Causal, ..experiment },
        ] {
            let hypotheses = hypotheses_of_ball(&other).expect("a ball").with_n(8.0);
            let worst = worst_tokens(&other, &hypotheses, &Witnesses::default(), Memory::default());
            let worst = worst.expect("it can be measured").expect("some are tried");
            assert_eq!(norm_at(&other, worst.tokens), worst.norm);
        }
    }

    #[test]
    fn none_are_tried_where_a_norm_takes_too_long() {
        for (n, is_tried) in [(64, true), (4096, false)] {
            let (experiment, hypotheses) = of_preset(Preset::Llama, n);
            let worst = worst_tokens(&experiment, &hypotheses, &Witnesses::default(), Memory::default());
            assert_eq!(worst.expect("it can be measured").is_some(), is_tried, "n = {n}");
        }
        // Clusters cost the same at every n.
        let (experiment, hypotheses) = of_preset(Preset::OffByOne, 64);
        let far = hypotheses.with_n(1e12);
        assert!(worst_tokens(&experiment, &far, &Witnesses::default(), Memory::default()).is_ok_and(|w| w.is_some()));
    }
}
