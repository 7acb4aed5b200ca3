//! The engine's worker.

use lipscope_core::experiment::Memory;
use lipscope_protocol::tasks::EngineTasks;
use lipscope_workers::listen::{NoFiles, listen};

fn main() {
    listen::<EngineTasks, _>(|_| Memory::BROWSER, NoFiles);
}
