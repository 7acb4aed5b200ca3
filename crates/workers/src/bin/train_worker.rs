//! The worker of training.

use lipscope_protocol::train::{TrainContext, TrainTasks, exponential};
use lipscope_workers::helper::SecondWorker;
use lipscope_workers::listen::{NoFiles, listen};

fn main() {
    let context = |wake: &_| match SecondWorker::new(wake) {
        Some(second) => TrainContext::with_helper(Box::new(second)),
        None => TrainContext::default(),
    };
    listen::<TrainTasks, _>(context, NoFiles);
}

/// What `f32::exp` calls in this program, burn's too: WebAssembly has no e^x, and what the compiler puts in its place is slow.
#[allow(unsafe_code)]
// SAFETY: the name and the signature are those of C's `expf`, and so is what it returns.
#[unsafe(no_mangle)]
extern "C" fn expf(x: f32) -> f32 {
    exponential(x)
}
