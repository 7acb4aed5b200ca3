//! No upper bound is below the norm, and no lower one above the upper ones, over drawn combinations of all steps of
//! attention.

use lipscope_core::bounds::{
    BoundId, Domain, ELEMENTWISE, FORK, GENERAL, Norm, Side, WINDOW_CAUSAL, Witness, ZERO_KEY,
};
use lipscope_core::experiment::{Attention, Experiment, InputError, Rows, TokenSource};
use lipscope_core::measure::measure;
use lipscope_testkit::drawn_variant::drawn_variant;
use lipscope_testkit::ratios;
use lipscope_testkit::upper_numbers::reached_token_norm_of;
use serde_json::json;

/// Cases of the drawn test.
const CASES: u64 = 20_000;

/// Allowance for rounding of bound and norm, relative.
const TOLERANCE: f64 = 1e-9;

#[test]
fn every_bound_on_a_variant_holds_over_twenty_thousand_drawn_cases() {
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for seed in 0..CASES {
        let case = drawn_variant(seed);
        let found = match measure(&case.experiment) {
            // Of tokens at zero, ReLU weights have no derivative.
            Err(InputError::NoDerivative { .. }) => continue,
            found => found.unwrap_or_else(|problem| panic!("{}: {problem}", case.file)),
        };
        // The norm over the largest token is at least what one choice of unit vectors reaches, and for a quarter of the
        // cases it is compared with the bounds on it.
        let largest_token = seed.is_multiple_of(4).then(|| reached_token_norm_of(&case.experiment));
        for bound in &found.bounds {
            assert!(!bound.log10.is_nan() && bound.log10 < f64::INFINITY, "{bound:?}: {}", case.file);
            let norm = match (bound.side, bound.norm) {
                (Side::Upper, Norm::Spectral) => Some(found.spectral),
                (Side::Upper, Norm::MaxToken) => largest_token,
                _ => None,
            };
            if let Some(norm) = norm {
                let ratio = if norm > 0.0 { 10f64.powf(norm.log10() - bound.log10) } else { 0.0 };
                ratios::record("variants_hold.drawn", &format!("norm / {}", bound.id.id()), ratio);
                assert!(ratio <= 1.0 + TOLERANCE, "{ratio}: {bound:?} for {norm}: {}", case.file);
                *seen.entry(bound.id.id()).or_default() += 1;
            }
        }
        let on_ball = |side: Side| {
            found
                .bounds
                .iter()
                .filter(move |b| b.side == side && b.norm == Norm::Spectral && b.id.domain() == Domain::Ball)
        };
        for lower in on_ball(Side::Lower) {
            for upper in on_ball(Side::Upper) {
                let deviation = lower.log10 - upper.log10;
                assert!(deviation <= TOLERANCE, "{lower:?} above {upper:?}: {}", case.file);
                *seen.entry(lower.id.id()).or_default() += 1;
            }
        }
        // A plain experiment has its own bounds, and any other one those on variants.
        let is_there = |id: BoundId| found.bounds.iter().any(|bound| bound.id == id);
        let is_elementwise = case.experiment.weighting.is_elementwise();
        let has_general = !case.experiment.is_plain() || case.experiment.attention == Attention::L2;
        assert_eq!(is_there(&GENERAL), has_general && !is_elementwise, "{}", case.file);
        assert_eq!(is_there(&ELEMENTWISE), is_elementwise, "{}", case.file);
    }
    let uppers = ["general", "general_token", "elementwise", "elementwise_token", "local"].map(|id| (id, 1000));
    for (id, least) in uppers.into_iter().chain([("fork", 200), ("zero_key", 20), ("window_causal", 3)]) {
        assert!(seen.get(id).is_some_and(|count| *count >= least), "{id}: {seen:?}");
    }
}

/// Where a closed form has tokens, the norm there is at least the bound.
#[test]
fn the_tokens_of_a_fork_have_at_least_its_norm() {
    let mut checked = 0;
    for seed in 0..CASES / 4 {
        let case = drawn_variant(seed);
        if case.experiment.is_plain() {
            continue;
        }
        let Ok(found) = measure(&case.experiment) else { continue };
        let Some(fork) = found.witnesses.get(&FORK).and_then(Witness::clusters) else { continue };
        let counts = fork.ln_sizes.iter().map(|ln| ln.exp().round() as usize);
        let rows: Vec<f64> =
            fork.positions.iter().zip(counts).flat_map(|(position, count)| position.repeat(count)).collect();
        let tokens = Rows::new("The tokens", fork.positions[0].len(), rows).expect("finite positions");
        let at_tokens = Experiment { tokens: TokenSource::Explicit(tokens), ..case.experiment.clone() };
        let at_tokens = measure(&at_tokens).unwrap_or_else(|problem| panic!("{}: {problem}", case.file));
        let ratio = fork.norm / at_tokens.spectral;
        ratios::record("variants_hold.witnesses", "fork / its tokens' norm", ratio);
        assert!(ratio <= 1.0 + TOLERANCE, "{ratio}: {} {fork:?} {:?}", case.file, at_tokens.spectral);
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

/// On a line the only directions are +1 and -1, which are the same to a normaliser: the tokens of `zero_key` are 0 and R.
#[test]
fn the_tokens_of_zero_key_have_at_least_its_norm() {
    let mut checked = 0;
    for (seed, kind) in (0..600).zip(["rms", "l2"].into_iter().cycle()) {
        let (n, k) = (2 + seed % 7, 1 + seed % 3);
        let rows: Vec<[f64; 1]> = (0..n).map(|i| [if i == 0 { 0.0 } else { 1.5 }]).collect();
        let experiment = Experiment::from_value(json!({
            "tokens": {"source": "explicit", "rows": rows},
            "weights": {"source": "random", "heads": 1, "head_dim": k, "scale": 1, "seed": seed},
            "score": {"qk_norm": {"kind": kind, "eps": 10f64.powf(-3.0 * f64::from(seed) / 600.0)}},
        }));
        let found = measure(&experiment.expect("valid")).expect("measured");
        let Some(bound) = found.bounds.iter().find(|bound| bound.id == &ZERO_KEY) else { continue };
        let ratio = bound.value.expect("in range") / found.spectral;
        ratios::record("variants_hold.witnesses", "zero_key / its tokens' norm", ratio);
        assert!(ratio <= 1.0 + TOLERANCE, "seed {seed}: {ratio}");
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
}

/// The adversarial tokens of one window, and more tokens behind them.
#[test]
fn the_tokens_of_window_causal_have_at_least_its_norm() {
    for (n, width) in [(2usize, 2usize), (5, 2), (9, 4), (40, 16), (40, 64)] {
        for radius in [0.5, 1.0, 2.0, 3.0] {
            let rows: Vec<[f64; 1]> = (0..n).map(|i| [if i == 0 { -radius } else { radius }]).collect();
            let experiment = Experiment::from_value(json!({
                "tokens": {"source": "explicit", "rows": rows}, "weights": {"source": "identity", "sign": -1},
                "mask": {"kind": "window", "width": width},
            }));
            let found = measure(&experiment.expect("valid")).expect("measured");
            let bound = found.bounds.iter().find(|bound| bound.id == &WINDOW_CAUSAL).expect("it applies");
            let ratio = bound.value.expect("in range") / found.spectral;
            assert!(ratio <= 1.0 + TOLERANCE, "n={n} W={width} R={radius}: {ratio}");
        }
    }
}
