//! Computes how far a local bound holds: for each eps, an upper bound on the norm at all tokens within eps of an
//! experiment's tokens. Beside it stand the local bound, the bound on the ball, and the largest norm that a search
//! within eps finds.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::attention::Normalizer;
use crate::bounds::{BoundId, Domain, Hypotheses, LOCAL, LOCAL_BLOCKS, Neighbourhood, Norm, Side, all_bounds};
use crate::cost::{self, BASE, Cost, parts, shape_of, sum};
use crate::experiment::{Experiment, InputError, Memory, TokenSource};
use crate::inverse::Places;
use crate::measure::{MeasureOptions, measure_with};
use crate::phrase;
use crate::search::{ExperimentAttention, NearbyEffort, NearbySearches, cost_of_shape};
use crate::tokens;
use crate::weights::{Inputs, check_sizes, inputs};

/// Input of a certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifyPlan {
    /// Dot-product attention at a list of tokens, without a normaliser.
    pub experiment: Experiment,
    /// The values of eps, in units of R ([`Certified::radius`]).
    pub relative: Vec<f64>,
    /// How long the search within each eps is.
    pub effort: NearbyEffort,
}

impl CertifyPlan {
    /// A certificate for these values of eps/R, with a search of the usual effort within each: 3 restarts of at most 40
    /// iterations.
    #[must_use]
    pub fn of(experiment: Experiment, relative: Vec<f64>) -> Self {
        CertifyPlan { experiment, relative, effort: NearbyEffort::DEFAULT }
    }
}

/// The bounds and the largest norm found within one eps of the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedRow {
    /// eps/R.
    pub relative: f64,
    /// eps.
    pub epsilon: f64,
    /// Upper bound on ||J|| at all tokens within eps.
    pub certified: f64,
    /// Upper bound at the tokens themselves: the smaller of `local` and `local_blocks`.
    pub local: f64,
    /// The best upper bound on the ball of radius R + eps, which holds all tokens within eps.
    pub ball: f64,
    /// The largest norm known within eps: a lower bound. Until a search has found a larger one, the norm at the tokens
    /// themselves.
    pub found: f64,
}

/// The result of a certificate: the norm at the tokens, and a row for each eps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certified {
    /// R of the ball that holds the tokens: the radius that their source states, or the largest norm of listed tokens.
    pub radius: f64,
    /// ||J|| at the tokens themselves.
    pub spectral: f64,
    /// Whether the iteration for `spectral` converged; otherwise `spectral` is a lower bound.
    pub is_converged: bool,
    /// A row for each eps, in the order of the plan.
    pub rows: Vec<CertifiedRow>,
    /// For each row the tokens that reach its `found`; empty unless d = 2 and there are at most [`MOST_PLACES`] tokens.
    #[doc(hidden)]
    pub places: Vec<Places>,
}

/// The most tokens whose places are returned: more arrows than this cannot be told apart.
pub const MOST_PLACES: usize = 256;

/// A certificate under way: the bounds at each eps, then the search within each.
#[derive(Clone, Debug)]
pub struct Certificate {
    experiment: Experiment,
    relative: Vec<f64>,
    inputs: Inputs,
    neighbourhood: Neighbourhood,
    hypotheses: Hypotheses,
    local: f64,
    certified: Certified,
    searches: NearbySearches,
}

impl Certificate {
    /// Measures the tokens themselves and prepares the bounds.
    ///
    /// # Errors
    /// [`InputError`] for token measures, L2 attention and normalisers, for an eps that is negative or not finite, and
    /// [`InputError::TooCostly`] before anything is drawn.
    pub fn start_within(plan: &CertifyPlan, memory: Memory) -> Result<Self, InputError> {
        let CertifyPlan { experiment, relative, effort } = plan;
        check(plan, memory)?;
        let found = measure_with(experiment, MeasureOptions { memory, ..MeasureOptions::default() })?;
        let inputs = inputs(experiment)?;
        let neighbourhood = Neighbourhood::new(experiment, &inputs)?;
        let is_local = |id: BoundId| [&LOCAL, &LOCAL_BLOCKS].contains(&id);
        let local = found.bounds.iter().filter(|bound| is_local(bound.id)).filter_map(|bound| bound.value);
        let radius = tokens::radius_of(&experiment.tokens, &inputs.tokens);
        let normalizer = Normalizer::new(experiment.normalization, experiment.eps, &inputs.tokens)?;
        let ln_n = (inputs.tokens.ncols() as f64).ln();
        Ok(Certificate {
            hypotheses: Hypotheses::new(experiment, &inputs.weights, &normalizer, radius, ln_n),
            local: local.fold(f64::INFINITY, f64::min),
            certified: Certified {
                radius,
                spectral: found.spectral,
                is_converged: found.is_converged(),
                rows: Vec::with_capacity(relative.len()),
                places: Vec::with_capacity(relative.len()),
            },
            experiment: experiment.clone(),
            relative: relative.clone(),
            neighbourhood,
            searches: NearbySearches::new(&inputs.tokens, *effort),
            inputs,
        })
    }

    /// The rows so far; a row whose search is not over may have a smaller `found` than at the end.
    #[must_use]
    pub fn so_far(&self) -> &Certified {
        &self.certified
    }

