//! A measurement that runs in steps.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::iteration::{Assuring, Iteration, IterationStep, probable};
use super::leading::{SingularPair, images, singular_pair};
use super::limit::large_radius_limit;
use super::local::Local;
use super::options::{CLUSTER_SVD_LIMIT, QUICK_SVD_LIMIT, basis};
use super::system::{Matrix, System};
use super::upper::proved;
use super::{
    BlockNorms, DenseNormValues, Detail, FirstNormBy, MeasureOptions, Measurement, Method, Upper, UpperBy, UpperNumber,
    Warning,
};
use crate::attention::Forward;
use crate::bounds::{
    Bound, GENERAL, Hypotheses, LOCAL, LocalParts, MAX_TOKEN, Side, Witnesses, bounds_and_witnesses, bounds_at_tokens,
    radius_of_ball, slacks,
};
use crate::experiment::{Experiment, InputError, Scope};
use crate::extremum::{largest, maximum};
use crate::jacobian::{CausalRuns, ClusterJacobian, LinearOperator, dense_jacobian};
use crate::spectral::{
    DenseNorms, Lanczos, LanczosOptions, ProbableUpper, SingularTriplet, Status, dense_norms, largest_singular_value,
    max_token, singular_values,
};
use crate::weights::{Inputs, inputs};
use crate::{phrase, tokens};

/// The measurement under way.
#[derive(Clone, Debug)]
pub struct Measuring {
    experiment: Experiment,
    options: MeasureOptions,
    inputs: Inputs,
    hypotheses: Option<Hypotheses>,
    radius: f64,
    system: System,
    stage: Stage,
    /// The triplet found by an iteration over tokens, once it has ended.
    triplet: Option<SingularTriplet>,
}

#[derive(Clone, Debug)]
enum Stage {
    Begun,
    Iterating(Box<Iteration>),
    /// The norm is found; other norms and bounds are to come.
    Normed(Box<(SingularTriplet, Method, Option<Box<Assuring>>)>),
    /// An upper bound is sought.
    Assuring(Box<(SingularTriplet, Method, Box<Assuring>)>),
    Bounding(Box<(Norms, Local)>),
    Finished,
}

/// The norms of the Jacobian, before the bounds are computed.
#[derive(Clone, Debug)]
struct Norms {
    method: Method,
    spectral: f64,
    dense: Option<DenseNormValues>,
    singular_values: Option<Vec<f64>>,
    iterations: usize,
    relative_residual: f64,
    mean_field_limit: Option<f64>,
    probable: Vec<ProbableUpper>,
}

/// Result of one step of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// More steps are needed.
    Going {
        /// Lanczos steps so far.
        iterations: usize,
        /// The relative residual so far; infinite before the first check.
        relative_residual: f64,
    },
    /// The result.
    Done(Box<Measurement>),
}

/// The norm, before the rest of a measurement is there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstNorm {
    /// ||J||_2, to the tolerance of the iteration. The measurement has the same value, unless it has all singular values:
    /// it then takes the largest of them.
    pub value: f64,
    /// Whether the iteration has converged. Otherwise the value is a lower bound.
    pub is_converged: bool,
}

/// The attention of a measured experiment, in the form in which it was computed, for pictures.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// Token by token.
    Tokens(&'a Forward<f64>),
    /// Clusters, and for a list of tokens the cluster of each.
    Clusters(&'a ClusterJacobian, Option<&'a [u32]>),
    /// Runs of equal tokens with their lengths.
    Runs(&'a CausalRuns, &'a [usize]),
}

impl Measuring {
    /// Draws the inputs and runs the forward pass.
    ///
    /// # Errors
    /// [`InputError`] if the experiment cannot be measured, or the tolerance is too loose.
    pub fn start(experiment: &Experiment, options: MeasureOptions) -> Result<Self, InputError> {
        options.lanczos.check()?;
        let options = options.within(|options| super::cost::check(experiment, options))?;
        let inputs = inputs(experiment)?;
        let stated = tokens::radius_of(&experiment.tokens, &inputs.tokens);
        let stated = options.radius.filter(|radius| radius.is_finite()).map_or(stated, |radius| radius.max(stated));
        let system = System::new(experiment, &inputs, &options)?;
        let radius = radius_of_ball(experiment, inputs.tokens.nrows(), stated);
        let hypotheses = (options.detail == Detail::Full)
            .then(|| Hypotheses::new(experiment, &inputs.weights, system.normalizer(), stated, system.ln_n()));
        let experiment = experiment.clone();
        Ok(Measuring { experiment, options, inputs, hypotheses, radius, system, stage: Stage::Begun, triplet: None })
    }

