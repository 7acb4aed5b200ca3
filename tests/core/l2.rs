//! L2 multi-head attention of [K]: its bounds, its Jacobian, its inverse, and dot-product attention in comparison.

use lipscope_core::attention::Forward;
use lipscope_core::bounds::{BoundId, KIM_COLUMN, KIM_L2, KIM_LINF, LOCAL, MAX_TOKEN, Norm, Side};
use lipscope_core::experiment::{Experiment, Mask};
use lipscope_core::inverse::{ConstantKind, InversePlan, Inverting, Outcome};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::measure::{BlockNorms, MeasureOptions, Measurement, Warning, measure, measure_with};
use lipscope_core::scaling::{ScaledTokens, Scaling, ScalingPlan, slopes};
use lipscope_core::weights::inputs;
use lipscope_testkit::ratios::{record, within};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

/// A random case of L2 multi-head attention.
#[derive(Clone, Debug)]
struct Case {
    heads: usize,
    k: usize,
    n: usize,
    scale: f64,
    radius: f64,
    seed: u64,
    lie: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    (1usize..4, 1usize..4, 2usize..9, -1.0f64..0.5, -1.5f64..1.5, any::<u64>(), 0usize..4).prop_map(
        |(heads, k, n, scale, radius, seed, lie)| Case {
            heads,
            k,
            n,
            scale: 10f64.powf(scale),
            radius: 10f64.powf(radius),
            seed,
            lie,
        },
    )
}

impl Case {
    fn experiment(&self, normalization: &str, scope: &str) -> Experiment {
        let d = self.heads * self.k;
        let distribution = ["gaussian", "sphere", "ball"][self.lie % 3];
        let random = json!({"source": "random", "distribution": distribution, "n": self.n, "d": d, "radius": self.radius, "seed": self.seed % 1000});
        let tokens = match self.lie {
            // One token apart from all others, where the bound is tightest.
            3 => {
                let mut rows = vec![vec![0.0; d]; self.n];
                rows[0][0] = self.radius;
                json!({"source": "explicit", "rows": rows})
            }
            _ => random,
        };
        Experiment::from_value(json!({
            "attention": "l2", "normalization": normalization, "normalization_scope": scope, "tokens": tokens,
            "weights": {"source": "kim", "heads": self.heads, "scale": self.scale, "seed": self.seed % 997},
        }))
        .expect("a valid experiment")
    }
}

fn bound(found: &Measurement, id: BoundId) -> Option<f64> {
    found.bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10)
}

#[test]
fn the_bounds_of_l2_attention_hold_over_twenty_thousand_drawn_cases() {
    let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&cases(), |case| {
        let (normalization, scope) =
            [("none", "inputs"), ("none", "inputs"), ("layer", "inputs"), ("rms", "composed")][case.seed as usize % 4];
        let options = MeasureOptions { block_norms: BlockNorms::Included, ..MeasureOptions::default() };
        let found = measure_with(&case.experiment(normalization, scope), options).expect("measured");
        let dense = found.dense.expect("a small Jacobian");
        prop_assert!(bound(&found, &KIM_L2).is_some());
        prop_assert_eq!(bound(&found, &KIM_LINF).is_some(), scope == "inputs");
        for (id, norm) in [
            (&KIM_L2, found.spectral),
            (&KIM_COLUMN, found.spectral),
            (&KIM_LINF, dense.linf),
            (&LOCAL, found.spectral),
        ] {
            let Some(log10) = bound(&found, id) else { continue };
            let ratio = 10f64.powf(norm.log10() - log10);
            if norm > 0.0 {
                record("l2.bounds", &format!("norm / {}", id.id()), ratio);
            }
            prop_assert!(norm == 0.0 || ratio <= 1.0 + 1e-9, "{:?}: {norm:e} above 10^{log10}", id);
        }
        let causal =
            measure(&Experiment { mask: Mask::Causal, ..case.experiment(normalization, scope) }).expect("measured");
        let linf = causal.dense.as_ref().expect("a small Jacobian").linf;
        prop_assert!(bound(&causal, &KIM_COLUMN).is_none());
        for (id, norm) in [(&KIM_L2, causal.spectral), (&KIM_LINF, linf)] {
            let Some(log10) = bound(&causal, id) else { continue };
            prop_assert!(norm == 0.0 || norm.log10() <= log10 + 1e-9, "causal {:?}: {norm:e} above 10^{log10}", id);
        }
        // In one dimension blocks are entries, so the max-token bound is the l_inf norm and the rounding of its entries, which
        // a warning says where it is large.
        if case.heads * case.k == 1 {
            let max_token = 10f64.powf(bound(&found, &MAX_TOKEN).expect("few blocks"));
            prop_assert!(max_token >= dense.linf * (1.0 - 1e-12), "{max_token:e} {:e}", dense.linf);
            let rounding = found.rounding().unwrap_or(0.0).max(128.0 * Warning::LEAST_ROUNDING);
            let allowed = 4.0 * rounding.min(f64::MAX / 8.0) * (dense.linf + found.spectral) + f64::MIN_POSITIVE;
            prop_assert!(within("l2.bounds", "max_token in one dimension", max_token - dense.linf, allowed));
        }
        prop_assert!(found.bounds.iter().all(|b| b.side == Side::Upper || b.norm == Norm::Spectral));
        Ok(())
    });
    outcome.expect("no bound is exceeded");
}

