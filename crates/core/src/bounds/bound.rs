//! What a bound is: its name, its formula as text, the norm that it bounds and the domain on which it holds.

use serde::{Deserialize, Serialize};

/// The identifier of a bound; sections are those of docs/theory.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BoundId {
    /// \[C\] Theorem 3.3 and its masked version.
    CastinGeneral,
    /// \[C\]'s mean-field theorem.
    CastinMeanField,
    /// Ours (section 2): upper, without a mask. For A = -||A|| I, V = v I, d >= 2 and large a its leading constant is
    /// right for few and for many tokens.
    Sharp,
    /// Ours (section 2): upper, causal; never above `UnifiedMasked`.
    SharpMasked,
    /// Ours (section 2): upper, without a mask.
    Unified,
    /// Ours (section 2): upper, causal.
    UnifiedMasked,
    /// Ours (section 2): upper, at the given tokens.
    Local,
    /// Ours (section 2): upper, at the given tokens: the norm of the matrix of the blocks' norms.
    LocalBlocks,
    /// Ours: upper, at the given tokens, in the max-token norm.
    LocalToken,
    /// \[C\]: lower, from the adversarial tokens at this n and R.
    Adversarial,
    /// The largest of `Adversarial` over all lengths up to n.
    AdversarialEnvelope,
    /// Ours (section 4): lower, from the best two clusters on a line.
    TwoClusters,
    /// Ours (section 4): lower, for every A and V, from two clusters of tokens, one of which draws the attention of the
    /// other.
    Sink,
    /// Ours (section 4): lower, for every A and V, from three clusters of tokens, two of which share the attention of
    /// the third.
    Fork,
    /// Ours (section 4): lower, for every A and V, from a token at 0 that attends to two opposite clusters.
    Centre,
    /// Ours (section 4): lower, causal, from tokens that are all 0.
    Cesaro,
    /// Ours (section 2): upper, for two tokens and A = +-kappa I.
    TwoTokens,
    /// Ours (section 4): the exact norm of the skew witness, for another A of the same norm; shows how sharp `Unified`
    /// is.
    Skew,
    /// \[K\] Theorem 3.2: upper, in the l_inf norm.
    KimLinf,
    /// \[K\] Theorem 3.2, corrected (section 5): upper, in the spectral norm.
    KimL2,
    /// Ours (section 5): upper, in the spectral norm, for \[K\]'s L2 attention: grows like ln n.
    KimColumn,
    /// The largest row sum of block spectral norms: upper, in the max-token norm.
    MaxToken,
    /// Ours (section 6): upper, for every variant whose weights are a softmax; `Sharp` and `SharpMasked` where those
    /// hold.
    General,
    /// Ours (section 6): upper, in the max-token norm, for every variant whose weights are a softmax.
    GeneralToken,
    /// Ours (section 6): upper, for weights that each depend on their own score alone.
    Elementwise,
    /// Ours (section 6): as `Elementwise`, in the max-token norm.
    ElementwiseToken,
    /// Ours (section 6): lower, from n equal tokens, for weights that each depend on their own score alone.
    EqualTokens,
    /// Ours (section 6): lower, from one token at 0, under a normaliser of queries and keys.
    ZeroKey,
    /// Ours (section 6): lower, for a causal window: causal attention on the tokens of one window.
    WindowCausal,
}

/// The domain on which a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The tokens of the experiment: the bound is on the norm of the Jacobian there.
    Tokens,
    /// The ball of radius R: the bound is on the Lipschitz constant there.
    Ball,
    /// The ball of radius R, but with another A of the same norm.
    OtherWeights,
}

/// Whether a bound is an upper or a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Never below the norm.
    Upper,
    /// Never above the norm.
    Lower,
}

/// A norm of the Jacobian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Norm {
    /// Largest singular value.
    Spectral,
    /// Root of the sum of squares.
    Frobenius,
    /// Largest absolute row sum.
    Linf,
    /// Largest absolute column sum.
    L1,
    /// The operator norm where inputs and outputs are measured by max_i |x_i|.
    MaxToken,
}

