//! The sizes that decide how much memory a task takes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Phrase;
use crate::phrase;

/// A size of an experiment, or of a run over a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
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

impl Size {
    /// Its name in a text.
    pub(super) fn phrase(self) -> Phrase {
        match self {
            Size::Tokens => phrase!("lower_tokens", "the number of tokens n"),
            Size::Dimension => phrase!("lower_dimension", "the token dimension d"),
            Size::Heads => phrase!("lower_heads", "the number of heads"),
            Size::HeadDimension => phrase!("lower_head_dimension", "the head dimension"),
            Size::Positions => phrase!("lower_positions", "the number of positions"),
            Size::Layers => phrase!("lower_layers", "the number of layers"),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}
