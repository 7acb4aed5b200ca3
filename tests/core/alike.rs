//! Weights that are multiples of the identity: the computations left out for them change no bound.

use lipscope_core::bounds::{Bound, BoundId, Domain, FORK, LOCAL, SINK, TWO_CLUSTERS, Witness};
use lipscope_core::experiment::Experiment;
use lipscope_core::measure::{Measurement, measure};
use lipscope_core::random::{Random, Stream};
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// Tokens of three numbers, their images under an isometry into d dimensions, and the d x 3 matrix of the isometry.
fn tokens_and_images(n: usize, d: usize, seed: u64) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut random = Random::new(seed, Stream::Tokens);
    let tokens = DMatrix::from_fn(3, n, |_, _| 1.2 * random.normal());
    let isometry = DMatrix::from_fn(d, 3, |_, _| random.normal()).qr().q();
    let images = isometry * &tokens;
    (tokens, images)
}

/// With Q = d^(1/4) I, K = s Q and V = -2 I the scores of both kernels depend on the tokens' products alone, whatever
/// d.
fn measured(tokens: &DMatrix<f64>, sign: f64, setting: &Value) -> Measurement {
    let rows: Vec<Vec<f64>> = tokens.column_iter().map(|token| token.iter().copied().collect()).collect();
    let d = tokens.nrows();
    let multiple = |factor: f64| -> Vec<Vec<f64>> {
        (0..d).map(|row| (0..d).map(|col| if row == col { factor } else { 0.0 }).collect()).collect()
    };
    let root = (d as f64).powf(0.25);
    let head = json!({"q": multiple(root), "k": multiple(sign * root), "v": multiple(-2.0)});
    let mut value = setting.clone();
    value["tokens"] = json!({"source": "explicit", "rows": rows});
    value["weights"] = json!({"source": "explicit", "heads": [head]});
    measure(&Experiment::from_value(value).expect("a valid experiment")).expect("measured")
}

fn value(found: &Measurement, id: BoundId) -> Option<f64> {
    found.bounds.iter().find(|bound| bound.id == id).and_then(|bound| bound.value)
}

/// With A = s I, an isometry of the tokens into more dimensions changes no bound. In 200 dimensions the engine
/// decomposes no matrix of that size; in 3 and in 60 it decomposes all. The bounds must agree.
#[test]
fn the_bounds_of_tokens_do_not_depend_on_the_dimensions_around_them() {
    for (seed, n) in [(1, 2), (2, 3), (3, 17), (4, 60)] {
        for sign in [-1.0, 1.0] {
            for (attention, mask) in [("dot", "none"), ("dot", "causal"), ("l2", "none"), ("l2", "causal")] {
                let setting = json!({"attention": attention, "mask": mask});
                let (tokens, images) = tokens_and_images(n, 200, seed);
                let (few, many) = (measured(&tokens, sign, &setting), measured(&images, sign, &setting));
                let (_, images) = tokens_and_images(n, 60, seed);
                let between = measured(&images, sign, &setting);
                let case = format!("n={n} sign={sign} {attention} {mask}");
                let ids = |found: &Measurement| found.bounds.iter().map(|bound| bound.id).collect::<Vec<_>>();
                assert_eq!((ids(&few), ids(&between)), (ids(&many), ids(&many)), "{case}");
                for Bound { id, .. } in &many.bounds {
                    let of = |found: &Measurement| value(found, id).expect("in range");
                    // A pattern search ends at a maximum to a few digits, from wherever it starts; large matrices of
                    // the bounds at the tokens are themselves bounded from above instead of decomposed. What bounds add
                    // for rounding grows with the dimension.
                    let digits = if *id == &FORK { 1e-4 } else { 1e-9 };
                    let slack = if id.domain() == Domain::Tokens { 0.1 } else { digits };
                    let above = if n <= 8 { digits } else { slack };
                    let ratio = of(&many) / of(&few);
                    assert!((1.0 - digits..1.0 + above).contains(&ratio), "{case} {id:?}: {ratio} of {}", of(&few));
                    let ratio = of(&many) / of(&between);
                    assert!((1.0 - slack..1.0 + above).contains(&ratio), "{case} {id:?}: {ratio} of {}", of(&between));
                }
                assert!(many.spectral >= few.spectral * (1.0 - 1e-12), "{case}");
                assert!(many.spectral <= value(&many, &LOCAL).expect("in range") * (1.0 + 1e-12), "{case}");
                let limits = (few.large_radius_limit, many.large_radius_limit);
                let (few, many) = (limits.0.expect("a limit"), limits.1.expect("a limit"));
                assert!((few - many).abs() <= 1e-12 * few, "{case}: {many} for {few}");
            }
        }
    }
}

