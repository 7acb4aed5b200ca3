//! What the worker does with requests: one run at a time, in slices. No browser here: the clock is an argument.

use nalgebra::DMatrix;

use crate::attention::Normalizer;
use crate::bounds::{Setting, all_bounds};
use crate::experiment::{Experiment, InputError, TokenSource};
use crate::measure::{MeasureOptions, Measuring, Step};
use crate::message::{Reply, Request, RunId};
use crate::picture::{attention_picture, token_picture};
use crate::sweep::{SweepPlan, SweepPoint, Sweeping};
use crate::tokens;
use crate::weights::{inputs, weights_for};

/// How long a slice lasts before the worker listens again. A single step may take longer; the page then ends the worker.
pub const SLICE_MILLISECONDS: f64 = 8.0;

/// How often points and progress are sent: a few times a frame would be drawn once.
const REPORT_MILLISECONDS: f64 = 30.0;

/// Whether a runner wants another slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Work is left.
    More,
    /// Nothing to do until the next request.
    Idle,
}

/// The run under way.
#[derive(Debug, Default)]
pub struct Runner {
    job: Option<Job>,
}

#[derive(Debug)]
struct Job {
    run_id: RunId,
    began: f64,
    reported: f64,
    work: Work,
}

#[derive(Debug)]
enum Work {
    /// Not looked at yet: the answer `Started` goes out before anything that takes time.
    Fresh(Request),
    Measure {
        measuring: Box<Measuring>,
        head_idx: usize,
        most_cells: usize,
    },
    Sweep {
        sweeping: Box<Sweeping>,
        pending: Vec<SweepPoint>,
    },
}

impl Runner {
    /// Takes a request; whatever ran before is dropped.
    pub fn begin(&mut self, request: Request, now: f64, mut emit: impl FnMut(Reply)) {
        if let Some(job) = self.job.take() {
            emit(Reply::Cancelled { run_id: job.run_id });
        }
        let run_id = match &request {
            Request::Cancel => return,
            Request::Measure { run_id, .. } | Request::Sweep { run_id, .. } | Request::Curves { run_id, .. } => *run_id,
        };
        emit(Reply::Started { run_id });
        self.job = Some(Job { run_id, began: now, reported: now, work: Work::Fresh(request) });
    }

    /// Works until the clock passes `end` or the run is over.
    pub fn slice(&mut self, end: f64, clock: impl Fn() -> f64, mut emit: impl FnMut(Reply)) -> Turn {
        while let Some(mut job) = self.job.take() {
            let run_id = job.run_id;
            match job.step(&clock, &mut emit) {
                Ok(Turn::More) => self.job = Some(job),
                Ok(Turn::Idle) => emit(Reply::Finished { run_id }),
                Err(problem) => emit(Reply::Failed { run_id, problem: problem.to_string() }),
            }
            if self.job.is_some() && clock() >= end {
                return Turn::More;
            }
        }
        Turn::Idle
    }
}

impl Job {
    fn step(&mut self, clock: &impl Fn() -> f64, emit: &mut impl FnMut(Reply)) -> Result<Turn, InputError> {
        let run_id = self.run_id;
        match &mut self.work {
            Work::Fresh(request) => {
                let request = std::mem::replace(request, Request::Cancel);
                match begin_work(run_id, request, emit)? {
                    Some(work) => self.work = work,
                    None => return Ok(Turn::Idle),
                }
            }
            Work::Measure { measuring, head_idx, most_cells } => match measuring.step()? {
                Step::Going { iterations, relative_residual } => {
                    if clock() - self.reported > REPORT_MILLISECONDS {
                        self.reported = clock();
                        let relative_residual = relative_residual.is_finite().then_some(relative_residual);
                        emit(Reply::Progress { run_id, done: iterations, total: None, relative_residual });
                    }
                }
                Step::Done(measurement) => {
                    emit(Reply::Measured {
                        run_id,
                        measurement: Box::new(measurement),
                        attention: attention_picture(measuring.forward(), *head_idx, *most_cells),
                        tokens: token_picture(&measuring.inputs().tokens),
                        milliseconds: clock() - self.began,
                    });
                    return Ok(Turn::Idle);
                }
            },
            Work::Sweep { sweeping, pending } => {
                let step = sweeping.step()?;
                if let Some(Some(point)) = step {
                    pending.push(point);
                }
                let is_over = step.is_none();
                if is_over || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    if !pending.is_empty() {
                        emit(Reply::Points { run_id, points: std::mem::take(pending) });
                    }
                    let (done, total) = sweeping.progress();
                    emit(Reply::Progress { run_id, done, total: Some(total), relative_residual: None });
                }
                if is_over {
                    return Ok(Turn::Idle);
                }
            }
        }
        Ok(Turn::More)
    }
}

