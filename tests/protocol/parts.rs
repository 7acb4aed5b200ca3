//! Plans that are cut into parts: the events of the parts, one after the other, are those of the whole, digit for
//! digit.

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::growth::{FamilyPoint, Growth, GrowthPlan};
use lipscope_core::search::{Region, SearchPlan, SearchStep};
use lipscope_core::sweep::{Spacing, SweepPoint};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::TaskList;
use lipscope_protocol::tasks::{
    EngineEvent, EnginePlan, EngineTasks, GrowthEvent, GrowthRequest, SearchEvent, SearchRequest, SweepRequest,
};
use serde_json::{Value, json};

fn experiment(tokens: &Value, weights: &Value) -> Experiment {
    Experiment::from_value(json!({ "tokens": tokens, "weights": weights })).expect("valid")
}

fn random(distribution: &str, d: usize) -> Value {
    json!({"source": "random", "distribution": distribution, "n": 40, "d": d, "radius": 1.5, "seed": 11})
}

fn two_heads() -> Value {
    json!({"source": "random", "heads": 2, "head_dim": 3})
}

fn done(plan: EnginePlan) -> Vec<EngineEvent> {
    Runner::<EngineTasks>::new(Memory::default()).complete(plan, || 0.0).expect("done")
}

/// The events of a plan's parts for `workers` workers, with pieces joined; and the number of parts.
fn done_in_parts(plan: &EnginePlan, workers: usize) -> (Vec<EngineEvent>, usize) {
    let cuts = EngineTasks::cut(plan, workers);
    assert!(cuts.windows(2).all(|pair| pair[0].units.end == pair[1].units.start), "{cuts:?}");
    assert!(cuts.iter().all(|cut| !cut.units.is_empty() && cut.bytes > 0), "{cuts:?}");
    let mut joined: Vec<EngineEvent> = Vec::new();
    let parts = cuts
        .iter()
        .enumerate()
        .flat_map(|(part, cut)| done(EngineTasks::part(plan, &cut.units)).into_iter().map(move |event| (part, event)));
    let (mut before, mut of_part) = (None, 0);
    for (part, mut event) in parts {
        if part > of_part {
            (before, of_part) = (joined.last().cloned(), part);
        }
        before.iter().for_each(|before| EngineTasks::follow(&mut event, before));
        match joined.last_mut() {
            Some(pieces) if EngineTasks::is_piece(pieces) && EngineTasks::is_piece(&event) => {
                EngineTasks::join(pieces, event)
            }
            _ => joined.push(event),
        }
    }
    (joined, cuts.len())
}

fn points(events: &[EngineEvent]) -> Vec<SweepPoint> {
    let points =
        events.iter().filter_map(|event| if let EngineEvent::Sweep(points) = event { Some(points) } else { None });
    points.flatten().copied().collect()
}

#[test]
fn the_points_of_a_sweeps_parts_are_those_of_the_sweep() {
    let listed: Vec<Vec<f64>> =
        (0..60).map(|row| (0..4).map(|column| f64::from(row * 7 % 11 + column * row % 5) / 9.0).collect()).collect();
    for (tokens, lengths, draws, norm) in [
        (random("ball", 4), vec![40, 2, 3, 90, 3, 17], 5, Norm::Spectral),
        (random("sphere", 3), vec![2, 30, 64], 3, Norm::Linf),
        // Lengths above the number of tokens are left out.
        (json!({"source": "explicit", "rows": listed}), vec![20, 60, 61], 4, Norm::Spectral),
    ] {
        let experiment = experiment(&tokens, &two_heads());
        let plan =
            EnginePlan::Sweep(SweepRequest { experiment, lengths, draws, spacing: Spacing::Fixed, norm, points: None });
        let whole = points(&done(plan.clone()));
        for workers in [2, 3, 8] {
            let (events, n_parts) = done_in_parts(&plan, workers);
            assert!(n_parts > 3, "{n_parts} parts for {workers} workers");
            assert_eq!(points(&events), whole, "{tokens} for {workers} workers");
        }
    }
}

