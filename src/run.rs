//! A lab's request to the engine, and its result. The lab shows the result, and lessons read it.

use lipscope_core::experiment::Attention;
use lipscope_core::inverse::{ConstantKind, InverseStep, Outcome, Places};
use lipscope_core::scaling::ScalingPoint;
use lipscope_core::tightness::TightnessPoint;
use lipscope_protocol::tasks::{EnginePlan, InverseEvent};

use crate::phase::Phase;

/// The engine's work in order, or a sentence that says why there is none.
pub type Request = Result<Vec<EnginePlan>, &'static str>;

/// The result of the scaled tokens.
pub type ScalingRun = Run<Vec<ScalingPoint>>;
/// The result of the search for clusters at which L2 attention comes close to its bound.
pub type TightnessRun = Run<Vec<TightnessPoint>>;
/// The result of the inverses.
pub type InverseRun = Run<Pair>;

/// The latest work of a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run<T> {
    /// The request.
    pub of: Option<Request>,
    /// Its state.
    pub phase: Phase,
    /// Finished steps, and all steps.
    pub progress: (usize, usize),
    /// The results so far; until the first answer, those of the previous work.
    pub data: T,
    /// Whether the data belong to the previous work.
    is_old: bool,
}

impl<T: Default> Run<T> {
    /// Begins new work. The previous results stay in sight until the first answer.
    pub fn begin(&mut self, of: Request) {
        self.of = Some(of);
        self.phase = Phase::Running;
        self.progress = (0, 0);
        self.is_old = true;
    }

    /// The data, cleared first if they belong to the previous work.
    pub fn fresh(&mut self) -> &mut T {
        if std::mem::take(&mut self.is_old) {
            self.data = T::default();
        }
        &mut self.data
    }

    /// The data, kept even if they belong to the previous work: new parts replace old ones one by one.
    pub fn renewed(&mut self) -> &mut T {
        self.is_old = false;
        &mut self.data
    }

    /// Whether the data belong to the previous work, and new ones are on their way.
    pub fn is_stale(&self) -> bool {
        self.is_old && self.is_running()
    }

    /// Ends the work.
    pub fn end(&mut self, phase: &Phase) {
        self.phase = phase.clone();
        if matches!(phase, Phase::Failed(_)) {
            self.fresh();
        }
    }

    /// Whether the work is running.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }
}

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

    /// The last iteration on screen. An iteration that stalls or diverges is shown as far as the other one, or for a
    /// few steps.
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
    /// X, if there are few tokens.
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
