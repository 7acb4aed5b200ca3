//! The certificate of a neighbourhood against norms inside it.

use lipscope_core::attention::{DistanceBias, Dual, Forward, GivenSteps, HeadPart, HeadSizes, Kernel, Projections};
use lipscope_core::bounds::{DotAttention, LOCAL, Neighbourhood};
use lipscope_core::certify::{Certificate, CertifyPlan, certify};
use lipscope_core::experiment::{Attention, Experiment, InputError, Mask, Memory, Order};
use lipscope_core::measure::measure;
use lipscope_core::random::{Random, Stream};
use lipscope_core::search::{AttentionAt, ExperimentAttention, NearbyEffort, NearbySearch, norm_at, norm_of_attention};
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::weights::{HeadWeights, Weights, inputs};
use lipscope_testkit::drawn::drawn;
use lipscope_testkit::ratios;
use nalgebra::{DMatrix, DVector};
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

/// Heads with biases, groups, a mask and biases of scores, as trained models have them.
struct Given {
    sizes: HeadSizes,
    weights: Weights,
    query_biases: Vec<DVector<f64>>,
    steps: GivenSteps,
    mask: Mask,
    tokens: DMatrix<f64>,
}

impl Given {
    fn drawn(case: u64) -> Self {
        let mut random = Random::new(case, Stream::Tokens);
        let pick = |from: usize, to: usize, random: &mut Random| {
            from + (random.normal().abs() * 1e3) as usize % (to - from + 1)
        };
        let (groups, each) = (pick(1, 3, &mut random), pick(1, 2, &mut random));
        let sizes = HeadSizes { heads: groups * each, groups, k: pick(1, 3, &mut random) };
        let (d, d_out) = (pick(1, 6, &mut random), pick(1, 6, &mut random));
        let n = pick(1, 7, &mut random);
        let scale = 10f64.powf(0.5 * random.normal() - 0.4);
        let mut matrix = |rows: usize, columns: usize| DMatrix::from_fn(rows, columns, |_, _| scale * random.normal());
        let keys: Vec<(DMatrix<f64>, DMatrix<f64>)> =
            (0..groups).map(|_| (matrix(sizes.k, d), matrix(sizes.k, d))).collect();
        let head = |h: usize, q: DMatrix<f64>| {
            let (k, v) = keys[sizes.group(h)].clone();
            HeadWeights { q, k, v, second: None }
        };
        let heads: Vec<HeadWeights> = (0..sizes.heads).map(|h| head(h, matrix(sizes.k, d))).collect();
        let output = (!case.is_multiple_of(5)).then(|| matrix(d_out, sizes.heads * sizes.k));
        let query_biases = (0..sizes.heads).map(|_| matrix(sizes.k, 1).column(0).into_owned()).collect();
        let slopes = matrix(sizes.heads, 1).as_slice().to_vec();
        let spread = 10f64.powf(random.normal() * 0.5);
        let tokens = DMatrix::from_fn(d, n, |row, column| match case % 4 {
            // All but one equal.
            0 => spread * f64::from(i8::from(column > 0)) * (row as f64 + 0.5).sin(),
            _ => spread * random.normal(),
        });
        let masks = [
            Mask::None,
            Mask::Causal,
            Mask::Window { width: 2, order: Order::Causal },
            Mask::Window { width: 3, order: Order::Free },
        ];
        let bias = if case.is_multiple_of(3) { DistanceBias::Slopes(slopes) } else { DistanceBias::None };
        Given {
            sizes,
            weights: Weights { heads, shared: Vec::new(), output, l2_mha: None },
            query_biases,
            steps: GivenSteps { bias, ..GivenSteps::default() },
            mask: masks[case as usize / 4 % 4].clone(),
            tokens,
        }
    }

