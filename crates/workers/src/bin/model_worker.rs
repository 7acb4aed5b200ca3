//! The models' worker.

fn main() {
    lipscope_workers::model_worker::run();
}
