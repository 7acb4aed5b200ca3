//! Bounds on the ball for variants of attention, against values computed outside this crate, and their properties that
//! need no Jacobian.

use lipscope_core::attention::Normalizer;
use lipscope_core::bounds::{
    ALL, BoundId, ELEMENTWISE, ELEMENTWISE_TOKEN, EQUAL_TOKENS, GENERAL, GENERAL_TOKEN, Hypotheses, Norm, SHARP,
    SHARP_MASKED, Side, WINDOW_CAUSAL,
};
use lipscope_core::experiment::Experiment;
use lipscope_core::tokens::radius_of;
use lipscope_core::weights::inputs;
use lipscope_testkit::kernels::kernel_cases;
use lipscope_testkit::reference::assert_close;
use serde_json::{Value, json};

/// The hypotheses of an experiment at its tokens.
fn hypotheses(experiment: &Experiment) -> Hypotheses {
    let inputs = inputs(experiment).expect("inputs");
    let normalizer =
        Normalizer::new(experiment.normalization, experiment.eps, &inputs.tokens).expect("a derivative everywhere");
    let radius = radius_of(&experiment.tokens, &inputs.tokens);
    Hypotheses::new(experiment, &inputs.weights, &normalizer, radius, (inputs.tokens.ncols() as f64).ln())
}

/// Dot-product attention with d = 1, A = -1, V = 1 on 101 tokens with R = 2, changed as `more` says.
fn on_line(more: &Value) -> Hypotheses {
    let mut value = json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 101, "d": 1, "radius": 2},
        "weights": {"source": "explicit", "heads": [{"q": [[1]], "k": [[-1]], "v": [[1]]}]},
        "score": {"scale": 1},
    });
    value.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    hypotheses(&Experiment::from_value(value).expect("valid")).with_radius(2.0)
}

fn value(id: BoundId, hypotheses: &Hypotheses) -> f64 {
    let bound = id.at(hypotheses).unwrap_or_else(|| panic!("{id:?} is absent: {:?}", hypotheses.absence(id)));
    bound.value.expect("in range")
}

const UPPER: [BoundId; 4] = [&GENERAL, &GENERAL_TOKEN, &ELEMENTWISE, &ELEMENTWISE_TOKEN];

#[test]
fn every_reference_case_has_its_bounds_on_the_ball() {
    let (mut checked, mut improved) = (0, 0);
    for case in kernel_cases() {
        let Some(bounds) = case.expected["bounds"].as_object() else { continue };
        let hypotheses = hypotheses(&case.experiment);
        let radius = case.expected["radius"].as_f64().expect("a number");
        assert_close(&case.name, hypotheses.radius, radius, 1e-14, radius);
        for id in UPPER {
            let found = id.at(&hypotheses).and_then(|bound| bound.value);
            let expected = bounds.get(id.id()).and_then(Value::as_f64);
            assert_eq!(found.is_some(), expected.is_some(), "{} {}", case.name, id.id());
            let Some((found, expected)) = found.zip(expected) else { continue };
            let what = format!("{} {}", case.name, id.id());
            checked += 1;
            // The reference has no exponents of A and knows two ways to combine heads, so that bounds may be smaller here.
            if found >= expected {
                assert_close(&what, found, expected, 1e-9, expected);
                continue;
            }
            improved += usize::from(found < expected * (1.0 - 1e-9));
            let spectral = case.expected["spectral"].as_f64().expect("a number");
            let norm = if id.norm() == Norm::Spectral { spectral } else { 0.0 };
            assert!(found >= norm * (1.0 - 1e-9), "{what}: {found} is below the norm {norm}");
        }
    }
    assert!(checked >= 60 && improved <= checked / 4, "{checked} bounds, {improved} improved");
}

