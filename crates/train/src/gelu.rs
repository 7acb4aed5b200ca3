//! GELU on tensors, x (1 + erf(x/sqrt 2))/2, with its slope; and e^x, where the platform's is slow.
//!
//! The GELU of burn has the slope of its tanh approximation. An exact one made of burn's operations takes a third of a
//! native training step. Here one pass finds value and slope, which share the exponential, and the backward step is
//! one product.

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn_backend::ops::FloatTensorOps as _;
use burn_backend::{DType, Element, TensorData};
use burn_flex::{Flex, FlexTensor};
use burn_tensor::Tensor;

/// At least sup |gelu'| = 1/2 (1 + erf 1) + exp(-1)/sqrt(pi) = 1.128904.., which is reached at sqrt 2.
pub(crate) const GELU_SLOPE: f64 = 1.1290;

/// GELU of every number.
///
/// # Panics
/// If the tensor is on another backend than `Flex` and `Autodiff<Flex>`.
pub(crate) fn gelu(x: Tensor<2>) -> Tensor<2> {
    if let Ok(x) = x.clone().try_into_primitive::<Flex>() {
        return Tensor::from_primitive::<Flex>(values_and_slopes(&x)[0].clone());
    }
    let x = x.try_into_primitive::<Autodiff<Flex>>().expect("all tensors are on one device");
    let [values, slopes] = values_and_slopes(x.primitive());
    let out = match Gelu.prepare::<NoCheckpointing>([x.node()]).compute_bound().stateful() {
        OpsKind::Tracked(op) => op.finish(slopes, values),
        OpsKind::UnTracked(op) => op.finish(values),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(out)
}

/// GELU and its slope at x, rounded to f32. Before this rounding, the relative error of GELU is at most 1.1e-8, and the
/// error of the slope at most 1e-8.
///
/// With z = |x|/sqrt 2, Phi(-|x|) = e^(-z^2) P(u)/(2 (1 + 2 z)) with u = (z - 3)/(z + 3), after Shepherd and
/// Laframboise (Mathematics of Computation 36, 1981); Phi(x) is this, or one minus this, and GELU is x Phi(x).
#[must_use]
#[inline]
pub fn gelu_and_slope(x: f32) -> (f32, f32) {
    /// P interpolates (1 + 2 z) e^(z^2) erfc(z) on 0 <= z <= 11 at Chebyshev's points, with relative error 3.8e-9.
    const P: [f64; 11] = [
        1.253_008_058_622_781_4,
        -0.135_621_155_551_623_74,
        -0.047_562_372_954_957_16,
        0.129_646_857_535_587_36,
        -0.119_270_944_047_426_08,
        0.068_292_748_114_293_9,
        -0.023_800_059_008_716_082,
        0.002_572_904_460_402_065,
        0.002_009_782_326_800_982,
        -0.000_775_897_422_963_346_6,
        -0.000_269_006_802_243_861_26,
    ];
    /// At this z, e^(-z^2) is 0 in f32, and still a normal number in f64.
    const LARGEST: f64 = 26.0;
    /// 1/sqrt(2 pi)
    const DENSITY: f64 = 0.398_942_280_401_432_7;

    // Beyond |x| = 52 nothing changes in f32. The clamps prevent infinity times 0, which would be NaN. An x that is NaN
    // stays NaN.
    let x = if f64::from(x) < -2.0 * LARGEST { -2.0 * LARGEST } else { f64::from(x) };
    let z = (x.abs() * std::f64::consts::FRAC_1_SQRT_2).min(LARGEST);
    let u = (z - 3.0) / (z + 3.0);
    let p = P.iter().rev().fold(0.0, |sum, c| sum * u + c);
    let exponential = power(-(z * z));
    let tail = 0.5 * exponential * p / (1.0 + 2.0 * z);
    let below = if x < 0.0 { tail } else { 1.0 - tail };
    ((x * below) as f32, (below + x.min(2.0 * LARGEST) * DENSITY * exponential) as f32)
}

/// The backward step: the gradient times the slope.
#[derive(Debug)]
struct Gelu;

impl Backward<Flex, 1> for Gelu {
    /// The slope at every number.
    type State = FlexTensor;

    fn backward(self, op: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        unary::<Flex, _>(op.parents, op.node, gradients, |gradient| Flex::float_mul(gradient, op.state));
    }
}

/// 1/k! from k = 7 down to k = 0: on |r| <= ln(2)/2 the rest of the series is below 6e-9, a tenth of f32's rounding.
const SERIES: [f64; 8] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// 1.5 2^52: so large that its last bit counts ones, also after adding a smaller number of either sign.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// e^x in f32 for the browser, at most one unit in the last place off; subnormal results too.
///
/// WebAssembly has no instruction for e^x. The compiler's replacement takes a quarter of a training step: softmax of a
/// small model computes a million of them per step. This one takes less than half of that time. Natively the code calls
/// the C library.
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

/// e^x for |x| <= 700, with relative error 6e-9. GELU uses it on every platform. It has no branch, so that the compiler
/// vectorises it.
///
/// x = k ln 2 + r and e^x = 2^k e^r, in f64, so that neither the reduction nor a subnormal f32 needs special care.
#[inline]
pub(crate) fn power(x: f64) -> f64 {
    // The sum rounds x log2(e) to a whole number k; its last bits are those of k.
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = x - k * std::f64::consts::LN_2;
    let [c7, c6, c5, c4, c3, c2, c1, c0] = SERIES;
    // Pairs, because a single chain of sums would wait for each result.
    let r2 = r * r;
    let low = (c1 * r + c0) + (c3 * r + c2) * r2;
    let high = (c5 * r + c4) + (c7 * r + c6) * r2;
    let series = low + high * (r2 * r2);
    // 2^k, whose exponent bits as an f64 are k + 1023.
    series * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}

/// As [`gelu_and_slope`] in f64, with an absolute error of f64's rounding. Far below 0 the relative error grows, since
/// 1 + erf cancels.
fn gelu_and_slope_double(x: f64) -> (f64, f64) {
    let below = 0.5 * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2));
    (x * below, below + x * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt())
}

fn values_and_slopes(x: &FlexTensor) -> [FlexTensor; 2] {
    match x.dtype() {
        DType::F64 => map(x, gelu_and_slope_double),
        _ => map(x, gelu_and_slope),
    }
}

/// Both results of a function, for every number of a tensor.
fn map<E: Element + bytemuck::Pod>(x: &FlexTensor, function: impl Fn(E) -> (E, E)) -> [FlexTensor; 2] {
    let x = x.to_contiguous();
    let numbers = &x.storage::<E>()[x.layout().start_offset()..][..x.layout().num_elements()];
    let (firsts, seconds): (Vec<E>, Vec<E>) = numbers.iter().map(|x| function(*x)).unzip();
    let shape: Vec<usize> = x.layout().shape().to_vec();
    [firsts, seconds].map(|numbers| FlexTensor::from_data(TensorData::new(numbers, shape.clone())))
}
