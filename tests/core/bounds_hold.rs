//! No upper bound is ever below the measured norm, no lower bound above the exact norm of its tokens, and ours are
//! never worse than the published ones.

use lipscope_testkit::{ratios, reference, tables};

use std::cell::RefCell;
use std::collections::BTreeMap;

use lipscope_core::bounds::{
    ADVERSARIAL, ADVERSARIAL_ENVELOPE, Bound, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, Domain, FORK, GENERAL, LOCAL,
    Norm, SHARP, SHARP_MASKED, SINK, Side, TWO_CLUSTERS, UNIFIED, UNIFIED_MASKED,
};
use lipscope_core::experiment::{Experiment, TokenSource};
use lipscope_core::measure::{Measurement, measure};
use lipscope_testkit::drawn::{Drawn, drawn};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;

/// Allowance for rounding of bound and norm, relative.
const TOLERANCE: f64 = 1e-9;

/// Counts the cases in which each pair of numbers was checked; no ratio of a pair may exceed one.
pub(crate) struct Worst {
    test: &'static str,
    cases: RefCell<BTreeMap<String, usize>>,
}

impl Worst {
    pub(crate) fn of(test: &'static str) -> Self {
        Worst { test, cases: RefCell::default() }
    }

    /// Fails where `below` exceeds `above`, both as decimal logarithms.
    pub(crate) fn check(&self, what: String, below: f64, above: f64) -> Result<(), TestCaseError> {
        let ratio = if below == f64::NEG_INFINITY { 0.0 } else { 10f64.powf(below - above) };
        ratios::record(self.test, &what, ratio);
        proptest::prop_assert!(ratio <= 1.0 + TOLERANCE, "{what}: 10^{below} is above 10^{above}");
        self.count(what);
        Ok(())
    }

    fn count(&self, what: String) {
        *self.cases.borrow_mut().entry(what).or_default() += 1;
    }

    pub(crate) fn cases(&self, what: &str) -> usize {
        self.cases.borrow().get(what).copied().unwrap_or(0)
    }
}

pub(crate) fn find(found: &Measurement, id: BoundId) -> Option<&Bound> {
    found.bounds.iter().find(|bound| bound.id == id)
}

/// Checks the order of norm and bounds at the measured tokens.
pub(crate) fn check_order(worst: &Worst, found: &Measurement) -> Result<(), TestCaseError> {
    let norm = found.spectral.log10();
    for bound in &found.bounds {
        proptest::prop_assert!(!bound.log10.is_nan() && bound.log10 < f64::INFINITY, "{bound:?}");
        if bound.side == Side::Upper && bound.norm == Norm::Spectral {
            // The printed norm is never above the printed bound, not even in the last bit.
            proptest::prop_assert!(
                bound.value.is_none_or(|value| found.spectral <= value),
                "{bound:?}: {:?}",
                found.spectral
            );
            worst.check(format!("norm / {}", bound.id.id()), norm, bound.log10)?;
        }
        if bound.side == Side::Lower && bound.id.domain() == Domain::Ball {
            let is_spectral = |b: &&Bound| b.norm == Norm::Spectral && b.id.domain() == Domain::Ball;
            for upper in found.bounds.iter().filter(|b| b.side == Side::Upper).filter(is_spectral) {
                worst.check(format!("{} / {}", bound.id.id(), upper.id.id()), bound.log10, upper.log10)?;
            }
        }
    }
    for (below, above) in [
        (&SHARP, &UNIFIED),
        (&SHARP_MASKED, &UNIFIED_MASKED),
        (&UNIFIED, &CASTIN_GENERAL),
        (&UNIFIED, &CASTIN_MEAN_FIELD),
        (&LOCAL, &UNIFIED),
        (&ADVERSARIAL, &TWO_CLUSTERS),
        (&ADVERSARIAL, &ADVERSARIAL_ENVELOPE),
    ] {
        if let (Some(low), Some(high)) = (find(found, below), find(found, above)) {
            worst.check(format!("{} / {}", below.id(), above.id()), low.log10, high.log10)?;
        }
    }
    Ok(())
}

