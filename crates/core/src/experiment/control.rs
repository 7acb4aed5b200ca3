//! The controls that change how large an experiment is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A size that a person sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Control {
    /// n.
    Tokens,
    /// d.
    Dimension,
    /// Number of heads.
    Heads,
    /// k = d_v of each head.
    HeadDimension,
    /// Distinct positions of a token measure.
    Positions,
    /// Layers of a model, up to the deepest that is measured.
    Layers,
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Control::Tokens => "the number of tokens n",
            Control::Dimension => "the token dimension d",
            Control::Heads => "the number of heads",
            Control::HeadDimension => "the head dimension",
            Control::Positions => "the number of positions",
            Control::Layers => "the number of layers",
        })
    }
}
