//! Computes a spectrum in steps.

use nalgebra::DMatrix;

use super::cost::{MOST_TOKENS_OF_BLOCKS, basis};
use super::pair::{BlockSearch, pair};
use super::{ALL_UP_TO, Coverage, Level, MOST_COUNT, Spectrum, SpectrumMap, SpectrumPlan, TOLERANCE, clusters, cost};
use crate::attention::Forward;
use crate::experiment::{Experiment, InputError, Memory};
use crate::jacobian::{LinearOperator, WithResidual, dense_jacobian};
use crate::measure::cost::checked_shape;
use crate::measure::{Matrix, Method, System};
use crate::phrase;
use crate::spectral::{Lanczos, LanczosOptions, Leading, SingularTriplet, Status, singular_values, zero_below};
use crate::weights::{Inputs, inputs};

/// The spectrum under way.
#[derive(Clone, Debug)]
pub struct Finding {
    experiment: Experiment,
    inputs: Inputs,
    system: System,
    count: usize,
    map: SpectrumMap,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
    Begun,
    Iterating(Box<Leading>),
    Searching { spectrum: Box<Spectrum>, forward: Option<Box<Forward<f64>>>, search: Box<BlockSearch> },
    Finished,
}

/// Result of one step of the computation.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// More steps are needed.
    Going {
        /// Steps of the iteration so far.
        iterations: usize,
        /// The estimated relative residual of the largest value.
        relative_residual: f64,
    },
    /// The finished spectrum.
    Done(Box<Spectrum>),
}

/// The singular values of J, and the tokens of its leading pair: all values up to [`ALL_UP_TO`] rows and columns, else the
/// leading ones of the plan, each with its residual.
///
/// # Errors
/// [`InputError`] if the experiment cannot be measured, if the count is out of range, and if the Jacobian overflows.
pub fn spectrum(plan: &SpectrumPlan) -> Result<Spectrum, InputError> {
    let mut finding = Finding::start(plan)?;
    loop {
        if let Step::Done(spectrum) = finding.step()? {
            return Ok(*spectrum);
        }
    }
}

/// The most numbers in one of the two bases of an iteration: 84 MB.
const MOST_IN_BASIS: usize = 40 << 18;
/// Vectors of a basis in addition to those of the leading values.
const BESIDES: usize = 20;
/// The most steps.
const MOST_STEPS: usize = 3000;

impl Finding {
    /// Draws the inputs and runs the forward pass, within the usual memory.
    ///
    /// # Errors
    /// [`InputError`] if the experiment cannot be measured or the count is out of range.
    pub fn start(plan: &SpectrumPlan) -> Result<Self, InputError> {
        Finding::start_within(plan, Memory::default())
    }

