//! Norms to 50 digits (`precise.py`, which shares no formula with the engine): tokens far from the origin, close
//! together, and nearly without a derivative. The error of the computed norm is at most what the rounding of the input
//! justifies, and no printed upper bound is below the printed norm.

use std::collections::BTreeMap;

use lipscope_core::bounds::{Norm, Side};
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::{MeasureOptions, Measurement, Warning, measure, measure_with};
use lipscope_core::spectral::LanczosOptions;
use lipscope_testkit::in_repository;
use proptest::prelude::*;
use serde_json::{Value, json};

const UNIT: f64 = 0.5 * f64::EPSILON;

/// The largest error allowed, in units of the condition times the unit roundoff.
const MOST_ERRORS: f64 = 200.0;

fn cases() -> Vec<(String, Experiment, f64, f64)> {
    let golden: Value = serde_json::from_str(include_str!("../golden/precise.json")).expect("JSON");
    let cases = golden["cases"].as_array().expect("cases");
    cases
        .iter()
        .map(|case| {
            let experiment = Experiment::from_value(case["experiment"].clone()).expect("a valid experiment");
            let spectral = case["spectral"].as_str().and_then(|text| text.parse().ok()).expect("a number");
            let condition = case["condition"].as_f64().expect("a number");
            (case["experiment"].to_string(), experiment, spectral, condition)
        })
        .collect()
}

fn iterated() -> MeasureOptions {
    let lanczos = LanczosOptions { tolerance: 1e-13, ..LanczosOptions::default() };
    MeasureOptions { svd_limit: 0, lanczos, ..MeasureOptions::default() }
}

/// No printed upper bound is below the norm that is printed beside it.
fn check_bounds(what: &str, found: &Measurement) {
    for bound in found.bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm != Norm::MaxToken) {
        let (Some(norm), Some(value)) = (found.norm(bound.norm), bound.value) else { continue };
        assert!(norm <= value, "{}: {norm:e} is above {value:e} for {what}", bound.id.id());
    }
}

#[test]
fn norms_have_the_digits_that_their_condition_allows_by_every_method() {
    let cases = cases();
    assert!(cases.len() >= 200, "{} cases", cases.len());
    let mut worst = BTreeMap::new();
    for (text, experiment, expected, condition) in cases {
        for (method, options) in [("dense", MeasureOptions::default()), ("iterated", iterated())] {
            let found = measure_with(&experiment, options).unwrap_or_else(|problem| panic!("{text}: {problem}"));
            let error = (found.spectral / expected - 1.0).abs();
            let most = MOST_ERRORS * condition * UNIT;
            assert!(
                error <= most,
                "{method}: {:?} for {expected:?}, error {error:e} > {most:e}: {text}",
                found.spectral
            );
            check_bounds(&text, &found);
            // An error large enough to report is reported, by a number that is not smaller.
            if error > Warning::LEAST_ROUNDING {
                assert!(
                    found.rounding().is_some_and(|relative| relative >= error),
                    "{error:e}, {:?}: {text}",
                    found.warnings
                );
            }
            let ratio = worst.entry(method).or_insert(0.0f64);
            *ratio = ratio.max(error / (condition * UNIT));
        }
    }
    println!("largest error over condition times unit roundoff: {worst:?}");
}

/// Cases of bug reports whose tokens are close together for their size, or nearly without a derivative.
const ROUNDED: [&str; 3] = ["ln_big_mean.json", "ln_nearly_const.json", "overflow_1e5.json"];

/// The experiments of public bug reports: the right norm, or a refusal that names the token.
#[test]
fn experiments_of_bug_reports_give_their_norm_or_name_the_token_without_a_derivative() {
    let golden: BTreeMap<String, Vec<Option<f64>>> =
        serde_json::from_str(include_str!("../golden/cases.json")).expect("JSON");
    let (mut measured, mut refused) = (0, 0);
    for (name, values) in golden {
        let path = in_repository("tests/data/cases/experiments").join(&name);
        let text = std::fs::read_to_string(path).expect("a file");
        let texts: Vec<&str> = if name.ends_with(".jsonl") { text.lines().collect() } else { vec![&text] };
        assert_eq!(texts.len(), values.len(), "{name}");
        for (text, expected) in texts.into_iter().zip(values) {
            let found = Experiment::from_json(text).and_then(|experiment| measure(&experiment));
            match (found, expected) {
                (Ok(found), Some(expected)) => {
                    // Cases whose own rounding matters have a warning.
                    let is_rounded = ROUNDED.contains(&&*name);
                    assert_eq!(is_rounded, found.rounding().is_some(), "{name}: {:?}", found.warnings);
                    let most = if is_rounded { 1e-7 } else { 1e-12 };
                    let error = (found.spectral - expected).abs();
                    assert!(error <= most * expected.max(1e-3), "{name}: {:?} for {expected:?}", found.spectral);
                    check_bounds(&name, &found);
                    measured += 1;
                }
                (Err(problem @ InputError::NoDerivative { row, .. }), None) => {
                    assert!(row == 1 && problem.to_string().contains("eps = 0"), "{name}: {problem}");
                    refused += 1;
                }
                // Scores of 1e320 are outside the range of f64.
                (Err(InputError::Overflow { .. }), Some(_)) if name == "overflow_1e160.json" => refused += 1,
                (found, expected) => panic!("{name}: {found:?} for {expected:?}"),
            }
        }
    }
    assert_eq!((measured, refused), (195, 5));
}