/// Values tabulated outside this crate: n = 101, a = 4, d = 1, A = -1, V = 1.
#[test]
fn general_and_general_token_equal_the_tabulated_values_of_each_step() {
    let window = |width: usize| json!({"mask": {"kind": "window", "width": width}});
    let cap = |tau: f64| json!({"score": {"scale": 1, "softcap": tau}});
    let sink = |c0: f64| json!({"weighting": {"kind": "softmax", "sink": c0}});
    let alibi = |h: f64| json!({"mask": "causal", "score": {"scale": 1, "alibi": {"slopes": [h]}}});
    let differential = json!({"weights": {"source": "explicit", "heads": [
        {"q": [[1]], "k": [[-1]], "v": [[1]], "q2": [[1]], "k2": [[1]], "lambda": 0.5}]}});
    for (more, general, token) in [
        (json!({}), 33.731251, 8.123106),
        (cap(1.0), 12.513444, 8.582576),
        (cap(2.0), 24.980141, 8.582576),
        (cap(5.0), 33.731251, 8.582576),
        (cap(50.0), 33.731251, 8.582576),
        (sink(0.0), 33.730525, 8.122007),
        (sink(4.0), 33.018276, 8.063629),
        (sink(8.0), 8.024284, 5.841972),
        (json!({"mask": "causal"}), 33.731251, 8.123106),
        (window(4), 9.916740, 8.123106),
        (window(16), 15.833480, 8.123106),
        (window(64), 27.666960, 8.123106),
        (json!({"mask": {"kind": "prefix", "length": 50}}), 33.731251, 8.123106),
        (alibi(1.0), 15.694928, 8.123106),
        (alibi(0.25), 25.226869, 8.123106),
        (json!({"attention": "linear", "score": {}}), 10.423223, 5.0),
        (differential, 50.596876, 12.184658),
    ] {
        let at = on_line(&more);
        for (id, expected) in [(&GENERAL, general), (&GENERAL_TOKEN, token)] {
            let found = value(id, &at);
            assert!((found - expected).abs() < 6e-7, "{more} {id:?}: {found} for {expected}");
        }
    }
}

/// Weights that depend on their own score alone, with A = 1: constants that n equal tokens reach.
#[test]
fn the_constants_of_sigmoid_relu_and_softplus_are_exact() {
    let with = |weighting: Value| {
        on_line(&json!({
            "weights": {"source": "explicit", "heads": [{"q": [[1]], "k": [[1]], "v": [[1]]}]}, "weighting": weighting,
        }))
    };
    let kinds = ["sigmoid", "relu", "softplus"].map(|kind| with(json!({"kind": kind})));
    for (at, expected) in kinds.iter().zip([219.475679, 12.0, 11.874260]) {
        for id in [&ELEMENTWISE, &ELEMENTWISE_TOKEN, &EQUAL_TOKENS] {
            let found = value(id, at);
            assert!((found - expected).abs() < 6e-7, "{id:?}: {found} for {expected}");
        }
    }
    for a in [0.3f64, 1.0, 4.0, 7.0] {
        for n in [2.0f64, 5.0, 101.0, 1e4, 1e18] {
            let [sigmoid, relu, softplus] = kinds.each_ref().map(|at| at.with_radius(a.sqrt()).with_n(n));
            let p = 1.0 / (1.0 + n * (-a).exp());
            let is_exact = n >= a.exp();
            let of_sigmoid = if is_exact { n * p * (1.0 + 2.0 * a * (1.0 - p)) } else { n * p + a * n / 2.0 };
            let of_softplus = a.exp().ln_1p() + 2.0 * a / (1.0 + (-a).exp());
            for (at, expected) in [(&sigmoid, of_sigmoid), (&relu, 3.0 * a), (&softplus, of_softplus)] {
                let found = value(&ELEMENTWISE, at);
                assert!((found / expected - 1.0).abs() < 1e-10, "a={a} n={n}: {found} for {expected}");
                let (lower, is_reached) = (value(&EQUAL_TOKENS, at), at != &sigmoid || is_exact);
                assert!(lower <= found * (1.0 + 1e-12), "a={a} n={n}: {lower} above {found}");
                assert!(!is_reached || lower >= found * (1.0 - 1e-10), "a={a} n={n}: {lower} for {found}");
            }
        }
    }
    // n -> infinity: (1 + 2a) e^a.
    let limit = value(&ELEMENTWISE, &kinds[0].with_n(1e18));
    assert!((limit / (9.0 * 4f64.exp()) - 1.0).abs() < 1e-12, "{limit}");
}

