//! What a step of a run over windows does.

use super::estimating::EstimateStep;
use crate::results::estimate::Estimate;
use crate::results::table::Cell;

/// What one step of a batch does.
// There is one at a time, and a box would cost the copy.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BatchStep {
    /// The windows have passed `layers` layers of `of`.
    Passed {
        /// Layers that they have passed.
        layers: usize,
        /// Layers that they have to pass.
        of: usize,
    },
    /// The iteration at the present cell has done so many steps.
    Iterated {
        /// Steps.
        iterations: usize,
        /// Its relative residual, where a step has computed one.
        relative_residual: Option<f64>,
    },
    /// Some rows of the bounds at the present cell are computed.
    Bounded,
    /// A cell is measured.
    Row(Cell, Estimate),
    /// No cell is left.
    Done,
}

impl BatchStep {
    /// What a step at a cell did.
    pub(crate) fn at_cell(cell: Cell, step: EstimateStep) -> Self {
        match step {
            EstimateStep::Going(iterations, residual) => {
                BatchStep::Iterated { iterations, relative_residual: residual.is_finite().then_some(residual) }
            }
            EstimateStep::Bounding => BatchStep::Bounded,
            EstimateStep::Done(found) => BatchStep::Row(cell, found),
        }
    }
}
