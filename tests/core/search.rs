//! The worst-case search: its gradient, its results, and its reproducibility.

use lipscope_core::bounds::{Bound, FORK, Norm, SINK, Side};
use lipscope_core::experiment::{Experiment, InputError, Rows, TokenSource};
use lipscope_core::jacobian::dense_jacobian;
use lipscope_core::measure::measure;
use lipscope_core::random::{Random, Stream};
use lipscope_core::search::{Region, Search, SearchPlan, SearchStep, StartKind, gradient_at, norm_at};
use lipscope_core::spectral::singular_values;
use lipscope_core::weights::{Inputs, inputs};
use lipscope_testkit::drawn::{Drawn, drawn};
use lipscope_testkit::ratios::{record, within};
use nalgebra::DMatrix;
use proptest::prelude::*;
use serde_json::json;

fn plan(experiment: Experiment) -> SearchPlan {
    SearchPlan { experiment, region: Region::Ball, dim: None, restarts: 6, iterations: 300, seed: 0 }
}

/// A = -1, R = 1.5, n = 16, where the adversarial tokens reach only 5.659.
fn sixteen() -> Experiment {
    Experiment::from_value(json!({
        "tokens": {"source": "adversarial", "n": 16, "radius": 1.5}, "weights": {"source": "identity", "sign": -1},
    }))
    .expect("valid")
}

fn run(plan: &SearchPlan) -> (Search, Vec<SearchStep>) {
    let mut search = Search::start(plan).unwrap_or_else(|problem| panic!("{problem}"));
    let mut steps = Vec::new();
    while let Some(step) = search.step().expect("a step") {
        steps.push(step);
    }
    (search, steps)
}

/// The experiment at the best tokens that a search has found.
fn at_best(search: &Search) -> Experiment {
    let (tokens, _) = search.best().expect("it has begun");
    let rows = Rows::new("The tokens", tokens.nrows(), tokens.as_slice().to_vec()).expect("finite tokens");
    Experiment { tokens: TokenSource::Explicit(rows), ..search.domain().experiment.clone() }
}

