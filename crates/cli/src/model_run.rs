//! What the runs of `lipscope model` share, over windows and at adversarial tokens.

use super::model_files::Found;
use lipscope_core::experiment::InputError;
use lipscope_models::Plan;

/// Everything that a run needs: model, plan, text and results.
pub(super) struct Run {
    pub(super) found: Found,
    pub(super) ids: Vec<u32>,
    pub(super) plan: Plan,
}

/// A pool of that many threads, or all cores for 0.
pub(super) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, InputError> {
    let failed = |error: rayon::ThreadPoolBuildError| InputError::BadValue {
        key: "--threads".into(),
        found: threads.to_string(),
        expected: format!("a number of threads that can be started ({error})"),
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)
}
