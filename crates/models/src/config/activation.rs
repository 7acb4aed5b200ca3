//! The activation of an MLP, and its derivative.

use lipscope_core::extremum::maximum;
use serde::{Deserialize, Serialize};

/// Activation function of the feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activation {
    /// x Phi(x), with Phi the normal distribution function.
    GeluErf,
    /// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2.
    GeluTanh,
    /// max(x, 0).
    Relu,
    /// x sigma(x), with sigma(x) = 1/(1 + exp(-x)).
    Silu,
    /// max(x, 0)^2.
    SquaredRelu,
    /// x sigma(1.702 x).
    QuickGelu,
    /// tanh(x).
    Tanh,
    /// As `GeluTanh`, with 0.79788456 for sqrt(2/pi): BLOOM's own.
    GeluBloom,
}

impl Activation {
    /// The activations by their names in a `config.json`. Those by tanh differ in how sqrt(2/pi) is rounded, and in
    /// intermediate roundings.
    pub(crate) const BY_NAME: [(&'static str, Activation); 13] = [
        ("gelu", Activation::GeluErf),
        ("gelu_python", Activation::GeluErf),
        ("gelu_new", Activation::GeluTanh),
        ("gelu_pytorch_tanh", Activation::GeluTanh),
        ("gelu_python_tanh", Activation::GeluTanh),
        ("gelu_fast", Activation::GeluTanh),
        ("gelu_accurate", Activation::GeluTanh),
        ("relu", Activation::Relu),
        ("silu", Activation::Silu),
        ("swish", Activation::Silu),
        ("relu2", Activation::SquaredRelu),
        ("quick_gelu", Activation::QuickGelu),
        ("tanh", Activation::Tanh),
    ];

    /// The value at x.
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        match self {
            Activation::GeluErf => x * normal_distribution(x),
            Activation::GeluTanh => x * gelu_logistic(x, root()).0,
            Activation::GeluBloom => x * gelu_logistic(x, BLOOM_ROOT).0,
            Activation::Relu => maximum(x, 0.0),
            Activation::Silu => x * logistic(x),
            Activation::SquaredRelu => maximum(x, 0.0).powi(2),
            Activation::QuickGelu => x * logistic(QUICK * x),
            Activation::Tanh => x.tanh(),
        }
    }

    /// The derivative at x; max(x, 0) has none at 0, and this gives 0 there (`MlpJacobian::at` refuses such tokens).
    #[must_use]
    pub fn derivative(self, x: f64) -> f64 {
        match self {
            Activation::GeluErf => {
                let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
                normal_distribution(x) + x * density
            }
            Activation::GeluTanh | Activation::GeluBloom => {
                let (s, slope) = gelu_logistic(x, if self == Activation::GeluTanh { root() } else { BLOOM_ROOT });
                s + x * s * (1.0 - s) * slope
            }
            Activation::Relu if x.is_nan() => x,
            Activation::Relu => f64::from(u8::from(x > 0.0)),
            Activation::Silu => {
                let s = logistic(x);
                s + x * s * logistic(-x)
            }
            Activation::SquaredRelu => 2.0 * maximum(x, 0.0),
            Activation::QuickGelu => {
                let s = logistic(QUICK * x);
                s + QUICK * x * s * logistic(-QUICK * x)
            }
            Activation::Tanh => 1.0 - x.tanh().powi(2),
        }
    }
}

const QUICK: f64 = 1.702;
const BLOOM_ROOT: f64 = 0.797_884_56;

/// sqrt(2/pi).
fn root() -> f64 {
    (2.0 / std::f64::consts::PI).sqrt()
}

/// sigma(x).
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Phi(x).
fn normal_distribution(x: f64) -> f64 {
    0.5 * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

/// (1 + tanh(z))/2 = sigma(2 z) with z = root (x + 0.044715 x^3), and the derivative of 2 z.
fn gelu_logistic(x: f64, root: f64) -> (f64, f64) {
    const CUBIC: f64 = 0.044_715;
    (1.0 / (1.0 + (-2.0 * root * (x + CUBIC * x * x * x)).exp()), 2.0 * root * (1.0 + 3.0 * CUBIC * x * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_stays_nan_in_every_activation_and_in_its_derivative() {
        for (name, activation) in Activation::BY_NAME {
            let found = (activation.at(f64::NAN), activation.derivative(f64::NAN));
            assert!(found.0.is_nan() && found.1.is_nan(), "{name}: {found:?}");
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        for (name, activation) in Activation::BY_NAME {
            for x in [-30.0, -2.0, -0.3, 0.1, 0.7, 4.0, 40.0] {
                let difference = (activation.at(x + 1e-5) - activation.at(x - 1e-5)) / 2e-5;
                let found = activation.derivative(x);
                let error = (found - difference).abs();
                assert!(error < 1e-8 * found.abs().max(1.0), "{name} at {x}: {found} {difference}");
            }
        }
    }
}
