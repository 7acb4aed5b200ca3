//! The gap between what is proved from above and from below: the best upper bound on a ball over the best lower one, at
//! a grid of n and R.
//!
//! Both bounds are closed forms or exact norms of tokens that a proof names; nothing is searched. In grids of up to 1e9
//! tokens, the digits of a cell do not depend on the others.

use serde::{Deserialize, Serialize};

use crate::bounds::{Absence, Bound, BoundsOverN, Hypotheses, Norm, Side, best_lower, best_upper};
use crate::experiment::{Experiment, InputError, Memory};
use crate::extremum::maximum;
use crate::growth::{MOST_N, hypotheses_of_ball_within};
use crate::phrase;

/// The numbers of tokens of the usual grid: 1, 2 and 5 times the powers of ten, as far as they are from 2 to 1e9.
pub const DEFAULT_LENGTHS: [f64; 27] = [
    2.0, 5.0, 1e1, 2e1, 5e1, 1e2, 2e2, 5e2, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7,
    1e8, 2e8, 5e8, 1e9,
];
/// R of the usual grid: about 1.19 from one to the next, rounded to two digits.
pub const DEFAULT_RADII: [f64; 16] =
    [0.3, 0.36, 0.42, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 1.7, 2.0, 2.4, 2.8, 3.4, 4.0];
/// What all n share is computed for at least this many tokens, so that it is the same in all grids up to here.
const LEAST_LONGEST: f64 = 1e9;
/// The most cells of a grid.
pub const MOST_CELLS: usize = 4000;
/// The largest R of a grid.
pub const MOST_RADIUS: f64 = 1e6;

/// The weights, mask and steps of attention, and the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapPlan {
    /// Gives everything but n and R.
    pub experiment: Experiment,
    /// R of each row.
    pub radii: Vec<f64>,
    /// The number of tokens of each column.
    pub lengths: Vec<f64>,
}

/// The best bounds on the spectral norm at one n and R.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapCell {
    /// Number of tokens.
    pub n: f64,
    /// R of the ball.
    pub radius: f64,
    /// The highest lower bound.
    pub lower: Option<Bound>,
    /// The lowest upper bound.
    pub upper: Option<Bound>,
    /// Where one of them is missing: which, and why. The upper one where both are.
    pub absent: Option<(Side, Absence)>,
}

impl GapCell {
    /// log10 of upper over lower; `None` where one of them is missing, or the lower one is zero.
    #[must_use]
    pub fn log10(&self) -> Option<f64> {
        let log10 = self.upper.as_ref()?.log10 - self.lower.as_ref()?.log10;
        log10.is_finite().then_some(log10)
    }

    /// Upper over lower, infinite above the range of f64; `None` as for [`GapCell::log10`].
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let log10 = self.log10()?;
        let values = self.upper.as_ref()?.value.zip(self.lower.as_ref()?.value.filter(|value| *value > 0.0));
        Some(values.map_or_else(|| libm::pow(10.0, log10), |(upper, lower)| upper / lower))
    }
}

/// A ratio of bounds, and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WidestGap<P> {
    /// log10 of upper over lower.
    pub log10: f64,
    /// Where.
    pub at: P,
}

impl<P> WidestGap<P> {
    /// The largest of these gaps, each given by its place and log10 of upper over lower; the first of equal ones. `None`
    /// without a finite one.
    pub fn of(gaps: impl IntoIterator<Item = (P, f64)>) -> Option<Self> {
        let finite = gaps.into_iter().filter(|(_, log10)| log10.is_finite());
        finite.fold(None, |widest: Option<Self>, (at, log10)| match widest {
            Some(widest) if widest.log10 >= log10 => Some(widest),
            _ => Some(WidestGap { log10, at }),
        })
    }
}

/// Computes the cells of a plan, one a step: row by row, each from the first n to the last.
#[derive(Clone, Debug)]
pub struct Gap {
    hypotheses: Hypotheses,
    radii: Vec<f64>,
    lengths: Vec<f64>,
    next: usize,
    row: Option<Row>,
}

/// The hypotheses at an R, and the parts of the bounds that all n share.
#[derive(Clone, Debug)]
struct Row {
    hypotheses: Hypotheses,
    bounds: BoundsOverN,
}

impl Gap {
    /// The cells of a plan, within `memory`.
    ///
    /// # Errors
    /// [`InputError`] if the grid is empty, too large or out of range, or the experiment cannot be built or would take
    /// more than this memory.
    pub fn new_within(plan: &GapPlan, memory: Memory) -> Result<Self, InputError> {
        let GapPlan { experiment, radii, lengths } = plan;
        let count = radii.len().saturating_mul(lengths.len());
        if radii.is_empty() || count > MOST_CELLS || !radii.iter().all(|r| *r > 0.0 && *r <= MOST_RADIUS) {
            let expected = phrase!(
                "radii_of_grid",
                "numbers above 0, up to {most}, for a grid of at most {cells} cells",
                most = MOST_RADIUS,
                cells = MOST_CELLS
            );
            return Err(InputError::bad_value(phrase!("radii", "The list of radii"), format!("{radii:?}"), expected));
        }
        if lengths.is_empty() || !lengths.iter().all(|n| (2.0..=MOST_N).contains(n)) {
            let expected = phrase!("lengths_of_grid", "numbers of tokens from 2 to 1e300");
            let what = phrase!("lengths", "The list of lengths");
            return Err(InputError::bad_value(what, format!("{lengths:?}"), expected));
        }
        let what = phrase!("gap_of_bounds", "The gap between the bounds");
        let hypotheses = hypotheses_of_ball_within(experiment, what, memory)?;
        Ok(Gap { hypotheses, radii: radii.clone(), lengths: lengths.clone(), next: 0, row: None })
    }

    /// The number of cells done, and the number of all cells.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.radii.len() * self.lengths.len())
    }

    /// The next cell; `None` at the end.
    pub fn step(&mut self) -> Option<GapCell> {
        let radius = *self.radii.get(self.next / self.lengths.len())?;
        let column = self.next % self.lengths.len();
        self.next += 1;
        if column == 0 {
            self.row = None;
        }
        let longest = self.lengths.iter().copied().fold(LEAST_LONGEST, maximum);
        let row = self.row.get_or_insert_with(|| Row::new(&self.hypotheses, radius, longest));
        Some(row.cell(radius, self.lengths[column]))
    }
}

impl Row {
    fn new(hypotheses: &Hypotheses, radius: f64, longest: f64) -> Self {
        // The outputs of a normaliser lie in a ball of their own, whatever the tokens.
        let is_normalized = hypotheses.is_normalized();
        let hypotheses = if is_normalized { hypotheses.clone() } else { hypotheses.with_radius(radius) };
        Row { bounds: BoundsOverN::new(hypotheses.clone(), longest), hypotheses }
    }

    fn cell(&self, radius: f64, n: f64) -> GapCell {
        let norm = Norm::Spectral;
        let bounds = self.bounds.at(n);
        let (lower, upper) = (best_lower(&bounds, norm).cloned(), best_upper(&bounds, norm).cloned());
        let missing = match (&lower, &upper) {
            (_, None) => Some(Side::Upper),
            (None, _) => Some(Side::Lower),
            _ => None,
        };
        let absent = missing.and_then(|side| Some((side, self.hypotheses.with_n(n).why_none(&bounds, norm, side)?)));
        GapCell { n, radius, lower, upper, absent }
    }
}
