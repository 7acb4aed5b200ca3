//! The n at which the plot over n is read, and the end of its axis.

use super::{PageState, Range};

impl PageState {
    /// The right end of the plot over n: the end of its range, or the number of tokens if that is larger.
    #[must_use]
    pub fn growth_end(&self) -> f64 {
        self.growth.range.end(self.sweep_max).max(self.n_tokens())
    }

    /// The n at which the plot over n is read: the n that the reader has kept, if it is in sight, else that of the
    /// tokens.
    #[must_use]
    pub fn read_at(&self) -> f64 {
        self.growth.at.filter(|at| *at <= self.growth_end()).unwrap_or_else(|| self.n_tokens())
    }

    /// Keeps an n as the reading position. The axis grows if it ends before this n.
    pub fn keep_read_at(&mut self, n: f64) {
        self.growth.at = (n != self.n_tokens()).then_some(n);
        if n > self.growth_end() {
            self.growth.range = Range::reaching(n, self.sweep_max);
        }
    }
}
