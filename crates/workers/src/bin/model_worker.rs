//! The models' worker.

fn main() {
    lipscope_workers::models::run();
}
