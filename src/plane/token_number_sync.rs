//! While a token is moved, it and its numbers are shown in one frame: what is seen belongs together.
//!
//! The numbers come from a worker, and mostly within a frame; where they take longer, the token runs ahead of them, so that
//! it never hangs back behind the hand. It waits for them again once they have caught up.

use std::time::Duration;

use crate::prelude::*;

use crate::debounce::Debounce;
use crate::page::Page;

/// How long a token that was moved waits for the next numbers: between two and three frames.
const PATIENCE: Duration = Duration::from_millis(40);

/// Whether tokens wait for their numbers.
#[derive(Clone, Copy)]
pub struct TokenNumberSync {
    /// Whether they do not, since the numbers are late.
    is_ahead: RwSignal<bool>,
    /// Whether some are waited for.
    is_waiting: StoredValue<bool>,
    /// What is done where they come late.
    patience: Debounce,
}

impl Default for TokenNumberSync {
    fn default() -> Self {
        TokenNumberSync {
            is_ahead: RwSignal::new(false),
            is_waiting: StoredValue::new(false),
            patience: Debounce::default(),
        }
    }
}

impl TokenNumberSync {
    /// Hears of numbers as they come.
    pub(super) fn begin(self, page: Page) {
        effect(move |_| {
            page.live.measured.track();
            self.hear(page);
        });
    }

    /// Whether tokens do not wait for their numbers, since these are late. Tracks what it reads.
    pub(super) fn is_ahead(self) -> bool {
        self.is_ahead.get()
    }

    /// A token was moved.
    pub(super) fn wait(self) {
        if self.is_ahead.get_untracked() || self.is_waiting.get_value() {
            return;
        }
        self.is_waiting.set_value(true);
        self.patience.after(PATIENCE, move || {
            if self.is_waiting.get_value() {
                self.is_waiting.set_value(false);
                self.is_ahead.set(true);
            }
        });
    }

    /// The token was let go.
    pub(super) fn rest(self) {
        self.is_waiting.set_value(false);
        if self.is_ahead.get_untracked() {
            self.is_ahead.set(false);
        }
    }

    fn hear(self, page: Page) {
        let (is_waiting, is_ahead) = (self.is_waiting.get_value(), self.is_ahead.get_untracked());
        if !is_waiting && !is_ahead {
            return;
        }
        if untrack(|| page.is_measured()) {
            self.rest();
        } else if is_waiting {
            // These are the numbers of a place that the token has left since: those of where it is are waited for anew.
            self.is_waiting.set_value(false);
            self.wait();
        }
    }
}