    fn neighbourhood(&self) -> Neighbourhood {
        let Given { weights, query_biases, steps, mask, .. } = self;
        Neighbourhood::of_attention(
            DotAttention { weights, query_biases, score_biases: &steps.bias, mask },
            &self.tokens,
        )
    }

    fn at<T: lipscope_core::attention::Scalar>(&self, tokens: &DMatrix<T>) -> Result<Forward<T>, InputError> {
        let k = self.sizes.k;
        let parts = self.sizes.parts();
        let mut stacked = DMatrix::zeros(parts.len() * k, self.tokens.nrows());
        let mut biases = vec![0.0; parts.len() * k];
        for (at, part) in parts.into_iter().enumerate() {
            let of_group = |group: usize| &self.weights.heads[group * self.sizes.heads / self.sizes.groups];
            let rows = match part {
                HeadPart::Query(head) => {
                    biases[at * k..][..k].copy_from_slice(self.query_biases[head].as_slice());
                    &self.weights.heads[head].q
                }
                HeadPart::Key(group) => &of_group(group).k,
                HeadPart::Value(group) => &of_group(group).v,
            };
            stacked.rows_mut(at * k, k).copy_from(rows);
        }
        let biases: Vec<T> = biases.into_iter().map(T::constant).collect();
        let output = self.weights.output.as_ref().map(|output| output.map(T::constant));
        let kernel = Kernel::new(Attention::Dot, k);
        let stacked = stacked.map(T::constant);
        let projections = Projections::of_grouped_heads(kernel, self.sizes, stacked, &biases, output);
        Forward::of_projections(projections, self.mask.clone(), &self.steps, tokens)
    }

    fn norm_at(&self, tokens: &DMatrix<f64>) -> f64 {
        norm_of_attention(self, tokens, None, LanczosOptions::default()).expect("finite").value
    }
}

impl AttentionAt for Given {
    fn forward(&self, tokens: &DMatrix<f64>) -> Result<Forward<f64>, InputError> {
        self.at(tokens)
    }

    fn lifted(&self, tokens: &DMatrix<Dual>) -> Result<Forward<Dual>, InputError> {
        self.at(tokens)
    }
}

#[test]
fn no_norm_within_eps_is_above_any_way_to_combine_heads_with_biases_masks_and_groups() {
    let (mut together, mut smaller) = (0, 0);
    for case in 0..2400 {
        let given = Given::drawn(case);
        let neighbourhood = given.neighbourhood();
        let mut random = Random::new(case, Stream::AscentStart(0));
        let radius = given.tokens.column_iter().map(|token| token.norm()).fold(0.0, f64::max);
        for share in [0.0, 0.01, 0.2] {
            let eps = share * radius;
            let bounds = neighbourhood.certified_heads(eps);
            let least = bounds.together.unwrap_or(bounds.added).min(bounds.added);
            assert_eq!(bounds.value(), least);
            if let Some(found) = bounds.together {
                together += 1;
                smaller += usize::from(found < bounds.added);
            }
            let check = |norm: f64, how: &str| {
                ratios::record("certified", &format!("norm / certified of heads, eps {share} R, {how}"), norm / least);
                assert!(
                    norm <= least * (1.0 + 1e-9) + 1e-300,
                    "case {case}, eps {eps}, {how}: {norm} above {bounds:?}"
                );
            };
            for _ in 0..4 {
                let mut tokens = given.tokens.clone();
                for mut token in tokens.column_iter_mut() {
                    let moved = DVector::from_fn(token.nrows(), |_, _| random.normal());
                    token += moved.normalize() * eps;
                }
                check(given.norm_at(&tokens), "drawn");
            }
            let effort = NearbyEffort { restarts: 2, iterations: 6, seed: case };
            let mut search = NearbySearch::new(given.tokens.clone(), eps, effort);
            while search.step(&given, &given.tokens).expect("finite") {}
            check(search.best().expect("begun").1, "searched");
        }
    }
    println!("taken together {together} times, smaller {smaller} times");
    assert!(together > 4000 && 2 * smaller > together, "{together} {smaller}");
}