/// Tabulated outside this crate: no mask, n = infinity, v = 1.
#[test]
fn the_plateaus_under_a_cap_and_of_rotated_scores_equal_tabulated_values() {
    for (a, expected) in
        [(9.0f64, [26.7341, 55.6197, 723.529, 46249.7]), (100.0, [286.081, 586.044, 9804.16, 5.61141e22])]
    {
        for (tau, expected) in [1.0, 2.0, 5.0, 50.0].into_iter().zip(expected) {
            let at =
                on_line(&json!({"score": {"scale": 1, "softcap": tau}})).with_radius(a.sqrt()).with_n(f64::INFINITY);
            let found = value(&GENERAL, &at);
            assert!((found / expected - 1.0).abs() < 6e-6, "a={a} tau={tau}: {found} for {expected}");
        }
    }
    // The bound for any slopes of keys, which RoPE has, is a + sqrt F. With k = 1 nothing turns.
    let rope = on_line(&json!({"score": {"scale": 1, "rope": {}}}));
    for (a, expected) in [(1.0f64, 4.295933), (2.25, 20.426835), (4.0, 169.823631), (9.0, 50906.6703)] {
        let found = value(&GENERAL, &rope.with_radius(a.sqrt()).with_n(f64::INFINITY));
        assert!((found / expected - 1.0).abs() < 3e-7, "a={a}: {found} for {expected}");
    }
}

/// Tabulated outside this crate: eight tokens in the plane.
#[test]
fn rotated_scores_in_the_plane_have_the_tabulated_bound() {
    let plane = |pad: usize, score: Value| {
        let row = |x: f64, y: f64| json!([x, y]);
        let zeros = || vec![row(0.0, 0.0); pad];
        let matrix = |x: f64| [vec![row(x, 0.0), row(0.0, x)], zeros()].concat();
        let experiment = json!({
            "tokens": {"source": "random", "distribution": "ball", "n": 8, "d": 2, "radius": 2}, "score": score,
            "weights": {"source": "explicit", "heads": [{"q": matrix(1.0), "k": matrix(-1.0), "v": [[1, 0], [0, 1]]}]},
        });
        value(&GENERAL, &hypotheses(&Experiment::from_value(experiment).expect("valid")))
    };
    for (found, expected) in [
        (plane(0, json!({"scale": 1})), 12.367534),
        (plane(0, json!({"scale": 1, "rope": {}})), 14.0),
        (plane(2, json!({"scale": 1, "rope": {}})), 14.0),
    ] {
        assert!((found - expected).abs() < 6e-7, "{found} for {expected}");
    }
}

/// Grouped keys with a scale of their own make dot-product attention that is not plain.
#[test]
fn general_is_sharp_where_sharp_holds() {
    for mask in ["none", "causal"] {
        let base = json!({
            "mask": mask, "tokens": {"source": "random", "distribution": "ball", "n": 9, "d": 3, "radius": 1},
            "weights": {"source": "random", "heads": 1, "head_dim": 4, "scale": 1, "seed": 5},
        });
        let plain = hypotheses(&Experiment::from_value(base.clone()).expect("valid"));
        let mut scaled = base;
        scaled["score"] = json!({"scale": 0.5});
        let scaled = hypotheses(&Experiment::from_value(scaled).expect("valid"));
        assert!(GENERAL.at(&plain).is_none() && SHARP.at(&scaled).is_none());
        let sharp = if mask == "none" { &SHARP } else { &SHARP_MASKED };
        for radius in [1e-3, 0.4, 1.0, 3.0, 30.0, 1e3] {
            for n in [1.0, 2.0, 9.0, 1e3, 1e9, 1e18] {
                let [plain, scaled] = [&plain, &scaled].map(|at| at.with_radius(radius).with_n(n));
                let (found, expected) = (GENERAL.at(&scaled), sharp.at(&plain));
                let (found, expected) = (found.expect("general").log10, expected.expect("sharp").log10);
                assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{mask} R={radius} n={n}");
            }
        }
    }
}

