//! The tasks of the models' worker: opening a model and its text, measuring batches of windows, reading and writing
//! tables, and downloading files. A new task is a file here and a line in the list.
//!
//! Plans are complete: a batch names its model, its text and the run's plan. A worker that has already prepared them
//! does only the measurement ([`ModelContext`]). Files travel beside a message, as browser blobs.

mod adversarial;
mod batch;
mod change;
mod command_line;
mod context;
mod layers;
mod network;
mod open;
mod table;

pub use adversarial::{AdversarialRequest, AdversarialTask};
pub use batch::{BatchEvent, BatchPlan, BatchTask, WindowPlan, WindowTask};
pub use change::{ChangeAt, ChangeTask};
pub use command_line::{Input, command_line};
pub use context::{ModelContext, ModelOrigin, Prepared, SharedFile, held};
pub use layers::{LayersEvent, LayersPlan, LayersTask};
pub use network::{
    DownloadPlan, Downloaded, MODEL_FILES, Network, NoNetwork, OTHER_WEIGHTS, RemoteFile, Serving, Transfer,
    TransferState,
};
pub use open::{DownloadTask, ModelFacts, OpenPlan, OpenTask};
pub use table::{
    Arriving, MOST_ROWS, ReadTablePlan, ReadTableTask, TableBatch, TableForm, WriteTablePlan, WriteTableTask,
};

crate::task_list! {
    /// The models' worker.
    pub ModelTasks(ModelContext): ModelPlan, ModelEvent, ModelRunning;
    /// Opens a model and its text.
    Open = OpenTask,
    /// Measures a batch of windows.
    Batch = BatchTask,
    /// Measures all windows of a run with one layer in memory at a time.
    Layers = LayersTask,
    /// Makes an experiment of one window.
    Window = WindowTask,
    /// Finds the worst change at one window.
    Change = ChangeTask,
    /// Measures heads at their adversarial tokens.
    Adversarial = AdversarialTask,
    /// Reads a table of results.
    ReadTable = ReadTableTask,
    /// Writes a table of results.
    WriteTable = WriteTableTask,
    /// Asks an address which files of a model it has, or downloads them.
    Download = DownloadTask,
}
