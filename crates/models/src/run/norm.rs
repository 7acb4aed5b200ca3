//! Computes ||J||_2 of a map with few and cheap products.
//!
//! Products in f32 take half the time and are accurate to seven digits, which suffices for an iteration that stops at a
//! residual of 3e-4, the default. So the iteration runs in f32, and value and residual of its vector are then computed
//! in f64: the value is a norm of J v, never above ||J||_2, with its true residual. If this residual is above the
//! tolerance, the iteration continues in f64.
//!
//! Where an upper number is asked for, all products are in f64, the start is uniform, and at most eleven steps follow those of
//! the norm (docs/numerics.md, "An upper number for every map").
//!
//! For attention alone, the start vector is the leading vector in the case that attention hardly varies: the vector
//! that O V stretches most, times the token profile that the mean of P stretches most, plus some noise in every
//! direction. For maps with a residual connection it is random.

use nalgebra::DMatrix;

use crate::parts::jacobian::MapJacobian;
use crate::parts::layer_map::LayerMap;
use lipscope_core::attention::Forward;
use lipscope_core::experiment::InputError;
use lipscope_core::jacobian::{LinearOperator, Single};
use lipscope_core::measure::UpperNumber;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::{
    Assurance, Failure, Lanczos, LanczosOptions, ProbableUpper, SingularTriplet, Status, largest_triplet,
};

/// With a tolerance of at least this, the iteration takes its products in f32 first; with a tighter one, the rounding
/// of f32 would dominate the residual.
const MAP_SINGLE_TOLERANCE: f64 = 2e-5;
/// Length of the random part of the start vector, relative to the rest.
const RANDOM_PART: f64 = 0.2;

/// The iteration for the leading singular triplet of the Jacobian of a map.
#[derive(Debug)]
pub(crate) struct NormIteration {
    iteration: Lanczos,
    options: LanczosOptions,
    /// The Jacobian in f32, while the iteration takes its products there.
    single: Option<Single<MapJacobian<f32>>>,
    /// The probability that the upper number fails, where one is wanted.
    failure: Option<Failure>,
    /// The triplet, while an upper number is sought.
    found: Option<SingularTriplet>,
}

/// What one step of a [`NormIteration`] finds.
pub(crate) enum NormStep {
    /// Steps so far, and the relative residual of the last check.
    Going(usize, f64),
    /// The triplet, with value and residual of products in f64, and the upper number, where one was asked for.
    Done(SingularTriplet, Option<ProbableUpper>),
}

impl NormIteration {
    /// Begins the iteration.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if numbers overflow in f32.
    pub(crate) fn new(
        map: &LayerMap,
        jacobian: &MapJacobian<f64>,
        (options, upper): (LanczosOptions, UpperNumber),
    ) -> Result<NormIteration, InputError> {
        // Without a run in f32, the vector is checked once and not twice: a step more costs nothing.
        let of_default = Assurance::default();
        let assurance = (upper == UpperNumber::Included)
            .then_some(Assurance { further_steps: of_default.further_steps + 1, ..of_default });
        let planned = map.value_direction().zip(jacobian.attention()).filter(|_| assurance.is_none());
        let iteration = match planned {
            Some((direction, forward)) => {
                Lanczos::from_vector(start(direction, &profile(forward), options.seed), options)
            }
            None => Lanczos::new(jacobian.n_inputs(), options).assured(assurance),
        };
        let is_single = options.tolerance >= MAP_SINGLE_TOLERANCE && assurance.is_none();
        let single = is_single.then(|| jacobian.single().map(Single::new)).transpose()?;
        let failure = assurance.map(|assurance| assurance.failure);
        Ok(NormIteration { iteration, options, single, failure, found: None })
    }

    /// Does one step: one product with J and one with J^T.
    pub(crate) fn step(&mut self, jacobian: &mut MapJacobian<f64>) -> NormStep {
        if let Some(found) = self.found.take() {
            return self.assure(found, jacobian);
        }
        let status = match &mut self.single {
            Some(single) => self.iteration.step(single),
            None => self.iteration.step(jacobian),
        };
        if let Status::Going { relative_residual, .. } = status {
            return NormStep::Going(self.iteration.iterations(), relative_residual);
        }
        let Some(mut single) = self.single.take() else {
            let found = self.iteration.finish(jacobian);
            return self.assure(found, jacobian);
        };
        let rough = self.iteration.finish(&mut single);
        let found = SingularTriplet::at(rough.right, rough.iterations, jacobian);
        if found.relative_residual <= self.options.tolerance {
            return NormStep::Done(found, None);
        }
        let (iterations, relative_residual) = (found.iterations, found.relative_residual);
        self.iteration = Lanczos::after(found, self.options);
        NormStep::Going(iterations, relative_residual)
    }

    /// One step towards an upper number, where one is wanted.
    fn assure(&mut self, found: SingularTriplet, jacobian: &mut MapJacobian<f64>) -> NormStep {
        if self.iteration.assure(jacobian) == Status::Done {
            let upper = self.failure.and_then(|failure| self.iteration.upper(failure));
            let upper = upper.map(|upper| upper.at_least(found.value));
            return NormStep::Done(found, upper);
        }
        let step = NormStep::Going(self.iteration.iterations(), found.relative_residual);
        self.found = Some(found);
        step
    }
}

/// The leading vector for a P that is constant and equal in all heads, plus noise.
fn start(direction: &[f64], profile: &[f64], seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed, Stream::StartVector);
    let noise = RANDOM_PART / ((profile.len() * direction.len()) as f64).sqrt();
    let entries = profile.iter().flat_map(|share| direction.iter().map(move |x| share * x));
    entries.map(|x| x + noise * random.normal()).collect()
}

/// The leading right singular vector of the mean over heads of P; for more than 256 tokens, the constant unit vector.
fn profile(forward: &Forward<f64>) -> Vec<f64> {
    /// Above this many tokens the dense decomposition would cost more than it saves.
    const MOST_TOKENS: usize = 256;
    let n = forward.n();
    let even = || vec![1.0 / (n as f64).sqrt(); n];
    if n > MOST_TOKENS {
        return even();
    }
    let mut mean = DMatrix::zeros(n, n);
    let mut buffer = forward.row_buffer();
    for head in 0..forward.n_heads() {
        for rows in forward.row_blocks() {
            let block = forward.rows_of_p(head, rows.clone(), &mut buffer);
            for (row, weights) in rows.clone().zip(block.weights.chunks(block.stride)) {
                for (column, weight) in weights.iter().enumerate() {
                    mean[(row, column)] += weight;
                }
            }
        }
    }
    largest_triplet(&mean).map_or_else(even, |triplet| triplet.right)
}
