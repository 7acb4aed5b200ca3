//! The workers' answers so far, in signals that the views read.

use std::sync::Arc;

use crate::prelude::*;

use lipscope_core::bounds::{BoundId, Norm};
use lipscope_core::experiment::{InputError, Rows};
use lipscope_core::fit::{PowerLaw, fit_power_law};
use lipscope_core::growth::{Crossover, FamilyPoint, Growth, GrowthRow};
use lipscope_core::measure::Measurement;
use lipscope_core::picture::{AttentionPicture, TokenPicture, TopPair};
use lipscope_core::sweep::SweepPoint;
use lipscope_protocol::tasks::{Ball, BoundCurves};

use super::message::Message;
use super::phase::ModelPhase;
use super::run::{InverseRun, ScalingRun, TightnessRun};
use super::state::{PageState, Shared, TokenChoice};
use super::trained::{TrainRun, TrainedModel};

/// A measurement, its pictures, and its state.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The numbers.
    pub measurement: Measurement,
    /// The attention matrix.
    pub attention: AttentionPicture,
    /// The tokens.
    pub tokens: TokenPicture,
    /// The leading singular pair, where it was asked for and can be pictured.
    pub pair: Option<TopPair>,
    /// Milliseconds that the worker took.
    pub milliseconds: f64,
    /// The state that was measured.
    pub state: PageState,
}

/// The progress of a long measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureProgress {
    /// Lanczos steps.
    pub iterations: usize,
    /// Relative residual so far.
    pub relative_residual: Option<f64>,
}

/// The state of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepPhase {
    /// It has not begun.
    #[default]
    Waiting,
    /// Points come in.
    Running,
    /// The reader stopped it.
    Paused,
    /// All points are there.
    Done,
    /// The sweep has failed.
    Failed,
}

impl SweepPhase {
    /// The phase's word in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            SweepPhase::Waiting => "waiting",
            SweepPhase::Running => "running",
            SweepPhase::Paused => "paused",
            SweepPhase::Done => "done",
            SweepPhase::Failed => "failed",
        }
    }
}

/// The bounds on a ball and its worst tokens, with the state they belong to.
#[derive(Clone, Debug)]
pub struct BallFacts {
    /// The state they belong to; see [`PageState::for_ball`].
    pub of: PageState,
    /// The bounds, and the worst tokens known.
    pub ball: Ball,
}

/// The curves over n up to 1e18.
#[derive(Clone, Debug, Default)]
pub struct GrowthData {
    /// The state they belong to.
    pub of: Option<PageState>,
    /// The curves; `None` before the first.
    pub growth: Option<Arc<Growth>>,
    /// Exact norms of the adversarial tokens so far, in order of n.
    pub family: Vec<FamilyPoint>,
    /// Why there are no curves.
    pub problem: Option<InputError>,
}

impl GrowthData {
    /// Whether the curves belong to this state.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of.as_ref() == Some(&state.for_growth())
    }

    /// Where the growth like sqrt(n) ends; `None` where it does not, or no bound shows it.
    #[must_use]
    pub fn crossover(&self, norm: Norm) -> Option<Crossover> {
        // The crossover belongs to dot-product attention, as these bounds do.
        let applies = self.growth.iter().flat_map(|growth| &growth.rows).flat_map(|row| &row.bounds);
        let applies = applies.into_iter().any(|bound| bound.id == BoundId::CastinGeneral && bound.id.is_about(norm));
        self.growth.as_ref().and_then(|growth| growth.crossover).filter(|_| applies)
    }

    /// The row at exactly this n.
    #[must_use]
    pub fn row(&self, n: f64) -> Option<&GrowthRow> {
        let rows = &self.growth.as_ref()?.rows;
        rows.binary_search_by(|row| row.n.total_cmp(&n)).ok().map(|at| &rows[at])
    }

    /// The exact norm of the adversarial tokens at exactly this n.
    #[must_use]
    pub fn exact(&self, n: f64) -> Option<f64> {
        self.family.binary_search_by(|point| point.n.total_cmp(&n)).ok().map(|at| self.family[at].spectral)
    }
}