#[test]
fn the_jacobian_of_l2_attention_is_its_derivative_over_five_thousand_drawn_cases() {
    let config = Config { cases: 5000, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&cases(), |case| {
            let experiment = case.experiment("none", "inputs");
            let inputs = inputs(&experiment).expect("inputs");
            let tokens = inputs.tokens.clone();
            let (d, n) = tokens.shape();
            let mut operator = JacobianOperator::new(Forward::new(&experiment, &inputs).expect("finite"));
            let entry = |i: usize, turn: f64| (i as f64 * turn + 0.2).sin();
            let v = DVector::from_fn(n * d, |i, _| entry(i, 1.9));
            let u = DVector::from_fn(operator.n_outputs(), |i, _| entry(i, 0.7));
            let (mut jv, mut jtu) = (u.clone(), v.clone());
            operator.apply(v.as_slice(), jv.as_mut_slice());
            operator.apply_transpose(u.as_slice(), jtu.as_mut_slice());
            let (left, right) = (u.dot(&jv), jtu.dot(&v));
            let scale = (jv.norm() * u.norm()).max(jtu.norm() * v.norm());
            let allowed = 1e-11 * scale + 1e-300;
            prop_assert!(
                within("l2.jacobian", "adjoint", (left - right).abs(), allowed),
                "adjoint: {left:e} {right:e}"
            );
            let direction = DMatrix::from_column_slice(d, n, v.as_slice());
            let at = |x: DMatrix<f64>| Forward::at(&experiment, &inputs, &x).expect("finite").output();
            let h = 1e-4 * case.radius.max(1e-2) / (v.norm() * (1.0 + (case.radius * case.scale).powi(2)));
            let difference = |h: f64| (at(&tokens + &direction * h) - at(&tokens - &direction * h)) / (2.0 * h);
            let slope = (difference(h / 2.0) * 4.0 - difference(h)) / 3.0;
            let error = (DVector::from_column_slice(slope.as_slice()) - &jv).norm();
            let allowed = 1e-5 * jv.norm() + 1e-13 * at(tokens.clone()).norm() / h;
            prop_assert!(
                within("l2.jacobian", "finite differences", error, allowed),
                "finite difference off by {error:e}, |Jv| = {:e}",
                jv.norm()
            );
            Ok(())
        })
        .expect("every case agrees");
}

