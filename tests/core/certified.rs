//! The certificate of a neighbourhood against norms inside it.

use lipscope_core::bounds::{BoundId, Neighbourhood};
use lipscope_core::certify::{Certificate, CertifyPlan, certify};
use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::measure::measure;
use lipscope_core::random::{Random, Stream};
use lipscope_core::search::{NearbyEffort, NearbySearch, norm_at};
use lipscope_core::weights::inputs;
use lipscope_testkit::drawn::drawn;
use lipscope_testkit::ratios;
use proptest::test_runner::{Config, TestRunner};

const EFFORT: NearbyEffort = NearbyEffort { restarts: 2, iterations: 20, seed: 1 };

#[test]
fn norms_at_drawn_tokens_of_the_neighbourhood_are_at_most_the_certificate() {
    let cases = std::cell::Cell::new(0);
    let config = Config { cases: 800, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&drawn(&["dot"]), |case| {
        if case.normalization != "none" {
            return Ok(());
        }
        cases.set(cases.get() + 1);
        let experiment = case.experiment();
        let given = inputs(&experiment).expect("inputs");
        let neighbourhood = Neighbourhood::new(&experiment, &given).expect("it applies");
        let mut random = Random::new(case.seed, Stream::AscentStart(0));
        for share in [0.0, 1e-3, 0.03, 0.3] {
            let eps = share * case.radius;
            let certified = neighbourhood.certified(eps);
            proptest::prop_assert!(
                certified.is_finite() && certified >= neighbourhood.certified(0.9 * eps) * (1.0 - 1e-12)
            );
            for _ in 0..25 {
                let mut tokens = given.tokens.clone();
                for mut token in tokens.column_iter_mut() {
                    let mut moved = token.clone_owned();
                    moved.iter_mut().for_each(|x| *x = random.normal());
                    token += moved.normalize() * eps;
                }
                let norm = norm_at(&experiment, &given, &tokens, None).expect("finite").value;
                ratios::record("certified", &format!("norm / certified, eps {share} R"), norm / certified);
                proptest::prop_assert!(norm <= certified * (1.0 + 1e-9), "eps {eps}: {norm} above {certified}");
            }
        }
        Ok(())
    });
    outcome.expect("every certificate holds");
    assert!(cases.get() >= 200, "only {} cases", cases.get());
}

#[test]
fn searches_within_eps_stay_below_the_certificate_which_starts_near_local() {
    for (mask, seed) in [("none", 1), ("none", 2), ("causal", 3), ("causal", 4)] {
        let experiment = Experiment::from_json(&format!(
            r#"{{"mask":"{mask}","tokens":{{"source":"random","n":12,"d":4,"radius":2,"seed":{seed}}},
                "weights":{{"source":"random","heads":1,"head_dim":4,"seed":{seed}}}}}"#
        ))
        .expect("a valid experiment");
        let relative = vec![0.0, 1e-3, 1e-2, 0.03, 0.1];
        let rows =
            certify(&CertifyPlan { experiment: experiment.clone(), relative, effort: EFFORT }, Memory::default())
                .expect("certified");
        let found = measure(&experiment).expect("measured");
        let local = found.bounds.iter().find(|bound| bound.id == BoundId::Local).and_then(|bound| bound.value);
        let local = local.expect("it applies");
        assert!((1.0 - 1e-12..1.2).contains(&(rows[0].certified / local)), "{mask} {seed}: {rows:?}");
        assert!((rows[0].found / found.spectral - 1.0).abs() < 1e-9, "nothing moves at eps = 0");
        for row in &rows {
            ratios::record("certified", "found / certified", row.found / row.certified);
            assert!(
                row.found <= row.certified && row.found <= row.ball && row.local <= local,
                "{mask} {seed}: {row:?}"
            );
            println!("{mask} {seed}: {row:?}");
        }
        assert!(
            rows[1].certified < 1.1 * rows[0].certified && rows[4].found > found.spectral,
            "{mask} {seed}: {rows:?}"
        );
    }
}

