//! Attention as trained models give it: grouped heads with biases, and steps with their numbers. The products with its
//! Jacobian against each other, against a dense Jacobian and against dual numbers.

use lipscope_core::attention::{
    DistanceBias, Dual, Forward, GivenSteps, HeadPart, HeadSizes, Kernel, Projections, Rotary, Scalar,
};
use lipscope_core::experiment::{Attention, Gain, Mask, Order, QkNorm, RopeLayout, VectorNorm};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator, dense_jacobian};
use lipscope_core::random::{Random, Stream};
use nalgebra::{DMatrix, DVector};

const D: usize = 5;
const N: usize = 7;

fn drawn(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
    let mut random = Random::new(seed, Stream::Tokens);
    DMatrix::from_fn(rows, columns, |_, _| random.normal())
}

/// Heads of these sizes with biases and an output matrix, drawn.
fn projections<T: Scalar>(sizes: HeadSizes, seed: u64) -> Projections<T> {
    let HeadSizes { heads, groups, k } = sizes;
    let p = (heads + 2 * groups) * k;
    let biases: Vec<T> = drawn(p, 1, seed + 1).iter().map(|x| T::constant(0.5 * x)).collect();
    let output = drawn(3, heads * k, seed + 2).map(T::constant);
    let kernel = Kernel::with_scale(Attention::Dot, Some(0.7), k);
    Projections::of_grouped_heads(kernel, sizes, drawn(p, D, seed).map(T::constant), &biases, Some(output))
}

/// Every step by itself, and all together.
fn steps_of(sizes: HeadSizes) -> Vec<(&'static str, GivenSteps)> {
    let HeadSizes { heads, groups, k } = sizes;
    let gains = |from: f64, count: usize| Gain::Entries((0..count).map(|entry| from - 0.3 * entry as f64).collect());
    let norm = QkNorm { eps: 0.01, q_gain: gains(1.4, k), k_gain: gains(0.9, k), ..QkNorm::of(VectorNorm::Rms) };
    let wide = QkNorm { q_gain: gains(1.4, heads * k), k_gain: gains(0.9, groups * k), ..norm.clone() };
    // Distances beyond 3 have the biases of 3.
    let table = |head: usize| (0..7).map(|at| ((at * at + 3 * head) % 5) as f64 - 2.0).collect();
    let tables = DistanceBias::Tables((0..heads).map(table).collect());
    let slopes = DistanceBias::Slopes((0..heads).map(|head| 0.5 / (head + 1) as f64).collect());
    let rotary = |layout, pairs: usize| Rotary::Given {
        layout,
        angles: (0..pairs).map(|m| 0.9 / (m + 1) as f64).collect(),
        factor: 1.2,
    };
    let alone = GivenSteps::default();
    let all = GivenSteps {
        norm: Some(norm.clone()),
        rotary: Some(rotary(RopeLayout::Half, k / 2)),
        softcap: Some(1.5),
        bias: slopes.clone(),
        sinks: (0..heads).map(|head| head as f64 - 1.0).collect(),
        wide_norm: None,
    };
    let all_wide = GivenSteps { norm: None, wide_norm: Some(wide.clone()), bias: tables.clone(), ..all.clone() };
    vec![
        ("none", alone.clone()),
        ("norm", GivenSteps { norm: Some(norm), ..alone.clone() }),
        ("halves", GivenSteps { rotary: Some(rotary(RopeLayout::Half, k / 2)), ..alone.clone() }),
        ("some pairs", GivenSteps { rotary: Some(rotary(RopeLayout::Interleaved, k / 4)), ..alone.clone() }),
        ("cap", GivenSteps { softcap: Some(0.8), ..alone.clone() }),
        ("wide norm", GivenSteps { wide_norm: Some(wide), ..alone.clone() }),
        ("slopes", GivenSteps { bias: slopes, ..alone.clone() }),
        ("tables", GivenSteps { bias: tables, ..alone.clone() }),
        ("sinks", GivenSteps { sinks: vec![0.4; heads], ..alone }),
        ("all", all),
        ("all, wide norm", all_wide),
    ]
}