/// The two largest singular values at given tokens.
fn top_two(experiment: &Experiment, inputs: &Inputs, tokens: &DMatrix<f64>) -> (f64, f64) {
    let forward = lipscope_core::attention::Forward::<f64>::at(experiment, inputs, tokens).expect("forward");
    let values = singular_values(&dense_jacobian(&forward)).expect("finite");
    (values[0], values.get(1).copied().unwrap_or(0.0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_global_rejects: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_gradient_is_the_finite_difference_of_the_norm(case in drawn(&["dot", "l2"])) {
        let case = Drawn {
            normalization: "none",
            n: case.n + 1,
            radius: case.radius.min(2.0),
            weight_scale: case.weight_scale.min(1.5),
            ..case
        };
        let experiment = case.experiment();
        let inputs = inputs(&experiment).expect("inputs");
        let tokens = inputs.tokens.clone();
        let (first, second) = top_two(&experiment, &inputs, &tokens);
        // A multiple largest singular value has no derivative.
        prop_assume!(first > 0.0 && first - second > 0.02 * first);
        let triplet = norm_at(&experiment, &inputs, &tokens, None).expect("a norm");
        prop_assert!((triplet.value - first).abs() < 1e-12 * first);
        let gradient = gradient_at(&experiment, &inputs, &tokens, &triplet).expect("a gradient");
        let mut random = Random::new(case.seed, Stream::StartVector);
        let mut along = DMatrix::from_fn(case.d, case.n, |_, _| random.normal());
        along /= along.norm();
        let difference = |h: f64| {
            let at = |step: f64| top_two(&experiment, &inputs, &(&tokens + &along * step)).0;
            (at(h) - at(-h)) / (2.0 * h)
        };
        let (coarse, fine) = (difference(2e-4), difference(1e-4));
        let rounding = 1e-10 * first;
        let scale = gradient.norm().max(rounding);
        // Cases whose third derivative is too large for these step lengths are skipped.
        prop_assume!((coarse - fine).abs() < 1e-3 * scale + rounding);
        let extrapolated = (4.0 * fine - coarse) / 3.0;
        let error = (extrapolated - gradient.dot(&along)).abs();
        let allowed = (coarse - fine).abs() + 1e-7 * scale + rounding;
        prop_assert!(within("search.gradient", "along a direction", error, allowed),
            "off by {error:e} of {scale:e}: {extrapolated:e} and {:e}", gradient.dot(&along));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_best_norm_never_falls_never_exceeds_a_bound_and_equals_a_new_measurement(
        case in drawn(&["dot", "l2"]), region in prop::sample::select(&[Region::Ball, Region::Sphere][..]),
    ) {
        let case = Drawn { normalization: "none", n: case.n + 1, ..case };
        let plan = SearchPlan { region, restarts: 5, iterations: 12, seed: case.seed, ..plan(case.experiment()) };
        let (search, steps) = run(&plan);
        let hypotheses = search.domain();
        let (tokens, best) = search.best().expect("it has begun");
        prop_assert!(steps.len() > 12, "{} steps", steps.len());
        prop_assert!(steps.windows(2).all(|pair| pair[1].best >= pair[0].best));
        prop_assert!(steps.iter().all(|step| step.best >= step.norm && step.relative_residual < 1e-9));
        for token in tokens.column_iter() {
            prop_assert!(token.norm() <= hypotheses.radius * (1.0 + 1e-12));
            prop_assert!(region == Region::Ball || token.norm() >= hypotheses.radius * (1.0 - 1e-12));
        }
        let is_upper = |bound: &&Bound| bound.side == Side::Upper && bound.norm == Norm::Spectral;
        // Of L2 attention with weights of any form no global bound is known.
        prop_assert!(case.attention == "l2" || hypotheses.bounds.iter().any(|bound| is_upper(&bound)), "no upper bound in {:?}", hypotheses.bounds);
        for bound in hypotheses.bounds.iter().filter(is_upper) {
            let most = bound.value.unwrap_or(f64::INFINITY);
            record("search.best", &format!("best / {}", bound.id.id()), best / most);
            prop_assert!(best <= most * (1.0 + 1e-9), "{best} is above {bound:?}");
        }
        let again = measure(&at_best(&search)).expect("measured").spectral;
        prop_assert!(within("search.best", "measured again", (again - best).abs(), 1e-11 * best), "{again} for {best}");
    }
}

#[test]
fn the_search_exceeds_six_from_the_adversarial_tokens_of_a_equal_to_minus_one() {
    for (dim, least) in [(1, 6.007), (2, 6.168)] {
        let (search, steps) = run(&SearchPlan { dim: Some(dim), ..plan(sixteen()) });
        assert!((steps[0].norm - 5.659).abs() < 5e-4, "{:?}", steps[0]);
        let (_, best) = search.best().expect("it has begun");
        assert!(best >= least, "d = {dim}: {best}");
        let reached = steps.iter().position(|step| step.best >= 6.0).expect("it is passed");
        assert!(reached < 60, "d = {dim}: only after {reached} iterations");
        let is_upper = |bound: &&Bound| bound.side == Side::Upper && bound.norm == Norm::Spectral;
        let upper = search.domain().bounds.iter().filter(is_upper);
        let sharp = upper.filter_map(|bound| bound.value).fold(f64::INFINITY, f64::min);
        assert!((sharp - 9.502501).abs() < 1e-6 && best <= sharp, "{best} {sharp}");
    }
}

/// The tokens behind `sink` and `fork` are starts, so that a search never ends below the bounds that they prove.
#[test]
fn the_search_finds_at_least_the_witnesses_of_sink_and_fork() {
    let explicit = |q: serde_json::Value| json!({"source": "explicit", "heads": [{"q": q, "k": [[1.0, 0.0], [0.0, 1.0]], "v": [[1.0, 0.0], [0.0, 1.0]]}]});
    let turn = explicit(json!([[0.0, -1.5], [1.5, 0.0]]));
    let drawn = json!({"source": "random", "heads": 2, "head_dim": 2, "scale": 2.0, "seed": 3, "output": true});
    for (weights, n, d, radius) in [
        (turn.clone(), 64, 2, 3.0),
        (turn, 5, 2, 2.0),
        (json!({"source": "identity", "sign": -1}), 8, 2, 2.0),
        (json!({"source": "identity", "sign": 1}), 20, 3, 3.0),
        (drawn, 12, 4, 2.0),
    ] {
        for region in [Region::Ball, Region::Sphere] {
            let experiment = Experiment::from_value(json!({
                "tokens": {"source": "random", "distribution": "ball", "n": n, "d": d, "radius": radius, "seed": 1},
                "weights": weights.clone(),
            }))
            .expect("valid");
            let (search, steps) = run(&SearchPlan { region, restarts: 7, iterations: 2, ..plan(experiment) });
            let best = search.best().expect("it has begun").1;
            for (id, kind) in [(&SINK, StartKind::Sink), (&FORK, StartKind::Fork)] {
                let bound = search.domain().bounds.iter().find(|bound| bound.id == id).expect("it applies");
                let least = bound.value.expect("in range");
                // On the sphere the tokens of a witness are moved outward, which changes the norm.
                let is_reached = region == Region::Sphere || best >= least * (1.0 - 1e-9);
                assert!(is_reached, "n = {n}, d = {d}: {best} is below {id:?} at {least}");
                let start = steps.iter().find(|step| step.start == kind).map(|step| step.norm);
                if region == Region::Ball && kind == StartKind::Fork {
                    let found = start.expect("no other start has these tokens");
                    assert!(found >= least * (1.0 - 1e-9), "n = {n}, d = {d}: {found} for {least}");
                }
            }
        }
    }
}

#[test]
fn crossed_tokens_reach_their_proved_norm_and_most_of_the_unified_bound() {
    for (n, radius) in [(4, 1.0f64), (16, 3.0), (64, 3.0), (100, 4.0)] {
        let experiment = Experiment::from_value(json!({
            "tokens": {"source": "adversarial", "n": n, "radius": radius}, "weights": {"source": "identity", "sign": -1},
        }))
        .expect("valid");
        let (_, steps) = run(&SearchPlan { dim: Some(2), iterations: 1, ..plan(experiment) });
        let found = steps.iter().find(|step| step.start == StartKind::Crossed).expect("a start").norm;
        let (n, a) = (f64::from(n), radius * radius);
        let share = 1.0 / (2.0 + (n - 2.0) * (-a).exp());
        let proved = (2.0 * (n - 2.0)).sqrt() * share * a;
        assert!(found >= proved && found <= 1.5 * proved + 1.0, "n = {n}, R = {radius}: {found}, proved {proved}");
    }
}

/// Without the tokens of `centre` among the starts, twelve restarts stopped at 9.586.
#[test]
fn the_search_for_a_equal_to_one_finds_a_token_between_two_clusters() {
    let experiment = Experiment::from_value(json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 16, "d": 2, "radius": 4, "seed": 1},
        "weights": {"source": "identity", "sign": 1},
    }))
    .expect("valid");
    let (search, steps) = run(&SearchPlan { restarts: 12, iterations: 40, ..plan(experiment) });
    assert!(steps.iter().any(|step| step.start == StartKind::Centre));
    let best = search.best().expect("it has begun").1;
    assert!(best >= 15.0, "{best}");
}

