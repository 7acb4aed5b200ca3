//! What the worker does with requests: one run at a time, in slices. No browser here: the clock is an argument.

use crate::message::{Reply, Request, RunId};
use lipscope_core::bounds::all_bounds;
use lipscope_core::estimators::{EstimatorComparison, EstimatorPoint};
use lipscope_core::experiment::{Given, InputError};
use lipscope_core::growth::{Family, FamilyPoint, growth};
use lipscope_core::inverse::{InverseStep, Inverting};
use lipscope_core::measure::{MeasureOptions, Measuring, Step};
use lipscope_core::picture::{PairRequest, TokenPicture, attention_picture, token_picture, top_pair};
use lipscope_core::scaling::{Scaling, ScalingPoint};
use lipscope_core::script::script;
use lipscope_core::search::{Search, SearchStep};
use lipscope_core::spectrum::{self, Finding};
use lipscope_core::sweep::{SweepPlan, SweepPoint, Sweeping, hypotheses_of_draws};
use lipscope_core::tightness::{Tightness, TightnessPoint};

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
        pair: PairRequest,
    },
    Family {
        family: Box<Family>,
        pending: Vec<FamilyPoint>,
    },
    Scale {
        scaling: Box<Scaling>,
        pending: Vec<ScalingPoint>,
    },
    Tightness {
        search: Box<Tightness>,
        pending: Vec<TightnessPoint>,
    },
    Invert {
        inverting: Box<Inverting>,
        pending: Vec<InverseStep>,
    },
    Search {
        search: Box<Search>,
        pending: Vec<SearchStep>,
    },
    Spectrum {
        finding: Box<Finding>,
    },
    EstimatorComparison {
        estimators: Box<EstimatorComparison>,
        pending: Vec<EstimatorPoint>,
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
        let Some(run_id) = request.run_id() else { return };
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
            Work::Measure { measuring, head_idx, most_cells, pair } => match measuring.step()? {
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
                        measurement,
                        attention: attention_picture(measuring.view(), *head_idx, *most_cells),
                        tokens: Box::new(pictured_tokens(measuring)),
                        pair: if *pair == PairRequest::Included { top_pair(measuring) } else { None },
                        milliseconds: clock() - self.began,
                    });
                    return Ok(Turn::Idle);
                }
            },
            Work::Family { family, pending } => {
                let point = family.step();
                pending.extend(point);
                if point.is_none() || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    emit(Reply::Family { run_id, points: std::mem::take(pending) });
                }
                if point.is_none() {
                    return Ok(Turn::Idle);
                }
            }
            Work::Scale { scaling, pending } => {
                let point = scaling.step()?;
                pending.extend(point);
                if point.is_none() || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    emit(Reply::Scaled { run_id, points: std::mem::take(pending) });
                    emit(progress(run_id, scaling.progress()));
                }
                if point.is_none() {
                    return Ok(Turn::Idle);
                }
            }
            Work::Tightness { search, pending } => {
                let point = search.step();
                let is_over = point.is_none();
                pending.extend(point);
                if is_over || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    emit(Reply::Tight { run_id, points: std::mem::take(pending) });
                    emit(progress(run_id, search.progress()));
                }
                if is_over {
                    return Ok(Turn::Idle);
                }
            }
            Work::Invert { inverting, pending } => {
                let step = inverting.step()?;
                let is_over = step.is_none();
                pending.extend(step);
                if is_over || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    let outcome = inverting.outcome().filter(|_| is_over);
                    emit(Reply::Inverse { run_id, steps: std::mem::take(pending), outcome });
                }
                if is_over {
                    return Ok(Turn::Idle);
                }
            }
            Work::Search { search, pending } => {
                let step = search.step()?;
                let is_over = step.is_none();
                pending.extend(step);
                if is_over || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    if let Some(reply) = searched(run_id, search, pending)? {
                        emit(reply);
                    }
                    emit(progress(run_id, search.progress()));
                }
                if is_over {
                    return Ok(Turn::Idle);
                }
            }
            Work::Spectrum { finding } => match finding.step()? {
                spectrum::Step::Going { iterations, .. } => {
                    if clock() - self.reported > REPORT_MILLISECONDS {
                        self.reported = clock();
                        if let Some(spectrum) = finding.so_far() {
                            emit(Reply::Spectrum { run_id, spectrum: Box::new(spectrum) });
                        }
                        emit(Reply::Progress { run_id, done: iterations, total: None, relative_residual: None });
                    }
                }
                spectrum::Step::Done(spectrum) => {
                    emit(Reply::Spectrum { run_id, spectrum });
                    return Ok(Turn::Idle);
                }
            },
            Work::EstimatorComparison { estimators, pending } => {
                let point = estimators.step(clock)?;
                let is_over = point.is_none();
                pending.extend(point);
                if is_over || clock() - self.reported > REPORT_MILLISECONDS {
                    self.reported = clock();
                    emit(Reply::EstimatorComparison { run_id, points: std::mem::take(pending) });
                }
                if is_over {
                    return Ok(Turn::Idle);
                }
            }
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
                    emit(progress(run_id, sweeping.progress()));
                }
                if is_over {
                    return Ok(Turn::Idle);
                }
            }
        }
        Ok(Turn::More)
    }
}

