//! Bounds on the local Lipschitz constant, each with its hypotheses: what does not apply is absent.
//!
//! One file a family; this one is the registry. Statements and proofs are in docs/theory.md.

mod adversarial;
mod castin;
mod hypotheses;
mod kim;
mod line;
mod local;
mod logarithms;
mod pair;
mod slack;
mod two_clusters;
mod unified;

use serde::{Deserialize, Serialize};

pub use hypotheses::{Combination, HeadNorms, Hypotheses, radius_of_ball};
pub use local::{LocalBound, LocalParts};
pub(crate) use local::{LocalHead, combine as combine_local};
pub(crate) use logarithms::ln_sum;
pub use slack::{BoundSlack, SlackFactor, SlackKind, slacks};
pub use two_clusters::{TwoClusterCurve, TwoClusters};

/// The name of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BoundId {
    /// [C] Theorem 3.3 and its masked twin.
    CastinGeneral,
    /// [C]'s mean-field theorem.
    CastinMeanField,
    /// Ours, without a mask.
    Unified,
    /// Ours, causal.
    UnifiedMasked,
    /// Ours, at the tokens themselves.
    Local,
    /// The adversarial tokens of [C] at this radius and number of tokens.
    Adversarial,
    /// The largest of `Adversarial` over all lengths up to n.
    AdversarialEnvelope,
    /// Ours: the best two clusters on a line.
    TwoClusters,
    /// Ours: the exact norm for another A of the same norm, which shows how sharp `Unified` is.
    Skew,
    /// [K] Theorem 3.2, in the norm of the largest row sum.
    KimLinf,
    /// [K] Theorem 3.2, in the spectral norm.
    KimL2,
    /// The largest row sum of block norms: above the norm over the largest token.
    MaxToken,
}

/// Of what a bound is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The norm at the tokens of the experiment.
    Tokens,
    /// The largest norm over all tokens in the ball of radius R.
    Ball,
    /// The largest norm over the ball for another A of the same norm.
    OtherWeights,
}

/// Which side of the norm a bound is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Never below the norm.
    Upper,
    /// Never above the norm.
    Lower,
}

/// The norm that a number is about.
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
    /// Over the largest token norm, of inputs and outputs.
    MaxToken,
}

/// A bound with its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Its name.
    pub id: BoundId,
    /// Which side.
    pub side: Side,
    /// Of which norm.
    pub norm: Norm,
    /// Its value, `None` past the range of f64.
    pub value: Option<f64>,
    /// Its decimal logarithm; minus infinity for a bound of zero.
    pub log10: f64,
}

impl BoundId {
    /// Every bound there is, upper ones first.
    pub const ALL: [BoundId; 12] = [
        BoundId::CastinGeneral,
        BoundId::CastinMeanField,
        BoundId::Unified,
        BoundId::UnifiedMasked,
        BoundId::Local,
        BoundId::KimL2,
        BoundId::KimLinf,
        BoundId::MaxToken,
        BoundId::TwoClusters,
        BoundId::Adversarial,
        BoundId::AdversarialEnvelope,
        BoundId::Skew,
    ];

