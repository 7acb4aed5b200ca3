//! The types of an experiment. `parse.rs` and `write.rs` define the file format; the serde derives here serve only the
//! messages between page and worker, whose experiments have already been validated.

use serde::{Deserialize, Serialize};

use super::Rows;
use super::mask::{Mask, MaskKind};
use super::variant::{QkNorm, Score, VectorNorm, Weighting};

/// One measurement: tokens, weights and the kind of attention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The format's version: 1.
    pub version: u32,
    /// The kernel of the scores.
    pub attention: Attention,
    /// Which tokens a token may attend to.
    pub mask: Mask,
    /// The steps between projections and weights.
    pub score: Score,
    /// How scores become weights.
    pub weighting: Weighting,
    /// The normaliser applied to each token before attention.
    pub normalization: Normalization,
    /// Whether the Jacobian includes the normaliser.
    pub normalization_scope: Scope,
    /// The normaliser's epsilon.
    pub eps: f64,
    /// Where the tokens come from.
    pub tokens: TokenSource,
    /// Where the weights come from; `None` only for the skew witness, which has default weights.
    pub weights: Option<WeightSource>,
}

impl Experiment {
    /// The normaliser of queries and keys ([`Attention::vector_norm`]).
    #[must_use]
    #[doc(hidden)]
    pub fn vector_norm(&self) -> Option<QkNorm> {
        self.attention.vector_norm(&self.score)
    }

    /// c of the scores of a head whose queries have k entries.
    #[must_use]
    #[doc(hidden)]
    pub fn scale_of(&self, k: usize) -> f64 {
        self.score.scale.unwrap_or_else(|| self.attention.default_scale(k))
    }

    /// Tokens and weights with the defaults of the file format: dot-product scores, no mask, no normaliser.
    #[must_use]
    pub fn of(tokens: TokenSource, weights: WeightSource) -> Self {
        Experiment {
            version: 1,
            attention: Attention::Dot,
            mask: Mask::None,
            score: Score::default(),
            weighting: Weighting::SOFTMAX,
            normalization: Normalization::None,
            normalization_scope: Scope::Inputs,
            eps: 1e-5,
            tokens,
            weights: Some(weights),
        }
    }

    /// Whether the attention is that of the two papers: dot-product or L2 scores with their own scale, no mask or the
    /// causal one, the usual softmax, and heads that share nothing.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let has_plain_heads = match &self.weights {
            Some(WeightSource::Explicit { heads, shared, .. }) => {
                shared.is_empty() && heads.iter().all(|head| head.second.is_none())
            }
            Some(WeightSource::Random(random)) => random.kv_heads == random.heads && random.differential.is_none(),
            Some(WeightSource::Identity { .. } | WeightSource::Kim { .. }) | None => true,
        };
        has_plain_heads
            && matches!(self.attention, Attention::Dot | Attention::L2)
            && self.mask.kind() != MaskKind::Other
            && self.score == Score::default()
            && self.weighting == Weighting::SOFTMAX
    }

    /// Whether the Jacobian includes the normaliser; [`Scope::Inputs`] if there is none.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match self.normalization {
            Normalization::None => Scope::Inputs,
            _ => self.normalization_scope,
        }
    }
}

impl Attention {
    /// All kernels.
    pub const ALL: [Attention; 4] = [Attention::Dot, Attention::L2, Attention::Cosine, Attention::Linear];

    /// c for queries of k entries where a file names none: 1/sqrt(k), for cosine scores [`Score::COSINE_SCALE`], for
    /// linear ones 1.
    #[must_use]
    #[doc(hidden)]
    pub fn default_scale(self, k: usize) -> f64 {
        match self {
            Attention::Dot | Attention::L2 => 1.0 / (k as f64).sqrt(),
            Attention::Cosine => Score::COSINE_SCALE,
            Attention::Linear => 1.0,
        }
    }

    /// The normaliser of queries and keys: that of the score, or of cosine scores, which are those of normalised
    /// vectors.
    #[must_use]
    #[doc(hidden)]
    pub fn vector_norm(self, score: &Score) -> Option<QkNorm> {
        if self != Attention::Cosine {
            return score.qk_norm.clone();
        }
        let eps = score.cosine_eps.unwrap_or(Score::COSINE_EPS);
        Some(QkNorm { eps, ..QkNorm::of(VectorNorm::L2) })
    }
}

/// The kernel of the scores s_ij.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Attention {
    /// (Q x_i).(K x_j)/sqrt(k).
    Dot,
    /// -|Q x_i - K x_j|^2/sqrt(k).
    L2,
    /// c q_i.k_j with queries and keys divided by their lengths.
    Cosine,
    /// ln(phi(q_i).phi(k_j)), phi = elu + 1.
    Linear,
}

