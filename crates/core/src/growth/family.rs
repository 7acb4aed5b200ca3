//! The exact norms of the adversarial tokens over n.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::ball::Ball;
use super::plan::{GrowthPlan, MOST_FAMILY_DIM};
use crate::bounds::norm_of_clusters;
use crate::experiment::{Attention, Experiment, InputError, Mask, Memory, Normalization};
use crate::tokens::AdversarialDirection;
use crate::weights::Weights;

/// The exact norm at the adversarial tokens of one length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyPoint {
    /// Number of tokens.
    pub n: f64,
    /// ||J||_2.
    pub spectral: f64,
}

/// Computes the exact norms at the adversarial tokens, one n per step.
#[derive(Clone, Debug)]
pub struct Family {
    weights: Weights,
    line: AdversarialDirection,
    radius: f64,
    plan: GrowthPlan,
    next: usize,
}

impl Family {
    /// The adversarial tokens of an experiment's weights. `None` unless attention is dot-product without mask and
    /// normaliser, the first head's A has a real eigenvalue, and d and d_out are at most 64.
    ///
    /// # Errors
    /// [`InputError`] if the experiment cannot be built.
    pub fn new(experiment: &Experiment, plan: &GrowthPlan) -> Result<Option<Self>, InputError> {
        Family::new_within(experiment, plan, Memory::default())
    }

    /// As [`Family::new`], within a given memory.
    ///
    /// # Errors
    /// As [`Family::new`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn new_within(experiment: &Experiment, plan: &GrowthPlan, memory: Memory) -> Result<Option<Self>, InputError> {
        plan.check(experiment, memory)?;
        let applies = experiment.is_plain()
            && experiment.mask == Mask::None
            && experiment.normalization == Normalization::None
            && experiment.attention == Attention::Dot;
        if !applies {
            return Ok(None);
        }
        let Ball { weights, radius, .. } = Ball::of(experiment)?;
        if weights.d().max(weights.d_out()) > MOST_FAMILY_DIM {
            return Ok(None);
        }
        let line = weights.heads.first().and_then(|head| AdversarialDirection::of(head.query_key()).ok());
        let family = |line| Family { weights, line, radius, plan: plan.clone(), next: 0 };
        Ok(line.map(family))
    }

    /// The next point; `None` at the end.
    pub fn step(&mut self) -> Option<FamilyPoint> {
        let n = *self.plan.lengths.get(self.next)?;
        self.next += 1;
        let radius = self.plan.spacing.radius_at(self.radius, n);
        let AdversarialDirection { direction, first, others, .. } = &self.line;
        let positions = DMatrix::from_columns(&[direction * (radius * first), direction * (radius * others)]);
        let norm = norm_of_clusters(&self.weights, &positions, &[0.0, (n - 1.0).ln()]);
        // An n whose norm overflows is skipped.
        match norm {
            Some(spectral) => Some(FamilyPoint { n, spectral }),
            None => self.step(),
        }
    }
}
