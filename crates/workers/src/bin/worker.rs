//! The engine's worker.

use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{EnginePlan, EngineTasks, MeasurePlan};
use lipscope_workers::listen::{NoFiles, listen};

fn main() {
    listen::<EngineTasks, _>(|_| Memory::BROWSER, NoFiles, warm_up);
}

/// Measures an experiment of the size of the opening view, by an iteration and by a dense SVD, and forgets the result. The
/// page keeps a worker ready that has not worked yet, and a slider's first movement goes to that one.
fn warm_up() {
    const OPENING: &str = r#"{
        "tokens": {"source": "random", "distribution": "ball", "n": 64, "d": 2, "radius": 1.5, "seed": 0},
        "weights": {"source": "identity", "sign": -1}
    }"#;
    let Ok(experiment) = Experiment::from_json(OPENING) else { return };
    let plan = MeasurePlan {
        experiment,
        head_idx: 0,
        most_cells: 64,
        block_norms: BlockNorms::Skipped,
        radius: None,
        pair: PairRequest::Included,
    };
    // Whether it can be measured is of no interest here.
    let _ = Runner::<EngineTasks>::new(Memory::BROWSER).complete(EnginePlan::Measure(plan), || 0.0);
}
