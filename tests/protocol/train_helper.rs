//! A training worker with a second worker that does half of each step.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lipscope_protocol::runner::Runner;
use lipscope_protocol::train::{
    Answer, Batch, Beginning, GradientEvent, GradientPlan, Helper, Kind, Plan, PlanFields, Saving, StretchPlan,
    TrainContext, TrainEvent, TrainPlan, TrainTasks,
};

/// The text that comes with the page.
const ALICE: &str = include_str!("../../assets/alice.txt");

/// How a helper answers requests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Temper {
    /// Answers at the third poll.
    Slow,
    /// Never listens.
    Asleep,
    /// Stops at the third question.
    Dies,
    /// Never answers.
    Silent,
    /// Refuses.
    Refuses,
    /// Answers with a gradient that lacks a number.
    Short,
}

/// A worker without a browser.
struct Fake {
    temper: Temper,
    worker: Runner<TrainTasks>,
    questions: Rc<Cell<usize>>,
    looks: usize,
    found: Option<GradientEvent>,
}

impl Helper for Fake {
    fn is_ready(&mut self) -> bool {
        self.temper != Temper::Asleep
    }

    fn ask(&mut self, plan: GradientPlan) {
        self.questions.set(self.questions.get() + 1);
        self.looks = 0;
        let events = self.worker.complete(TrainPlan::Gradient(plan), || 0.0).expect("half a step");
        let [TrainEvent::Gradient(event)] = &events[..] else { panic!("{events:?} is not one half") };
        self.found = Some(event.clone());
    }

    fn answer(&mut self) -> Answer {
        self.looks += 1;
        match self.temper {
            Temper::Slow if self.looks < 3 => Answer::Pending,
            Temper::Dies if self.questions.get() == 3 => Answer::Lost,
            Temper::Silent => Answer::Pending,
            Temper::Refuses => Answer::Here(GradientEvent::Refused),
            Temper::Short => match self.found.take() {
                Some(GradientEvent::Found { loss, mut gradient }) => {
                    let shorter = gradient.len() - 4;
                    gradient.truncate(shorter);
                    Answer::Here(GradientEvent::Found { loss, gradient })
                }
                other => panic!("{other:?} is no gradient"),
            },
            Temper::Slow | Temper::Asleep | Temper::Dies => Answer::Here(self.found.take().expect("a question")),
        }
    }
}

fn plan(batch: usize) -> Plan {
    let sizes =
        PlanFields { width: 16, heads: 2, blocks: 1, context: 16, batch, steps: 60, ..PlanFields::of_kind(Kind::L2) };
    Plan::new(sizes).expect("a plan that fits")
}

/// The events of six steps, and how often the helper was asked. Every read of the clock takes a second.
fn six_steps(batch: usize, temper: Option<Temper>) -> (Vec<TrainEvent>, usize) {
    let questions = Rc::new(Cell::new(0));
    let context = match temper {
        None => TrainContext::default(),
        Some(temper) => TrainContext::with_helper(Box::new(Fake {
            temper,
            worker: Runner::new(TrainContext::default()),
            questions: Rc::clone(&questions),
            looks: 0,
            found: None,
        })),
    };
    let stretch = StretchPlan {
        run: 1,
        beginning: Some(Beginning { plan: plan(batch), text: ALICE.into(), checkpoint: None }),
        beside: vec![1],
        until: 6,
        milliseconds: f64::INFINITY,
        measure_every: 3,
        sample: 4,
        saving: Saving::Always,
    };
    let time = RefCell::new(0.0);
    let clock = || time.replace_with(|time| *time + 1000.0);
    let events = Runner::<TrainTasks>::new(context).complete(TrainPlan::Stretch(stretch), clock).expect("a stretch");
    (events, questions.get())
}

/// The events, joined over the cuts between steps, which depend on the clock.
fn told(events: &[TrainEvent]) -> Vec<String> {
    use lipscope_protocol::train::StretchEvent::Steps;
    let each = events.iter().flat_map(|event| match event {
        TrainEvent::Stretch(Steps(rows)) => rows.iter().map(|row| format!("{row:?}")).collect(),
        other => vec![format!("{other:?}")],
    });
    each.collect()
}

#[test]
fn a_helper_changes_no_digit_whatever_it_does() {
    for batch in [4, 5] {
        let alone = told(&six_steps(batch, None).0);
        for (temper, asked) in [
            (Temper::Slow, 6),
            (Temper::Asleep, 0),
            (Temper::Dies, 3),
            (Temper::Silent, 1),
            (Temper::Refuses, 1),
            (Temper::Short, 1),
        ] {
            let (events, questions) = six_steps(batch, Some(temper));
            assert_eq!(told(&events), alone, "{temper:?} at {batch} windows");
            assert_eq!(questions, asked, "{temper:?} at {batch} windows");
        }
    }
}

#[test]
fn a_step_of_one_window_is_not_shared() {
    assert_eq!(told(&six_steps(1, Some(Temper::Slow)).0), told(&six_steps(1, None).0));
    assert_eq!(six_steps(1, Some(Temper::Slow)).1, 0);
}

#[test]
fn a_half_that_does_not_fit_its_plan_is_refused() {
    let trainer = Beginning { plan: plan(4), text: ALICE.into(), checkpoint: None }.trainer().expect("a model");
    let half = trainer.halves().second.expect("two halves");
    let whole = GradientPlan {
        plan: plan(4),
        vocabulary: trainer.corpus().vocabulary().len(),
        weights: trainer.weights().to_bytes().into(),
        batch: half,
    };
    let answer = |change: fn(&mut GradientPlan)| {
        let mut plan = whole.clone();
        change(&mut plan);
        let mut worker = Runner::<TrainTasks>::new(TrainContext::default());
        worker.complete(TrainPlan::Gradient(plan), || 0.0).expect("an answer").remove(0)
    };
    let TrainEvent::Gradient(GradientEvent::Found { loss, gradient }) = answer(|_| ()) else { panic!("it fits") };
    assert!(loss > 0.0 && gradient.len() == whole.weights.len(), "{loss}, {} bytes", gradient.len());
    let wrong: [fn(&mut GradientPlan); 8] = [
        |plan| plan.weights.truncate(7),
        |plan| plan.weights.extend([0; 4]),
        |plan| plan.vocabulary = 3,
        |plan| plan.vocabulary = usize::MAX,
        |plan| plan.batch.ids[0] = 4000,
        |plan| plan.batch.next.truncate(1),
        |plan| plan.batch = Batch { ids: Vec::new(), next: Vec::new() },
        |plan| plan.batch = Batch { ids: vec![0; 80], next: vec![0; 80] },
    ];
    for (at, change) in wrong.into_iter().enumerate() {
        assert_eq!(answer(change), TrainEvent::Gradient(GradientEvent::Refused), "case {at}");
    }
}