/// The running sweep, or the last one.
#[derive(Clone, Debug, Default)]
pub struct SweepData {
    /// The state of the points.
    pub of: Option<PageState>,
    /// Points so far, in the order they came.
    pub points: Vec<SweepPoint>,
    /// Points of the earlier sweep, drawn faintly until this one reaches their n.
    pub before: Vec<SweepPoint>,
    /// The lengths n.
    pub lengths: Vec<usize>,
    /// Draws a length.
    pub draws: usize,
    /// The bounds over n.
    pub curves: Arc<BoundCurves>,
    /// The state of the bounds, see [`PageState::for_curves`]. They stay until the next sweep has its own.
    pub curves_of: Option<PageState>,
    /// Its state.
    pub phase: SweepPhase,
    /// When it began to run, on the page's clock.
    pub began: f64,
    /// The cost of the points that it had when it began to run.
    pub cost_before: f64,
    /// Why it failed.
    pub problem: Option<InputError>,
}

impl SweepData {
    /// Whether the points belong to this state.
    #[must_use]
    pub fn points_are_of(&self, state: &PageState) -> bool {
        self.of.as_ref() == Some(&state.for_sweeping())
    }

    /// Whether the bounds over n belong to this state.
    #[must_use]
    pub fn curves_are_of(&self, state: &PageState) -> bool {
        self.curves_of.as_ref() == Some(&state.for_curves())
    }

    /// Stores the bounds over n, which the page asks for together with the points.
    pub fn take_curves(&mut self, curves: BoundCurves) {
        self.curves = Arc::new(curves);
        self.curves_of = self.of.as_ref().map(PageState::for_curves);
    }

    /// Adds points, except those that it already has.
    pub fn take(&mut self, points: Vec<SweepPoint>) {
        for point in points {
            if !self.points.iter().rev().any(|old| (old.n, old.draw) == (point.n, point.draw)) {
                self.points.push(point);
            }
        }
    }

    /// The lengths at which draws are missing.
    #[must_use]
    pub fn missing(&self) -> Vec<usize> {
        let found = |n: usize| self.points.iter().filter(|point| point.n == n).count();
        self.lengths.iter().copied().filter(|n| found(*n) < self.draws).collect()
    }

    /// Points in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.lengths.len() * self.draws
    }

    /// The work of the points so far, in a unit of its own: a point costs about n^2.
    #[must_use]
    pub fn cost_so_far(&self) -> f64 {
        self.points.iter().map(|point| cost(point.n)).sum()
    }

    /// The work of all points.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.lengths.iter().map(|n| cost(*n) * self.draws as f64).sum()
    }

    /// Milliseconds until the end at the speed so far.
    #[must_use]
    pub fn milliseconds_left(&self, now: f64) -> Option<f64> {
        let (total, so_far) = (self.cost(), self.cost_so_far());
        let speed = (so_far - self.cost_before) / (now - self.began);
        (speed.is_finite() && speed > 0.0).then(|| (total - so_far) / speed)
    }

    /// (n, the norm) at the points where it is known.
    #[must_use]
    pub fn values(&self, norm: Norm) -> Vec<(f64, f64)> {
        values(&self.points, norm)
    }

    /// The slope of the logarithm of a norm on log n.
    #[must_use]
    pub fn slope(&self, norm: Norm) -> Option<PowerLaw> {
        fit_power_law(&self.values(norm))
    }
}

/// (n, the norm) at the points where it is known.
#[must_use]
pub fn values(points: &[SweepPoint], norm: Norm) -> Vec<(f64, f64)> {
    points.iter().filter_map(|point| Some((point.n as f64, point.norm(norm)?))).collect()
}

fn cost(n: usize) -> f64 {
    let n = n as f64;
    n * n + 400.0
}

/// A sentence about a wrong value, and the control that it stands at.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The id of the control.
    pub place: &'static str,
    /// The message at the control.
    pub text: Message,
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
    /// The map that was searched.
    pub map: PageState,
}

