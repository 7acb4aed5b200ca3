//! The places in a lesson's text: the quantity of each, and the plot that has it.

use crate::field::{AnyField, Field};
use crate::page::PlotChoice;
use lipscope_core::bounds::{BoundId, Statement};
use lipscope_protocol::train::Kind as TrainedKind;

/// A number of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// The local Lipschitz constant.
    Spectral,
    /// The local Lipschitz constant divided by sqrt(n).
    Ratio,
    /// The radius of the ball on which the bounds hold.
    Radius,
    /// The most attention that one token receives.
    ColumnSum,
    /// The Frobenius norm of J.
    Frobenius,
    /// The largest sum of absolute values in a row of J.
    Linf,
    /// The largest sum of absolute values in a column of J.
    L1,
    /// The limit of the norm as the tokens are scaled up.
    LargeRadius,
    /// Lanczos steps.
    Steps,
    /// The relative residual of the spectral norm.
    Residual,
    /// The smallest of the upper bounds on the ball.
    BestBound,
    /// The largest norm known in the ball: the best lower bound, or the norm at tokens that were measured or found.
    BestLower,
    /// A bound.
    Bound(BoundId),
    /// A bound divided by the norm.
    Times(BoundId),
    /// The slack of the steps of a bound's proof, in words.
    Losses(BoundId),
}

/// A number of the curves over n, at the n that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthReading {
    /// The value of a bound at this n.
    Bound(BoundId),
    /// The smallest upper bound.
    Best,
    /// The largest norm known: the best lower bound, or the norm at tokens that were measured or found.
    Worst,
    /// The exact norm of the adversarial tokens.
    Exact,
    /// The best upper bound divided by the largest norm known.
    Gap,
    /// The radius R at this n.
    Radius,
    /// The n at which the growth like sqrt(n) ends, e^(2a).
    Crossover,
    /// a = ||A|| R^2.
    A,
}

/// A number of the scaled tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaled {
    /// The exponent with which the norm of dot-product attention grows with R.
    SlopeDot,
    /// The exponent with which the norm of L2 attention grows with R.
    SlopeL2,
    /// The largest R.
    Radius,
    /// The norm of dot-product attention at the largest R.
    Dot,
    /// The norm of L2 attention at the largest R.
    L2,
}

/// A number of the search at its largest n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TightnessReading {
    /// The largest n.
    N,
    /// The largest norm found.
    Found,
    /// The value of the bound.
    Bound,
    /// The largest norm found, divided by the bound.
    Ratio,
}

/// The attention that is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// L2 multi-head attention.
    L2,
    /// Dot-product attention.
    Dot,
}

/// A number of an inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inverse {
    /// How it ended, in words.
    Outcome,
    /// The error after the last iteration.
    Error,
    /// The residual after the last iteration.
    Residual,
    /// The constant used for Lip(F).
    Constant,
    /// How many iterations there were.
    Steps,
}

/// A number of a trained model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trained {
    /// The step of the last measurement.
    Step,
    /// The held-out loss at this step.
    Loss,
    /// The largest local Lipschitz constant of a layer at this step.
    Norm,
    /// The largest local Lipschitz constant of a layer before the first step.
    FirstNorm,
    /// The bound on the layer with the largest constant at this step.
    Bound,
    /// The characters that were sent through the model, to be run backwards.
    Sent,
    /// The characters that came back.
    Back,
    /// The largest error of an embedding that came back.
    Error,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A setting of the controls or of the labs.
    Chosen(AnyField),
    /// A number of the last measurement.
    Measured(Measured),
    /// The slope of log L on log n over the draws.
    Slope,
    /// A number of the curves over n.
    Growth(GrowthReading),
    /// A number of the scaled tokens.
    Scaled(Scaled),
    /// A number of the search for tokens at which the bound is tight.
    Tightness(TightnessReading),
    /// A number of an inverse.
    Inverse(Kind, Inverse),
    /// A number of a trained model.
    Trained(TrainedKind, Trained),
    /// The trained model that is looked closely at, in words.
    TrainedShown,
}

/// Every place that takes no further word.
const PLAIN: [(&str, Slot); 38] = [
    ("n", Slot::Chosen(AnyField::Controls(Field::N))),
    ("d", Slot::Chosen(AnyField::Controls(Field::D))),
    ("R", Slot::Chosen(AnyField::Controls(Field::RADIUS))),
    ("heads", Slot::Chosen(AnyField::Controls(Field::HEADS))),
    ("draws", Slot::Chosen(AnyField::Controls(Field::DRAWS))),
    ("longest", Slot::Chosen(AnyField::Controls(Field::SWEEP_MAX))),
    ("at", Slot::Chosen(AnyField::Controls(Field::GROWTH_AT))),
    ("c", Slot::Chosen(AnyField::Labs(Field::INVERSE_C))),
    ("measured", Slot::Measured(Measured::Spectral)),
    ("ratio", Slot::Measured(Measured::Ratio)),
    ("radius", Slot::Measured(Measured::Radius)),
    ("column-sum", Slot::Measured(Measured::ColumnSum)),
    ("frobenius", Slot::Measured(Measured::Frobenius)),
    ("linf", Slot::Measured(Measured::Linf)),
    ("l1", Slot::Measured(Measured::L1)),
    ("large-radius", Slot::Measured(Measured::LargeRadius)),
    ("steps", Slot::Measured(Measured::Steps)),
    ("residual", Slot::Measured(Measured::Residual)),
    ("best-bound", Slot::Measured(Measured::BestBound)),
    ("best-lower", Slot::Measured(Measured::BestLower)),
    ("slope", Slot::Slope),
    ("best-there", Slot::Growth(GrowthReading::Best)),
    ("worst-there", Slot::Growth(GrowthReading::Worst)),
    ("exact-there", Slot::Growth(GrowthReading::Exact)),
    ("gap", Slot::Growth(GrowthReading::Gap)),
    ("radius-there", Slot::Growth(GrowthReading::Radius)),
    ("crossover", Slot::Growth(GrowthReading::Crossover)),
    ("a", Slot::Growth(GrowthReading::A)),
    ("scaled-slope-dot", Slot::Scaled(Scaled::SlopeDot)),
    ("scaled-slope-l2", Slot::Scaled(Scaled::SlopeL2)),
    ("scaled-radius", Slot::Scaled(Scaled::Radius)),
    ("scaled-dot", Slot::Scaled(Scaled::Dot)),
    ("scaled-l2", Slot::Scaled(Scaled::L2)),
    ("tight-n", Slot::Tightness(TightnessReading::N)),
    ("tight-found", Slot::Tightness(TightnessReading::Found)),
    ("tight-bound", Slot::Tightness(TightnessReading::Bound)),
    ("tight-ratio", Slot::Tightness(TightnessReading::Ratio)),
    ("trained-shown", Slot::TrainedShown),
];

