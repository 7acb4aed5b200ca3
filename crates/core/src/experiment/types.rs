//! The types of the experiment. The file's form is in `parse.rs` and `write.rs`; serde's derives here are for the
//! messages between page and worker, whose experiments have been parsed already.

use serde::{Deserialize, Serialize};

use super::Rows;

/// One measurement: tokens, weights, and the attention between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The format's version: 1.
    pub version: u32,
    /// Which scores.
    pub attention: Attention,
    /// Which tokens a token may attend to.
    pub mask: Mask,
    /// What is done to each token before attention.
    pub normalization: Normalization,
    /// Which map the Jacobian is of.
    pub normalization_scope: Scope,
    /// The normaliser's epsilon.
    pub eps: f64,
    /// Where the tokens come from.
    pub tokens: TokenSource,
    /// Where the weights come from; only the skew witness brings its own.
    pub weights: Option<WeightSource>,
}

impl Experiment {
    /// Which map the Jacobian is of: without a normaliser there is only one.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match self.normalization {
            Normalization::None => Scope::Inputs,
            _ => self.normalization_scope,
        }
    }
}

/// The kernel of the scores s_ij.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attention {
    /// (Q x_i).(K x_j)/sqrt(k).
    Dot,
    /// -|Q x_i - K x_j|^2/sqrt(k).
    L2,
}

/// Which tokens a token may attend to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mask {
    /// All.
    None,
    /// Itself and those before it.
    Causal,
}

/// What is done to each token before attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Normalization {
    /// Nothing.
    None,
    /// LayerNorm: (x - mean)/sqrt(var + eps).
    Layer,
    /// RMSNorm: x/sqrt(mean x^2 + eps).
    Rms,
}

/// Which map the Jacobian is of, where there is a normaliser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Attention, at the normalised tokens.
    Inputs,
    /// Attention after the normaliser, at the tokens.
    Composed,
}

/// Where the tokens come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TokenSource {
    /// A list: n rows of d numbers.
    Explicit(Rows),
    /// Drawn.
    Random(RandomTokens),
    /// The adversarial tokens of [C], from the first head's A.
    Adversarial {
        /// Number of tokens.
        n: usize,
        /// Largest token norm.
        radius: f64,
    },
    /// The skew witness: d = 2, with its own A.
    Skew {
        /// Number of tokens.
        n: usize,
        /// Largest token norm.
        radius: f64,
    },
    /// Distinct positions with multiplicities.
    Clusters {
        /// One row a position.
        positions: Rows,
        /// Natural logarithms of the multiplicities, one a position.
        log_multiplicities: Vec<f64>,
    },
}

impl TokenSource {
    /// The number of tokens; that of clusters may pass any integer.
    #[must_use]
    pub fn n_tokens(&self) -> f64 {
        match self {
            TokenSource::Explicit(rows) => rows.n_rows() as f64,
            TokenSource::Random(law) => law.n as f64,
            TokenSource::Adversarial { n, .. } | TokenSource::Skew { n, .. } => *n as f64,
            TokenSource::Clusters { log_multiplicities, .. } => {
                let n: f64 = log_multiplicities.iter().map(|ln| ln.exp()).sum();
                // Counts below 2^53 are whole: their logarithms have rounded them.
                if n < 9e15 && (n - n.round()).abs() < 1e-6 * n { n.round() } else { n }
            }
        }
    }
}

/// Tokens drawn from a law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomTokens {
    /// The law.
    pub law: Distribution,
    /// Number of tokens.
    pub n: usize,
    /// Dimension.
    pub d: usize,
    /// Radius of the ball that holds every token.
    pub radius: f64,
    /// Seed.
    pub seed: u64,
}

/// The law of random tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Distribution {
    /// N(0, radius^2/d I), a token that leaves the ball scaled back onto it.
    Gaussian,
    /// Uniform on the sphere of that radius.
    Sphere,
    /// Uniform in the ball of that radius.
    Ball,
}

/// Where the weights come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WeightSource {
    /// Matrices.
    Explicit {
        /// The heads.
        heads: Vec<Head>,
        /// d_out x (sum of d_v).
        output: Option<Rows>,
    },
    /// Drawn: entries N(0, scale^2/d).
    Random(RandomWeights),
    /// Q = I, K = sign sqrt(d) I, V = I: A = sign I.
    Identity {
        /// Any finite number; the format's own are -1 and 1.
        sign: f64,
    },
    /// The L2 multi-head attention of [K].
    Kim {
        /// Number of heads.
        heads: usize,
        /// Scale.
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
}

/// Weights drawn from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomWeights {
    /// Number of heads.
    pub heads: usize,
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
    /// Heads are concatenated.
    Absent,
    /// d x (heads head_dim).
    Drawn,
}
