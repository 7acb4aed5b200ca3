//! Checks the Jacobian in four ways: operator against dense matrix, adjoint identity, finite differences, dual numbers.

use lipscope_core::attention::{Dual, Forward, Scalar};
use lipscope_core::experiment::{Experiment, Normalization, Scope};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator, dense_jacobian};
use lipscope_core::random::{Random, Stream};
use lipscope_core::weights::{Inputs, inputs};
use lipscope_testkit::drawn::{Drawn, drawn};
use lipscope_testkit::ratios::within;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

fn random_vector(len: usize, seed: u64) -> DVector<f64> {
    let mut random = Random::new(seed, Stream::StartVector);
    DVector::from_fn(len, |_, _| random.normal())
}

fn prepared(case: &Drawn) -> (Experiment, Inputs, Forward<f64>) {
    let experiment = case.experiment();
    let inputs = inputs(&experiment).expect("inputs");
    let forward = Forward::new(&experiment, &inputs).expect("forward");
    (experiment, inputs, forward)
}

/// The map whose Jacobian is taken, as a function of tokens: in scope `inputs` it is evaluated at the normalised
/// tokens, without the normaliser.
fn output_at<T: Scalar>(experiment: &Experiment, inputs: &Inputs, tokens: &DMatrix<T>) -> DMatrix<T> {
    let mut plain = experiment.clone();
    if experiment.normalization_scope == Scope::Inputs {
        plain.normalization = Normalization::None;
    }
    Forward::at(&plain, inputs, tokens).expect("forward").output()
}

fn base_tokens(experiment: &Experiment, inputs: &Inputs, forward: &Forward<f64>) -> DMatrix<f64> {
    match experiment.normalization_scope {
        Scope::Inputs => forward.normalizer().outputs().clone(),
        Scope::Composed => inputs.tokens.clone(),
    }
}

/// The size to which the rounding errors of J are relative: the norm of J without the normaliser or, if that is larger,
/// a hundredth of a bound on the terms of the heads, times the bound on the normaliser's Jacobian. J itself may be far
/// smaller: under a composed normaliser (a long token of dimension 1 under RMSNorm hardly moves), or where heads or
/// scores cancel.
fn size_before_cancellation(experiment: &Experiment, inputs: &Inputs, forward: &Forward<f64>) -> f64 {
    let mut inner = experiment.clone();
    inner.normalization_scope = Scope::Inputs;
    let tokens = forward.normalizer().outputs();
    let radius = tokens.column_iter().map(|token| token.norm()).fold(0.0, f64::max);
    let output = inputs.weights.output.as_ref().map_or(1.0, |output| output.norm());
    let of_heads = inputs.weights.heads.iter().map(|head| {
        let a_norm = head.q.norm() * head.k.norm() / (head.q.nrows() as f64).sqrt();
        head.v.norm() * (1.0 + a_norm * radius * radius)
    });
    let terms = output * of_heads.sum::<f64>() * (tokens.ncols() as f64).sqrt();
    let inner = dense_jacobian(&Forward::new(&inner, inputs).expect("forward"));
    inner.norm().max(1e-2 * terms) * forward.normalizer().jacobian_norm_bound()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_operator_and_its_transpose_agree_with_the_dense_matrix(case in drawn(&["dot", "l2"])) {
        let (experiment, inputs, forward) = prepared(&case);
        let dense = dense_jacobian(&forward);
        let size = size_before_cancellation(&experiment, &inputs, &forward);
        let mut operator = JacobianOperator::new(forward);
        let (n_in, n_out) = (operator.n_inputs(), operator.n_outputs());
        prop_assert_eq!(dense.shape(), (n_out, n_in));
        let (v, u) = (random_vector(n_in, case.seed), random_vector(n_out, case.seed ^ 1));
        let (mut jv, mut jtu) = (DVector::zeros(n_out), DVector::zeros(n_in));
        operator.apply(v.as_slice(), jv.as_mut_slice());
        operator.apply_transpose(u.as_slice(), jtu.as_mut_slice());
        let scale = dense.norm().max(size) + f64::MIN_POSITIVE;
        let (forth, back) = ((&jv - &dense * &v).norm(), (&jtu - dense.tr_mul(&u)).norm());
        prop_assert!(within("derivatives.dense", "J v", forth, 1e-11 * scale * v.norm()), "J v off by {forth}");
        prop_assert!(within("derivatives.dense", "J^T u", back, 1e-11 * scale * u.norm()), "J^T u off by {back}");
        // The adjoint identity, with no dense matrix in it.
        let (left, right) = (u.dot(&jv), jtu.dot(&v));
        let allowed = 1e-12 * scale * u.norm() * v.norm();
        prop_assert!(within("derivatives.dense", "adjoint", (left - right).abs(), allowed), "<u,Jv> = {left}, <J^T u,v> = {right}");
    }

    #[test]
    fn finite_differences_agree_with_the_operator(case in drawn(&["dot", "l2"])) {
        let (experiment, inputs, forward) = prepared(&case);
        let tokens = base_tokens(&experiment, &inputs, &forward);
        let (d, n) = tokens.shape();
        let mut operator = JacobianOperator::new(forward);
        let v = random_vector(n * d, case.seed);
        let mut jv = DVector::zeros(operator.n_outputs());
        operator.apply(v.as_slice(), jv.as_mut_slice());
        // Central differences at two steps, extrapolated to fourth order.
        let direction = DMatrix::from_column_slice(d, n, v.as_slice());
        let h = 1e-4 * tokens.norm().max(1e-3) / (v.norm() * (1.0 + tokens.norm_squared() * case.weight_scale.powi(2)));
        let difference = |h: f64| {
            (output_at(&experiment, &inputs, &(&tokens + &direction * h))
                - output_at(&experiment, &inputs, &(&tokens - &direction * h))) / (2.0 * h)
        };
        let slope = (difference(h / 2.0) * 4.0 - difference(h)) / 3.0;
        let size = output_at(&experiment, &inputs, &tokens).norm();
        // Rounding of f over h, and the truncation error, dominated by the curvature of LayerNorm near a constant
        // token.
        let allowed = 1e-5 * jv.norm() + 1e-13 * size / h;
        let error = (DVector::from_column_slice(slope.as_slice()) - &jv).norm();
        let is_singular = experiment.normalization != Normalization::None
            && experiment.normalization_scope == Scope::Composed
            && inputs.tokens.column_iter().any(|t| t.norm() < 0.3 || d == 1 || (t.add_scalar(-t.mean())).norm() < 0.3);
        prop_assume!(!is_singular);
        prop_assert!(within("derivatives.differences", "J v", error, allowed), "finite difference off by {error:e}, allowed {allowed:e}, |Jv| = {:e}", jv.norm());
    }

    #[test]
    fn dual_numbers_through_the_same_code_agree_with_the_operator(case in drawn(&["dot", "l2"])) {
        let (experiment, inputs, forward) = prepared(&case);
        let tokens = base_tokens(&experiment, &inputs, &forward);
        let (d, n) = tokens.shape();
        let mut operator = JacobianOperator::new(forward);
        let v = random_vector(n * d, case.seed);
        let mut jv = DVector::zeros(operator.n_outputs());
        operator.apply(v.as_slice(), jv.as_mut_slice());
        let lifted = DMatrix::from_fn(d, n, |row, col| Dual::new(tokens[(row, col)], v[col * d + row]));
        let output = output_at(&experiment, &inputs, &lifted);
        let derivative = DVector::from_iterator(output.len(), output.iter().map(|x| x.eps));
        let error = (&derivative - &jv).norm();
        let allowed = 1e-10 * (jv.norm() + derivative.norm()) + 1e-13 * v.norm() * output.len() as f64;
        prop_assert!(within("derivatives.dual", "J v", error, allowed),
            "dual derivative off by {error:e}, |Jv| = {:e}", jv.norm());
    }

    #[test]
    fn single_precision_through_the_same_code_agrees_roughly(case in drawn(&["dot", "l2"])) {
        // Scores of size s lose s times the rounding of f32, and normalisers divide by possibly small numbers.
        let case = Drawn { normalization: "none", radius: case.radius.min(1.0), weight_scale: case.weight_scale.min(1.0), ..case };
        let (experiment, inputs, forward) = prepared(&case);
        let single = Forward::<f32>::new(&experiment, &inputs).expect("forward").output();
        let double = forward.output();
        let error = single.map(f64::from).zip_map(&double, |a, b| (a - b).abs()).amax();
        prop_assert!(within("derivatives.single", "F(X)", error, 1e-3 * double.amax() + 1e-6), "f32 off by {error:e} of {:e}", double.amax());
    }
}

