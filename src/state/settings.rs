//! The reader's settings of the labs, and of the view of models.

use lipscope_core::estimators::{ESTIMATOR_TOLERANCE, Preset};
use lipscope_core::scaling::ScaledTokens;
use lipscope_core::search::{DEFAULT_RESTARTS, NearbyEffort, Region};
use lipscope_core::spectrum::{DEFAULT_COUNT, SpectrumMap};

use super::compare::{BarControl, CompareSettings};
use super::models::ModelSettings;
use super::plots::PlotChoice;

/// The tokens that the lab of scaled tokens offers, with their words in the page and in links.
pub const SCALED_TOKENS: [(&str, ScaledTokens); 2] =
    [("zero", ScaledTokens::OneAtZero), ("as-is", ScaledTokens::AsTheyAre)];

/// The settings of all labs.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which tokens are scaled.
    pub scaled: ScaledTokens,
    /// Random restarts of the search at each n.
    pub restarts: usize,
    /// The settings of the inverse.
    pub inverse: InverseSettings,
    /// The number of leading singular values, where not all are found.
    pub spectrum_count: usize,
    /// The map whose singular values are shown.
    pub spectrum_map: SpectrumMap,
    /// The selected block of the Jacobian: its output token and its input token. `None` is the block that adds most to
    /// the largest singular value.
    pub block: Option<(usize, usize)>,
    /// The settings of the estimators.
    pub estimators: EstimatorSettings,
    /// The settings of the bounds around the tokens.
    pub certify: CertifySettings,
    /// The settings of the comparison.
    pub compare: CompareSettings,
    /// The settings of the view of models.
    pub model: ModelSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            scaled: ScaledTokens::OneAtZero,
            restarts: 12,
            inverse: InverseSettings::default(),
            spectrum_count: DEFAULT_COUNT,
            spectrum_map: SpectrumMap::Attention,
            block: None,
            estimators: EstimatorSettings {
                trial: Some(Preset::SmallValues),
                tolerance: ESTIMATOR_TOLERANCE,
                shown: EstimatorQuantity::Error,
            },
            certify: CertifySettings { relative: 0.1, restarts: NearbyEffort::DEFAULT.restarts },
            compare: CompareSettings::default(),
            model: ModelSettings::default(),
        }
    }
}

impl Settings {
    /// Whether a plot leaves a control of the bar unused, though the bar is there.
    #[must_use]
    pub fn ignores(&self, plot: PlotChoice, control: BarControl) -> bool {
        match plot {
            PlotChoice::Compare => self.compare.ignores(control),
            // Its axes are n and R, and its bounds hold for all tokens.
            PlotChoice::Gap => matches!(control, BarControl::Tokens | BarControl::N | BarControl::Radius),
            _ => false,
        }
    }

    /// Whether a plot shows the tokens and weights of the controls, with these settings.
    #[must_use]
    pub fn has_tokens(&self, plot: PlotChoice) -> bool {
        match plot {
            PlotChoice::EstimatorComparison => self.estimators.trial.is_none(),
            PlotChoice::Inverse => self.inverse.tokens == LabTokens::Page,
            PlotChoice::Gallery | PlotChoice::Tightness | PlotChoice::Model | PlotChoice::Train => false,
            PlotChoice::Explore
            | PlotChoice::Growth
            | PlotChoice::Tokens
            | PlotChoice::Spectrum
            | PlotChoice::Scaled
            | PlotChoice::Gap
            | PlotChoice::Compare
            | PlotChoice::Certify => true,
        }
    }
}

/// How far the tokens may move, and the effort of the search for the largest norm within that distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CertifySettings {
    /// eps/R at which the bounds are read.
    pub relative: f64,
    /// Starts of the search within each eps.
    pub restarts: usize,
}

/// The settings of the inverse.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseSettings {
    /// Where the tokens come from.
    pub tokens: LabTokens,
    /// The weights of dot-product attention.
    pub dot_weights: DotWeights,
    /// c of the map X + c F(X)/L that is inverted.
    pub fraction: f64,
    /// Number of drawn tokens.
    pub n: usize,
    /// Dimension of drawn tokens.
    pub d: usize,
    /// Radius of the ball, or half the side of the grid.
    pub radius: f64,
    /// Seed of drawn tokens.
    pub seed: u64,
}

impl Default for InverseSettings {
    fn default() -> Self {
        InverseSettings {
            tokens: LabTokens::Drawn,
            dot_weights: DotWeights::IdentityPlus,
            fraction: 0.9,
            n: 24,
            d: 2,
            radius: 2.0,
            seed: 0,
        }
    }
}

impl InverseSettings {
    /// Four tokens far apart, at which the iteration finds no inverse of dot-product attention.
    #[must_use]
    pub fn where_dot_fails() -> Self {
        InverseSettings {
            tokens: LabTokens::Drawn,
            dot_weights: DotWeights::IdentityPlus,
            fraction: 0.9,
            n: 4,
            d: 4,
            radius: 21.7,
            seed: 28,
        }
    }
}

/// Where the tokens of the inverse come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabTokens {
    /// Drawn in a ball.
    Drawn,
    /// A grid in the plane.
    Grid,
    /// The tokens of the controls.
    Page,
}

impl LabTokens {
    /// All, with their ids.
    pub const ALL: [(&'static str, LabTokens); 3] =
        [("drawn", LabTokens::Drawn), ("grid", LabTokens::Grid), ("page", LabTokens::Page)];
}

/// The weights of dot-product attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotWeights {
    /// A = I.
    IdentityPlus,
    /// A = -I.
    IdentityMinus,
    /// The weights of L2 multi-head attention.
    Same,
}

impl DotWeights {
    /// All, with their ids.
    pub const ALL: [(&'static str, DotWeights); 3] = [
        ("identity-plus", DotWeights::IdentityPlus),
        ("identity-minus", DotWeights::IdentityMinus),
        ("same", DotWeights::Same),
    ];
}

/// The settings of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// The set that the tokens are restricted to.
    pub region: Region,
    /// Number of starts.
    pub restarts: usize,
    /// Seed of random starts and kicks.
    pub seed: u64,
    /// The dimension in which the adversarial tokens of A = I and A = -I move.
    pub dim: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings { region: Region::Ball, restarts: DEFAULT_RESTARTS, seed: 0, dim: 2 }
    }
}

/// The settings of the estimators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatorSettings {
    /// The trial; `None` is the configuration of the controls.
    pub trial: Option<Preset>,
    /// The tolerance with which power iteration decides to stop.
    pub tolerance: f64,
    /// The quantity that is drawn over the iterations.
    pub shown: EstimatorQuantity,
}

impl EstimatorSettings {
    /// The trials, with their ids.
    pub const TRIALS: [(&'static str, Option<Preset>); 4] = {
        let [(a, first), (b, second), (c, third)] = Preset::ALL;
        [(a, Some(first)), (b, Some(second)), (c, Some(third)), ("page", None)]
    };
}

/// The quantity of each iteration that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimatorQuantity {
    /// The relative error.
    Error,
    /// The relative residual.
    Residual,
    /// The estimate itself.
    Value,
}

impl EstimatorQuantity {
    /// All, with their ids.
    pub const ALL: [(&'static str, EstimatorQuantity); 3] = [
        ("error", EstimatorQuantity::Error),
        ("residual", EstimatorQuantity::Residual),
        ("value", EstimatorQuantity::Value),
    ];
}
