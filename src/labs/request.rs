//! What a view asks the workers for.

use crate::page::PlotChoice;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::estimators::{EstimatorPlan, Preset};
use lipscope_core::experiment::{
    Attention, Distribution, Experiment, Mask, Normalization, RandomTokens, Rows, TokenSource, WeightSource,
};
use lipscope_core::inverse::InversePlan;
use lipscope_core::scaling::{ScaledTokens, ScalingPlan};
use lipscope_core::spectrum::SpectrumPlan;
use lipscope_protocol::tasks::{EnginePlan, TightnessPlan};

use crate::state::{DotWeights, InverseSettings, LabTokens, Settings};

/// Radii to a decade.
const TO_A_DECADE: i32 = 8;
/// The radii go from 1 to ten to this.
const DECADES: i32 = 4;
/// The numbers of tokens that are searched at.
const LENGTHS: [usize; 15] = [2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 300, 500, 1000];
/// Tokens a side of the grid.
pub const GRID_SIDE: usize = 9;
/// The most iterations: at c = 0.9 the slowest that converges takes about 350.
const ITERATIONS: usize = 600;

/// What a view asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum LabRequest {
    /// Norms at scaled tokens.
    Scaling(ScalingPlan),
    /// The search for large norms.
    Tightness {
        /// Random restarts at each n.
        restarts: usize,
    },
    /// Two inverses.
    Inverse {
        /// Of L2 multi-head attention.
        l2: Box<InversePlan>,
        /// Of dot-product attention.
        dot: Box<InversePlan>,
    },
    /// Singular values.
    Spectrum(Box<SpectrumPlan>),
    /// Estimators of the largest one.
    Estimators(Box<EstimatorPlan>),
    /// Nothing: the sentence says why.
    Refused(PlotChoice, &'static str),
}

impl LabRequest {
    /// What a plot needs; `None` where it is none of these views.
    pub fn of(plot: PlotChoice, settings: &Settings, state: &PageState) -> Option<Self> {
        match plot {
            PlotChoice::Scaled => Some(scaling(settings.scaled, state)),
            PlotChoice::Tightness => Some(LabRequest::Tightness { restarts: settings.restarts }),
            PlotChoice::Inverse => Some(inverse(&settings.inverse, state)),
            PlotChoice::Spectrum => {
                let plan = SpectrumPlan { experiment: state.experiment(), count: settings.spectrum_count };
                Some(LabRequest::Spectrum(Box::new(plan)))
            }
            PlotChoice::EstimatorComparison => {
                let experiment = settings.estimators.trial.map_or_else(|| state.experiment(), Preset::experiment);
                Some(LabRequest::Estimators(Box::new(EstimatorPlan {
                    experiment,
                    tolerance: settings.estimators.tolerance,
                })))
            }
            // Others have lanes or workers of their own.
            PlotChoice::Explore | PlotChoice::Growth | PlotChoice::Tokens | PlotChoice::Model => None,
        }
    }

    /// The view that needs it.
    pub fn tab(&self) -> PlotChoice {
        match self {
            LabRequest::Scaling(_) => PlotChoice::Scaled,
            LabRequest::Tightness { .. } => PlotChoice::Tightness,
            LabRequest::Inverse { .. } => PlotChoice::Inverse,
            LabRequest::Spectrum(_) => PlotChoice::Spectrum,
            LabRequest::Estimators(_) => PlotChoice::EstimatorComparison,
            LabRequest::Refused(plot, _) => *plot,
        }
    }

    /// The plans, in order.
    pub fn plans(self) -> Vec<EnginePlan> {
        match self {
            LabRequest::Scaling(plan) => vec![EnginePlan::Scaling(plan)],
            LabRequest::Tightness { restarts } => {
                vec![EnginePlan::Tightness(TightnessPlan { lengths: LENGTHS.to_vec(), restarts, seed: 0 })]
            }
            LabRequest::Inverse { l2, dot } => [l2, dot].map(|plan| EnginePlan::Inverse(*plan)).into(),
            LabRequest::Spectrum(plan) => vec![EnginePlan::Spectrum(*plan)],
            LabRequest::Estimators(plan) => vec![EnginePlan::Estimators(*plan)],
            LabRequest::Refused(..) => Vec::new(),
        }
    }
}

