//! The measurement at the present tokens, and the bounds on their ball.

use lipscope_core::measure::Measurement;
use lipscope_core::picture::{AttentionPicture, TokenPicture, TopPair};
use lipscope_protocol::tasks::{Ball, BallPlan, MeasurePlan};

use crate::plans;
use crate::state::PageState;

/// A measurement and its pictures.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The norms and the bounds, and how they were computed.
    pub measurement: Measurement,
    /// The attention matrix.
    pub attention: AttentionPicture,
    /// The picture of the tokens.
    pub tokens: TokenPicture,
    /// The leading singular pair, where it was asked for and can be pictured.
    pub pair: Option<TopPair>,
    /// Milliseconds that the worker took.
    pub milliseconds: f64,
    /// The plan that it answers.
    pub of: MeasurePlan,
    /// The state that was measured.
    pub state: PageState,
    /// The state of the controls. Where it names the worst tokens, `state` lists them.
    pub chosen: PageState,
}

impl Measured {
    /// This measurement, with the signs of its axes and vectors chosen as in an earlier one: the mathematics leaves
    /// these signs open.
    #[must_use]
    pub fn aligned_with(self, earlier: &Measured) -> Self {
        let pair = match (self.pair, &earlier.pair) {
            (Some(pair), Some(earlier)) => Some(pair.aligned_with(earlier)),
            (pair, _) => pair,
        };
        Measured { tokens: self.tokens.aligned_with(&earlier.tokens), pair, ..self }
    }

    /// Whether its numbers are those of a state. Whether it also has the singular pair makes no difference: the pair is
    /// a picture, and changes no number.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of == plans::measurement(state, self.of.pair)
    }
}

/// The bounds on a ball and its worst tokens, with the plan that they answer.
#[derive(Clone, Debug)]
pub struct BallFacts {
    /// The plan that they answer.
    pub of: BallPlan,
    /// The bounds, and the worst tokens known.
    pub ball: Ball,
}

impl BallFacts {
    /// A ball without bounds, so that the numbers need not wait for bounds.
    #[must_use]
    pub fn without_bounds(of: BallPlan, radius: f64) -> Self {
        let ball = Ball { n: of.n, radius, bounds: Vec::new(), limit: Vec::new(), worst: None, growth_ends: None };
        BallFacts { of, ball }
    }

    /// Whether these bounds belong to a state.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of == plans::ball(state)
    }
}
