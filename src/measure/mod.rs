//! One measurement: from an experiment to its norm, its bounds, and what it says of its own accuracy.
//!
//! [`measure`] runs through; [`Measuring`] is the same in steps, for a worker that must listen between them.

use std::fmt;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::attention::Forward;
use crate::bounds::{Bound, Setting, all_bounds};
use crate::experiment::{Experiment, InputError};
use crate::jacobian::{JacobianOperator, LinearOperator, dense_jacobian};
use crate::spectral::{DenseNorms, Lanczos, LanczosOptions, Status, dense_norms, singular_values};
use crate::weights::{Inputs, inputs};

/// When which method serves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureOptions {
    /// For matrices over `svd_limit`.
    pub lanczos: LanczosOptions,
    /// Dense SVD for Jacobians with at most this many rows and columns. Chosen by measurement
    /// (docs/performance.md): below it the whole spectrum costs less than a frame.
    pub svd_limit: usize,
    /// Frobenius, l_inf and l_1 norms for Jacobians with at most this many rows and columns.
    pub dense_limit: usize,
}

impl Default for MeasureOptions {
    fn default() -> Self {
        MeasureOptions { lanczos: LanczosOptions::default(), svd_limit: 128, dense_limit: 1024 }
    }
}

/// How a spectral norm was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// All singular values of the dense Jacobian: exact to rounding.
    DenseSvd,
    /// Golub-Kahan-Lanczos: a lower bound, as good as its residual says.
    Lanczos,
}

/// What a result is worth a word about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Warning {
    /// The step limit came before the tolerance.
    Unconverged {
        /// The residual reached.
        relative_residual: f64,
        /// The residual asked for.
        tolerance: f64,
    },
}

/// The result of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// ||J||_2, the local Lipschitz constant.
    pub spectral: f64,
    /// `None` above the dense limit.
    pub dense: Option<DenseNormValues>,
    /// All singular values, largest first; `None` above the SVD limit.
    pub singular_values: Option<Vec<f64>>,
    /// How.
    pub method: Method,
    /// Lanczos steps; 0 for a dense SVD.
    pub iterations: usize,
    /// |J^T u - s v| / s; 0 for a dense SVD.
    pub relative_residual: f64,
    /// Number of tokens.
    pub n: usize,
    /// Dimension of a token.
    pub d: usize,
    /// R of the bounds: largest token norm, or sqrt d under a normaliser.
    pub radius: f64,
    /// The bounds that apply.
    pub bounds: Vec<Bound>,
    /// What to know.
    pub warnings: Vec<Warning>,
}

/// The norms that need every entry of J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseNormValues {
    /// Root of the sum of squares.
    pub frobenius: f64,
    /// Largest absolute row sum.
    pub linf: f64,
    /// Largest absolute column sum.
    pub l1: f64,
}

/// Measures an experiment with the default options.
///
/// # Errors
/// [`InputError`].
pub fn measure(experiment: &Experiment) -> Result<Measurement, InputError> {
    measure_with(experiment, MeasureOptions::default())
}

/// Measures an experiment.
///
/// # Errors
/// [`InputError`].
pub fn measure_with(experiment: &Experiment, options: MeasureOptions) -> Result<Measurement, InputError> {
    let mut measuring = Measuring::start(experiment, options)?;
    loop {
        if let Step::Done(measurement) = measuring.step()? {
            return Ok(measurement);
        }
    }
}

/// A measurement under way.
#[derive(Clone, Debug)]
pub struct Measuring {
    options: MeasureOptions,
    inputs: Inputs,
    setting: Setting,
    operator: JacobianOperator<f64>,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
    Dense,
    Iterating(Lanczos),
    Finished,
}

/// What a step of a measurement leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// More steps are needed.
    Going {
        /// Lanczos steps so far.
        iterations: usize,
        /// The relative residual so far, where it is known.
        relative_residual: f64,
    },
    /// The result.
    Done(Measurement),
}

