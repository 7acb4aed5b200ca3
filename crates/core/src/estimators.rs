//! Compares estimators of ||J||_2 on one Jacobian: power iteration, Golub-Kahan-Lanczos and the dense SVD.
//!
//! Power iteration takes v <- J^T J v / |J^T J v|, and s_k^2 = |J v|^2 never decreases. It is often stopped when s_k^2
//! changes by at most a tolerance: the released script of \[C\] stops at |s_k^2 - s_(k-1)^2| <= 1e-4
//! (`adversarial_data/toolbox.py`, with s_0 = 0), which is too early if the norm itself is small. A change relative to
//! s_k^2 does not depend on the scale, but also stops too early if the leading values are close. Only the residual |J^T
//! u - s v|/s, with u = J v/s, bounds the distance to a singular value.
//!
//! Lanczos and power iteration start from the same vector, and one of their iterations costs one product with J and one
//! with J^T. The caller provides the clock.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::attention::Forward;
use crate::cost::{BASE, Cost, Shape, largest, parts, shape_of, sum};
use crate::experiment::{
    Distribution, Experiment, Head, InputError, Memory, Output, RandomTokens, RandomWeights, Rows, TokenSource,
    WeightSource,
};
use crate::jacobian::{JacobianOperator, LinearOperator, dense_jacobian};
use crate::measure::cost::checked_shape;
use crate::measure::{Grouping, MeasureOptions};
use crate::phrase;
use crate::spectral::{KEPT_PAIRS, Lanczos, LanczosOptions, PowerIteration, Status, singular_values};
use crate::spectrum::{ALL_UP_TO, TOLERANCE};
use crate::weights::{HeadWeights, inputs, weights_for};

/// Input of an estimator comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimatorPlan {
    /// The experiment whose Jacobian is used; at most [`ALL_UP_TO`] rows and columns.
    pub experiment: Experiment,
    /// Tolerance of both rules on the change of s^2: absolute, and relative to s^2.
    pub tolerance: f64,
}

/// The tolerance of the released script of \[C\].
pub const ESTIMATOR_TOLERANCE: f64 = 1e-4;
/// The most steps of power iteration.
pub const MOST_ITERATIONS: usize = 5000;

/// An estimator of ||J||_2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Estimator {
    /// All singular values of the dense matrix: exact to rounding.
    DenseSvd,
    /// Golub-Kahan-Lanczos.
    Lanczos,
    /// Power iteration on J^T J.
    Power,
}

/// A stopping rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Stop {
    /// s^2 changed by at most the tolerance.
    AbsoluteChange,
    /// s^2 changed by at most the tolerance times s^2.
    RelativeChange,
    /// The relative residual is at most [`TOLERANCE`]; at the end of Lanczos, where it is recomputed from the vectors,
    /// at most ten times as much.
    Residual,
    /// The iteration limit is reached.
    StepLimit,
}

/// One iteration of one estimator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimatorPoint {
    /// The estimator.
    pub estimator: Estimator,
    /// The number of the iteration, from 1; 0 for the dense SVD.
    pub iteration: usize,
    /// Products with J and J^T so far.
    pub products: usize,
    /// The estimate s.
    pub value: f64,
    /// |s - ||J||_2| / ||J||_2, with the norm from the dense SVD.
    pub error: f64,
    /// |J^T u - s v| / s; for Lanczos an estimate until the iteration ends.
    pub relative_residual: f64,
    /// The stopping rules first met at this iteration.
    pub stops: Vec<Stop>,
    /// Milliseconds since this estimator started, by the caller's clock.
    pub milliseconds: f64,
}

impl EstimatorPoint {
    /// Whether the residual is small enough to report the value as the norm; otherwise it is a lower bound.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        self.relative_residual <= 10.0 * TOLERANCE
    }
}

