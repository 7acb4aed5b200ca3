//! The norm of J as the tokens are scaled up: dot-product against L2 attention with the same weights.
//!
//! \[K\] Theorem 3.1: with one token at 0 and the others spread, ||J|| of dot-product attention grows like R^2, so
//! this attention is not Lipschitz on the whole space; ||J|| of L2 attention with tied weights stays bounded.

use serde::{Deserialize, Serialize};

use crate::bounds::Norm;
use crate::cost::{Cost, Shape, product, shape_of, sum};
use crate::experiment::{Attention, Experiment, InputError, Memory, Normalization, Rows, TokenSource};
use crate::fit::{PowerLaw, fit_power_law};
use crate::measure::cost::{checked_shape, of_shape};
use crate::measure::{MeasureOptions, measure_with};
use crate::phrase;
use crate::tokens::largest_norm;
use crate::weights::inputs;

/// Which token list is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScaledTokens {
    /// The experiment's tokens, with the first one moved to 0.
    OneAtZero,
    /// The experiment's tokens, unchanged.
    AsTheyAre,
}

/// Input of a scaling experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingPlan {
    /// Tokens and weights; the experiment's kernel is ignored, because both are measured.
    pub experiment: Experiment,
    /// Which tokens are scaled.
    pub tokens: ScaledTokens,
    /// The largest token norms R, ascending.
    pub radii: Vec<f64>,
    /// The norm of J to compute.
    pub norm: Norm,
}

/// The norms of both kernels at one radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// R, the largest token norm.
    pub radius: f64,
    /// ||J|| of dot-product attention, in the plan's norm.
    pub dot: f64,
    /// ||J|| of L2 attention.
    pub l2: f64,
}

/// Computes a [`ScalingPlan`], one radius per step.
#[derive(Clone, Debug)]
pub struct Scaling {
    experiment: Experiment,
    /// The tokens divided by their largest norm, d x n.
    shape: nalgebra::DMatrix<f64>,
    radii: Vec<f64>,
    norm: Norm,
    memory: Memory,
    next: usize,
}

/// The most radii of a plan.
pub const MOST_RADII: usize = 500;

impl Scaling {
    /// Draws the tokens and divides them by their largest norm, within the usual memory.
    ///
    /// # Errors
    /// [`InputError`] if all tokens are zero, for a token measure, for radii that are not above 0 or too many, and
    /// under a normaliser, which would undo the scaling.
    pub fn new(plan: &ScalingPlan) -> Result<Self, InputError> {
        Scaling::new_within(plan, Memory::default())
    }

