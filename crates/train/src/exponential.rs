//! e^x in f32 for the browser, and in f64 where nine digits are enough.
//!
//! WebAssembly has no e^x. The compiler's replacement takes a quarter of a training step: softmax of a small model
//! computes a million of them per step. This one takes less than half of that time. Natively the code calls the C
//! library; GELU uses the f64 version here on every platform.

/// 1/k! from k = 7 down to k = 0: on |r| <= ln(2)/2 the rest of the series is below 6e-9, a tenth of f32's rounding.
const SERIES: [f64; 8] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// 1.5 2^52: so large that its last bit counts ones, also after adding a smaller number of either sign.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// e^x, at most one unit in the last place off; subnormal results too.
#[must_use]
pub fn exponential(x: f32) -> f32 {
    // Below every subnormal number. Half of the scores, those that the causal mask forbids, are that low.
    if x < -104.0 {
        return 0.0;
    }
    if x > 89.0 {
        return f32::INFINITY;
    }
    // NaN passes both tests, and stays NaN below.
    power(f64::from(x)) as f32
}

/// e^x for |x| <= 700, to 6e-9 of it; without a branch, so that the compiler vectorises it.
///
/// x = k ln 2 + r and e^x = 2^k e^r, in f64, so that neither the reduction nor a subnormal f32 needs special care.
#[inline]
pub(crate) fn power(x: f64) -> f64 {
    // The sum rounds to a whole number, k, and has it in its last bits.
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = x - k * std::f64::consts::LN_2;
    let [c7, c6, c5, c4, c3, c2, c1, c0] = SERIES;
    // Pairs, because a single chain of sums would wait for each result.
    let r2 = r * r;
    let low = (c1 * r + c0) + (c3 * r + c2) * r2;
    let high = (c5 * r + c4) + (c7 * r + c6) * r2;
    let series = low + high * (r2 * r2);
    // The exponent of an f64, in whose bits 1023 is added to k.
    series * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}