/// Runs the dense SVD, then Lanczos, then power iteration, one iteration per step.
#[derive(Clone, Debug)]
pub struct EstimatorComparison {
    operator: JacobianOperator<f64>,
    tolerance: f64,
    truth: f64,
    /// Milliseconds of the current estimator.
    milliseconds: f64,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
    Dense,
    Lanczos(Box<Lanczos>),
    Power { power: PowerIteration, before: f64, left: Vec<Stop> },
    Over,
}

impl EstimatorComparison {
    /// Draws the inputs and prepares the Jacobian, within the usual memory.
    ///
    /// # Errors
    /// [`InputError`] if J is too large for a dense SVD, the tolerance is not a positive number, or the tokens are a
    /// token measure.
    pub fn new(plan: &EstimatorPlan) -> Result<Self, InputError> {
        EstimatorComparison::new_within(plan, Memory::default())
    }

    /// As [`EstimatorComparison::new`], within a given memory.
    ///
    /// # Errors
    /// As [`EstimatorComparison::new`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn new_within(plan: &EstimatorPlan, memory: Memory) -> Result<Self, InputError> {
        let EstimatorPlan { experiment, tolerance } = plan;
        if !(tolerance.is_finite() && *tolerance > 0.0) {
            return Err(InputError::bad_value(
                phrase!("tolerance", "The tolerance"),
                tolerance.to_string(),
                phrase!("number_above_0", "a number above 0"),
            ));
        }
        if matches!(experiment.tokens, TokenSource::Clusters { .. }) {
            return Err(InputError::Conflict {
                what: "`tokens.source` = \"clusters\"".into(),
                problem: phrase!("not_list_tokens", "is not a list of tokens"),
                fix: phrase!("list_tokens_draw_them", "List the tokens, or draw them."),
            });
        }
        // First checks the limit of this comparison, which is far below the limit on the number of scores.
        let size = shape_of(experiment).side();
        if size > ALL_UP_TO as u64 {
            return Err(InputError::TooLarge {
                what: phrase!("number_tokens_times_their", "The number of tokens times their dimension"),
                found: size.to_string().into(),
                limit: phrase!(
                    "for_dense_svd_other",
                    "{limit}, for the dense SVD that the other estimators are compared with",
                    limit = ALL_UP_TO
                ),
                fix: phrase!("use_fewer_tokens", "Use fewer tokens."),
            });
        }
        let one_by_one = MeasureOptions { grouping: Grouping::Never, ..MeasureOptions::default() };
        let shape = checked_shape(experiment, &one_by_one)?;
        crate::cost::check(
            phrase!("comparison_estimators", "The comparison of estimators"),
            &shape,
            memory,
            cost_of_shape,
        )?;
        let inputs = inputs(experiment)?;
        let operator = JacobianOperator::new(Forward::new(experiment, &inputs)?);
        Ok(EstimatorComparison { operator, tolerance: *tolerance, truth: 0.0, milliseconds: 0.0, stage: Stage::Dense })
    }

    /// The next iteration; `None` at the end. `clock` returns milliseconds.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if the Jacobian overflows, [`InputError::Conflict`] if it is zero.
    pub fn step(&mut self, clock: impl Fn() -> f64) -> Result<Option<EstimatorPoint>, InputError> {
        let began = clock();
        let mut point = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Over => return Ok(None),
            Stage::Dense => self.dense()?,
            Stage::Lanczos(lanczos) => self.lanczos(*lanczos),
            Stage::Power { power, before, left } => self.power(power, before, left),
        };
        if !point.value.is_finite() {
            return Err(InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") });
        }
        self.milliseconds += clock() - began;
        point.milliseconds = self.milliseconds;
        let goes_on = match self.stage {
            Stage::Lanczos(_) => point.estimator == Estimator::Lanczos,
            Stage::Power { .. } => point.estimator == Estimator::Power,
            Stage::Dense | Stage::Over => false,
        };
        if !goes_on {
            self.milliseconds = 0.0;
        }
        Ok(Some(point))
    }

    /// The exact norm; the time includes forming the dense matrix.
    fn dense(&mut self) -> Result<EstimatorPoint, InputError> {
        let values = singular_values(&dense_jacobian(self.operator.forward()))
            .ok_or_else(|| InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") })?;
        self.truth = values.first().copied().unwrap_or(0.0);
        if self.truth == 0.0 {
            return Err(InputError::Conflict {
                what: phrase!("jacobian", "The Jacobian"),
                problem: phrase!("zero_these_tokens_so", "is zero at these tokens, so there is nothing to compare"),
                fix: phrase!("use_other_tokens_weights", "Use other tokens or weights."),
            });
        }
        let options = LanczosOptions { tolerance: TOLERANCE, ..LanczosOptions::default() };
        self.stage = Stage::Lanczos(Box::new(Lanczos::new(self.operator.n_inputs(), options).checked_always()));
        Ok(self.point(Estimator::DenseSvd, 0, self.truth, 0.0, Vec::new()))
    }

    fn lanczos(&mut self, mut lanczos: Lanczos) -> EstimatorPoint {
        let status = lanczos.step(&mut self.operator);
        let (iteration, (mut value, mut residual)) = (lanczos.iterations(), lanczos.estimate());
        let mut stops = Vec::new();
        if status == Status::Done {
            let triplet = lanczos.finish(&mut self.operator);
            (value, residual) = (triplet.value, triplet.relative_residual);
            stops.push(if residual <= 10.0 * TOLERANCE { Stop::Residual } else { Stop::StepLimit });
            let power = PowerIteration::new(self.operator.n_inputs(), LanczosOptions::default().seed);
            let left = vec![Stop::AbsoluteChange, Stop::RelativeChange, Stop::Residual];
            self.stage = Stage::Power { power, before: 0.0, left };
        } else {
            self.stage = Stage::Lanczos(Box::new(lanczos));
        }
        let mut point = self.point(Estimator::Lanczos, iteration, value, residual, stops);
        if status == Status::Done {
            // The final value is recomputed from its vectors, with two more products.
            point.products += 2;
        }
        point
    }

    fn power(&mut self, mut power: PowerIteration, before: f64, mut left: Vec<Stop>) -> EstimatorPoint {
        power.step(&mut self.operator);
        let (value, residual, iteration) = (power.value(), power.relative_residual(), power.iterations());
        let square = value * value;
        let change = (square - before).abs();
        let holds = |stop: &Stop| match stop {
            Stop::AbsoluteChange => change <= self.tolerance,
            Stop::RelativeChange => change <= self.tolerance * square,
            Stop::Residual => residual <= TOLERANCE,
            Stop::StepLimit => false,
        };
        let mut stops: Vec<Stop> = left.iter().copied().filter(holds).collect();
        left.retain(|stop| !stops.contains(stop));
        if !left.is_empty() && iteration >= MOST_ITERATIONS {
            stops.push(Stop::StepLimit);
        } else if !left.is_empty() {
            self.stage = Stage::Power { power, before: square, left };
        }
        self.point(Estimator::Power, iteration, value, residual, stops)
    }

    fn point(
        &self,
        estimator: Estimator,
        iteration: usize,
        value: f64,
        relative_residual: f64,
        stops: Vec<Stop>,
    ) -> EstimatorPoint {
        let error = (value - self.truth).abs() / self.truth;
        let products = 2 * iteration;
        EstimatorPoint { estimator, iteration, products, value, error, relative_residual, stops, milliseconds: 0.0 }
    }
}

