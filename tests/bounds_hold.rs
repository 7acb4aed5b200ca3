//! No upper bound is ever below the measured norm.

mod common;
#[path = "common/drawn.rs"]
mod drawn;

use std::collections::BTreeMap;
use std::sync::Mutex;

use drawn::drawn;
use lipscope::bounds::{BoundId, Side};
use lipscope::measure::measure;
use proptest::test_runner::{Config, TestRunner};

#[test]
fn the_published_bounds_are_never_exceeded_over_five_thousand_drawn_cases() {
    let worst: Mutex<BTreeMap<BoundId, (f64, usize)>> = Mutex::new(BTreeMap::new());
    let config = Config { cases: 5000, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&drawn(&["dot"]), |case| {
        let found = measure(&case.experiment()).expect("measured");
        for bound in &found.bounds {
            proptest::prop_assert_eq!(bound.side, Side::Upper);
            let value = bound.value.unwrap_or(f64::INFINITY);
            proptest::prop_assert!(
                found.spectral <= value * (1.0 + 1e-9),
                "{:?} = {value:e} is below the norm {:e}",
                bound.id,
                found.spectral
            );
            let mut worst = worst.lock().expect("one thread");
            let entry = worst.entry(bound.id).or_insert((0.0, 0));
            entry.0 = entry.0.max(found.spectral / value.max(f64::MIN_POSITIVE));
            entry.1 += 1;
        }
        Ok(())
    });
    let worst = worst.into_inner().expect("one thread");
    for (id, (ratio, cases)) in &worst {
        println!("{}: worst norm / bound = {ratio:.4} over {cases} cases", id.id());
    }
    outcome.expect("no bound is exceeded");
    assert!(worst[&BoundId::CastinGeneral].1 >= 5000 && worst[&BoundId::CastinMeanField].1 >= 2000);
}

#[test]
fn the_published_bounds_hold_at_adversarial_tokens_of_every_radius_and_length() {
    for mask in ["none", "causal"] {
        for sign in [-1.0, 1.0] {
            for radius in [0.01, 0.3, 1.0, 2.0, 3.0, 10.0, 40.0] {
                for n in [2usize, 3, 10, 60] {
                    let (first, others) = if sign > 0.0 { (radius, radius / 2.0) } else { (-radius, radius) };
                    let mut tokens = vec![others; n];
                    tokens[0] = first;
                    let found = measure(&common::line_experiment(&tokens, sign, mask)).expect("measured");
                    for bound in &found.bounds {
                        let value = bound.value.unwrap_or(f64::INFINITY);
                        assert!(
                            found.spectral <= value * (1.0 + 1e-9),
                            "{mask} R={radius} n={n} {:?}: {} > {value}",
                            bound.id,
                            found.spectral
                        );
                    }
                }
            }
        }
    }
}