/// `kim_l2` has W_Q to the fourth power under the root. f scales like |W_Q|^2, so that with the second power the bound
/// is exceeded as soon as the weights are large: by a factor of up to 1.46 in forty draws of ordinary tokens, and by a
/// factor of 28 in a draw of two tokens. That factor grows with the factor by which the weights are made larger and the
/// tokens smaller.
#[test]
fn with_the_second_power_of_the_query_norm_the_bound_would_be_wrong() {
    // norm / bound, with the fourth power and with the second.
    let ratios = |(n, d, radius): (usize, usize, f64), scale: f64, seed: u64| {
        let experiment = Experiment::from_value(json!({
            "attention": "l2", "tokens": {"source": "random", "n": n, "d": d, "radius": radius, "seed": seed},
            "weights": {"source": "kim", "heads": 1, "scale": scale, "seed": seed},
        }))
        .expect("valid");
        let found = measure(&experiment).expect("measured");
        let weights = inputs(&experiment).expect("inputs").weights.l2_mha.expect("L2-MHA");
        let right = found.spectral / 10f64.powf(bound(&found, &KIM_L2).expect("it applies"));
        // sqrt(|W_Q|^4) = |W_Q|^2 becomes |W_Q|.
        (right, right * weights.queries[0].singular_values().max())
    };
    let draws = (0..40).map(|seed| ratios((6, 2, 0.3), 6.0, seed));
    let (right, wrong) = draws.fold((0.0f64, 0.0f64), |most, (right, wrong)| (most.0.max(right), most.1.max(wrong)));
    println!("norm / bound: {right:.3}, with the second power {wrong:.3}");
    assert!(right <= 1.0 + 1e-9 && (1.4..1.5).contains(&wrong), "{right} {wrong}");
    // The same two tokens and weights: the tokens are divided by the number that the weights are multiplied by.
    let scaled = [1.0, 4.0, 10.5].map(|by| ratios((2, 1, 1.0 / by), 6.0 * by, 11));
    println!("two tokens: {scaled:?}");
    for (by, (right, wrong)) in [1.0, 4.0, 10.5].into_iter().zip(scaled) {
        assert!((right / scaled[0].0 - 1.0).abs() < 1e-9 && right <= 1.0, "{scaled:?}");
        assert!((wrong / scaled[0].1 / by - 1.0).abs() < 1e-9, "{scaled:?}");
    }
    assert!(scaled[2].1 > 28.0, "{scaled:?}");
}

fn invert(experiment: Experiment, fraction: f64) -> (Inverting, Vec<lipscope_core::inverse::InverseStep>) {
    let plan = InversePlan { experiment, fraction, max_iterations: 3000 };
    let mut inverting = Inverting::start(&plan).expect("an inverse");
    let mut steps = Vec::new();
    while let Some(step) = inverting.step().expect("finite") {
        steps.push(step);
    }
    (inverting, steps)
}

#[test]
fn l2_attention_is_inverted_to_ten_digits_at_no_less_than_the_guaranteed_rate() {
    for fraction in [0.5, 0.7, 0.9] {
        let experiment = Experiment::from_value(json!({
            "attention": "l2", "tokens": {"source": "random", "n": 64, "d": 8, "radius": 3, "seed": 5},
            "weights": {"source": "kim", "heads": 8, "scale": 2.0, "seed": 1},
        }))
        .expect("valid");
        let tokens = inputs(&experiment).expect("inputs").tokens;
        let (inverting, steps) = invert(experiment, fraction);
        assert_eq!((inverting.outcome(), inverting.constant().1), (Some(Outcome::Converged), ConstantKind::KimColumn));
        assert!((inverting.current() - &tokens).norm() < 1e-10, "c = {fraction}");
        for step in &steps {
            let guaranteed = step.guaranteed.expect("c < 1 and a global constant");
            let rounding = 1e-14 * tokens.norm();
            assert!(step.error <= guaranteed * (1.0 + 1e-9) + rounding, "c = {fraction}: {step:?}");
        }
        // The map is not the identity.
        assert!((inverting.target() - &tokens).norm() > 1e-3);
    }
}