    /// Its word in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "castin_general",
            BoundId::CastinMeanField => "castin_mean_field",
            BoundId::Unified => "unified",
            BoundId::UnifiedMasked => "unified_masked",
            BoundId::Local => "local",
            BoundId::Adversarial => "adversarial",
            BoundId::AdversarialEnvelope => "adversarial_envelope",
            BoundId::TwoClusters => "two_clusters",
            BoundId::Skew => "skew",
            BoundId::KimLinf => "kim_linf",
            BoundId::KimL2 => "kim_l2",
            BoundId::MaxToken => "max_token",
        }
    }

    /// Its formula for one head, as plain text; a is ||A||_2 R^2 and v is ||V||_2.
    #[must_use]
    pub fn formula(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "√3 v √(a²(4n + 1) + n)",
            BoundId::CastinMeanField => "v (1 + 3a) e^(2a)",
            BoundId::Unified => "v (a + √((1 + a²) n / (1 + (n − 1) e^(−2a))))",
            BoundId::UnifiedMasked => "v (a + min(√((1 + a²) Σᵢ 1/(1 + (i − 1) e^(−2a))), 2 (1 + 2a) e^(2a)))",
            BoundId::Local => "maxᵢ ‖V Oᵢ‖ + √(maxⱼ Σᵢ Pᵢⱼ wᵢ)",
            BoundId::Adversarial => "|Vu| √(n − 1) p (1 + 2 (1 − p) g)",
            BoundId::AdversarialEnvelope => "the largest adversarial bound over all lengths up to n",
            BoundId::TwoClusters => "the exact norm of the best two clusters on a line",
            BoundId::KimLinf => "(4φ⁻¹(n − 1) + 1/√k) ‖W_Oᵀ‖∞ maxₕ ‖W_Q‖∞‖W_Qᵀ‖∞ maxₕ ‖W_Vᵀ‖∞, φ(x) = x e^(x + 1)",
            BoundId::KimL2 => "√(n/k) (4φ⁻¹(n − 1) + 1) √(Σₕ ‖W_Q‖⁴‖W_V‖²) ‖W_O‖, φ(x) = x e^(x + 1)",
            BoundId::MaxToken => "maxᵢ Σⱼ ‖Jᵢⱼ‖₂",
            BoundId::Skew => "the exact norm of −e, e, .., e for A = −cI + √(‖A‖² − c²) J",
        }
    }

    /// Which side of the norm it is on.
    #[must_use]
    pub fn side(self) -> Side {
        match self {
            BoundId::CastinGeneral
            | BoundId::CastinMeanField
            | BoundId::Unified
            | BoundId::UnifiedMasked
            | BoundId::Local
            | BoundId::KimLinf
            | BoundId::KimL2
            | BoundId::MaxToken => Side::Upper,
            BoundId::Adversarial | BoundId::AdversarialEnvelope | BoundId::TwoClusters | BoundId::Skew => Side::Lower,
        }
    }

    /// Of what it is a bound.
    #[must_use]
    pub fn domain(self) -> Domain {
        match self {
            BoundId::Local | BoundId::MaxToken => Domain::Tokens,
            BoundId::Skew => Domain::OtherWeights,
            _ => Domain::Ball,
        }
    }

    /// Of which norm it is.
    #[must_use]
    pub fn norm(self) -> Norm {
        match self {
            BoundId::KimLinf => Norm::Linf,
            BoundId::MaxToken => Norm::MaxToken,
            _ => Norm::Spectral,
        }
    }

    /// Whether it says something about a norm: its own, and, as a lower bound on the spectral norm, the Frobenius norm,
    /// which is never below it.
    #[must_use]
    pub fn is_about(self, norm: Norm) -> bool {
        let (own, is_lower) = (self.norm(), self.side() == Side::Lower);
        own == norm || (is_lower && own == Norm::Spectral && norm == Norm::Frobenius)
    }

    /// The natural logarithm of an upper bound for one head with a = ||A||_2 R^2, v = 1 and n tokens; `None` where the
    /// hypotheses do not hold.
    fn ln_one_head(self, hypotheses: &Hypotheses, a: f64) -> Option<f64> {
        match self {
            BoundId::CastinGeneral => castin::ln_general(hypotheses, a),
            BoundId::CastinMeanField => castin::ln_mean_field(hypotheses, a),
            BoundId::Unified => unified::ln_unified(hypotheses, a),
            BoundId::UnifiedMasked => unified::ln_unified_masked(hypotheses, a),
            _ => None,
        }
    }

    /// The natural logarithm of a bound over the ball.
    fn ln(self, hypotheses: &Hypotheses) -> Option<f64> {
        match self {
            BoundId::Adversarial => adversarial::ln_adversarial(hypotheses),
            BoundId::AdversarialEnvelope => adversarial::ln_envelope(hypotheses),
            BoundId::TwoClusters => two_clusters::ln_two_clusters(hypotheses),
            BoundId::KimLinf => kim::ln_linf(hypotheses),
            BoundId::KimL2 => kim::ln_l2(hypotheses),
            BoundId::Local | BoundId::Skew | BoundId::MaxToken => None,
            _ => {
                let mut ln_heads = Vec::with_capacity(hypotheses.heads.len());
                for (head, a) in hypotheses.heads.iter().zip(hypotheses.a_of_heads()) {
                    ln_heads.push(self.ln_one_head(hypotheses, a)? + head.v_norm.ln());
                }
                Some(hypotheses.combination.ln_combine(&ln_heads) + hypotheses.outer_factor.ln())
            }
        }
    }

    /// The bound in a setting, `None` where it does not apply, or needs the tokens themselves.
    #[must_use]
    pub fn at(self, hypotheses: &Hypotheses) -> Option<Bound> {
        self.ln(hypotheses).filter(|ln| *ln < f64::INFINITY).map(|ln| Bound::of_ln(self, ln))
    }
}

impl Bound {
    /// A bound from the natural logarithm of its value.
    #[must_use]
    pub fn of_ln(id: BoundId, ln: f64) -> Self {
        let value = ln.exp();
        Bound {
            id,
            side: id.side(),
            norm: id.norm(),
            value: value.is_finite().then_some(value),
            log10: ln / std::f64::consts::LN_10,
        }
    }
}

impl Side {
    /// Its word in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Side::Upper => "upper",
            Side::Lower => "lower",
        }
    }
}

impl Norm {
    /// Every norm there is.
    pub const ALL: [Norm; 5] = [Norm::Spectral, Norm::Linf, Norm::L1, Norm::Frobenius, Norm::MaxToken];

    /// Its word in files.
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

/// Every bound over the ball that applies in a setting.
#[must_use]
pub fn all_bounds(hypotheses: &Hypotheses) -> Vec<Bound> {
    bounds_and_witness(hypotheses).0
}

/// Every bound over the ball that applies in a setting, and the two clusters behind `two_clusters`.
#[must_use]
pub fn bounds_and_witness(hypotheses: &Hypotheses) -> (Vec<Bound>, Option<TwoClusters>) {
    let witness = TwoClusterCurve::new(hypotheses, hypotheses.ln_n).and_then(|curve| curve.at(hypotheses.ln_n));
    let bound = |id: BoundId| match (id, &witness) {
        (BoundId::TwoClusters, found) => found.as_ref().map(|found| Bound::of_ln(id, found.norm.ln())),
        _ => id.at(hypotheses),
    };
    (BoundId::ALL.into_iter().filter_map(bound).collect(), witness)
}
