//! Pictures on canvases. These modules make figures of the answers and draw them with the crate `plot`. They hold no
//! formula of attention.

mod attention_map;
mod easel;
mod export;
mod folds;
mod ladder;
mod paper;
mod picture;
mod readable;
mod sheet;
mod slack_details;
mod table_fold;
mod tabs;
mod theory_link;
mod tiles;

pub use attention_map::AttentionMap;
pub use easel::{Easel, LastPainted, Paint, Timing, use_easel};
pub use export::{ExperimentSource, ExportFold};
pub use folds::{AttentionFolds, LadderFolds};
pub use ladder::{BoundLadder, Loads, bound_of, role_of};
pub use paper::{keep_for_paper, on_white};
pub use picture::{Picture, exportable};
pub use readable::ReadableChart;
pub use sheet::PanelSource;
pub use slack_details::{BoundSlackDetails, SlackDetails};
pub use table_fold::TableFold;
pub use tabs::{keep_in_sight, plot_name};
pub use theory_link::TheoryLink;
pub use tiles::TilesCanvas;
