//! The engine's worker. For the browser it is cut along [`rest`] into two parts: the tasks of the first picture, and all
//! others.

use lipscope_core::experiment::{Distribution, Experiment, Memory, RandomTokens, TokenSource, WeightSource};
use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{EngineTasks, FirstPlan, FirstTasks, MeasurePlan};
use lipscope_workers::listen::listen;
use lipscope_workers::tasks::{NoFiles, Tasks, TasksOf};

fn main() {
    let first = TasksOf::<FirstTasks, _>::new(Memory::BROWSER, NoFiles);
    listen(|_| first, Some(|| Box::pin(async { rest().await.ok() })), warm_up);
}

#[cfg(target_arch = "wasm32")]
#[wasm_split_helpers::wasm_split(rest, fallible)]
fn rest() -> Result<Box<dyn Tasks>, wasm_split_helpers::SplitLoaderError> {
    Ok(all_tasks())
}

#[cfg(not(target_arch = "wasm32"))]
async fn rest() -> Result<Box<dyn Tasks>, std::convert::Infallible> {
    Ok(all_tasks())
}

/// All tasks: a message names its task by the place in the list of all.
fn all_tasks() -> Box<dyn Tasks> {
    Box::new(TasksOf::<EngineTasks, _>::new(Memory::BROWSER, NoFiles))
}

/// Measures an experiment of the size of the opening view, by an iteration and by a dense SVD, and forgets the result. The
/// page keeps a worker ready that has not worked yet, and a slider's first movement goes to that one.
fn warm_up() {
    let tokens = RandomTokens { distribution: Distribution::Ball, n: 64, d: 2, radius: 1.5, seed: 0 };
    let plan = MeasurePlan {
        experiment: Experiment::of(TokenSource::Random(tokens), WeightSource::Identity { sign: -1.0 }),
        head_idx: 0,
        most_cells: 64,
        block_norms: BlockNorms::Skipped,
        radius: None,
        pair: PairRequest::Included,
    };
    // Whether it can be measured is of no interest here.
    let _ = Runner::<FirstTasks>::new(Memory::BROWSER).complete(FirstPlan::Measure(plan), || 0.0);
}
