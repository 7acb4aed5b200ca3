//! Sweeps: the norm of J over a list of lengths n, with several random samples at each n.
//!
//! Every point is an experiment of its own ([`SweepPlan::experiment_at`]) that can be exported and measured again.
//! Points are computed from their index, never accumulated.

mod lengths;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bounds::Norm;
use crate::cost::{self, Cost, Form, Shape, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, Rows, TokenSource, limits};
use crate::measure::cost::{form, of_shape};
use crate::measure::{DenseNormValues, MeasureOptions, Measurement, Measuring, Method, Step, measure_with, norm_of};
use crate::parallel::{self, Schedule};
use crate::phrase;
use crate::tokens;
use crate::weights::check_sizes;

pub use lengths::{MAX_POINTS, Spacing, log_spaced, parse_lengths};

/// Input of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPlan {
    experiment: Experiment,
    lengths: Vec<usize>,
    left_out: Vec<usize>,
    draws: usize,
    spacing: Spacing,
}

/// One point of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// Number of tokens.
    pub n: usize,
    /// Index of the sample at this n.
    pub draw: usize,
    /// ||J||_2.
    pub spectral: f64,
    /// The other norms, if requested and if J is small enough.
    pub dense: Option<DenseNormValues>,
    /// R of the bounds at this point.
    pub radius: f64,
    /// How the norm was computed.
    pub method: Method,
    /// Lanczos steps.
    pub iterations: usize,
    /// |J^T u - s v| / s.
    pub relative_residual: f64,
}

impl SweepPlan {
    /// A sweep of an experiment over lengths. Deterministic tokens have one sample per length; a list of tokens is
    /// sampled by random subsets of n tokens.
    ///
    /// # Errors
    /// [`InputError`] if no length remains or there are too many points.
    pub fn new(experiment: &Experiment, lengths: &[usize], draws: usize) -> Result<Self, InputError> {
        let most = match &experiment.tokens {
            TokenSource::Explicit(rows) => rows.n_rows(),
            _ => limits::MAX_TOKENS,
        };
        let (mut lengths, left_out): (Vec<usize>, Vec<usize>) =
            lengths.iter().copied().partition(|n| *n >= 2 && *n <= most);
        lengths.sort_unstable();
        lengths.dedup();
        if lengths.is_empty() || draws == 0 {
            return Err(InputError::Empty {
                what: phrase!("sweep", "The sweep"),
                least: phrase!("one_draw_one_length", "one draw and one length between 2 and the number of tokens"),
            });
        }
        for n in &lengths {
            limits::check_scores(*n)?;
        }
        let is_random = matches!(experiment.tokens, TokenSource::Random(_) | TokenSource::Explicit(_));
        let draws = if is_random { draws } else { 1 };
        if lengths.len().saturating_mul(draws) > MAX_POINTS {
            return Err(InputError::TooLarge {
                what: phrase!("number_points_lengths_times", "The number of points (lengths times draws)"),
                found: lengths.len().saturating_mul(draws).to_string().into(),
                limit: MAX_POINTS.to_string().into(),
                fix: phrase!("use_fewer_lengths_fewer", "Use fewer lengths or fewer draws."),
            });
        }
        Ok(SweepPlan { experiment: experiment.clone(), lengths, left_out, draws, spacing: Spacing::Fixed })
    }

    /// The same sweep with another R at each n: the tokens are scaled to it.
    #[must_use]
    pub fn with_spacing(self, spacing: Spacing) -> Self {
        SweepPlan { spacing, ..self }
    }

