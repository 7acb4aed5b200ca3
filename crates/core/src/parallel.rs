//! Splits work over threads: natively over the rayon pool that the caller has installed; the browser has one thread.
//!
//! Only this file knows about threads. Work is split by its size alone, never by the number of threads, and sums are
//! added in the order of their parts. So a result has the same digits on any number of threads, and code that splits
//! its work stays a pure function. Small work runs in order on the calling thread, without the cost of waking another
//! one.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The most groups into which sums over rows are split; that many threads can work on them. Each group keeps its own
/// sums, so a browser's worker, which has one thread, uses one group.
const MOST_GROUPS: usize = if cfg!(target_arch = "wasm32") { 1 } else { 8 };

/// Operations below which other threads are not woken: about a quarter of a millisecond.
const LEAST_OPERATIONS: u64 = 4_000_000;

/// How many threads may work at the same time.
#[must_use]
pub fn threads() -> usize {
    pool::threads()
}

/// Runs `job` on the calling thread alone, for instance where many measurements run side by side already.
pub fn on_one_thread<R>(job: impl FnOnce() -> R) -> R {
    pool::on_one_thread(job)
}

/// Does one of `count` independent jobs that all threads share. Unless there are fewer jobs than threads, the job runs
/// on one thread: a thread that waited for parts of its job would start another job meanwhile, and hold the memory of
/// both.
pub fn one_of<R>(count: usize, job: impl FnOnce() -> R) -> R {
    if count < threads() { job() } else { on_one_thread(job) }
}

/// Runs two jobs, at the same time where a thread is free.
pub fn both<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    if threads() > 1 { pool::both(first, second) } else { (first(), second()) }
}

/// Whether work is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Part by part, on the calling thread.
    InOrder,
    /// Over all threads.
    Spread,
}

impl Schedule {
    /// The schedule of work of this many floating-point operations: small work is not worth the threads.
    pub(crate) fn of(operations: u64) -> Self {
        if operations >= LEAST_OPERATIONS && threads() > 1 { Schedule::Spread } else { Schedule::InOrder }
    }
}

/// Runs two jobs, one after the other or at the same time.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn both_by(schedule: Schedule, first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    match schedule {
        Schedule::InOrder => {
            first();
            second();
        }
        Schedule::Spread => {
            pool::both(first, second);
        }
    }
}

/// The number of groups into which each of `heads` heads splits its `blocks` blocks of rows. Each group has its own
/// sums.
pub(crate) fn groups(heads: usize, blocks: usize) -> usize {
    MOST_GROUPS.div_ceil(heads.max(1)).min(blocks).max(1)
}

/// The number of parts of a product with one column for each of n tokens: one for few operations and in the browser,
/// otherwise parts of 24 to 128 columns (fewer only where n is below 24).
pub(crate) fn token_parts(n: usize, operations: u64) -> usize {
    const LEAST_COLUMNS: usize = 24;
    const MOST_COLUMNS: usize = 128;
    if MOST_GROUPS == 1 || operations < LEAST_OPERATIONS {
        return 1;
    }
    (n / LEAST_COLUMNS).clamp(1, MOST_GROUPS).max(n.div_ceil(MOST_COLUMNS))
}

/// The range of part number `part` where `len` items are split into `count` parts of nearly equal size.
pub(crate) fn share(part: usize, count: usize, len: usize) -> Range<usize> {
    part * len / count..(part + 1) * len / count
}

/// Calls `job(i, part)` for every task i; task i owns the part of `data` from `start(i)` to `start(i + 1)`. `start`
/// counts from the beginning of the whole list, and the first task owns the beginning of `data`. Allocates nothing.
pub(crate) fn for_parts<T: Send>(
    schedule: Schedule,
    tasks: Range<usize>,
    data: &mut [T],
    start: &(impl Fn(usize) -> usize + Sync),
    job: &(impl Fn(usize, &mut [T]) + Sync),
) {
    if schedule == Schedule::Spread && tasks.len() > 1 {
        let middle = tasks.start + tasks.len() / 2;
        let (left, right) = data.split_at_mut(start(middle) - start(tasks.start));
        pool::both(
            || for_parts(schedule, tasks.start..middle, left, start, job),
            || for_parts(schedule, middle..tasks.end, right, start, job),
        );
        return;
    }
    let mut rest = data;
    for task in tasks {
        let (part, after) = rest.split_at_mut(start(task + 1) - start(task));
        job(task, part);
        rest = after;
    }
}