impl EstimatorPlan {
    /// The memory and operations that the comparison takes.
    #[must_use]
    pub fn cost(&self) -> Cost {
        cost_of_shape(&shape_of(&self.experiment))
    }
}

fn cost_of_shape(shape: &Shape) -> Cost {
    let (inputs, forward, operator) = (parts::inputs(shape), parts::forward(shape), parts::operator(shape));
    let (dense, values) = (parts::dense(shape), parts::singular_values(shape.outputs(), shape.inputs()));
    let max_basis = LanczosOptions::default().max_basis as u64;
    let lanczos = parts::lanczos(shape.inputs(), shape.outputs(), max_basis, KEPT_PAIRS as u64);
    let system = sum([forward.kept, operator.kept]);
    let truth = sum([dense.kept, largest([dense.besides, values.peak()])]);
    let forward_peak = sum([inputs.kept, forward.peak()]);
    let peak = largest([inputs.peak(), forward_peak, sum([system, largest([truth, lanczos.peak()])])]);
    let iterations = sum([parts::default_products(operator), lanczos.operations]);
    let operations = [inputs.operations, forward.operations, dense.operations, values.operations, iterations];
    Cost::of_numbers(sum([BASE, peak]), sum(operations))
}

/// Prepared experiments to start a comparison from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// V scaled by 0.02: an absolute tolerance is large compared with s^2.
    SmallValues,
    /// The first two singular values are close.
    SmallGap,
    /// The first singular value is far above the second.
    Easy,
}

