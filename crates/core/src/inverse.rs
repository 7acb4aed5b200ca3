//! Invertible attention (\[K\] section 4): g(X) = X + c F(X)/L with L >= Lip(F) and c < 1.
//!
//! Its inverse is the fixed point of X_{t+1} = Y - c F(X_t)/L, with |X_t - X| <= c^t/(1-c) |X_1 - X_0| if L is a
//! Lipschitz constant on the whole space. For \[K\]'s L2 multi-head attention L is the smaller of `kim_column` and
//! `kim_l2`, under the causal mask `kim_l2`. For any other attention the local constant at X is used, and the iteration
//! may fail: dot-product attention, for instance, has no global constant.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::attention::Forward;
use crate::bounds::{BoundId, Hypotheses, KIM_COLUMN, KIM_L2};
use crate::cost::{Cost, Shape, largest, parts, product, shape_of, sum};
use crate::experiment::{Attention, Experiment, InputError, Memory, Normalization};
use crate::measure::cost::{checked_shape, of_shape};
use crate::measure::{Detail, MeasureOptions, measure_with};
use crate::phrase;
use crate::weights::{Inputs, inputs};

/// Input of an inversion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InversePlan {
    /// The map F and the tokens X.
    pub experiment: Experiment,
    /// The factor c, above 0.
    pub fraction: f64,
    /// The most iterations.
    pub max_iterations: usize,
}

/// The first two coordinates of each token.
pub type Places = Vec<(f32, f32)>;

/// The constant used for Lip(F).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstantKind {
    /// `kim_l2`, on the whole space: convergence at rate c is guaranteed for c < 1.
    KimL2,
    /// `kim_column`, on the whole space: convergence at rate c is guaranteed for c < 1.
    KimColumn,
    /// ||J||_2 at X: convergence is not guaranteed.
    Local,
}

impl ConstantKind {
    /// Whether it bounds the Lipschitz constant on the whole space.
    #[must_use]
    pub fn is_global(self) -> bool {
        self != ConstantKind::Local
    }
}

/// One iteration of the inversion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InverseStep {
    /// t, from 0: X_0 = Y.
    pub iteration: usize,
    /// |X_t - X| in the Frobenius norm.
    pub error: f64,
    /// |X_{t+1} - X_t|.
    pub residual: f64,
    /// c^t/(1-c) |X_1 - X_0|; `None` if convergence is not guaranteed.
    pub guaranteed: Option<f64>,
    /// The first two coordinates of each token of X_t; empty for long lists.
    pub positions: Places,
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// The residual fell to rounding error.
    Converged,
    /// The residual grew beyond its limit.
    Diverged,
    /// It neither converged nor diverged within the iteration limit.
    Stalled,
}

/// The state of an inversion.
#[derive(Clone, Debug)]
pub struct Inverting {
    experiment: Experiment,
    inputs: Inputs,
    /// c/L.
    factor: f64,
    fraction: f64,
    constant: f64,
    kind: ConstantKind,
    target: DMatrix<f64>,
    current: DMatrix<f64>,
    iteration: usize,
    max_iterations: usize,
    first_step: f64,
    outcome: Option<Outcome>,
}

/// The most tokens whose positions are returned at each iteration.
const MOST_PICTURED: usize = 1024;
/// The iteration has diverged once the residual exceeds the first one by this factor.
const DIVERGED_AT: f64 = 1e6;
/// The iteration has converged once the residual is below this many units of rounding of the tokens.
const CONVERGED_AT: f64 = 64.0;
/// The largest iteration limit.
pub const MOST_ITERATIONS: usize = 100_000;

impl Inverting {
    /// Computes Y = X + c F(X)/L, within the usual memory.
    ///
    /// # Errors
    /// [`InputError`] if F does not map tokens to tokens of the same dimension or has a normaliser, or c is not a
    /// positive number; or attention has steps.
    pub fn start(plan: &InversePlan) -> Result<Self, InputError> {
        Inverting::start_within(plan, Memory::default())
    }