/// The normaliser applied to each token before attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Normalization {
    /// No normaliser.
    None,
    /// LayerNorm: (x - mean)/sqrt(var + eps).
    Layer,
    /// RMSNorm: x/sqrt(mean x^2 + eps).
    Rms,
}

/// Whether the Jacobian includes the normaliser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    /// J of attention alone, at the normalised tokens.
    Inputs,
    /// J of attention composed with the normaliser, at the original tokens.
    Composed,
}

/// Where the tokens come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TokenSource {
    /// A list: n rows of d numbers.
    Explicit(Rows),
    /// Drawn from a distribution.
    Random(RandomTokens),
    /// The adversarial tokens of \[C\], from the first head's A.
    Adversarial {
        /// Number of tokens.
        n: usize,
        /// Largest token norm.
        radius: f64,
    },
    /// The skew witness (d = 2), which brings its own A.
    Skew {
        /// Number of tokens.
        n: usize,
        /// Largest token norm.
        radius: f64,
    },
    /// Distinct positions with multiplicities.
    Clusters {
        /// One row per position.
        positions: Rows,
        /// Natural logarithms of the multiplicities, one per position.
        log_multiplicities: Vec<f64>,
    },
}

impl TokenSource {
    /// The number of tokens; for clusters it may exceed every integer type.
    #[must_use]
    pub fn n_tokens(&self) -> f64 {
        match self {
            TokenSource::Explicit(rows) => rows.n_rows() as f64,
            TokenSource::Random(random) => random.n as f64,
            TokenSource::Adversarial { n, .. } | TokenSource::Skew { n, .. } => *n as f64,
            TokenSource::Clusters { log_multiplicities, .. } => {
                let n: f64 = log_multiplicities.iter().map(|ln| ln.exp()).sum();
                // Below 2^53 the count is a whole number up to the rounding of its logarithm.
                if n < 9e15 && (n - n.round()).abs() < 1e-6 * n { n.round() } else { n }
            }
        }
    }
}

/// Parameters of randomly drawn tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomTokens {
    /// The distribution.
    pub distribution: Distribution,
    /// Number of tokens.
    pub n: usize,
    /// Dimension.
    pub d: usize,
    /// R of the distribution; every token lies in the ball of that radius.
    pub radius: f64,
    /// Seed.
    pub seed: u64,
}

/// A distribution of random tokens in the ball of radius R.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Distribution {
    /// N(0, R^2/d I), with tokens outside the ball projected onto it.
    Gaussian,
    /// Uniform on the sphere of radius R.
    Sphere,
    /// Uniform in the ball of radius R.
    Ball,
}

/// Where the weights come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WeightSource {
    /// Listed matrices.
    Explicit {
        /// The heads.
        heads: Vec<Head>,
        /// For each head the index of its keys and values, where heads share them; empty where each head has its own.
        /// Heads with the same index have equal `k`, `v` and second keys, and every index up to the largest is in use.
        shared: Vec<usize>,
        /// d_out x (sum of d_v).
        output: Option<Rows>,
    },
    /// Drawn, with entries N(0, scale^2/d).
    Random(RandomWeights),
    /// Q = I, K = sign sqrt(d) I, V = I: A = sign I.
    Identity {
        /// -1 or 1 in a file; a program may give any finite number.
        sign: f64,
    },
    /// The L2 multi-head attention of \[K\].
    Kim {
        /// Number of heads.
        heads: usize,
        /// Entries are N(0, scale^2/d).
        scale: f64,
        /// Seed.
        seed: u64,
    },
}

/// The matrices of one head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// k x d.
    pub q: Rows,
    /// k x d.
    pub k: Rows,
    /// d_v x d.
    pub v: Rows,
    /// The map that is subtracted, for differential attention.
    pub second: Option<SecondMap>,
}

/// The second map of a differential head: its weights are P(Q, K) - lambda P(Q2, K2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SecondMap {
    /// k x d.
    pub q: Rows,
    /// k x d.
    pub k: Rows,
    /// lambda.
    pub lambda: f64,
}

/// Parameters of randomly drawn weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomWeights {
    /// Number of heads.
    pub heads: usize,
    /// Number of key and value heads, a divisor of `heads`: head h uses those of group floor(h kv_heads/heads).
    pub kv_heads: usize,
    /// lambda of every head, where a second map is subtracted.
    pub differential: Option<f64>,
    /// k = d_v of each head.
    pub head_dim: usize,
    /// Entries are N(0, scale^2/d).
    pub scale: f64,
    /// Seed.
    pub seed: u64,
    /// Whether there is an output matrix (d x heads head_dim), drawn the same way.
    pub output: Output,
}

/// Whether random weights have an output matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// No output matrix: the heads are concatenated.
    Absent,
    /// An output matrix, d x (heads head_dim).
    Drawn,
}