#[test]
fn products_of_grouped_heads_are_adjoint_and_those_of_dense_matrix_and_dual_numbers() {
    for (heads, groups, k) in [(1, 1, 4), (3, 1, 4), (4, 2, 6), (3, 3, 5), (5, 2, 4)] {
        let sizes = HeadSizes { heads, groups, k };
        for (name, steps) in steps_of(sizes) {
            for mask in [Mask::None, Mask::Causal, Mask::Window { width: 3, order: Order::Causal }] {
                let name = format!("{name}, {sizes:?}, {mask:?}");
                let tokens = drawn(D, N, 9);
                let of = |tokens: &DMatrix<f64>| {
                    Forward::of_projections(projections(sizes, 4), mask.clone(), &steps, tokens).expect("finite")
                };
                let forward = of(&tokens);
                let dense = dense_jacobian(&forward);
                let mut operator = JacobianOperator::new(forward);
                let (v, u) = (drawn(D * N, 1, 5), drawn(operator.n_outputs(), 1, 6));
                let (mut image, mut pulled) = (DVector::zeros(u.len()), DVector::zeros(v.len()));
                operator.apply(v.as_slice(), image.as_mut_slice());
                operator.apply_transpose(u.as_slice(), pulled.as_mut_slice());
                let lifted = DMatrix::from_fn(D, N, |row, col| Dual::new(tokens[(row, col)], v[col * D + row]));
                let lifted = Forward::of_projections(projections::<Dual>(sizes, 4), mask.clone(), &steps, &lifted);
                let by_dual = lifted.expect("finite").output();
                let size = dense.norm() * v.norm().max(u.norm());
                let errors = [
                    ("J v", (&image - &dense * &v).norm()),
                    ("J^T u", (&pulled - dense.tr_mul(&u)).norm()),
                    ("adjoint", (u.dot(&image) - pulled.dot(&v)).abs() / u.norm()),
                    ("dual", by_dual.iter().zip(&image).map(|(x, y)| (x.eps - y).powi(2)).sum::<f64>().sqrt()),
                ];
                for (what, error) in errors {
                    assert!(error < 1e-13 * size, "{name}, {what}: {error:e} of {size}");
                }
            }
        }
    }
}

#[test]
fn heads_of_a_group_have_the_numbers_of_heads_with_copies_of_its_keys_and_values() {
    let sizes = HeadSizes { heads: 5, groups: 2, k: 4 };
    let alone = HeadSizes { groups: 5, ..sizes };
    let (stacked, biases) = (drawn((5 + 4) * 4, D, 1), drawn((5 + 4) * 4, 1, 2));
    let shared = sizes.parts();
    let source = alone.parts().into_iter().map(|part| match part {
        HeadPart::Key(head) => HeadPart::Key(sizes.group(head)),
        HeadPart::Value(head) => HeadPart::Value(sizes.group(head)),
        query => query,
    });
    let rows: Vec<usize> = source
        .flat_map(|part| {
            let at = shared.iter().position(|known| *known == part).expect("a part of the group");
            4 * at..4 * (at + 1)
        })
        .collect();
    let of = |sizes: HeadSizes, stacked: DMatrix<f64>, biases: &[f64]| {
        let kernel = Kernel::new(Attention::Dot, 4);
        let projections = Projections::of_grouped_heads(kernel, sizes, stacked, biases, None);
        let forward = Forward::of_projections(projections, Mask::Causal, &GivenSteps::default(), &drawn(D, N, 3))
            .expect("finite");
        let mut operator = JacobianOperator::new(forward);
        let mut pulled = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(drawn(20 * N, 1, 4).as_slice(), &mut pulled);
        (operator.forward().output(), DVector::from_vec(pulled))
    };
    let (value, pulled) = of(sizes, stacked.clone(), biases.as_slice());
    let copies = stacked.select_rows(&rows);
    let (expected, expected_pulled) = of(alone, copies, biases.select_rows(&rows).as_slice());
    assert!((value - &expected).amax() < 1e-14 * expected.amax());
    assert!((pulled - &expected_pulled).amax() < 1e-13 * expected_pulled.amax());
    assert_eq!([0, 1, 2, 3, 4].map(|head| sizes.group(head)), [0, 0, 0, 1, 1]);
}

#[test]
fn a_bias_by_distance_is_that_of_its_head_and_clamped_beyond_its_table() {
    let sizes = HeadSizes { heads: 2, groups: 2, k: 1 };
    let weights = |bias: DistanceBias| {
        // No query: all scores are biases.
        let projections =
            Projections::of_grouped_heads(Kernel::new(Attention::Dot, 1), sizes, DMatrix::zeros(6, D), &[0.0; 6], None);
        let steps = GivenSteps { bias, ..GivenSteps::default() };
        let forward = Forward::of_projections(projections, Mask::None, &steps, &drawn(D, N, 3)).expect("finite");
        let mut buffer = forward.row_buffer();
        let block = forward.rows_of_p(1, 2..3, &mut buffer);
        block.weights[..N].iter().map(|weight| (weight / block.weights[2]).ln()).collect::<Vec<f64>>()
    };
    let close = |found: Vec<f64>, expected: [f64; N]| {
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-14), "{found:?}");
    };
    close(weights(DistanceBias::Slopes(vec![9.0, 0.5])), [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]);
    let table = vec![3.0, 4.0, 0.0, -1.0, -2.0];
    close(weights(DistanceBias::Tables(vec![vec![7.0], table])), [3.0, 4.0, 0.0, -1.0, -2.0, -2.0, -2.0]);
}
