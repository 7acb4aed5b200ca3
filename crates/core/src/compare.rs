//! The same tokens and matrices through several kinds of attention: the norm at the tokens, the best bound on the ball,
//! and the largest norm that a search in the ball finds, over n, R or a number of a step.
//!
//! A ball lies in every larger one. So the search at a place also starts from the best tokens that the same kind had at
//! the place before, and over R it never finds less than there. Over n these tokens are made longer: one of them is
//! repeated at the end.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::bounds::{Norm, best_upper};
use crate::cost::shape_of;
use crate::experiment::{
    Attention, Experiment, InputError, Mask, Memory, Normalization, Order, RandomTokens, Rows, Scope, Steps,
    TokenSource, Weighting,
};
use crate::measure;
use crate::measure::{MeasureOptions, Measurement, Measuring, Step};
use crate::phrase;
use crate::search::{Region, Search, SearchPlan};
use crate::sweep::SweepPlan;
use crate::tokens::{largest_norm, listed_tokens};

/// The most kinds of attention that are compared.
pub const MOST_KINDS: usize = 6;
/// The most values of the horizontal axis.
pub const MOST_PLACES: usize = 100;

/// Input of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonPlan {
    /// Tokens, weights and normaliser; its kernel and steps are ignored.
    pub experiment: Experiment,
    /// Kernel and steps of each kind, 1 to [`MOST_KINDS`].
    pub kinds: Vec<(Attention, Steps)>,
    /// What changes from point to point.
    pub along: Along,
    /// The effort of the search for the worst tokens of each ball; `None` without a search.
    pub search: Option<SearchEffort>,
}

/// The horizontal axis: a quantity with its values, ascending, 1 to [`MOST_PLACES`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Along {
    /// n: random tokens are drawn at each length, of a list a random subset is taken.
    Tokens(Vec<usize>),
    /// R: random tokens have this radius, a list is scaled to it.
    Radius(Vec<f64>),
    /// tau: every kind whose scores can be capped gets this soft cap.
    Cap(Vec<f64>),
    /// c0: every kind with softmax gets this sink.
    Sink(Vec<f64>),
    /// W: every kind gets this causal window.
    Window(Vec<usize>),
}

/// The effort of a search at each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Number of starts.
    pub restarts: usize,
    /// The most iterations of one start.
    pub iterations: usize,
    /// Points with more numbers in their tokens (n d) are not searched.
    pub most_entries: usize,
}

/// One kind at one place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonPoint {
    /// Its index among the kinds.
    pub kind: usize,
    /// The value on the horizontal axis.
    pub at: f64,
    /// What that value changes.
    pub effect: Effect,
    /// ||J||_2 at the tokens; a lower bound unless the iteration has converged.
    pub norm: f64,
    /// Whether the iteration has converged.
    pub is_converged: bool,
    /// log10 of the best upper bound on the ball; `None` where no bound is known.
    pub bound_log10: Option<f64>,
    /// The largest norm that the search has found, at least `norm`; `None` where nothing was searched.
    pub found: Option<f64>,
    /// |F(X)| / |X|, the size of the output at the tokens beside that of the tokens, in the Frobenius norm: a map that
    /// gives next to nothing is smooth. `None` for a token measure, and where all tokens are zero.
    pub output: Option<f64>,
}

/// What the value on the horizontal axis changes in a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// The tokens, or a step of the attention.
    Changes,
    /// Nothing: the step does not go with this kind, which stays as it is.
    None,
}

/// Computes a [`ComparisonPlan`], place by place, all kinds of a place one after the other.
#[derive(Clone, Debug)]
pub struct Comparison {
    plan: ComparisonPlan,
    memory: Memory,
    next: usize,
    stage: Stage,
    /// For each kind, the best tokens (d x n) of its last search.
    carried: Vec<Option<DMatrix<f64>>>,
}

#[derive(Clone, Debug)]
enum Stage {
    Begun,
    Measuring(Box<Measuring>),
    Searching(Box<(ComparisonPoint, Search)>),
}

