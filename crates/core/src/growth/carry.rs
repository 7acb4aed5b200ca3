//! Tokens of one length carried to another: some are added, or some are left out, and the worst of these lists is kept.
//! Where no proof says that more tokens reach as much, this is the search for a list that does.

use nalgebra::DMatrix;

use super::candidates::{MOST_LISTED, has_order};
use super::worst::{MOST_OPERATIONS, WorstTokens, worst_of};
use crate::experiment::{Experiment, InputError, Memory, Rows, TokenSource};
use crate::measure::{self, MeasureOptions};
use crate::phrase;
use crate::tokens::random_tokens;

/// The worst list of n tokens that tokens of another length become, with the norm there. `None` where a norm takes too
/// long, where the list would be too long, and for tokens that depend on their number.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn carried(
    experiment: &Experiment,
    tokens: &TokenSource,
    n: usize,
    memory: Memory,
) -> Result<Option<WorstTokens>, InputError> {
    let options = MeasureOptions { memory, ..MeasureOptions::for_sweep() };
    let mut lists = lists(tokens, n, has_order(experiment))?;
    if let Some(tokens) = lists.first() {
        let one = measure::cost(&Experiment { tokens: tokens.clone(), ..experiment.clone() }, &options).operations;
        lists.truncate(usize::try_from(MOST_OPERATIONS / one.max(1)).unwrap_or(usize::MAX));
    }
    Ok(worst_of(experiment, lists, options))
}

/// The lists of n tokens, those first that are nearest to the given ones.
fn lists(tokens: &TokenSource, n: usize, has_order: bool) -> Result<Vec<TokenSource>, InputError> {
    match tokens {
        TokenSource::Clusters { positions, log_multiplicities } if !has_order => {
            Ok(sizes_at(log_multiplicities, n as f64)
                .into_iter()
                .map(|sizes| TokenSource::Clusters {
                    positions: positions.clone(),
                    log_multiplicities: sizes.into_iter().map(f64::ln).collect(),
                })
                .collect())
        }
        TokenSource::Explicit(rows) => rows_at(rows, n),
        TokenSource::Random(random) => rows_at(&rows_of(&random_tokens(random))?, n),
        TokenSource::Adversarial { radius, .. } => Ok(vec![TokenSource::Adversarial { n, radius: *radius }]),
        TokenSource::Clusters { .. } | TokenSource::Skew { .. } => Ok(Vec::new()),
    }
}

/// The sizes of the clusters at n tokens: those of before times one number, then with the change in one cluster alone.
fn sizes_at(log_multiplicities: &[f64], n: f64) -> Vec<Vec<f64>> {
    let sizes: Vec<f64> = log_multiplicities.iter().map(|ln| ln.exp().round()).collect();
    let total: f64 = sizes.iter().sum();
    let mut all = Vec::with_capacity(sizes.len() + 1);
    let mut even: Vec<f64> = sizes.iter().map(|size| (size * n / total).floor().max(1.0)).collect();
    let rest = n - even.iter().sum::<f64>();
    // What the rounding leaves goes to the largest cluster.
    if let Some(most) = even.iter_mut().max_by(|a, b| a.total_cmp(b)) {
        *most += rest;
    }
    all.push(even);
    for at in 0..sizes.len() {
        let mut changed = sizes.clone();
        changed[at] += n - total;
        all.push(changed);
    }
    all.retain(|sizes| sizes.iter().all(|size| *size >= 1.0));
    all
}

