//! The choices of the controls, with their words in links; and the reader's own data, where they are chosen.

use lipscope_core::experiment::{Distribution, Head, Rows, TokenSource};

/// Where the tokens come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenChoice {
    /// Drawn from a distribution.
    Distribution(Distribution),
    /// The worst tokens known in the ball.
    Worst,
    /// The adversarial tokens of the first head's A.
    Adversarial,
    /// The skew witness, which has its own A.
    Skew,
    /// Distinct positions with multiplicities.
    Clusters,
    /// The reader's own tokens.
    Own,
}

/// Where the weights come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightChoice {
    /// Drawn at random.
    Random,
    /// A = I.
    IdentityPlus,
    /// A = -I.
    IdentityMinus,
    /// The weights of the L2 multi-head attention of Kim et al., drawn at random.
    Kim,
    /// The reader's own weights.
    Own,
}

/// How a plot spaces n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XAxis {
    /// By the square root of n.
    SqrtN,
    /// By n.
    N,
    /// Both axes by their logarithm.
    LogLog,
}

impl TokenChoice {
    /// All, with their words in the controls and in links.
    pub const ALL: [(&'static str, TokenChoice); 8] = [
        ("gaussian", TokenChoice::Distribution(Distribution::Gaussian)),
        ("sphere", TokenChoice::Distribution(Distribution::Sphere)),
        ("ball", TokenChoice::Distribution(Distribution::Ball)),
        ("worst", TokenChoice::Worst),
        ("adversarial", TokenChoice::Adversarial),
        ("skew", TokenChoice::Skew),
        ("clusters", TokenChoice::Clusters),
        ("own", TokenChoice::Own),
    ];

    /// The choices whose tokens a reader can move by hand, with their words in links. Tokens that were pasted or loaded
    /// come from none of them.
    pub const MOVED_FROM: [(&'static str, Option<TokenChoice>); 6] = [
        ("none", None),
        ("gaussian", Some(TokenChoice::Distribution(Distribution::Gaussian))),
        ("sphere", Some(TokenChoice::Distribution(Distribution::Sphere))),
        ("ball", Some(TokenChoice::Distribution(Distribution::Ball))),
        ("worst", Some(TokenChoice::Worst)),
        ("adversarial", Some(TokenChoice::Adversarial)),
    ];

    /// The same choice, with random tokens of the ball in place of its worst ones.
    pub(super) fn or_random(self) -> Self {
        if self == TokenChoice::Worst { TokenChoice::Distribution(Distribution::Ball) } else { self }
    }
}

impl WeightChoice {
    /// All, with their words in the controls and in links.
    pub const ALL: [(&'static str, WeightChoice); 5] = [
        ("random", WeightChoice::Random),
        ("identity-plus", WeightChoice::IdentityPlus),
        ("identity-minus", WeightChoice::IdentityMinus),
        ("kim", WeightChoice::Kim),
        ("own", WeightChoice::Own),
    ];
}

impl XAxis {
    /// All, with their words in the page and in links.
    pub const ALL: [(&'static str, XAxis); 3] = [("sqrt", XAxis::SqrtN), ("n", XAxis::N), ("log", XAxis::LogLog)];
    /// The words of links: every axis, or that which each plot has by itself.
    pub const CHOICES: [(&'static str, Option<XAxis>); 4] =
        [("auto", None), ("sqrt", Some(XAxis::SqrtN)), ("n", Some(XAxis::N)), ("log", Some(XAxis::LogLog))];
}

/// The reader's own weights.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnWeights {
    /// The heads, at least one.
    pub heads: Vec<Head>,
    /// For each head the index of its keys and values, where heads share them; else empty.
    pub shared: Vec<usize>,
    /// The output matrix, d_out x (sum of d_v).
    pub output: Option<Rows>,
}

/// Distinct positions with multiplicities: pasted, linked, or a witness that was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnClusters {
    /// One row a position.
    pub positions: Rows,
    /// Natural logarithms of the multiplicities.
    pub log_multiplicities: Vec<f64>,
    /// The number of tokens in all.
    pub total: f64,
}

impl OwnClusters {
    /// The clusters of a token source; `None` for any other source.
    #[must_use]
    pub fn of(source: &TokenSource) -> Option<Self> {
        let total = source.n_tokens();
        match source {
            TokenSource::Clusters { positions, log_multiplicities } => Some(OwnClusters {
                positions: positions.clone(),
                log_multiplicities: log_multiplicities.clone(),
                total,
            }),
            _ => None,
        }
    }
}
