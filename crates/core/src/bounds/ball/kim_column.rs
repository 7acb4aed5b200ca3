use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::need::Need;
use super::super::slack::{AtHead, brief};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::kim::inverse_phi;

/// Upper: (2c + min(sqrt(n) (1 + 2c), (4/3)^(k/4) (1 + sqrt(8c/3)))) sqrt(sum_h ||W_Q,h||^4 ||W_V,h||^2/k) ||W_O||, with c =
/// φ^-1(n - 1) and φ(x) = x e^(x + 1). It grows like ln n.
///
/// L2 multi-head attention of \[K\] with its weights, no mask, every n, all tokens. Source: ours, section 5, `kim_column`.
pub static KIM_COLUMN: Statement = Statement {
    id: "kim_column",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "(2c + min(√n (1 + 2c), (4/3)^(k/4) (1 + √(8c/3)))) √(Σₕ ‖W_Q‖⁴‖W_V‖² / k) ‖W_O‖, c = φ⁻¹(n − 1)",
    tex: None,
    needs: &[Need::PlainAttention, Need::L2MultiHead, Need::Unmasked],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(60),
    label: "kim_column",
    note: "kim_column",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &KIM_COLUMN, value: Computation::OnBall(ln), worked, losses: no_losses };

fn ln(given: &Hypotheses) -> Option<f64> {
    let norms = given.kim?;
    let weights = 0.5 * (norms.heads.ln() - norms.k.ln()) + norms.output.ln() + given.outer_factor.ln();
    Some(column_growth(given.ln_n, norms.k).ln() + weights)
}

/// 2c + min(sqrt(n) (1 + 2c), (4/3)^(k/4) (1 + sqrt(8c/3))).
fn column_growth(ln_n: f64, k: f64) -> f64 {
    let c = inverse_phi(ln_n);
    let by_rows = (0.5 * ln_n).exp() * (1.0 + 2.0 * c);
    let by_columns = (0.25 * k * (4f64 / 3.0).ln()).exp() * (1.0 + (8.0 * c / 3.0).sqrt());
    2.0 * c + by_rows.min(by_columns)
}

fn worked(at: &AtHead<'_>) -> String {
    let Some(norms) = at.given.kim else { return String::new() };
    format!(
        "{} · √({} / {}) · {}",
        brief(column_growth(at.given.ln_n, norms.k)),
        brief(norms.heads),
        brief(norms.k),
        brief(norms.output)
    )
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;
    use proptest::prelude::*;

    use super::*;
    use crate::bounds::hypotheses::KimNorms;
    use crate::bounds::{BoundId, HeadNorms, KIM_L2, KIM_LINF};
    use crate::experiment::{Attention, MaskKind};
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
            let found = KIM_LINF.at(&one(n)).and_then(|bound| bound.value).expect("it applies");
            assert!((found - expected).abs() < 0.006, "n = {n}: {found} for {expected}");
        }
    }

    #[test]
    fn the_bounds_are_absent_under_other_masks_and_for_other_weights() {
        let at = |hypotheses: &Hypotheses| [&KIM_L2, &KIM_LINF, &KIM_COLUMN].map(|id| id.at(hypotheses));
        let [causal, open] = [MaskKind::Causal, MaskKind::None].map(|mask| at(&Hypotheses { mask, ..one(10.0) }));
        assert_eq!((causal[0], causal[1], causal[2]), (open[0], open[1], None));
        assert_eq!(at(&Hypotheses { mask: MaskKind::Other, ..one(10.0) }), [None; 3]);
        assert_eq!(at(&Hypotheses { kim: None, ..one(10.0) }), [None; 3]);
    }

    #[test]
    fn the_column_bound_grows_like_the_logarithm_of_n() {
        let value = |id: BoundId, n: f64| id.at(&one(n)).and_then(|bound| bound.value).expect("it applies");
        let found = value(&KIM_COLUMN, 1.4e11);
        assert!((found - 52.41).abs() < 0.01, "{found}");
        for n in [1.0, 2.0, 3.0, 10.0, 1e3, 1e9, 1e18, 1e300] {
            let (ours, theirs) = (value(&KIM_COLUMN, n), value(&KIM_L2, n));
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