/// Checks that each step of the proof of `sharp` loses a factor of at least one, and that for one head they multiply to
/// bound over norm.
fn check_slack(worst: &Worst, case: &Drawn, found: &Measurement) -> Result<(), TestCaseError> {
    for id in [&SHARP, &SHARP_MASKED] {
        let (Some(bound), Some(slack)) = (find(found, id), found.slacks.iter().find(|slack| slack.id == id)) else {
            continue;
        };
        let is_lost = slack.factors.iter().all(|factor| factor.times > 1.0);
        proptest::prop_assert!(is_lost, "{:?}", slack.factors);
        if case.head_shapes.len() == 1 && found.spectral > 0.0 {
            let product: f64 = slack.factors.iter().map(|factor| factor.times.log10()).sum();
            let deviation = (product - (bound.log10 - found.spectral.log10())).abs();
            proptest::prop_assert!(
                deviation < 1e-7,
                "{id:?}: {:?} for {} / {}",
                slack.factors,
                bound.log10,
                found.spectral
            );
            worst.count(format!("slack of {}", id.id()));
        }
    }
    Ok(())
}

/// Checks that `local` is at most the term of `unified_masked` with the square root, which is computed here:
/// v (a + sqrt((1 + a^2) sum 1/(1 + (i-1) e^(-2a)))).
fn check_masked_arm(worst: &Worst, case: &Drawn, found: &Measurement) -> Result<(), TestCaseError> {
    let (Some(local), Some(_)) = (find(found, &LOCAL), find(found, &UNIFIED_MASKED)) else {
        return Ok(());
    };
    // Restricted to one head without normaliser and output matrix.
    if case.head_shapes.len() != 1 || case.d_out.is_some() || case.normalization != "none" {
        return Ok(());
    }
    let weights = lipscope_core::weights::inputs(&case.experiment()).expect("inputs").weights;
    let norm = |matrix: &nalgebra::DMatrix<f64>| matrix.singular_values().max();
    let a = norm(&weights.heads[0].query_key().a()) * found.radius * found.radius;
    let sum: f64 = (0..case.n).map(|i| 1.0 / (1.0 + i as f64 * (-2.0 * a).exp())).sum();
    let arm = norm(&weights.heads[0].v) * (a + ((1.0 + a * a) * sum).sqrt());
    worst.check("local / masked square root arm".into(), local.log10, arm.log10())
}

/// Checks the lower bounds for this n against the exact norm at their witnesses.
fn check_witnesses(worst: &Worst, case: &Drawn, n: usize) -> Result<(), TestCaseError> {
    let base = case.experiment();
    let adversarial = Experiment { tokens: TokenSource::Adversarial { n, radius: case.radius }, ..base.clone() };
    // If the first head has no real eigenvalue, there are no adversarial tokens.
    if let Ok(found) = measure(&adversarial) {
        check_order(worst, &found)?;
        if let Some(bound) = find(&found, &ADVERSARIAL) {
            let mask = case.mask;
            worst.check(format!("adversarial / its tokens' norm, mask {mask}"), bound.log10, found.spectral.log10())?;
        }
        if let Some(clusters) = found.witnesses.get(&TWO_CLUSTERS) {
            let tokens = clusters.token_source().expect("finite positions");
            let at_clusters = measure(&Experiment { tokens, ..base.clone() }).expect("measured");
            check_order(worst, &at_clusters)?;
            let (below, above) = (clusters.norm().log10(), at_clusters.spectral.log10());
            worst.check("two_clusters / its tokens' norm".into(), below, above)?;
        }
        for (id, witness) in found.witnesses.iter() {
            let (name, Some(witness)) = (id.id(), witness.clusters()) else { continue };
            let tokens = witness.token_source().expect("finite positions");
            let at_tokens = measure(&Experiment { tokens, ..base.clone() }).expect("measured");
            check_order(worst, &at_tokens)?;
            let above = at_tokens.spectral.log10();
            worst.check(format!("{name} / its tokens' norm"), witness.norm.log10(), above)?;
            // The closed form is for one head, and for a fork whose prongs are equal.
            let is_even = witness.ln_sizes.get(2).is_none_or(|ln| *ln == witness.ln_sizes[1]);
            if case.head_shapes.len() == 1 && is_even {
                let closed = witness.ln_closed / std::f64::consts::LN_10;
                worst.check(format!("closed form of {name} / its tokens' norm"), closed, above)?;
            }
        }
    }
    Ok(())
}

