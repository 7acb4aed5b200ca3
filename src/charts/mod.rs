//! Pictures on canvases. They draw what `plot` makes of the answers, and hold no formula.

mod attention_map;
mod draws_plot;
mod easel;
mod fade;
mod folds;
mod growth;
mod growth_table;
mod hunt_point;
mod ladder;
mod loads;
mod painted;
mod plots;
mod regime_chart;
mod regime_plot;
mod regime_readout;
mod regime_table;
mod story;
mod tabs;
mod take;
mod token_view;
mod twin;

pub use attention_map::AttentionMap;
pub use draws_plot::{DrawsPlot, DrawsTools};
pub use easel::{Easel, Paint, use_easel};
pub use folds::{AttentionFolds, LadderFolds, RegimeFolds};
pub use growth::role_of;
pub use ladder::BoundLadder;
pub use loads::Loads;
pub use painted::{Painted, use_painted};
pub use plots::Plots;
pub use regime_plot::RegimePainted;
pub use story::Story;
pub use tabs::keep_in_sight;
pub use take::{Behind, Take};
pub use token_view::TokenView;
pub use twin::Twin;