    /// Number of points.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.lengths.len() * self.draws
    }

    /// The requested lengths that are impossible: below 2, above the number of listed tokens, or above the limit on n.
    #[must_use]
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// The lengths, ascending.
    #[must_use]
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Samples at each length.
    #[must_use]
    pub fn draws(&self) -> usize {
        self.draws
    }

    /// The memory and operations of the sweep. Points run one after the other, so memory is that of the largest point.
    #[must_use]
    #[doc(hidden)]
    pub fn cost(&self, options: &MeasureOptions) -> Cost {
        self.lengths
            .iter()
            .map(|n| self.cost_of_point(*n, options).times(self.draws as u64))
            .fold(Cost::default(), Cost::then)
    }

    /// The memory and operations of one point at `n`.
    #[must_use]
    #[doc(hidden)]
    pub fn cost_of_point(&self, n: usize, options: &MeasureOptions) -> Cost {
        self.cost_at(&self.shape_at(n), options)
    }

    /// Refuses a sweep, before anything is drawn, if one of its points would not fit the memory of the options.
    ///
    /// # Errors
    /// [`InputError::TooLarge`] and [`InputError::TooCostly`].
    pub fn check(&self, options: &MeasureOptions) -> Result<(), InputError> {
        check_sizes(&self.experiment)?;
        let costs = self.lengths.iter().map(|n| (self.cost_of_point(*n, options).bytes, *n));
        let Some((_, n)) = costs.max() else { return Ok(()) };
        let shape = self.shape_at(n);
        if form(&shape, options) == Form::Tokens {
            limits::check_scores(n)?;
        }
        cost::check(phrase!("sweep", "The sweep"), &shape, options.memory, |shape| self.cost_at(shape, options))
    }

    /// The sizes of the points of a length.
    fn shape_at(&self, n: usize) -> Shape {
        let shape = shape_of(&self.experiment).with_tokens(n as u64);
        match &self.experiment.tokens {
            // Which listed tokens a draw takes is not known in advance.
            TokenSource::Explicit(rows) if n < rows.n_rows() => shape.ungathered(),
            _ => shape,
        }
    }

    /// The memory and operations of a point; a subset is drawn from a copy of the list.
    fn cost_at(&self, shape: &Shape, options: &MeasureOptions) -> Cost {
        let drawing = match &self.experiment.tokens {
            TokenSource::Explicit(rows) => {
                sum([rows.entries().len() as u64, rows.n_rows() as u64, product([3, shape.inputs()])])
            }
            _ => 0,
        };
        of_shape(shape, options).holding(sum([shape.listed(), drawing]))
    }

    /// The experiment of a point: draw r of random tokens has seed + r, draw r of listed tokens is the subset of seed
    /// r.
    ///
    /// # Errors
    /// [`InputError`] if n d is over its limit.
    pub fn experiment_at(&self, point_idx: usize) -> Result<Experiment, InputError> {
        let n = self.lengths[(point_idx / self.draws).min(self.lengths.len() - 1)];
        let draw = (point_idx % self.draws) as u64;
        let scaled = |radius: f64| self.spacing.radius_at(radius, n as f64);
        let tokens = match &self.experiment.tokens {
            TokenSource::Random(random) => {
                limits::check_tokens(n, random.d)?;
                let mut random = *random;
                random.n = n;
                random.seed = random.seed.wrapping_add(draw);
                random.radius = scaled(random.radius);
                TokenSource::Random(random)
            }
            TokenSource::Explicit(rows) => {
                let chosen = tokens::subset(&tokens::listed_tokens(rows), n, draw) * scaled(1.0);
                TokenSource::Explicit(Rows::new(
                    phrase!("tokens", "The tokens"),
                    rows.n_columns(),
                    chosen.as_slice().to_vec(),
                )?)
            }
            TokenSource::Adversarial { radius, .. } => TokenSource::Adversarial { n, radius: scaled(*radius) },
            TokenSource::Skew { radius, .. } => TokenSource::Skew { n, radius: scaled(*radius) },
            clusters @ TokenSource::Clusters { .. } => clusters.clone(),
        };
        Ok(Experiment { tokens, ..self.experiment.clone() })
    }

    /// Measures a point, one of those of the plan that all threads share.
    ///
    /// # Errors
    /// [`InputError`] if the point cannot be measured.
    #[doc(hidden)]
    pub fn measure_point(&self, point_idx: usize, options: MeasureOptions) -> Result<SweepPoint, InputError> {
        let experiment = self.experiment_at(point_idx)?;
        let measurement = parallel::one_of(self.n_points(), || measure_with(&experiment, options))?;
        Ok(self.point(point_idx, &measurement))
    }

    /// The point that results from measuring [`SweepPlan::experiment_at`].
    #[must_use]
    #[doc(hidden)]
    pub fn point(&self, point_idx: usize, measurement: &Measurement) -> SweepPoint {
        SweepPoint {
            n: measurement.n as usize,
            draw: point_idx % self.draws,
            spectral: measurement.spectral,
            dense: measurement.dense,
            radius: measurement.radius,
            method: measurement.method,
            iterations: measurement.iterations,
            relative_residual: measurement.relative_residual,
        }
    }
}

impl SweepPoint {
    /// The value of one norm, if it was computed.
    #[must_use]
    pub fn norm(&self, norm: Norm) -> Option<f64> {
        norm_of(norm, self.spectral, self.dense)
    }

