//! The norms of the Jacobian.

use crate::bounds::Norm;

pub const NORM: &str = "Norm of J";
pub const NORM_HINT: &str =
    "In which norm a change of the tokens is measured; bounds that are about another norm are not shown";
pub const NEEDS_DENSE: &str = "Needs every entry of J, which is too large here";

/// Its name in the list of norms.
pub fn norm_choice(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "spectral, ‖J‖₂",
        Norm::Linf => "ℓ∞, largest row sum",
        Norm::L1 => "ℓ1, largest column sum",
        Norm::Frobenius => "Frobenius",
        Norm::MaxToken => "over tokens, a bound",
    }
}

/// Its name above its number.
pub fn norm_title(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "Local Lipschitz constant",
        Norm::Linf => "ℓ∞ norm of J",
        Norm::L1 => "ℓ1 norm of J",
        Norm::Frobenius => "Frobenius norm of J",
        Norm::MaxToken => "Row sums of block norms",
    }
}

/// Its name in a row of numbers.
pub fn norm_label(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "spectral norm",
        Norm::Linf => "ℓ∞ norm",
        Norm::L1 => "ℓ1 norm",
        Norm::Frobenius => "Frobenius norm",
        Norm::MaxToken => "row sums of block norms",
    }
}

/// What it is.
pub fn norm_hint(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => {
            "‖J‖₂, the largest singular value of the Jacobian: how much a small change of all tokens can grow"
        }
        Norm::Linf => "Largest absolute row sum of J: how much the largest entry of a small change can grow",
        Norm::L1 => "Largest absolute column sum of J: how much the sum of a small change’s entries can grow",
        Norm::Frobenius => "Root of the sum of all squared entries of J: never below the spectral norm",
        Norm::MaxToken => {
            "Largest row sum of ‖Jᵢⱼ‖₂: at least the norm of J where a change is as large as its largest token"
        }
    }
}

/// How it is written.
pub fn norm_symbol(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "L",
        Norm::Linf => "‖J‖∞",
        Norm::L1 => "‖J‖₁",
        Norm::Frobenius => "‖J‖F",
        Norm::MaxToken => "maxᵢ Σⱼ ‖Jᵢⱼ‖₂",
    }
}

/// The title of an axis that it is on.
pub fn norm_axis(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "local Lipschitz constant L = ‖J‖₂",
        Norm::Linf => "ℓ∞ norm of J",
        Norm::L1 => "ℓ1 norm of J",
        Norm::Frobenius => "Frobenius norm of J",
        Norm::MaxToken => "row sums of block norms of J",
    }
}

/// Why bounds are gone; nothing for the norm that all views begin with.
pub fn norm_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "",
        Norm::Linf => {
            "Bounds on the spectral norm say nothing of the ℓ∞ norm. One is known: that of Kim et al. for L2-MHA weights."
        }
        Norm::L1 => "Bounds on the spectral norm say nothing of the ℓ1 norm, and none of its own is known here.",
        Norm::Frobenius => {
            "What the spectral norm reaches, the Frobenius norm reaches too; upper bounds on the spectral norm say nothing of it."
        }
        Norm::MaxToken => "This number is itself an upper bound: on the norm of J over the largest token.",
    }
}