/// Checks the order of norm and bounds at n skew tokens, for a head whose A turns the plane by a right angle and scales
/// it.
fn check_skew(worst: &Worst, case: &Drawn, n: usize) -> Result<(), TestCaseError> {
    let a_norm = case.weight_scale;
    let skew = Experiment::from_value(json!({
        "mask": case.mask, "tokens": {"source": "skew", "n": n, "radius": case.radius},
        "weights": {"source": "explicit", "heads": [
            {"q": [[1.0, 0.0], [0.0, 1.0]], "k": [[0.0, -a_norm], [a_norm, 0.0]], "v": [[1.0, 0.0], [0.0, 1.0]]},
        ]},
    }))
    .expect("a valid experiment");
    let found = measure(&skew).expect("measured");
    check_order(worst, &found)?;
    worst.count("skew cases".into());
    Ok(())
}

#[test]
fn every_bound_holds_over_twenty_thousand_drawn_cases() {
    let worst = Worst::of("bounds_hold.drawn");
    let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
    let counter = RefCell::new(0usize);
    let outcome = TestRunner::new(config).run(&drawn(&["dot", "dot", "dot", "l2"]), |case| {
        let found = measure(&case.experiment()).expect("measured");
        check_order(&worst, &found)?;
        check_masked_arm(&worst, &case, &found)?;
        check_slack(&worst, &case, &found)?;
        // Every fifth case is also checked at its witnesses, with more tokens than were drawn.
        let count = counter.replace_with(|count| *count + 1);
        if count.is_multiple_of(5) {
            let n = 2 + count % 61;
            check_witnesses(&worst, &case, n)?;
            check_skew(&worst, &case, n)?;
        }
        Ok(())
    });
    outcome.expect("every bound holds");
    // Each run draws new cases, so a count may vary by about its square root; these minima leave room for that.
    for (what, least) in [
        ("norm / castin_general", 15_000),
        ("norm / castin_mean_field", 7_000),
        ("norm / sharp", 7_000),
        ("norm / sharp_masked", 7_000),
        ("sharp / unified", 7_000),
        ("sharp_masked / unified_masked", 7_000),
        ("norm / unified", 7_000),
        ("norm / unified_masked", 7_000),
        ("norm / local", 20_000),
        ("norm / local_blocks", 20_000),
        ("local / unified", 7_000),
        ("local / masked square root arm", 200),
        ("unified / castin_general", 7_000),
        ("unified / castin_mean_field", 7_000),
        ("adversarial / two_clusters", 1_000),
        ("adversarial / its tokens' norm, mask none", 200),
        ("adversarial / its tokens' norm, mask causal", 200),
        ("two_clusters / its tokens' norm", 250),
        ("sink / its tokens' norm", 250),
        ("fork / its tokens' norm", 150),
        ("closed form of sink / its tokens' norm", 60),
        ("closed form of fork / its tokens' norm", 25),
        ("sink / sharp", 1_000),
        ("fork / sharp", 500),
        ("two_clusters / unified", 1_000),
        ("two_clusters / sharp", 1_000),
        ("skew cases", 4_000),
        ("slack of sharp", 2_000),
        ("slack of sharp_masked", 2_000),
    ] {
        assert!(worst.cases(what) >= least, "{what}: only {} cases", worst.cases(what));
    }
}

#[test]
fn the_bounds_hold_at_adversarial_tokens_of_every_radius_and_length() {
    let worst = Worst::of("bounds_hold.adversarial");
    for mask in ["none", "causal"] {
        for sign in [-1.0, 1.0] {
            for radius in [0.01, 0.3, 1.0, 2.0, 3.0, 10.0, 40.0] {
                for n in [2usize, 3, 10, 60, 300] {
                    let (first, others) = if sign > 0.0 { (radius, radius / 2.0) } else { (-radius, radius) };
                    let mut tokens = vec![others; n];
                    tokens[0] = first;
                    let found = measure(&reference::line_experiment(&tokens, sign, mask)).expect("measured");
                    check_order(&worst, &found).unwrap_or_else(|e| panic!("{mask} {sign} R={radius} n={n}: {e}"));
                    let bound = find(&found, &ADVERSARIAL).expect("it applies");
                    assert!(
                        bound.log10 <= found.spectral.log10() + 1e-9,
                        "{mask} {sign} R={radius} n={n}: {} above {}",
                        bound.log10,
                        found.spectral.log10()
                    );
                }
            }
        }
    }
    assert_eq!(worst.cases("norm / castin_general"), 2 * 2 * 7 * 5);
}