/// With tokens s X, queries Q/s, keys K/s and values t V the scores are those of X, Q, K and V, and J is t times as large. So
/// is the bound on the neighbourhood s eps, where squares of these numbers underflow or overflow too.
#[test]
fn the_certificate_of_scaled_tokens_and_values_is_the_scaled_certificate() {
    for output in [false, true] {
        for (exponent, of_values) in [(-285, -27), (-285, -310), (285, -590), (-60, 570), (0, -530)] {
            let experiment = Experiment::from_json(&format!(
                r#"{{"tokens":{{"source":"random","n":5,"d":3,"radius":1,"seed":4}},
                    "weights":{{"source":"random","heads":2,"head_dim":2,"seed":4,"output":{output}}}}}"#
            ))
            .expect("a valid experiment");
            let given = inputs(&experiment).expect("inputs");
            let before = Neighbourhood::new(&experiment, &given).expect("it applies");
            let (s, t) = (2f64.powi(exponent), 2f64.powi(of_values));
            let mut scaled = given.clone();
            scaled.tokens *= s;
            for head in &mut scaled.weights.heads {
                head.q /= s;
                head.k /= s;
                head.v *= t;
            }
            let after = Neighbourhood::new(&experiment, &scaled).expect("it applies");
            for eps in [0.0, 0.01, 0.2] {
                let (before, after) = (before.certified_heads(eps), after.certified_heads(s * eps));
                let pairs = before.heads.iter().zip(&after.heads).chain([(&before.added, &after.added)]);
                let together = before.together.iter().zip(&after.together);
                for (before, after) in pairs.chain(together) {
                    let ratio = after / t / before;
                    assert!(
                        (ratio - 1.0).abs() < 1e-12,
                        "s {exponent}, t {of_values}, eps {eps}: {after} for {before}"
                    );
                }
                assert_eq!(before.together.is_some(), output);
            }
        }
    }
}

/// What the bound of several heads behind an output matrix gains, beside the sum.
#[test]
fn twelve_gaussian_heads_taken_together_have_about_half_the_sum_of_their_bounds() {
    for seed in 0..3 {
        let experiment = Experiment::from_json(&format!(
            r#"{{"tokens":{{"source":"random","n":16,"d":48,"radius":1,"seed":{seed}}},
                "weights":{{"source":"random","heads":12,"head_dim":4,"seed":{seed},"output":true}}}}"#
        ))
        .expect("a valid experiment");
        let given = inputs(&experiment).expect("inputs");
        let bounds = Neighbourhood::new(&experiment, &given).expect("it applies").certified_heads(0.01);
        let together = bounds.together.expect("twelve heads and an output matrix");
        println!("seed {seed}: {together} for {}", bounds.added);
        assert!((1.5..3.0).contains(&(bounds.added / together)), "{together} for {}", bounds.added);
        assert_eq!(bounds.heads.len(), 12);
    }
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
            certify(&CertifyPlan { experiment: experiment.clone(), relative, effort: EFFORT }).expect("certified").rows;
        let found = measure(&experiment).expect("measured");
        let local = found.bounds.iter().find(|bound| bound.id == &LOCAL).and_then(|bound| bound.value);
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
            let attention = ExperimentAttention { experiment: &experiment, inputs: &given };
            while search.step(&attention, &given.tokens).expect("finite") {
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
        let rows = certify(&plan).expect("certified").rows;
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
    let rows = certify(&CertifyPlan { experiment, relative, effort }).expect("certified").rows;
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
        let problem = certify(&plan).expect_err("refused").to_string();
        assert!(problem.contains(named), "{problem}");
        let negative = CertifyPlan { relative: vec![-0.1], ..plan };
        assert!(certify(&negative).expect_err("refused").to_string().contains("epsilon"));
    }
}
