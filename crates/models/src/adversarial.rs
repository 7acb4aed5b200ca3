//! The adversarial tokens of \[C\] at one head of a model: R (-u, u, .., u) or R (u, u/2, .., u/2), A u = lambda u,
//! A = K^T Q / sqrt(k) of the head's weights ([`AdversarialDirection`], MATH.md section 4).
//!
//! The map is that of the head as it is measured at a text, with its biases, though A knows none of them. The norm is a
//! lower bound on the head's Lipschitz constant over the ball of radius R.

use nalgebra::DMatrix;

use super::config::MapKind;
use super::estimate::{Estimate, Estimators, estimate};
use super::map::{AttentionMap, Heads};
use super::parts::Model;
use super::plan::Plan;
use super::table::{Cell, Subject};
use lipscope_core::experiment::{InputError, Mask};
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::tokens::{AdversarialDirection, QueryKey};

/// What a table of such tokens has for the fingerprint of a text, before R.
const TEXT: &str = "adversarial:";

/// One head with the line of its adversarial tokens.
#[derive(Clone, Debug)]
pub struct AdversarialHead {
    layer: usize,
    head: usize,
    map: AttentionMap,
    line: AdversarialDirection,
}

/// How a head is measured at them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdversarialPlan {
    /// R.
    pub radius: f64,
    /// Of the map.
    pub mask: Mask,
    /// Through the output matrix, or before it.
    pub kind: MapKind,
    /// What is computed.
    pub estimators: Estimators,
    /// When the iteration for ||J||_2 stops.
    pub options: LanczosOptions,
}

impl AdversarialPlan {
    /// As a plan has it for windows of a text.
    #[must_use]
    pub fn of(plan: &Plan, radius: f64) -> Self {
        let Plan { mask, kind, estimators, options, .. } = plan;
        AdversarialPlan { radius, mask: *mask, kind: *kind, estimators: *estimators, options: *options }
    }
}

impl Heads {
    /// The one head that it is.
    ///
    /// # Errors
    /// [`InputError::BadValue`] where it is all of them: adversarial tokens are of one.
    pub fn alone(self) -> Result<usize, InputError> {
        match self {
            Heads::One(head) => Ok(head),
            Heads::All => Err(InputError::bad_value(
                "head",
                "all",
                "each, or a list such as 0,7: adversarial tokens are of a head",
            )),
        }
    }
}

impl AdversarialHead {
    /// Of a layer's head.
    ///
    /// # Errors
    /// [`InputError`] where the model has no such layer or head, or A no real eigenvalue.
    pub fn new(model: &Model, layer: usize, head: usize, kind: MapKind) -> Result<Self, InputError> {
        let map = AttentionMap::new(model, layer, kind, Heads::One(head))?;
        let part = &model.block(layer)?.attention;
        let k = model.config.head_dim();
        let rows = |weight: &DMatrix<f32>| weight.rows(head * k, k).map(f64::from);
        let (q, k) = (rows(&part.query.weight), rows(&part.key.weight));
        Ok(AdversarialHead { layer, head, map, line: AdversarialDirection::of(QueryKey { q: &q, k: &k })? })
    }

    /// Measures it at n tokens; the row is window 0 of its length.
    ///
    /// # Errors
    /// [`InputError`] where n is 0, there are too many tokens, or numbers overflow.
    pub fn measure(&self, plan: &AdversarialPlan, n: usize) -> Result<(Cell, Estimate), InputError> {
        if n == 0 {
            return Err(InputError::Empty { what: "The adversarial tokens".into(), least: "one token".into() });
        }
        let tokens = self.line.tokens(n, plan.radius);
        let cell = Cell { layer: self.layer, heads: Heads::One(self.head), n, window: 0 };
        Ok((cell, estimate(&self.map, &tokens, plan.mask, plan.estimators, plan.options)?))
    }
}

/// The whole curve of one head over some lengths.
///
/// # Errors
/// As [`AdversarialHead::new`] and [`AdversarialHead::measure`].
pub fn adversarial_curve(
    model: &Model,
    (layer, head): (usize, usize),
    plan: &AdversarialPlan,
    lengths: &[usize],
) -> Result<Vec<(Cell, Estimate)>, InputError> {
    let at_head = AdversarialHead::new(model, layer, head, plan.kind)?;
    lengths.iter().map(|n| at_head.measure(plan, *n)).collect()
}

/// What a table of adversarial tokens says in the place of its text.
#[must_use]
pub fn adversarial_text(radius: f64) -> String {
    format!("{TEXT}{radius}")
}

impl Subject {
    /// R, where a table is of adversarial tokens.
    #[must_use]
    pub fn adversarial_radius(&self) -> Option<f64> {
        self.text.strip_prefix(TEXT)?.parse().ok()
    }
}