#[test]
fn the_same_seed_gives_the_same_digits_also_after_resuming() {
    let plan = SearchPlan { restarts: 4, iterations: 60, dim: Some(2), seed: 7, ..plan(sixteen()) };
    let (whole, steps) = run(&plan);
    assert!(run(&plan).1 == steps, "a second run took other steps");
    assert!(run(&SearchPlan { seed: 8, ..plan.clone() }).1 != steps, "another seed took the same steps");
    // Inside a restart, at a kick, at the end of a restart, and at the last step.
    for stop in [1, 37, 59, 60, 61, 150, steps.len() - 1] {
        let mut first = Search::start(&plan).expect("it begins");
        for _ in 0..stop {
            first.step().expect("a step");
        }
        let mark = first.mark().expect("listed").expect("it has begun");
        assert_eq!(mark.best_norm(), steps[stop - 1].best);
        let mut second = Search::resume(&plan, &mark).expect("it goes on");
        let mut rest = Vec::new();
        while let Some(step) = second.step().expect("a step") {
            rest.push(step);
        }
        assert!(rest == steps[stop..], "stopped after {stop}: other steps");
        assert!(second.best() == whole.best(), "stopped after {stop}: another best");
    }
}

#[test]
fn iterated_norms_of_a_large_jacobian_are_never_too_large() {
    let experiment = Experiment::from_value(json!({
        "mask": "causal", "tokens": {"source": "random", "distribution": "ball", "n": 40, "d": 3, "radius": 1.5, "seed": 2},
        "weights": {"source": "random", "heads": 2, "head_dim": 3, "seed": 5, "output": true},
    }))
    .expect("valid");
    let (search, steps) = run(&SearchPlan { restarts: 4, iterations: 25, ..plan(experiment) });
    let (tokens, best) = search.best().expect("it has begun");
    let inputs = inputs(&search.domain().experiment).expect("inputs");
    let exact = top_two(&search.domain().experiment, &inputs, tokens).0;
    assert!(best <= exact * (1.0 + 1e-13) && best >= exact * (1.0 - 1e-11), "{best} for {exact}");
    assert!(best > 1.2 * steps[0].norm, "{best} from {}", steps[0].norm);
}