    /// The experiment that is measured.
    #[must_use]
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The tokens (d x n; the positions of a token measure) and weights.
    #[must_use]
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The attention, for pictures.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match &self.system {
            System::Tokens(operator) => View::Tokens(operator.forward()),
            System::Clusters(clusters) => View::Clusters(&clusters.jacobian, clusters.membership.as_deref()),
            System::Runs(runs) => View::Runs(&runs.jacobian, &runs.lengths),
        }
    }

    /// The number of tokens.
    #[must_use]
    pub fn n(&self) -> f64 {
        self.system.n()
    }

    /// The distinct tokens (d x m) and ln of their multiplicities if equal tokens are grouped; for runs, in order.
    #[must_use]
    pub fn distinct(&self) -> Option<(&DMatrix<f64>, Vec<f64>)> {
        match &self.system {
            System::Tokens(_) => None,
            System::Clusters(clusters) => Some((&clusters.positions, clusters.jacobian.ln_sizes().to_vec())),
            System::Runs(runs) => {
                Some((&runs.positions, runs.lengths.iter().map(|length| (*length as f64).ln()).collect()))
            }
        }
    }

    /// The leading singular vectors of J, once the measurement has ended. `None` if J is zero, and for a token measure
    /// whose leading field sums to zero inside a cluster, so that it is not determined token by token. For a small
    /// Jacobian they are computed here.
    #[must_use]
    pub fn singular_pair(&self) -> Option<SingularPair> {
        singular_pair(&self.system, self.triplet.as_ref(), &self.options)
    }

    /// F(X) at the listed tokens, d_out x n.
    #[must_use]
    pub fn images(&self) -> DMatrix<f64> {
        images(&self.system, &self.inputs.weights)
    }

    /// The norm, between the step that has found it by an iteration and the next one: other norms, a dense SVD where
    /// [`FirstNormBy::Iteration`] asks for the norm before it, and the bounds take longer. `None` at all other times, and where it overflows.
    #[must_use]
    pub fn first_norm(&self) -> Option<FirstNorm> {
        let Stage::Normed(found) = &self.stage else { return None };
        let SingularTriplet { value, iterations, relative_residual, .. } = found.0;
        let is_converged = !self.is_unconverged(iterations, relative_residual);
        Some(FirstNorm { value, is_converged }).filter(|norm| norm.value.is_finite())
    }

    /// Whether an iteration has ended before its residual reached the tolerance.
    fn is_unconverged(&self, iterations: usize, relative_residual: f64) -> bool {
        // The residual computed from the vectors cannot fall below rounding error.
        let most = self.options.lanczos.tolerance.max(1e-13) * 10.0;
        iterations > 0 && (relative_residual.is_nan() || relative_residual > most)
    }

    /// Does one step: a Lanczos step, some rows of a bound, or a dense decomposition.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if the Jacobian overflows.
    pub fn step(&mut self) -> Result<Step, InputError> {
        let waiting = Step::Going { iterations: 0, relative_residual: f64::INFINITY };
        match std::mem::replace(&mut self.stage, Stage::Finished) {
            Stage::Begun => {
                if !self.is_iterated_first()
                    && let Some(norms) = self.at_once()?
                {
                    return self.then_bounds(norms);
                }
                let Measuring { system, options, .. } = self;
                let assurance = options.assurance();
                if let Some(iteration) =
                    Iteration::new(system, |n_inputs| lanczos_options(options, n_inputs), assurance)
                {
                    self.stage = Stage::Iterating(iteration);
                }
                Ok(waiting)
            }
            Stage::Iterating(iteration) => match iteration.step(&mut self.system) {
                Some(IterationStep::Going(iteration)) => {
                    let (iterations, relative_residual) = iteration.progress();
                    self.stage = Stage::Iterating(iteration);
                    Ok(Step::Going { iterations, relative_residual })
                }
                Some(IterationStep::Done(triplet, method, assuring)) => {
                    let SingularTriplet { iterations, relative_residual, .. } = triplet;
                    self.stage = Stage::Normed(Box::new((triplet, method, assuring)));
                    Ok(Step::Going { iterations, relative_residual })
                }
                None => Ok(waiting),
            },
            Stage::Normed(found) => {
                if let Some(norms) = self.at_once()? {
                    return self.then_bounds(norms);
                }
                let (triplet, method, assuring) = *found;
                let Some(assuring) = assuring else { return self.normed(triplet, method, Vec::new()) };
                let SingularTriplet { iterations, relative_residual, .. } = triplet;
                self.stage = Stage::Assuring(Box::new((triplet, method, assuring)));
                Ok(Step::Going { iterations, relative_residual })
            }
            Stage::Assuring(mut found) => {
                if found.2.step(&mut self.system) {
                    let (triplet, method, assuring) = *found;
                    return self.normed(triplet, method, assuring.finish());
                }
                let SingularTriplet { iterations, relative_residual, .. } = found.0;
                self.stage = Stage::Assuring(found);
                Ok(Step::Going { iterations, relative_residual })
            }
            Stage::Bounding(mut bounding) => {
                if !bounding.1.step(&self.system) {
                    let Norms { iterations, relative_residual, .. } = bounding.0;
                    self.stage = Stage::Bounding(bounding);
                    return Ok(Step::Going { iterations, relative_residual });
                }
                let (norms, local) = *bounding;
                Ok(Step::Done(Box::new(self.with_bounds(norms, local))))
            }
            Stage::Finished => {
                // Called after the end: starts over instead of panicking.
                self.stage = Stage::Begun;
                Ok(waiting)
            }
        }
    }

    /// Whether an iteration finds the norm, and a dense SVD then all singular values.
    fn is_iterated_first(&self) -> bool {
        match &self.system {
            System::Tokens(operator) if self.options.first_norm == FirstNormBy::Iteration => {
                operator.n_inputs().max(operator.n_outputs()) > QUICK_SVD_LIMIT
            }
            _ => false,
        }
    }

    /// The norms, if no iteration is needed for them.
    fn at_once(&mut self) -> Result<Option<Norms>, InputError> {
        match &self.system {
            System::Tokens(operator) => {
                let size = operator.n_inputs().max(operator.n_outputs());
                if size > self.options.svd_limit {
                    return Ok(None);
                }
                let jacobian = dense_jacobian(operator.forward());
                Ok(singular_values(&jacobian).map(|values| Norms {
                    method: Method::DenseSvd,
                    spectral: values.first().copied().unwrap_or(0.0),
                    dense: self.dense(&jacobian),
                    singular_values: Some(values),
                    iterations: 0,
                    relative_residual: 0.0,
                    mean_field_limit: None,
                    probable: Vec::new(),
                }))
            }
            System::Clusters(clusters) => {
                let jacobian = &clusters.jacobian;
                let between = jacobian.between();
                let within = largest(jacobian.within().flatten().map(largest_singular_value));
                let sums = (self.options.detail != Detail::NormOnly).then(|| jacobian.sums(&between));
                let mut probable = Vec::new();
                let (across, iterations, relative_residual) =
                    if between.nrows().max(between.ncols()) <= CLUSTER_SVD_LIMIT {
                        (largest_singular_value(&between), 0, 0.0)
                    } else {
                        let triplet;
                        (triplet, probable) = self.iterated_between(&mut Matrix(between));
                        (triplet.value, triplet.iterations, triplet.relative_residual)
                    };
                // Fields inside a cluster are known exactly.
                probable.iter_mut().for_each(|upper| *upper = upper.at_least(within));
                let limit = maximum(across, largest(jacobian.within_limit().map(largest_singular_value)));
                Ok(Some(Norms {
                    method: Method::Clusters,
                    spectral: maximum(across, within),
                    // Sums that overflow are omitted; the spectral norm remains.
                    dense: sums.filter(|sums| (sums.frobenius + sums.linf + sums.l1).is_finite()).map(|sums| {
                        DenseNormValues { frobenius: sums.frobenius, linf: sums.linf, l1: sums.l1, max_token: None }
                    }),
                    singular_values: None,
                    iterations,
                    relative_residual,
                    // With a sink, and with weights that know n, the weights change as the clusters grow.
                    mean_field_limit: (clusters.membership.is_none() && self.experiment.is_plain()).then_some(limit),
                    probable,
                }))
            }
            System::Runs(_) => Ok(None),
        }
    }

    /// The leading triplet between clusters, and the upper bounds that follow from its iteration.
    fn iterated_between(&self, between: &mut Matrix) -> (SingularTriplet, Vec<ProbableUpper>) {
        let assurance = self.options.assurance();
        let mut lanczos = Lanczos::new(between.n_inputs(), self.options.lanczos).assured(assurance);
        while let Status::Going { .. } = lanczos.step(between) {}
        let triplet = lanczos.finish(between);
        while let Status::Going { .. } = lanczos.assure(between) {}
        (triplet, assurance.map_or_else(Vec::new, |_| probable(&lanczos)))
    }

    /// Goes on to the bounds with the triplet of an iteration.
    fn normed(
        &mut self,
        triplet: SingularTriplet,
        method: Method,
        probable: Vec<ProbableUpper>,
    ) -> Result<Step, InputError> {
        let norms = Norms { probable, ..self.iterated(&triplet, method) };
        self.triplet = Some(triplet);
        self.then_bounds(norms)
    }

    fn iterated(&self, triplet: &SingularTriplet, method: Method) -> Norms {
        let dense = match &self.system {
            System::Tokens(operator) if operator.n_inputs().max(operator.n_outputs()) <= self.options.dense_limit => {
                self.dense(&dense_jacobian(operator.forward()))
            }
            _ => None,
        };
        Norms {
            method,
            spectral: triplet.value,
            dense,
            singular_values: None,
            iterations: triplet.iterations,
            relative_residual: triplet.relative_residual,
            mean_field_limit: None,
            probable: Vec::new(),
        }
    }

    fn dense(&self, jacobian: &DMatrix<f64>) -> Option<DenseNormValues> {
        (self.options.detail != Detail::NormOnly).then(|| {
            let DenseNorms { frobenius, linf, l1 } = dense_norms(jacobian);
            let shape = (self.inputs.weights.d_out(), self.inputs.tokens.nrows());
            let max_token = match self.options.block_norms {
                BlockNorms::Included => max_token(jacobian, shape),
                BlockNorms::Skipped => None,
            };
            DenseNormValues { frobenius, linf, l1, max_token }
        })
    }

    /// Checks the norms for overflow and goes on to the bounds, if they are requested.
    fn then_bounds(&mut self, norms: Norms) -> Result<Step, InputError> {
        let is_finite = norms.dense.is_none_or(|dense| (dense.frobenius + dense.linf + dense.l1).is_finite());
        if !norms.spectral.is_finite() || !is_finite {
            return Err(InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") });
        }
        let Some(hypotheses) = &self.hypotheses else {
            return Ok(Step::Done(Box::new(self.with_bounds(norms, Local::Absent))));
        };
        let local = Local::new(&self.system, &self.inputs.weights, hypotheses.combination);
        let Norms { iterations, relative_residual, .. } = norms;
        self.stage = Stage::Bounding(Box::new((norms, local)));
        Ok(Step::Going { iterations, relative_residual })
    }

    fn with_bounds(&self, norms: Norms, local: Local) -> Measurement {
        let Norms {
            method,
            spectral,
            mut dense,
            singular_values,
            iterations,
            relative_residual,
            mean_field_limit,
            mut probable,
        } = norms;
        let tolerance = self.options.lanczos.tolerance;
        let mut warnings = Vec::new();
        if self.is_unconverged(iterations, relative_residual) {
            warnings.push(Warning::Unconverged { relative_residual, tolerance });
        }
        let mut bounds = Vec::new();
        let mut local_parts: Option<LocalParts> = None;
        let mut bound_slacks = Vec::new();
        let mut witnesses = Witnesses::default();
        let mut absent = Vec::new();
        if let Some(hypotheses) = &self.hypotheses {
            (bounds, witnesses) = bounds_and_witnesses(hypotheses);
            for bound in bounds.iter_mut().filter(|bound| bound.side == Side::Upper) {
                *bound = bound.widened(self.rounding_of_norm());
            }
            local_parts = local.finish(hypotheses.combination);
            if let Some(parts) = &local_parts {
                for bound in bounds_at_tokens(parts, hypotheses.outer_factor) {
                    let at = bounds.iter().position(|bound| bound.side == Side::Lower).unwrap_or(bounds.len());
                    bounds.insert(at, bound);
                }
            }
            let of_tokens = local_parts.as_ref().map(|parts| self.moved(parts.token_rounding, parts.token));
            if let Some(dense) = &mut dense {
                // The norms of the blocks as computed are widened by what rounding may have moved them.
                let widened = |norm: f64| norm * (1.0 + self.rounding_of_norm()) + of_tokens.unwrap_or(f64::INFINITY);
                dense.max_token = dense.max_token.map(widened).filter(|norm| norm.is_finite());
            }
            if let Some(max_token) = dense.and_then(|dense| dense.max_token) {
                let at = bounds.iter().position(|bound| bound.side == Side::Lower).unwrap_or(bounds.len());
                bounds.insert(at, Bound::of_ln(&MAX_TOKEN, max_token.ln()));
            }
            absent = hypotheses.absences(&bounds);
            bound_slacks = slacks(hypotheses, &bounds, local_parts.as_ref(), spectral);
        }
        let moved = local_parts.as_ref().map(|parts| self.moved(parts.rounding, parts.value));
        warnings.extend(self.rounding(spectral, local_parts.as_ref(), moved));
        warnings.extend(self.small_eps(&bounds));
        // Without bounds at the tokens nothing is known about the rounding of the Jacobian, and no number is above its norm.
        let added = moved.unwrap_or(f64::INFINITY);
        // The value of the triplet's own products may round above that of the iteration.
        probable.iter_mut().for_each(|upper| *upper = upper.at_least(spectral).plus(added));
        probable.retain(|upper| upper.value.is_finite());
        let upper = match (self.options.upper, iterations) {
            (UpperNumber::Skipped, _) => None,
            (UpperNumber::Included, 0) => {
                let value = spectral * (1.0 + self.rounding_of_norm()) + added;
                value.is_finite().then_some(Upper { value, failure: 0.0, by: UpperBy::Exact })
            }
            (UpperNumber::Included, _) => Upper::smallest(probable.first().copied(), proved(&bounds)),
        };
        Measurement {
            spectral,
            upper,
            probable,
            dense,
            singular_values,
            method,
            iterations,
            relative_residual,
            n: self.system.n(),
            d: self.inputs.tokens.nrows(),
            radius: self.radius,
            bounds,
            slacks: bound_slacks,
            absent,
            witnesses,
            // Of two maps that are subtracted, the bounds know the sum of what they send.
            largest_column_sum: local_parts
                .filter(|_| self.inputs.weights.heads.iter().all(|head| head.second.is_none()))
                .map(|parts| parts.largest_column_sum),
            large_radius_limit: match self.options.detail {
                Detail::Full => large_radius_limit(&self.experiment, &self.inputs),
                Detail::Norms | Detail::NormOnly => None,
            },
            mean_field_limit,
            warnings,
        }
    }
}