impl SearchFound {
    /// Whether it holds for a state whose ball has this radius. It holds for the spectral norm only.
    #[must_use]
    pub fn is_about(&self, state: &PageState, radius: f64) -> bool {
        // Tokens of one dimension say nothing about tokens of fewer dimensions.
        if state.norm != Norm::Spectral || state.dim() != self.d {
            return false;
        }
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        (same(radius, self.radius) || same(radius, self.largest_norm)) && state.for_map() == self.map
    }
}

/// The words of a text that some tokens stand for.
#[derive(Clone)]
pub struct TokenWords {
    /// The tokens.
    pub tokens: Shared<Rows>,
    /// A word for each.
    pub words: Arc<[String]>,
}

/// The signals that the views read.
#[derive(Clone, Copy)]
pub struct Live {
    /// The last good measurement.
    pub measured: RwSignal<Option<Arc<Measured>>>,
    /// The progress of the next measurement, when it takes long.
    pub progress: RwSignal<Option<MeasureProgress>>,
    /// The bounds on the ball at the present n, and its worst tokens.
    pub ball: RwSignal<Option<Arc<BallFacts>>>,
    /// The sweep.
    pub sweep: RwSignal<SweepData>,
    /// The curves over n up to 1e18.
    pub growth: RwSignal<GrowthData>,
    /// The results of searches, one for each n and ball.
    pub searched: RwSignal<Vec<SearchFound>>,
    /// The scaled tokens of the lab; lessons read them too.
    pub scaling: RwSignal<ScalingRun>,
    /// The search at each n of the lab; lessons read it too.
    pub tightness: RwSignal<TightnessRun>,
    /// The inverses of the lab; lessons read them too.
    pub inverse: RwSignal<InverseRun>,
    /// The runs of training, in the order in which they take turns.
    pub training: RwSignal<Vec<TrainRun>>,
    /// The state of the run over windows of text.
    pub model_phase: RwSignal<ModelPhase>,
    /// A trained model that the view of models is to open.
    pub trained_model: RwSignal<Option<TrainedModel>>,
    /// The words of a window of text that was opened as tokens.
    pub words: RwSignal<Option<TokenWords>>,
    /// What is wrong with the last edit.
    pub problem: RwSignal<Option<Problem>>,
    /// A line about own data: that the page reads them, or uses them.
    pub own_note: RwSignal<String>,
    /// A line about the requested Python program, while it is written or cannot be.
    pub script_note: RwSignal<String>,
    /// A line about the workers, when there is something to say.
    pub status: RwSignal<Option<String>>,
    /// Whether no worker can be started.
    pub is_down: RwSignal<bool>,
    /// The text for a screen reader, a while after the last change.
    pub announcement: RwSignal<String>,
}

impl Default for Live {
    fn default() -> Self {
        Live {
            measured: RwSignal::new(None),
            progress: RwSignal::new(None),
            ball: RwSignal::new(None),
            sweep: RwSignal::default(),
            growth: RwSignal::default(),
            searched: RwSignal::default(),
            scaling: RwSignal::default(),
            tightness: RwSignal::default(),
            inverse: RwSignal::default(),
            training: RwSignal::default(),
            model_phase: RwSignal::new(ModelPhase::Idle),
            trained_model: RwSignal::new(None),
            words: RwSignal::new(None),
            problem: RwSignal::new(None),
            own_note: RwSignal::new(String::new()),
            script_note: RwSignal::new(String::new()),
            status: RwSignal::new(None),
            is_down: RwSignal::new(false),
            announcement: RwSignal::new(String::new()),
        }
    }
}

impl Live {
    /// The words of a state's tokens, where these are a window of text. Tracks its signals.
    #[must_use]
    pub fn words_of(self, state: &PageState) -> Option<Arc<[String]>> {
        self.words.with(|words| {
            let TokenWords { tokens, words } = words.as_ref()?;
            let is_shown = state.tokens == TokenChoice::Own && state.own_tokens.as_ref() == Some(tokens);
            is_shown.then(|| Arc::clone(words))
        })
    }
}
