//! The answers of a worker, without a browser: order, cancelling, errors, and curves that hold for every draw.

use lipscope_core::bounds::{
    Bound, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, Norm, SHARP, Side, UNIFIED, best_upper,
};
use lipscope_core::certify::{Certified, CertifyPlan, certify};
use lipscope_core::estimators::{ESTIMATOR_TOLERANCE, EstimatorPlan, EstimatorPoint, Preset};
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::growth::{GrowthPlan, growth};
use lipscope_core::measure::{BlockNorms, MeasureOptions, Measurement, Method, UpperNumber, measure_with};
use lipscope_core::picture::PairRequest;
use lipscope_core::script::Dialect;
use lipscope_core::search::{NearbyEffort, Region, Search, SearchCheckpoint, SearchPlan, SearchStep};
use lipscope_core::spectrum::{Spectrum, SpectrumMap, SpectrumPlan};
use lipscope_core::sweep::{Spacing, SweepPoint};
use lipscope_protocol::envelope::{Command, Content, Progress, Reply, Request};
use lipscope_protocol::models::{
    DownloadPlan, Downloaded, ModelContext, ModelEvent, ModelPlan, ModelTasks, Network, Transfer, TransferState,
};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::Poll;
use lipscope_protocol::tasks::{
    BallPlan, EngineEvent, EnginePlan, EngineTasks, GrowthEvent, GrowthRequest, MeasureEvent, MeasurePlan, ScriptPlan,
    SearchEvent, SearchRequest, SweepRequest,
};
use serde_json::json;

fn experiment(scope: &str, normalization: &str, distribution: &str) -> Experiment {
    Experiment::from_value(json!({
        "normalization": normalization, "normalization_scope": scope,
        "tokens": {"source": "random", "distribution": distribution, "n": 40, "d": 3, "radius": 1.5, "seed": 11},
        "weights": {"source": "random", "heads": 2, "head_dim": 2},
    }))
    .expect("valid")
}

fn run(run_id: u64, plan: EnginePlan) -> Command<EnginePlan> {
    Command::Run(Request { run_id, plan })
}

fn last(run_id: u64, content: Content<EngineEvent>) -> Option<Reply<EngineEvent>> {
    Some(Reply { run_id, content })
}

/// All replies to a plan, whose run is number 5.
fn answer(plan: EnginePlan) -> Vec<Reply<EngineEvent>> {
    let mut runner = Runner::<EngineTasks>::new(Memory::default());
    let mut replies = Vec::new();
    runner.begin(run(5, plan), 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, || 1e9, |reply| replies.push(reply)) == Poll::More {}
    assert!(replies.iter().all(|reply| reply.run_id == 5), "a reply names its run");
    replies
}

/// The events among replies.
fn events(replies: &[Reply<EngineEvent>]) -> impl Iterator<Item = &EngineEvent> {
    replies.iter().filter_map(|reply| if let Content::Event(event) = &reply.content { Some(event) } else { None })
}

/// The bounds over n alone.
fn curves_of(experiment: Experiment, lengths: &[usize]) -> GrowthRequest {
    let lengths = lengths.iter().map(|n| *n as f64).collect();
    GrowthRequest::of_curves(experiment, GrowthPlan { lengths, spacing: Spacing::Fixed })
}

fn measure_plan(experiment: Experiment, head_idx: usize, most_cells: usize) -> EnginePlan {
    let (block_norms, pair) = (BlockNorms::Skipped, PairRequest::Skipped);
    EnginePlan::Measure(MeasurePlan { experiment, head_idx, most_cells, block_norms, radius: None, pair })
}