    /// As [`Scaling::new`], within a given memory.
    ///
    /// # Errors
    /// As [`Scaling::new`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn new_within(plan: &ScalingPlan, memory: Memory) -> Result<Self, InputError> {
        let ScalingPlan { experiment, tokens, radii, norm } = plan;
        if experiment.normalization != Normalization::None {
            return Err(InputError::Conflict {
                what: "`normalization`".into(),
                problem: phrase!("cancels_any_scaling_tokens", "cancels any scaling of the tokens"),
                fix: phrase!("use_normalization_none", "Use \"normalization\":\"none\"."),
            });
        }
        let fits = !radii.is_empty() && radii.len() <= MOST_RADII && radii.iter().all(|r| r.is_finite() && *r > 0.0);
        if !fits {
            let expected = phrase!("numbers_above_0", "1 to {most} numbers above 0", most = MOST_RADII);
            return Err(InputError::bad_value(phrase!("radii", "The list of radii"), format!("{radii:?}"), expected));
        }
        let sizes = checked_shape(experiment, &MeasureOptions::for_norm(*norm))?;
        // The same tokens and weights go through dot-product and L2 scores.
        experiment.require_plain()?;
        crate::cost::check(phrase!("scaling", "The scaling"), &sizes, memory, |sizes| {
            cost_of_shape(sizes, *norm, radii.len())
        })?;
        let inputs = inputs(experiment)?;
        let mut shape = inputs.tokens;
        if inputs.ln_multiplicities.is_some() {
            return Err(InputError::Conflict {
                what: "`tokens.source` = \"clusters\"".into(),
                problem: phrase!("not_list_tokens", "is not a list of tokens"),
                fix: phrase!("list_tokens_draw_them", "List the tokens, or draw them."),
            });
        }
        if *tokens == ScaledTokens::OneAtZero {
            shape.column_mut(0).fill(0.0);
        }
        let largest = largest_norm(&shape);
        if largest == 0.0 {
            return Err(InputError::Conflict {
                what: phrase!("tokens", "The tokens"),
                problem: phrase!("all_zero_so_scaling", "are all zero, so that scaling does not change them"),
                fix: phrase!("use_other_tokens", "Use other tokens."),
            });
        }
        shape /= largest;
        Ok(Scaling { experiment: experiment.clone(), shape, radii: radii.clone(), norm: *norm, memory, next: 0 })
    }

    /// The number of radii done, and the number of all radii.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.radii.len())
    }

    /// Computes the next point; `None` when all are done.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where scores overflow, [`InputError::TooLarge`] where the norm needs all entries of J
    /// and J is over the limit.
    pub fn step(&mut self) -> Result<Option<ScalingPoint>, InputError> {
        let Some(radius) = self.radii.get(self.next).copied() else { return Ok(None) };
        self.next += 1;
        let entries = (&self.shape * radius).as_slice().to_vec();
        let tokens = TokenSource::Explicit(Rows::new(phrase!("tokens", "The tokens"), self.shape.nrows(), entries)?);
        let at = |attention: Attention| -> Result<f64, InputError> {
            let experiment = Experiment { attention, tokens: tokens.clone(), ..self.experiment.clone() };
            let options = MeasureOptions { memory: self.memory, ..MeasureOptions::for_norm(self.norm) };
            let measurement = measure_with(&experiment, options)?;
            measurement.norm(self.norm).ok_or_else(|| InputError::TooLarge {
                what: phrase!("jacobian_all_whose_entries", "The Jacobian, all of whose entries this norm needs,"),
                found: phrase!("rows_columns", "{count} rows and columns", count = self.shape.len()),
                limit: MeasureOptions::default().dense_limit.to_string().into(),
                fix: phrase!("use_fewer_tokens_spectral", "Use fewer tokens, or the spectral norm."),
            })
        };
        Ok(Some(ScalingPoint { radius, dot: at(Attention::Dot)?, l2: at(Attention::L2)? }))
    }
}

impl ScalingPlan {
    /// The memory and operations of the scaling.
    #[must_use]
    pub fn cost(&self) -> Cost {
        cost_of_shape(&shape_of(&self.experiment), self.norm, self.radii.len())
    }
}

fn cost_of_shape(shape: &Shape, norm: Norm, n_radii: usize) -> Cost {
    // Counts both kernels as L2, which holds one number more for each head and token.
    let l2 = shape.with_listed_tokens().with_attention(Attention::L2);
    let held = sum([shape.listed(), shape.listed(), product([4, shape.inputs()])]);
    of_shape(&l2, &MeasureOptions::for_norm(norm)).times(2).times(n_radii as u64).holding(held)
}

/// Power laws fitted to the norms over the last two decades of R: for dot-product attention, and for L2 attention.
/// `None` if there are too few points for a fit.
#[must_use]
pub fn slopes(points: &[ScalingPoint]) -> Option<(PowerLaw, PowerLaw)> {
    let last = points.last()?.radius;
    let of = |read: fn(&ScalingPoint) -> f64| -> Option<PowerLaw> {
        let tail = points.iter().filter(|point| point.radius >= last / 100.0);
        fit_power_law(&tail.map(|point| (point.radius, read(point))).collect::<Vec<_>>())
    };
    Some((of(|point| point.dot)?, of(|point| point.l2)?))
}
