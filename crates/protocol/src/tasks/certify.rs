//! How far a local number reaches: bounds at each eps, then the largest norm that a search within it finds.

use lipscope_core::certify::{Certificate, Certified, CertifyPlan};
use lipscope_core::experiment::{InputError, Memory};

use crate::task::{Report, Task, Turn};

/// A certificate under way.
#[derive(Debug)]
pub struct CertifyTask(Certificate);

impl Task<Memory> for CertifyTask {
    type Plan = CertifyPlan;
    type Event = Certified;

    fn start(plan: CertifyPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Certificate::start_within(&plan, *memory).map(CertifyTask)
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Certified>) -> Result<Turn, InputError> {
        let turn = if self.0.step()? { Turn::More } else { Turn::Done };
        if turn == Turn::Done || report.is_due() {
            report.event(self.0.so_far().clone());
            report.progress(self.0.progress());
        }
        Ok(turn)
    }
}
