//! The answers of the training worker, without a browser.

use std::cell::Cell;
use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_core::inverse::Outcome;
use lipscope_protocol::runner::Runner;
use lipscope_protocol::train::{
    BackwardsPlan, Beginning, FilesPlan, Kind, Measured, Norms, Plan, PlanFields, Saved, Saving, StepRow, StretchEvent,
    StretchPlan, TrainContext, TrainEvent, TrainPlan, TrainTasks, WindowRow,
};
use serde_json::Value;

/// The text that comes with the page.
const ALICE: &str = include_str!("../../assets/alice.txt");
/// The losses of the models that tests/e2e/train.test.mjs trains in the browser.
const LOSSES: &str = include_str!("../data/train/losses.json");

/// d = 16, 2 heads, 1 block, windows of 16 characters: what the browser test types into the form.
fn plan(kind: Kind) -> Plan {
    let norms = if kind == Kind::Invertible { Norms::None } else { Norms::Layer };
    let fields = PlanFields {
        width: 16,
        heads: 2,
        blocks: 1,
        context: 16,
        batch: 4,
        steps: 60,
        norms,
        ..PlanFields::of_kind(kind)
    };
    Plan::new(fields).expect("a plan that fits")
}

fn beginning(kind: Kind) -> Beginning {
    Beginning { plan: plan(kind), text: ALICE.into(), checkpoint: None }
}

/// A stretch up to a step, however long it takes.
fn until(step: usize, beginning: Option<Beginning>) -> StretchPlan {
    StretchPlan {
        run: 1,
        beginning,
        beside: vec![1],
        until: step,
        milliseconds: f64::INFINITY,
        measure_every: 10,
        sample: 12,
        saving: Saving::Always,
    }
}

fn runner() -> Runner<TrainTasks> {
    Runner::new(TrainContext::default())
}

/// The events of a stretch.
fn stretch(runner: &mut Runner<TrainTasks>, plan: StretchPlan) -> Vec<StretchEvent> {
    let events = runner.complete(TrainPlan::Stretch(plan), || 0.0).expect("a stretch");
    events
        .into_iter()
        .map(|event| match event {
            TrainEvent::Stretch(event) => event,
            other => panic!("{other:?} comes of no stretch"),
        })
        .collect()
}

fn steps(events: &[StretchEvent]) -> Vec<StepRow> {
    let rows = events.iter().filter_map(|event| if let StretchEvent::Steps(rows) = event { Some(rows) } else { None });
    rows.flatten().copied().collect()
}

/// The measurements. Of several after the same step only the last one, which is whole.
fn measured(events: &[StretchEvent]) -> Vec<Measured> {
    let mut all: Vec<Measured> = Vec::new();
    for one in events.iter().filter_map(|event| if let StretchEvent::Measured(one) = event { Some(one) } else { None })
    {
        all.retain(|earlier| earlier.step < one.step);
        all.push(one.clone());
    }
    all
}

#[test]
fn the_loss_before_the_first_step_comes_before_the_rest_of_its_measurement() {
    let events = stretch(&mut runner(), until(10, Some(beginning(Kind::Dot))));
    let parts: Vec<(usize, usize, usize)> = events
        .iter()
        .filter_map(|event| if let StretchEvent::Measured(one) = event { Some(one) } else { None })
        .map(|one| (one.step, one.layers.len(), one.sample.chars().count()))
        .collect();
    assert_eq!(parts, [(0, 0, 0), (0, 1, 0), (0, 1, 12), (10, 1, 12)]);
    let first = events.iter().find_map(|event| if let StretchEvent::Measured(one) = event { Some(one) } else { None });
    assert_eq!(first.map(|one| one.held_out), measured(&events).first().map(|one| one.held_out));
}

fn saved(events: &[StretchEvent]) -> Saved {
    let last =
        events.iter().rev().find_map(|event| if let StretchEvent::Saved(saved) = event { Some(saved) } else { None });
    last.expect("the state is told").clone()
}

