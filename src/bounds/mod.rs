//! Bounds on the local Lipschitz constant, each with its hypotheses: what does not apply is absent.
//!
//! One file a family; this one is the registry.

mod castin;
mod setting;

use serde::{Deserialize, Serialize};

pub use setting::{Combination, HeadNorms, Setting};

/// The name of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BoundId {
    /// [C] Theorem 3.3 and its masked twin.
    CastinGeneral,
    /// [C]'s mean-field theorem.
    CastinMeanField,
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
    /// Every bound there is.
    pub const ALL: [BoundId; 2] = [BoundId::CastinGeneral, BoundId::CastinMeanField];

    /// Its word in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "castin_general",
            BoundId::CastinMeanField => "castin_mean_field",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "published, any n",
            BoundId::CastinMeanField => "published, mean-field",
        }
    }

    /// Where it is proved.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "Castin, Ablin, Peyré 2024, Theorem 3.3 and its masked twin",
            BoundId::CastinMeanField => "Castin, Ablin, Peyré 2024, mean-field theorem",
        }
    }

    /// Its formula for one head, as plain text; a is ||A||_2 R^2 and v is ||V||_2.
    #[must_use]
    pub fn formula(self) -> &'static str {
        match self {
            BoundId::CastinGeneral => "√3 v √(a²(4n + 1) + n)",
            BoundId::CastinMeanField => "v (1 + 3a) e^(2a)",
        }
    }

    /// Which side of the norm it is on.
    #[must_use]
    pub fn side(self) -> Side {
        Side::Upper
    }

    /// The natural logarithm of the bound for one head with a = ||A||_2 R^2, v = 1 and n tokens; `None` where the
    /// hypotheses do not hold.
    fn ln_one_head(self, setting: &Setting, a: f64) -> Option<f64> {
        match self {
            BoundId::CastinGeneral => castin::ln_general(setting, a),
            BoundId::CastinMeanField => castin::ln_mean_field(setting, a),
        }
    }

    /// The bound in a setting, `None` where it does not apply.
    #[must_use]
    pub fn at(self, setting: &Setting) -> Option<Bound> {
        let mut ln_heads = Vec::with_capacity(setting.heads.len());
        for head in &setting.heads {
            let a = head.a_norm * setting.radius * setting.radius;
            ln_heads.push(self.ln_one_head(setting, a)? + head.v_norm.ln());
        }
        let ln = setting.combination.ln_combine(&ln_heads) + setting.outer_factor.ln();
        let value = ln.exp();
        Some(Bound {
            id: self,
            side: self.side(),
            norm: Norm::Spectral,
            value: value.is_finite().then_some(value),
            log10: ln / std::f64::consts::LN_10,
        })
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
    /// Its word in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Norm::Spectral => "spectral",
        }
    }
}

/// Every bound that applies in a setting.
#[must_use]
pub fn all_bounds(setting: &Setting) -> Vec<Bound> {
    BoundId::ALL.into_iter().filter_map(|id| id.at(setting)).collect()
}