#[test]
fn unsupported_plans_give_an_error_message() {
    let of = |tokens: serde_json::Value, more: serde_json::Value| {
        let mut file = json!({"tokens": tokens, "weights": {"source": "identity", "sign": -1}});
        file.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        Experiment::from_value(file).expect("valid")
    };
    let random = |n: usize| json!({"source": "random", "distribution": "ball", "n": n, "d": 2, "radius": 1.0});
    let refused = |plan: &SearchPlan| Search::start(plan).map(|_| ()).expect_err("it is refused");
    let normalized = refused(&plan(of(random(4), json!({"normalization": "layer"}))));
    assert!(normalized.to_string().contains("`normalization`"), "{normalized}");
    let clusters = json!({"source": "clusters", "positions": [[1.0]], "log_multiplicities": [3.0]});
    assert!(refused(&plan(of(clusters, json!({})))).to_string().contains("clusters"));
    assert_eq!(refused(&plan(of(random(1), json!({})))), InputError::OneToken);
    assert!(matches!(refused(&plan(of(random(4000), json!({})))), InputError::TooLarge { .. }));
    let four = plan(of(random(4), json!({})));
    assert!(matches!(refused(&SearchPlan { dim: Some(1), ..four.clone() }), InputError::Conflict { .. }));
    assert!(matches!(refused(&SearchPlan { restarts: 0, ..four.clone() }), InputError::BadValue { .. }));
    assert!(matches!(refused(&SearchPlan { iterations: 0, ..four.clone() }), InputError::BadValue { .. }));
    let zero = json!({"source": "explicit", "rows": [[0.0], [0.0]]});
    assert!(refused(&plan(of(zero, json!({})))).to_string().contains("radius"));
    // A checkpoint of another search.
    let mut search = Search::start(&four).expect("it begins");
    assert!(search.mark().expect("listed").is_none());
    search.step().expect("a step");
    let mark = search.mark().expect("listed").expect("it has begun");
    assert!(matches!(Search::resume(&plan(sixteen()), &mark), Err(InputError::Shape { .. })));
}

#[test]
fn a_search_from_the_skew_witness_uses_its_weights() {
    let experiment =
        Experiment::from_value(json!({"tokens": {"source": "skew", "n": 12, "radius": 2.0}})).expect("valid");
    let (search, steps) = run(&SearchPlan { restarts: 1, iterations: 5, ..plan(experiment.clone()) });
    let own = measure(&experiment).expect("measured").spectral;
    assert!((steps[0].norm - own).abs() < 1e-12 * own, "{} for {own}", steps[0].norm);
    let best = search.best().expect("it has begun").1;
    let again = measure(&at_best(&search)).expect("measured").spectral;
    assert!((again - best).abs() < 1e-11 * best, "{again} for {best}");
}
