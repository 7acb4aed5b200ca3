//! The controls that change how large an experiment is.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Phrase;
use crate::phrase;

/// A control of the size of an experiment.
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
    /// Layers of a model, up to the deepest measured one.
    Layers,
}

impl Control {
    /// Its name in a text.
    pub(super) fn phrase(self) -> Phrase {
        match self {
            Control::Tokens => phrase!("lower_tokens", "the number of tokens n"),
            Control::Dimension => phrase!("lower_dimension", "the token dimension d"),
            Control::Heads => phrase!("lower_heads", "the number of heads"),
            Control::HeadDimension => phrase!("lower_head_dimension", "the head dimension"),
            Control::Positions => phrase!("lower_positions", "the number of positions"),
            Control::Layers => phrase!("lower_layers", "the number of layers"),
        }
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}