    /// The point as JSON with one norm, in the form of the exported files.
    #[must_use]
    pub fn to_value(&self, norm: Norm) -> Value {
        json!({
            "n": self.n, "draw": self.draw, norm.id(): self.norm(norm), "radius": self.radius,
            "method": self.method.id(), "iterations": self.iterations, "relative_residual": self.relative_residual,
        })
    }
}

/// All points of a sweep in the order of the plan: a lower bound on the Lipschitz constant at each length, from the norm
/// at some tokens. The points are measured side by side on the threads of the caller's rayon pool; their digits do not
/// depend on how many there are.
///
/// # Errors
/// [`InputError`] of the first point that cannot be measured.
pub fn sweep(plan: &SweepPlan) -> Result<Vec<SweepPoint>, InputError> {
    sweep_with(plan, MeasureOptions::for_sweep())
}

/// As [`sweep`], with given options.
///
/// # Errors
/// As [`sweep`].
pub fn sweep_with(plan: &SweepPlan, options: MeasureOptions) -> Result<Vec<SweepPoint>, InputError> {
    plan.check(&options)?;
    let points = parallel::map(Schedule::Spread, plan.n_points(), &|point_idx| plan.measure_point(point_idx, options));
    points.into_iter().collect()
}

/// Runs a sweep in steps.
#[derive(Clone, Debug)]
pub struct Sweeping {
    plan: SweepPlan,
    options: MeasureOptions,
    points: Range<usize>,
    next: usize,
    current: Option<Measuring>,
}

impl Sweeping {
    /// Starts at the first point; `options` are usually [`MeasureOptions::for_sweep`].
    #[must_use]
    pub fn new(plan: SweepPlan, options: MeasureOptions) -> Self {
        let points = 0..plan.n_points();
        Sweeping::of_points(plan, options, points)
    }

    /// Starts a sweep of the points with these indices; indices past the last point are ignored.
    #[must_use]
    pub fn of_points(plan: SweepPlan, options: MeasureOptions, points: Range<usize>) -> Self {
        let points = points.start..points.end.min(plan.n_points());
        Sweeping { next: points.start, plan, options, points, current: None }
    }

    /// The number of points done, and the number of all points.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next - self.points.start, self.points.len())
    }

    /// One step of the current point: `Some(Some(point))` when it is done, `Some(None)` before, `None` at the end of
    /// the sweep.
    ///
    /// # Errors
    /// [`InputError`] if the experiment of the point cannot be measured.
    pub fn step(&mut self) -> Result<Option<Option<SweepPoint>>, InputError> {
        if self.next >= self.points.end {
            return Ok(None);
        }
        if self.next == self.points.start && self.current.is_none() {
            self.plan.check(&self.options)?;
        }
        let mut measuring = match self.current.take() {
            Some(measuring) => measuring,
            None => Measuring::start(&self.plan.experiment_at(self.next)?, self.options)?,
        };
        match measuring.step()? {
            Step::Going { .. } => {
                self.current = Some(measuring);
                Ok(Some(None))
            }
            Step::Done(measurement) => {
                let point = self.plan.point(self.next, &measurement);
                self.next += 1;
                Ok(Some(Some(point)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Distribution, RandomTokens, WeightSource};

    #[test]
    fn a_sweep_gives_the_points_of_its_steps_and_the_first_error() -> Result<(), InputError> {
        let drawn = RandomTokens { distribution: Distribution::Sphere, n: 2, d: 2, radius: 1.5, seed: 3 };
        let experiment = Experiment::of(TokenSource::Random(drawn), WeightSource::Identity { sign: -1.0 });
        let plan = SweepPlan::new(&experiment, &[2, 3, 9], 2)?;
        let mut stepping = Sweeping::new(plan.clone(), MeasureOptions::for_sweep());
        let mut expected = Vec::new();
        while let Some(point) = stepping.step()? {
            expected.extend(point);
        }
        assert_eq!(expected.len(), 6);
        assert_eq!(sweep(&plan), Ok(expected));
        let far = RandomTokens { radius: 1e200, ..drawn };
        let broken = Experiment { tokens: TokenSource::Random(far), ..experiment };
        assert!(matches!(sweep(&SweepPlan::new(&broken, &[2, 3], 1)?), Err(InputError::Overflow { .. })));
        Ok(())
    }
}
