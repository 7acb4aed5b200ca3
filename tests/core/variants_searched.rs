//! Searches that try to break the bounds on variants of attention: ascents on the spectral norm in a ball, then walks that
//! raise the norm over the largest token. No list of tokens that they find passes a bound.

use lipscope_core::bounds::{Bound, Norm, Side};
use lipscope_core::experiment::{Experiment, Normalization, TokenSource};
use lipscope_core::measure::measure;
use lipscope_core::search::{Region, Search, SearchPlan};
use lipscope_testkit::drawn_variant::drawn_variant;
use lipscope_testkit::ratios;
use lipscope_testkit::upper_numbers::reached_token_norm_of;
use nalgebra::DMatrix;
use serde_json::{Value, json};

use crate::bounds_searched::{walk, with_tokens};

/// The number of experiments that are searched.
const SEARCHES: usize = 300;
/// The steps of a walk that raises the norm over the largest token.
const STEPS: usize = 60;
/// Allowance for rounding of bound and norm, relative.
const TOLERANCE: f64 = 1e-9;

fn check(file: &Value, bounds: &[Bound], norm: Norm, reached: f64) -> usize {
    let uppers = bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm == norm);
    uppers
        .map(|bound| {
            let ratio = if reached > 0.0 { 10f64.powf(reached.log10() - bound.log10) } else { 0.0 };
            ratios::record("variants_searched", &format!("found / {}", bound.id.id()), ratio);
            assert!(ratio <= 1.0 + TOLERANCE, "{ratio}: {bound:?} for {reached}: {file}");
        })
        .count()
}

#[test]
fn three_hundred_searches_in_two_norms_break_no_bound_on_a_variant() {
    let (mut searched, mut checked) = (0, 0);
    // Other experiments than those that are only drawn.
    let variants = (100_000..).map(|seed| (seed, drawn_variant(seed)));
    let is_searched = |experiment: &Experiment| {
        let has_two =
            matches!(&experiment.tokens, TokenSource::Explicit(rows) if rows.entries().len() > rows.n_columns());
        has_two && !experiment.is_plain() && experiment.normalization == Normalization::None
    };
    let variants = variants.filter(|(_, case)| is_searched(&case.experiment));
    for (seed, case) in variants.take(SEARCHES) {
        let plan = SearchPlan {
            experiment: case.experiment.clone(),
            region: Region::Ball,
            dim: None,
            restarts: 3,
            iterations: 15,
            seed,
        };
        let mut search = Search::start(&plan).unwrap_or_else(|problem| panic!("{}: {problem}", case.file));
        while search.step().expect("a step").is_some() {}
        searched += 1;
        let domain = search.domain();
        let (tokens, best) = search.best().expect("it has begun");
        checked += check(&case.file, &domain.bounds, Norm::Spectral, best);
        let norm = |tokens: &DMatrix<f64>| reached_token_norm_of(&with_tokens(&case.experiment, tokens));
        let (found, reached) = walk(STEPS, (tokens, domain.radius, seed), norm, |norm| *norm);
        checked += check(&case.file, &domain.bounds, Norm::MaxToken, reached);
        for (tokens, norm, value) in [(tokens, Norm::Spectral, best), (&found, Norm::MaxToken, reached)] {
            let measured = measure(&with_tokens(&case.experiment, tokens));
            let measured = measured.unwrap_or_else(|problem| panic!("{}: {problem}", case.file));
            checked += check(&case.file, &measured.bounds, norm, value);
        }
    }
    assert_eq!(searched, SEARCHES);
    assert!(checked > 5 * SEARCHES, "{checked}");
}

/// Inside one window attention is causal attention on its W tokens, but more tokens than that can reach more: the
/// constant of a window is not that of causal attention on W tokens, and only its upper bound depends on W in place of n.
#[test]
fn more_tokens_than_a_window_holds_reach_more_than_causal_attention_on_the_window() {
    for width in [2, 3, 4] {
        let found = |n: usize, mask: Value| {
            let file = json!({
                "tokens": {"source": "random", "distribution": "ball", "n": n, "d": 2, "radius": 1.5},
                "weights": {"source": "identity", "sign": -1}, "mask": mask,
            });
            let experiment = Experiment::from_value(file.clone()).expect("valid");
            let plan =
                SearchPlan { experiment, region: Region::Ball, dim: None, restarts: 12, iterations: 100, seed: 1 };
            let mut search = Search::start(&plan).expect("a search");
            while search.step().expect("a step").is_some() {}
            let best = search.best().expect("it has begun").1;
            assert!(check(&file, &search.domain().bounds, Norm::Spectral, best) > 0);
            best
        };
        let causal = found(width, json!("causal"));
        let window = found(4 * width, json!({"kind": "window", "width": width}));
        assert!(window > 1.03 * causal, "W = {width}: {window} with 4 W tokens, {causal} with W");
    }
}