#[test]
fn tasks_are_refused_within_the_memory_of_their_worker() {
    let memory = Memory::from_bytes(1 << 20);
    let of = || experiment("inputs", "none", "ball");
    let (block_norms, pair) = (BlockNorms::Skipped, PairRequest::Included);
    let plans = [
        EnginePlan::Measure(MeasurePlan {
            experiment: of(),
            head_idx: 0,
            most_cells: 16,
            block_norms,
            radius: None,
            pair,
        }),
        EnginePlan::Growth(curves_of(of(), &[2, 40])),
        EnginePlan::Ball(BallPlan { experiment: of(), n: 40.0 }),
        EnginePlan::Script(ScriptPlan { experiment: of(), dialect: Dialect::NumPy }),
    ];
    for plan in plans {
        let name = format!("{plan:?}");
        match Runner::<EngineTasks>::new(memory).complete(plan, || 0.0) {
            Err(InputError::TooCostly { limit, .. }) => assert_eq!(limit, memory.bytes(), "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_measurement_is_started_measured_and_finished() {
    let experiment = experiment("inputs", "none", "ball");
    let replies = answer(measure_plan(experiment.clone(), 1, 16));
    assert_eq!(replies.first().cloned(), last(5, Content::Started));
    assert_eq!(replies.last().cloned(), last(5, Content::Finished));
    let Some(EngineEvent::Measure(MeasureEvent::Whole(measured))) = events(&replies).last() else {
        panic!("no measurement in {replies:?}");
    };
    let options = MeasureOptions { upper: UpperNumber::Included, ..MeasureOptions::default() };
    assert_eq!(*measured.measurement, measure_with(&experiment, options).expect("measured"));
    let (attention, tokens) = (&measured.attention, &measured.tokens);
    assert_eq!((attention.head_idx, attention.side, attention.weights.len()), (1, 16, 256));
    assert_eq!((attention.column_sums.len(), tokens.positions.len()), (40, 40));
    // Every row of P sums to one, so the column sums add up to n.
    let mass: f64 = attention.column_sums.iter().sum();
    assert!((mass - 40.0).abs() < 1e-3, "{mass}");
}

/// The events of a measurement of n tokens in the plane.
fn measure_events(n: usize) -> Vec<MeasureEvent> {
    let experiment = Experiment::from_value(json!({
        "tokens": {"source": "random", "distribution": "ball", "n": n, "d": 2, "radius": 1.5, "seed": 0},
        "weights": {"source": "identity", "sign": -1},
    }))
    .expect("valid");
    let replies = answer(measure_plan(experiment, 0, 16));
    events(&replies)
        .map(|event| match event {
            EngineEvent::Measure(event) => event.clone(),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn an_iterated_norm_comes_before_the_rest_of_its_measurement() {
    let found = measure_events(200);
    let [MeasureEvent::First { norm, .. }, MeasureEvent::Whole(whole)] = &found[..] else {
        panic!("not the norm, then all: {found:?}");
    };
    assert_eq!(norm.value, whole.measurement.spectral);
    assert!(norm.is_converged && whole.measurement.is_converged());
}

#[test]
fn the_norm_comes_before_a_dense_svd_that_takes_longer_and_changes_nothing_in_it() {
    let found = measure_events(64);
    let [MeasureEvent::First { norm, .. }, MeasureEvent::Whole(whole)] = &found[..] else {
        panic!("not the norm, then all: {found:?}");
    };
    let Measurement { method, spectral, iterations, singular_values, .. } = &*whole.measurement;
    assert_eq!((*method, *iterations), (Method::DenseSvd, 0));
    assert_eq!(singular_values.as_ref().map(Vec::len), Some(128));
    assert!(norm.is_converged && (norm.value / spectral - 1.0).abs() < 1e-10, "{norm:?} {spectral}");
    let found = measure_events(16);
    assert!(matches!(found[..], [MeasureEvent::Whole(_)]), "its dense SVD is as quick as an iteration: {found:?}");
}

#[test]
fn a_new_request_cancels_the_old_run_at_its_next_slice() {
    let sweep = |run_id| {
        let experiment = experiment("inputs", "none", "ball");
        let plan = SweepRequest {
            experiment,
            lengths: vec![4, 8],
            draws: 3,
            spacing: Spacing::Fixed,
            norm: Norm::Spectral,
            points: None,
        };
        run(run_id, EnginePlan::Sweep(plan))
    };
    let mut runner = Runner::<EngineTasks>::new(Memory::default());
    let mut replies = Vec::new();
    runner.begin(sweep(1), 0.0, |reply| replies.push(reply));
    assert_eq!(runner.slice(0.0, || 1.0, |reply| replies.push(reply)), Poll::More);
    runner.begin(sweep(2), 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, || 1.0, |reply| replies.push(reply)) == Poll::More {}
    let cancelled = Reply { run_id: 1, content: Content::Cancelled };
    let cancelled = replies.iter().position(|reply| *reply == cancelled).expect("cancelled");
    let after = &replies[cancelled + 1..];
    assert!(after.len() > 2 && after.iter().all(|reply| reply.run_id == 2), "{after:?}");
    assert_eq!(replies.last().cloned(), last(2, Content::Finished));
    runner.begin(sweep(3), 0.0, |reply| replies.push(reply));
    runner.begin(Command::Cancel, 0.0, |reply| replies.push(reply));
    assert_eq!(replies.last().cloned(), last(3, Content::Cancelled));
    let n_replies = replies.len();
    assert_eq!(runner.slice(0.0, || 1.0, |reply| replies.push(reply)), Poll::Done);
    assert_eq!(replies.len(), n_replies, "nothing comes of a run that was cancelled");
}

#[test]
fn what_cannot_be_done_is_answered_with_a_sentence() {
    let text = r#"{"tokens":{"source":"explicit","rows":[[-1e200],[1e200]]},"weights":{"source":"identity","sign":1}}"#;
    let experiment = Experiment::from_json(text).expect("a valid file");
    let replies = answer(measure_plan(experiment, 0, 8));
    let Some(Content::Failed(problem)) = replies.last().map(|reply| &reply.content) else { panic!("{replies:?}") };
    assert!(problem.to_string().contains("smaller"), "{problem}");
}

#[test]
fn curves_hold_for_every_draw_of_the_sweep() {
    for (scope, normalization, distribution) in [
        ("inputs", "none", "ball"),
        ("inputs", "none", "gaussian"),
        ("inputs", "layer", "gaussian"),
        ("composed", "layer", "gaussian"),
        ("composed", "rms", "ball"),
    ] {
        let experiment = experiment(scope, normalization, distribution);
        let lengths = vec![2, 5, 20];
        let replies = answer(EnginePlan::Growth(curves_of(experiment.clone(), &lengths)));
        let Some(EngineEvent::Growth(GrowthEvent::Curves(curves))) = events(&replies).next() else {
            panic!("no curves in {replies:?}");
        };
        let plan = SweepRequest {
            experiment,
            lengths,
            draws: 12,
            spacing: Spacing::Fixed,
            norm: Norm::Spectral,
            points: None,
        };
        let swept = answer(EnginePlan::Sweep(plan));
        let points: Vec<SweepPoint> = events(&swept)
            .flat_map(|event| if let EngineEvent::Sweep(points) = event { points.clone() } else { Vec::new() })
            .collect();
        assert_eq!(points.len(), 36);
        for point in points {
            let row = curves.rows.iter().find(|row| row.n == point.n as f64).expect("the same n");
            let bounds = &row.bounds;
            for id in [&CASTIN_GENERAL, &CASTIN_MEAN_FIELD, &UNIFIED] {
                assert!(bounds.iter().any(|bound| bound.id == id), "{id:?} is missing in {bounds:?}");
            }
            for bound in bounds.iter().filter(|bound| bound.side == Side::Upper) {
                let value = bound.value.unwrap_or(f64::INFINITY);
                assert!(
                    point.spectral <= value * (1.0 + 1e-9),
                    "{scope} {normalization} {distribution}: {point:?} over {bound:?}"
                );
            }
        }
    }
}

#[test]
fn ball_curves_and_growth_give_one_bound_on_the_ball() {
    for (scope, normalization, distribution) in [
        ("inputs", "none", "ball"),
        ("inputs", "rms", "ball"),
        ("composed", "layer", "gaussian"),
        ("composed", "rms", "ball"),
    ] {
        let experiment = experiment(scope, normalization, distribution);
        let n = 40;
        let plan = GrowthPlan { lengths: vec![n as f64], spacing: Spacing::Fixed };
        let row = growth(&experiment, &plan).expect("curves").rows.remove(0);
        let ball = answer(EnginePlan::Ball(BallPlan { experiment: experiment.clone(), n: n as f64 }));
        let Some(EngineEvent::Ball(ball)) = events(&ball).next() else { panic!("no ball in {ball:?}") };
        let curves = answer(EnginePlan::Growth(curves_of(experiment, &[n])));
        let Some(EngineEvent::Growth(GrowthEvent::Curves(curves))) = events(&curves).next() else {
            panic!("no curves in {curves:?}");
        };
        let of = |bounds: &[Bound], id: BoundId| bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10);
        for id in [&SHARP, &UNIFIED, &CASTIN_GENERAL, &CASTIN_MEAN_FIELD] {
            let expected = of(&row.bounds, id).expect("it applies");
            for (of_what, found) in [("ball", of(&ball.bounds, id)), ("curves", of(&curves.rows[0].bounds, id))] {
                let found = found.expect("it applies");
                let deviation = (found - expected).abs();
                assert!(
                    deviation < 1e-12,
                    "{scope} {normalization}, {id:?}: {of_what} 10^{found}, growth 10^{expected}"
                );
            }
        }
    }
}

#[test]
fn growth_like_the_root_of_n_is_reported_only_where_the_best_lower_bound_grows_like_it() {
    let end = |tokens: &str, weights: &str| {
        let text = format!(r#"{{"tokens":{{"source":"random","n":12,{tokens}}},"weights":{{{weights}}}}}"#);
        let experiment = Experiment::from_json(&text).expect("an experiment");
        let ball = answer(EnginePlan::Ball(BallPlan { experiment, n: 12.0 }));
        let Some(EngineEvent::Ball(ball)) = events(&ball).next() else { panic!("no ball in {ball:?}") };
        ball.growth_ends
    };
    let opposite = r#""source":"identity","sign":-1"#;
    let found = end(r#""d":2,"radius":1.5"#, opposite).expect("growth up to n = exp 4.5");
    assert!((found - 4.5).abs() < 1e-9, "{found}");
    // exp Gamma is 7.4, and from 4 to 7 tokens no growth can be read.
    assert_eq!(end(r#""d":2,"radius":1"#, opposite), None);
    // The slope of the best lower bound from n = 4 to exp Gamma is far below one half.
    assert_eq!(end(r#""d":4,"radius":1.5"#, r#""source":"random","heads":1,"head_dim":4,"scale":1,"seed":1"#), None);
    // A = I with exp Gamma = 2.7.
    assert_eq!(end(r#""d":2,"radius":2"#, r#""source":"identity","sign":1"#), None);
}

#[test]
fn the_limit_over_all_n_is_that_of_the_best_bound_at_every_radius() {
    // ||A|| is 1: growth ends near n = exp(2 R^2), from R = 18 on near the end of the range of f64 and beyond it.
    for radius in [1.0f64, 3.0, 15.0, 18.0, 20.0, 300.0, 2e6] {
        let text = format!(
            r#"{{"tokens":{{"source":"random","n":12,"d":2,"radius":{radius}}},"weights":{{"source":"identity","sign":-1}}}}"#
        );
        let experiment = Experiment::from_json(&text).expect("an experiment");
        let ball = answer(EnginePlan::Ball(BallPlan { experiment, n: 12.0 }));
        let Some(EngineEvent::Ball(ball)) = events(&ball).next() else { panic!("no ball in {ball:?}") };
        let of = |id: BoundId| ball.limit.iter().find(|bound| bound.id == id).map(|bound| bound.log10);
        let [sharp, mean_field] = [&SHARP, &CASTIN_MEAN_FIELD].map(|id| of(id).expect("it has a limit"));
        // sqrt(1 + a^2) e^(Gamma/2) and a + sqrt(F) are at most of the size e^a, mean-field of e^(2a).
        let a = radius * radius;
        let most = (4.0 * (1.0 + a)).log10() + a * std::f64::consts::LOG10_E;
        assert!(sharp <= most && (radius < 3.0 || sharp < 0.7 * mean_field), "R = {radius}: {sharp}, {mean_field}");
    }
}

#[test]
fn no_number_of_tokens_has_a_bound_above_the_limit() {
    let weightings = [
        json!({"kind": "softmax"}),
        json!({"kind": "sigmoid"}),
        json!({"kind": "sigmoid", "bias": -2.0}),
        json!({"kind": "relu"}),
        json!({"kind": "relu", "divisor": 16.0}),
        json!({"kind": "softplus"}),
        json!({"kind": "softplus", "divisor": 5.0}),
    ];
    let masks = [json!("none"), json!("causal"), json!({"kind": "window", "width": 4, "causal": true})];
    let ball = |weighting: &serde_json::Value, mask: &serde_json::Value, n: f64| {
        let experiment = Experiment::from_value(json!({
            "tokens": {"source": "random", "distribution": "ball", "n": 12, "d": 3, "radius": 2, "seed": 1},
            "weights": {"source": "random", "heads": 1, "head_dim": 3, "seed": 1},
            "weighting": weighting, "mask": mask,
        }))
        .expect("an experiment");
        let replies = answer(EnginePlan::Ball(BallPlan { experiment, n }));
        let Some(EngineEvent::Ball(ball)) = events(&replies).next() else { panic!("no ball in {replies:?}") };
        ball.clone()
    };
    let smallest = |bounds: &[Bound]| best_upper(bounds, Norm::Spectral).map(|bound| bound.log10);
    let mut compared = 0;
    for (weighting, mask) in weightings.iter().flat_map(|weighting| masks.iter().map(move |mask| (weighting, mask))) {
        for n in [2.0, 4.0, 12.0, 200.0, 1e6] {
            let ball = ball(weighting, mask, n);
            if let Some(limit) = smallest(&ball.limit) {
                let here = smallest(&ball.bounds).expect("a bound for n tokens");
                assert!(here <= limit + 1e-9, "{weighting} {mask} n = {n}: {here} above {limit}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 15, "{compared} limits");
}

#[test]
fn the_curves_over_n_come_at_a_few_n_first_with_the_same_numbers() {
    let of = |lengths: &[f64]| GrowthPlan { lengths: lengths.to_vec(), spacing: Spacing::Fixed };
    let (sketch, plan) = (of(&[2.0, 7.0, 1e6]), of(&[2.0, 5.0, 7.0, 100.0, 1e6]));
    let experiment = experiment("inputs", "none", "ball");
    let replies =
        answer(EnginePlan::Growth(GrowthRequest { experiment, sketch, family_plan: plan.clone(), plan, units: None }));
    let curves: Vec<_> = events(&replies)
        .filter_map(|event| match event {
            EngineEvent::Growth(GrowthEvent::Sketch(found) | GrowthEvent::Curves(found)) => Some(found),
            _ => None,
        })
        .collect();
    let [few, all] = curves[..] else { panic!("{} sets of curves", curves.len()) };
    assert_eq!((few.rows.len(), all.rows.len()), (3, 5));
    assert_eq!(few.crossover, all.crossover);
    assert!(few.rows.iter().all(|row| all.rows.contains(row)), "{few:?} is no part of {all:?}");
}

#[test]
fn a_search_is_streamed_stopped_and_taken_up_again_where_it_stood() {
    let plan = SearchPlan {
        experiment: experiment("inputs", "none", "ball"),
        region: Region::Ball,
        dim: None,
        restarts: 2,
        iterations: 8,
        seed: 3,
    };
    let mut whole = Search::start(&plan).expect("it begins");
    let mut expected = Vec::new();
    while let Some(step) = whole.step().expect("a step") {
        expected.push(step);
    }
    // A clock that advances a second per read: every step is reported, and every slice is one step.
    let seconds = std::cell::Cell::new(0.0);
    let clock = || {
        seconds.set(seconds.get() + 1e3);
        seconds.get()
    };
    let mut runner = Runner::<EngineTasks>::new(Memory::default());
    let mut replies = Vec::new();
    let search = |run_id, checkpoint| {
        run(run_id, EnginePlan::Search(SearchRequest { plan: plan.clone(), checkpoint, starts: None }))
    };
    runner.begin(search(1, None), 0.0, |reply| replies.push(reply));
    for _ in 0..5 {
        assert_eq!(runner.slice(0.0, clock, |reply| replies.push(reply)), Poll::More);
    }
    runner.begin(Command::Cancel, 0.0, |reply| replies.push(reply));
    assert_eq!(replies.last().cloned(), last(1, Content::Cancelled));
    let Some(EngineEvent::Search(SearchEvent::Domain(domain))) = events(&replies).next() else {
        panic!("the domain is not the first event of {replies:?}");
    };
    let domain = domain.open().expect("a domain");
    assert_eq!((domain.n, domain.d, domain.radius), (40, 3, 1.5));
    let found = |replies: &[Reply<EngineEvent>]| -> (Vec<SearchStep>, Option<Box<SearchCheckpoint>>) {
        let (mut steps, mut last) = (Vec::new(), None);
        for event in events(replies) {
            if let EngineEvent::Search(SearchEvent::Steps { steps: new, checkpoint, current, best }) = event {
                steps.extend(new.iter().copied());
                last = Some(checkpoint.clone());
                assert_eq!((current.positions.len(), best.positions.len()), (40, 40));
            }
        }
        (steps, last)
    };
    let (first, checkpoint) = found(&replies);
    assert!(first.len() == 4 && first == expected[..4], "{} steps, or others", first.len());
    replies.clear();
    runner.begin(search(2, checkpoint), 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, clock, |reply| replies.push(reply)) == Poll::More {}
    let (rest, checkpoint) = found(&replies);
    assert_eq!(replies.last().cloned(), last(2, Content::Finished));
    assert_eq!(rest.len(), expected.len() - 4);
    // An iteration that begins from another vector agrees to its tolerance.
    for (found, step) in rest.iter().zip(&expected[4..]).take(2) {
        assert!((found.norm - step.norm).abs() < 1e-8 * step.norm, "{found:?} for {step:?}");
    }
    assert_eq!(checkpoint.map(|checkpoint| checkpoint.best_norm()), rest.last().map(|step| step.best));
}

#[test]
fn a_spectrum_streams_lower_bounds_and_ends_with_its_first_pair() {
    let text = r#"{"tokens":{"source":"random","n":120,"d":6,"radius":2},"weights":{"source":"random","head_dim":6}}"#;
    let plan = SpectrumPlan {
        experiment: Experiment::from_json(text).expect("valid"),
        count: 12,
        map: SpectrumMap::Attention,
    };
    let replies = answer(EnginePlan::Spectrum(plan));
    let spectra: Vec<&Spectrum> = events(&replies)
        .filter_map(|event| if let EngineEvent::Spectrum(spectrum) = event { Some(spectrum.as_ref()) } else { None })
        .collect();
    let (whole, before) = spectra.split_last().expect("a spectrum");
    assert!(!before.is_empty(), "no lower bounds before the end");
    assert!(whole.top.as_ref().is_some_and(|top| top.block.is_some()) && whole.levels.len() == 12);
    assert!(before.iter().all(|spectrum| spectrum.levels.iter().all(|level| level.relative_residual.is_none())));
    for spectrum in before {
        for (so_far, level) in spectrum.levels.iter().zip(&whole.levels) {
            assert!(so_far.value <= level.value * (1.0 + 1e-9), "{} above {}", so_far.value, level.value);
        }
    }
    assert_eq!(replies.last().cloned(), last(5, Content::Finished));
}

#[test]
fn estimators_are_timed_by_the_clock_of_the_runner() {
    let ticks = std::cell::Cell::new(0.0);
    let clock = || {
        ticks.set(ticks.get() + 1.0);
        ticks.get()
    };
    let plan = EstimatorPlan { experiment: Preset::SmallValues.experiment(), tolerance: ESTIMATOR_TOLERANCE };
    let events =
        Runner::<EngineTasks>::new(Memory::default()).complete(EnginePlan::Estimators(plan), clock).expect("compared");
    let points: Vec<EstimatorPoint> = events
        .into_iter()
        .flat_map(|event| if let EngineEvent::Estimators(points) = event { points } else { Vec::new() })
        .collect();
    // One tick for each step of an estimator, and each estimator by itself.
    assert!(points.len() > 10 && points.iter().all(|point| point.milliseconds == point.iteration.max(1) as f64));
}

/// A server whose file arrives in three parts of 1000 bytes.
struct Slow {
    n_polls: u64,
}

impl Network for Slow {
    fn begin(&mut self, _: &DownloadPlan) -> Box<dyn Transfer> {
        Box::new(Slow { n_polls: 0 })
    }
}

impl Transfer for Slow {
    fn poll(&mut self) -> Result<TransferState, InputError> {
        self.n_polls += 1;
        Ok(match self.n_polls {
            polls @ 1..=3 => TransferState::Under(1000 * polls),
            _ => TransferState::Complete(Downloaded::Files),
        })
    }
}

#[test]
fn a_run_that_waits_for_a_server_gives_its_turn_back_until_it_is_complete() {
    let mut runner = Runner::<ModelTasks>::new(ModelContext::new(Box::new(Slow { n_polls: 0 })));
    let plan = ModelPlan::Download(DownloadPlan::Fetch { address: "https://example.org/".into(), names: Vec::new() });
    let mut contents = Vec::new();
    runner.begin(Command::Run(Request { run_id: 1, plan }), 0.0, |reply| contents.push(reply.content));
    // A run that waits ends its slice, although the slice has time left. The next slice begins 20 ms later.
    let turns: Vec<Poll> = (1..=4)
        .map(|slice| {
            let now = 20.0 * f64::from(slice);
            runner.slice(now + 8.0, || now, |reply| contents.push(reply.content))
        })
        .collect();
    assert_eq!(turns, [Poll::Waiting, Poll::Waiting, Poll::Waiting, Poll::Done]);
    let progress = Progress { done: 2000, total: None, relative_residual: None };
    let event = ModelEvent::Download(Downloaded::Files);
    // Progress is reported every 30 ms: only after the second slice.
    let expected = [Content::Started, Content::Progress(progress), Content::Event(event), Content::Finished];
    assert_eq!(contents, expected);
}

#[test]
fn a_certificate_tells_its_bounds_before_its_searches_and_ends_as_the_engine_does() {
    let effort = NearbyEffort { restarts: 2, iterations: 8, seed: 0 };
    let relative = vec![1e-3, 1e-2, 0.1];
    let plan = CertifyPlan { experiment: experiment("inputs", "none", "ball"), relative, effort };
    // A clock that runs ahead: a report is due at every step.
    let mut runner = Runner::<EngineTasks>::new(Memory::default());
    let (mut replies, time) = (Vec::new(), std::cell::Cell::new(0.0));
    let clock = || {
        time.set(time.get() + 100.0);
        time.get()
    };
    runner.begin(run(5, EnginePlan::Certify(plan.clone())), 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, clock, |reply| replies.push(reply)) == Poll::More {}
    let found: Vec<&Certified> = events(&replies)
        .filter_map(|event| if let EngineEvent::Certify(found) = event { Some(found) } else { None })
        .collect();
    let expected = certify(&plan).expect("certified").rows;
    assert_eq!(found.last().expect("an end").rows, expected);
    let bounds = found.iter().find(|found| found.rows.len() == 3).expect("bounds before the searches");
    for (early, row) in bounds.rows.iter().zip(&expected) {
        assert_eq!((early.certified, early.ball), (row.certified, row.ball));
        assert!(early.found == bounds.spectral && early.found <= row.found, "{early:?} {row:?}");
    }
    // The largest norm found within eps is known at once for every larger eps.
    assert!(found.iter().all(|found| found.rows.is_sorted_by_key(|row| row.found)), "{found:?}");
    let measures = CertifyPlan { relative: vec![f64::NAN], ..plan };
    assert!(matches!(answer(EnginePlan::Certify(measures)).last(), Some(Reply { content: Content::Failed(_), .. })));
}
