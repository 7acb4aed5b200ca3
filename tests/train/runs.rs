//! Runs: reproducible digits, checkpoints, and that the model learns.

use lipscope_core::experiment::InputError;
use lipscope_train::{Corpus, Kind, Norms, Plan, PlanFields, Trainer};

use crate::small;

fn corpus() -> Corpus {
    Corpus::new(&"the quick brown fox jumps over the lazy dog. ".repeat(20)).expect("a text")
}

fn trainer(plan: &Plan) -> Trainer {
    Trainer::new(plan.clone(), corpus()).expect("a text that is long enough")
}

/// Every number of a run after some more steps, bit by bit.
fn digits(trainer: &mut Trainer, steps: usize) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..steps).map(|_| trainer.step().loss.to_bits()).collect();
    numbers.push(trainer.held_out().to_bits());
    numbers.extend(trainer.weights().iter().flat_map(|w| &w.values).map(|value| u64::from(value.to_bits())));
    numbers
}

#[test]
fn the_same_plan_gives_the_same_digits_and_another_seed_others() {
    for plan in small::all_plans() {
        let first = digits(&mut trainer(&plan), 4);
        assert_eq!(first, digits(&mut trainer(&plan), 4), "{:?}", plan.kind);
        let other = Plan::new(PlanFields { seed: 1, ..(*plan).clone() }).expect("a plan");
        assert_ne!(first, digits(&mut trainer(&other), 4), "{:?}", plan.kind);
    }
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let plans = small::all_plans();
    let alone: Vec<Vec<u64>> = plans.iter().map(|plan| digits(&mut trainer(plan), 3)).collect();
    let together: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let runs: Vec<_> = plans.iter().map(|plan| scope.spawn(|| digits(&mut trainer(plan), 3))).collect();
        runs.into_iter().map(|run| run.join().expect("a run")).collect()
    });
    assert_eq!(alone, together);
}

#[test]
fn a_run_that_is_resumed_ends_with_the_digits_of_one_that_was_not_interrupted() {
    for plan in small::all_plans() {
        let mut whole = trainer(&plan);
        let expected = digits(&mut whole, 6);
        let mut part = trainer(&plan);
        let _ = digits(&mut part, 2);
        let bytes = part.checkpoint();
        let mut resumed = Trainer::resume(&bytes, corpus()).expect("its own checkpoint");
        assert_eq!((resumed.steps_done(), resumed.plan()), (2, &plan));
        assert_eq!(resumed.checkpoint(), bytes);
        assert_eq!(digits(&mut resumed, 4), expected[2..], "{:?}", plan.kind);
    }
}

#[test]
fn bytes_that_are_no_checkpoint_of_this_text_are_errors() {
    let mut run = trainer(&small::plan(Kind::L2, Norms::Layer));
    run.step();
    let bytes = run.checkpoint();
    let said = |bytes: &[u8], corpus| match Trainer::resume(bytes, corpus).err() {
        Some(InputError::File { problem, .. }) => problem.to_string(),
        other => panic!("not refused as a file: {other:?}"),
    };
    assert_eq!(said(&bytes, Corpus::new(&"another text. ".repeat(40)).expect("a text")), "it belongs to another text");
    for broken in [&bytes[..bytes.len() / 2], &bytes[1..], b"", b"no checkpoint"] {
        assert_eq!(said(broken, corpus()), "it is not a whole checkpoint of this version");
    }
}

#[test]
fn a_checkpoint_with_numbers_that_no_run_reaches_is_an_error() {
    let mut run = trainer(&small::plan(Kind::Dot, Norms::Layer));
    let before = run.checkpoint();
    run.step();
    let after = run.checkpoint();
    // The first number in which the two differ is the step. 2^64 - 1 is written as ten bytes of seven bits each.
    let step = before.iter().zip(&after).position(|(before, after)| before != after).expect("another step");
    let endless = [&after[..step], &[0xff; 9], &[1], &after[step + 1..]].concat();
    let mut infinite = after.clone();
    let end = infinite.len();
    infinite[end - 4..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(Trainer::resume(&after, corpus()).is_ok());
    for broken in [endless, infinite] {
        assert!(matches!(Trainer::resume(&broken, corpus()), Err(InputError::File { .. })));
    }
}

#[test]
fn every_kind_learns_a_sentence() {
    for kind in Kind::ALL {
        let fields = PlanFields {
            width: 16,
            heads: 2,
            context: 12,
            batch: 8,
            steps: 100,
            warm_up: 10,
            learning_rate: 1e-2,
            ..PlanFields::of_kind(kind)
        };
        let mut run = trainer(&Plan::new(fields).expect("a plan"));
        let before = run.held_out();
        while !run.is_done() {
            run.step();
        }
        let (after, uniform) = (run.held_out(), (run.corpus().vocabulary().len() as f64).ln());
        assert!((before - uniform).abs() < 1.5, "{kind:?}: {before} at first");
        // A character alone predicts much of the next one; the kinds that attend freely learn the rest of the sentence.
        let most = if kind.is_tied() { 1.0 } else { 0.3 };
        assert!(after < most, "{kind:?}: {after} nats");
        let text = run.sample(60, 1).expect("finite");
        assert_eq!(text.chars().count(), 60);
        assert_eq!(run.sample(60, 1).expect("finite"), text);
        assert_ne!(run.sample(60, 2).expect("finite"), text);
        let words = ["quick", "brown", "jumps", "over", "lazy"].into_iter().filter(|word| text.contains(word)).count();
        assert!(kind.is_tied() || words >= 2, "{kind:?}: {text}");
    }
}
