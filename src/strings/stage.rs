//! The page for a projector, and a plot alone.

use crate::words::stage as words;
pub use crate::words::stage::{is_blank, leave_alone};

use lipscope_core::bounds::Norm;
use lipscope_plot::Number;

use super::norms::norm_symbol;
use super::plot::count;

/// The norm at the present tokens: the symbol with its value, and where it is measured.
pub fn teacher_reading(norm: Norm, value: &str, n: f64, radius: f64) -> (String, String) {
    (format!("{} {value}", norm_symbol(norm)), words::reading(count(n), Number::of(radius)))
}
