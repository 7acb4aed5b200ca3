//! What models of today do to scores, and to turn scores into weights. Every step that is absent is the identity.

use serde::{Deserialize, Serialize};

use super::Rows;
use crate::extremum::largest;

/// The steps between projections and weights, in their order: qk-norm, RoPE, scale, cap, bias. docs/theory.md, "Attention
/// as it is run today".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// c in s_ij = c q_i.k_j, above 0; `None` is 1/sqrt(k), and 10 for cosine scores.
    pub scale: Option<f64>,
    /// tau of s <- tau tanh(s/tau), above 0.
    pub softcap: Option<f64>,
    /// The normaliser of queries and keys.
    pub qk_norm: Option<QkNorm>,
    /// The rotation of queries and keys by their position.
    pub rope: Option<Rope>,
    /// eps of the normaliser of cosine scores, above 0; `None` is [`Score::COSINE_EPS`].
    pub cosine_eps: Option<f64>,
    /// A bias that falls with the distance of two tokens.
    pub alibi: Option<Alibi>,
    /// A bias for each pair of tokens, n x n, the same for all heads.
    pub bias: Option<Rows>,
    /// The normaliser of values, w_j = V x_j/sqrt(|V x_j|^2 + eps): its eps, above 0.
    pub value_norm: Option<f64>,
}

impl Score {
    /// eps of cosine scores where a file names none.
    pub const COSINE_EPS: f64 = 1e-6;
    /// The scale of cosine scores where a file names none.
    pub const COSINE_SCALE: f64 = 10.0;

    /// Whether a score depends on the positions of its tokens, and not on the tokens alone.
    #[must_use]
    #[doc(hidden)]
    pub fn knows_positions(&self) -> bool {
        self.rope.is_some() || self.alibi.is_some() || self.bias.is_some()
    }
}

/// The normaliser of queries and keys, each then multiplied entry by entry with its gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QkNorm {
    /// What the vectors are divided by.
    pub kind: VectorNorm,
    /// Above 0.
    pub eps: f64,
    /// The gain of the queries.
    pub q_gain: Gain,
    /// The gain of the keys.
    pub k_gain: Gain,
}

impl QkNorm {
    /// eps where a file names none.
    pub const EPS: f64 = 1e-6;

    /// The normaliser of this kind with the usual eps and without gains.
    #[must_use]
    pub fn of(kind: VectorNorm) -> Self {
        QkNorm { kind, eps: QkNorm::EPS, q_gain: Gain::All(1.0), k_gain: Gain::All(1.0) }
    }
}

/// N(z) = z/s of a vector z of k entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum VectorNorm {
    /// s^2 = |z|^2/k + eps.
    Rms,
    /// z minus its mean first, then as `Rms`.
    Layer,
    /// s^2 = |z|^2 + eps.
    L2,
}

impl VectorNorm {
    /// All.
    pub const ALL: [VectorNorm; 3] = [VectorNorm::Rms, VectorNorm::Layer, VectorNorm::L2];
}

/// A gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Gain {
    /// One number for all entries.
    All(f64),
    /// One number for each of the k entries.
    Entries(Vec<f64>),
}

impl Gain {
    /// The gain of an entry.
    #[must_use]
    pub fn at(&self, entry: usize) -> f64 {
        match self {
            Gain::All(gain) => *gain,
            Gain::Entries(gains) => gains.get(entry).copied().unwrap_or(1.0),
        }
    }

    /// max |gain|.
    #[must_use]
    pub fn largest(&self) -> f64 {
        match self {
            Gain::All(gain) => gain.abs(),
            Gain::Entries(gains) => largest(gains.iter().map(|gain| gain.abs())),
        }
    }
}

/// Rotary positions: the first r = 2 floor(fraction k/2) entries turn in pairs, pair m of a token at position p by the
/// angle p base^(-2m/r).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rope {
    /// Above 0.
    pub base: f64,
    /// The share of the entries that turn, above 0 and at most 1.
    pub fraction: f64,
    /// Which entries are a pair.
    pub layout: RopeLayout,
}

impl Rope {
    /// The rotation where a file names none of its numbers.
    pub const DEFAULT: Rope = Rope { base: 1e4, fraction: 1.0, layout: RopeLayout::Half };