    /// As [`Inverting::start`], within a given memory.
    ///
    /// # Errors
    /// As [`Inverting::start`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn start_within(plan: &InversePlan, memory: Memory) -> Result<Self, InputError> {
        let InversePlan { experiment, fraction, max_iterations } = plan;
        if !(fraction.is_finite() && *fraction > 0.0) {
            return Err(InputError::bad_value(
                phrase!("fraction_c", "The fraction c"),
                fraction.to_string(),
                phrase!("number_above_0", "a number above 0"),
            ));
        }
        if experiment.normalization != Normalization::None {
            return Err(InputError::Conflict {
                what: "`normalization`".into(),
                problem: phrase!("not_part_map_inverted", "is not part of the map that is inverted"),
                fix: phrase!("use_normalization_none", "Use \"normalization\":\"none\"."),
            });
        }
        experiment.require_plain()?;
        let shape = checked_shape(experiment, &norm_only(memory))?;
        crate::cost::check(phrase!("inverse", "The inverse"), &shape, memory, |shape| {
            cost_of_shape(shape, plan.max_iterations)
        })?;
        let inputs = inputs(experiment)?;
        let (d, d_out) = (inputs.tokens.nrows(), inputs.weights.d_out());
        if inputs.ln_multiplicities.is_some() || d != d_out {
            return Err(InputError::Conflict {
                what: phrase!(
                    "attention_from_dimension",
                    "Attention from dimension {from} to {to}",
                    from = d,
                    to = d_out
                ),
                problem: phrase!("does_not_map_tokens", "does not map tokens to tokens of the same dimension"),
                fix: phrase!(
                    "use_listed_drawn_tokens",
                    "Use listed or drawn tokens and weights whose output has the tokens' dimension (an output matrix, or heads times head_dim = d)."
                ),
            });
        }
        let (constant, kind) = constant(experiment, &inputs, memory)?;
        let factor = fraction / constant;
        let tokens = inputs.tokens.clone();
        let mut inverting = Inverting {
            experiment: experiment.clone(),
            inputs,
            factor,
            fraction: *fraction,
            constant,
            kind,
            target: tokens.clone(),
            current: tokens.clone(),
            iteration: 0,
            max_iterations: (*max_iterations).clamp(1, MOST_ITERATIONS),
            first_step: 0.0,
            outcome: None,
        };
        inverting.target = &tokens + inverting.moved(&tokens)?;
        inverting.current = inverting.target.clone();
        Ok(inverting)
    }

    /// L, and which constant it is.
    #[must_use]
    pub fn constant(&self) -> (f64, ConstantKind) {
        (self.constant, self.kind)
    }

    /// Y, d x n.
    #[must_use]
    pub fn target(&self) -> &DMatrix<f64> {
        &self.target
    }

    /// X_t, d x n.
    #[must_use]
    pub fn current(&self) -> &DMatrix<f64> {
        &self.current
    }

    /// The first two coordinates of the tokens X and of their images Y; empty for long lists.
    #[must_use]
    pub fn places(&self) -> (Places, Places) {
        (places(&self.inputs.tokens), places(&self.target))
    }

    /// How the iteration ended; `None` while it runs.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The next iteration; `None` after the end.
    ///
    /// # Errors
    /// None in practice: an iterate that overflows counts as diverged.
    pub fn step(&mut self) -> Result<Option<InverseStep>, InputError> {
        if self.outcome.is_some() {
            return Ok(None);
        }
        let next = match self.moved(&self.current) {
            Ok(moved) => &self.target - moved,
            // The iterate is so large that its scores overflow.
            Err(InputError::Overflow { .. }) => {
                self.outcome = Some(Outcome::Diverged);
                return Ok(None);
            }
            Err(problem) => return Err(problem),
        };
        let residual = (&next - &self.current).norm();
        let error = (&self.current - &self.inputs.tokens).norm();
        if self.iteration == 0 {
            self.first_step = residual;
        }
        let guaranteed = (self.kind.is_global() && self.fraction < 1.0)
            .then(|| self.fraction.powi(self.iteration as i32) / (1.0 - self.fraction) * self.first_step);
        let positions = places(&self.current);
        let step = InverseStep { iteration: self.iteration, error, residual, guaranteed, positions };
        let rounding = f64::EPSILON * self.target.norm().max(f64::MIN_POSITIVE);
        self.iteration += 1;
        self.outcome = if !residual.is_finite() || residual > DIVERGED_AT * self.first_step.max(rounding) {
            Some(Outcome::Diverged)
        } else if residual <= CONVERGED_AT * rounding {
            Some(Outcome::Converged)
        } else if self.iteration >= self.max_iterations {
            Some(Outcome::Stalled)
        } else {
            None
        };
        self.current = next;
        Ok(Some(step))
    }

    /// c F(X)/L.
    fn moved(&self, tokens: &DMatrix<f64>) -> Result<DMatrix<f64>, InputError> {
        Ok(Forward::at(&self.experiment, &self.inputs, tokens)?.output() * self.factor)
    }
}

