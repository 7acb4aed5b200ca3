//! The norms of the Jacobian.

pub use crate::words::norms::*;

use lipscope_core::bounds::Norm;

/// The name of a norm in the list of norms.
pub fn norm_choice(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => norm_choice::spectral(),
        Norm::Linf => norm_choice::linf(),
        Norm::L1 => norm_choice::l1(),
        Norm::Frobenius => norm_choice::frobenius(),
        Norm::MaxToken => norm_choice::max_token(),
    }
}

/// The name of a norm above its number.
pub fn norm_title(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => norm_title::spectral(),
        Norm::Linf => norm_title::linf(),
        Norm::L1 => norm_title::l1(),
        Norm::Frobenius => norm_title::frobenius(),
        Norm::MaxToken => norm_title::max_token(),
    }
}

/// The name of a norm in a row of numbers.
pub fn norm_label(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => norm_label::spectral(),
        Norm::Linf => norm_label::linf(),
        Norm::L1 => norm_label::l1(),
        Norm::Frobenius => norm_label::frobenius(),
        Norm::MaxToken => norm_label::max_token(),
    }
}

/// Explains a norm in a sentence.
pub fn norm_hint(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => norm_hint::spectral(),
        Norm::Linf => norm_hint::linf(),
        Norm::L1 => norm_hint::l1(),
        Norm::Frobenius => norm_hint::frobenius(),
        Norm::MaxToken => norm_hint::max_token(),
    }
}

/// The symbol of a norm.
pub fn norm_symbol(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "L",
        Norm::Linf => "‖J‖∞",
        Norm::L1 => "‖J‖₁",
        Norm::Frobenius => "‖J‖F",
        Norm::MaxToken => "maxᵢ Σⱼ ‖Jᵢⱼ‖₂",
    }
}

/// The title of an axis of a norm.
pub fn norm_axis(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => norm_axis::spectral(),
        Norm::Linf => norm_axis::linf(),
        Norm::L1 => norm_axis::l1(),
        Norm::Frobenius => norm_axis::frobenius(),
        Norm::MaxToken => norm_axis::max_token(),
    }
}

/// Why bounds are missing; nothing for the spectral norm.
pub fn norm_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "",
        Norm::Linf => norm_note::linf(),
        Norm::L1 => norm_note::l1(),
        Norm::Frobenius => norm_note::frobenius(),
        Norm::MaxToken => norm_note::max_token(),
    }
}
