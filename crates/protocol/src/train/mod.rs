//! The tasks of the training worker: training a model for a while, running a trained one backwards, and writing it as
//! files. A new task is a file here and a line in the list.
//!
//! A run is trained in stretches: a stretch does steps until its time is up, and the next one continues from what the
//! worker keeps ([`TrainContext`]). So nothing interrupts a step, and the page pauses by ordering no further stretch.
//! If the worker has a [`Helper`], the two share each step.

mod backwards;
mod context;
mod files;
mod gradient;
mod helper;
mod log;
mod record;
mod stretch;

pub use backwards::{BackwardsPlan, BackwardsTask, BranchKind, BranchRow, WindowRow};
pub use context::{Beginning, TrainContext};
pub use files::{FilesPlan, FilesTask, ModelFiles};
pub use gradient::{GradientEvent, GradientPlan, GradientTask};
pub use helper::{Answer, Helper};
pub use lipscope_train::{Batch, Kind, Norms, Plan, PlanFields, SOFTCAP, exponential};
pub use log::{LogEntry, RUN_LOG, log_header};
pub use record::{LayerRow, Measured, RunFacts, Saved, StepRow};
pub use stretch::{Saving, StretchEvent, StretchPlan, StretchTask};

crate::task_list! {
    /// The worker of training.
    pub TrainTasks(TrainContext): TrainPlan, TrainEvent, TrainRunning;
    /// Trains a run for a while.
    Stretch = StretchTask,
    /// Runs a trained model backwards.
    Backwards = BackwardsTask,
    /// Writes a trained model as files.
    Files = FilesTask,
    /// Computes half a step for another worker.
    Gradient = GradientTask,
}
