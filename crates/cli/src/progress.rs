//! Progress bars on standard error.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `n` `units`; shown only on a terminal.
pub(super) fn progress_bar(n: usize, units: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(n as u64);
    match ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {units}, {{eta}} left")) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