    /// The number of values of eps whose search is over, and the number of all values.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.searches.over(), self.relative.len())
    }

    /// Computes the bounds at one eps, or one step of a search; `false` at the end.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow at a start of a search.
    pub fn step(&mut self) -> Result<bool, InputError> {
        let rows = &mut self.certified.rows;
        if let Some(relative) = self.relative.get(rows.len()) {
            let epsilon = relative * self.certified.radius;
            rows.push(CertifiedRow {
                relative: *relative,
                epsilon,
                certified: self.neighbourhood.certified(epsilon),
                local: self.local,
                ball: on_ball(&self.hypotheses, self.certified.radius + epsilon),
                found: self.certified.spectral,
            });
            self.certified.places.push(places_of(&self.inputs.tokens));
            return Ok(true);
        }
        let Some(eps) = rows.get(self.searches.over()).map(|row| row.epsilon) else { return Ok(false) };
        let attention = ExperimentAttention { experiment: &self.experiment, inputs: &self.inputs };
        self.searches.step(eps, &attention, &self.inputs.tokens)?;
        if let Some((tokens, norm)) = self.searches.best() {
            // Tokens within eps are within every larger eps too.
            let places = places_of(tokens);
            for (row, known) in rows.iter_mut().zip(&mut self.certified.places) {
                if row.epsilon >= eps && row.found < norm {
                    row.found = norm;
                    known.clone_from(&places);
                }
            }
        }
        Ok(true)
    }
}

/// For each eps of the plan an upper bound on ||J|| at **all** tokens within eps of the experiment's: |x'_i - x_i| <= eps
/// for every i. So no two inputs there have outputs further apart than `certified` times their own distance.
///
/// With y_i = A x_i, P and m_i = sum_j P_ij x_j at the experiment's tokens, v = ||V|| and
///
/// - d_ij = eps |y_i| + eps |A^T (x_j - m_i)| + eps^2 ||A||,
/// - U_ij = P_ij e^d_ij / (P_ij e^d_ij + sum_(l != j) P_il e^-d_il), never below the weight at any tokens within eps,
/// - C_i = sum_j U_ij (x_j - m_i)(x_j - m_i)^T,
/// - s_i = ||V C_i V^T||^(1/2) + eps v and g_i = ||A^T C_i A||^(1/2) + eps ||A||,
///
/// the bound is max_i s_i g_i + sqrt(max_j sum_i U_ij (v^2 + (|y_i| + eps ||A||)^2 s_i^2)). Dot-product attention, no mask
/// or the causal one, without a normaliser, every n. Source: ours; the proof is in docs/theory.md, section 2,
/// `certified(eps)`.
///
/// # Errors
/// As [`Certificate::start_within`] and [`Certificate::step`].
pub fn certify(plan: &CertifyPlan) -> Result<Certified, InputError> {
    certify_within(plan, Memory::default())
}

/// As [`certify`], within a given memory.
///
/// # Errors
/// As [`certify`]; [`InputError::TooCostly`] before anything is drawn.
pub fn certify_within(plan: &CertifyPlan, memory: Memory) -> Result<Certified, InputError> {
    let mut certificate = Certificate::start_within(plan, memory)?;
    while certificate.step()? {}
    Ok(certificate.certified)
}

/// Refuses an eps over R that is no number from 0 on.
///
/// # Errors
/// [`InputError::BadValue`].
pub fn check_relative(relative: &[f64]) -> Result<(), InputError> {
    let wrong = relative.iter().find(|eps| !(eps.is_finite() && **eps >= 0.0));
    wrong.map_or(Ok(()), |wrong| {
        Err(InputError::bad_value(
            "epsilon",
            wrong.to_string(),
            phrase!("number_least_0_units_r", "a number of at least 0, in units of R"),
        ))
    })
}

/// Refuses experiments without a certificate, and tasks that are too large.
fn check(plan: &CertifyPlan, memory: Memory) -> Result<(), InputError> {
    let CertifyPlan { experiment, relative, effort } = plan;
    check_relative(relative)?;
    experiment.require_plain()?;
    if matches!(experiment.tokens, TokenSource::Clusters { .. }) {
        return Err(InputError::Conflict {
            what: phrase!("clusters_source", "Tokens given as clusters (`tokens.source` = \"clusters\")"),
            problem: phrase!("no_list_tokens_could_move", "cannot be moved one by one"),
            fix: phrase!("list_tokens_or_distribution", "List the tokens, or use a distribution of tokens."),
        });
    }
    check_sizes(experiment)?;
    cost::check(phrase!("certificate", "The certificate"), &shape_of(experiment), memory, |shape| {
        let (inputs, neighbourhood) = (parts::inputs(shape), cost::bounds::neighbourhood(shape));
        let held = Cost::of_numbers(sum([BASE, inputs.peak(), neighbourhood.peak()]), neighbourhood.operations);
        let search = cost_of_shape(shape, effort.restarts, effort.iterations);
        Cost { bytes: sum([held.bytes, search.bytes]), operations: sum([held.operations, search.operations]) }
    })
}

/// The coordinates of tokens (d x n); empty unless d = 2 and there are at most [`MOST_PLACES`] tokens.
fn places_of(tokens: &DMatrix<f64>) -> Places {
    let is_told = tokens.nrows() == 2 && tokens.ncols() <= MOST_PLACES;
    tokens.column_iter().filter(|_| is_told).map(|token| (token[0] as f32, token[1] as f32)).collect()
}

/// The smallest upper bound on the ball of this radius.
fn on_ball(hypotheses: &Hypotheses, radius: f64) -> f64 {
    let bounds = all_bounds(&hypotheses.with_radius(radius));
    let upper = bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm == Norm::Spectral);
    let upper = upper.filter(|bound| bound.id.domain() == Domain::Ball).filter_map(|bound| bound.value);
    upper.fold(f64::INFINITY, f64::min)
}
