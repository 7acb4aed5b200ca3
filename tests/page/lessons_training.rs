//! Models trained as on the page: the witness for goals about training.

use lipscope::answers::TrainRun;
use lipscope_protocol::runner::Runner;
use lipscope_protocol::train::{
    BackwardsPlan, Kind, Norms, Plan, PlanFields, Saving, StretchEvent, StretchPlan, TrainContext, TrainEvent,
    TrainPlan, TrainTasks,
};

/// Both models of the form, but smaller: trained for `steps` steps, then run backwards.
pub fn trained(steps: usize) -> Vec<TrainRun> {
    [Kind::Dot, Kind::Invertible].map(|kind| train(kind, steps)).into()
}

fn train(kind: Kind, steps: usize) -> TrainRun {
    let norms = if kind == Kind::Invertible { Norms::None } else { Norms::Layer };
    let small = PlanFields { width: 16, heads: 2, context: 16, batch: 4, norms, ..PlanFields::of_kind(kind) };
    let plan = Plan::new(small).expect("a plan that fits");
    let mut run = TrainRun::new(1, plan, include_str!("../../assets/alice.txt").into(), 20);
    let mut runner: Runner<TrainTasks> = Runner::new(TrainContext::default());
    let stretch = StretchPlan {
        run: 1,
        beginning: Some(run.beginning()),
        beside: vec![1],
        until: steps,
        milliseconds: f64::INFINITY,
        measure_every: run.every,
        sample: 1,
        saving: Saving::Always,
    };
    for event in runner.complete(TrainPlan::Stretch(stretch), || 0.0).expect("a stretch") {
        match event {
            TrainEvent::Stretch(StretchEvent::Measured(measured)) => run.take_measured(measured, 0.0),
            TrainEvent::Stretch(StretchEvent::Saved(saved)) => run.saved = Some(saved),
            _ => {}
        }
    }
    assert_eq!(run.last().map(|last| last.step), Some(steps), "a witness ends where a model is measured");
    let backwards = BackwardsPlan { model: run.beginning(), windows: 4, iterations: 600 };
    for event in runner.complete(TrainPlan::Backwards(backwards), || 0.0).expect("windows") {
        if let TrainEvent::Backwards(row) = event {
            run.backwards.windows.push(row);
        }
    }
    run
}
