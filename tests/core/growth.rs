//! Bounds as functions of n: their order, their growth before and after the crossover, and the gap between them.

use lipscope_testkit::{ratios, reference};

use lipscope_core::bounds::{
    Bound, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, Norm, SKEW, Side, UNIFIED, UNIFIED_MASKED,
};
use lipscope_core::experiment::Experiment;
use lipscope_core::growth::{Family, FamilyPoint, Growth, GrowthPlan, GrowthRow, growth};
use lipscope_core::measure::measure;
use lipscope_core::sweep::{Spacing, SweepPlan};
use serde_json::{Value, json};

fn adversarial(radius: f64, mask: &str) -> Experiment {
    with_weights(radius, mask, json!({"source": "identity", "sign": -1}))
}

fn with_weights(radius: f64, mask: &str, weights: Value) -> Experiment {
    Experiment::from_value(json!({
        "mask": mask, "tokens": {"source": "adversarial", "n": 64, "radius": radius}, "weights": weights,
    }))
    .expect("a valid experiment")
}

fn plan(last: f64, count: usize) -> GrowthPlan {
    GrowthPlan::new(2.0, last, count, Spacing::Fixed).expect("a valid plan")
}

fn log10(row: &GrowthRow, id: BoundId) -> Option<f64> {
    row.bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10)
}

fn family(experiment: &Experiment, plan: &GrowthPlan) -> Vec<FamilyPoint> {
    let mut family = Family::new(experiment, plan).expect("measured").expect("it applies");
    std::iter::from_fn(|| family.step()).collect()
}

fn check_order(found: &Growth) {
    assert!(!found.rows.is_empty());
    for row in &found.rows {
        for lower in row.bounds.iter().filter(|bound| bound.side == Side::Lower) {
            // The skew witness has another A of the same norm, so that it is below bounds that use of A its norm alone.
            let of_norms = [&UNIFIED, &UNIFIED_MASKED, &CASTIN_GENERAL, &CASTIN_MEAN_FIELD];
            let is_about = |upper: &&Bound| lower.id != &SKEW || of_norms.contains(&upper.id);
            let uppers = row.bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm == lower.norm);
            for upper in uppers.filter(is_about) {
                assert!(lower.log10 <= upper.log10 + 1e-10, "n = {}: {lower:?} above {upper:?}", row.n);
            }
        }
    }
}

#[test]
fn lower_curves_stay_below_upper_ones_for_every_radius_weight_and_mask() {
    let random = |heads: usize, output: bool, seed: u64| json!({"source": "random", "heads": heads, "head_dim": 3, "scale": 1.3, "seed": seed, "output": output});
    for mask in ["none", "causal"] {
        for radius in [1e-3, 0.5, 1.0, 2.0, 3.0, 10.0, 1e3] {
            check_order(&growth(&adversarial(radius, mask), &plan(1e18, 60)).expect("curves"));
            for (heads, output, seed) in [(1, false, 1), (1, true, 2), (3, false, 3), (2, true, 4)] {
                let experiment = with_weights(radius, mask, random(heads, output, seed));
                let found = growth(&experiment, &plan(1e18, 25)).expect("curves");
                check_order(&found);
                // The two-cluster bound exists for any heads, so every row without a mask has bounds from both sides.
                assert!(found.rows.iter().all(|row| mask == "causal" || row.gap_log10(Norm::Spectral).is_some()));
            }
        }
    }
}

#[test]
fn exact_norms_at_the_adversarial_tokens_equal_those_of_token_measures() {
    for radius in [1.0, 2.0, 3.0] {
        let plan = GrowthPlan { lengths: vec![2.0, 101.0, 4096.0, 1e9, 1e18], spacing: Spacing::Fixed };
        let points = family(&adversarial(radius, "none"), &plan);
        assert_eq!(points.len(), 5);
        for point in points {
            let found = measure(&reference::opposed_clusters(radius, point.n)).expect("measured");
            reference::assert_close("family", point.spectral, found.spectral, 1e-12, found.spectral);
        }
    }
}

#[test]
fn unified_rises_like_the_square_root_and_flattens_past_the_crossover() {
    let found = growth(&adversarial(3.0, "none"), &plan(1e18, 200)).expect("curves");
    let crossover = found.crossover.expect("R is fixed");
    assert!((crossover.ln_n - 18.0).abs() < 1e-12 && (crossover.a - 9.0).abs() < 1e-12);
    let slope = |from: f64, to: f64| {
        let at = |n: f64| {
            let row =
                found.rows.iter().min_by(|x, y| (x.n / n).ln().abs().total_cmp(&(y.n / n).ln().abs())).expect("rows");
            (row.n.log10(), log10(row, &UNIFIED).expect("it applies"))
        };
        let ((x, y), (to_x, to_y)) = (at(from), at(to));
        (to_y - y) / (to_x - x)
    };
    assert!((slope(1e4, 1e6) - 0.5).abs() < 0.01, "{}", slope(1e4, 1e6));
    assert!(slope(1e12, 1e18).abs() < 1e-4, "{}", slope(1e12, 1e18));
}

