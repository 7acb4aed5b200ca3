//! The engine's workers, and the page's latest orders to them.

use crate::prelude::*;

use lipscope_core::picture::PairRequest;

use crate::debounce::Debounce;
use crate::state::PageState;
use crate::workers::EngineWorkers;

/// The workers, the latest orders, and the work that waits for the controls to rest.
#[derive(Clone, Copy)]
pub(super) struct Engine {
    /// `None` before the page has started them.
    pub(super) workers: StoredValue<Option<EngineWorkers>, LocalStorage>,
    /// The latest order of a measurement, and whether it includes the leading pair.
    pub(super) measured: LastOrder<(PageState, PairRequest)>,
    /// The latest order of a ball.
    pub(super) ball: LastOrder<PageState>,
    /// The latest order of a sweep, and the n up to which its bounds are drawn.
    pub(super) swept: LastOrder<(PageState, usize)>,
    /// The state of the controls at the last good measurement.
    pub(super) last_good: StoredValue<Option<PageState>>,
    /// The sweep that begins when the controls rest.
    pub(super) beginning: Debounce,
    /// The text for a screen reader, once the numbers rest.
    pub(super) announcing: Debounce,
}

/// The latest order of a kind.
pub(super) struct LastOrder<T: Send + Sync + 'static>(StoredValue<Option<T>>);

impl<T: Send + Sync + 'static> Clone for LastOrder<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for LastOrder<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> LastOrder<T> {
    /// Whether `now` differs from the latest order. It then becomes the latest order.
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