    /// As [`Finding::start`], within a given memory.
    ///
    /// # Errors
    /// As [`Finding::start`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn start_within(plan: &SpectrumPlan, memory: Memory) -> Result<Self, InputError> {
        let SpectrumPlan { experiment, count, map } = plan;
        if !(1..=MOST_COUNT).contains(count) {
            let expected = phrase!("whole_number_from_1", "a whole number from 1 to {most}", most = MOST_COUNT);
            return Err(InputError::bad_value(
                phrase!("singular_value_count", "The number of singular values"),
                count.to_string(),
                expected,
            ));
        }
        let options = cost::options();
        let shape = checked_shape(experiment, &options)?;
        crate::cost::check(phrase!("spectrum", "The spectrum"), &shape, memory, |shape| cost::of_shape(shape, *count))?;
        let inputs = inputs(experiment)?;
        map.check(&inputs)?;
        let mut system = System::new(experiment, &inputs, &options)?;
        if let (SpectrumMap::AttentionResidual, System::Clusters(clusters)) = (*map, &mut system) {
            clusters.jacobian.add_residual();
        }
        if let Some((operator, _)) = system.operator() {
            let numbers = operator.n_inputs().max(operator.n_outputs());
            let most = MOST_IN_BASIS / (count + BESIDES);
            if numbers > most {
                return Err(InputError::TooLarge {
                    what: phrase!("number_tokens_times_their", "The number of tokens times their dimension"),
                    found: numbers.to_string().into(),
                    limit: phrase!(
                        "for_singular_values",
                        "{limit} for {count} singular values",
                        limit = most,
                        count = *count
                    ),
                    fix: phrase!("use_fewer_tokens_ask", "Use fewer tokens, or ask for fewer values."),
                });
            }
        }
        Ok(Finding { experiment: experiment.clone(), inputs, system, count: *count, map: *map, stage: Stage::Begun })
    }

    /// Does one step: a step of an iteration, some rows of blocks, or a dense decomposition.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if the Jacobian overflows.
    pub fn step(&mut self) -> Result<Step, InputError> {
        match std::mem::replace(&mut self.stage, Stage::Finished) {
            Stage::Begun => self.begin(),
            Stage::Iterating(mut leading) => {
                let Some((operator, method)) = self.system.operator() else { return Ok(waiting()) };
                let status = match self.map {
                    SpectrumMap::Attention => leading.step(operator),
                    SpectrumMap::AttentionResidual => leading.step(&mut WithResidual(operator)),
                };
                if let Status::Going { relative_residual, .. } = status {
                    let iterations = leading.iterations();
                    self.stage = Stage::Iterating(leading);
                    return Ok(Step::Going { iterations, relative_residual });
                }
                let size = operator.n_inputs().min(operator.n_outputs());
                let zero = zero_below(operator.n_inputs(), operator.n_outputs());
                let iterations = leading.iterations();
                let mut triplets = leading.finish();
                let levels: Vec<Level> = triplets.iter().map(level).collect();
                finite(&levels)?;
                let found_all = levels.len() < self.count || levels.len() == size;
                let spectrum = Spectrum {
                    method,
                    coverage: if found_all { Coverage::All } else { Coverage::Leading },
                    size: size as f64,
                    zero_below: zero * levels.first().map_or(0.0, |first| first.value),
                    levels,
                    iterations,
                    top: None,
                };
                triplets.truncate(1);
                self.then_blocks(spectrum, triplets.pop())
            }
            Stage::Searching { mut spectrum, forward, mut search } => {
                let at = match (&forward, &self.system) {
                    (Some(forward), _) => forward,
                    (None, System::Tokens(operator)) => operator.forward(),
                    (None, _) => return Ok(Step::Done(spectrum)),
                };
                let Some(block) = search.step(at) else {
                    let iterations = spectrum.iterations;
                    self.stage = Stage::Searching { spectrum, forward, search };
                    return Ok(Step::Going { iterations, relative_residual: 0.0 });
                };
                if let Some(top) = &mut spectrum.top {
                    top.block = Some(block);
                }
                Ok(Step::Done(spectrum))
            }
            Stage::Finished => {
                // Called after the end: starts over instead of panicking.
                self.stage = Stage::Begun;
                Ok(waiting())
            }
        }
    }

    /// The values found so far by an iteration, each a lower bound; `None` if no iteration is running.
    #[must_use]
    pub fn so_far(&mut self) -> Option<Spectrum> {
        let Stage::Iterating(leading) = &self.stage else { return None };
        let levels = leading.values().into_iter();
        let levels: Vec<Level> =
            levels.map(|value| Level { value, multiplicity: 1.0, relative_residual: None }).collect();
        let iterations = leading.iterations();
        let size = self.size();
        let (_, method) = self.system.operator()?;
        Some(Spectrum { method, levels, coverage: Coverage::Leading, size, zero_below: 0.0, iterations, top: None })
    }

    /// Number of singular values of J.
    #[must_use]
    pub fn size(&self) -> f64 {
        let d = self.inputs.tokens.nrows().min(self.inputs.weights.d_out());
        self.system.n() * d as f64
    }

    fn begin(&mut self) -> Result<Step, InputError> {
        if let System::Clusters(_) = &self.system {
            return self.of_clusters().map(|spectrum| Step::Done(Box::new(spectrum)));
        }
        if let System::Tokens(operator) = &self.system
            && operator.n_inputs().max(operator.n_outputs()) <= ALL_UP_TO
        {
            let mut jacobian = dense_jacobian(operator.forward());
            if self.map == SpectrumMap::AttentionResidual {
                jacobian += DMatrix::identity(jacobian.nrows(), jacobian.ncols());
            }
            let (spectrum, triplet) = all_of(jacobian, Method::DenseSvd)?;
            return self.then_blocks(spectrum, triplet);
        }
        if let Some((operator, _)) = self.system.operator() {
            let leading = Leading::new(operator.n_inputs(), self.count, options(operator.n_inputs()));
            self.stage = Stage::Iterating(Box::new(leading));
        }
        Ok(waiting())
    }

    /// Computes the energies of the leading pair, and goes on to its blocks unless there are too many.
    fn then_blocks(&mut self, mut spectrum: Spectrum, triplet: Option<SingularTriplet>) -> Result<Step, InputError> {
        let Some(triplet) = triplet.filter(|triplet| triplet.value > 0.0) else {
            return Ok(Step::Done(Box::new(spectrum)));
        };
        let n = self.system.n() as usize;
        spectrum.top = Some(pair(&triplet, n));
        let forward = match &self.system {
            System::Runs(_) if n <= MOST_TOKENS_OF_BLOCKS => {
                Some(Box::new(Forward::new(&self.experiment, &self.inputs)?))
            }
            _ => None,
        };
        let at = match (&forward, &self.system) {
            (Some(forward), _) => forward,
            (None, System::Tokens(operator)) => operator.forward(),
            (None, _) => return Ok(Step::Done(Box::new(spectrum))),
        };
        let search = Box::new(BlockSearch::new(at, triplet, self.map));
        let iterations = spectrum.iterations;
        self.stage = Stage::Searching { spectrum: Box::new(spectrum), forward, search };
        Ok(Step::Going { iterations, relative_residual: 0.0 })
    }

    /// The spectrum at a token measure.
    fn of_clusters(&self) -> Result<Spectrum, InputError> {
        let System::Clusters(clusters) = &self.system else {
            return Err(InputError::Overflow { what: phrase!("token_measure", "The token measure") });
        };
        let jacobian = &clusters.jacobian;
        let between = jacobian.between();
        let (mut spectrum, triplet) = if between.nrows().max(between.ncols()) <= ALL_UP_TO {
            all_of(between.clone(), Method::Clusters)?
        } else {
            let mut matrix = Matrix(between.clone());
            let mut leading = Leading::new(between.ncols(), self.count, options(between.ncols()));
            while let Status::Going { .. } = leading.step(&mut matrix) {}
            let iterations = leading.iterations();
            let triplets = leading.finish();
            let levels: Vec<Level> = triplets.iter().map(level).collect();
            finite(&levels)?;
            let spectrum = Spectrum {
                method: Method::Clusters,
                coverage: Coverage::Leading,
                size: 0.0,
                zero_below: 0.0,
                levels,
                iterations,
                top: None,
            };
            (spectrum, triplets.into_iter().next())
        };
        let m = jacobian.ln_sizes().len();
        let clusters::Within { levels: within, largest } = clusters::within(jacobian).ok_or_else(overflow)?;
        // Values below the last one found on cluster-constant fields are omitted: others of that size may be missing.
        let least = match spectrum.coverage {
            Coverage::All => 0.0,
            Coverage::Leading => spectrum.levels.last().map_or(0.0, |last| last.value),
        };
        let first_between = spectrum.levels.first().map_or(0.0, |first| first.value);
        spectrum.levels.extend(within.into_iter().filter(|level| level.value >= least));
        spectrum.levels.sort_by(|a, b| b.value.total_cmp(&a.value));
        spectrum.size = self.size();
        let first = spectrum.levels.first().map_or(0.0, |first| first.value);
        spectrum.zero_below = zero_below(between.nrows(), between.ncols()) * first;
        spectrum.top = match (largest, triplet) {
            (Some((value, place)), _) if value > first_between => Some(clusters::pair_within(m, place, value)),
            (_, Some(triplet)) if triplet.value > 0.0 => Some(clusters::pair_between(jacobian, &between, &triplet)),
            _ => None,
        };
        Ok(spectrum)
    }
}