/// The value of a bound under given hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Its name.
    pub id: BoundId,
    /// Upper or lower.
    pub side: Side,
    /// The norm that it bounds.
    pub norm: Norm,
    /// Its value; `None` above the range of f64.
    pub value: Option<f64>,
    /// Its decimal logarithm; minus infinity for a bound of zero.
    pub log10: f64,
}

impl BoundId {
    /// All bounds, upper ones first.
    pub const ALL: [BoundId; 29] = [
        BoundId::CastinGeneral,
        BoundId::CastinMeanField,
        BoundId::Sharp,
        BoundId::SharpMasked,
        BoundId::Unified,
        BoundId::UnifiedMasked,
        BoundId::General,
        BoundId::Elementwise,
        BoundId::Local,
        BoundId::LocalBlocks,
        BoundId::LocalToken,
        BoundId::TwoTokens,
        BoundId::KimColumn,
        BoundId::KimL2,
        BoundId::KimLinf,
        BoundId::GeneralToken,
        BoundId::ElementwiseToken,
        BoundId::MaxToken,
        BoundId::TwoClusters,
        BoundId::Sink,
        BoundId::Fork,
        BoundId::Centre,
        BoundId::Cesaro,
        BoundId::EqualTokens,
        BoundId::ZeroKey,
        BoundId::WindowCausal,
        BoundId::Adversarial,
        BoundId::AdversarialEnvelope,
        BoundId::Skew,
    ];

    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "castin_general",
            BoundId::CastinMeanField => "castin_mean_field",
            BoundId::Sharp => "sharp",
            BoundId::SharpMasked => "sharp_masked",
            BoundId::Unified => "unified",
            BoundId::UnifiedMasked => "unified_masked",
            BoundId::Local => "local",
            BoundId::LocalBlocks => "local_blocks",
            BoundId::LocalToken => "local_token",
            BoundId::Adversarial => "adversarial",
            BoundId::AdversarialEnvelope => "adversarial_envelope",
            BoundId::TwoClusters => "two_clusters",
            BoundId::Sink => "sink",
            BoundId::Fork => "fork",
            BoundId::Skew => "skew",
            BoundId::KimLinf => "kim_linf",
            BoundId::KimL2 => "kim_l2",
            BoundId::KimColumn => "kim_column",
            BoundId::Centre => "centre",
            BoundId::Cesaro => "cesaro",
            BoundId::TwoTokens => "two_tokens",
            BoundId::MaxToken => "max_token",
            BoundId::General => "general",
            BoundId::GeneralToken => "general_token",
            BoundId::Elementwise => "elementwise",
            BoundId::ElementwiseToken => "elementwise_token",
            BoundId::EqualTokens => "equal_tokens",
            BoundId::ZeroKey => "zero_key",
            BoundId::WindowCausal => "window_causal",
        }
    }

    /// Its formula for one head as plain text, with a = ||A||_2 R^2 and v = ||V||_2.
    #[must_use]
    pub fn formula(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "√3 v √(a²(4n + 1) + n)",
            BoundId::CastinMeanField => "v (1 + 3a) e^(2a)",
            BoundId::Sharp => "v (a + min(√(n G(a)), √F(a), √((1 + a²) S_Γ), √S_Γ + e^(Γ/2) √(m + m²/4)))",
            BoundId::SharpMasked => {
                "v (a + min(√Σᵢ min(G(a), F(a)/i), √((1 + a²) S_c), √((1 + a²) S_s), 2 e^a √((1 + 2a) √(1 + a²))))"
            }
            BoundId::Unified => "v (a + √((1 + a²) n / (1 + (n − 1) e^(−2a))))",
            BoundId::UnifiedMasked => "v (a + min(√((1 + a²) Σᵢ 1/(1 + (i − 1) e^(−2a))), 2 (1 + 2a) e^(2a)))",
            BoundId::Local => "maxᵢ ‖V Oᵢ‖ + √(maxⱼ Σᵢ Pᵢⱼ wᵢ)",
            BoundId::LocalBlocks => "‖N‖₂, Nᵢⱼ = Pᵢⱼ ‖V‖ σ(I + (xⱼ − mᵢ) bᵢⱼᵀ) + [i = j] ‖V Oᵢ‖ ≥ ‖Jᵢⱼ‖",
            BoundId::LocalToken => "maxᵢ (‖Oᵢ‖ + √(wᵢ Σⱼ Pᵢⱼ))",
            BoundId::Adversarial => "|Vu| √(n − 1) p (1 + 2 (1 − p) g)",
            BoundId::AdversarialEnvelope => "the largest adversarial bound over all lengths up to n",
            BoundId::TwoClusters => "the exact norm of the best two clusters on a line",
            BoundId::Sink => "√(N t) p |V (y + (1 − t p)(R y − x) |Ax|)|, p = 1/(t + N e^(−D)), D = R|Ax| − x·Ax",
            BoundId::Fork => "√(N t) p R sin θ |Ax| |Vw|, p = 1/(t + N e^(−D)), D = R|Ax| cos θ − x·Ax",
            BoundId::KimLinf => "(4φ⁻¹(n − 1) + 1/√k) ‖W_Oᵀ‖∞ maxₕ ‖W_Q‖∞‖W_Qᵀ‖∞ maxₕ ‖W_Vᵀ‖∞, φ(x) = x e^(x + 1)",
            BoundId::KimL2 => "√(n/k) (4φ⁻¹(n − 1) + 1) √(Σₕ ‖W_Q‖⁴‖W_V‖²) ‖W_O‖, φ(x) = x e^(x + 1)",
            BoundId::KimColumn => {
                "(2c + min(√n (1 + 2c), (4/3)^(k/4) (1 + √(8c/3)))) √(Σₕ ‖W_Q‖⁴‖W_V‖² / k) ‖W_O‖, c = φ⁻¹(n − 1)"
            }
            BoundId::Centre => "|V (t w/n + (1 − t/n) R² |Aᵀe| e)|, w = Aᵀe/|Aᵀe|, t = 1 or 2",
            BoundId::Cesaro => "v ‖C‖, Cᵢⱼ = 1/i for j ≤ i",
            BoundId::TwoTokens => "v (0.354a + 2.37)",
            BoundId::MaxToken => "maxᵢ Σⱼ ‖Jᵢⱼ‖₂",
            BoundId::General => "v (ρ a_o + min(√(ω S), √(maxⱼ Σᵢ λᵢ), 2 e^κ √((1 + 2a_m) √ω) if causal))",
            BoundId::GeneralToken => "v (ρ a_o + √(ρ ω))",
            BoundId::Elementwise => "v (a_o maxᵢ Σⱼ dᵢⱼ + √(maxᵢ Σⱼ Tᵢⱼ · maxⱼ Σᵢ Tᵢⱼ)), Tᵢⱼ = pᵢⱼ + dᵢⱼ a_m",
            BoundId::ElementwiseToken => "v maxᵢ Σⱼ (pᵢⱼ + dᵢⱼ (a_m + a_o))",
            BoundId::EqualTokens => "v n (p + 2 d a) at n equal tokens",
            BoundId::ZeroKey => "√(n − 1) p ((1 − p) R |Vu| |b| − v), p = 1/(1 + (n − 1) e^(c q·k))",
            BoundId::WindowCausal => "the adversarial bound for causal attention on min(n, W) tokens",
            BoundId::Skew => "the exact norm of −e, e, .., e for A = −cI + √(‖A‖² − c²) J",
        }
    }

    /// Whether it is an upper or a lower bound.
    #[must_use]
    pub fn side(self) -> Side {
        self.statement().0
    }

    /// The domain on which it holds.
    #[must_use]
    pub fn domain(self) -> Domain {
        self.statement().1
    }

    /// The norm that it bounds.
    #[must_use]
    pub fn norm(self) -> Norm {
        self.statement().2
    }

    /// Whether it bounds `norm`. Every bound bounds its own norm. A lower bound on the spectral norm also bounds the
    /// Frobenius norm, which is never smaller.
    #[must_use]
    pub fn is_about(self, norm: Norm) -> bool {
        let (own, is_lower) = (self.norm(), self.side() == Side::Lower);
        own == norm || (is_lower && own == Norm::Spectral && norm == Norm::Frobenius)
    }

    /// Whether the bound is proved only for the attention of the two papers.
    pub(super) fn is_plain_only(self) -> bool {
        matches!(
            self,
            BoundId::CastinGeneral
                | BoundId::CastinMeanField
                | BoundId::Sharp
                | BoundId::SharpMasked
                | BoundId::Unified
                | BoundId::UnifiedMasked
                | BoundId::KimLinf
                | BoundId::KimL2
                | BoundId::KimColumn
                | BoundId::TwoTokens
                | BoundId::Centre
                | BoundId::Cesaro
                | BoundId::Adversarial
                | BoundId::AdversarialEnvelope
                | BoundId::TwoClusters
                | BoundId::Sink
        )
    }

    /// Whether the bound is only about variants of attention, so that plain experiments do not list it.
    pub(super) fn is_of_variants(self) -> bool {
        matches!(
            self,
            BoundId::General
                | BoundId::Elementwise
                | BoundId::ElementwiseToken
                | BoundId::EqualTokens
                | BoundId::ZeroKey
                | BoundId::WindowCausal
        )
    }

    fn statement(self) -> (Side, Domain, Norm) {
        match self {
            BoundId::CastinGeneral
            | BoundId::CastinMeanField
            | BoundId::Sharp
            | BoundId::SharpMasked
            | BoundId::Unified
            | BoundId::UnifiedMasked
            | BoundId::General
            | BoundId::Elementwise
            | BoundId::KimColumn
            | BoundId::TwoTokens
            | BoundId::KimL2 => (Side::Upper, Domain::Ball, Norm::Spectral),
            BoundId::GeneralToken | BoundId::ElementwiseToken => (Side::Upper, Domain::Ball, Norm::MaxToken),
            BoundId::KimLinf => (Side::Upper, Domain::Ball, Norm::Linf),
            BoundId::Local | BoundId::LocalBlocks => (Side::Upper, Domain::Tokens, Norm::Spectral),
            BoundId::LocalToken | BoundId::MaxToken => (Side::Upper, Domain::Tokens, Norm::MaxToken),
            BoundId::Adversarial
            | BoundId::AdversarialEnvelope
            | BoundId::TwoClusters
            | BoundId::Sink
            | BoundId::Fork
            | BoundId::Centre
            | BoundId::Cesaro
            | BoundId::EqualTokens
            | BoundId::ZeroKey
            | BoundId::WindowCausal => (Side::Lower, Domain::Ball, Norm::Spectral),
            BoundId::Skew => (Side::Lower, Domain::OtherWeights, Norm::Spectral),
        }
    }
}