#[test]
fn bounds_do_not_overflow_for_large_radii_lengths_and_weights() {
    for (radius, ln_n, scale) in [(1e3, 1e18f64.ln(), 1.0), (1.0, 690.0, 1e3), (1e3, 690.0, 1e3), (1e-3, 41.0, 1e-3)] {
        for mask in ["none", "causal"] {
            let tokens = match mask {
                "none" => json!({"source": "clusters", "positions": [[-radius, 0.0], [radius, 0.0]],
                                 "log_multiplicities": [0.0, ln_n]}),
                _ => json!({"source": "explicit", "rows": [[-radius, 0.0], [radius, 0.0], [radius, 0.0]]}),
            };
            let experiment = Experiment::from_value(json!({
                "mask": mask, "tokens": tokens,
                "weights": {"source": "explicit", "heads": [
                    {"q": [[scale, 0.0], [0.0, scale]], "k": [[-scale, 0.0], [0.0, scale]], "v": [[scale, 0.0], [0.0, scale]]},
                ]},
            }))
            .expect("a valid experiment");
            let found = measure(&experiment).expect("measured");
            assert!(found.spectral.is_finite());
            assert!(find(&found, &CASTIN_GENERAL).is_some());
            let large = find(&found, if mask == "none" { &CASTIN_MEAN_FIELD } else { &UNIFIED_MASKED });
            assert!(large.expect("it applies").log10.is_finite());
            check_order(&Worst::of("bounds_hold.large"), &found).expect("the bounds hold");
        }
    }
}

#[test]
fn the_sharp_bounds_and_the_witnesses_are_those_of_the_tables() {
    tables::check_sharp_bounds();
    tables::check_witnesses();
}

/// Two heads whose responses cancel to one part in 1e9: a Gram matrix of them would have no digit left.
#[test]
fn lower_bounds_hold_where_two_heads_nearly_cancel() {
    for deviation in [1e-3, 1e-6, 1e-9] {
        let head =
            json!({"q": [[1.4, 0.3], [0.0, 1.0]], "k": [[-1.0, 0.2], [0.0, -1.0]], "v": [[1.0, 0.5], [0.0, 1.0]]});
        let experiment = Experiment::from_value(json!({
            "tokens": {"source": "random", "n": 20, "d": 2, "radius": 2},
            "weights": {"source": "explicit", "heads": [head.clone(), head],
                        "output": [[1.0, 0.0, -1.0 - deviation, 0.0], [0.0, 1.0, 0.0, -1.0 - deviation]]},
        }))
        .expect("a valid experiment");
        let found = measure(&experiment).expect("measured");
        for id in [&TWO_CLUSTERS, &SINK, &FORK] {
            let witness = found.witnesses.get(id).expect("it applies");
            let (name, below) = (id.id(), witness.norm());
            let tokens = witness.token_source().expect("finite positions");
            let exact = measure(&Experiment { tokens, ..experiment.clone() }).expect("measured").spectral;
            // Rounding changes each response by 1e-16 of its size, and their difference by 1e-16/`deviation` of its size.
            assert!(below <= exact * (1.0 + 1e-14 / deviation), "{name}, {deviation}: {below} above {exact}");
            assert!(below >= 0.5 * deviation && exact <= 1e3 * deviation, "{name}, {deviation}: {below} {exact}");
        }
    }
}

/// A bias of 10^9 that all pairs have in common, with values whose normaliser makes `general` equal to the norm.
#[test]
fn a_bias_in_common_leaves_bounds_on_the_ball_their_digits() {
    let of = |bias: f64, sink: Option<f64>| {
        let weighting = sink.map_or(json!({"kind": "softmax"}), |sink| json!({"kind": "softmax", "sink": sink}));
        Experiment::from_value(json!({
            "tokens": {"source": "explicit", "rows": [[0.0], [0.0]]},
            "score": {"bias": [[bias, bias], [bias, bias]], "value_norm": {"eps": 1e-12}},
            "weighting": weighting,
            "weights": {"source": "explicit", "heads": [{"q": [[0.1]], "k": [[0.1]], "v": [[3.0], [-4.0]]}]},
        }))
        .expect("a valid experiment")
    };
    for sink in [None, Some(-210.0), Some(1e9)] {
        let found = measure(&of(1e9, sink)).expect("measured");
        let general = found.bounds.iter().find(|bound| bound.id == &GENERAL).expect("it applies");
        assert!(general.log10 >= found.spectral.log10() - 1e-14, "{sink:?}: {general:?} below {}", found.spectral);
    }
}