fn waiting() -> Step {
    Step::Going { iterations: 0, relative_residual: f64::INFINITY }
}

fn level(triplet: &SingularTriplet) -> Level {
    Level { value: triplet.value, multiplicity: 1.0, relative_residual: Some(triplet.relative_residual) }
}

fn options(n_inputs: usize) -> LanczosOptions {
    let max_basis = basis(n_inputs as u64);
    LanczosOptions { tolerance: TOLERANCE, max_iterations: MOST_STEPS, max_basis, ..LanczosOptions::default() }
}

fn finite(levels: &[Level]) -> Result<(), InputError> {
    let is_finite = |level: &Level| level.value.is_finite() && level.relative_residual.is_none_or(f64::is_finite);
    match levels.iter().all(is_finite) {
        true => Ok(()),
        false => Err(overflow()),
    }
}

fn overflow() -> InputError {
    InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") }
}

/// All singular values of a matrix, and the leading triplet.
fn all_of(matrix: DMatrix<f64>, method: Method) -> Result<(Spectrum, Option<SingularTriplet>), InputError> {
    let values = singular_values(&matrix).ok_or_else(overflow)?;
    let (n_rows, n_columns) = matrix.shape();
    let first = values.first().copied().unwrap_or(0.0);
    let level = |value| Level { value, multiplicity: 1.0, relative_residual: Some(0.0) };
    let spectrum = Spectrum {
        method,
        coverage: Coverage::All,
        size: n_rows.min(n_columns) as f64,
        zero_below: zero_below(n_rows, n_columns) * first,
        levels: values.into_iter().map(level).collect(),
        iterations: 0,
        top: None,
    };
    let triplet = (first > 0.0).then(|| Lanczos::new(n_columns, LanczosOptions::default()).run(&mut Matrix(matrix)));
    Ok((spectrum, triplet))
}
