//! What the workers have answered so far: the signals that the views read.

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

/// A measurement, its pictures, and the state it is of.
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
    /// Milliseconds in the worker.
    pub milliseconds: f64,
    /// What was measured.
    pub state: PageState,
}

/// How far a measurement is that takes long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureProgress {
    /// Lanczos steps.
    pub iterations: usize,
    /// Relative residual so far.
    pub relative_residual: Option<f64>,
}

/// Where a sweep stands.
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
    /// It cannot be done.
    Failed,
}

impl SweepPhase {
    /// Its word in the page's attributes.
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

/// What the ball holds, and the state that it is of.
#[derive(Clone, Debug)]
pub struct BallFacts {
    /// See [`PageState::for_ball`].
    pub of: PageState,
    /// The bounds, and the worst tokens known.
    pub ball: Ball,
}

/// The curves over n up to 1e18.
#[derive(Clone, Debug, Default)]
pub struct GrowthData {
    /// What they are of.
    pub of: Option<PageState>,
    /// The curves; `None` before the first.
    pub growth: Option<Arc<Growth>>,
    /// Exact norms of the adversarial tokens so far, in order of n.
    pub family: Vec<FamilyPoint>,
    /// Why there are none.
    pub problem: Option<InputError>,
}

impl GrowthData {
    /// Whether the curves are of this state.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of.as_ref() == Some(&state.for_growth())
    }

    /// Where the growth like the root of n ends; `None` where it does not, or no bound tells.
    #[must_use]
    pub fn crossover(&self, norm: Norm) -> Option<Crossover> {
        // It is about dot-product attention, whose bounds these are.
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

/// The sweep under way or the last one.
#[derive(Clone, Debug, Default)]
pub struct SweepData {
    /// What the points are of.
    pub of: Option<PageState>,
    /// Points so far, in the order they came.
    pub points: Vec<SweepPoint>,
    /// Points of the sweep before, shown faintly until this one gets there.
    pub before: Vec<SweepPoint>,
    /// The lengths n.
    pub lengths: Vec<usize>,
    /// Draws a length.
    pub draws: usize,
    /// The bounds over n.
    pub curves: Arc<BoundCurves>,
    /// What the bounds are of, see [`PageState::for_curves`]: they stay until those of the next sweep are there.
    pub curves_of: Option<PageState>,
    /// Where it stands.
    pub phase: SweepPhase,
    /// When it began to run, on the page's clock.
    pub began: f64,
    /// The cost of the points that were there when it began to run.
    pub cost_before: f64,
    /// Why it failed.
    pub problem: Option<InputError>,
}

impl SweepData {
    /// Whether the points are of this state.
    #[must_use]
    pub fn points_are_of(&self, state: &PageState) -> bool {
        self.of.as_ref() == Some(&state.for_sweeping())
    }

    /// Whether the bounds over n are of this state.
    #[must_use]
    pub fn curves_are_of(&self, state: &PageState) -> bool {
        self.curves_of.as_ref() == Some(&state.for_curves())
    }

    /// Takes bounds over n in, which are asked for together with the points.
    pub fn take_curves(&mut self, curves: BoundCurves) {
        self.curves = Arc::new(curves);
        self.curves_of = self.of.as_ref().map(PageState::for_curves);
    }

    /// Takes points in; one that is there already is passed over.
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

    /// The work of the points so far, in units of its own: a point costs about n^2.
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

/// A sentence about something that cannot be, and the control it stands at.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The id of the control.
    pub place: &'static str,
    /// What is said there.
    pub text: Message,
}

/// What a search has found.
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
    /// The map that it was in.
    pub map: PageState,
}

impl SearchFound {
    /// Whether it says something about a state whose ball has this radius: about the spectral norm alone.
    #[must_use]
    pub fn is_about(&self, state: &PageState, radius: f64) -> bool {
        // Tokens of more dimensions say nothing of those that have fewer.
        if state.norm != Norm::Spectral || state.dim() != self.d {
            return false;
        }
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        (same(radius, self.radius) || same(radius, self.largest_norm)) && state.for_map() == self.map
    }
}

/// What some tokens are in a text.
#[derive(Clone)]
pub struct TokenWords {
    /// The tokens.
    pub tokens: Shared<Rows>,
    /// A word for each.
    pub words: Arc<[String]>,
}

/// What the views read.
#[derive(Clone, Copy)]
pub struct Live {
    /// The last good measurement.
    pub measured: RwSignal<Option<Arc<Measured>>>,
    /// How far the next one is, when it takes long.
    pub progress: RwSignal<Option<MeasureProgress>>,
    /// What the ball holds at the present n.
    pub ball: RwSignal<Option<Arc<BallFacts>>>,
    /// The sweep.
    pub sweep: RwSignal<SweepData>,
    /// The curves over n up to 1e18.
    pub growth: RwSignal<GrowthData>,
    /// What searches have found, a value for each n and ball.
    pub searched: RwSignal<Vec<SearchFound>>,
    /// The scaled tokens of a lab, of which lessons speak too.
    pub scaling: RwSignal<ScalingRun>,
    /// The search at each n of a lab, likewise.
    pub tightness: RwSignal<TightnessRun>,
    /// The inverses of a lab, likewise.
    pub inverse: RwSignal<InverseRun>,
    /// The runs of training, in the order in which they take turns.
    pub training: RwSignal<Vec<TrainRun>>,
    /// Where the run over windows of text stands.
    pub model_phase: RwSignal<ModelPhase>,
    /// A trained model that is to be opened among the models.
    pub trained_model: RwSignal<Option<TrainedModel>>,
    /// The words of a window of text that was opened as tokens.
    pub words: RwSignal<Option<TokenWords>>,
    /// What is wrong with the last edit.
    pub problem: RwSignal<Option<Problem>>,
    /// A line about own data: that they are read, or in use.
    pub own_note: RwSignal<String>,
    /// A line about the Python program that was asked for, while it is written or cannot be.
    pub script_note: RwSignal<String>,
    /// A line about the workers, when there is something to say.
    pub status: RwSignal<Option<String>>,
    /// Whether no worker can be started.
    pub is_down: RwSignal<bool>,
    /// What a screen reader is told, a while after the last change.
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
    /// The words that a state's tokens stand for, where they are a window's. Tracks what it reads.
    #[must_use]
    pub fn words_of(self, state: &PageState) -> Option<Arc<[String]>> {
        self.words.with(|words| {
            let TokenWords { tokens, words } = words.as_ref()?;
            let is_shown = state.tokens == TokenChoice::Own && state.own_tokens.as_ref() == Some(tokens);
            is_shown.then(|| Arc::clone(words))
        })
    }
}