#[test]
fn the_parts_of_a_search_have_the_starts_of_the_search() {
    let experiment = experiment(&random("ball", 3), &two_heads());
    let plan = SearchPlan { experiment, region: Region::Ball, dim: None, restarts: 11, iterations: 6, seed: 3 };
    let steps = |events: &[EngineEvent]| -> (Vec<SearchStep>, SearchEvent) {
        let mut found = (Vec::new(), None);
        for (at, event) in events.iter().enumerate() {
            match event {
                EngineEvent::Search(SearchEvent::Domain(_)) => assert_eq!(at, 0, "the domain comes once"),
                EngineEvent::Search(told @ SearchEvent::Steps { steps, .. }) => {
                    found.0.extend(steps);
                    found.1 = Some(told.clone());
                }
                other => panic!("{other:?}"),
            }
        }
        (found.0, found.1.expect("steps"))
    };
    let end = |told: SearchEvent| {
        let SearchEvent::Steps { checkpoint, current, best, .. } = told else { panic!("{told:?}") };
        (checkpoint, current, best)
    };
    let whole = SearchRequest { plan, checkpoint: None, starts: None };
    let (expected, last) = steps(&done(EnginePlan::Search(whole.clone())));
    for workers in [2, 4] {
        let (events, n_parts) = done_in_parts(&EnginePlan::Search(whole.clone()), workers);
        assert!(n_parts > 3, "{n_parts} parts");
        let (found, told) = steps(&events);
        assert_eq!(found, expected, "for {workers} workers");
        assert_eq!(end(told), end(last.clone()));
    }
    // A whole search of six starts, and the rest of the starts in parts, from the checkpoint of the six.
    let six = SearchRequest { plan: SearchPlan { restarts: 6, ..whole.plan.clone() }, ..whole.clone() };
    let (first, told) = steps(&done(EnginePlan::Search(six)));
    let rest = SearchRequest { checkpoint: Some(end(told).0), ..whole };
    let (events, n_parts) = done_in_parts(&EnginePlan::Search(rest), 2);
    assert!(n_parts > 1, "{n_parts} parts");
    let (found, told) = steps(&events);
    assert_eq!([first, found].concat(), expected);
    assert_eq!(end(told), end(last));
}

#[test]
fn a_sweep_that_is_short_or_wrong_is_not_cut() {
    let sweep = |experiment: Experiment, lengths: Vec<usize>| {
        EnginePlan::Sweep(SweepRequest {
            experiment,
            lengths,
            draws: 8,
            spacing: Spacing::Fixed,
            norm: Norm::Spectral,
            points: None,
        })
    };
    let experiment = experiment(&random("ball", 2), &json!({"source": "identity", "sign": -1}));
    assert_eq!(EngineTasks::cut(&sweep(experiment.clone(), vec![2, 3, 4, 5]), 8), []);
    assert_eq!(EngineTasks::cut(&sweep(experiment.clone(), Vec::new()), 8), []);
    assert_eq!(EngineTasks::cut(&sweep(experiment, vec![2, 3, 256]), 1).len(), 6);
}

#[test]
fn the_curves_of_parts_are_those_of_the_whole() {
    for distribution in ["ball", "gaussian"] {
        let lengths = (2..60).chain([90, 256]).map(f64::from).collect();
        let plan = GrowthPlan { lengths, spacing: Spacing::Fixed };
        let experiment = experiment(&random(distribution, 3), &two_heads());
        let plan = EnginePlan::Growth(GrowthRequest::of_curves(experiment, plan));
        let whole = done(plan.clone());
        for workers in [2, 5] {
            let (events, n_parts) = done_in_parts(&plan, workers);
            assert!(n_parts >= 2);
            assert_eq!(events, whole, "{distribution} for {workers} workers");
        }
        let [EngineEvent::Growth(GrowthEvent::Curves(curves))] = &whole[..] else { panic!("{whole:?}") };
        assert_eq!(curves.rows.len(), 60);
    }
}

#[test]
fn growth_in_parts_is_growth_in_one() {
    let family = |events: &[EngineEvent]| -> (Growth, Vec<FamilyPoint>) {
        let mut found = (None, Vec::new());
        for event in events {
            match event {
                EngineEvent::Growth(GrowthEvent::Curves(curves)) => {
                    assert!(found.0.replace(curves.as_ref().clone()).is_none(), "curves twice");
                }
                EngineEvent::Growth(GrowthEvent::Sketch(sketch)) => assert_eq!(sketch.rows.len(), 50),
                EngineEvent::Growth(GrowthEvent::Family(points)) => found.1.extend(points),
                other => panic!("{other:?}"),
            }
        }
        (found.0.expect("curves"), found.1)
    };
    for spacing in [Spacing::Fixed, Spacing::SqrtLog { from_n: 40.0 }] {
        for weights in [two_heads(), json!({"source": "identity", "sign": -1})] {
            let plan = GrowthPlan::new(2.0, 1e12, 50, spacing).expect("a plan");
            let experiment = experiment(&random("ball", 3), &weights);
            let plan = EnginePlan::Growth(GrowthRequest {
                experiment,
                sketch: plan.clone(),
                family_plan: plan.clone(),
                plan,
                units: None,
            });
            let whole = family(&done(plan.clone()));
            for workers in [2, 4] {
                let (events, n_parts) = done_in_parts(&plan, workers);
                assert!(n_parts > 2, "{n_parts} parts");
                assert_eq!(family(&events), whole, "{spacing:?} for {workers} workers");
            }
        }
    }
}
