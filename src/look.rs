//! Which bound, which token and which arrows the reader looks at, and which parts of the page are hidden. The views
//! show this; lessons set the first three.

use crate::prelude::*;

use lipscope_core::bounds::{BoundId, SHARP};
use lipscope_core::picture::PairRequest;

use crate::state::{Assigned, Guessed, HiddenParts, PlotChoice};

/// Whose attention the lines at the selected token show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lines {
    /// Its own: a row of the attention matrix.
    #[default]
    Given,
    /// That of all tokens, as far as they give it to the selected one: a column. Lessons show it.
    Received,
}

/// What the reader looks at.
#[derive(Clone, Copy)]
pub struct Look {
    /// The selected row of the bound ladder; `None` is the measured norm.
    pub rung: RwSignal<Option<BoundId>>,
    /// The token that is selected, from zero.
    pub token: RwSignal<Option<usize>>,
    /// Whether the attention lines of the selected token are shown.
    pub has_row: RwSignal<bool>,
    /// Whose attention these lines show.
    pub lines: RwSignal<Lines>,
    /// Whether the leading singular pair is shown.
    pub has_pair: RwSignal<bool>,
    /// The radius of the ball that tokens cannot leave, where there is one.
    pub wall: RwSignal<Option<f64>>,
    /// Whether numbers and pictures are covered until the reader has guessed them.
    pub is_covered: RwSignal<bool>,
    /// The parts of the page that are hidden.
    pub hidden: RwSignal<HiddenParts>,
    /// The answer of a student that the link shows; `None` where the reader answers.
    pub answer: RwSignal<Option<Guessed>>,
    /// The goals that this student had reached; `None` where nobody has handed the scene in.
    pub reached: RwSignal<Option<Vec<String>>>,
    /// What the reader is asked to do, where the link is an assignment.
    pub assigned: RwSignal<Option<Assigned>>,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            // The row is known by the id of its bound: its place changes with mask and kernel.
            rung: RwSignal::new(Some(&SHARP)),
            token: RwSignal::new(None),
            has_row: RwSignal::new(true),
            lines: RwSignal::default(),
            has_pair: RwSignal::new(false),
            wall: RwSignal::new(None),
            is_covered: RwSignal::new(false),
            hidden: RwSignal::new(HiddenParts::default()),
            answer: RwSignal::new(None),
            reached: RwSignal::new(None),
            assigned: RwSignal::new(None),
        }
    }
}

impl Look {
    /// Leaves what a student has handed in: from here on the reader answers.
    pub fn leave_student(self) {
        set_if_new(self.answer, None);
        set_if_new(self.reached, None);
    }

    /// Whether the worker is asked for the pair.
    pub fn pair_wanted(self, plot: PlotChoice) -> PairRequest {
        if self.has_pair.get() || plot == PlotChoice::Explore { PairRequest::Included } else { PairRequest::Skipped }
    }

    /// The index of the token whose row is shown, where it is one of n tokens.
    pub fn row_of(self, n: usize) -> Option<usize> {
        self.token_of(n).filter(|_| self.has_row.get() && self.lines.get() == Lines::Given)
    }

    /// The index of the selected token, where it is one of n tokens.
    pub fn token_of(self, n: usize) -> Option<usize> {
        self.token.get().filter(|token| *token < n)
    }
}
