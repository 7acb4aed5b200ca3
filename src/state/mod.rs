//! The values of the controls. Everything else on the page is derived from one [`PageState`].
//!
//! A control keeps its value while it does not apply, so that switching a choice back loses nothing.

mod check;
mod choices;
mod convert;
mod growth;
mod movable;
mod own;
mod page_state;
mod plots;
mod scene;
mod settings;
mod stage;

pub use choices::{TokenChoice, WeightChoice, XAxis};
pub use growth::{GrowthView, RadiusGrowth, Range, SearchFold, Trace, Traces};
pub use movable::NotMovable;
pub use own::{OwnClusters, OwnWeights};
pub use page_state::{MAX_D, MAX_N, MAX_TOKEN_ENTRIES, MAX_WEIGHTS, MAX_WITNESS_N, MOST_SEED, PageState};
pub use plots::{PlotChoice, View};
pub use scene::{Scene, ThemeChoice};
pub use settings::{
    CertifySettings, DotWeights, EstimatorQuantity, EstimatorSettings, InverseSettings, LabTokens, SCALED_TOKENS,
    SearchSettings, Settings,
};
pub use stage::LessonAt;
pub use stage::Stage;
