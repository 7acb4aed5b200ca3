//! Pictures on canvases. They draw what `plot` makes of the answers, and hold no formula.

mod attention_map;
mod draws_chart;
mod draws_plot;
mod draws_table;
mod easel;
mod fade;
mod folds;
mod growth_chart;
mod growth_plot;
mod growth_readout;
mod growth_table;
mod ladder;
mod loads;
mod painted;
mod plots;
mod search_point;
mod story;
mod tabs;
mod take;
mod token_view;
mod twin;

pub use attention_map::AttentionMap;
pub use draws_chart::{means, role_of};
pub use draws_plot::{DrawsPlot, DrawsTools};
pub use easel::{Easel, Paint, use_easel};
pub use folds::{AttentionFolds, GrowthFolds, LadderFolds};
pub use growth_plot::{GrowthPainted, GrowthPlot};
pub use ladder::BoundLadder;
pub use loads::Loads;
pub use painted::{Painted, use_painted};
pub use plots::Plots;
pub use story::Story;
pub use tabs::keep_in_sight;
pub use take::{Behind, Take};
pub use token_view::TokenView;
pub use twin::Twin;
