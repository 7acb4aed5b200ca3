//! While the reader moves a token, token and numbers are drawn in the same frame, so that both belong to one state.
//!
//! A worker computes the numbers, mostly within a frame. Where it takes longer, the token moves on without its numbers,
//! so that it never lags behind the pointer. The token waits again once the numbers have caught up.

use std::time::Duration;

use crate::prelude::*;

use crate::frame::Debounce;
use crate::page::Page;

/// How long a moved token waits for the next numbers: between two and three frames.
const PATIENCE: Duration = Duration::from_millis(40);

/// Says whether moved tokens wait for their numbers.
#[derive(Clone, Copy)]
pub struct TokenNumberSync {
    /// Whether tokens move on without their numbers, since these are late.
    is_ahead: RwSignal<bool>,
    /// Whether tokens wait for numbers.
    is_waiting: StoredValue<bool>,
    /// The timer that ends the wait when the numbers come late.
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
    /// Starts listening for new numbers.
    pub(super) fn begin(self, page: Page) {
        effect(move |_| {
            page.answers.measured.track();
            self.on_event(page);
        });
    }

    /// Whether tokens move on without their numbers, since these are late. Tracks its signals.
    pub(super) fn is_ahead(self) -> bool {
        self.is_ahead.get()
    }

    /// Called when the reader has moved a token.
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

    /// Called when the reader lets the token go.
    pub(super) fn rest(self) {
        self.is_waiting.set_value(false);
        if self.is_ahead.get_untracked() {
            self.is_ahead.set(false);
        }
    }

    fn on_event(self, page: Page) {
        let (is_waiting, is_ahead) = (self.is_waiting.get_value(), self.is_ahead.get_untracked());
        if !is_waiting && !is_ahead {
            return;
        }
        if untrack(|| page.is_measured()) {
            self.rest();
        } else if is_waiting {
            // These numbers belong to an earlier place of the token, which now waits for the numbers of its present
            // place.
            self.is_waiting.set_value(false);
            self.wait();
        }
    }
}
