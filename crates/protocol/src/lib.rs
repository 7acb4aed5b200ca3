//! What page and workers say to each other, and how work is run: tasks, their envelope, the runner.

pub mod message;
pub mod model_message;
pub mod model_run;
pub mod runner;