impl Measuring {
    /// Draws the inputs and runs the forward pass.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn start(experiment: &Experiment, options: MeasureOptions) -> Result<Self, InputError> {
        let inputs = inputs(experiment)?;
        let forward = Forward::new(experiment, &inputs)?;
        let largest_norm = inputs.tokens.column_iter().map(|token| token.norm()).fold(0.0, f64::max);
        let setting = Setting::new(experiment, &inputs.weights, forward.normalizer(), largest_norm);
        let operator = JacobianOperator::new(forward);
        Ok(Measuring { options, inputs, setting, operator, stage: Stage::Dense })
    }

    /// The tokens (d x n) and weights.
    #[must_use]
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The hypotheses and constants of the bounds.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The forward pass.
    #[must_use]
    pub fn forward(&self) -> &Forward<f64> {
        self.operator.forward()
    }

    /// One Lanczos step, or the dense work.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where the Jacobian leaves the range of f64.
    pub fn step(&mut self) -> Result<Step, InputError> {
        match std::mem::replace(&mut self.stage, Stage::Finished) {
            Stage::Dense => {
                let size = self.operator.n_inputs().max(self.operator.n_outputs());
                if size <= self.options.svd_limit {
                    let jacobian = dense_jacobian(self.operator.forward());
                    if let Some(values) = singular_values(&jacobian) {
                        return self.exact(&jacobian, values).map(Step::Done);
                    }
                }
                self.stage = Stage::Iterating(Lanczos::new(self.operator.n_inputs(), self.options.lanczos));
                Ok(Step::Going { iterations: 0, relative_residual: f64::INFINITY })
            }
            Stage::Iterating(mut lanczos) => match lanczos.step(&mut self.operator) {
                Status::Going { relative_residual, .. } => {
                    let iterations = lanczos.iterations();
                    self.stage = Stage::Iterating(lanczos);
                    Ok(Step::Going { iterations, relative_residual })
                }
                Status::Done => self.iterated(lanczos).map(Step::Done),
            },
            Stage::Finished => {
                // Asked again after the end: start over rather than panic.
                self.stage = Stage::Dense;
                Ok(Step::Going { iterations: 0, relative_residual: f64::INFINITY })
            }
        }
    }

    fn exact(&self, jacobian: &DMatrix<f64>, values: Vec<f64>) -> Result<Measurement, InputError> {
        let spectral = values.first().copied().unwrap_or(0.0);
        self.measurement(Method::DenseSvd, spectral, Some(dense_norms(jacobian)), Some(values), 0, 0.0)
    }

    fn iterated(&mut self, lanczos: Lanczos) -> Result<Measurement, InputError> {
        let triplet = lanczos.finish(&mut self.operator);
        let size = self.operator.n_inputs().max(self.operator.n_outputs());
        let dense = (size <= self.options.dense_limit).then(|| dense_norms(&dense_jacobian(self.operator.forward())));
        let residual = triplet.relative_residual;
        self.measurement(Method::Lanczos, triplet.value, dense, None, triplet.iterations, residual)
    }

    fn measurement(
        &self,
        method: Method,
        spectral: f64,
        dense: Option<DenseNorms>,
        singular_values: Option<Vec<f64>>,
        iterations: usize,
        relative_residual: f64,
    ) -> Result<Measurement, InputError> {
        let forward = self.operator.forward();
        let norms_are_finite = dense.is_none_or(|norms| (norms.frobenius + norms.linf + norms.l1).is_finite());
        if !spectral.is_finite() || !norms_are_finite {
            return Err(InputError::Overflow { what: "The entries of the Jacobian".into() });
        }
        let tolerance = self.options.lanczos.tolerance;
        // The residual of the vectors themselves has a floor of rounding that no iteration gets under.
        let is_unconverged = relative_residual.is_nan() || relative_residual > tolerance.max(1e-13) * 10.0;
        let warnings = if method == Method::Lanczos && is_unconverged {
            vec![Warning::Unconverged { relative_residual, tolerance }]
        } else {
            Vec::new()
        };
        Ok(Measurement {
            spectral,
            dense: dense.map(|DenseNorms { frobenius, linf, l1 }| DenseNormValues { frobenius, linf, l1 }),
            singular_values,
            method,
            iterations,
            relative_residual,
            n: forward.n(),
            d: forward.d(),
            radius: self.setting.radius,
            bounds: all_bounds(&self.setting),
            warnings,
        })
    }
}

impl Method {
    /// Its word in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Method::DenseSvd => "dense_svd",
            Method::Lanczos => "lanczos",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Unconverged { relative_residual, tolerance } => write!(
                f,
                "The iteration stopped at a relative residual of {relative_residual:.1e} before reaching \
                 {tolerance:.0e}: the norm is a lower bound."
            ),
        }
    }
}

impl Measurement {
    /// The result as the experiment file's document describes it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let bounds: Vec<Value> = self
            .bounds
            .iter()
            .map(|bound| {
                json!({
                    "id": bound.id.id(), "side": bound.side.id(), "norm": bound.norm.id(),
                    "value": bound.value, "log10": bound.log10.is_finite().then_some(bound.log10),
                })
            })
            .collect();
        let warnings: Vec<String> = self.warnings.iter().map(ToString::to_string).collect();
        json!({
            "spectral": self.spectral,
            "frobenius": self.dense.map(|norms| norms.frobenius),
            "linf": self.dense.map(|norms| norms.linf),
            "l1": self.dense.map(|norms| norms.l1),
            "singular_values": self.singular_values,
            "method": self.method.id(),
            "iterations": self.iterations,
            "relative_residual": self.relative_residual,
            "n": self.n,
            "d": self.d,
            "radius": self.radius,
            "bounds": bounds,
            "warnings": warnings,
        })
    }
}