fn scaling(tokens: ScaledTokens, state: &PageState) -> LabRequest {
    match state.tokens {
        TokenChoice::Skew => LabRequest::Refused(PlotChoice::Scaled, strings::scaled_skew()),
        TokenChoice::Clusters => LabRequest::Refused(PlotChoice::Scaled, strings::scaled_clusters()),
        _ if state.normalization != Normalization::None => {
            LabRequest::Refused(PlotChoice::Scaled, strings::scaled_normalized())
        }
        _ => {
            let radii = (0..=DECADES * TO_A_DECADE).map(|at| 10f64.powf(f64::from(at) / f64::from(TO_A_DECADE)));
            // The engine takes both kernels in turn.
            let experiment = Experiment { attention: Attention::Dot, ..state.experiment() };
            LabRequest::Scaling(ScalingPlan { experiment, tokens, radii: radii.collect(), norm: state.norm })
        }
    }
}

fn inverse(settings: &InverseSettings, state: &PageState) -> LabRequest {
    let refused = |why| LabRequest::Refused(PlotChoice::Inverse, why);
    let InverseSettings { n, d, radius, seed, fraction, .. } = *settings;
    let tokens = match settings.tokens {
        LabTokens::Drawn => TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n, d, radius, seed }),
        LabTokens::Grid => match grid(radius) {
            Some(rows) => TokenSource::Explicit(rows),
            None => return refused(strings::inverse_no_tokens()),
        },
        LabTokens::Page => match state.tokens {
            TokenChoice::Distribution(_) | TokenChoice::Own => state.experiment().tokens,
            _ => return refused(strings::inverse_no_tokens()),
        },
    };
    let shared = shared_weights(settings, state);
    let dot_weights = match settings.dot_weights {
        DotWeights::Same => shared.clone(),
        DotWeights::IdentityPlus => WeightSource::Identity { sign: 1.0 },
        DotWeights::IdentityMinus => WeightSource::Identity { sign: -1.0 },
    };
    let plan = |attention, weights| {
        let experiment = Experiment {
            attention,
            mask: Mask::None,
            normalization: Normalization::None,
            tokens: tokens.clone(),
            weights: Some(weights),
            ..state.experiment()
        };
        Box::new(InversePlan { experiment, fraction, max_iterations: ITERATIONS })
    };
    LabRequest::Inverse { l2: plan(Attention::L2, shared), dot: plan(Attention::Dot, dot_weights) }
}

/// L2 multi-head attention as the controls have it, where they do and it fits; else with one head.
pub fn shared_weights(settings: &InverseSettings, state: &PageState) -> WeightSource {
    let d = match settings.tokens {
        LabTokens::Drawn => settings.d,
        LabTokens::Grid => 2,
        LabTokens::Page => state.dim(),
    };
    match state.weights {
        WeightChoice::Kim => {
            let heads = if d.is_multiple_of(state.heads) { state.heads } else { 1 };
            WeightSource::Kim { heads, scale: state.scale, seed: state.weight_seed }
        }
        _ => WeightSource::Kim { heads: 1, scale: 1.0, seed: 0 },
    }
}

/// A square grid around the origin, row by row.
fn grid(half: f64) -> Option<Rows> {
    let place = |at: usize| half * (2.0 * at as f64 / (GRID_SIDE - 1) as f64 - 1.0);
    let entries = (0..GRID_SIDE * GRID_SIDE).flat_map(|at| [place(at % GRID_SIDE), place(at / GRID_SIDE)]);
    Rows::new("The grid", 2, entries.collect()).ok()
}