#[test]
fn recomputed_and_kept_attention_give_the_same_products() {
    // 3 heads at n = 2900 exceed the limit for stored attention matrices; 1 head does not.
    let experiment = |heads: usize, mask: &str| {
        Experiment::from_value(serde_json::json!({
            "mask": mask,
            "tokens": {"source": "random", "distribution": "ball", "n": 2900, "d": 2, "radius": 2.0},
            "weights": {"source": "random", "heads": heads, "head_dim": 2},
        }))
        .expect("valid")
    };
    for mask in ["none", "causal"] {
        let products: Vec<DVector<f64>> = [1, 3]
            .iter()
            .map(|heads| {
                let experiment = experiment(*heads, mask);
                let inputs = inputs(&experiment).expect("inputs");
                let forward = Forward::<f64>::new(&experiment, &inputs).expect("forward");
                let expected = if *heads == 1 { "Kept" } else { "Recomputed" };
                assert_eq!(format!("{:?}", forward.storage()), expected);
                let mut operator = JacobianOperator::new(forward);
                let v = random_vector(operator.n_inputs(), 5);
                let mut jv = DVector::zeros(operator.n_outputs());
                operator.apply(v.as_slice(), jv.as_mut_slice());
                let mut back = DVector::zeros(operator.n_inputs());
                operator.apply_transpose(jv.as_slice(), back.as_mut_slice());
                assert!((back.dot(&v) - jv.norm_squared()).abs() < 1e-11 * jv.norm_squared());
                // The first head writes the first two entries of each output token.
                let per_token = jv.len() / 2900;
                DVector::from_iterator(5800, (0..5800).map(|at| jv[(at / 2) * per_token + at % 2]))
            })
            .collect();
        let error = (&products[0] - &products[1]).norm();
        assert!(error <= 1e-12 * products[0].norm(), "{mask}: {error:e} of {:e}", products[0].norm());
    }
}
