//! Stacks run backwards, before and after some training.

use lipscope_core::inverse::Outcome;
use lipscope_core::random::{Random, Stream};
use lipscope_train::{Corpus, Extent, Inversion, Kind, Plan, PlanFields, Trainer, invert};

/// A run over a text long enough for twenty held-out windows.
fn run(kind: Kind, steps: usize) -> Trainer {
    let corpus = Corpus::new(&"she sells sea shells by the sea shore. ".repeat(80)).expect("a text");
    let fields = PlanFields {
        width: 16,
        heads: 2,
        context: 12,
        batch: 8,
        steps,
        warm_up: 5,
        learning_rate: 1e-2,
        ..PlanFields::of_kind(kind)
    };
    Trainer::new(Plan::new(fields).expect("a plan"), corpus).expect("a text that is long enough")
}

/// Twenty held-out windows run backwards.
fn backwards(run: &Trainer, extent: Extent) -> Vec<Inversion> {
    let (stack, context) = (run.stack(), run.plan().context);
    let starts = run.corpus().held_out_windows(context, 20);
    assert_eq!(starts.len(), 20);
    let window = |start: usize| &run.corpus().held_out()[start..start + context];
    starts.into_iter().map(|start| invert(&stack, window(start), extent, 500).expect("finite")).collect()
}

/// Checks one window run backwards: every branch converges at its rate, and every character is recovered.
fn assert_inverted(run: &Trainer, inversion: &Inversion) {
    let error = inversion.error.expect("it converges");
    assert!(error < 1e-8, "step {}: {error:e}", run.steps_done());
    assert_eq!(inversion.n_recovered(), run.plan().context);
    assert_eq!(inversion.branches.len(), 2 * run.plan().blocks);
    for branch in &inversion.branches {
        assert_eq!((branch.outcome, branch.contraction), (Outcome::Converged, Some(run.plan().c)));
        let rate = branch.rate().expect("more than one iteration");
        assert!(rate <= run.plan().c, "layer {} {}: {rate}", branch.layer, branch.branch);
    }
}

#[test]
fn an_invertible_stack_gives_back_every_character_before_during_and_after_training() {
    let mut run = run(Kind::Invertible, 40);
    let mut random = Random::new(4, Stream::Tokens);
    for steps in [0, 20, 40] {
        while run.steps_done() < steps {
            run.step();
        }
        for inversion in backwards(&run, Extent::of(Kind::Invertible)) {
            assert_inverted(&run, &inversion);
        }
        // The theorem also holds for windows that are not from the text.
        let (stack, vocabulary) = (run.stack(), run.corpus().vocabulary().len());
        for _ in 0..200 {
            let window: Vec<u32> = (0..run.plan().context).map(|_| random.below(vocabulary) as u32).collect();
            assert_inverted(&run, &invert(&stack, &window, Extent::Stack, 500).expect("finite"));
        }
    }
}

#[test]
fn contractive_attention_is_inverted_at_its_rate() {
    let mut run = run(Kind::Contractive, 40);
    while !run.is_done() {
        run.step();
    }
    for inversion in backwards(&run, Extent::of(Kind::Contractive)) {
        assert!(inversion.error.expect("it converges") < 1e-8);
        assert_eq!(inversion.n_recovered(), run.plan().context);
        for branch in &inversion.branches {
            assert_eq!((branch.outcome, branch.branch), (Outcome::Converged, "attention"));
            // |X_t - X| <= c^t |X_0 - X|, up to rounding.
            let first = branch.steps[0].error;
            for step in &branch.steps {
                let most = run.plan().c.powi(step.iteration as i32) * first + 1e-9;
                assert!(step.error <= most, "iteration {}: {:e} over {most:e}", step.iteration, step.error);
            }
        }
    }
}

#[test]
fn dot_product_attention_is_tried_and_does_not_come_back() {
    let mut run = run(Kind::Dot, 150);
    while !run.is_done() {
        run.step();
    }
    let inversions = backwards(&run, Extent::Stack);
    let failed = inversions.iter().filter(|inversion| inversion.error.is_none_or(|error| error > 1e-3)).count();
    assert!(failed > 0, "every window came back, though nothing promises it");
    let branches = inversions.iter().flat_map(|inversion| &inversion.branches);
    assert!(branches.clone().all(|branch| branch.contraction.is_none()));
    assert!(branches.clone().any(|branch| branch.outcome != Outcome::Converged));
}
