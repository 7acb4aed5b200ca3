//! How far a local number reaches: for each eps an upper bound on the norm at all tokens within eps of an experiment's,
//! beside the local bound, the bound on the ball and the largest norm that a search within eps finds.

use crate::attention::Normalizer;
use crate::bounds::{BoundId, Domain, Hypotheses, Neighbourhood, Norm, Side, all_bounds};
use crate::cost::{self, BASE, Cost, parts, shape_of, sum};
use crate::experiment::{Experiment, InputError, Memory, TokenSource};
use crate::measure::{MeasureOptions, measure_with};
use crate::phrase;
use crate::search::{NearbyEffort, cost_of_shape, largest_nearby};
use crate::tokens;
use crate::weights::{check_sizes, inputs};

/// Input of a certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifyPlan {
    /// Dot-product attention at a list of tokens, without a normaliser.
    pub experiment: Experiment,
    /// The eps, in units of R = the largest norm of a token.
    pub relative: Vec<f64>,
    /// How long the search within eps is.
    pub effort: NearbyEffort,
}

/// What is known of all tokens within eps.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// The largest norm that the search finds within eps: a lower bound.
    pub found: f64,
}

/// A row for each eps, in the order of the plan.
///
/// # Errors
/// [`InputError`] for token measures, L2 attention and normalisers, for an eps that is negative or not finite, and
/// [`InputError::TooCostly`] before anything is drawn.
pub fn certify(plan: &CertifyPlan, memory: Memory) -> Result<Vec<CertifiedRow>, InputError> {
    let CertifyPlan { experiment, relative, effort } = plan;
    if let Some(wrong) = relative.iter().find(|eps| !(eps.is_finite() && **eps >= 0.0)) {
        return Err(InputError::bad_value(
            "epsilon",
            wrong.to_string(),
            phrase!("number_least_0_units_r", "a number of at least 0, in units of R"),
        ));
    }
    if matches!(experiment.tokens, TokenSource::Clusters { .. }) {
        return Err(InputError::Conflict {
            what: "`tokens.source` = \"clusters\"".into(),
            problem: phrase!("no_list_tokens_could_move", "is no list of tokens that could move"),
            fix: phrase!("list_tokens_or_distribution", "List the tokens, or use a distribution of tokens."),
        });
    }
    check_sizes(experiment)?;
    let found = measure_with(experiment, MeasureOptions { memory, ..MeasureOptions::default() })?;
    cost::check(phrase!("certificate", "The certificate"), &shape_of(experiment), memory, |shape| {
        let (inputs, neighbourhood) = (parts::inputs(shape), cost::bounds::neighbourhood(shape));
        let held = Cost::of_numbers(sum([BASE, inputs.peak(), neighbourhood.peak()]), neighbourhood.operations);
        let search = cost_of_shape(shape, effort.restarts, effort.iterations);
        Cost { bytes: sum([held.bytes, search.bytes]), operations: sum([held.operations, search.operations]) }
    })?;
    let inputs = inputs(experiment)?;
    let neighbourhood = Neighbourhood::new(experiment, &inputs)?;
    let is_local = |id: BoundId| matches!(id, BoundId::Local | BoundId::LocalBlocks);
    let local = found.bounds.iter().filter(|bound| is_local(bound.id)).filter_map(|bound| bound.value);
    let local = local.fold(f64::INFINITY, f64::min);
    let radius = tokens::largest_norm(&inputs.tokens);
    let normalizer = Normalizer::new(experiment.normalization, experiment.eps, &inputs.tokens);
    let hypotheses =
        Hypotheses::new(experiment, &inputs.weights, &normalizer, radius, (inputs.tokens.ncols() as f64).ln());
    relative
        .iter()
        .map(|relative| {
            let epsilon = relative * radius;
            let on_ball = all_bounds(&hypotheses.with_radius(radius + epsilon));
            let upper = on_ball.iter().filter(|bound| bound.side == Side::Upper && bound.norm == Norm::Spectral);
            let upper = upper.filter(|bound| bound.id.domain() == Domain::Ball).filter_map(|bound| bound.value);
            Ok(CertifiedRow {
                relative: *relative,
                epsilon,
                certified: neighbourhood.certified(epsilon),
                local,
                ball: upper.fold(f64::INFINITY, f64::min),
                found: largest_nearby(experiment, &inputs, epsilon, *effort)?,
            })
        })
        .collect()
}
