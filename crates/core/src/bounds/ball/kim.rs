//! The bounds of Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021, Theorem 3.2, for their
//! L2 multi-head attention on the whole space, without a mask. With phi(x) = x e^(x+1) and k = d/heads:
//!
//! - l_inf: (4 phi^-1(n-1) + 1/sqrt k) ||W_O^T||_inf max_h ||W_Q,h||_inf ||W_Q,h^T||_inf max_h ||W_V,h^T||_inf;
//! - l_2: sqrt(n/k) (4 phi^-1(n-1) + 1) (sum_h ||W_Q,h||_2^4 ||W_V,h||_2^2)^(1/2) ||W_O||_2.
//!
//! phi^-1(y) = W_0(y/e), W_0 the Lambert function. In the l_2 bound W_Q enters to the fourth power, because the map
//! scales as |W_Q|^2 (docs/theory.md section 5; tests/core/l2.rs has a counterexample to the second power).

use super::super::logarithms::ln_minus_one;
use super::super::{BoundId, Hypotheses};
use crate::bounds::hypotheses::KimNorms;
use crate::experiment::{Attention, MaskKind, Scope};

/// ln of `kim_linf`.
pub(in crate::bounds) fn ln_linf(hypotheses: &Hypotheses) -> Option<f64> {
    let norms = norms(hypotheses)?;
    // The normaliser's factor bounds Euclidean norms only.
    if hypotheses.scope == Scope::Composed {
        return None;
    }
    let growth = 4.0 * inverse_phi(hypotheses.ln_n) + 1.0 / norms.k.sqrt();
    Some((growth * norms.output_linf * norms.query_linf * norms.value_linf).ln())
}

/// ln of `kim_l2`.
pub(in crate::bounds) fn ln_l2(hypotheses: &Hypotheses) -> Option<f64> {
    let norms = norms(hypotheses)?;
    let growth = 4.0 * inverse_phi(hypotheses.ln_n) + 1.0;
    let weights = 0.5 * norms.heads.ln() + norms.output.ln() + hypotheses.outer_factor.ln();
    Some(0.5 * (hypotheses.ln_n - norms.k.ln()) + growth.ln() + weights)
}

/// The formula with the numbers of these hypotheses inserted.
pub(in crate::bounds) fn worked(id: BoundId, hypotheses: &Hypotheses, brief: impl Fn(f64) -> String) -> Option<String> {
    let norms = norms(hypotheses)?;
    let inverse = brief(inverse_phi(hypotheses.ln_n));
    Some(match id {
        BoundId::KimLinf => format!(
            "(4 · {inverse} + {}) · {} · {} · {}",
            brief(1.0 / norms.k.sqrt()),
            brief(norms.output_linf),
            brief(norms.query_linf),
            brief(norms.value_linf)
        ),
        _ => format!(
            "√({} / {}) · (4 · {inverse} + 1) · √{} · {}",
            brief(hypotheses.n()),
            brief(norms.k),
            brief(norms.heads),
            brief(norms.output)
        ),
    })
}

fn norms(hypotheses: &Hypotheses) -> Option<KimNorms> {
    let applies = hypotheses.attention == Attention::L2 && hypotheses.mask == MaskKind::None;
    hypotheses.kim.filter(|_| applies)
}

/// phi^-1(n - 1) = W_0((n - 1)/e).
fn inverse_phi(ln_n: f64) -> f64 {
    lambert_w::lambert_w0((ln_minus_one(ln_n) - 1.0).exp())
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::bounds::HeadNorms;
    use crate::weights::L2Mha;

    fn one(n: f64) -> Hypotheses {
        let one = || DMatrix::from_element(1, 1, 1.0);
        let weights = L2Mha { queries: vec![one()], values: vec![one()], output: one() };
        let norms = HeadNorms { a_norm: 1.0, v_norm: 1.0 };
        Hypotheses {
            kim: Some(KimNorms::of(&weights)),
            ..Hypotheses::of_norms(Attention::L2, MaskKind::None, norms, 1.0, n)
        }
    }

    /// Values tabulated outside this crate, d = k = 1, all weights 1.
    #[test]
    fn the_linf_bound_equals_tabulated_values() {
        for (n, expected) in [(10.0, 5.40), (30.0, 8.15), (100.0, 11.52), (300.0, 14.84), (1000.0, 18.68)] {
            let found = BoundId::KimLinf.at(&one(n)).and_then(|bound| bound.value).expect("it applies");
            assert!((found - expected).abs() < 0.006, "n = {n}: {found} for {expected}");
        }
    }

    #[test]
    fn inverse_phi_inverts_phi_at_every_length() {
        for n in [2.0f64, 3.0, 1e3, 1e9, 1e18, 1e300] {
            let x = inverse_phi(n.ln());
            let ln_phi = x.ln() + x + 1.0;
            assert!((ln_phi - (n - 1.0).ln()).abs() < 1e-12 * n.ln().max(1.0), "n = {n}: {x}");
        }
    }

    #[test]
    fn the_bounds_are_absent_under_a_mask_and_for_other_weights() {
        let causal = Hypotheses { mask: MaskKind::Causal, ..one(10.0) };
        assert_eq!((BoundId::KimL2.at(&causal), BoundId::KimLinf.at(&causal)), (None, None));
        let other = Hypotheses { kim: None, ..one(10.0) };
        assert_eq!((BoundId::KimL2.at(&other), BoundId::KimLinf.at(&other)), (None, None));
    }
}
