//! GELU and its slope in f32 against f64.

use lipscope_train::gelu_and_slope;

/// The distance between |x| and the next larger f32.
fn unit(x: f32) -> f64 {
    f64::from(f32::from_bits(x.abs().to_bits() + 1)) - f64::from(x.abs())
}

#[test]
fn value_and_slope_are_those_of_gelu() {
    // Every 997th f32, from subnormal numbers to where GELU below 0 vanishes, of either sign.
    for bits in (0..=20.0_f32.to_bits()).step_by(997) {
        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
            let (value, slope) = gelu_and_slope(x);
            let x = f64::from(x);
            let below = 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
            let exact = x * below;
            assert!((f64::from(value) - exact).abs() <= unit(value), "gelu({x:e}) = {value:e}, exactly {exact:e}");
            let exact = below + x * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
            // The two terms of the slope cancel each other near -0.75.
            let allowed = unit(slope).max(2e-8 * below.min(1.0));
            assert!((f64::from(slope) - exact).abs() <= allowed, "gelu'({x:e}) = {slope:e}, exactly {exact:e}");
        }
    }
}

#[test]
fn far_out_it_is_0_or_the_number_itself() {
    for x in [40.0_f32, 1e10, f32::MAX, f32::INFINITY] {
        assert_eq!(gelu_and_slope(x), (x, 1.0));
        assert_eq!(gelu_and_slope(-x), (0.0, 0.0));
    }
    assert!(gelu_and_slope(f32::NAN).0.is_nan());
}
