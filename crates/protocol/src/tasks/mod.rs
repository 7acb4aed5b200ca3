//! The tasks of the engine's worker. A new task is a file here (those of labs share `labs.rs`) and a few lines in this
//! one: the module, its exports, and the list; and its plan in `tests/fuzz/src/doors/work.rs`.

mod ball;
mod growth;
mod inverse;
mod labs;
mod measure;
mod search;
mod sweep;
mod text;
mod worst;

use lipscope_core::experiment::Memory;

pub use ball::{Ball, BallPlan, BallTask};
pub use growth::{GrowthEvent, GrowthRequest, GrowthTask};
pub use inverse::{InverseEvent, InverseTask};
pub use labs::{
    BlocksTask, CertifyTask, CompareTask, EstimatorsTask, GapTask, ScalingTask, SpectrumTask, TightnessPlan,
    TightnessTask,
};
pub use measure::{MeasureEvent, MeasurePlan, MeasureTask, Measured};
pub use search::{SearchEvent, SearchRequest, SearchTask};
pub use sweep::{SweepRequest, SweepTask};
pub use text::{ReadPlan, ReadTask, ScriptPlan, ScriptTask};
pub use worst::{WorstAt, WorstFrom, WorstRequest, WorstTask};

/// Defines two lists: one of the tasks in `first`, and one of all tasks, which begins with them. A message names its task
/// by the place in the list, so messages about the first tasks are the same bytes in both lists.
macro_rules! engine_lists {
    (first { $($first:tt)+ } others { $($others:tt)+ }) => {
        $crate::task_list! {
            /// The tasks of the first picture and of the view over n: the first ones of [`EngineTasks`]. The engine's
            /// worker does these without the module that has the others.
            pub FirstTasks(Memory): FirstPlan, FirstEvent, FirstRunning;
            $($first)+
        }

        $crate::task_list! {
            /// The engine's worker. It keeps only the memory limit of a task between runs.
            pub EngineTasks(Memory): EnginePlan, EngineEvent, EngineRunning;
            $($first)+
            $($others)+
        }
    };
}

engine_lists! {
    first {
        /// Measures one experiment and pictures it.
        Measure = MeasureTask,
        /// Measures one experiment over lengths n and draws.
        Sweep = SweepTask,
        /// The bounds on the ball at one n.
        Ball = BallTask,
        /// The bounds over n, which hold for every draw of a sweep, then exact norms of the adversarial tokens.
        Growth = GrowthTask,
        /// The worst tokens known over n, measured.
        Worst = WorstTask,
    }
    others {
        /// The norms of both kernels as the tokens are scaled up.
        Scaling = ScalingTask,
        /// The largest l_inf norm of L2 attention that a search finds at each n.
        Tightness = TightnessTask,
        /// The best upper bound over the best lower one, over n and R.
        Gap = GapTask,
        /// The inverse of X + c F(X)/L, iteration by iteration.
        Inverse = InverseTask,
        /// Bounds on the norm at all tokens within eps of an experiment's tokens, and the largest norm that a search within
        /// eps finds.
        Certify = CertifyTask,
        /// Several kinds of attention at the same tokens.
        Compare = CompareTask,
        /// The worst-case search: tokens of a ball or sphere with a large norm.
        Search = SearchTask,
        /// The singular values of the Jacobian.
        Spectrum = SpectrumTask,
        /// The norms of the Jacobian's blocks.
        Blocks = BlocksTask,
        /// Estimators of the spectral norm, compared iteration by iteration.
        Estimators = EstimatorsTask,
        /// Reads a text or file that holds tokens or an experiment.
        Read = ReadTask,
        /// Writes an experiment as a Python program.
        Script = ScriptTask,
    }
}
