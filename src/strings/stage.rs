//! The page for a projector, and a plot alone.

use crate::words::stage as words;
pub use crate::words::stage::{is_blank, leave_alone};

use crate::state::PageState;
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Attention, Mask, Normalization, Scope};
use lipscope_plot::Number;

use super::explore::normalizer_name;
use super::norms::norm_symbol;
use super::plot::count;
use super::steps::{mask_name, step_names};

/// The norm at the present tokens: the symbol with its value, and where it is measured.
pub fn teacher_reading(norm: Norm, value: &str, (n, radius): (f64, f64), state: &PageState) -> (String, String) {
    // The differences come first, because a line that is too long is cut at its end.
    let mut place = differences(state);
    place.push(words::reading { n: count(n), radius: Number::of(radius) }.text());
    (format!("{} {value}", norm_symbol(norm)), place.join(words::comma()))
}

/// How the attention differs from plain attention (dot-product, without mask and normaliser). A plot that is alone on
/// screen does not show this.
fn differences(state: &PageState) -> Vec<String> {
    let kernel = (state.attention == Attention::L2).then(|| words::of_l2().to_owned());
    let mask = (state.mask != Mask::None).then(|| mask_name(&state.mask));
    let normalizer = (state.normalization != Normalization::None).then(|| {
        let name = normalizer_name(state.normalization);
        match state.scope {
            Scope::Inputs => words::of_normalized(name),
            Scope::Composed => words::of_composed(name),
        }
    });
    kernel.into_iter().chain(step_names(state)).chain(mask).chain(normalizer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_alone_names_mask_kernel_and_normaliser_where_they_are_not_the_plain_ones() {
        let plain = PageState::default();
        let place = |state: &PageState| teacher_reading(Norm::Spectral, "= 2", (50.0, 3.0), state).1;
        let base = place(&plain);
        assert_eq!(differences(&plain), Vec::<String>::new());
        let causal = PageState { mask: Mask::Causal, ..plain.clone() };
        assert_eq!(place(&causal), format!("causal, {base}"));
        let both = PageState { normalization: Normalization::Layer, attention: Attention::L2, ..causal };
        assert_eq!(place(&both), format!("L2 kernel, causal, LayerNorm, {base}"));
        let composed = PageState { scope: Scope::Composed, normalization: Normalization::Rms, ..plain };
        assert_eq!(place(&composed), format!("RMSNorm + attention, {base}"));
    }
}
