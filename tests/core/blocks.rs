//! The norms of the Jacobian's blocks, three ways: against the dense matrix, against products of the operator with unit
//! vectors, and against differences of the map itself.

use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator, dense_jacobian};
use lipscope_core::measure::measure;
use lipscope_core::picture::{BlockNorming, BlockPicture, BlockPlan, MOST_BLOCKS_A_SIDE};
use lipscope_core::spectrum::{Places, SpectrumMap};
use lipscope_core::weights::inputs;
use lipscope_testkit::drawn::drawn;
use nalgebra::DMatrix;
use proptest::prelude::*;
use serde_json::{Value, json};

fn experiment(value: Value) -> Experiment {
    Experiment::from_value(value).expect("valid")
}

fn picture(experiment: &Experiment, map: SpectrumMap) -> BlockPicture {
    let plan = BlockPlan { experiment: experiment.clone(), map };
    let mut norming = BlockNorming::start_within(&plan, Memory::default()).expect("a plan");
    loop {
        if let Some(picture) = norming.step().expect("norms") {
            return picture;
        }
    }
}

fn forward(experiment: &Experiment) -> Forward<f64> {
    Forward::new(experiment, &inputs(experiment).expect("inputs")).expect("a forward pass")
}

fn norm(block: DMatrix<f64>) -> f64 {
    block.singular_values().max()
}

/// The matrix of the operator, a product with a unit vector for each column.
fn by_products(forward: Forward<f64>) -> DMatrix<f64> {
    let mut operator = JacobianOperator::new(forward);
    let (rows, columns) = (operator.n_outputs(), operator.n_inputs());
    let mut matrix = DMatrix::zeros(rows, columns);
    for at in 0..columns {
        let mut unit = vec![0.0; columns];
        unit[at] = 1.0;
        operator.apply(&unit, matrix.column_mut(at).as_mut_slice());
    }
    matrix
}

proptest! {
    #[test]
    fn each_norm_is_that_of_the_dense_block_and_of_the_operators_block(case in drawn(&["dot", "l2"])) {
        let experiment = case.experiment();
        let forward = forward(&experiment);
        let (n, d, d_out) = (forward.n(), forward.d(), forward.d_out());
        let found = picture(&experiment, SpectrumMap::Attention);
        prop_assert_eq!((found.places, found.n, found.side), (Places::Tokens, n, n));
        let (dense, products) = (dense_jacobian(&forward), by_products(forward));
        for i in 0..n {
            for j in 0..n {
                let of = |matrix: &DMatrix<f64>| norm(matrix.view((i * d_out, j * d), (d_out, d)).into_owned());
                let own = found.norm((i, j)).expect("a norm");
                prop_assert!((own - of(&dense)).abs() <= 1e-12 * dense.norm(), "{} {}: {} {}", i, j, own, of(&dense));
                prop_assert!((own - of(&products)).abs() <= 1e-9 * products.norm().max(1.0), "{} {}: {} {}", i, j, own, of(&products));
            }
        }
    }
}

#[test]
fn a_norm_is_the_most_that_one_output_moves_as_one_token_does() {
    for (attention, mask) in [("dot", "none"), ("dot", "causal"), ("l2", "none")] {
        let experiment = experiment(json!({
            "attention": attention, "mask": mask,
            "tokens": {"source": "random", "distribution": "ball", "n": 6, "d": 2, "radius": 1.5, "seed": 4},
            "weights": {"source": "random", "heads": 1, "head_dim": 2, "seed": 2},
        }));
        let found = picture(&experiment, SpectrumMap::Attention);
        let inputs = inputs(&experiment).expect("inputs");
        let output = |tokens: &DMatrix<f64>| Forward::<f64>::at(&experiment, &inputs, tokens).expect("a pass").output();
        let (step, directions) = (1e-6, 720);
        for i in 0..6 {
            for j in 0..6 {
                let moved = |angle: f64| {
                    let by = |sign: f64| {
                        let mut tokens = inputs.tokens.clone();
                        tokens[(0, j)] += sign * step * angle.cos();
                        tokens[(1, j)] += sign * step * angle.sin();
                        output(&tokens).column(i).into_owned()
                    };
                    (by(1.0) - by(-1.0)).norm() / (2.0 * step)
                };
                let turn = std::f64::consts::PI / f64::from(directions);
                let most = (0..directions).map(|at| moved(f64::from(at) * turn)).fold(0.0, f64::max);
                let own = found.norm((i, j)).expect("a norm");
                assert!((own - most).abs() < 1e-4 * own.max(1e-3), "{attention} {mask} {i} {j}: {own} {most}");
            }
        }
        let (i, j) = found.largest().expect("a place");
        let most = found.norms.iter().copied().fold(0.0, f64::max);
        assert_eq!(found.norm((i, j)), Some(most));
        assert!(most <= measure(&experiment).expect("measured").spectral * (1.0 + 1e-12), "a block is part of J");
    }
}

