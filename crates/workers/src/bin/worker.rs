//! The engine's worker.

fn main() {
    lipscope_workers::worker::run();
}