impl Bound {
    /// Covers the rounding in the formula of an upper bound: ln of the bound takes about a hundred roundings, each of
    /// which changes it by at most about f64::EPSILON (1 + |ln|).
    pub const MARGIN: f64 = 1e-13;

    /// A bound from ln of its value. For an upper bound other than `MaxToken`, ln grows by
    /// [`Bound::MARGIN`] (1 + |ln|).
    #[must_use]
    pub fn of_ln(id: BoundId, ln: f64) -> Self {
        let margin = Bound::MARGIN * (1.0 + ln.abs());
        // The max-token bound is a sum of computed norms, not a formula.
        let has_margin = id.side() == Side::Upper && id != BoundId::MaxToken && ln.is_finite();
        let ln = if has_margin { ln + margin } else { ln };
        let value = ln.exp();
        Bound {
            id,
            side: id.side(),
            norm: id.norm(),
            value: value.is_finite().then_some(value),
            log10: ln / std::f64::consts::LN_10,
        }
    }
    /// The same bound, larger by the factor 1 + `relative`. This covers what rounding may have added to the norm that
    /// the bound is compared with.
    #[must_use]
    pub fn widened(self, relative: f64) -> Self {
        let value = self.value.map(|value| value * (1.0 + relative)).filter(|value| value.is_finite());
        Bound { value, log10: self.log10 + relative.ln_1p() / std::f64::consts::LN_10, ..self }
    }
}

impl Side {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Side::Upper => "upper",
            Side::Lower => "lower",
        }
    }
}

impl Norm {
    /// All norms.
    pub const ALL: [Norm; 5] = [Norm::Spectral, Norm::Linf, Norm::L1, Norm::Frobenius, Norm::MaxToken];

    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Norm::Spectral => "spectral",
            Norm::Frobenius => "frobenius",
            Norm::Linf => "linf",
            Norm::L1 => "l1",
            Norm::MaxToken => "max_token",
        }
    }
}