#[test]
fn the_residual_connection_adds_the_identity_to_blocks_of_a_token_with_itself() {
    let experiment = experiment(json!({
        "tokens": {"source": "random", "n": 5, "d": 3, "seed": 1},
        "weights": {"source": "random", "heads": 1, "head_dim": 3, "seed": 2},
    }));
    let found = picture(&experiment, SpectrumMap::AttentionResidual);
    let jacobian = dense_jacobian(&forward(&experiment)) + DMatrix::identity(15, 15);
    for i in 0..5 {
        for j in 0..5 {
            let own = jacobian.view((3 * i, 3 * j), (3, 3)).into_owned();
            assert!((found.norm((i, j)).expect("a norm") - norm(own)).abs() < 1e-12, "{i} {j}");
        }
    }
}

#[test]
fn of_many_tokens_the_first_ones_are_pictured() {
    let of = |mask: &str, n: usize| {
        experiment(json!({
            "mask": mask, "tokens": {"source": "random", "n": n, "d": 2, "radius": 2, "seed": 1},
            "weights": {"source": "identity", "sign": -1},
        }))
    };
    for (mask, n) in [("none", 90), ("causal", 90)] {
        let experiment = of(mask, n);
        let found = picture(&experiment, SpectrumMap::Attention);
        assert_eq!((found.n, found.side, found.norms.len()), (n, MOST_BLOCKS_A_SIDE, 64 * 64));
        assert_eq!((found.norm((0, 64)), found.norm((64, 0))), (None, None));
        let dense = dense_jacobian(&forward(&experiment));
        for (i, j) in [(0, 0), (63, 0), (63, 63), (0, 63), (40, 7)] {
            let expected = norm(dense.view((2 * i, 2 * j), (2, 2)).into_owned());
            let own = found.norm((i, j)).expect("a norm");
            assert!((own - expected).abs() < 1e-12 * dense.norm(), "{mask} {i} {j}: {own} {expected}");
        }
    }
    // Under the causal mask no later token counts, so they cost nothing.
    assert_eq!(picture(&of("causal", 16_000), SpectrumMap::Attention).side, MOST_BLOCKS_A_SIDE);
    // Large blocks are fewer.
    let wide = experiment(json!({
        "tokens": {"source": "random", "n": 60, "d": 128}, "weights": {"source": "identity", "sign": -1},
    }));
    let wide = picture(&wide, SpectrumMap::Attention).side;
    assert!((2..30).contains(&wide), "{wide}");
}

#[test]
fn a_block_of_clusters_is_that_of_all_their_tokens() {
    let n = 601;
    let experiment = experiment(json!({
        "tokens": {"source": "adversarial", "n": n, "radius": 1.5}, "weights": {"source": "identity", "sign": -1},
    }));
    for map in [SpectrumMap::Attention, SpectrumMap::AttentionResidual] {
        let found = picture(&experiment, map);
        assert_eq!((found.places, found.n, found.side), (Places::Clusters, 2, 2));
        let mut jacobian = dense_jacobian(&forward(&experiment));
        if map == SpectrumMap::AttentionResidual {
            jacobian += DMatrix::identity(n, n);
        }
        // One token by itself, and all others.
        let parts = [0..1, 1..n];
        for (a, rows) in parts.iter().enumerate() {
            for (b, columns) in parts.iter().enumerate() {
                let own = jacobian.view((rows.start, columns.start), (rows.len(), columns.len())).into_owned();
                let (found, expected) = (found.norm((a, b)).expect("a norm"), norm(own));
                assert!((found - expected).abs() < 1e-9 * expected, "{map:?} {a} {b}: {found} {expected}");
            }
        }
    }
}
