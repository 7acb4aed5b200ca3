//! What the runs of `lipscope model` share, over windows and at adversarial tokens.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::model_files::Found;
use super::progress::progress_bar;
use super::results::Results;
use lipscope_core::experiment::InputError;
use lipscope_models::{Cell, Estimate, Plan, Table};

/// The table of a run, and the problems met.
pub(super) type Outcome = Result<(Table, Vec<InputError>), InputError>;

/// Everything that a run needs: model, plan, text and results.
pub(super) struct Run {
    pub(super) found: Found,
    pub(super) ids: Vec<u32>,
    pub(super) plan: Plan,
}

/// Measures portions of work on so many threads, and adds their rows to the results and problems that there are.
pub(super) fn measure_all<T: Send>(
    portions: Vec<T>,
    (what, threads): (&'static str, usize),
    so_far: (Results, Vec<InputError>),
    measure: impl Fn(T) -> Result<Vec<(Cell, Estimate)>, InputError> + Sync,
) -> Outcome {
    let bar = progress_bar(portions.len(), what);
    let shared = Mutex::new(so_far);
    thread_pool(threads)?.install(|| {
        // The bridge hands out portions one by one, so that the longest windows start first.
        portions.into_iter().par_bridge().for_each(|portion| {
            let measured = measure(portion);
            bar.inc(1);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(problem) = measured.and_then(|rows| shared.0.add(rows))
                && !shared.1.contains(&problem)
            {
                shared.1.push(problem);
            }
        });
    });
    bar.finish_and_clear();
    let (results, problems) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((results.finish()?, problems))
}

/// A pool of that many threads, or all cores for 0.
pub(super) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, InputError> {
    let failed = |error: rayon::ThreadPoolBuildError| InputError::BadValue {
        key: "--threads".into(),
        found: threads.to_string().into(),
        expected: format!("a number of threads that can be started ({error})").into(),
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)
}