impl Comparison {
    /// Checks the plan, and the experiment of every point.
    ///
    /// # Errors
    /// [`InputError`] for a number of kinds or places that is not allowed, and where a kind does not fit the tokens or
    /// weights; [`InputError::TooCostly`] before anything is drawn.
    pub fn new_within(plan: &ComparisonPlan, memory: Memory) -> Result<Self, InputError> {
        let count = |what, found: usize, most: usize| {
            if (1..=most).contains(&found) {
                return Ok(());
            }
            let expected = phrase!("whole_number_from_1", "a whole number from 1 to {most}", most = most);
            Err(InputError::bad_value(what, found.to_string(), expected))
        };
        count(phrase!("number_of_kinds", "The number of kinds of attention"), plan.kinds.len(), MOST_KINDS)?;
        count(phrase!("number_of_places", "The number of places"), plan.along.len(), MOST_PLACES)?;
        let carried = vec![None; plan.kinds.len()];
        let comparison = Comparison { plan: plan.clone(), memory, next: 0, stage: Stage::Begun, carried };
        for place in 0..plan.along.len() {
            for kind in 0..plan.kinds.len() {
                let experiment = comparison.experiment_at(kind, place)?;
                experiment.check()?;
                measure::check(&experiment, &comparison.options())?;
            }
        }
        Ok(comparison)
    }

    /// The number of points done, and the number of all points.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.plan.kinds.len() * self.plan.along.len())
    }

    /// One step: `Some(Some(point))` when a point is done, `Some(None)` before, `None` at the end.
    ///
    /// # Errors
    /// [`InputError`] where a point cannot be measured.
    pub fn step(&mut self) -> Result<Option<Option<ComparisonPoint>>, InputError> {
        let (done, all) = self.progress();
        if done >= all {
            return Ok(None);
        }
        let (kind, place) = (done % self.plan.kinds.len(), done / self.plan.kinds.len());
        match std::mem::replace(&mut self.stage, Stage::Begun) {
            Stage::Begun => {
                let experiment = self.experiment_at(kind, place)?;
                self.stage = Stage::Measuring(Box::new(Measuring::start(&experiment, self.options())?));
                Ok(Some(None))
            }
            Stage::Measuring(mut measuring) => match measuring.step()? {
                Step::Going { .. } => {
                    self.stage = Stage::Measuring(measuring);
                    Ok(Some(None))
                }
                Step::Done(measurement) => {
                    let output = output_size(&measuring);
                    let point = ComparisonPoint { output, ..self.point(kind, place, &measurement) };
                    match self.search_of(kind, measuring.experiment().clone())? {
                        Some(search) => {
                            self.stage = Stage::Searching(Box::new((point, search)));
                            Ok(Some(None))
                        }
                        None => Ok(Some(Some(self.done(point)))),
                    }
                }
            },
            Stage::Searching(mut searching) => match searching.1.step()? {
                Some(step) => {
                    let best = searching.0.found.unwrap_or(searching.0.norm);
                    searching.0.found = Some(best.max(step.best));
                    self.stage = Stage::Searching(searching);
                    Ok(Some(None))
                }
                None => {
                    self.carried[kind] = searching.1.best().map(|(tokens, _)| tokens.clone());
                    Ok(Some(Some(self.done(searching.0))))
                }
            },
        }
    }

    /// What the horizontal axis changes in a kind.
    fn effect(&self, kind: usize) -> Effect {
        let (attention, steps) = &self.plan.kinds[kind];
        let takes = match &self.plan.along {
            Along::Tokens(_) | Along::Radius(_) | Along::Window(_) => true,
            // The scores of linear attention are logarithms of its features.
            Along::Cap(_) => *attention != Attention::Linear,
            Along::Sink(_) => *attention != Attention::Linear && matches!(steps.weighting, Weighting::Softmax { .. }),
        };
        if takes { Effect::Changes } else { Effect::None }
    }

    fn point(&self, kind: usize, place: usize, measurement: &Measurement) -> ComparisonPoint {
        // With the normaliser in the Jacobian, the measured bounds hold at these tokens alone.
        let is_on_ball = self.plan.experiment.scope() == Scope::Inputs;
        let bound = best_upper(&measurement.bounds, Norm::Spectral).filter(|_| is_on_ball);
        ComparisonPoint {
            kind,
            at: self.plan.along.at(place),
            effect: self.effect(kind),
            norm: measurement.spectral,
            is_converged: measurement.is_converged(),
            bound_log10: bound.map(|bound| bound.log10),
            found: None,
            output: None,
        }
    }

    fn done(&mut self, point: ComparisonPoint) -> ComparisonPoint {
        self.next += 1;
        point
    }

    fn options(&self) -> MeasureOptions {
        MeasureOptions { memory: self.memory, ..MeasureOptions::default() }
    }

    /// The search of a point; `None` where the plan has none, or the tokens cannot move one by one.
    fn search_of(&self, kind: usize, experiment: Experiment) -> Result<Option<Search>, InputError> {
        let Some(SearchEffort { restarts, iterations, most_entries }) = self.plan.search else { return Ok(None) };
        let shape = shape_of(&experiment);
        let is_list = !matches!(experiment.tokens, TokenSource::Clusters { .. });
        let is_free = experiment.normalization == Normalization::None;
        if !(is_list && is_free) || shape.inputs() > most_entries as u64 {
            return Ok(None);
        }
        let plan = SearchPlan { experiment, region: Region::Ball, dim: None, restarts, iterations, seed: 0 };
        let search = Search::start_within(&plan, self.memory)?;
        Ok(Some(match &self.carried[kind] {
            Some(tokens) => {
                let n = search.domain().n;
                search.also_from(lengthened(tokens, n))
            }
            None => search,
        }))
    }

    /// The experiment of a kind at a place.
    fn experiment_at(&self, kind: usize, place: usize) -> Result<Experiment, InputError> {
        let effect = self.effect(kind);
        let (attention, steps) = self.plan.kinds[kind].clone();
        let base = Experiment { attention, ..self.plan.experiment.clone() }.with_steps(steps);
        match &self.plan.along {
            Along::Tokens(lengths) => {
                // The sweep knows how each source of tokens is drawn at another length.
                SweepPlan::new(&base, &[lengths[place]], 1)?.experiment_at(0)
            }
            Along::Radius(radii) => Ok(Experiment { tokens: of_radius(&base.tokens, radii[place])?, ..base }),
            Along::Cap(_) | Along::Sink(_) | Along::Window(_) if effect == Effect::None => Ok(base),
            Along::Cap(caps) => {
                let mut experiment = base;
                experiment.score.softcap = Some(caps[place]);
                Ok(experiment)
            }
            Along::Sink(logits) => Ok(Experiment { weighting: Weighting::with_sink(logits[place]), ..base }),
            Along::Window(widths) => {
                Ok(Experiment { mask: Mask::Window { width: widths[place], order: Order::Causal }, ..base })
            }
        }
    }
}

