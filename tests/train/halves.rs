//! The halves of a step.

use lipscope_core::parallel::on_one_thread;
use lipscope_train::{Batch, Corpus, Errand, Plan, PlanFields, Trainer, loss_and_gradients};

use crate::small;

fn trainer(plan: &Plan, batch: usize) -> Trainer {
    let corpus = Corpus::new(&"the quick brown fox jumps over the lazy dog. ".repeat(20)).expect("a text");
    let plan = Plan::new(PlanFields { batch, ..(**plan).clone() }).expect("a plan");
    Trainer::new(plan, corpus).expect("a text that is long enough")
}

#[test]
fn two_halves_are_all_windows_of_a_step() {
    let context = small::all_plans()[0].context;
    for (batch, first, second) in [(1, 1, None), (2, 1, Some(1)), (5, 3, Some(2)), (8, 4, Some(4))] {
        let halves = trainer(&small::all_plans()[0], batch).halves();
        let windows = |half: &Batch| half.ids.len() / context;
        assert_eq!((windows(&halves.first), halves.second.as_ref().map(windows)), (first, second));
    }
}

/// The loss is the mean over all windows, and weights move along the mean of the gradients.
#[test]
fn the_mean_of_the_halves_is_the_gradient_of_the_whole() {
    for plan in small::all_plans() {
        let trainer = trainer(&plan, 5);
        let halves = trainer.halves();
        let second = halves.second.expect("five windows have two halves");
        let whole = Batch {
            ids: [&halves.first.ids[..], &second.ids].concat(),
            next: [&halves.first.next[..], &second.next].concat(),
        };
        let (loss, gradient) = loss_and_gradients(trainer.plan(), &trainer.weights().to_f64(), &whole);
        let part = |batch: &Batch| loss_and_gradients(trainer.plan(), &trainer.weights().to_f64(), batch);
        let ((a, by_a), (b, by_b)) = (part(&halves.first), part(&second));
        assert!((0.6 * a + 0.4 * b - loss).abs() <= 1e-12 * loss, "{:?}", plan.kind);
        let largest = gradient.iter().flatten().fold(0.0, |most: f64, g| most.max(g.abs()));
        for ((whole, a), b) in gradient.iter().flatten().zip(by_a.iter().flatten()).zip(by_b.iter().flatten()) {
            assert!((0.6 * a + 0.4 * b - whole).abs() <= 1e-11 * largest, "{:?}", plan.kind);
        }
        let mut stepped = trainer;
        let report = stepped.step();
        assert!((report.loss - loss).abs() <= 1e-5 * loss, "{:?}: {} and {loss}", plan.kind, report.loss);
    }
}

#[test]
fn halves_found_elsewhere_or_on_one_thread_give_the_digits_of_a_step() {
    for plan in small::all_plans() {
        let (mut whole, mut shared, mut alone) = (trainer(&plan, 4), trainer(&plan, 4), trainer(&plan, 4));
        for _ in 0..3 {
            let expected = whole.step();
            assert_eq!(on_one_thread(|| alone.step()), expected);
            let halves = shared.halves();
            let second = halves.second.expect("four windows have two halves");
            let vocabulary = shared.corpus().vocabulary().len();
            let errand = Errand::new(shared.plan().clone(), vocabulary, &shared.weights().to_bytes(), second.clone());
            let found = errand.expect("weights and windows of the run").gradient();
            let found = shared.gradient_of_bytes(&second, found.loss(), &found.to_bytes()).expect("as many as weights");
            let first = shared.gradient(&halves.first);
            assert_eq!(shared.finish_step(first, Some(found)), expected);
        }
        assert_eq!((shared.weights(), alone.weights()), (whole.weights(), whole.weights()), "{:?}", plan.kind);
    }
}
