//! The adversarial tokens of \[C\] at one head of a model: R (-u, u, .., u) or R (u, u/2, .., u/2) with A u = lambda u,
//! A = K^T Q / sqrt(k) of the head's weights ([`AdversarialDirection`], docs/theory.md section 4).
//!
//! The map measured is the head with its biases, although A does not depend on them. The norm is a lower bound on the
//! head's Lipschitz constant on the ball of radius R.

use nalgebra::DMatrix;

use super::estimating::{Estimators, estimate};
use super::plan::Plan;
use crate::config::map_kind::{Heads, MapKind};
use crate::config::model_config::ModelConfig;
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::results::estimate::Estimate;
use crate::results::table::{Cell, Subject};
use lipscope_core::experiment::{Attention, InputError, Order};
use lipscope_core::phrase;
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::tokens::{AdversarialDirection, QueryKey};

/// In a table of adversarial tokens, the text column holds this prefix followed by R.
const TEXT: &str = "adversarial:";

/// One head with the direction of its adversarial tokens.
#[derive(Clone, Debug)]
pub struct AdversarialHead {
    layer: usize,
    head: usize,
    map: LayerMap,
    line: AdversarialDirection,
}

/// Settings of a measurement of a head at its adversarial tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdversarialPlan {
    /// R, the radius of the ball that contains the tokens.
    pub radius: f64,
    /// The mask of the head.
    pub mask: Order,
    /// The map: attention before or after the output matrix.
    pub kind: MapKind,
    /// The estimators to compute.
    pub estimators: Estimators,
    /// Stopping rule of the iteration for ||J||_2.
    pub options: LanczosOptions,
}

/// Whether a model's heads have adversarial tokens.
///
/// # Errors
/// [`InputError::Conflict`] where the attention is L2, or has steps that A does not describe.
pub fn check_adversarial(config: &ModelConfig) -> Result<(), InputError> {
    if config.attention != Attention::Dot {
        return Err(InputError::Conflict {
            what: phrase!("adversarial_tokens", "The adversarial tokens"),
            problem: phrase!("of_dot_product_attention", "are those of dot-product attention, and this model has L2"),
            fix: phrase!("measure_windows_of_text", "Measure windows of a text."),
        });
    }
    if !config.has_plain_attention() {
        return Err(InputError::Conflict {
            what: phrase!("adversarial_tokens", "The adversarial tokens"),
            problem: phrase!(
                "of_plain_scores",
                "come from A = K^T Q/sqrt(k), which is not all of this model's scores: they have rotary positions, shared keys, norms of queries or a window"
            ),
            fix: phrase!("measure_windows_of_text", "Measure windows of a text."),
        });
    }
    Ok(())
}

impl AdversarialPlan {
    /// The mask, map, estimators and options of a plan, at radius R.
    #[must_use]
    pub fn of(plan: &Plan, radius: f64) -> Self {
        let Plan { mask, kind, estimators, options, .. } = plan;
        AdversarialPlan { radius, mask: *mask, kind: *kind, estimators: *estimators, options: *options }
    }
}

impl Heads {
    /// The index of a single head.
    ///
    /// # Errors
    /// [`InputError::BadValue`] for [`Heads::All`]: adversarial tokens belong to one head.
    pub fn alone(self) -> Result<usize, InputError> {
        match self {
            Heads::One(head) => Ok(head),
            Heads::All => Err(InputError::bad_value(
                "head",
                "all",
                phrase!("each_list_such_0", "each, or a list such as 0,7: adversarial tokens are of a head"),
            )),
        }
    }
}

impl AdversarialHead {
    /// The adversarial direction of one head of a layer.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such layer or head, its attention is L2 or has steps that A does not describe, or A has no real eigenvalue.
    pub fn new(model: &Model, layer: usize, head: usize, kind: MapKind) -> Result<Self, InputError> {
        check_adversarial(&model.config)?;
        let map = LayerMap::new(model, layer, kind, Heads::One(head))?;
        let part = &model.block(layer)?.attention;
        let k = model.config.head_dim;
        let rows = |weight: &DMatrix<f32>| weight.rows(head * k, k).map(f64::from);
        let (q, k) = (rows(&part.query.weight) * model.config.query_factor(layer), rows(&part.key.weight));
        Ok(AdversarialHead { layer, head, map, line: AdversarialDirection::of(QueryKey { q: &q, k: &k })? })
    }

    /// Measures the head at n adversarial tokens; the cell is window 0 of length n.
    ///
    /// # Errors
    /// [`InputError`] if n is 0 or too large, or numbers overflow.
    pub fn measure(&self, plan: &AdversarialPlan, n: usize) -> Result<(Cell, Estimate), InputError> {
        if n == 0 {
            return Err(InputError::Empty {
                what: phrase!("adversarial_tokens", "The adversarial tokens"),
                least: phrase!("one_token", "one token"),
            });
        }
        let tokens = self.line.tokens(n, plan.radius);
        let cell = Cell { layer: self.layer, heads: Heads::One(self.head), n, window: 0 };
        Ok((cell, estimate(&self.map, &tokens, plan.mask, plan.estimators, plan.options)?))
    }
}

/// Measures one head at several lengths.
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

/// The text column of a table of adversarial tokens.
#[must_use]
pub fn adversarial_text(radius: f64) -> String {
    format!("{TEXT}{radius}")
}

impl Subject {
    /// R, if the table is one of adversarial tokens.
    #[must_use]
    pub fn adversarial_radius(&self) -> Option<f64> {
        self.text.strip_prefix(TEXT)?.parse().ok()
    }
}