/// The lists of n tokens that a list becomes: with each token repeated as often as the others, with one token more
/// often, at the end or at the beginning; of fewer tokens the first ones, the last ones, and evenly spaced ones.
fn rows_at(rows: &Rows, n: usize) -> Result<Vec<TokenSource>, InputError> {
    let (of, d) = (rows.n_rows(), rows.n_columns());
    if of == 0 || n == 0 || (n * d) as f64 > MOST_LISTED {
        return Ok(Vec::new());
    }
    let lengths: Vec<f64> = rows.iter().map(|token| token.iter().map(|x| x * x).sum()).collect();
    let order = |better: fn(f64, f64) -> bool| {
        (1..of).fold(0, |best, at| if better(lengths[at], lengths[best]) { at } else { best })
    };
    let (longest, shortest) = (order(|a, b| a > b), order(|a, b| a < b));
    let (more, fewer) = (n.saturating_sub(of), of.saturating_sub(n));
    let evenly = |at: usize| at * of / n;
    let places: Vec<Box<dyn Fn(usize) -> usize>> = if more > 0 {
        let mut places: Vec<Box<dyn Fn(usize) -> usize>> = vec![Box::new(evenly)];
        let mut added = vec![of - 1, longest, shortest, 0];
        added.sort_unstable();
        added.dedup();
        for token in added {
            places.push(Box::new(move |at| if at < of { at } else { token }));
            places.push(Box::new(move |at| if at < more { token } else { at - more }));
        }
        places
    } else {
        vec![Box::new(|at| at), Box::new(move |at| at + fewer), Box::new(evenly)]
    };
    let list = |place: Box<dyn Fn(usize) -> usize>| {
        let entries = (0..n).flat_map(|at| rows.entries()[place(at) * d..][..d].iter().copied()).collect();
        Rows::new(phrase!("tokens", "The tokens"), d, entries).map(TokenSource::Explicit)
    };
    places.into_iter().map(list).collect()
}

fn rows_of(tokens: &DMatrix<f64>) -> Result<Rows, InputError> {
    Rows::new(phrase!("tokens", "The tokens"), tokens.nrows(), tokens.as_slice().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Distribution, Normalization, RandomTokens, WeightSource};
    use crate::measure::measure_with;

    fn random(n: usize) -> TokenSource {
        TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n, d: 2, radius: 1.5, seed: 3 })
    }

    #[test]
    fn carried_tokens_are_as_many_as_asked_for_and_the_norm_is_theirs() {
        let clusters = TokenSource::Clusters {
            positions: Rows::new("positions", 2, vec![1.5, 0.0, -1.5, 0.0, 0.0, 0.1]).expect("numbers"),
            log_multiplicities: vec![0.0, 6f64.ln(), 2f64.ln()],
        };
        let experiment = Experiment {
            normalization: Normalization::Rms,
            ..Experiment::of(random(9), WeightSource::Identity { sign: -1.0 })
        };
        for tokens in [random(9), clusters] {
            for n in [3, 8, 9, 10, 40] {
                let found = carried(&experiment, &tokens, n, Memory::default()).expect("valid").expect("some");
                assert_eq!(found.tokens.n_tokens(), n as f64, "{tokens:?}");
                let at = Experiment { tokens: found.tokens, ..experiment.clone() };
                let measured = measure_with(&at, MeasureOptions::for_sweep()).expect("it can be measured");
                assert_eq!(measured.spectral, found.norm);
            }
        }
    }

    #[test]
    fn a_multiple_of_the_tokens_reaches_as_much_and_adversarial_tokens_stay_adversarial() {
        let experiment = Experiment::of(random(9), WeightSource::Identity { sign: -1.0 });
        let norm = |tokens: &TokenSource| {
            let at = Experiment { tokens: tokens.clone(), ..experiment.clone() };
            measure_with(&at, MeasureOptions::for_sweep()).expect("it can be measured").spectral
        };
        let twice = carried(&experiment, &random(9), 18, Memory::default()).expect("valid").expect("some");
        assert!(twice.norm >= norm(&random(9)) * (1.0 - 1e-9));
        let tokens = TokenSource::Adversarial { n: 5, radius: 2.0 };
        let found = carried(&experiment, &tokens, 7, Memory::default()).expect("valid").expect("some");
        assert_eq!(found.tokens, TokenSource::Adversarial { n: 7, radius: 2.0 });
        let skew = TokenSource::Skew { n: 5, radius: 2.0 };
        assert_eq!(carried(&experiment, &skew, 7, Memory::default()).expect("valid"), None);
    }
}