/// A run continued from where another worker saved it.
fn taken_up(kind: Kind, saved: &Saved) -> Beginning {
    Beginning { checkpoint: Some(Arc::clone(&saved.bytes)), ..beginning(kind) }
}

/// An invertible model after the last of its steps.
fn trained() -> Beginning {
    let saved = saved(&stretch(&mut runner(), until(60, Some(beginning(Kind::Invertible)))));
    assert_eq!(saved.step, 60);
    taken_up(Kind::Invertible, &saved)
}

#[test]
fn a_run_is_measured_before_its_first_step_and_every_few_after_it() {
    let events = stretch(&mut runner(), until(25, Some(beginning(Kind::Dot))));
    let StretchEvent::Begun(facts) = &events[0] else { panic!("{:?} is not its beginning", events[0]) };
    assert_eq!((facts.step, facts.vocabulary, facts.training + facts.held_out), (0, 66, ALICE.chars().count()));
    assert!(facts.parameters > 4 * 16 * 16, "{} parameters", facts.parameters);
    let measured = measured(&events);
    assert_eq!(measured.iter().map(|one| one.step).collect::<Vec<_>>(), [0, 10, 20]);
    for one in &measured {
        assert_eq!(one.layers.len(), 1);
        assert!(one.layers[0].norm <= one.layers[0].bound, "{:?}", one.layers[0]);
        assert_eq!(one.sample.chars().count(), 12);
    }
    assert!(measured[2].held_out < measured[0].held_out, "{} after {}", measured[2].held_out, measured[0].held_out);
    assert_eq!(steps(&events).iter().map(|row| row.step).collect::<Vec<_>>(), (1..=25).collect::<Vec<_>>());
}

#[test]
fn stretches_and_a_new_worker_give_the_digits_of_one_stretch() {
    let whole = stretch(&mut runner(), until(20, Some(beginning(Kind::Contractive))));
    let mut first = runner();
    let begun = stretch(&mut first, until(7, Some(beginning(Kind::Contractive))));
    let kept = stretch(&mut first, until(12, None));
    let state = saved(&kept);
    assert_eq!(state.step, 12);
    let mut second = runner();
    assert_eq!(stretch(&mut second, until(20, None)), [StretchEvent::Absent], "another worker does not have the run");
    let last = stretch(&mut second, until(20, Some(taken_up(Kind::Contractive, &state))));
    let all: Vec<StepRow> = [&begun, &kept, &last].into_iter().flat_map(|events| steps(events)).collect();
    assert_eq!(all, steps(&whole));
    assert_eq!(measured(&last).last(), measured(&whole).last());
    assert_eq!(saved(&last), saved(&whole));
}

#[test]
fn a_stretch_ends_when_its_time_is_over_and_saves_when_it_is_time_to() {
    // Every read of the clock takes a millisecond.
    let time = Cell::new(0.0);
    let clock = || time.replace(time.get() + 1.0);
    let mut runner = runner();
    let mut run = |beginning, milliseconds| {
        let plan = StretchPlan { milliseconds, saving: Saving::After(1e6), ..until(60, beginning) };
        runner.complete(TrainPlan::Stretch(plan), clock).expect("a stretch")
    };
    let is_saved =
        |events: &[TrainEvent]| events.iter().any(|event| matches!(event, TrainEvent::Stretch(StretchEvent::Saved(_))));
    let first = run(Some(beginning(Kind::Dot)), 20.0);
    assert!(is_saved(&first), "a run is saved as soon as it has begun");
    let count = |events: &[TrainEvent]| {
        let rows = events.iter().map(|event| match event {
            TrainEvent::Stretch(StretchEvent::Steps(rows)) => rows.len(),
            _ => 0,
        });
        rows.sum::<usize>()
    };
    assert!((1..20).contains(&count(&first)), "{} steps", count(&first));
    let second = run(None, 10.0);
    assert!(count(&second) >= 1 && !is_saved(&second), "the state is young");
    let rest = run(None, f64::INFINITY);
    assert_eq!(count(&first) + count(&second) + count(&rest), 60);
    assert!(is_saved(&rest), "a run that is complete is saved");
}

