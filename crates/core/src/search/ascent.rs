//! Projected gradient ascent with adaptive step length, random perturbations on plateaus, and restarts.
//!
//! The ascent stalls in three cases: at a local maximum; where the largest singular value is multiple, so that the
//! gradient of one of its vectors may lead nowhere; and where equal tokens move together for ever. A perturbation
//! ("kick") helps in all three cases: it moves every token a little, or one token onto another. Random numbers come
//! from streams named by restart and kick, so that a resumed search continues exactly as it would have.

use nalgebra::DMatrix;

use super::gradient::{gradient_at, norm_at};
use super::prepare::{check_cost, prepared, rows};
use super::starts::{Shape, random, structured};
use super::{SearchCheckpoint, SearchDomain, SearchPlan, SearchStep, StartKind};
use crate::attention::Normalizer;
use crate::bounds::{Hypotheses, bounds_and_witnesses, causal_witnesses};
use crate::experiment::{Attention, Experiment, InputError, Mask, Memory, Rows, Score, Weighting};
use crate::phrase;
use crate::random::{Random, Stream};
use crate::spectral::SingularTriplet;
use crate::tokens::{largest_norm, listed_tokens, radius_of};
use crate::weights::Inputs;

/// The state of a worst-case search.
#[derive(Clone, Debug)]
pub struct Search {
    domain: SearchDomain,
    inputs: Inputs,
    shape: Shape,
    starts: Vec<(StartKind, DMatrix<f64>)>,
    restarts: usize,
    iterations: usize,
    seed: u64,
    next: Counters,
    /// `None` if the next step begins a restart.
    current: Option<Point>,
    /// The best tokens of this restart, from which kicks start.
    base: Option<Found>,
    best: Option<(Found, StartKind)>,
}

#[derive(Clone, Copy, Debug)]
struct Counters {
    /// Iterations over all restarts.
    at: usize,
    restart: usize,
    /// Iterations of this restart.
    iteration: usize,
    /// Iterations in a row that gained next to nothing.
    idle: usize,
    /// Kicks of this restart; the number names the stream of random numbers of the next kick.
    kicks: usize,
    /// Kicks in a row after which the ascent ended no higher than before.
    kicks_in_vain: usize,
    /// Length of the next step, in units of R.
    step_length: f64,
}

/// Tokens with ||J||_2 and its singular vectors.
#[derive(Clone, Debug)]
struct Point {
    tokens: DMatrix<f64>,
    triplet: SingularTriplet,
}

/// Tokens with ||J||_2.
#[derive(Clone, Debug)]
struct Found {
    tokens: DMatrix<f64>,
    norm: f64,
    residual: f64,
}

/// The first step moves the token with the largest gradient by this times R.
const FIRST_STEP: f64 = 0.1;
/// The longest step, in units of R: the region has diameter 2.
const LONGEST_STEP: f64 = 1.0;
/// The factors on the step length: after a step that succeeds at its first length, and after a length that fails.
const GROWTH: f64 = 1.7;
const SHRINKING: f64 = 0.3;
/// Lengths tried per iteration: the last is 2e-5 of the first.
const MOST_TRIALS: usize = 10;
/// An iteration with a smaller relative gain counts as idle.
const LEAST_GAIN: f64 = 1e-8;
/// Idle iterations in a row that make a plateau.
const PLATEAU: usize = 4;
/// Kicks without a gain that end a restart.
const MOST_KICKS_IN_VAIN: usize = 6;
/// How far tokens are moved from a place without a derivative, in units of R; and the first of the random numbers for it,
/// behind those of all kicks.
const OFF_KINK: f64 = 1e-3;
const OFF_KINKS: usize = 1 << 30;
/// The standard deviation of a kick of all tokens, in units of R.
const KICK: f64 = 0.03;

impl Search {
    /// Validates the plan and computes the bounds, but no norm yet.
    ///
    /// # Errors
    /// [`InputError`] for normalisers and token measures, which the search does not support, and if a number of the
    /// plan is out of range.
    pub fn start(plan: &SearchPlan) -> Result<Self, InputError> {
        Search::start_within(plan, Memory::default())
    }

