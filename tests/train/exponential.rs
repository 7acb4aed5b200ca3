//! e^x in f32 against f64.

use lipscope_train::exponential;

/// The distance between a positive f32 and the next one.
fn unit(x: f32) -> f64 {
    f64::from(f32::from_bits(x.to_bits() + 1)) - f64::from(x)
}

#[test]
fn it_is_at_most_one_unit_in_the_last_place_off() {
    // Every 997th f32 between subnormal and infinite results, of either sign.
    for bits in (0..=110.0_f32.to_bits()).step_by(997) {
        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
            let (found, exact) = (exponential(x), f64::from(x).exp());
            if (exact as f32).is_infinite() {
                assert_eq!(found, f32::INFINITY, "e^{x:e}");
                continue;
            }
            let error = (f64::from(found) - exact).abs();
            assert!(error <= unit(found), "e^{x:e} = {found:e}, exactly {exact:e}");
        }
    }
}

#[test]
fn numbers_without_a_finite_power_are_what_they_are_everywhere() {
    assert_eq!(exponential(0.0), 1.0);
    assert_eq!(exponential(f32::NEG_INFINITY), 0.0);
    assert_eq!(exponential(-1e30), 0.0);
    assert_eq!(exponential(f32::INFINITY), f32::INFINITY);
    assert!(exponential(f32::NAN).is_nan());
}
