//! What the worker answers, without a browser: order, cancelling, errors, and curves that hold for every draw.

use lipscope_core::bounds::{BoundId, Norm, Side};
use lipscope_core::estimators::{EstimatorPlan, Preset, USUAL_TOLERANCE};
use lipscope_core::experiment::Experiment;
use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_core::search::{Region, Search, SearchCheckpoint, SearchPlan, SearchStep};
use lipscope_core::spectrum::{Spectrum, SpectrumPlan};
use lipscope_core::sweep::SweepPoint;
use lipscope_protocol::message::{Reply, Request};
use lipscope_protocol::runner::{Runner, Turn};
use serde_json::json;

fn experiment(scope: &str, normalization: &str, law: &str) -> Experiment {
    Experiment::from_value(json!({
        "normalization": normalization, "normalization_scope": scope,
        "tokens": {"source": "random", "law": law, "n": 40, "d": 3, "radius": 1.5, "seed": 11},
        "weights": {"source": "random", "heads": 2, "head_dim": 2},
    }))
    .expect("valid")
}

fn answer(request: Request) -> Vec<Reply> {
    let mut runner = Runner::default();
    let mut replies = Vec::new();
    runner.begin(request, 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, || 1e9, |reply| replies.push(reply)) == Turn::More {}
    replies
}

#[test]
fn a_measurement_is_started_measured_and_finished() {
    let experiment = experiment("inputs", "none", "ball");
    let replies = answer(Request::Measure {
        run_id: 5,
        experiment: experiment.clone(),
        head_idx: 1,
        most_cells: 16,
        block_norms: BlockNorms::Skipped,
        pair: PairRequest::Skipped,
    });
    assert_eq!(replies.first(), Some(&Reply::Started { run_id: 5 }));
    assert_eq!(replies.last(), Some(&Reply::Finished { run_id: 5 }));
    let Some(Reply::Measured { measurement, attention, tokens, .. }) =
        replies.iter().find(|reply| matches!(reply, Reply::Measured { .. }))
    else {
        panic!("no measurement in {replies:?}");
    };
    assert_eq!(**measurement, lipscope_core::measure::measure(&experiment).expect("measured"));
    assert_eq!((attention.head_idx, attention.side, attention.weights.len()), (1, 16, 256));
    assert_eq!((attention.column_sums.len(), tokens.positions.len()), (40, 40));
    // Every row of P sums to one, and so do the column sums over n.
    let mass: f64 = attention.column_sums.iter().sum();
    assert!((mass - 40.0).abs() < 1e-3, "{mass}");
}

#[test]
fn a_new_request_cancels_the_old_run_at_its_next_slice() {
    let sweep = |run_id| Request::Sweep {
        run_id,
        experiment: experiment("inputs", "none", "ball"),
        lengths: vec![4, 8],
        draws: 3,
        norm: Norm::Spectral,
    };
    let mut runner = Runner::default();
    let mut replies = Vec::new();
    runner.begin(sweep(1), 0.0, |reply| replies.push(reply));
    assert_eq!(runner.slice(0.0, || 1.0, |reply| replies.push(reply)), Turn::More);
    runner.begin(sweep(2), 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, || 1.0, |reply| replies.push(reply)) == Turn::More {}
    let cancelled = replies.iter().position(|reply| *reply == Reply::Cancelled { run_id: 1 }).expect("cancelled");
    assert!(replies[cancelled + 1..].iter().all(|reply| !matches!(
        reply,
        Reply::Points { run_id: 1, .. } | Reply::Finished { run_id: 1 } | Reply::Progress { run_id: 1, .. }
    )));
    assert_eq!(replies.last(), Some(&Reply::Finished { run_id: 2 }));
    runner.begin(sweep(3), 0.0, |reply| replies.push(reply));
    runner.begin(Request::Cancel, 0.0, |reply| replies.push(reply));
    assert_eq!(replies.last(), Some(&Reply::Cancelled { run_id: 3 }));
    assert_eq!(runner.slice(0.0, || 1.0, |reply| replies.push(reply)), Turn::Idle);
}

#[test]
fn what_cannot_be_done_is_answered_with_a_sentence() {
    let text = r#"{"tokens":{"source":"explicit","rows":[[-1e200],[1e200]]},"weights":{"source":"identity","sign":1}}"#;
    let experiment = Experiment::from_json(text).expect("a valid file");
    let replies = answer(Request::Measure {
        run_id: 9,
        experiment,
        head_idx: 0,
        most_cells: 8,
        block_norms: BlockNorms::Skipped,
        pair: PairRequest::Skipped,
    });
    assert!(matches!(replies.last(), Some(Reply::Failed { run_id: 9, problem }) if problem.contains("smaller")));
}

