//! Pictures on canvases. They draw what `plot` makes of the answers, and hold no formula.

mod attention_map;
mod easel;
mod fade;
mod growth;
mod growth_table;
mod main_plot;
mod token_view;
mod twin;

pub use attention_map::AttentionMap;
pub use growth::role_of;
pub use main_plot::MainPlot;
pub use token_view::TokenView;
