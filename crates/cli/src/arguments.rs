//! Values and limits that several commands take.

use clap::{Args, ValueEnum};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::Memory;

/// The memory limit of a command's tasks.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct MemoryArguments {
    /// The most memory that a task may hold, such as 512MiB, 4GiB or a number of bytes; a task that would take more is
    /// refused before it is begun.
    #[arg(long, value_name = "SIZE", default_value_t = Memory::default())]
    pub(super) memory: Memory,
}

/// The norms by their names in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum NormName {
    /// Largest singular value.
    Spectral,
    /// Largest absolute row sum.
    Linf,
    /// Largest absolute column sum.
    L1,
    /// Root of the sum of squares.
    Frobenius,
    /// Largest row sum of block norms, an upper bound.
    MaxToken,
}

impl NormName {
    pub(super) fn norm(self) -> Norm {
        match self {
            NormName::Spectral => Norm::Spectral,
            NormName::Linf => Norm::Linf,
            NormName::L1 => Norm::L1,
            NormName::Frobenius => Norm::Frobenius,
            NormName::MaxToken => Norm::MaxToken,
        }
    }
}