/// `kim_column` is a tenth of `kim_l2` here: the map moves tokens ten times as far, and convergence is guaranteed all the
/// same. Under the causal mask only `kim_l2` holds.
#[test]
fn the_inverse_divides_by_the_smaller_bound_that_holds() {
    let start = |mask: &str| {
        let experiment = Experiment::from_value(json!({
            "attention": "l2", "mask": mask, "tokens": {"source": "random", "n": 64, "d": 8, "radius": 3, "seed": 5},
            "weights": {"source": "kim", "heads": 8, "scale": 2.0, "seed": 1},
        }))
        .expect("valid");
        let found = measure(&experiment).expect("measured");
        let value = |id: BoundId| bound(&found, id).map(|log10| 10f64.powf(log10));
        let (inverting, steps) = invert(experiment, 0.7);
        assert_eq!(inverting.outcome(), Some(Outcome::Converged), "{mask}");
        assert!(steps.iter().all(|step| step.guaranteed.is_some()), "{mask}");
        (inverting.constant(), value(&KIM_COLUMN), value(&KIM_L2).expect("it applies"))
    };
    let (constant, column, rows) = start("none");
    let column = column.expect("it applies");
    assert_eq!(constant.1, ConstantKind::KimColumn);
    assert!((constant.0 / column - 1.0).abs() < 1e-9 && column < 0.11 * rows, "{constant:?}, {column}, {rows}");
    let (constant, column, rows) = start("causal");
    assert_eq!((constant.1, column), (ConstantKind::KimL2, None));
    assert!((constant.0 / rows - 1.0).abs() < 1e-9, "{constant:?}, {rows}");
}

#[test]
fn dot_product_attention_with_its_local_constant_fails_for_large_tokens() {
    let experiment = |radius: f64| {
        Experiment::from_value(json!({
            "attention": "dot", "tokens": {"source": "random", "distribution": "ball", "n": 4, "d": 4, "radius": radius, "seed": 28},
            "weights": {"source": "identity", "sign": 1},
        }))
        .expect("valid")
    };
    let (small, steps) = invert(experiment(0.2), 0.9);
    assert_eq!((small.outcome(), small.constant().1), (Some(Outcome::Converged), ConstantKind::Local));
    assert!(steps.iter().all(|step| step.guaranteed.is_none()), "nothing is guaranteed");
    // Softmax is one-hot at X, so the local constant there is 1; on the way the tokens pass regions where it is far
    // larger.
    let (large, steps) = invert(experiment(21.7), 0.9);
    assert_eq!(large.outcome(), Some(Outcome::Stalled));
    assert!((large.constant().0 - 1.0).abs() < 0.01, "{}", large.constant().0);
    assert!(steps.last().expect("steps").residual > 1.0, "{:?}", steps.last());
}

#[test]
fn the_norm_of_dot_product_attention_grows_like_the_square_and_that_of_l2_stays() {
    let experiment = Experiment::from_value(json!({
        "tokens": {"source": "random", "n": 16, "d": 4, "radius": 1, "seed": 2},
        "weights": {"source": "random", "heads": 1, "head_dim": 4, "seed": 3},
    }))
    .expect("valid");
    let tied = {
        let mut value = experiment.to_value();
        let matrix: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        value["weights"] = json!({"source": "explicit", "heads": [{"q": matrix, "k": matrix, "v": matrix}]});
        Experiment::from_value(value).expect("valid")
    };
    let radii: Vec<f64> = (0..=24).map(|at| 10f64.powf(f64::from(at) / 6.0)).collect();
    for experiment in [experiment, tied.clone()] {
        let mut scaling = Scaling::new(&ScalingPlan {
            experiment,
            tokens: ScaledTokens::OneAtZero,
            radii: radii.clone(),
            norm: Norm::Spectral,
        })
        .expect("tokens");
        let mut points = Vec::new();
        while let Some(point) = scaling.step().expect("finite") {
            points.push(point);
        }
        assert_eq!(points.len(), radii.len());
        let (dot, _) = slopes(&points).expect("enough points");
        assert!((dot.exponent - 2.0).abs() < 0.02, "dot: {dot:?}");
    }
    let mut scaling =
        Scaling::new(&ScalingPlan { experiment: tied, tokens: ScaledTokens::OneAtZero, radii, norm: Norm::Spectral })
            .expect("tokens");
    let mut points = Vec::new();
    while let Some(point) = scaling.step().expect("finite") {
        points.push(point);
    }
    let (_, l2) = slopes(&points).expect("enough points");
    assert!(l2.exponent.abs() < 0.02, "L2: {l2:?}");
}