/// The work of a request; `None` where it is answered already.
fn begin_work(run_id: RunId, request: Request, emit: &mut impl FnMut(Reply)) -> Result<Option<Work>, InputError> {
    let options = MeasureOptions::default();
    Ok(match request {
        Request::Cancel => None,
        Request::Measure { experiment, head_idx, most_cells, .. } => {
            let measuring = Box::new(Measuring::start(&experiment, options)?);
            Some(Work::Measure { measuring, head_idx, most_cells })
        }
        Request::Sweep { experiment, lengths, draws, .. } => {
            let plan = SweepPlan::new(&experiment, &lengths, draws)?;
            Some(Work::Sweep { sweeping: Box::new(Sweeping::new(plan, options)), pending: Vec::new() })
        }
        Request::Curves { experiment, lengths, draws, .. } => {
            let setting = setting_of_draws(&experiment, lengths.iter().copied().max().unwrap_or(2), draws)?;
            let bounds = lengths.iter().map(|n| (*n, all_bounds(&setting.with_n(*n as f64)))).collect();
            emit(Reply::Curves { run_id, radius: setting.radius, bounds });
            None
        }
    })
}

/// A setting whose bounds hold for every draw of a sweep up to `longest` tokens: R is that of the ball, and the
/// normaliser's factor is the largest over the draws. A shorter draw is the beginning of a longer one, so that the
/// longest speaks for all.
pub fn setting_of_draws(experiment: &Experiment, longest: usize, draws: usize) -> Result<Setting, InputError> {
    let of = |tokens: &DMatrix<f64>, radius: f64| {
        let normalizer = Normalizer::new(experiment.normalization, experiment.eps, tokens);
        weights_for(experiment, tokens.nrows()).map(|weights| Setting::new(experiment, &weights, &normalizer, radius))
    };
    match &experiment.tokens {
        TokenSource::Random(law) => {
            let mut setting: Option<Setting> = None;
            for draw in 0..draws.max(1) as u64 {
                let tokens = tokens::random_tokens(&crate::experiment::RandomTokens {
                    n: longest.clamp(2, crate::experiment::limits::MAX_TOKENS),
                    seed: law.seed.wrapping_add(draw),
                    ..*law
                });
                let factor = Normalizer::new(experiment.normalization, experiment.eps, &tokens).jacobian_norm_bound();
                match &mut setting {
                    None => setting = Some(of(&tokens, law.radius)?),
                    // Without a composed normaliser the factor is 1 whatever the draw.
                    Some(setting) if setting.outer_factor != 1.0 => {
                        setting.outer_factor = setting.outer_factor.max(factor);
                    }
                    Some(_) => break,
                }
            }
            setting.ok_or(InputError::Empty { what: "The sweep".into(), least: "one draw".into() })
        }
        TokenSource::Explicit(rows) => {
            let tokens = tokens::listed_tokens(rows);
            let largest = tokens.column_iter().map(|token| token.norm()).fold(0.0, f64::max);
            of(&tokens, largest)
        }
        _ => {
            let inputs = inputs(experiment)?;
            let largest = inputs.tokens.column_iter().map(|token| token.norm()).fold(0.0, f64::max);
            of(&inputs.tokens, largest)
        }
    }
}
