//! The iterations that invert both attentions, as they arrive. The lab shows them, and lessons read them.

use lipscope_core::experiment::Attention;
use lipscope_core::inverse::{ConstantKind, InverseStep, Outcome, Places};
use lipscope_protocol::tasks::InverseEvent;

/// One of the two attentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Which {
    /// L2 multi-head attention.
    L2,
    /// Dot-product attention.
    Dot,
}

impl Which {
    /// The word for it in ids.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// The side of a pair that belongs to this attention.
    #[must_use]
    pub fn of(self, pair: &Pair) -> &Side {
        match self {
            Which::L2 => &pair.l2,
            Which::Dot => &pair.dot,
        }
    }
}

/// The inverses of both attentions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// L2 multi-head attention.
    pub l2: Side,
    /// Dot-product attention.
    pub dot: Side,
}

impl Pair {
    /// The side of an attention.
    pub fn side(&mut self, attention: Attention) -> &mut Side {
        match attention {
            Attention::L2 => &mut self.l2,
            Attention::Dot | Attention::Cosine | Attention::Linear => &mut self.dot,
        }
    }

    /// The last iteration on screen: the last one of the side with more steps. A side that stalls or diverges counts
    /// with at most `A_LITTLE` steps.
    #[must_use]
    pub fn last(&self) -> usize {
        const A_LITTLE: usize = 48;
        let of = |side: &Side| match side.outcome {
            Some(Outcome::Stalled | Outcome::Diverged) => side.last().min(A_LITTLE),
            _ => side.last(),
        };
        of(&self.l2).max(of(&self.dot))
    }
}

/// The inverse of one attention.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// The constant that the inversion uses for Lip(F), and where it comes from.
    pub constant: Option<(f64, ConstantKind)>,
    /// The positions of X in the plane; empty where there are too many tokens to draw.
    pub tokens: Places,
    /// The positions of the images Y in the plane.
    pub images: Places,
    /// Iterations so far.
    pub steps: Vec<InverseStep>,
    /// How the inversion ended; `None` while it runs.
    pub outcome: Option<Outcome>,
}

impl Side {
    /// Adds an event of this inverse.
    pub fn take(&mut self, event: InverseEvent) {
        match event {
            InverseEvent::Begins { constant, kind, tokens, images } => {
                *self = Side { constant: Some((constant, kind)), tokens, images, ..Side::default() };
            }
            InverseEvent::Steps { steps, outcome } => {
                self.steps.extend(steps);
                self.outcome = outcome;
            }
        }
    }

    /// The index of the last iteration so far.
    #[must_use]
    pub fn last(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// An iteration; past the end, the last one. `None` before the first.
    #[must_use]
    pub fn step(&self, iteration: usize) -> Option<&InverseStep> {
        self.steps.get(iteration.min(self.last()))
    }
}