/// The tokens that prove a lower bound have the dimension of the experiment, and the norm at these tokens is the bound.
#[test]
fn witnesses_are_tokens_of_the_experiments_dimension() {
    let (_, images) = tokens_and_images(5, 90, 7);
    let rows: Vec<Vec<f64>> = images.column_iter().map(|token| token.iter().copied().collect()).collect();
    let mut experiment = Experiment::from_value(json!({
        "tokens": {"source": "explicit", "rows": rows}, "weights": {"source": "identity", "sign": -1},
    }))
    .expect("a valid experiment");
    let found = measure(&experiment).expect("measured");
    for id in [&SINK, &FORK] {
        let witness = found.witnesses.get(id).and_then(Witness::clusters).expect("it applies");
        assert!(witness.positions.iter().all(|position| position.len() == 90));
        experiment.tokens = witness.token_source().expect("finite");
        let exact = measure(&experiment).expect("measured").spectral;
        assert!((witness.norm..witness.norm * (1.0 + 1e-9)).contains(&(exact * (1.0 + 1e-12))), "{exact}");
    }
    assert_eq!(found.witnesses.get(&TWO_CLUSTERS).expect("it applies").token_source().expect("finite").n_tokens(), 5.0);
}

/// An entry of 1e-300 off the diagonal does not change the numbers, but the matrices are then stored, multiplied and
/// decomposed as any other.
#[test]
fn norms_and_bounds_are_those_of_matrices_that_are_decomposed() {
    let (n, d) = (3, 80);
    let (_, images) = tokens_and_images(n, d, 11);
    let rows: Vec<Vec<f64>> = images.column_iter().map(|token| token.iter().copied().collect()).collect();
    let multiple = |factor: f64, off: f64| -> Vec<Vec<f64>> {
        let entry = |row: usize, col: usize| {
            if row == col {
                factor
            } else if (row, col) == (0, 1) {
                off
            } else {
                0.0
            }
        };
        (0..d).map(|row| (0..d).map(|col| entry(row, col)).collect()).collect()
    };
    for (attention, mask) in [("dot", "none"), ("dot", "causal"), ("l2", "none")] {
        let [found, decomposed] = [0.0, 1e-300].map(|off| {
            let head = json!({"q": multiple(2.0, off), "k": multiple(-4.0, off), "v": multiple(1.5, off)});
            let experiment = Experiment::from_value(json!({
                "attention": attention, "mask": mask, "tokens": {"source": "explicit", "rows": rows},
                "weights": {"source": "explicit", "heads": [head]},
            }));
            measure(&experiment.expect("a valid experiment")).expect("measured")
        });
        assert!(
            (found.spectral / decomposed.spectral - 1.0).abs() < 1e-11,
            "{} {}",
            found.spectral,
            decomposed.spectral
        );
        for bound in &found.bounds {
            let other = value(&decomposed, bound.id).expect("it applies");
            let ratio = bound.value.expect("in range") / other;
            let (least, most) = match (bound.id, bound.id.domain()) {
                (id, _) if id == &FORK => (1.0 - 1e-4, 1.0 + 1e-4),
                (_, Domain::Tokens) => (0.9, 1.0 + 1e-11),
                _ => (1.0 - 1e-11, 1.0 + 1e-11),
            };
            assert!((least..most).contains(&ratio), "{attention} {mask} {:?}: {ratio} of {other}", bound.id);
        }
    }
}