/// A case of the property below.
#[derive(Clone, Debug)]
struct Far {
    rows: Vec<Vec<f64>>,
    /// The entries of Q, K and V of each head, nine numbers for each matrix.
    weights: Vec<f64>,
    heads: usize,
    is_tied: bool,
    setting: (&'static str, &'static str, &'static str, &'static str),
    eps: f64,
}

fn far() -> impl Strategy<Value = Far> {
    let sizes = (1usize..6, 1usize..4, 1usize..3);
    let scales = (-8.0f64..1.0, -2.0f64..8.0, -2.0f64..0.6);
    let setting = (
        prop::sample::select(&["dot", "l2"][..]),
        prop::sample::select(&["none", "causal"][..]),
        prop::sample::select(&["none", "none", "layer", "rms"][..]),
        prop::sample::select(&["inputs", "composed"][..]),
    );
    let numbers = prop::collection::vec(-1.5f64..1.5, 128);
    (sizes, scales, setting, numbers, any::<bool>(), prop::sample::select(&[1e-5, 1e-12, 0.0][..])).prop_map(
        |((n, d, heads), (spread, offset, size), setting, numbers, is_tied, eps)| {
            let (spread, offset) = (10f64.powf(spread), 10f64.powf(offset));
            let mut numbers = numbers.into_iter().cycle();
            let mut next = || numbers.next().unwrap_or(0.5);
            let centre: Vec<f64> = (0..d).map(|_| offset * next()).collect();
            let rows: Vec<Vec<f64>> =
                (0..n + 1).map(|_| centre.iter().map(|c| c + spread * next()).collect()).collect();
            let largest = rows.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
            // Scores of ordinary size, so that attention is neither uniform nor one-hot.
            let unit = match setting {
                ("dot", _, "none", _) => (largest * spread).sqrt(),
                ("l2", _, "none", _) => spread,
                _ => 1.0,
            };
            let weights = (0..heads * 27).map(|_| 10f64.powf(size) * next() / unit).collect();
            Far { rows, weights, heads, is_tied, setting, eps }
        },
    )
}

impl Far {
    fn experiment(&self) -> Value {
        let d = self.rows[0].len();
        let matrix = |at: usize| -> Vec<Vec<f64>> {
            (0..d).map(|row| (0..d).map(|col| self.weights[9 * at + 3 * row + col]).collect()).collect()
        };
        let head = |at: usize| {
            let key = if self.is_tied { 3 * at } else { 3 * at + 1 };
            json!({"q": matrix(3 * at), "k": matrix(key), "v": matrix(3 * at + 2)})
        };
        let (attention, mask, normalization, scope) = self.setting;
        json!({
            "attention": attention, "mask": mask, "normalization": normalization, "normalization_scope": scope,
            "eps": self.eps, "tokens": {"source": "explicit", "rows": self.rows},
            "weights": {"source": "explicit", "heads": (0..self.heads).map(head).collect::<Vec<_>>()},
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Offsets to 1e8, spreads from 1e-8 on, both kernels, masks and normalisers, one head and two.
    #[test]
    fn no_printed_bound_is_below_the_printed_norm_however_far_the_tokens_are(case in far()) {
        let experiment = Experiment::from_value(case.experiment()).expect("a valid experiment");
        for options in [MeasureOptions::default(), iterated()] {
            match measure_with(&experiment, options) {
                Ok(found) => check_bounds(&format!("{case:?}"), &found),
                // At a small spread, rounding makes tokens equal. A token with a single entry is always constant.
                Err(InputError::NoDerivative { .. }) => prop_assert!(case.eps == 0.0),
                Err(problem) => return Err(TestCaseError::fail(problem.to_string())),
            }
        }
    }

    /// The L2 kernel with Q = K sees only differences, and these are exact here: moving all tokens together costs no
    /// digit.
    #[test]
    fn an_offset_of_all_tokens_costs_l2_attention_no_digit(
        (rows, offset) in (prop::collection::vec(prop::collection::vec(-2048i32..2048, 2), 2..6), 0u32..34),
        mask in prop::sample::select(&["none", "causal"][..]),
    ) {
        let at = |offset: f64| {
            let rows: Vec<Vec<f64>> =
                rows.iter().map(|row| row.iter().map(|x| offset + f64::from(*x) / 1024.0).collect()).collect();
            let matrix = [[1.5, 0.25], [-0.5, 1.0]];
            let experiment = json!({
                "attention": "l2", "mask": mask, "tokens": {"source": "explicit", "rows": rows},
                "weights": {"source": "explicit", "heads": [{"q": matrix, "k": matrix, "v": [[1.0, 2.0]]}]},
            });
            measure(&Experiment::from_value(experiment).expect("valid")).expect("measured").spectral
        };
        let (near, far) = (at(0.0), at(2f64.powi(offset as i32)));
        prop_assert!((near / far - 1.0).abs() < 1e-12, "{near:?} and {far:?} at 2^{offset}");
    }
}