/// The numbers of an inverse.
const INVERSE: [(&str, Inverse); 5] = [
    ("outcome", Inverse::Outcome),
    ("error", Inverse::Error),
    ("residual", Inverse::Residual),
    ("constant", Inverse::Constant),
    ("steps", Inverse::Steps),
];

/// The numbers of a trained model. In a place, the kind of the model follows the word.
const TRAINED: [(&str, Trained); 8] = [
    ("trained-step", Trained::Step),
    ("trained-loss", Trained::Loss),
    ("trained-norm", Trained::Norm),
    ("trained-first", Trained::FirstNorm),
    ("trained-bound", Trained::Bound),
    ("trained-sent", Trained::Sent),
    ("trained-back", Trained::Back),
    ("trained-error", Trained::Error),
];

impl Slot {
    /// The slot that words name; `None` where they name nothing.
    #[must_use]
    pub fn parse(words: &str) -> Option<Self> {
        if let Some((_, slot)) = PLAIN.iter().find(|(name, _)| *name == words) {
            return Some(*slot);
        }
        let (name, rest) = words.split_once(' ')?;
        let bound = || Statement::by_id(rest);
        let inverse = |kind| {
            let what = INVERSE.iter().find(|(known, _)| *known == rest)?;
            Some(Slot::Inverse(kind, what.1))
        };
        match name {
            "bound" => bound().map(|id| Slot::Measured(Measured::Bound(id))),
            "times" => bound().map(|id| Slot::Measured(Measured::Times(id))),
            "losses" => bound().map(|id| Slot::Measured(Measured::Losses(id))),
            "there" => bound().map(|id| Slot::Growth(GrowthReading::Bound(id))),
            "inverse-l2" => inverse(Kind::L2),
            "inverse-dot" => inverse(Kind::Dot),
            _ => {
                let (_, what) = TRAINED.iter().find(|(known, _)| *known == name)?;
                TrainedKind::by_id(rest).map(|kind| Slot::Trained(kind, *what))
            }
        }
    }

    /// The words of its place: what [`Slot::parse`] takes.
    #[must_use]
    pub fn words(self) -> String {
        if let Some((name, _)) = PLAIN.iter().find(|(_, slot)| *slot == self) {
            return (*name).to_owned();
        }
        let inverse = |what: Inverse| INVERSE.iter().find(|(_, known)| *known == what).map_or("", |(name, _)| *name);
        match self {
            Slot::Measured(Measured::Bound(id)) => format!("bound {}", id.id()),
            Slot::Measured(Measured::Times(id)) => format!("times {}", id.id()),
            Slot::Measured(Measured::Losses(id)) => format!("losses {}", id.id()),
            Slot::Growth(GrowthReading::Bound(id)) => format!("there {}", id.id()),
            Slot::Inverse(Kind::L2, what) => format!("inverse-l2 {}", inverse(what)),
            Slot::Inverse(Kind::Dot, what) => format!("inverse-dot {}", inverse(what)),
            Slot::Trained(kind, what) => {
                let name = TRAINED.iter().find(|(_, known)| *known == what).map_or("", |(name, _)| *name);
                format!("{name} {}", kind.id())
            }
            _ => String::new(),
        }
    }

    /// Whether its value is a phrase, which may break between lines.
    #[must_use]
    pub fn is_in_words(self) -> bool {
        matches!(self, Slot::Measured(Measured::Losses(_)) | Slot::Inverse(_, Inverse::Outcome) | Slot::TrainedShown)
    }

    /// The only plot that computes it; `None` where every plot does.
    #[must_use]
    pub fn plot(self) -> Option<PlotChoice> {
        match self {
            Slot::Growth(_) => Some(PlotChoice::Growth),
            Slot::Scaled(_) => Some(PlotChoice::Scaled),
            Slot::Tightness(_) => Some(PlotChoice::Tightness),
            Slot::Inverse(..) => Some(PlotChoice::Inverse),
            Slot::Trained(..) | Slot::TrainedShown => Some(PlotChoice::Train),
            Slot::Chosen(_) | Slot::Measured(_) | Slot::Slope => None,
        }
    }
}
