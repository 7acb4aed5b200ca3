//! The tasks that the engine's worker has in its first module: page and worker say the same bytes about them, whether the
//! worker has the list of all tasks or only this one.

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::growth::GrowthPlan;
use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_core::script::Dialect;
use lipscope_core::sweep::Spacing;
use lipscope_protocol::envelope::{Command, Content, Message, Reply, Request, decode, encode};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{
    BallPlan, EnginePlan, EngineTasks, FirstPlan, FirstTasks, GrowthRequest, MeasurePlan, ScriptPlan, SweepRequest,
    WorstFrom, WorstRequest,
};
use serde_json::json;

fn experiment() -> Experiment {
    Experiment::from_value(json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 12, "d": 2, "radius": 1.5, "seed": 3},
        "weights": {"source": "identity", "sign": -1},
    }))
    .expect("valid")
}

/// One plan of every task of the list.
fn plans() -> Vec<EnginePlan> {
    let curves = GrowthPlan { lengths: vec![2.0, 40.0], spacing: Spacing::Fixed };
    vec![
        EnginePlan::Measure(MeasurePlan {
            experiment: experiment(),
            head_idx: 0,
            most_cells: 8,
            block_norms: BlockNorms::Included,
            radius: None,
            pair: PairRequest::Included,
        }),
        EnginePlan::Sweep(SweepRequest {
            experiment: experiment(),
            lengths: vec![2, 5],
            draws: 2,
            spacing: Spacing::Fixed,
            norm: Norm::Spectral,
            points: None,
        }),
        EnginePlan::Ball(BallPlan { experiment: experiment(), n: 12.0 }),
        EnginePlan::Growth(GrowthRequest::of_curves(experiment(), curves)),
        EnginePlan::Worst(WorstRequest {
            experiment: experiment(),
            lengths: vec![2, 5],
            spacing: Spacing::Fixed,
            from: WorstFrom::Ball,
            units: None,
        }),
    ]
}

/// A name for each task of the list: a task that joins it does not compile before it is here.
fn name(plan: &FirstPlan) -> &'static str {
    match plan {
        FirstPlan::Measure(_) => "measure",
        FirstPlan::Sweep(_) => "sweep",
        FirstPlan::Ball(_) => "ball",
        FirstPlan::Growth(_) => "growth",
        FirstPlan::Worst(_) => "worst",
    }
}

fn command<P: serde::Serialize>(plan: P) -> Vec<u8> {
    encode(&Command::Run(Request { run_id: 77, plan })).expect("encoded")
}

fn said<E: serde::Serialize>(events: Vec<E>) -> Vec<Vec<u8>> {
    let message = |event| Message::Reply(Reply { run_id: 77, content: Content::Event(event) });
    events.into_iter().map(|event| encode(&message(event)).expect("encoded")).collect()
}

#[test]
fn messages_about_the_first_tasks_are_the_same_in_both_lists() {
    let mut names = Vec::new();
    for plan in plans() {
        let bytes = command(plan.clone());
        let Ok(Command::Run(Request { run_id: 77, plan: first })) = decode::<Command<FirstPlan>>(&bytes) else {
            panic!("{plan:?} is not read as a first plan")
        };
        assert_eq!(command(first.clone()), bytes, "{plan:?}");
        names.push(name(&first));
        let all = Runner::<EngineTasks>::new(Memory::default()).complete(plan, || 0.0).expect("done");
        let few = Runner::<FirstTasks>::new(Memory::default()).complete(first, || 0.0).expect("done");
        assert!(!all.is_empty());
        assert_eq!(said(few), said(all), "{names:?}");
    }
    assert_eq!(names, ["measure", "sweep", "ball", "growth", "worst"]);
}

#[test]
fn a_command_for_another_task_is_not_one_of_the_first_and_still_names_its_run() {
    let bytes = command(EnginePlan::Script(ScriptPlan { experiment: experiment(), dialect: Dialect::NumPy }));
    assert!(decode::<Command<FirstPlan>>(&bytes).is_err());
    // The worker that has to fetch the task tells the page at once which run it has begun.
    assert_eq!(decode::<Command<()>>(&bytes), Ok(Command::Run(Request { run_id: 77, plan: () })));
}