#[test]
fn curves_hold_for_every_draw_of_the_sweep() {
    for (scope, normalization, law) in [
        ("inputs", "none", "ball"),
        ("inputs", "none", "gaussian"),
        ("inputs", "layer", "gaussian"),
        ("composed", "layer", "gaussian"),
        ("composed", "rms", "ball"),
    ] {
        let experiment = experiment(scope, normalization, law);
        let lengths = vec![2, 5, 20];
        let replies =
            answer(Request::Curves { run_id: 1, experiment: experiment.clone(), lengths: lengths.clone(), draws: 12 });
        let Some(Reply::Curves { bounds: curves, .. }) = replies.iter().find(|r| matches!(r, Reply::Curves { .. }))
        else {
            panic!("no curves in {replies:?}");
        };
        let swept = answer(Request::Sweep { run_id: 1, experiment, lengths, draws: 12, norm: Norm::Spectral });
        let points: Vec<SweepPoint> = swept
            .iter()
            .flat_map(|reply| if let Reply::Points { points, .. } = reply { points.clone() } else { Vec::new() })
            .collect();
        assert_eq!(points.len(), 36);
        for point in points {
            let (_, bounds) = curves.iter().find(|(n, _)| *n == point.n).expect("the same n");
            for id in [BoundId::CastinGeneral, BoundId::CastinMeanField, BoundId::Unified] {
                assert!(bounds.iter().any(|bound| bound.id == id), "{id:?} is missing in {bounds:?}");
            }
            for bound in bounds.iter().filter(|bound| bound.side == Side::Upper) {
                let value = bound.value.unwrap_or(f64::INFINITY);
                assert!(
                    point.spectral <= value * (1.0 + 1e-9),
                    "{scope} {normalization} {law}: {point:?} over {bound:?}"
                );
            }
        }
    }
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
    // A clock that goes a second a look: every step is told, and every slice is one step.
    let seconds = std::cell::Cell::new(0.0);
    let clock = || {
        seconds.set(seconds.get() + 1e3);
        seconds.get()
    };
    let mut runner = Runner::default();
    let mut replies = Vec::new();
    let request = |run_id, mark| Request::Search { run_id, plan: plan.clone(), mark };
    runner.begin(request(1, None), 0.0, |reply| replies.push(reply));
    for _ in 0..5 {
        assert_eq!(runner.slice(0.0, clock, |reply| replies.push(reply)), Turn::More);
    }
    runner.begin(Request::Cancel, 0.0, |reply| replies.push(reply));
    assert_eq!(replies.last(), Some(&Reply::Cancelled { run_id: 1 }));
    let Reply::Search { domain, .. } = &replies[1] else { panic!("no setting in {:?}", replies[1]) };
    assert_eq!((domain.n, domain.d, domain.radius), (40, 3, 1.5));
    let told = |replies: &[Reply]| -> (Vec<SearchStep>, Option<Box<SearchCheckpoint>>) {
        let (mut steps, mut last) = (Vec::new(), None);
        for reply in replies {
            if let Reply::Searched { steps: new, mark, current, best, .. } = reply {
                steps.extend(new.iter().copied());
                last = Some(mark.clone());
                assert_eq!((current.positions.len(), best.positions.len()), (40, 40));
            }
        }
        (steps, last)
    };
    let (first, mark) = told(&replies);
    assert!(first.len() == 4 && first == expected[..4], "{} steps, or others", first.len());
    replies.clear();
    runner.begin(request(2, mark), 0.0, |reply| replies.push(reply));
    while runner.slice(0.0, clock, |reply| replies.push(reply)) == Turn::More {}
    let (rest, mark) = told(&replies);
    assert_eq!(replies.last(), Some(&Reply::Finished { run_id: 2 }));
    assert_eq!(rest.len(), expected.len() - 4);
    // An iteration that begins from another vector agrees to its tolerance.
    for (found, step) in rest.iter().zip(&expected[4..]).take(2) {
        assert!((found.norm - step.norm).abs() < 1e-8 * step.norm, "{found:?} for {step:?}");
    }
    assert_eq!(mark.map(|mark| mark.best_norm()), rest.last().map(|step| step.best));
}

#[test]
fn a_spectrum_streams_lower_bounds_and_ends_with_its_first_pair() {
    let text = r#"{"tokens":{"source":"random","n":120,"d":6,"radius":2},"weights":{"source":"random","head_dim":6}}"#;
    let plan = SpectrumPlan { experiment: Experiment::from_json(text).expect("valid"), count: 12 };
    let replies = answer(Request::Spectrum { run_id: 3, plan });
    let spectra: Vec<&Spectrum> = replies
        .iter()
        .filter_map(|reply| if let Reply::Spectrum { spectrum, .. } = reply { Some(spectrum.as_ref()) } else { None })
        .collect();
    let (last, before) = spectra.split_last().expect("a spectrum");
    assert!(last.top.as_ref().is_some_and(|top| top.block.is_some()) && last.levels.len() == 12);
    assert!(before.iter().all(|spectrum| spectrum.levels.iter().all(|level| level.relative_residual.is_none())));
    for spectrum in before {
        for (so_far, level) in spectrum.levels.iter().zip(&last.levels) {
            assert!(so_far.value <= level.value * (1.0 + 1e-9), "{} above {}", so_far.value, level.value);
        }
    }
    assert_eq!(replies.last(), Some(&Reply::Finished { run_id: 3 }));
}

#[test]
fn a_estimators_is_timed_by_the_clock_of_the_runner() {
    let ticks = std::cell::Cell::new(0.0);
    let clock = || {
        ticks.set(ticks.get() + 1.0);
        ticks.get()
    };
    let plan = EstimatorPlan { experiment: Preset::SmallValues.experiment(), tolerance: USUAL_TOLERANCE };
    let mut runner = Runner::default();
    let mut points = Vec::new();
    let mut take = |reply| {
        if let Reply::EstimatorComparison { points: new, .. } = reply {
            points.extend(new);
        }
    };
    runner.begin(Request::EstimatorComparison { run_id: 1, plan }, 0.0, &mut take);
    while runner.slice(0.0, clock, &mut take) == Turn::More {}
    // One tick for each step of an estimator, and each estimator by itself.
    assert!(points.len() > 10 && points.iter().all(|point| point.milliseconds == point.iteration.max(1) as f64));
}
