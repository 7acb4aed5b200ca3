//! Bounds tabulated outside of the engine: the sharp bounds, and the norms of good witnesses. Natively and in the
//! browser.

use lipscope_core::bounds::{BoundId, FORK, HeadNorms, Hypotheses, SHARP, SHARP_MASKED, SINK, TWO_CLUSTERS, UNIFIED};
use lipscope_core::experiment::{Attention, Experiment, MaskKind};
use lipscope_core::growth::hypotheses_of_ball;
use serde_json::json;

fn value(id: BoundId, hypotheses: &Hypotheses) -> f64 {
    id.at(hypotheses).and_then(|bound| bound.value).unwrap_or(0.0)
}

/// `sharp` and `sharp_masked` for ||A|| = ||V|| = 1 agree with tabulated values to half a unit of the last digit.
pub fn check_sharp_bounds() {
    let at = |radius: f64, n: f64, mask: MaskKind| {
        Hypotheses::of_norms(Attention::Dot, mask, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    };
    let table = [
        (1.0, 1e300, 4.097992, 5e-7),
        (1.5, 1e300, 20.35, 5e-3),
        (2.0, 1e300, 169.80975, 5e-6),
        (3.0, 1e300, 50906.670, 5e-4),
        (3.0, 64.0, 60.38117, 5e-6),
        (3.0, 1e3, 212.1019, 5e-5),
        (3.0, 1e5, 2040.0191, 5e-5),
        (3.0, 1e8, 50906.670, 5e-4),
        (2.0, 64.0, 27.66696, 5e-6),
        (2.0, 1e3, 97.55187, 5e-6),
    ];
    for (radius, n, expected, half_digit) in table {
        let found = value(&SHARP, &at(radius, n, MaskKind::None));
        assert!((found - expected).abs() <= half_digit * 1.01, "R={radius} n={n}: {found} for {expected}");
    }
    for (n, expected) in [(10.0, 13.355187), (100.0, 33.583700), (1000.0, 97.551874), (10000.0, 247.566903)] {
        let found = value(&SHARP_MASKED, &at(2.0, n, MaskKind::Causal));
        assert!((found - expected).abs() < 6e-7, "n={n}: {found} for {expected}");
    }
    // The limits for infinite n of `sharp` and of `unified`, the bound that it replaces.
    for (radius, sharp, unified) in
        [(1.0, 4.097992, 4.844231), (2.0, 169.80975, 229.11394), (3.0, 50906.670, 73385.546)]
    {
        let hypotheses = at(radius, 1e300, MaskKind::None);
        let [found, before] = [&SHARP, &UNIFIED].map(|id| value(id, &hypotheses));
        assert!((found / sharp - 1.0).abs() < 1e-7 && (before / unified - 1.0).abs() < 1e-7, "{found} {before}");
    }
}

/// For A = -I, the best witness in the plane has at least the tabulated norm, and `sharp` is at most the tabulated
/// multiple of the witness's norm, to 0.01. At R = 1 `sharp` is between 1.33 and 1.63 times that norm.
pub fn check_witnesses() {
    let ball = |radius: f64| {
        let experiment = Experiment::from_value(json!({
            "tokens": {"source": "random", "n": 2, "d": 2, "radius": radius}, "weights": {"source": "identity", "sign": -1},
        }));
        hypotheses_of_ball(&experiment.expect("a valid experiment")).expect("a ball")
    };
    let best = |hypotheses: &Hypotheses| {
        let ids = [&TWO_CLUSTERS, &SINK, &FORK];
        ids.map(|id| value(id, hypotheses)).into_iter().fold(0.0, f64::max)
    };
    let table = [
        (2.0, 3.0, 4.957, 1.84),
        (2.0, 4.0, 5.7265, 1.73),
        (2.0, 8.0, 7.9965, 1.54),
        (2.0, 64.0, 19.21, 1.44),
        (2.0, 500.0, 41.18, 1.70),
        (2.0, 1e4, 164.5, 1.03),
        (3.0, 3.0, 11.06, 1.82),
        (3.0, 4.0, 12.785, 1.71),
        (3.0, 8.0, 18.097, 1.50),
        (3.0, 64.0, 51.05, 1.18),
        (3.0, 500.0, 140.7, 1.08),
        (3.0, 1e4, 586.9, 1.11),
        (3.0, 1e6, 4159.0, 1.55),
        (3.0, 1e7, 9883.0, 2.06),
        (3.0, 1e8, 47029.0, 1.08),
    ];
    for (radius, n, least, multiple) in table {
        let hypotheses = ball(radius).with_n(n);
        let (found, upper) = (best(&hypotheses), value(&SHARP, &hypotheses));
        assert!(found >= least, "R={radius} n={n}: {found} is below {least}");
        assert!(upper / found <= multiple + 0.01, "R={radius} n={n}: sharp is {} times the witness", upper / found);
    }
    for n in [3.0, 4.0, 8.0, 64.0, 500.0, 1e4, 1e8] {
        let hypotheses = ball(1.0).with_n(n);
        let ratio = value(&SHARP, &hypotheses) / best(&hypotheses);
        assert!((1.33..1.63).contains(&ratio), "R=1 n={n}: {ratio}");
    }
}