/// Experiments that together have every step, on eight tokens.
fn variants() -> Vec<(String, Hypotheses)> {
    let masks = [
        json!("none"),
        json!("causal"),
        json!({"kind": "window", "width": 3}),
        json!({"kind": "window", "width": 3, "causal": false}),
        json!({"kind": "prefix", "length": 3}),
    ];
    let scores = [
        ("dot", json!({"scale": 0.7})),
        ("dot", json!({"softcap": 2})),
        ("dot", json!({"rope": {"base": 10}})),
        ("dot", json!({"qk_norm": {"kind": "rms"}})),
        ("dot", json!({"qk_norm": {"kind": "layer", "eps": 0.1}, "rope": {}})),
        ("dot", json!({"alibi": {"slopes": [1, 0.25]}})),
        ("dot", json!({"alibi": {"slopes": [1e-3, 0]}, "softcap": 5})),
        ("dot", json!({"value_norm": {}})),
        ("cosine", json!({})),
        ("l2", json!({"scale": 0.7})),
        ("linear", json!({})),
    ];
    let weightings = [
        json!({"kind": "softmax"}),
        json!({"kind": "softmax", "sink": 1}),
        json!({"kind": "sigmoid"}),
        json!({"kind": "relu"}),
        json!({"kind": "softplus"}),
    ];
    let mut all = Vec::new();
    for mask in &masks {
        for (attention, score) in &scores {
            for weighting in &weightings {
                let value = json!({
                    "attention": attention, "mask": mask, "score": score, "weighting": weighting,
                    "tokens": {"source": "random", "distribution": "ball", "n": 8, "d": 3, "radius": 1},
                    "weights": {"source": "random", "heads": 2, "head_dim": 2, "scale": 1, "seed": 5, "output": true},
                });
                // Linear attention has softmax weights without a sink.
                if let Ok(experiment) = Experiment::from_value(value) {
                    all.push((format!("{attention} {mask} {score} {weighting}"), hypotheses(&experiment)));
                }
            }
        }
    }
    all
}