#[test]
fn a_worker_forgets_the_runs_of_an_earlier_training() {
    let mut runner = runner();
    stretch(&mut runner, until(1, Some(beginning(Kind::Dot))));
    let other = |beside| StretchPlan { run: 2, beside, ..until(1, Some(beginning(Kind::Dot))) };
    stretch(&mut runner, other(vec![1, 2]));
    assert_ne!(stretch(&mut runner, until(2, None)), [StretchEvent::Absent]);
    stretch(&mut runner, other(vec![2]));
    assert_eq!(stretch(&mut runner, until(3, None)), [StretchEvent::Absent]);
}

#[test]
fn a_text_that_is_too_short_and_a_checkpoint_of_another_text_are_refused() {
    let refused =
        |beginning| runner().complete(TrainPlan::Stretch(until(1, Some(beginning))), || 0.0).expect_err("refused");
    let short = refused(Beginning { text: "to be".into(), ..beginning(Kind::Dot) });
    assert!(matches!(short, InputError::BadValue { .. }), "{short:?}");
    let state = saved(&stretch(&mut runner(), until(1, Some(beginning(Kind::Dot)))));
    let other = refused(Beginning { text: ALICE.replace("Alice", "Dinah").into(), ..taken_up(Kind::Dot, &state) });
    assert!(matches!(other, InputError::File { .. }), "{other:?}");
}

#[test]
fn an_invertible_model_gives_back_every_character() {
    let plan = BackwardsPlan { model: trained(), windows: 2, iterations: 600 };
    let events = runner().complete(TrainPlan::Backwards(plan), || 0.0).expect("it runs backwards");
    let rows: Vec<WindowRow> = events
        .into_iter()
        .map(|event| if let TrainEvent::Backwards(row) = event { row } else { panic!("{event:?} is no window") })
        .collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!((row.recovered, row.characters), (16, 16), "{:?} came back as {:?}", row.text, row.found);
        assert_eq!(row.found.as_deref(), Some(row.text.as_str()));
        assert!(row.error.is_some_and(|error| error < 1e-6), "{:?}", row.error);
        // From the last branch to the first: the MLP, then attention.
        assert_eq!(row.branches.len(), 2);
        assert!(row.branches.iter().all(|branch| branch.outcome == Outcome::Converged), "{:?}", row.branches);
        let first = &row.branches[0];
        assert!(first.errors.last() < first.errors.first(), "the error falls");
    }
}

#[test]
fn a_model_as_files_says_what_it_is() {
    let plan = FilesPlan { model: trained() };
    let events = runner().complete(TrainPlan::Files(plan), || 0.0).expect("files");
    let [TrainEvent::Files(files)] = &events[..] else { panic!("{events:?}") };
    let config: Value = serde_json::from_str(&files.config).expect("JSON");
    assert_eq!(config["lipscope"]["plan"]["kind"], "invertible");
    let header = u64::from_le_bytes(files.weights[..8].try_into().expect("8 bytes")) as usize;
    let names: Value = serde_json::from_slice(&files.weights[8..8 + header]).expect("a header");
    assert_eq!(names["wte.weight"]["shape"], serde_json::json!([66, 16]), "{names}");
    assert!(names.get("h.0.ln_1.weight").is_none(), "an invertible model has no layer norm: {names}");
    assert!(files.tokenizer.contains("\"WordLevel\""), "{}", files.tokenizer);
}

/// The losses that the browser test compares its own with: both are compared to the same digits.
#[test]
fn the_losses_are_those_that_the_browser_is_compared_with() {
    let expected: Value = serde_json::from_str(LOSSES).expect("JSON");
    for kind in [Kind::Dot, Kind::Invertible] {
        let found: Vec<f64> =
            steps(&stretch(&mut runner(), until(20, Some(beginning(kind))))).iter().map(|row| row.loss).collect();
        let expected: Vec<f64> =
            expected[kind.id()].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        assert_eq!(expected.len(), 20, "{} gives {found:?}", kind.id());
        for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() < 1e-4, "{}, step {}: {found} for {expected}", kind.id(), step + 1);
        }
    }
}
