//! Work that waits, of which only the newest is done.

use std::time::Duration;

use crate::prelude::{GetValue, StoredValue, UpdateValue, set_timeout};

/// Does the last of what it is asked to do, once nothing newer has come for a while.
#[derive(Clone, Copy, Debug)]
pub struct Debounce {
    /// Counts what it was asked to do, and to forget.
    count: StoredValue<u64>,
}

impl Default for Debounce {
    fn default() -> Self {
        Debounce { count: StoredValue::new(0) }
    }
}

impl Debounce {
    /// Does `work` after `rest`, unless other work is asked for before, or what asks for it has left the page.
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

    /// Does not do what waits.
    pub fn forget(self) {
        // What has left the page waits for nothing.
        let _ = self.count.try_update_value(|count| *count += 1);
    }
}
