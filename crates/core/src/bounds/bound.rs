//! What a bound is: its name, its formula as text, the norm that it bounds and the domain on which it holds.

use crate::extremum::or_infinity;
use serde::{Deserialize, Serialize};

/// A bound: each variant states its formula, its hypotheses and its source. "Section" and the name in code font are a
/// section and a heading of docs/theory.md in the repository, where the proofs are.
///
/// Tokens x_1 .. x_n with |x_i| <= R; one head with Q, K (k x d) and V; scores s_ij = x_j.A x_i with A = K^T Q/sqrt(k)
/// (dot-product attention); weights P = softmax(s), m_i = sum_j P_ij x_j. With spectral norms, a = ||A|| R^2 and v = ||V||.
/// L_n is the largest ||J|| over all such tokens: the Lipschitz constant on the ball. Where a statement names no norm it is
/// the spectral one.
///
/// Several heads: bounds of heads combine as the root of the sum of squares, behind an output matrix as the sum with O_h V_h
/// for V_h, or in a better way (section 2, "Heads"). A normaliser: R = sqrt(d), and in scope `composed` an upper bound is
/// multiplied by the largest slope of the normaliser (section 2, "Normalisers"). [`BoundId::formula`] is the short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BoundId {
    /// Upper: L_n <= sqrt(3) v sqrt(a^2 (4n + 1) + n).
    ///
    /// Dot-product attention, no mask or the causal one, every n, on the ball. Source: \[C\] Theorem 3.3 and its masked
    /// version; section 2, `castin_general`.
    CastinGeneral,
    /// Upper: L_n <= v (1 + 3a) e^(2a).
    ///
    /// Dot-product attention, no mask, every n, and the Wasserstein-2 constant on probability measures in the ball. Source:
    /// \[C\], mean-field theorem; section 2, `castin_mean_field`.
    CastinMeanField,
    /// Upper: L_n <= v (a + min(sqrt(n G(a)), sqrt(F(a)), sqrt((1 + a^2) S_G), sqrt(S_G) + e^(Γ/2) sqrt(m + m^2/4))).
    ///
    /// Γ is the largest y.A x - x.A x over the ball, at most 2a; S_G = min(e^Γ, 1/(1 + (n - 1) e^(-2a)) + (n - 1)/(1 + (n - 1)
    /// e^(-Γ))) bounds every column sum of P; m = ||A (S + σ I)^-1 A^T|| R^2 with S = (A + A^T)/2 and any σ for which S + σ I
    /// is positive definite. G(a) = max_q q^2 α + (1 - q)^2 β and F(a) = max_(q, x <= q, y <= 1 - q) (α q + β (1 - q) +
    /// (e^(2a) - 1)(α x + β y))(1 - (1 - e^(-2a))(x + y)) with α = (1 + 2a (1 - q))^2, β = (1 - 2a q)^2, 0 <= q <= 1.
    ///
    /// Dot-product attention, no mask, every n, on the ball; never above [`BoundId::Unified`] and the two of \[C\]. For A =
    /// -||A|| I, V = v I, d >= 2 and large a its leading constant is right for few and for many tokens. Source: ours,
    /// section 2, `sharp`.
    Sharp,
    /// Upper: L_n <= v (a + min(sqrt(sum_i min(G(a), F(a)/i)), sqrt((1 + a^2) min(S_c, S_s)),
    /// 2 e^a sqrt((1 + 2a) sqrt(1 + a^2)))).
    ///
    /// G and F as for [`BoundId::Sharp`]; S_c = sum_i 1/(1 + (i - 1) e^(-2a)); S_s = 2 e^(Γ_s + 2κ) (1 + max(0, ln(n e^(a_s -
    /// Γ_s)/2))), with Γ_s and a_s those of S = (A + A^T)/2 and κ = ||A - S|| R^2.
    ///
    /// Dot-product attention, causal, every n, on the ball; never above [`BoundId::UnifiedMasked`]. Source: ours, section 2,
    /// `sharp_masked`.
    SharpMasked,
    /// Upper: L_n <= v (a + sqrt((1 + a^2) n/(1 + (n - 1) e^(-2a)))).
    ///
    /// Dot-product attention, no mask, every n, on the ball. Source: ours, section 2, `unified`.
    Unified,
    /// Upper: L_n <= v (a + min(sqrt((1 + a^2) S_c), 2 (1 + 2a) e^(2a))), S_c = sum_i 1/(1 + (i - 1) e^(-2a)).
    ///
    /// Dot-product attention, causal, every n, on the ball. Source: ours, section 2, `unified_masked`.
    UnifiedMasked,
    /// Upper: ||J|| <= max_i ||V G_i|| + sqrt(max_j sum_i P_ij w_i), w_i = ||V (sum_j P_ij M_ij M_ij^T) V^T||.
    ///
    /// The blocks of J are V (P_ij M_ij + δ_ij G_i) with M_ij = I + (x_j - m_i) b_ij^T, G_i = sum_l P_il (x_l - m_i) a_il^T and
    /// the derivatives a_ij, b_ij of s_ij in x_i and x_j. (The short form writes O_i for G_i.) For other steps of attention V M
    /// and V G stand for the blocks' parts (section 6, "Local bounds of every variant").
    ///
    /// Every kernel, mask and n, any normaliser, **at these tokens**. Source: ours, section 2, `local`.
    Local,
    /// Upper: ||J|| <= ||N||_2, N_ij = P_ij v σ_ij + δ_ij ||V G_i|| >= ||J_ij||, σ_ij = ||I + (x_j - m_i) b_ij^T||, with G_i and
    /// b_ij as for [`BoundId::Local`].
    ///
    /// Every kernel, mask and n, any normaliser, **at these tokens**; up to 2^22 blocks. Source: ours, section 2,
    /// `local_blocks` (that a block matrix has at most the norm of the matrix of its blocks' norms is well known).
    LocalBlocks,
    /// Upper, in the max-token norm: max_i |(J ξ)_i| <= max_j |ξ_j| max_i (||V G_i|| + sqrt(w_i sum_j P_ij)), with G_i and w_i
    /// as for [`BoundId::Local`].
    ///
    /// Every kernel, mask and n, any normaliser, **at these tokens**. Source: ours, section 6, `local_token`.
    LocalToken,
    /// Lower: L_n >= |V u| sqrt(n - 1) p (1 + 2 (1 - p) g), p = 1/(1 + (n - 1) e^(-2g)).
    ///
    /// A u = λ u with real λ and |u| = 1, g = γ R^2, γ the larger of -λ_min and λ_max/8 over the real eigenvalues. The tokens
    /// are R (-u, u, .., u), or R (u, u/2, .., u/2) for λ_max. Causal: |V u| sqrt(sum_(i >= 2) p_i^2 (1 + 2 (1 - p_i) g)^2) with
    /// p_i = 1/(1 + (i - 1) e^(-2g)).
    ///
    /// Dot-product attention, no mask or the causal one, no normaliser, n >= 2; one head or concatenated ones, A with a real
    /// eigenvalue. Source: tokens of \[C\], derivation ours, section 4, `adversarial`.
    Adversarial,
    /// Lower: the largest of [`BoundId::Adversarial`] over all lengths n' <= n, a bound on the largest L_n' of them and **not**
    /// on every L_n.
    ///
    /// Hypotheses as there, without a mask. Source: tokens of \[C\], envelope ours, section 4, `adversarial_envelope`.
    AdversarialEnvelope,
    /// Lower: L_n >= the norm, on changes along u, of N_1 tokens at r_1 u and n - N_1 at r_2 u, the largest over the splits of n,
    /// |r_1|, |r_2| <= R and some unit vectors u: eigenvectors of A and of (A + A^T)/2.
    ///
    /// Dot-product attention, no mask, no normaliser, n >= 2, any number of heads. Source: ours, section 4, `two_clusters`.
    TwoClusters,
    /// Lower: L_n >= sqrt(N t) p |V (y + (1 - t p) |A x| (R y - x))|, p = 1/(t + N e^(-D)), D = R |A x| - x.A x, for N = n - t
    /// tokens at x and t at R y, y = A x/|A x|, 1 <= t < n. The value is the exact norm at the best of these tokens; causal, a
    /// closed form.
    ///
    /// Dot-product attention, no mask or the causal one, no normaliser, n >= 2, every A and V (causal: not several heads with an
    /// output matrix). Source: ours, section 4, `sink`.
    Sink,
    /// Lower: L_n >= sqrt(N t) p R sin(θ) |A x| |V w|, p = 1/(t + N e^(-D)), D = R |A x| cos(θ) - x.A x, for N = n - t tokens at
    /// x and t/2 at each of R (y cos(θ) + w sin(θ)) and R (y cos(θ) - w sin(θ)), y = A x/|A x|, w a unit vector orthogonal to y,
    /// t even. The value is the exact norm at the best of these tokens; causal, and with a cap or a sink, a closed form.
    ///
    /// Dot-product attention, no mask or the causal one, no normaliser, n >= 3, d >= 2, every A and V. Source: ours, section 4,
    /// `fork`.
    Fork,
    /// Lower: L_n >= |V (t w/n + (1 - t/n) R^2 |A^T e| e)| for a unit vector e, w = A^T e/|A^T e|, from t tokens at 0 (1 for odd
    /// n, else 2) and the others half at R e, half at -R e. Causal: w/n for t w/n.
    ///
    /// Dot-product attention, no mask or the causal one, no normaliser, n >= 3, one head or concatenated ones. Source: ours,
    /// section 4, `centre`.
    Centre,
    /// Lower: L_n >= v ||C||, C_ij = 1/i for j <= i, from tokens that are all 0. ||C|| rises to 2.
    ///
    /// Dot-product attention, causal, no normaliser, n >= 2, one head or concatenated ones. Source: ours, section 4, `cesaro`.
    Cesaro,
    /// Upper: L_2 <= v (0.354 a + 2.37).
    ///
    /// Dot-product attention, no mask, n = 2, A = κ I for any real κ, on the ball. Source: ours, section 2, `two_tokens`.
    TwoTokens,
    /// A witness: the exact norm at the tokens R (-e, e, .., e) for **another** matrix of the same norm, -β I + sqrt(||A||^2 - β^2)
    /// T with a quarter turn T and β R^2 = min(a, ln(n - 1)/2). It shows how sharp [`BoundId::Unified`] is, and is no bound for
    /// the given A.
    ///
    /// Dot-product attention, no mask, one head, no normaliser, n >= 2. Source: ours, section 4, `skew`.
    Skew,
    /// Upper, in the l_inf norm (largest absolute row sum): (4 φ^-1(n - 1) + 1/sqrt(k)) ||W_O^T||_inf max_h ||W_Q,h||_inf
    /// ||W_Q,h^T||_inf max_h ||W_V,h^T||_inf, with φ(x) = x e^(x + 1).
    ///
    /// L2 multi-head attention of \[K\] with its weights (queries and keys tied), no mask or the causal one, every n, all
    /// tokens; no normaliser in the Jacobian. Source: \[K\] Theorem 3.2; section 5, `kim_linf`.
    KimLinf,
    /// Upper: sqrt(n/k) (4 φ^-1(n - 1) + 1) sqrt(sum_h ||W_Q,h||^4 ||W_V,h||^2) ||W_O||, with φ(x) = x e^(x + 1).
    ///
    /// L2 multi-head attention of \[K\] with its weights, no mask or the causal one, every n, all tokens. Source: \[K\]
    /// Theorem 3.2, corrected: the fourth power of ||W_Q,h|| is ours; section 5, `kim_l2`.
    KimL2,
    /// Upper: (2c + min(sqrt(n) (1 + 2c), (4/3)^(k/4) (1 + sqrt(8c/3)))) sqrt(sum_h ||W_Q,h||^4 ||W_V,h||^2/k) ||W_O||, with c =
    /// φ^-1(n - 1) and φ(x) = x e^(x + 1). It grows like ln n.
    ///
    /// L2 multi-head attention of \[K\] with its weights, no mask, every n, all tokens. Source: ours, section 5, `kim_column`.
    KimColumn,
    /// Upper, in the max-token norm: max_i |(J ξ)_i| <= max_j |ξ_j| max_i sum_j ||J_ij||.
    ///
    /// Every kernel, mask and n, any normaliser, **at these tokens**. Source: well known; section 2, `max_token`.
    MaxToken,
    /// Upper: L_n <= v (ρ a_o + min(sqrt(ω S), sqrt(max_j sum_i λ_i), 2 e^κ sqrt((1 + 2 a_m) sqrt(ω)))), the last term under the
    /// causal mask without a bias only.
    ///
    /// a_o, a_m and 2κ bound R times the derivatives of a score in its query's and its key's token, and the range of the scores
    /// of a row; S bounds the column sums of P and ρ <= 1 its row sums; ω is 1 + a_m^2 for dot-product scores, at most (1 +
    /// a_m)^2 for others; λ_i is the min(G, F/|N_i|) of [`BoundId::Sharp`] for the |N_i| tokens that i may see. Tables of these
    /// constants: section 6, "The constants of scores" and "Sums over the mask".
    ///
    /// Every kernel, mask, bias and step whose weights are a softmax, with or without a sink; every n; on the ball. For the
    /// attention of the two papers it is [`BoundId::Sharp`] and [`BoundId::SharpMasked`]. Source: ours, section 6, `general`.
    General,
    /// Upper, in the max-token norm: v (ρ a_o + sqrt(ρ ω)), with the constants of [`BoundId::General`]: no n in it.
    ///
    /// Hypotheses as for [`BoundId::General`], for every n at once. For one dimension and plain attention it is v max(1 + a,
    /// 2a + 1/(8a)), the second from a = 1/4 on. Source: ours, section 6, `general_token`.
    GeneralToken,
    /// Upper: L_n <= v (a_o max_i sum_j d_ij + sqrt(max_i sum_j T_ij max_j sum_i T_ij)), T_ij = p_ij + d_ij a_m, where p_ij is the
    /// weight at the highest score and d_ij its largest slope, and a_o, a_m are those of [`BoundId::General`].
    ///
    /// Sigmoid, ReLU and softplus weights; every kernel, mask, bias and n; on the ball. Source: ours, section 6, `elementwise`.
    Elementwise,
    /// Upper, in the max-token norm: v max_i sum_j (p_ij + d_ij (a_m + a_o)), with the constants of [`BoundId::Elementwise`].
    ///
    /// Hypotheses as there. Source: ours, section 6, `elementwise_token`.
    ElementwiseToken,
    /// Lower: L_n >= n |v| (p + 2 d a) from n equal tokens of length R, with the weight p and its slope d at the score a. It meets
    /// [`BoundId::Elementwise`].
    ///
    /// Dot-product scores, sigmoid, ReLU or softplus weights, A = α I with α > 0, V = v I, no mask, no bias, no normaliser.
    /// Source: ours, section 6, `equal_tokens`.
    EqualTokens,
    /// Lower: L_n >= sqrt(n - 1) p ((1 - p) R |V u| |b| - v), p = 1/(1 + (n - 1) e^(c q.k)), from one token at 0 and n - 1 at R u,
    /// with their normalised query q and key k, and b = c/sqrt(eps) K^T Π (g_k q): the slope at a key of zero. Π takes the mean
    /// off for the normaliser `layer`, g_k is the gain of the keys.
    ///
    /// Dot-product scores with qk-norm, or cosine scores; no RoPE, cap, mask, bias, sink or normaliser of the tokens. Source:
    /// ours, section 6, `zero_key`.
    ZeroKey,
    /// Lower: [`BoundId::Adversarial`] for causal attention on min(n, W) tokens, which are the first rows of a causal window of W
    /// tokens.
    ///
    /// Dot-product attention under a causal window without further steps, no normaliser; one head or concatenated ones, A with a
    /// real eigenvalue. Source: ours, section 6, `window_causal`.
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
    #[doc(hidden)]
    pub const MARGIN: f64 = 1e-13;

    /// A bound from ln of its value. For an upper bound other than `MaxToken`, ln grows by
    /// [`Bound::MARGIN`] (1 + |ln|). A NaN states nothing: it is infinite as an upper bound, and zero as a lower one.
    #[must_use]
    #[doc(hidden)]
    pub fn of_ln(id: BoundId, ln: f64) -> Self {
        let ln = match id.side() {
            _ if !ln.is_nan() => ln,
            Side::Upper => f64::INFINITY,
            Side::Lower => f64::NEG_INFINITY,
        };
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
    /// the bound is compared with. An upper bound only: it is infinite where the factor is NaN.
    #[must_use]
    #[doc(hidden)]
    pub fn widened(self, relative: f64) -> Self {
        let value = self.value.map(|value| value * (1.0 + relative)).filter(|value| value.is_finite());
        Bound { value, log10: or_infinity(self.log10 + relative.ln_1p() / std::f64::consts::LN_10), ..self }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_of_nan_states_nothing() {
        for nan in [f64::NAN, -f64::NAN] {
            let upper = Bound::of_ln(BoundId::Local, nan);
            assert_eq!((upper.value, upper.log10), (None, f64::INFINITY));
            let lower = Bound::of_ln(BoundId::Fork, nan);
            assert_eq!((lower.value, lower.log10), (Some(0.0), f64::NEG_INFINITY));
            let widened = Bound::of_ln(BoundId::Local, 1.0).widened(nan);
            assert_eq!((widened.value, widened.log10), (None, f64::INFINITY));
        }
    }
}
