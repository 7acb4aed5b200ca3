//! The tasks of the labs.

use lipscope_core::certify::{Certificate, Certified, CertifyPlan};
use lipscope_core::compare::{Comparison, ComparisonPlan, ComparisonPoint};
use lipscope_core::estimators::{EstimatorComparison, EstimatorPlan, EstimatorPoint};
use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::gap::{Gap, GapCell, GapPlan};
use lipscope_core::picture::{BlockNorming, BlockPicture, BlockPlan};
use lipscope_core::scaling::{Scaling, ScalingPlan, ScalingPoint};
use lipscope_core::spectrum::{Finding, Spectrum, SpectrumPlan, Step};
use lipscope_core::tightness::{Tightness, TightnessPoint};
use serde::{Deserialize, Serialize};

use crate::task::{Poll, Report, Task};

/// Bounds the norm at all tokens within each eps, one eps a step.
#[derive(Debug)]
pub struct CertifyTask(Certificate);

impl Task<Memory> for CertifyTask {
    type Plan = CertifyPlan;
    type Event = Certified;

    fn start(plan: CertifyPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Certificate::start_within(&plan, *memory).map(CertifyTask)
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Certified>) -> Result<Poll, InputError> {
        let poll = if self.0.step()? { Poll::More } else { Poll::Done };
        if poll == Poll::Done || report.is_due() {
            report.event(self.0.so_far().clone());
            report.progress(self.0.progress());
        }
        Ok(poll)
    }
}

/// Measures several kinds of attention at the same tokens, a step of a measurement or of a search a step.
#[derive(Debug)]
pub struct CompareTask {
    comparison: Comparison,
    pending: Vec<ComparisonPoint>,
}

impl Task<Memory> for CompareTask {
    type Plan = ComparisonPlan;
    type Event = Vec<ComparisonPoint>;

    fn start(plan: ComparisonPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(CompareTask { comparison: Comparison::new_within(&plan, *memory)?, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<ComparisonPoint>>) -> Result<Poll, InputError> {
        let step = self.comparison.step()?;
        Ok(report.points(&mut self.pending, step, || Some(self.comparison.progress())))
    }
}

/// Compares estimators of the spectral norm, an iteration a step.
#[derive(Debug)]
pub struct EstimatorsTask {
    comparison: EstimatorComparison,
    pending: Vec<EstimatorPoint>,
}

impl Task<Memory> for EstimatorsTask {
    type Plan = EstimatorPlan;
    type Event = Vec<EstimatorPoint>;

    fn start(plan: EstimatorPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(EstimatorsTask { comparison: EstimatorComparison::new_within(&plan, *memory)?, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<EstimatorPoint>>) -> Result<Poll, InputError> {
        let point = self.comparison.step(|| report.now())?;
        Ok(report.points(&mut self.pending, point.map(Some), || None))
    }
}

/// Measures both kernels at each radius, one radius a step.
#[derive(Debug)]
pub struct ScalingTask {
    scaling: Scaling,
    pending: Vec<ScalingPoint>,
}

impl Task<Memory> for ScalingTask {
    type Plan = ScalingPlan;
    type Event = Vec<ScalingPoint>;

    fn start(plan: ScalingPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(ScalingTask { scaling: Scaling::new_within(&plan, *memory)?, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<ScalingPoint>>) -> Result<Poll, InputError> {
        let point = self.scaling.step()?;
        Ok(report.points(&mut self.pending, point.map(Some), || Some(self.scaling.progress())))
    }
}

/// Computes singular values. Until all are found, its events hold lower bounds on them.
#[derive(Debug)]
pub struct SpectrumTask(Finding);

impl Task<Memory> for SpectrumTask {
    type Plan = SpectrumPlan;
    type Event = Box<Spectrum>;

    fn start(plan: SpectrumPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Finding::start_within(&plan, *memory).map(SpectrumTask)
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Box<Spectrum>>) -> Result<Poll, InputError> {
        match self.0.step()? {
            Step::Going { iterations, .. } => {
                if report.is_due() {
                    if let Some(spectrum) = self.0.so_far() {
                        report.event(Box::new(spectrum));
                    }
                    report.iterations(iterations, None);
                }
                Ok(Poll::More)
            }
            Step::Done(spectrum) => {
                report.event(spectrum);
                Ok(Poll::Done)
            }
        }
    }
}

/// Computes the norms of the Jacobian's blocks. The picture comes whole, at the end.
#[derive(Debug)]
pub struct BlocksTask(BlockNorming);

impl Task<Memory> for BlocksTask {
    type Plan = BlockPlan;
    type Event = BlockPicture;

    fn start(plan: BlockPlan, memory: &mut Memory) -> Result<Self, InputError> {
        BlockNorming::start_within(&plan, *memory).map(BlocksTask)
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, BlockPicture>) -> Result<Poll, InputError> {
        match self.0.step()? {
            Some(picture) => {
                report.event(picture);
                Ok(Poll::Done)
            }
            None => {
                if report.is_due() {
                    report.progress(self.0.progress());
                }
                Ok(Poll::More)
            }
        }
    }
}

/// The n at which the largest l_inf norm of L2 attention is searched, and the effort of each search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightnessPlan {
    /// Numbers of tokens, ascending.
    pub lengths: Vec<usize>,
    /// Random restarts at each n.
    pub restarts: usize,
    /// Seed of the restarts.
    pub seed: u64,
}

/// Searches one n a step, for the largest l_inf norm of L2 attention.
#[derive(Debug)]
pub struct TightnessTask {
    search: Tightness,
    pending: Vec<TightnessPoint>,
}

impl Task<Memory> for TightnessTask {
    type Plan = TightnessPlan;
    type Event = Vec<TightnessPoint>;

    fn start(plan: TightnessPlan, _: &mut Memory) -> Result<Self, InputError> {
        let search = Tightness::new(&plan.lengths, plan.restarts, plan.seed)?;
        Ok(TightnessTask { search, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<TightnessPoint>>) -> Result<Poll, InputError> {
        let point = self.search.step();
        Ok(report.points(&mut self.pending, point.map(Some), || Some(self.search.progress())))
    }
}

/// Compares the best bounds from above and from below over n and R, one cell a step.
#[derive(Debug)]
pub struct GapTask {
    gap: Gap,
    pending: Vec<GapCell>,
}

impl Task<Memory> for GapTask {
    type Plan = GapPlan;
    type Event = Vec<GapCell>;

    fn start(plan: GapPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(GapTask { gap: Gap::new_within(&plan, *memory)?, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<GapCell>>) -> Result<Poll, InputError> {
        let cell = self.gap.step();
        Ok(report.points(&mut self.pending, cell.map(Some), || Some(self.gap.progress())))
    }
}
