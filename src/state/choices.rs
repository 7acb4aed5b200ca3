//! The choices of the controls, with their words in links.

use lipscope_core::experiment::Distribution;

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
    /// The reader's own.
    Own,
}

/// Where the weights come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightChoice {
    /// Drawn.
    Random,
    /// A = I.
    IdentityPlus,
    /// A = -I.
    IdentityMinus,
    /// The L2 multi-head attention of \[K\], drawn.
    Kim,
    /// The reader's own.
    Own,
}

/// How the main plot spaces n.
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
}