impl Outcome {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// The first two coordinates of each token; empty for long lists.
fn places(tokens: &DMatrix<f64>) -> Places {
    if tokens.ncols() > MOST_PICTURED {
        return Vec::new();
    }
    tokens.column_iter().map(|token| (token[0] as f32, token.get(1).copied().unwrap_or(0.0) as f32)).collect()
}

/// The options that measure only the local constant.
fn norm_only(memory: Memory) -> MeasureOptions {
    MeasureOptions { detail: Detail::NormOnly, memory, ..MeasureOptions::default() }
}

impl InversePlan {
    /// The memory and operations that the inversion takes.
    #[must_use]
    pub fn cost(&self) -> Cost {
        cost_of_shape(&shape_of(&self.experiment), self.max_iterations)
    }
}

fn cost_of_shape(shape: &Shape, max_iterations: usize) -> Cost {
    let (inputs, forward) = (parts::inputs(shape), parts::forward(shape));
    let images = sum([product([shape.n, shape.values]), shape.outputs(), parts::block(shape.n)]);
    let moved = Cost::of_numbers(largest([forward.peak(), sum([forward.kept, images])]), forward.operations);
    // The constant is measured from separate inputs; then X, Y, X_t and the next iterate are held.
    let constant = of_shape(shape, &norm_only(Memory::default()));
    let held = sum([inputs.kept, shape.listed(), product([4, shape.inputs()])]);
    constant.then(moved.times((max_iterations as u64).saturating_add(1))).holding(held)
}

/// The smallest of the bounds on the whole space, or where none applies the local constant at X.
fn constant(experiment: &Experiment, inputs: &Inputs, memory: Memory) -> Result<(f64, ConstantKind), InputError> {
    if experiment.attention == Attention::L2 && inputs.weights.l2_mha.is_some() {
        let forward = Forward::<f64>::new(experiment, inputs)?;
        let ln_n = (inputs.tokens.ncols() as f64).ln();
        let hypotheses = Hypotheses::new(experiment, &inputs.weights, forward.normalizer(), 0.0, ln_n);
        let global = [(&KIM_COLUMN, ConstantKind::KimColumn), (&KIM_L2, ConstantKind::KimL2)];
        let value = |id: BoundId| id.at(&hypotheses).and_then(|bound| bound.value).filter(|value| *value > 0.0);
        let found = global.into_iter().filter_map(|(id, kind)| Some((value(id)?, kind)));
        if let Some(smallest) = found.min_by(|a, b| a.0.total_cmp(&b.0)) {
            return Ok(smallest);
        }
    }
    let value = measure_with(experiment, norm_only(memory))?.spectral;
    if value > 0.0 {
        Ok((value, ConstantKind::Local))
    } else {
        Err(InputError::Conflict {
            what: phrase!("local_lipschitz_constant", "The local Lipschitz constant"),
            problem: phrase!("zero_these_tokens", "is zero at these tokens"),
            fix: phrase!("use_other_tokens_weights", "Use other tokens or weights."),
        })
    }
}
