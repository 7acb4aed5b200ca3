//! The inverses of both attentions, as far as they have come. The lab shows them, and lessons read them.

use lipscope_core::experiment::Attention;
use lipscope_core::inverse::{ConstantKind, InverseStep, Outcome, Places};
use lipscope_protocol::tasks::InverseEvent;

/// One of the two attentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// L2 multi-head attention.
    L2,
    /// Dot-product attention.
    Dot,
}

impl Which {
    /// Its word in ids.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Which::L2 => "l2",
            Which::Dot => "dot",
        }
    }

    /// Its side of a pair.
    #[must_use]
    pub fn of(self, pair: &Pair) -> &Side {
        match self {
            Which::L2 => &pair.l2,
            Which::Dot => &pair.dot,
        }
    }
}

/// Both attentions.
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
            Attention::Dot => &mut self.dot,
        }
    }

    /// The last iteration on screen: that of the longer side. A side that stalls or diverges counts as `A_LITTLE` steps
    /// at most.
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
    /// L, and whether it is exact or a bound.
    pub constant: Option<(f64, ConstantKind)>,
    /// The positions of X in the plane; empty where there are too many tokens to draw.
    pub tokens: Places,
    /// Y.
    pub images: Places,
    /// Iterations so far.
    pub steps: Vec<InverseStep>,
    /// How it ended.
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

    /// The last iteration.
    #[must_use]
    pub fn last(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// An iteration; past the end, the last one.
    #[must_use]
    pub fn step(&self, iteration: usize) -> Option<&InverseStep> {
        self.steps.get(iteration.min(self.last()))
    }
}
