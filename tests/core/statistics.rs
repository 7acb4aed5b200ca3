//! The largest score, the entropies of rows and the column sums of a map, against their definitions.

use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Attention, Mask, Order, Rows, Score, Steps};
use lipscope_core::random::{Random, Stream};
use lipscope_core::weights::{HeadWeights, Weights};
use nalgebra::DMatrix;

const N: usize = 9;
const D: usize = 4;
const K: usize = 3;

/// The score of two tokens by its definition.
fn score(
    attention: Attention,
    score: &Score,
    head: &HeadWeights,
    tokens: &DMatrix<f64>,
    (i, j): (usize, usize),
) -> f64 {
    let (q, k) = (&head.q * tokens.column(i), &head.k * tokens.column(j));
    let plain = match attention {
        Attention::L2 => -(q - k).norm_squared(),
        _ => q.dot(&k),
    };
    let plain = plain / (K as f64).sqrt();
    let capped = score.softcap.map_or(plain, |tau| tau * (plain / tau).tanh());
    capped + score.bias.as_ref().map_or(0.0, |bias| bias.entries()[i * N + j])
}

fn check(name: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{name}: {found} for {expected}");
}

#[test]
fn the_numbers_of_a_map_are_those_of_its_scores() {
    let mut random = Random::new(3, Stream::Tokens);
    let mut drawn = |rows: usize, columns: usize| DMatrix::from_fn(rows, columns, |_, _| random.normal());
    let head = HeadWeights { q: drawn(K, D), k: drawn(K, D), v: drawn(K, D), second: None };
    let weights = Weights { heads: vec![head.clone()], shared: Vec::new(), output: None, l2_mha: None };
    let spread = drawn(D, N);
    let bias = Rows::new("bias", N, drawn(N, N).as_slice().to_vec()).expect("a table");
    let scores = [
        Score::default(),
        Score { softcap: Some(1.5), ..Score::default() },
        Score { bias: Some(bias), ..Score::default() },
    ];
    let masks = [Mask::None, Mask::Causal, Mask::Window { width: 3, order: Order::Causal }];
    for attention in [Attention::Dot, Attention::L2] {
        for mask in &masks {
            for of_score in &scores {
                // An offset of all tokens, and distances at which the square is not expanded.
                for (offset, scale, tolerance) in [(0.0, 1.0, 1e-13), (30.0, 1.0, 1e-10), (0.0, 30.0, 1e-10)] {
                    let name = format!("{attention:?} {mask:?} {of_score:?} {offset} {scale}");
                    let tokens = spread.map(|x| offset + scale * x);
                    let steps = Steps { mask: mask.clone(), score: of_score.clone(), ..Steps::plain() };
                    let forward = Forward::with_steps(attention, &steps, &weights, &tokens).expect("finite");
                    check_map(&name, &forward, mask, tolerance, |i, j| {
                        score(attention, of_score, &head, &tokens, (i, j))
                    });
                }
            }
        }
    }
}

fn check_map(name: &str, forward: &Forward<f64>, mask: &Mask, tolerance: f64, score: impl Fn(usize, usize) -> f64) {
    let (mut most, mut entropies, mut columns) = (f64::NEG_INFINITY, Vec::new(), [0.0; N]);
    for i in 0..N {
        let seen: Vec<(usize, f64)> = (0..N).filter(|j| mask.allows(i, *j)).map(|j| (j, score(i, j))).collect();
        let top = seen.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = seen.iter().map(|(_, score)| (score - top).exp()).sum();
        most = most.max(top);
        seen.iter().for_each(|(j, score)| columns[*j] += (score - top).exp() / sum);
        let entropy: f64 = seen.iter().map(|(_, score)| (score - top).exp() / sum * (top + sum.ln() - score)).sum();
        if seen.len() > 1 {
            entropies.push(entropy / (seen.len() as f64).ln());
        }
    }
    check(&format!("{name}: largest score"), forward.max_logit(0).expect("a score"), most, tolerance);
    let found = forward.row_entropies(0).expect("rows with two tokens");
    // A weight has the relative error of its score's absolute one.
    let within = tolerance * most.abs().max(1e3);
    check(&format!("{name}: mean entropy"), found.mean, entropies.iter().sum::<f64>() / entropies.len() as f64, within);
    check(&format!("{name}: least entropy"), found.least, entropies.into_iter().fold(f64::INFINITY, f64::min), within);
    for (found, expected) in forward.column_sums(0).into_iter().zip(columns) {
        check(&format!("{name}: column sum"), found, expected, within);
    }
}

#[test]
fn one_token_has_a_score_and_no_entropy() {
    let identity = DMatrix::identity(2, 2);
    let head = HeadWeights { q: identity.clone(), k: identity.clone(), v: identity, second: None };
    let weights = Weights { heads: vec![head], shared: Vec::new(), output: None, l2_mha: None };
    let tokens = DMatrix::from_row_slice(2, 1, &[3.0, 4.0]);
    let forward = Forward::with_steps(Attention::Dot, &Steps::plain(), &weights, &tokens).expect("finite");
    check("score", forward.max_logit(0).expect("a score"), 25.0 / 2f64.sqrt(), 1e-14);
    assert_eq!((forward.row_entropies(0), forward.column_sums(0)), (None, vec![1.0]));
}
