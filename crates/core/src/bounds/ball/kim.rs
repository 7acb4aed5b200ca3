//! The bounds of Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021, Theorem 3.2, for their
//! L2 multi-head attention on the whole space, and one of ours. With phi(x) = x e^(x+1), k = d/heads and c = phi^-1(n-1):
//!
//! - l_inf: (4 phi^-1(n-1) + 1/sqrt k) ||W_O^T||_inf max_h ||W_Q,h||_inf ||W_Q,h^T||_inf max_h ||W_V,h^T||_inf;
//! - l_2: sqrt(n/k) (4 phi^-1(n-1) + 1) (sum_h ||W_Q,h||_2^4 ||W_V,h||_2^2)^(1/2) ||W_O||_2;
//! - `kim_column` (ours, docs/theory.md section 5), l_2: (2c + min(sqrt(n) (1 + 2c), (4/3)^(k/4) (1 + sqrt(8c/3)))) (sum_h
//!   ||W_Q,h||_2^4 ||W_V,h||_2^2 / k)^(1/2) ||W_O||_2, without a mask.
//!
//! The first two hold under the causal mask too: row i is a row without a mask on i tokens, and phi^-1 grows.
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

/// ln of `kim_column`, without a mask.
pub(in crate::bounds) fn ln_column(hypotheses: &Hypotheses) -> Option<f64> {
    let norms = norms(hypotheses).filter(|_| hypotheses.mask == MaskKind::None)?;
    let weights = 0.5 * (norms.heads.ln() - norms.k.ln()) + norms.output.ln() + hypotheses.outer_factor.ln();
    Some(column_growth(hypotheses.ln_n, norms.k).ln() + weights)
}

/// 2c + min(sqrt(n) (1 + 2c), (4/3)^(k/4) (1 + sqrt(8c/3))).
fn column_growth(ln_n: f64, k: f64) -> f64 {
    let c = inverse_phi(ln_n);
    let by_rows = (0.5 * ln_n).exp() * (1.0 + 2.0 * c);
    let by_columns = (0.25 * k * (4f64 / 3.0).ln()).exp() * (1.0 + (8.0 * c / 3.0).sqrt());
    2.0 * c + by_rows.min(by_columns)
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
        BoundId::KimColumn => format!(
            "{} · √({} / {}) · {}",
            brief(column_growth(hypotheses.ln_n, norms.k)),
            brief(norms.heads),
            brief(norms.k),
            brief(norms.output)
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
    let applies = hypotheses.attention == Attention::L2 && hypotheses.mask != MaskKind::Other;
    hypotheses.kim.filter(|_| applies)
}

/// phi^-1(n - 1) = W_0((n - 1)/e).
fn inverse_phi(ln_n: f64) -> f64 {
    lambert_w::lambert_w0((ln_minus_one(ln_n) - 1.0).exp())
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;
    use proptest::prelude::*;

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
    fn the_bounds_are_absent_under_other_masks_and_for_other_weights() {
        let at = |hypotheses: &Hypotheses| {
            [BoundId::KimL2, BoundId::KimLinf, BoundId::KimColumn].map(|id| id.at(hypotheses))
        };
        let [causal, open] = [MaskKind::Causal, MaskKind::None].map(|mask| at(&Hypotheses { mask, ..one(10.0) }));
        assert_eq!((causal[0], causal[1], causal[2]), (open[0], open[1], None));
        assert_eq!(at(&Hypotheses { mask: MaskKind::Other, ..one(10.0) }), [None; 3]);
        assert_eq!(at(&Hypotheses { kim: None, ..one(10.0) }), [None; 3]);
    }

    #[test]
    fn the_column_bound_grows_like_the_logarithm_of_n() {
        let value = |id: BoundId, n: f64| id.at(&one(n)).and_then(|bound| bound.value).expect("it applies");
        let found = value(BoundId::KimColumn, 1.4e11);
        assert!((found - 52.41).abs() < 0.01, "{found}");
        for n in [1.0, 2.0, 3.0, 10.0, 1e3, 1e9, 1e18, 1e300] {
            let (ours, theirs) = (value(BoundId::KimColumn, n), value(BoundId::KimL2, n));
            assert!(ours <= theirs * (1.0 + 1e-12) && ours <= 1.0 + 4.0 * f64::ln(n) + 8.0, "n={n}: {ours}, {theirs}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

        /// At tokens on a line, in a plane and in space, the first of which is the one that receives attention.
        #[test]
        fn no_column_sum_of_the_gaussian_kernel_is_above_its_bound(
            k in 1usize..4,
            entries in prop::collection::vec(-1.0..1.0f64, 90),
            ln_sizes in prop::collection::vec(0.0..6.0f64, 30),
            count in 2usize..30,
            spread in -1.0..0.8f64,
        ) {
            let place = |at: usize, axis: usize| if at == 0 { 0.0 } else { 10f64.powf(spread) * entries[3 * at + axis] };
            let square = |i: usize, l: usize| (0..k).map(|axis| (place(i, axis) - place(l, axis)).powi(2)).sum::<f64>();
            let size = |l: usize| if l == 0 { 1.0 } else { ln_sizes[l].exp() };
            let weight = |i: usize| (0..count).map(|l| size(l) * (-square(i, l)).exp()).sum::<f64>();
            let sum: f64 = (0..count).map(|i| size(i) * (-square(i, 0)).exp() / weight(i)).sum();
            prop_assert!(sum <= (4f64 / 3.0).powf(0.5 * k as f64) * (1.0 + 1e-12), "{sum}");
        }
    }

    /// Equally spaced tokens on a line come near the bound: 1.15470.
    #[test]
    fn the_bound_on_column_sums_is_nearly_attained_on_a_line() {
        let sum_at = |beside: f64, ratio: f64| {
            // One token at 0 and Gaussian clusters around it, much closer to each other than the kernel is wide.
            let place = |at: i32| f64::from(at) * 0.05;
            let size = |at: i32| beside * (-ratio * place(at).powi(2)).exp();
            let all = || -200..=200;
            let weight =
                |x: f64| (-x * x).exp() + all().map(|at| size(at) * (-(x - place(at)).powi(2)).exp()).sum::<f64>();
            1.0 / weight(0.0) + all().map(|at| size(at) * (-place(at).powi(2)).exp() / weight(place(at))).sum::<f64>()
        };
        let ratios = (1..40).map(|step| 0.05 * f64::from(step));
        let best = ratios.map(|ratio| sum_at(1e6, ratio)).fold(0.0, f64::max);
        let most = (4f64 / 3.0).sqrt();
        assert!(best <= most + 1e-9 && best >= 0.999 * most, "{best} for {most}");
    }
}
