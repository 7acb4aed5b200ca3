//! Every bound at a few n, then at many n up to 1e300, then the exact norms of the adversarial tokens.

use std::ops::Range;

use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::growth::{Family, FamilyPoint, Growing, Growth, GrowthPlan, GrowthRow};
use serde::{Deserialize, Serialize};

use crate::cut::cut_evenly;
use crate::task::{Cut, Poll, Report, Task};

/// About how many exact norms are computed in the time of the bounds at one n.
const NORMS_IN_A_ROW: usize = 4;

/// The experiment whose ball is plotted, and the n of the curves and of the exact norms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthRequest {
    /// Gives the weights, the ball, the mask and the normaliser.
    pub experiment: Experiment,
    /// A few n, whose curves come first: they are drawn within a frame while a slider moves. It has no n where the
    /// curves can wait.
    pub sketch: GrowthPlan,
    /// The n of the curves.
    pub plan: GrowthPlan,
    /// The n of the exact norms. It has no n where nobody wants them.
    pub family_plan: GrowthPlan,
    /// The n that are computed: first those of the curves, then those of the exact norms. `None` for all.
    pub units: Option<Range<usize>>,
}

/// Curves and norms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GrowthEvent {
    /// The bounds at the n of the sketch.
    Sketch(Box<Growth>),
    /// The bounds, all at once.
    Curves(Box<Growth>),
    /// Exact norms of the adversarial tokens since the last event, in order of n.
    Family(Vec<FamilyPoint>),
}

/// A computation for the growth view, under way.
#[derive(Debug)]
pub struct GrowthTask {
    request: GrowthRequest,
    stage: Stage,
    pending: Vec<FamilyPoint>,
}

#[derive(Debug)]
enum Stage {
    Sketch(Box<Curves>),
    Curves(Box<Curves>),
    Family(Box<Family>),
}

/// Curves under way.
#[derive(Debug)]
struct Curves {
    growing: Growing,
    rows: Vec<GrowthRow>,
}

impl Curves {
    fn new(request: &GrowthRequest, plan: &GrowthPlan, rows: Range<usize>, memory: Memory) -> Result<Self, InputError> {
        Ok(Curves { growing: Growing::new(&request.experiment, plan, rows, memory)?, rows: Vec::new() })
    }

    /// The curves, once their last row is done.
    fn step(&mut self) -> Option<Box<Growth>> {
        match self.growing.step() {
            Some(row) => {
                self.rows.push(row);
                None
            }
            None => {
                let rows = std::mem::take(&mut self.rows);
                Some(Box::new(Growth { rows, crossover: self.growing.crossover() }))
            }
        }
    }
}

impl GrowthRequest {
    /// The curves alone.
    #[must_use]
    pub fn of_curves(experiment: Experiment, plan: GrowthPlan) -> Self {
        let none = GrowthPlan { lengths: Vec::new(), ..plan };
        GrowthRequest { experiment, sketch: none.clone(), plan, family_plan: none, units: None }
    }

    /// Which n of the curves are computed, and which of the exact norms.
    fn ranges(&self) -> (Range<usize>, Range<usize>) {
        let (n_rows, n_norms) = (self.plan.lengths.len(), self.family_plan.lengths.len());
        let units = self.units.clone().unwrap_or(0..n_rows + n_norms);
        let norms = units.start.saturating_sub(n_rows)..units.end.saturating_sub(n_rows);
        (units.start.min(n_rows)..units.end.min(n_rows), norms)
    }
}

impl Task<Memory> for GrowthTask {
    type Plan = GrowthRequest;
    type Event = GrowthEvent;

    /// Cuts the curves into at most one part a worker, because every part computes again what all rows share; then cuts
    /// the norms into at most one part a worker.
    fn cut(request: &GrowthRequest, workers: usize) -> Vec<Cut> {
        let GrowthRequest { experiment, plan, family_plan, .. } = request;
        let n_rows = plan.lengths.len();
        let row = plan.cost(experiment).of_each(n_rows);
        let norms = cut_evenly(&[(row.of_each(NORMS_IN_A_ROW), family_plan.lengths.len())], workers);
        let mut cuts = cut_evenly(&[(row, n_rows)], workers);
        if cuts.is_empty() {
            return cuts;
        }
        let whole = Cut { units: 0..family_plan.lengths.len(), bytes: row.bytes };
        let norms = if norms.is_empty() && !whole.units.is_empty() { vec![whole] } else { norms };
        cuts.extend(
            norms
                .into_iter()
                .map(|Cut { units, bytes }| Cut { units: n_rows + units.start..n_rows + units.end, bytes }),
        );
        cuts
    }

    fn part(request: &GrowthRequest, units: &Range<usize>) -> GrowthRequest {
        GrowthRequest { units: Some(units.clone()), ..request.clone() }
    }

    fn is_piece(event: &GrowthEvent) -> bool {
        matches!(event, GrowthEvent::Curves(_))
    }

    fn join(pieces: &mut GrowthEvent, next: GrowthEvent) {
        if let (GrowthEvent::Curves(curves), GrowthEvent::Curves(next)) = (pieces, next) {
            curves.rows.extend(next.rows);
        }
    }

    fn start(request: GrowthRequest, memory: &mut Memory) -> Result<Self, InputError> {
        let is_first = request.units.as_ref().is_none_or(|units| units.start == 0);
        let stage = if is_first && !request.sketch.lengths.is_empty() {
            let sketch = &request.sketch;
            Stage::Sketch(Box::new(Curves::new(&request, sketch, 0..sketch.lengths.len(), *memory)?))
        } else {
            Stage::Curves(Box::new(Curves::new(&request, &request.plan, request.ranges().0, *memory)?))
        };
        Ok(GrowthTask { request, stage, pending: Vec::new() })
    }

    fn step(&mut self, memory: &mut Memory, report: &mut Report<'_, GrowthEvent>) -> Result<Poll, InputError> {
        let GrowthRequest { experiment, plan, family_plan, .. } = &self.request;
        match &mut self.stage {
            Stage::Sketch(curves) => {
                if let Some(sketch) = curves.step() {
                    report.event(GrowthEvent::Sketch(sketch));
                    let curves = Curves::new(&self.request, plan, self.request.ranges().0, *memory)?;
                    self.stage = Stage::Curves(Box::new(curves));
                }
                Ok(Poll::More)
            }
            Stage::Curves(curves) => {
                let (rows, norms) = self.request.ranges();
                let Some(curves) = curves.step() else { return Ok(Poll::More) };
                if !rows.is_empty() {
                    report.event(GrowthEvent::Curves(curves));
                }
                let lengths = family_plan.lengths.get(norms).unwrap_or_default().to_vec();
                if lengths.is_empty() {
                    return Ok(Poll::Done);
                }
                let family_plan = GrowthPlan { lengths, ..family_plan.clone() };
                let Some(family) = Family::new_within(experiment, &family_plan, *memory)? else {
                    return Ok(Poll::Done);
                };
                self.stage = Stage::Family(Box::new(family));
                Ok(Poll::More)
            }
            Stage::Family(family) => {
                let point = family.step();
                self.pending.extend(point);
                if point.is_none() || report.is_due() {
                    report.event(GrowthEvent::Family(std::mem::take(&mut self.pending)));
                }
                Ok(if point.is_none() { Poll::Done } else { Poll::More })
            }
        }
    }
}
