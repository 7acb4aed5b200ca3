//! `--memory`: the limit of every command that measures.

use clap::Args;

use lipscope_core::experiment::Memory;

/// The limit that a command's tasks have.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct MemoryArguments {
    /// The most memory that a task may hold, such as 512MiB, 4GiB or a number of bytes; a task that would take more is
    /// refused before it is begun.
    #[arg(long, value_name = "SIZE", default_value_t = Memory::default())]
    pub(super) memory: Memory,
}
