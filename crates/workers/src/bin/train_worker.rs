//! The worker of training.

use lipscope_protocol::train::{TrainContext, TrainTasks, exponential};
use lipscope_workers::helper::SecondWorker;
use lipscope_workers::listen::{Wake, listen};
use lipscope_workers::tasks::{NoFiles, TasksOf};

fn main() {
    let context = |wake: &Wake| match SecondWorker::new(wake) {
        Some(second) => TrainContext::with_helper(Box::new(second)),
        None => TrainContext::default(),
    };
    listen(|wake| TasksOf::<TrainTasks, _>::new(context(wake), NoFiles), None, || {});
}

/// Overrides the function that `f32::exp` calls in this program, burn's included: WebAssembly has no instruction for
/// e^x, and the compiler's replacement is slow.
#[allow(unsafe_code)]
// SAFETY: the name, the signature and the result are those of C's `expf`.
#[unsafe(no_mangle)]
extern "C" fn expf(x: f32) -> f32 {
    exponential(x)
}
