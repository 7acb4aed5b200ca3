//! The singular values of the Jacobian.

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::spectrum::{Finding, Spectrum, SpectrumPlan, Step};

use crate::task::{Report, Task, Turn};

/// Singular values under way; until they are all found, lower bounds on them are told.
#[derive(Debug)]
pub struct SpectrumTask(Finding);

impl Task<Memory> for SpectrumTask {
    type Plan = SpectrumPlan;
    type Event = Box<Spectrum>;

    fn start(plan: SpectrumPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Finding::start_within(&plan, *memory).map(SpectrumTask)
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Box<Spectrum>>) -> Result<Turn, InputError> {
        match self.0.step()? {
            Step::Going { iterations, .. } => {
                if report.is_due() {
                    if let Some(spectrum) = self.0.so_far() {
                        report.event(Box::new(spectrum));
                    }
                    report.iterations(iterations, None);
                }
                Ok(Turn::More)
            }
            Step::Done(spectrum) => {
                report.event(spectrum);
                Ok(Turn::Done)
            }
        }
    }
}
