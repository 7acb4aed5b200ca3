//! Downloads a model's files from an address, or asks the server which files it has.

use lipscope_core::experiment::InputError;

use super::ModelContext;
use super::network::{DownloadPlan, Downloaded, Transfer, TransferState};
use crate::task::{Report, Task, Turn};

/// A download under way.
pub struct DownloadTask {
    transfer: Box<dyn Transfer>,
    told: u64,
}

impl Task<ModelContext> for DownloadTask {
    type Plan = DownloadPlan;
    type Event = Downloaded;

    fn start(plan: DownloadPlan, context: &mut ModelContext) -> Result<Self, InputError> {
        Ok(DownloadTask { transfer: context.network().begin(&plan), told: 0 })
    }

    fn step(&mut self, _: &mut ModelContext, report: &mut Report<'_, Downloaded>) -> Result<Turn, InputError> {
        match self.transfer.poll()? {
            TransferState::Under(bytes) => {
                if bytes > self.told && report.is_due() {
                    self.told = bytes;
                    report.bytes(bytes);
                }
                Ok(Turn::Waiting)
            }
            TransferState::Complete(downloaded) => {
                report.event(downloaded);
                Ok(Turn::Done)
            }
        }
    }
}