#[test]
fn the_crossover_of_other_weights_is_at_their_own_exponent() {
    // For A = I the exponent is R^2/4, reached at |x| = R/2.
    let identity = with_weights(3.0, "none", json!({"source": "identity", "sign": 1}));
    let crossover = growth(&identity, &plan(1e6, 3)).expect("curves").crossover.expect("R is fixed");
    assert!((crossover.ln_n - 2.25).abs() < 1e-9 && (crossover.a - 9.0).abs() < 1e-12, "{crossover:?}");
    // The crossover needs no lower bound: under the causal mask it is the same.
    let random = |mask| with_weights(2.0, mask, json!({"source": "random", "heads": 2, "head_dim": 3, "seed": 3}));
    let [none, causal] =
        ["none", "causal"].map(|mask| growth(&random(mask), &plan(1e6, 3)).expect("curves").crossover.expect("fixed"));
    assert!((none.ln_n / causal.ln_n - 1.0).abs() < 1e-6 && none.ln_n <= 2.0 * none.a, "{none:?} {causal:?}");
}

#[test]
fn the_skew_witness_is_within_a_factor_three_of_unified_up_to_the_crossover() {
    let mut cases = 0;
    for a in [0.4f64, 0.7, 1.0, 1.5, 2.0, 4.0, 9.0, 20.0, 100.0, 1e4] {
        for row in
            growth(&adversarial(a.sqrt(), "none"), &plan((2.0 * a).exp().clamp(3.0, 1e18), 120)).expect("curves").rows
        {
            if row.n > (2.0 * a).exp() {
                continue;
            }
            let (skew, unified) = (log10(&row, &SKEW).expect("up to there"), log10(&row, &UNIFIED).expect("dot"));
            let ratio = 10f64.powf(unified - skew);
            assert!((1.0 - 1e-9..3.0).contains(&ratio), "a = {a}, n = {}: {ratio}", row.n);
            ratios::record("growth.skew", "unified / (3 skew witness)", ratio / 3.0);
            cases += 1;
        }
    }
    assert!(cases > 500, "only {cases} cases");
}

#[test]
fn a_radius_that_grows_like_the_root_of_the_logarithm_keeps_the_square_root() {
    let spacing = Spacing::SqrtLog { from_n: 100.0 };
    let plan = GrowthPlan::new(2.0, 1e18, 40, spacing).expect("a plan");
    let found = growth(&adversarial(2.0, "none"), &plan).expect("curves");
    assert_eq!(found.crossover, None);
    for row in &found.rows {
        let expected = 2.0 * (row.n.ln() / 100f64.ln()).sqrt();
        assert!((row.radius / expected - 1.0).abs() < 1e-12, "{} for {expected}", row.radius);
    }
    // 2 a = 2 R^2 is 1.74 ln n, so e^(2a) stays above n, and the sqrt(n) growth never ends.
    let (first, last) = (&found.rows[10], found.rows.last().expect("rows"));
    let slope = (log10(last, &UNIFIED).expect("dot") - log10(first, &UNIFIED).expect("dot"))
        / (last.n.log10() - first.n.log10());
    assert!((0.5..0.6).contains(&slope), "{slope}");
    check_order(&found);
}

#[test]
fn under_a_normaliser_a_growing_radius_changes_no_bound_and_no_norm_passes_one() {
    let spacing = Spacing::SqrtLog { from_n: 100.0 };
    let mut most = 0.0f64;
    for (normalization, scope) in [("layer", "inputs"), ("rms", "inputs"), ("layer", "composed"), ("rms", "composed")] {
        for (seed, mask) in (0..12).flat_map(|seed| [(seed, "none"), (seed, "causal")]) {
            let tokens =
                json!({"source": "random", "distribution": "sphere", "n": 9, "d": 3, "radius": 2.0, "seed": seed});
            let experiment = Experiment::from_value(json!({
                "mask": mask, "normalization": normalization, "normalization_scope": scope, "tokens": tokens,
                "weights": {"source": "random", "heads": 1 + seed % 2, "head_dim": 3, "scale": 0.5, "seed": seed},
            }))
            .expect("a valid experiment");
            let plan = |spacing| GrowthPlan { lengths: vec![2.0, 5.0, 100.0, 1e9], spacing };
            let (fixed, grows) = (growth(&experiment, &plan(Spacing::Fixed)), growth(&experiment, &plan(spacing)));
            let grows = grows.expect("curves");
            assert_eq!(fixed.as_ref(), Ok(&grows), "{normalization} {scope} {mask}");
            // The tokens of lower bounds lie anywhere in a ball, which the outputs of a normaliser do not.
            assert!(grows.rows.iter().all(|row| row.bounds.iter().all(|bound| bound.side == Side::Upper)));
            let sweep = SweepPlan::new(&experiment, &[2, 5], 1).expect("a sweep").with_spacing(spacing);
            for (at, row) in grows.rows.iter().take(2).enumerate() {
                let norm = measure(&sweep.experiment_at(at).expect("tokens")).expect("measured").spectral;
                let upper = row.best_upper(Norm::Spectral).expect("an upper bound").log10;
                assert!((row.radius - 3f64.sqrt()).abs() < 1e-15 && norm.log10() <= upper, "{norm} above 10^{upper}");
                if scope == "inputs" {
                    most = most.max(norm / 10f64.powf(upper));
                }
            }
        }
    }
    // Some norm must come near its bound: only then would the checks above notice a ball that shrinks below radius sqrt
    // d at n under 100.
    assert!(most > 0.3, "no case came near a bound: {most}");
}

#[test]
fn plans_out_of_range_give_an_error_message() {
    for (first, last) in [(1.0, 10.0), (2.0, 1e301), (10.0, 5.0), (f64::NAN, 10.0), (2.0, f64::INFINITY)] {
        let problem = GrowthPlan::new(first, last, 10, Spacing::Fixed).expect_err("no range").to_string();
        assert!(problem.contains("n") && problem.contains("1e300"), "{problem}");
    }
}
