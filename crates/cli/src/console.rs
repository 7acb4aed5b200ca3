//! Lines and progress bars on standard error.
//!
//! `eprintln!` panics if standard error cannot be written, as with `2> log` on a full disk. That would end the process
//! and lose everything after this line, not only the line itself.

use std::io;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// Writes a line to standard error if possible.
macro_rules! emit {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($words)*);
    }};
}

/// Writes whole lines to standard error if possible.
pub(super) fn emit_lines(text: &str) {
    if !text.is_empty() {
        emit!("{}", text.trim_end_matches('\n'));
    }
}

pub(super) use emit;

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
