//! The workers' answers so far, in signals that the views read. Features read answers here; no feature reads from
//! another one.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `measured` | the measurement at the present tokens, and the bounds on their ball |
//! | `sweep`, `curves` | the draws over n, and the bounds over n |
//! | `known`, `falls` | all tokens that were measured or found, and the worst of them |
//! | `inverse` | the inverses of both attentions |
//! | `trained` | the runs of training |

mod curves;
mod falls;
mod inverse;
mod known;
mod measured;
mod sweep;
mod trained;

use std::sync::Arc;

use crate::prelude::*;

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Experiment, Rows};
use lipscope_core::scaling::ScalingPoint;
use lipscope_core::tightness::TightnessPoint;

use crate::phase::ModelPhase;
use crate::plans;
use crate::query::{AtFailure, Engine, Query};
use crate::state::{PageState, TokenChoice};
use crate::strings::Message;
use crate::workers::EngineLane;

pub use curves::Curves;
pub use falls::{Fall, carrying};
pub use inverse::{Pair, Side, Which};
pub use known::{
    Known, KnownOfMap, KnownTokens, LowerAt, WorstKnown, larger, with_worst_known, worst_in_effect, worst_of_this_page,
    written_reached,
};
pub use measured::{BallFacts, First, Measured};
pub use sweep::{Sweep, n_points, values};
pub use trained::{Backwards, RunState, TrainRun, TrainedModel};

/// A sentence about a wrong value, and the control that it stands at.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The id of the control.
    pub place: &'static str,
    /// The message at the control.
    pub text: Message,
}

/// Tokens that were opened from a window of text, with the words that they stand for.
#[derive(Clone)]
pub struct TokenWords {
    /// The tokens, one row for each.
    pub tokens: Rows,
    /// The word of each token.
    pub words: Arc<[String]>,
}

/// The signals that the views read.
#[derive(Clone, Copy)]
pub struct Answers {
    /// The last good measurement.
    pub measured: Query<Option<Arc<Measured>>>,
    /// The norm that a measurement has found first, while the rest of it is on its way.
    pub first: RwSignal<Option<First>>,
    /// The bounds on the ball at the present n, and its worst tokens.
    pub ball: Query<Option<Arc<BallFacts>>>,
    /// The draws over n.
    pub sweep: Query<Sweep>,
    /// The bounds over n beside the draws.
    pub bounds: Query<Curves>,
    /// The curves of the view over n.
    pub growth: Query<Curves>,
    /// All tokens that were measured or found.
    pub known: RwSignal<KnownTokens>,
    /// The results of searches, one for each n and ball.
    pub searched: RwSignal<Vec<SearchFound>>,
    /// The scaled tokens of the lab; lessons read them too.
    pub scaling: Query<Vec<ScalingPoint>>,
    /// The lab's searches, one at each n; lessons read them too.
    pub tightness: Query<Vec<TightnessPoint>>,
    /// The inverses of the lab; lessons read them too.
    pub inverse: Query<Pair>,
    /// The runs of training, in the order in which they take turns.
    pub training: RwSignal<Vec<TrainRun>>,
    /// The number of the run of training whose details are shown.
    pub training_shown: RwSignal<Option<u64>>,
    /// The state of the run over windows of text.
    pub model_phase: RwSignal<ModelPhase>,
    /// A trained model that the view of models is to open.
    pub trained_model: RwSignal<Option<TrainedModel>>,
    /// The words of a window of text that was opened as tokens.
    pub words: RwSignal<Option<TokenWords>>,
    /// What is wrong with the last edit.
    pub problem: RwSignal<Option<Problem>>,
    /// A line about the reader's own data: the page is reading them, or now uses them.
    pub own_note: RwSignal<String>,
    /// A line about the Python program that the reader requested: it is being written, or it cannot be written.
    pub script_note: RwSignal<String>,
    /// The text for a screen reader. It changes only once the measured number has rested for a while.
    pub announcement: RwSignal<String>,
}

impl Answers {
    /// The signals before the first answer.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let lab = EngineLane::Lab;
        Answers {
            // Measurement and ball hold the plan that they answer, so the last good ones stay on screen.
            measured: Query::new(engine, EngineLane::Measure, AtFailure::Keep),
            first: RwSignal::new(None),
            ball: Query::new(engine, EngineLane::Ball, AtFailure::Keep),
            sweep: Query::new(engine, EngineLane::Sweep, AtFailure::Clear),
            bounds: Query::new(engine, EngineLane::Bounds, AtFailure::Clear),
            growth: Query::new(engine, EngineLane::Growth, AtFailure::Clear),
            known: RwSignal::default(),
            searched: RwSignal::default(),
            scaling: Query::new(engine, lab, AtFailure::Clear),
            tightness: Query::new(engine, lab, AtFailure::Clear),
            inverse: Query::new(engine, lab, AtFailure::Clear),
            training: RwSignal::default(),
            training_shown: RwSignal::new(None),
            model_phase: RwSignal::new(ModelPhase::Idle),
            trained_model: RwSignal::new(None),
            words: RwSignal::new(None),
            problem: RwSignal::new(None),
            own_note: RwSignal::new(String::new()),
            script_note: RwSignal::new(String::new()),
            announcement: RwSignal::new(String::new()),
        }
    }

    /// Adds to the tokens that are known; readers hear of it only where anything is new.
    pub fn remember(self, add: &dyn Fn(&mut KnownTokens) -> bool) {
        if self.known.try_update_untracked(|all| add(all)) == Some(true) {
            self.known.notify();
        }
    }

    /// The words of a state's tokens, where the tokens are a window of text. Tracks the signal `words`.
    #[must_use]
    pub fn words_of(self, state: &PageState) -> Option<Arc<[String]>> {
        self.words.with(|words| {
            let TokenWords { tokens, words } = words.as_ref()?;
            let is_shown = state.tokens == TokenChoice::Own && state.own_tokens.as_ref() == Some(tokens);
            is_shown.then(|| Arc::clone(words))
        })
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchFound {
    /// Number of tokens.
    pub n: f64,
    /// The norm at the best tokens.
    pub norm: f64,
    /// Dimension of a token.
    pub d: usize,
    /// R of the search.
    pub radius: f64,
    /// The largest norm of the best tokens.
    pub largest_norm: f64,
    /// The map that was searched: see [`plans::map`].
    pub map: Experiment,
}

impl SearchFound {
    /// Whether this result holds for a state whose ball has this radius. A search maximises the spectral norm, so its
    /// result holds for no other norm.
    #[must_use]
    pub fn is_about(&self, state: &PageState, radius: f64) -> bool {
        // Tokens of another dimension are no tokens of this state.
        if state.norm != Norm::Spectral || state.dim() != self.d {
            return false;
        }
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        (same(radius, self.radius) || same(radius, self.largest_norm)) && plans::map(state) == self.map
    }
}
