//! The kinds of attention to compare, and the places of layer norms.
//!
//! A kind is data: its kernel, and the steps of attention that the engine and the tensors both read.

use lipscope_core::experiment::{Attention, Mask, QkNorm, Rope, Score, Steps, VectorNorm, Weighting};
use serde::{Deserialize, Serialize};

/// A kind of attention, always causal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
    /// Dot-product attention whose queries and keys are divided by their root mean square, without gains.
    QkNorm,
    /// Dot-product attention whose scores are capped, s <- tau tanh(s/tau) with tau = [`SOFTCAP`].
    Softcap,
    /// Dot-product attention with the weights sigma(s_ij - ln T), which do not sum to 1.
    Sigmoid,
    /// Dot-product attention whose queries and keys turn with their positions: RoPE of base 10,000, all entries, layout
    /// `half`.
    Rope,
}

/// tau of [`Kind::Softcap`]. Gemma 2 has 50, but the scores of so small a model stay below half of that, where the cap
/// changes next to nothing: the run would be that of `dot`. docs/training.md has numbers.
pub const SOFTCAP: f64 = 5.0;

/// The places of layer norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Norms {
    /// Before the branches and before the head; not before a branch that is a contraction.
    Layer,
    /// Nowhere.
    None,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 9] = [
        Kind::Dot,
        Kind::L2,
        Kind::L2Tied,
        Kind::Contractive,
        Kind::Invertible,
        Kind::QkNorm,
        Kind::Softcap,
        Kind::Sigmoid,
        Kind::Rope,
    ];

    /// Its name in files and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// The kind of that name.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// The kernel of its scores.
    #[must_use]
    pub fn kernel(self) -> Attention {
        match self {
            Kind::L2 | Kind::L2Tied | Kind::Contractive | Kind::Invertible => Attention::L2,
            Kind::Dot | Kind::QkNorm | Kind::Softcap | Kind::Sigmoid | Kind::Rope => Attention::Dot,
        }
    }

    /// The steps of its attention in a model whose windows have at most T = `context` tokens: the causal mask, and what
    /// the kind adds between projections and weights. Shorter windows have the same steps.
    #[must_use]
    pub fn steps(self, context: usize) -> Steps {
        let causal = Steps { mask: Mask::Causal, ..Steps::plain() };
        let scored = |score: Score| Steps { score, ..causal.clone() };
        match self {
            Kind::Dot | Kind::L2 | Kind::L2Tied | Kind::Contractive | Kind::Invertible => causal,
            Kind::QkNorm => scored(Score { qk_norm: Some(QkNorm::of(VectorNorm::Rms)), ..Score::default() }),
            Kind::Softcap => scored(Score { softcap: Some(SOFTCAP), ..Score::default() }),
            Kind::Sigmoid => Steps { weighting: Weighting::Sigmoid { bias: Some(-(context as f64).ln()) }, ..causal },
            Kind::Rope => scored(Score { rope: Some(Rope::DEFAULT), ..Score::default() }),
        }
    }

    /// Whether its attention has a step beside plain dot-product or L2 attention. `lipscope model` and the page refuse
    /// such a model's files.
    #[must_use]
    pub fn has_step(self) -> bool {
        matches!(self, Kind::QkNorm | Kind::Softcap | Kind::Sigmoid | Kind::Rope)
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
        self.into()
    }
}
