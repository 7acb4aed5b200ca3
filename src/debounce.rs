//! Delayed work: each request replaces the one that waits.

use std::time::Duration;

use crate::prelude::{GetValue, StoredValue, UpdateValue, set_timeout};

/// Does the latest requested work, once no newer request has come for a while.
#[derive(Clone, Copy, Debug)]
pub struct Debounce {
    /// Counts the requests, and the calls of `forget`.
    count: StoredValue<u64>,
}

impl Default for Debounce {
    fn default() -> Self {
        Debounce { count: StoredValue::new(0) }
    }
}

impl Debounce {
    /// Does `work` after `rest`, unless newer work is requested before, or the owner has left the page.
    pub fn after(self, rest: Duration, work: impl FnOnce() + 'static) {
        self.forget();
        let Some(mine) = self.count.try_get_value() else { return };
        set_timeout(
            move || {
                if self.count.try_get_value() == Some(mine) {
                    work();
                }
            },
            rest,
        );
    }

    /// Cancels the work that waits.
    pub fn forget(self) {
        // If the owner has left the page, nothing waits.
        let _ = self.count.try_update_value(|count| *count += 1);
    }
}
