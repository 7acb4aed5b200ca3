//! `window_causal` (ours, docs/theory.md section 6): under a causal window of W tokens the rows and columns 1 to min(n, W)
//! are causal attention on min(n, W) tokens, so that its lower bound holds for the window.

use super::super::Hypotheses;
use super::adversarial::ln_causal_of;
use crate::experiment::{Mask, Order};

/// ln of the bound; `None` except for dot-product attention without other steps under a causal window.
pub(in crate::bounds) fn ln_window_causal(hypotheses: &Hypotheses) -> Option<f64> {
    let Mask::Window { width, order: Order::Causal } = hypotheses.variant.as_deref()?.mask else { return None };
    ln_causal_of(hypotheses, hypotheses.ln_n.min((width as f64).ln()))
}
