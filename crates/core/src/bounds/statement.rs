//! What a bound states: its id, its formula as text, the norm that it bounds, the domain on which it holds, and its
//! hypotheses. The numbers are in [`Evaluator`](super::evaluator::Evaluator).

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::absence::Absence;
use super::need::Need;

/// A bound. Compared, ordered and hashed by its id, and serialised by it in notations for people.
///
/// Each bound is a row in a file of its own, and all rows are in [`ALL`](super::ALL). The row's documentation states
/// formula, hypotheses and source; "section" and the name in code font are a section and a heading of docs/theory.md in
/// the repository, where the proofs are.
///
/// Tokens x_1 .. x_n with |x_i| <= R; one head with Q, K (k x d) and V; scores s_ij = x_j.A x_i with A = K^T Q/sqrt(k)
/// (dot-product attention); weights P = softmax(s), m_i = sum_j P_ij x_j. With spectral norms, a = ||A|| R^2 and v = ||V||.
/// L_n is the largest ||J|| over all such tokens: the Lipschitz constant on the ball. Where a statement names no norm it is
/// the spectral one.
///
/// Several heads: bounds of heads combine as the root of the sum of squares, behind an output matrix as the sum with O_h V_h
/// for V_h, or in a better way (section 2, "Heads"). A normaliser: R = sqrt(d), and in scope `composed` an upper bound is
/// multiplied by the largest slope of the normaliser (section 2, "Normalisers"). [`Statement::formula`] is the short form.
pub struct Statement {
    /// Its name in files, unique among all bounds.
    pub(crate) id: &'static str,
    /// Upper or lower.
    pub(crate) side: Side,
    /// Where it holds.
    pub(crate) domain: Domain,
    /// The norm that it bounds.
    pub(crate) norm: Norm,
    /// Its formula for one head as plain text.
    pub(crate) formula: &'static str,
    /// The same as TeX, which the page's build script makes MathML of; `None` for a bound that is described in words.
    pub(crate) tex: Option<&'static str>,
    /// Its hypotheses, in the order in which a failing one is reported.
    pub(crate) needs: &'static [Need],
    /// The reason where all needs hold and there is still no value.
    pub(crate) otherwise: Absence,
    /// What it has in common with other bounds.
    pub(crate) group: Group,
    /// Its place on the ladder of bounds, from the top; `None` for a bound that the ladder does not show.
    pub(crate) rung: Option<u8>,
    /// The key of its name among the texts of a page: bounds with and without the mask share one.
    pub(crate) label: &'static str,
    /// The key of the text that explains the letters of its formula.
    pub(crate) note: &'static str,
    /// The key of the text that says where it is proved.
    pub(crate) source: &'static str,
}

/// The name of a bound: its statement.
pub type BoundId = &'static Statement;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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

/// Bounds of one kind. A figure draws a group in one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Published upper bounds that grow with n.
    Published,
    /// The published upper bound of every n at once.
    MeanField,
    /// Our best upper bounds. Of several on the same norm only the smallest is shown.
    Best,
    /// Our upper bounds from column sums alone.
    Unified,
    /// Upper bounds at given tokens.
    Local,
    /// The computed norms of the blocks of the Jacobian, added up. Their rounding is covered where they are computed.
    BlockNorms,
    /// Lower bounds from given tokens.
    Tokens,
    /// Lower bounds from tokens of which some draw the attention of the others.
    Sink,
    /// Lower bounds from tokens of which two share the attention of the others.
    Fork,
    /// Lower bounds from the adversarial tokens of \[C\].
    Adversarial,
    /// Lower bounds on the largest constant over all lengths up to n, and not on the one at n.
    Envelope,
    /// Witnesses for other weights.
    OtherWeights,
}

impl Statement {
    /// Its name in files.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Its formula for one head as plain text, with a = ||A||_2 R^2 and v = ||V||_2.
    #[must_use]
    pub fn formula(&self) -> &'static str {
        self.formula
    }

    /// The same as TeX; `None` for a bound that is described in words.
    #[must_use]
    #[doc(hidden)]
    pub fn tex(&self) -> Option<&'static str> {
        self.tex
    }

    /// Whether it is an upper or a lower bound.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The domain on which it holds.
    #[must_use]
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The norm that it bounds.
    #[must_use]
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// Whether it bounds `norm`. Every bound bounds its own norm. A lower bound on the spectral norm also bounds the
    /// Frobenius norm, which is never smaller.
    #[must_use]
    pub fn is_about(&self, norm: Norm) -> bool {
        let is_lower = self.side == Side::Lower;
        self.norm == norm || (is_lower && self.norm == Norm::Spectral && norm == Norm::Frobenius)
    }

    /// What it has in common with other bounds.
    #[must_use]
    #[doc(hidden)]
    pub fn group(&self) -> Group {
        self.group
    }

    /// Its place on the ladder of bounds, from the top.
    #[must_use]
    #[doc(hidden)]
    pub fn rung(&self) -> Option<u8> {
        self.rung
    }

    /// The key of its name among the texts of a page.
    #[must_use]
    #[doc(hidden)]
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// The key of the text that explains the letters of its formula.
    #[must_use]
    #[doc(hidden)]
    pub fn note(&self) -> &'static str {
        self.note
    }

    /// The key of the text that says where it is proved.
    #[must_use]
    #[doc(hidden)]
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Whether the bound is only about variants of attention, so that plain experiments do not list it.
    pub(crate) fn is_of_variants(&self) -> bool {
        self.needs.iter().any(|need| matches!(need, Need::FurtherSteps | Need::FurtherStepsOrL2))
    }
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Statement {}

impl PartialOrd for Statement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Statement {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(other.id)
    }
}

impl Hash for Statement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
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
        self.into()
    }
}