impl Along {
    fn len(&self) -> usize {
        match self {
            Along::Tokens(values) | Along::Window(values) => values.len(),
            Along::Radius(values) | Along::Cap(values) | Along::Sink(values) => values.len(),
        }
    }

    fn at(&self, place: usize) -> f64 {
        match self {
            Along::Tokens(values) | Along::Window(values) => values[place] as f64,
            Along::Radius(values) | Along::Cap(values) | Along::Sink(values) => values[place],
        }
    }
}

/// See [`ComparisonPoint::output`].
fn output_size(measuring: &Measuring) -> Option<f64> {
    let inputs = measuring.inputs();
    if inputs.ln_multiplicities.is_some() {
        return None;
    }
    let size = inputs.tokens.norm();
    (size > 0.0).then(|| measuring.images().norm() / size)
}

/// The token lists of n tokens that begin with the given ones (d x m) and repeat one of them at the end: for n = m the
/// tokens themselves, for n < m none.
fn lengthened(tokens: &DMatrix<f64>, n: usize) -> Vec<DMatrix<f64>> {
    let (d, m) = tokens.shape();
    let with = |again: usize| DMatrix::from_fn(d, n, |row, col| tokens[(row, if col < m { col } else { again })]);
    match n.cmp(&m) {
        std::cmp::Ordering::Less => Vec::new(),
        std::cmp::Ordering::Equal => vec![tokens.clone()],
        std::cmp::Ordering::Greater => {
            let is_first = |col: &usize| (0..*col).all(|before| tokens.column(before) != tokens.column(*col));
            (0..m).filter(is_first).map(with).collect()
        }
    }
}

