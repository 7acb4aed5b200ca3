//! The kinds of attention to compare, and the places of layer norms.

use lipscope_core::experiment::Attention;
use serde::{Deserialize, Serialize};

/// A kind of attention, always causal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Dot-product attention.
    Dot,
    /// L2 attention with its own queries and keys.
    L2,
    /// \[K\]'s L2 multi-head attention F: Q = K, and V_h = W_V,h^T A_h.
    L2Tied,
    /// The branch is c F(x)/Lambda, F as [`Kind::L2Tied`] and Lambda = `kim_linf` of the weights: a contraction in the
    /// l_inf norm, so that x + c F(x)/Lambda is invertible.
    Contractive,
    /// As [`Kind::Contractive`], and the MLP's branch is a contraction too, without any layer norm: the whole stack is
    /// invertible, block by block.
    Invertible,
}

/// The places of layer norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Norms {
    /// Before the branches and before the head; not before a branch that is a contraction.
    Layer,
    /// Nowhere.
    None,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] = [Kind::Dot, Kind::L2, Kind::L2Tied, Kind::Contractive, Kind::Invertible];

    /// Its name in files and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Kind::Dot => "dot",
            Kind::L2 => "l2",
            Kind::L2Tied => "l2_tied",
            Kind::Contractive => "contractive",
            Kind::Invertible => "invertible",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// The kernel of its scores.
    #[must_use]
    pub fn kernel(self) -> Attention {
        if self == Kind::Dot { Attention::Dot } else { Attention::L2 }
    }

    /// Whether queries equal keys, and values are those of \[K\]'s L2 multi-head attention.
    #[must_use]
    pub fn is_tied(self) -> bool {
        matches!(self, Kind::L2Tied | Kind::Contractive | Kind::Invertible)
    }

    /// Whether the attention branch is a contraction.
    #[must_use]
    pub fn is_contraction(self) -> bool {
        matches!(self, Kind::Contractive | Kind::Invertible)
    }
}

impl Norms {
    /// Its name in files and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Norms::Layer => "layer",
            Norms::None => "none",
        }
    }
}
