//! Pictures on canvases. They draw what `plot` makes of the answers, and hold no formula.

mod attention_map;
mod easel;
mod fade;
mod folds;
mod ladder;
mod lengths;
mod loads;
mod painted;
mod plot_names;
mod readable;
mod roles;
mod soon;
mod story;
mod tabs;
mod take;
mod twin;

pub use attention_map::AttentionMap;
pub use easel::{Easel, Paint, use_easel, use_easel_with_number};
pub use fade::{Fade, Faded, STALE};
pub use folds::{AttentionFolds, LadderFolds};
pub use ladder::{BoundLadder, bound_of};
pub use lengths::{AxisChoice, CURRENT, MEAN, length_at, on_length_key};
pub use loads::Loads;
pub use painted::use_painted;
pub use plot_names::plot_name;
pub use readable::ReadableChart;
pub use roles::{means, role_of};
pub use soon::Soon;
pub use story::{BoundStory, Story};
pub use tabs::keep_in_sight;
pub use take::{Behind, Picture, Take, taken};
pub use twin::Twin;