/// The tokens in the ball of another radius.
fn of_radius(tokens: &TokenSource, radius: f64) -> Result<TokenSource, InputError> {
    let scaled = |rows: &Rows, what| {
        let largest = largest_norm(&listed_tokens(rows));
        let factor = if largest > 0.0 { radius / largest } else { 1.0 };
        Rows::new(what, rows.n_columns(), rows.entries().iter().map(|entry| entry * factor).collect())
    };
    Ok(match tokens {
        TokenSource::Explicit(rows) => TokenSource::Explicit(scaled(rows, phrase!("tokens", "The tokens"))?),
        TokenSource::Random(random) => TokenSource::Random(RandomTokens { radius, ..*random }),
        TokenSource::Adversarial { n, .. } => TokenSource::Adversarial { n: *n, radius },
        TokenSource::Skew { n, .. } => TokenSource::Skew { n: *n, radius },
        TokenSource::Clusters { positions, log_multiplicities } => TokenSource::Clusters {
            positions: scaled(positions, phrase!("positions", "The positions"))?,
            log_multiplicities: log_multiplicities.clone(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::WeightSource;

    fn plan(kinds: Vec<(Attention, Steps)>, along: Along) -> ComparisonPlan {
        let tokens = TokenSource::Adversarial { n: 24, radius: 1.5 };
        let experiment = Experiment::of(tokens, WeightSource::Identity { sign: -1.0 });
        let search = Some(SearchEffort { restarts: 1, iterations: 3, most_entries: 16 });
        ComparisonPlan { experiment, kinds, along, search }
    }

    fn points(plan: &ComparisonPlan) -> Result<Vec<ComparisonPoint>, InputError> {
        let mut comparison = Comparison::new_within(plan, Memory::default())?;
        let mut points = Vec::new();
        while let Some(point) = comparison.step()? {
            points.extend(point);
        }
        Ok(points)
    }

    #[test]
    fn each_kind_is_measured_at_each_place_and_a_window_of_one_token_is_the_value_matrix() -> Result<(), InputError> {
        let window = Steps { mask: Mask::Window { width: 1, order: Order::Causal }, ..Steps::plain() };
        let kinds = vec![(Attention::Dot, Steps::plain()), (Attention::Dot, window)];
        let found = points(&plan(kinds, Along::Tokens(vec![4, 16, 24])))?;
        assert_eq!(found.len(), 6);
        for (at, point) in found.iter().enumerate() {
            assert_eq!((point.kind, point.at), (at % 2, [4.0, 16.0, 24.0][at / 2]));
            assert!(point.is_converged && point.bound_log10.is_some_and(|log10| log10 >= point.norm.log10() - 1e-12));
            assert_eq!(point.found.is_some(), point.at <= 16.0, "a search where there are at most 16 numbers");
            assert!(point.found.is_none_or(|found| found >= point.norm));
            // Each token sees itself alone: F(x) = V x with V = I.
            assert!(point.kind == 0 || (point.norm - 1.0).abs() < 1e-12, "{point:?}");
            assert!(point.kind == 0 || point.output.is_some_and(|size| (size - 1.0).abs() < 1e-12), "{point:?}");
        }
        Ok(())
    }

    #[test]
    fn a_kind_that_cannot_take_the_step_of_the_axis_stays_as_it_is_and_says_so() -> Result<(), InputError> {
        let sigmoid = Steps { weighting: Weighting::Sigmoid { bias: None }, ..Steps::plain() };
        let kinds =
            vec![(Attention::Dot, Steps::plain()), (Attention::Linear, Steps::plain()), (Attention::Dot, sigmoid)];
        for (along, takes) in [
            (Along::Cap(vec![0.5, 4.0]), [true, false, true]),
            (Along::Sink(vec![0.0, 9.0]), [true, false, false]),
            (Along::Window(vec![2, 9]), [true, true, true]),
        ] {
            let found = points(&plan(kinds.clone(), along.clone()))?;
            for (kind, takes) in takes.into_iter().enumerate() {
                let own: Vec<&ComparisonPoint> = found.iter().filter(|point| point.kind == kind).collect();
                assert_eq!(own[0].norm.to_bits() != own[1].norm.to_bits(), takes, "{along:?} {kind}");
                let expected = if takes { Effect::Changes } else { Effect::None };
                assert!(own.iter().all(|point| point.effect == expected), "{along:?} {kind}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_search_finds_no_less_in_a_larger_ball_and_no_less_than_the_tokens_shown() -> Result<(), InputError> {
        let cap =
            Steps { score: crate::experiment::Score { softcap: Some(3.0), ..Default::default() }, ..Steps::plain() };
        let kinds = vec![(Attention::Dot, Steps::plain()), (Attention::Dot, cap)];
        let tokens = TokenSource::Random(RandomTokens {
            distribution: crate::experiment::Distribution::Ball,
            n: 20,
            d: 2,
            radius: 1.0,
            seed: 0,
        });
        let radii: Vec<f64> = (-6..=6).map(|at| 10f64.powf(f64::from(at) / 6.0)).collect();
        let search = Some(SearchEffort { restarts: 1, iterations: 12, most_entries: 64 });
        let experiment = Experiment::of(tokens, WeightSource::Identity { sign: -1.0 });
        let plan = ComparisonPlan { experiment, kinds, along: Along::Radius(radii), search };
        let found = points(&plan)?;
        for kind in 0..2 {
            let own: Vec<&ComparisonPoint> = found.iter().filter(|point| point.kind == kind).collect();
            for pair in own.windows(2) {
                let [before, after] = [pair[0], pair[1]].map(|point| point.found.expect("a search"));
                assert!(after >= before * (1.0 - 1e-9), "{kind}, R = {}: {after} after {before}", pair[1].at);
            }
            assert!(own.iter().all(|point| point.found.is_some_and(|found| found >= point.norm)));
        }
        Ok(())
    }

    #[test]
    fn under_the_causal_mask_a_search_finds_no_less_in_a_longer_list() -> Result<(), InputError> {
        let causal = Steps { mask: Mask::Causal, ..Steps::plain() };
        let along = Along::Tokens(vec![2, 3, 4, 6, 8]);
        let found = points(&plan(vec![(Attention::Dot, causal)], along))?;
        for pair in found.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|point| point.found.expect("a search"));
            // The rows of the earlier tokens do not see the last one: the old Jacobian is a block of the new one.
            assert!(after >= before * (1.0 - 1e-9), "n = {}: {after} after {before}", pair[1].at);
        }
        Ok(())
    }

    #[test]
    fn a_sink_that_takes_nearly_all_attention_leaves_next_to_no_output() -> Result<(), InputError> {
        let found = points(&plan(vec![(Attention::Dot, Steps::plain())], Along::Sink(vec![-8.0, 12.0])))?;
        let [weak, strong] = [found[0], found[1]].map(|point| point.output.expect("a list"));
        assert!(weak > 0.5 && strong < 1e-2, "{weak} {strong}");
        assert!(found[1].norm < found[0].norm);
        Ok(())
    }

    #[test]
    fn a_list_is_made_longer_by_each_of_its_tokens_once() {
        let tokens = DMatrix::from_row_slice(1, 3, &[1.0, -1.0, 1.0]);
        let longer: Vec<Vec<f64>> = lengthened(&tokens, 5).iter().map(|list| list.as_slice().to_vec()).collect();
        assert_eq!(longer, [vec![1.0, -1.0, 1.0, 1.0, 1.0], vec![1.0, -1.0, 1.0, -1.0, -1.0]]);
        assert_eq!((lengthened(&tokens, 3), lengthened(&tokens, 2)), (vec![tokens.clone()], Vec::new()));
    }

    #[test]
    fn a_plan_that_cannot_be_drawn_is_refused() {
        let plain = vec![(Attention::Dot, Steps::plain())];
        let too_many = vec![(Attention::Dot, Steps::plain()); MOST_KINDS + 1];
        for plan in [plan(Vec::new(), Along::Radius(vec![1.0])), plan(too_many, Along::Radius(vec![1.0]))] {
            assert!(Comparison::new_within(&plan, Memory::default()).is_err());
        }
        for along in [Along::Cap(Vec::new()), Along::Tokens(vec![2; MOST_PLACES + 1])] {
            assert!(Comparison::new_within(&plan(plain.clone(), along), Memory::default()).is_err());
        }
        let sizes = plan(plain, Along::Tokens(vec![1_000_000_000]));
        assert!(Comparison::new_within(&sizes, Memory::default()).is_err());
    }
}