fn progress(run_id: RunId, (done, total): (usize, usize)) -> Reply {
    Reply::Progress { run_id, done, total: Some(total), relative_residual: None }
}

/// What a search has found since the last reply; `None` where there is nothing.
fn searched(run_id: RunId, search: &Search, pending: &mut Vec<SearchStep>) -> Result<Option<Reply>, InputError> {
    let (Some(mark), Some((best, _))) = (search.mark()?, search.best()) else { return Ok(None) };
    let current = Box::new(token_picture(search.current().unwrap_or(best), None));
    let best = Box::new(token_picture(best, None));
    Ok(Some(Reply::Searched { run_id, steps: std::mem::take(pending), mark: Box::new(mark), current, best }))
}

/// The tokens' picture: the positions of clusters and of long lists of equal tokens.
fn pictured_tokens(measuring: &Measuring) -> TokenPicture {
    /// A longer list is shown by its distinct tokens.
    const MOST_LISTED: f64 = 4096.0;
    let tokens = &measuring.inputs().tokens;
    match measuring.distinct() {
        Some((positions, logs)) if measuring.n() > MOST_LISTED || measuring.inputs().ln_multiplicities.is_some() => {
            token_picture(positions, Some(logs))
        }
        _ => token_picture(tokens, None),
    }
}

/// The work of a request; `None` where it is answered already.
fn begin_work(run_id: RunId, request: Request, emit: &mut impl FnMut(Reply)) -> Result<Option<Work>, InputError> {
    Ok(match request {
        Request::Cancel => None,
        Request::Measure { experiment, head_idx, most_cells, block_norms, pair, .. } => {
            let options = MeasureOptions { block_norms, ..MeasureOptions::default() };
            let measuring = Box::new(Measuring::start(&experiment, options)?);
            Some(Work::Measure { measuring, head_idx, most_cells, pair })
        }
        Request::Growth { experiment, plan, family_plan, .. } => {
            emit(Reply::Growth { run_id, growth: Box::new(growth(&experiment, &plan)?) });
            let family = Family::new(&experiment, &family_plan)?;
            family.map(|family| Work::Family { family: Box::new(family), pending: Vec::new() })
        }
        Request::Scale { plan, .. } => {
            Some(Work::Scale { scaling: Box::new(Scaling::new(&plan)?), pending: Vec::new() })
        }
        Request::Tightness { lengths, restarts, seed, .. } => {
            let search = Box::new(Tightness::new(&lengths, restarts, seed)?);
            Some(Work::Tightness { search, pending: Vec::new() })
        }
        Request::Invert { plan, .. } => {
            let inverting = Box::new(Inverting::start(&plan)?);
            let ((constant, kind), (tokens, images)) = (inverting.constant(), inverting.places());
            emit(Reply::Inverting { run_id, constant, kind, tokens, images });
            Some(Work::Invert { inverting, pending: Vec::new() })
        }
        Request::Search { plan, mark, .. } => {
            let search = match mark {
                Some(mark) => Search::resume(&plan, &mark)?,
                None => Search::start(&plan)?,
            };
            emit(Reply::Search { run_id, domain: Box::new(search.domain().clone()) });
            Some(Work::Search { search: Box::new(search), pending: Vec::new() })
        }
        Request::Spectrum { plan, .. } => Some(Work::Spectrum { finding: Box::new(Finding::start(&plan)?) }),
        Request::EstimatorComparison { plan, .. } => Some(Work::EstimatorComparison {
            estimators: Box::new(EstimatorComparison::new(&plan)?),
            pending: Vec::new(),
        }),
        Request::Sweep { experiment, lengths, draws, norm, .. } => {
            let plan = SweepPlan::new(&experiment, &lengths, draws)?;
            let sweeping = Box::new(Sweeping::new(plan, MeasureOptions::for_norm(norm)));
            Some(Work::Sweep { sweeping, pending: Vec::new() })
        }
        Request::Read { name, bytes, .. } => {
            let given = match name {
                Some(name) => Given::from_file(&name, &bytes)?,
                None => Given::from_text(&String::from_utf8_lossy(&bytes))?,
            };
            emit(Reply::Read { run_id, given });
            None
        }
        Request::Script { experiment, dialect, .. } => {
            emit(Reply::Script { run_id, dialect, text: script(&experiment, dialect)? });
            None
        }
        Request::Curves { experiment, lengths, draws, .. } => {
            let hypotheses = hypotheses_of_draws(&experiment, lengths.iter().copied().max().unwrap_or(2), draws)?;
            let bounds = lengths.iter().map(|n| (*n, all_bounds(&hypotheses.with_n(*n as f64)))).collect();
            emit(Reply::Curves { run_id, radius: hypotheses.radius, bounds });
            None
        }
    })
}
