//! Lines and progress bars on standard error.
//!
//! `eprintln!` ends the process where nothing can be written there, as on a full disk behind `2> log`: what would be lost
//! then is not the line but everything after it.

use std::io;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// A line on standard error, where that takes one.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($words)*);
    }};
}

/// A text of whole lines on standard error, where that takes one.
pub(super) fn tell_lines(text: &str) {
    if !text.is_empty() {
        tell!("{}", text.trim_end_matches('\n'));
    }
}

pub(super) use tell;

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
