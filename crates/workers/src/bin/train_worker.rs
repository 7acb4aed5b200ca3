//! The worker of training.

use lipscope_protocol::train::{TrainContext, TrainTasks};
use lipscope_workers::listen::{NoFiles, listen};

fn main() {
    listen::<TrainTasks, _>(TrainContext::default(), NoFiles);
}