impl Preset {
    /// All presets, with their ids.
    pub const ALL: [(&'static str, Preset); 3] =
        [("small-values", Preset::SmallValues), ("small-gap", Preset::SmallGap), ("easy", Preset::Easy)];

    /// The experiment of the preset.
    #[must_use]
    pub fn experiment(self) -> Experiment {
        match self {
            Preset::SmallValues => {
                let drawn = drawn(SMALL_VALUES_SEED, WeightSource::Random(small_head(SMALL_VALUES_SEED)));
                let weights = weights_for(&drawn, DIM).ok().and_then(|weights| small_values(&weights.heads));
                Experiment { weights: weights.or(drawn.weights.clone()), ..drawn }
            }
            Preset::SmallGap => drawn(SMALL_GAP_SEED, WeightSource::Random(small_head(SMALL_GAP_SEED))),
            Preset::Easy => Experiment {
                tokens: TokenSource::Adversarial { n: 64, radius: 2.0 },
                ..drawn(0, WeightSource::Identity { sign: -1.0 })
            },
        }
    }
}

/// Tokens and dimension of the randomly drawn presets.
const TOKENS: usize = 12;
const DIM: usize = 8;
/// The factor on V in [`Preset::SmallValues`].
const SMALL: f64 = 0.02;
const SMALL_VALUES_SEED: u64 = 1;
const SMALL_GAP_SEED: u64 = 54;

fn small_head(seed: u64) -> RandomWeights {
    RandomWeights { heads: 1, kv_heads: 1, differential: None, head_dim: DIM, scale: 1.0, seed, output: Output::Absent }
}

fn drawn(seed: u64, weights: WeightSource) -> Experiment {
    let random = RandomTokens { distribution: Distribution::Gaussian, n: TOKENS, d: DIM, radius: 3.0, seed };
    Experiment::of(TokenSource::Random(random), weights)
}

/// The drawn heads, with V times [`SMALL`].
fn small_values(heads: &[HeadWeights]) -> Option<WeightSource> {
    let rows = |matrix: &DMatrix<f64>, scale: f64| {
        Rows::new(phrase!("weights", "the weights"), matrix.ncols(), (matrix.transpose() * scale).as_slice().to_vec())
            .ok()
    };
    let head = |head: &HeadWeights| {
        Some(Head { q: rows(&head.q, 1.0)?, k: rows(&head.k, 1.0)?, v: rows(&head.v, SMALL)?, second: None })
    };
    let heads = heads.iter().map(head).collect::<Option<Vec<Head>>>()?;
    Some(WeightSource::Explicit { heads, shared: Vec::new(), output: None })
}

impl Estimator {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl Stop {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}