    /// r: the number of entries that turn, out of k.
    #[must_use]
    #[doc(hidden)]
    pub fn turned(&self, k: usize) -> usize {
        2 * ((self.fraction * k as f64 / 2.0).floor() as usize).min(k / 2)
    }

    /// theta_m: the angle of pair m per position, where r entries turn.
    #[must_use]
    #[doc(hidden)]
    pub fn angle(&self, m: usize, r: usize) -> f64 {
        // libm gives the same bits on every machine; `powf` does not.
        libm::pow(self.base, -2.0 * m as f64 / r as f64)
    }
}

/// Which entries of a vector turn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RopeLayout {
    /// Entry m with entry m + r/2.
    Half,
    /// Entry 2m with entry 2m + 1.
    Interleaved,
}

impl RopeLayout {
    /// Both.
    pub const ALL: [RopeLayout; 2] = [RopeLayout::Half, RopeLayout::Interleaved];

    /// The two entries of pair m, out of r that turn.
    #[must_use]
    #[doc(hidden)]
    pub fn pair(self, m: usize, r: usize) -> (usize, usize) {
        match self {
            RopeLayout::Half => (m, m + r / 2),
            RopeLayout::Interleaved => (2 * m, 2 * m + 1),
        }
    }
}

/// ALiBi: the bias -h |i - j| with one slope h for each head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alibi {
    /// One slope for each head, each 0 or more; `None` is 2^(-8 h/H) for h = 1..H.
    pub slopes: Option<Vec<f64>>,
}

impl Alibi {
    /// The slope of a head, counted from 0, out of `heads`.
    #[must_use]
    #[doc(hidden)]
    pub fn slope(&self, head_idx: usize, heads: usize) -> f64 {
        match &self.slopes {
            Some(slopes) => slopes.get(head_idx).copied().unwrap_or(0.0),
            None => libm::exp2(-8.0 * (head_idx + 1) as f64 / heads as f64),
        }
    }
}

/// How scores become weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Weighting {
    /// P_ij = e^s_ij/(e^c0 + sum_l e^s_il).
    Softmax {
        /// c0; `None` is no sink, the usual softmax.
        sink: Option<Sink>,
    },
    /// P_ij = 1/(1 + e^-(s_ij + b)).
    Sigmoid {
        /// b; `None` is -ln n.
        bias: Option<f64>,
    },
    /// P_ij = max(s_ij, 0)/L.
    Relu {
        /// L, above 0; `None` is n.
        divisor: Option<f64>,
    },
    /// P_ij = ln(1 + e^s_ij)/L.
    Softplus {
        /// L, above 0; `None` is n.
        divisor: Option<f64>,
    },
}

impl Weighting {
    /// The usual softmax.
    pub const SOFTMAX: Weighting = Weighting::Softmax { sink: None };

    /// Whether the weights of given scores change with n: a bias of -ln n, or a divisor n.
    #[must_use]
    pub fn depends_on_n(&self) -> bool {
        match self {
            Weighting::Softmax { .. } => false,
            Weighting::Sigmoid { bias } => bias.is_none(),
            Weighting::Relu { divisor } | Weighting::Softplus { divisor } => divisor.is_none(),
        }
    }

    /// Softmax whose heads all have a sink with score c0.
    #[must_use]
    pub fn with_sink(logit: f64) -> Self {
        Weighting::Softmax { sink: Some(Sink::All(logit)) }
    }

    /// Every weighting, with its usual numbers.
    pub const ALL: [Weighting; 4] = [
        Weighting::SOFTMAX,
        Weighting::Sigmoid { bias: None },
        Weighting::Relu { divisor: None },
        Weighting::Softplus { divisor: None },
    ];

    /// Whether each weight depends on its own score alone.
    #[must_use]
    pub fn is_elementwise(&self) -> bool {
        !matches!(self, Weighting::Softmax { .. })
    }

    /// c0 of a head; `None` without a sink.
    #[must_use]
    #[doc(hidden)]
    pub fn sink_of(&self, head_idx: usize) -> Option<f64> {
        match self {
            Weighting::Softmax { sink: Some(Sink::All(logit)) } => Some(*logit),
            Weighting::Softmax { sink: Some(Sink::Heads(logits)) } => logits.get(head_idx).copied(),
            _ => None,
        }
    }
}

/// The sink's score c0: one more place for attention, whose value is 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sink {
    /// The same for all heads.
    All(f64),
    /// One for each head.
    Heads(Vec<f64>),
}