#[test]
fn a_search_within_eps_keeps_every_token_within_eps_and_finds_more_in_a_larger_ball() {
    for mask in ["none", "causal"] {
        let experiment = Experiment::from_json(&format!(
            r#"{{"mask":"{mask}","tokens":{{"source":"random","n":9,"d":2,"radius":1.5,"seed":3}},
                "weights":{{"source":"identity","sign":-1}}}}"#
        ))
        .expect("a valid experiment");
        let given = inputs(&experiment).expect("inputs");
        let neighbourhood = Neighbourhood::new(&experiment, &given).expect("it applies");
        for eps in [1e-3, 0.05, 0.4] {
            let mut search = NearbySearch::new(given.tokens.clone(), eps, EFFORT);
            let (mut steps, mut before, mut farthest) = (0, 0.0f64, 0.0f64);
            while search.step(&experiment, &given).expect("finite") {
                let (tokens, norm) = search.best().expect("it has begun");
                let distances = tokens.column_iter().zip(given.tokens.column_iter()).map(|(x, y)| (x - y).norm());
                farthest = distances.fold(farthest, f64::max);
                assert!(norm >= before && norm <= neighbourhood.certified(eps), "{mask} {eps}: {norm}");
                let there = norm_at(&experiment, &given, tokens, None).expect("finite").value;
                assert!((norm / there - 1.0).abs() < 1e-9, "{mask} {eps}: {norm} is {there} at its tokens");
                (steps, before) = (steps + 1, norm);
            }
            assert!(farthest <= eps * (1.0 + 1e-12), "{mask}: {farthest} with eps {eps}");
            assert!(farthest > 0.99 * eps && steps > EFFORT.restarts, "{mask} {eps}: {steps} steps to {farthest}");
        }
        let relative = vec![1e-3, 1e-2, 0.1, 0.3];
        let plan = CertifyPlan { experiment, relative, effort: NearbyEffort { restarts: 1, iterations: 3, seed: 0 } };
        let rows = certify(&plan, Memory::default()).expect("certified");
        assert!(rows.windows(2).all(|pair| pair[0].found < pair[1].found), "{mask}: {rows:?}");
        let mut certificate = Certificate::start_within(&plan, Memory::default()).expect("it applies");
        while certificate.step().expect("finite") {}
        for (row, places) in certificate.so_far().rows.iter().zip(&certificate.so_far().places) {
            assert_eq!(places.len(), 9);
            for ((x, y), token) in places.iter().zip(given.tokens.column_iter()) {
                let away = (f64::from(*x) - token[0]).hypot(f64::from(*y) - token[1]);
                assert!(away <= row.epsilon + 1e-6, "{mask}: {away} with eps {}", row.epsilon);
            }
        }
    }
}

/// At the page's radii and with its effort, at 16 tokens: where tokens may move farther, more is found.
#[test]
fn what_is_found_grows_with_every_radius_that_the_page_draws() {
    let experiment = Experiment::from_json(
        r#"{"tokens":{"source":"random","n":16,"d":2,"radius":1.5,"seed":0},"weights":{"source":"identity","sign":-1}}"#,
    )
    .expect("a valid experiment");
    let decade = |part: f64| [1.0, 1.5, 2.0, 3.0, 5.0, 7.0].map(|eps| eps / part);
    let relative: Vec<f64> = [1e4, 1e3, 1e2, 10.0].into_iter().flat_map(decade).chain([1.0]).collect();
    let effort = NearbyEffort { restarts: 3, iterations: 40, seed: 0 };
    let rows = certify(&CertifyPlan { experiment, relative, effort }, Memory::default()).expect("certified");
    assert_eq!(rows.len(), 25);
    for pair in rows.windows(2) {
        assert!(pair[0].found < pair[1].found, "{:?} {:?}", pair[0], pair[1]);
    }
}

#[test]
fn what_has_no_certificate_is_refused_with_what_to_change() {
    for (text, named) in [
        (r#""attention":"l2","tokens":{"source":"random","n":4,"d":2,"radius":1}"#, "attention"),
        (r#""normalization":"layer","tokens":{"source":"random","n":4,"d":2,"radius":1}"#, "normalization"),
        (r#""tokens":{"source":"clusters","positions":[[1],[2]],"log_multiplicities":[0,1]}"#, "clusters"),
    ] {
        let experiment =
            Experiment::from_json(&format!(r#"{{{text},"weights":{{"source":"identity"}}}}"#)).expect("valid");
        let plan = CertifyPlan { experiment, relative: vec![0.1], effort: EFFORT };
        let problem = certify(&plan, Memory::default()).expect_err("refused").to_string();
        assert!(problem.contains(named), "{problem}");
        let negative = CertifyPlan { relative: vec![-0.1], ..plan };
        assert!(certify(&negative, Memory::default()).expect_err("refused").to_string().contains("epsilon"));
    }
}