impl Measuring {
    /// How far the computed norm may be above the true one, relative to it: the rounding of sums over tokens and
    /// dimensions of numbers that do not cancel (docs/numerics.md, "Rounding of bounds on the ball").
    fn rounding_of_norm(&self) -> f64 {
        let n = match &self.system {
            System::Clusters(clusters) => clusters.positions.ncols() as f64,
            System::Tokens(_) | System::Runs(_) => self.system.n(),
        };
        32.0 * f64::EPSILON * (n + (self.inputs.tokens.nrows() + 32) as f64)
    }

    /// A word about eps of normalised queries and keys, where it makes the bound on the ball far larger than that at the
    /// tokens.
    fn small_eps(&self, bounds: &[Bound]) -> Option<Warning> {
        let eps = self.experiment.vector_norm()?.eps;
        let log10 = |id| bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10);
        let log10_ratio = log10(&GENERAL)? - log10(&LOCAL)?;
        let attention = self.experiment.attention;
        let is_large = log10_ratio.is_finite() && log10_ratio > Warning::MOST_LOG10_RATIO;
        is_large.then_some(Warning::SmallEps { attention, eps, log10_ratio })
    }

    /// How far the Jacobian as computed may be from the exact one, in the norm of which the bound at the tokens and the rounding
    /// of attention are (docs/numerics.md, "Rounding"). In scope `composed` the normaliser's Jacobian is off too, by a few
    /// times what its outputs are.
    fn moved(&self, rounding: f64, bound: f64) -> f64 {
        let of_slopes = match self.experiment.scope() {
            Scope::Composed => 4.0 * self.system.normalizer().rounding() * bound,
            Scope::Inputs => 0.0,
        };
        self.outer_factor() * (rounding + of_slopes)
    }

    /// An upper bound on the norm of the Jacobian of the normaliser, where it belongs to the map; exactly zero where the
    /// normaliser is constant.
    fn outer_factor(&self) -> f64 {
        if self.experiment.scope() == Scope::Composed && self.system.normalizer().is_constant() {
            return 0.0;
        }
        self.hypotheses.as_ref().map_or(1.0, |hypotheses| hypotheses.outer_factor)
    }

    /// The change of the norm by rounding, where that is large enough to report. That of the input's numbers comes from
    /// attention, whose part comes with the bound `local`, and from the normaliser. That of the computation is bounded by
    /// `moved`, mostly hundreds of times what it is; it is reported where even a part of it counts.
    fn rounding(&self, spectral: f64, local: Option<&LocalParts>, moved: Option<f64>) -> Option<Warning> {
        let of_attention = local.map_or(0.0, |parts| parts.of_input);
        // Both the normalised token and the slope change by this.
        let of_normalizer = 2.0 * f64::EPSILON * self.system.normalizer().condition();
        // A norm of zero has no digits: it is uncertain where rounding may move it at all.
        let relative = |change: f64| if change == 0.0 { 0.0 } else { change / spectral };
        let of_input = of_normalizer + relative(of_attention * self.outer_factor());
        let of_arithmetic = relative(moved.unwrap_or(0.0));
        let has_differences = self.inputs.weights.heads.iter().any(|head| head.second.is_some());
        let probable = of_arithmetic / if has_differences { PESSIMISM_OF_DIFFERENCES } else { PESSIMISM };
        let is_of_input = of_input > probable;
        let largest = if is_of_input { of_input + probable } else { of_arithmetic };
        let is_little = probable <= Warning::LEAST_ROUNDING;
        let is_reported = !is_little || is_of_input && of_input > Warning::LEAST_ROUNDING;
        // To first order; near one no digit is left.
        let relative = if largest < MOST_RELATIVE { largest } else { f64::MAX };
        is_reported.then_some(Warning::Rounding { relative })
    }
}

/// How many times the rounding of a computation its bound mostly is.
const PESSIMISM: f64 = 128.0;
/// The same where two maps are subtracted: what is left of maps that cancel has the rounding of both.
const PESSIMISM_OF_DIFFERENCES: f64 = 32.0;
/// Above this relative change of the norm no digit of it is certain.
const MOST_RELATIVE: f64 = 1.0 / 16.0;

fn lanczos_options(options: &MeasureOptions, n_inputs: usize) -> LanczosOptions {
    LanczosOptions { max_basis: basis(n_inputs as u64, options.lanczos.max_basis), ..options.lanczos }
}
