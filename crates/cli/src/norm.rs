//! The norms as command-line values.

use clap::ValueEnum;

use lipscope_core::bounds::Norm;

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
