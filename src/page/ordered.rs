//! The engine's workers, and what was asked of them last, as far as the state says it.

use crate::prelude::*;

use lipscope_core::picture::PairRequest;

use crate::debounce::Debounce;
use crate::state::PageState;
use crate::workers::EngineWorkers;

/// The workers, the last orders, and what waits for a rest.
#[derive(Clone, Copy)]
pub(super) struct Engine {
    /// `None` before the page has started them.
    pub(super) workers: StoredValue<Option<EngineWorkers>, LocalStorage>,
    /// What is measured, and whether with its leading pair.
    pub(super) measured: LastOrder<(PageState, PairRequest)>,
    /// The ball.
    pub(super) ball: LastOrder<PageState>,
    /// The sweep, and up to which n its bounds are drawn.
    pub(super) swept: LastOrder<(PageState, usize)>,
    /// What the controls said when the last number was measured.
    pub(super) last_good: StoredValue<Option<PageState>>,
    /// The sweep that begins when the controls rest.
    pub(super) beginning: Debounce,
    /// What a screen reader hears when the numbers rest.
    pub(super) announcing: Debounce,
}

/// What was asked for last.
pub(super) struct LastOrder<T: Send + Sync + 'static>(StoredValue<Option<T>>);

impl<T: Send + Sync + 'static> Clone for LastOrder<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for LastOrder<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> LastOrder<T> {
    /// Whether something is other than what was asked for last; from now on it is what was asked for last.
    pub(super) fn is_new(self, now: &T) -> bool {
        let replace = |last: &mut Option<T>| {
            let is_new = last.as_ref() != Some(now);
            if is_new {
                *last = Some(now.clone());
            }
            is_new
        };
        self.0.try_update_value(replace).unwrap_or(false)
    }
}

impl Default for Engine {
    fn default() -> Self {
        Engine {
            workers: StoredValue::new_local(None),
            measured: LastOrder(StoredValue::new(None)),
            ball: LastOrder(StoredValue::new(None)),
            swept: LastOrder(StoredValue::new(None)),
            last_good: StoredValue::new(None),
            beginning: Debounce::default(),
            announcing: Debounce::default(),
        }
    }
}