/// Calls `job(i, item)` for every item.
pub(crate) fn for_each<I: Send>(schedule: Schedule, items: &mut [I], job: &(impl Fn(usize, &mut I) + Sync)) {
    for_parts(schedule, 0..items.len(), items, &|at| at, &|at, item: &mut [I]| {
        item.iter_mut().for_each(|item| job(at, item));
    });
}

/// The results of `job(0)`, `job(1)` and so on, in order.
pub(crate) fn map<R: Send>(schedule: Schedule, count: usize, job: &(impl Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = (0..count).map(|_| None).collect();
    for_each(schedule, &mut results, &|at, result| *result = Some(job(at)));
    results.into_iter().flatten().collect()
}

/// Buffers that jobs borrow while they run. A job for which no buffer is free makes a new one, so there are as many as
/// jobs have run at the same time. A job must not depend on what an earlier job left in its buffer.
#[derive(Debug)]
pub(crate) struct Scratch<B>(Mutex<Vec<B>>);

impl<B> Scratch<B> {
    /// Starts with one buffer.
    pub(crate) fn new(first: B) -> Self {
        Scratch(Mutex::new(vec![first]))
    }

    /// Calls `job` with a buffer that nobody else uses meanwhile.
    pub(crate) fn with<R>(&self, make: impl FnOnce() -> B, job: impl FnOnce(&mut B) -> R) -> R {
        // A panicked job did not put its buffer back, so the others are whole.
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = waiting.unwrap_or_else(make);
        let result = job(&mut buffer);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        result
    }
}

impl<B: Clone> Clone for Scratch<B> {
    fn clone(&self) -> Self {
        Scratch(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod pool {
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread runs one of many measurements that run side by side.
        static IS_ALONE: Cell<bool> = const { Cell::new(false) };
    }

    pub(super) fn threads() -> usize {
        if IS_ALONE.get() { 1 } else { rayon::current_num_threads() }
    }

    pub(super) fn on_one_thread<R>(job: impl FnOnce() -> R) -> R {
        /// Restores the thread's state, also after a panic.
        struct Restore(bool);
        impl Drop for Restore {
            fn drop(&mut self) {
                IS_ALONE.set(self.0);
            }
        }
        let _restore = Restore(IS_ALONE.replace(true));
        job()
    }

    pub(super) fn both<A: Send, B: Send>(
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        rayon::join(first, second)
    }
}

#[cfg(target_arch = "wasm32")]
mod pool {
    pub(super) fn threads() -> usize {
        1
    }

    pub(super) fn on_one_thread<R>(job: impl FnOnce() -> R) -> R {
        job()
    }

    pub(super) fn both<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
        (first(), second())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_gets_its_own_part_once_in_either_schedule() {
        for schedule in [Schedule::InOrder, Schedule::Spread] {
            // Parts of 0, 1, 2, .. numbers.
            let start = |task: usize| task * task.saturating_sub(1) / 2;
            let mut data = vec![0; start(12)];
            for_parts(schedule, 0..12, &mut data, &start, &|task, part| {
                assert_eq!(part.len(), task);
                part.iter_mut().for_each(|x| *x += task);
            });
            let expected: Vec<usize> = (0..12).flat_map(|task| vec![task; task]).collect();
            assert_eq!(data, expected);
            assert_eq!(map(schedule, 5, &|at| at * at), [0, 1, 4, 9, 16]);
        }
    }

    #[test]
    fn shares_cover_everything_without_overlap() {
        for (count, len) in [(1, 5), (3, 10), (8, 8), (8, 3)] {
            let covered: Vec<usize> = (0..count).flat_map(|part| share(part, count, len)).collect();
            assert_eq!(covered, (0..len).collect::<Vec<_>>(), "{count} parts of {len}");
        }
    }

    #[test]
    fn buffers_are_handed_back() {
        let scratch = Scratch::new(1);
        scratch.with(|| 2, |outer| scratch.with(|| 2, |inner| assert_eq!((*outer, *inner), (1, 2))));
        scratch.with(|| 3, |buffer| assert_ne!(*buffer, 3));
    }

    #[test]
    fn work_on_one_thread_is_done_in_order() {
        on_one_thread(|| assert_eq!((threads(), Schedule::of(u64::MAX)), (1, Schedule::InOrder)));
    }

    #[test]
    fn both_jobs_are_done_on_any_number_of_threads() {
        assert_eq!(both(|| 1, || "two"), (1, "two"));
        assert_eq!(on_one_thread(|| both(|| 1, || "two")), (1, "two"));
    }
}