    /// As [`Search::start`], within a given memory.
    ///
    /// # Errors
    /// As [`Search::start`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn start_within(plan: &SearchPlan, memory: Memory) -> Result<Self, InputError> {
        check_cost(plan, memory)?;
        let (inputs, experiment) = prepared(plan)?;
        let (d, n) = inputs.tokens.shape();
        let radius = radius_of(&plan.experiment.tokens, &inputs.tokens);
        if !(radius.is_finite() && radius > 0.0) {
            return Err(InputError::bad_value(
                phrase!("radius_r", "The radius R"),
                radius.to_string(),
                phrase!("number_above_0", "a number above 0"),
            ));
        }
        let hypotheses = |experiment: &Experiment| {
            let normalizer = Normalizer::none(&inputs.tokens);
            Hypotheses::new(experiment, &inputs.weights, &normalizer, radius, (n as f64).ln())
        };
        let (bounds, witnesses) = bounds_and_witnesses(&hypotheses(&experiment));
        // If the bounds do not apply, their witnesses are still useful starts.
        let witnesses = match (experiment.attention, &experiment.mask) {
            (Attention::Dot, Mask::None) if experiment.is_plain() => witnesses,
            _ => {
                let plain = Experiment {
                    attention: Attention::Dot,
                    mask: Mask::None,
                    score: Score::default(),
                    weighting: Weighting::SOFTMAX,
                    ..experiment.clone()
                };
                let open = bounds_and_witnesses(&hypotheses(&plain)).1;
                // Under the causal mask the order of the tokens counts.
                let causal = causal_witnesses(&hypotheses(&experiment));
                causal.or(open)
            }
        };
        let shape = Shape { n, d, radius, region: plan.region };
        let starts = structured(&inputs.tokens, &inputs.weights, &witnesses, shape);
        Ok(Search {
            domain: SearchDomain { experiment, region: plan.region, n, d, radius, bounds },
            inputs,
            shape,
            starts,
            restarts: plan.restarts,
            iterations: plan.iterations,
            seed: plan.seed,
            next: Counters {
                at: 0,
                restart: 0,
                iteration: 0,
                idle: 0,
                kicks: 0,
                kicks_in_vain: 0,
                step_length: FIRST_STEP,
            },
            current: None,
            base: None,
            best: None,
        })
    }

    /// Resumes a search of this plan from a checkpoint.
    ///
    /// # Errors
    /// As [`Search::start`], and [`InputError::Shape`] if the checkpoint's tokens do not have the plan's number and
    /// dimension.
    pub fn resume(plan: &SearchPlan, mark: &SearchCheckpoint) -> Result<Self, InputError> {
        Search::resume_within(plan, mark, Memory::default())
    }

    /// As [`Search::resume`], within a given memory.
    ///
    /// # Errors
    /// As [`Search::resume`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn resume_within(plan: &SearchPlan, mark: &SearchCheckpoint, memory: Memory) -> Result<Self, InputError> {
        let mut search = Search::start_within(plan, memory)?;
        let Shape { n, d, radius, region } = search.shape;
        let tokens = |rows: &Rows| {
            if (rows.n_rows(), rows.n_columns()) != (n, d) {
                return Err(InputError::Shape {
                    what: phrase!("checkpoint", "The checkpoint"),
                    found: rows.shape(),
                    expected: phrase!("shape", "{rows} x {columns}", rows = n, columns = d),
                    reason: phrase!("has_tokens_search", "it has the tokens of the search"),
                });
            }
            Ok(region.project(listed_tokens(rows), radius))
        };
        let found = |rows, norm, residual| tokens(rows).map(|tokens| Found { tokens, norm, residual });
        search.next = Counters {
            at: mark.at,
            restart: mark.restart,
            iteration: mark.iteration,
            idle: mark.idle,
            kicks: mark.kicks,
            kicks_in_vain: mark.kicks_in_vain,
            step_length: mark.step_length,
        };
        if mark.iteration > 0 {
            search.current = Some(search.point(tokens(&mark.current)?, None)?);
            search.base = Some(found(&mark.base, mark.base_norm, 0.0)?);
        }
        search.best = Some((found(&mark.best, mark.best_norm, mark.best_residual)?, mark.best_start));
        Ok(search)
    }

    /// The same search, begun at a later restart; another search does the earlier ones.
    #[must_use]
    pub fn from_restart(mut self, restart: usize) -> Self {
        self.next.restart = restart;
        self
    }

    /// The same search with one more start, right after its own tokens: of these token lists (d x n) the one with the
    /// largest norm, moved into the region. Lists of another shape, and lists whose norm cannot be computed, are left
    /// out.
    #[must_use]
    pub fn also_from(mut self, lists: impl IntoIterator<Item = DMatrix<f64>>) -> Self {
        let Shape { n, d, radius, region } = self.shape;
        let mut best: Option<(DMatrix<f64>, f64)> = None;
        for list in lists.into_iter().filter(|list| list.shape() == (d, n)) {
            let tokens = region.project(list, radius);
            if let Ok(point) = self.point(tokens, None)
                && best.as_ref().is_none_or(|(_, norm)| point.triplet.value > *norm)
            {
                best = Some((point.tokens, point.triplet.value));
            }
        }
        if let Some((tokens, _)) = best {
            self.starts.insert(self.starts.len().min(1), (StartKind::Carried, tokens));
            self.restarts += 1;
        }
        self
    }

    /// The set searched and the bounds on it.
    #[must_use]
    pub fn domain(&self) -> &SearchDomain {
        &self.domain
    }

    /// The number of restarts done, and the number of all restarts.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next.restart, self.restarts)
    }

    /// The current tokens, d x n; `None` before the first step, and between restarts.
    #[must_use]
    pub fn current(&self) -> Option<&DMatrix<f64>> {
        self.current.as_ref().map(|point| &point.tokens)
    }

    /// The best tokens so far, d x n, and the norm there; `None` before the first step.
    #[must_use]
    pub fn best(&self) -> Option<(&DMatrix<f64>, f64)> {
        self.best.as_ref().map(|(found, _)| (&found.tokens, found.norm))
    }

    /// A checkpoint of the search; `None` before the first step.
    ///
    /// # Errors
    /// None in practice: the tokens are finite.
    pub fn mark(&self) -> Result<Option<SearchCheckpoint>, InputError> {
        let Some((best, start)) = &self.best else { return Ok(None) };
        let Counters { at, restart, iteration, idle, kicks, kicks_in_vain, step_length } = self.next;
        let base = self.base.as_ref().unwrap_or(best);
        Ok(Some(SearchCheckpoint {
            at,
            restart,
            iteration,
            idle,
            kicks,
            kicks_in_vain,
            step_length,
            current: rows(self.current().unwrap_or(&best.tokens))?,
            base: rows(&base.tokens)?,
            base_norm: base.norm,
            best: rows(&best.tokens)?,
            best_norm: best.norm,
            best_residual: best.residual,
            best_start: *start,
        }))
    }

    /// Does one iteration: a start, a gradient step, or a kick; `None` at the end.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow at a start.
    pub fn step(&mut self) -> Result<Option<SearchStep>, InputError> {
        if self.next.restart >= self.restarts {
            return Ok(None);
        }
        let Counters { at, restart, iteration, .. } = self.next;
        let start = self.start_of(restart).0;
        let point = match self.current.take() {
            None => {
                let tokens = self.start_of(restart).1;
                self.point_at_or_near(tokens)?
            }
            Some(point) if self.next.idle >= PLATEAU => self.kicked(point)?,
            Some(point) => self.ascended(point)?,
        };
        let (norm, relative_residual) = (point.triplet.value, point.triplet.relative_residual);
        let found = || Found { tokens: point.tokens.clone(), norm, residual: relative_residual };
        let before = self.base.as_ref().map_or(0.0, |base| base.norm);
        if self.base.is_none() || norm > before {
            if norm > before * (1.0 + LEAST_GAIN) {
                self.next.kicks_in_vain = 0;
            }
            self.base = Some(found());
        }
        if self.best.as_ref().is_none_or(|(best, _)| norm > best.norm) {
            self.best = Some((found(), start));
        }
        let best = self.best.as_ref().map_or(norm, |(best, _)| best.norm);
        self.next.at += 1;
        self.next.iteration += 1;
        let is_stuck = self.next.idle >= PLATEAU && self.next.kicks_in_vain >= MOST_KICKS_IN_VAIN;
        if is_stuck || self.next.iteration >= self.iterations {
            self.base = None;
            self.next = Counters {
                at: self.next.at,
                restart: restart + 1,
                iteration: 0,
                idle: 0,
                kicks: 0,
                kicks_in_vain: 0,
                step_length: FIRST_STEP,
            };
        } else {
            self.current = Some(point);
        }
        Ok(Some(SearchStep { at, restart, start, iteration, norm, best, relative_residual }))
    }

    /// The first tokens of a restart.
    fn start_of(&self, restart: usize) -> (StartKind, DMatrix<f64>) {
        match self.starts.get(restart) {
            Some((kind, tokens)) => (*kind, tokens.clone()),
            None => random(self.shape, self.seed, restart),
        }
    }

    fn point(&self, tokens: DMatrix<f64>, near: Option<&[f64]>) -> Result<Point, InputError> {
        let triplet = norm_at(&self.domain.experiment, &self.inputs, &tokens, near)?;
        Ok(Point { tokens, triplet })
    }

    /// The point at these tokens; where there is no derivative, at others near them.
    fn point_at_or_near(&self, mut tokens: DMatrix<f64>) -> Result<Point, InputError> {
        let found = self.point(tokens.clone(), None);
        if !matches!(found, Err(InputError::NoDerivative { .. })) {
            return found;
        }
        let Shape { radius, region, .. } = self.shape;
        let mut random = Random::new(self.seed, Stream::AscentKick(OFF_KINKS + self.next.at));
        tokens.iter_mut().for_each(|x| *x += OFF_KINK * radius * random.normal());
        self.point(region.project(tokens, radius), None)
    }

    /// A gradient step of a length that increases the norm; the same point if no length does.
    fn ascended(&mut self, point: Point) -> Result<Point, InputError> {
        let Shape { radius, region, .. } = self.shape;
        let gradient = gradient_at(&self.domain.experiment, &self.inputs, &point.tokens, &point.triplet)?;
        let direction = region.feasible(gradient, &point.tokens, radius);
        let steepest = largest_norm(&direction);
        let norm = point.triplet.value;
        if steepest.is_finite() && steepest * radius > f64::EPSILON * norm {
            let mut length = self.next.step_length;
            for trial in 0..MOST_TRIALS {
                let moved = &point.tokens + &direction * (length * radius / steepest);
                // Tokens whose norm cannot be computed count as no gain.
                let there = self.point(region.project(moved, radius), Some(&point.triplet.right)).ok();
                if let Some(there) = there.filter(|there| there.triplet.value > norm) {
                    let gain = there.triplet.value / norm - 1.0;
                    self.next.idle = if gain < LEAST_GAIN { self.next.idle + 1 } else { 0 };
                    self.next.step_length = if trial == 0 { (length * GROWTH).min(LONGEST_STEP) } else { length };
                    return Ok(there);
                }
                length *= SHRINKING;
            }
        }
        self.next.idle = PLATEAU;
        Ok(point)
    }

    /// Kicks the best tokens of this restart.
    fn kicked(&mut self, point: Point) -> Result<Point, InputError> {
        let Shape { n, radius, region, .. } = self.shape;
        let kick = self.next.kicks;
        let mut random = Random::new(self.seed, Stream::AscentKick(self.next.restart * self.iterations.max(1) + kick));
        let mut tokens = self.base.as_ref().map_or(point.tokens, |base| base.tokens.clone());
        if kick.is_multiple_of(2) {
            tokens.iter_mut().for_each(|x| *x += KICK * radius * random.normal());
        } else {
            let (from, to) = (random.below(n), random.below(n));
            let there = tokens.column(to).into_owned();
            tokens.set_column(from, &there);
        }
        self.next.kicks += 1;
        self.next.kicks_in_vain += 1;
        self.next.idle = 0;
        self.next.step_length = FIRST_STEP;
        self.point_at_or_near(region.project(tokens, radius))
    }
}