#[test]
fn upper_bounds_are_there_and_lower_ones_below_them_at_every_length_and_radius() {
    let variants = variants();
    assert!(variants.len() > 200, "{}", variants.len());
    for (name, at) in &variants {
        for radius in [1e-6, 0.1, 1.0, 3.0, 1e3] {
            for n in [1.0, 2.0, 7.0, 255.0, 300.0, 1e5, 1e18] {
                let at = at.with_radius(radius).with_n(n);
                let bounds: Vec<_> = ALL.into_iter().filter_map(|id| id.at(&at)).collect();
                let uppers = bounds.iter().filter(|bound| UPPER.contains(&bound.id)).collect::<Vec<_>>();
                assert_eq!(uppers.len(), 2, "{name} R={radius} n={n}: {bounds:?}");
                for bound in &bounds {
                    // L2 scores are never above 0, where ReLU is 0.
                    let is_zero = bound.value == Some(0.0) && name.contains("relu");
                    assert!(bound.log10.is_finite() || is_zero, "{name} R={radius} n={n}: {bound:?}");
                    if bound.side == Side::Lower {
                        let upper = uppers.iter().find(|upper| upper.norm == Norm::Spectral).expect("one");
                        assert!(bound.log10 <= upper.log10 + 1e-9, "{name} R={radius} n={n}: {bound:?} {upper:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn general_does_not_fall_with_more_tokens() {
    for (name, at) in &variants() {
        let mut before = f64::NEG_INFINITY;
        // A default divisor is n, and a default sigmoid bias -ln n. Where a window sees both sides, rows in the middle of
        // a longer list are longer, so that their weights are bounded by less: with W = 3 a column sum of five tokens may
        // be above those of six.
        let sees_both_sides = name.contains("\"causal\":false") || (name.contains("alibi") && !name.contains("causal"));
        if !name.contains("softmax") || sees_both_sides || name.contains("alibi") && name.contains("prefix") {
            continue;
        }
        let few = (1..40).map(f64::from);
        let many = (0..60).map(|step| (3.8 + 0.6 * f64::from(step)).exp().round());
        for n in few.chain(many) {
            let found = GENERAL.at(&at.with_n(n)).expect("softmax").log10;
            assert!(found >= before - 1e-11, "{name} n={n}: {found} after {before}");
            before = found;
        }
    }
}

/// The same mask as a table has the same bounds, from sums over pairs in place of closed ones.
#[test]
fn closed_sums_equal_the_sums_over_the_table_of_the_same_mask() {
    let masks = [
        json!("none"),
        json!("causal"),
        json!({"kind": "window", "width": 3}),
        json!({"kind": "window", "width": 3, "causal": false}),
        json!({"kind": "window", "width": 6, "causal": false}),
        json!({"kind": "window", "width": 9, "causal": false}),
        json!({"kind": "prefix", "length": 4}),
    ];
    for n in [1usize, 2, 4, 5, 7, 10, 16, 23] {
        for mask in &masks {
            for (alibi, weighting) in [
                (None, json!({"kind": "softmax"})),
                (None, json!({"kind": "softmax", "sink": 0.5})),
                (Some(0.3), json!({"kind": "softmax", "sink": 0.5})),
                (Some(0.3), json!({"kind": "softmax"})),
                (None, json!({"kind": "sigmoid"})),
            ] {
                let of = |mask: &Value| {
                    let mut score = json!({"scale": 0.4});
                    if let Some(h) = alibi {
                        score["alibi"] = json!({"slopes": [h]});
                    }
                    let value = json!({
                        "mask": mask, "score": score, "weighting": weighting,
                        "tokens": {"source": "random", "distribution": "ball", "n": n, "d": 3, "radius": 2},
                        "weights": {"source": "random", "heads": 1, "head_dim": 2, "scale": 1, "seed": 5},
                    });
                    Experiment::from_value(value).expect("valid")
                };
                let closed = of(mask);
                let allows = |i: usize, j: usize| u8::from(closed.mask.allows(i, j));
                let rows: Vec<Vec<u8>> = (0..n).map(|i| (0..n).map(|j| allows(i, j)).collect()).collect();
                let table = of(&json!({"kind": "allowed", "rows": rows}));
                let [closed, table] = [closed, table].map(|experiment| hypotheses(&experiment));
                for radius in [0.5, 1.0, 3.0] {
                    let [closed, table] = [&closed, &table].map(|at| at.with_radius(radius));
                    for id in UPPER {
                        let [closed, table] = [&closed, &table].map(|at| id.at(at).map(|bound| bound.log10));
                        let Some((closed, table)) = closed.zip(table) else { continue };
                        // Hardy's inequality and the exponents of A are not taken for tables.
                        let is_smaller = (mask == "causal" || mask == "none") && alibi.is_none() && closed < table;
                        assert!(
                            is_smaller || (closed - table).abs() < 1e-11,
                            "{mask} n={n} R={radius} {id:?} {alibi:?} {weighting}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_bound_above_the_range_of_f64_keeps_its_logarithm() {
    let at = on_line(&json!({"score": {"scale": 1, "softcap": 1e6}})).with_radius(1e3).with_n(f64::INFINITY);
    let bound = GENERAL.at(&at).expect("it applies");
    assert!(bound.value.is_none() && bound.log10 > 3e5 && bound.log10.is_finite(), "{bound:?}");
}

/// In one row of a window fewer tokens attend, so that the bound for a window of all tokens is that of the causal mask.
#[test]
fn a_window_of_all_tokens_is_the_causal_mask_but_for_hardys_term() {
    let window = on_line(&json!({"mask": {"kind": "window", "width": 101}}));
    let causal = on_line(&json!({"mask": "causal"}));
    for radius in [0.3, 1.0, 2.0, 3.0] {
        let [window, causal] = [&window, &causal].map(|at| value(&GENERAL, &at.with_radius(radius)));
        assert!(window >= causal * (1.0 - 1e-12), "R={radius}: {window} below {causal}");
    }
    let lower = value(&WINDOW_CAUSAL, &on_line(&json!({"mask": {"kind": "window", "width": 16}})));
    assert!(lower > 1.0 && lower < 15.833480, "{lower}");
}
