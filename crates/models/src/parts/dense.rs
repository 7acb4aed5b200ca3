//! One network of an MLP, W_2 g(W_1 x) or with a gate W_2 (g(W_g x) * h(W_1 x)), and its Jacobian at given tokens; the
//! formulas are in `mlp`.

use nalgebra::DMatrix;

use super::model::{Dense, Linear, Side};
use crate::config::activation::{Activation, logistic};
use crate::config::model_config::{ExpertSizes, ModelConfig, Unit};
use lipscope_core::attention::Scalar;
use lipscope_core::experiment::InputError;
use lipscope_core::extremum::minimum;
use lipscope_core::phrase;

/// How networks are evaluated: what they have beside their weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MlpRule {
    pub(crate) activation: Activation,
    /// That of experts; other networks are plain.
    pub(crate) experts: Option<ExpertSizes>,
}

impl MlpRule {
    /// The rule of a model.
    pub(crate) fn of(config: &ModelConfig) -> Self {
        MlpRule { activation: config.activation, experts: config.experts }
    }
}

/// The Jacobian of one network at some tokens.
#[derive(Clone, Debug)]
pub(crate) struct DenseJacobian<T: Scalar> {
    /// g'(a), or g'(a) * h(b) for a gated network, inner x n.
    slopes: DMatrix<T>,
    /// g(a) * h'(b) of a gated network, inner x n.
    factors: Option<DMatrix<T>>,
    /// Buffer for the hidden layer in a product, inner x n numbers.
    hidden: Vec<T>,
    /// Another one, where there is a gate.
    gated: Vec<T>,
}

impl Dense {
    /// The network at tokens (d x n).
    pub(crate) fn apply(&self, x: &DMatrix<f64>, activation: Activation, unit: Unit) -> DMatrix<f64> {
        let mut hidden = self.widen.apply(x);
        match &self.gate {
            Some(gate) => hidden.zip_apply(&gate.apply(x), |b, a| *b = unit.gate(activation, a).0 * unit.other(*b).0),
            None => hidden.apply(|x| *x = activation.at(*x)),
        }
        self.narrow.apply(&hidden)
    }

    /// The map whose outputs go through the activation.
    fn activated(&self) -> &Linear {
        self.gate.as_ref().unwrap_or(&self.widen)
    }
}

impl Unit {
    /// g(a), and its derivative.
    pub(crate) fn gate(self, activation: Activation, a: f64) -> (f64, f64) {
        match self {
            Unit::Plain => (activation.at(a), activation.derivative(a)),
            Unit::Cut { alpha, limit } => {
                let cut = minimum(a, limit);
                let s = logistic(alpha * cut);
                let slope = s + alpha * cut * s * logistic(-alpha * cut);
                (cut * s, if a > limit { 0.0 } else { slope })
            }
        }
    }

    /// h(b), and its derivative.
    pub(crate) fn other(self, b: f64) -> (f64, f64) {
        match self {
            Unit::Plain => (b, 1.0),
            Unit::Cut { .. } if b.is_nan() => (b, b),
            Unit::Cut { limit, .. } => (b.clamp(-limit, limit) + 1.0, f64::from(u8::from(b.abs() <= limit))),
        }
    }
}

impl DenseJacobian<f64> {
    /// The value of a network at tokens (d x n), and the Jacobian there.
    ///
    /// # Errors
    /// As [`MlpJacobian::at`].
    pub(crate) fn at(
        part: &Dense,
        x: &DMatrix<f64>,
        activation: Activation,
        unit: Unit,
    ) -> Result<(DMatrix<f64>, Self), InputError> {
        let mut hidden = part.activated().apply(x);
        if activation == Activation::Relu && unit == Unit::Plain {
            check_kinks(part, &hidden)?;
        }
        let mut slopes = hidden.map(|a| unit.gate(activation, a).1);
        hidden.apply(|a| *a = unit.gate(activation, *a).0);
        let mut factors = None;
        if part.gate.is_some() {
            let mut other = part.widen.apply(x);
            factors = Some(hidden.zip_map(&other, |a, b| a * unit.other(b).1));
            other.apply(|b| *b = unit.other(*b).0);
            slopes.component_mul_assign(&other);
            hidden.component_mul_assign(&other);
        }
        let value = part.narrow.apply(&hidden);
        let gated = vec![0.0; factors.as_ref().map_or(0, DMatrix::len)];
        Ok((value, DenseJacobian { slopes, factors, hidden: hidden.data.into(), gated }))
    }

    /// The same Jacobian in f32.
    pub(crate) fn single(&self) -> DenseJacobian<f32> {
        DenseJacobian {
            slopes: self.slopes.map(|x| x as f32),
            factors: self.factors.as_ref().map(|factors| factors.map(|x| x as f32)),
            hidden: vec![0.0; self.hidden.len()],
            gated: vec![0.0; self.gated.len()],
        }
    }
}

/// Refuses tokens that put a unit of the hidden layer (inner x n, before the activation) at exactly 0, where max(x, 0)
/// has a kink. A unit whose input weights or output weights are all zero does not change the output, so it is allowed.
fn check_kinks(part: &Dense, hidden: &DMatrix<f64>) -> Result<(), InputError> {
    let matters = |unit: usize| {
        let (read, written) = (part.activated().weight.row(unit), part.narrow.weight.column(unit));
        read.iter().any(|x| *x != 0.0) && written.iter().any(|x| *x != 0.0)
    };
    for (token_idx, units) in hidden.column_iter().enumerate() {
        if let Some(unit) = (0..units.len()).find(|unit| units[*unit] == 0.0 && matters(*unit)) {
            return Err(InputError::NoDerivative {
                row: token_idx + 1,
                problem: phrase!(
                    "relu_at_zero",
                    "puts unit {unit} of the MLP at exactly 0, where ReLU has no derivative",
                    unit = unit + 1
                ),
                fix: phrase!("other_text_or_model", "Measure other text or another map of the model."),
            });
        }
    }
    Ok(())
}

impl<T: Scalar> DenseJacobian<T> {
    /// The product with v.
    pub(crate) fn apply(&mut self, part: &Dense, v: &[T], out: &mut [T]) {
        linear(part.activated(), Side::Plain, v, &mut self.hidden);
        multiply_entries(&mut self.hidden, &self.slopes);
        if let Some(factors) = &self.factors {
            linear(&part.widen, Side::Plain, v, &mut self.gated);
            multiply_entries(&mut self.gated, factors);
            self.hidden.iter_mut().zip(&self.gated).for_each(|(x, y)| *x += *y);
        }
        linear(&part.narrow, Side::Plain, &self.hidden, out);
    }

    /// The product of the transpose with u.
    pub(crate) fn apply_transpose(&mut self, part: &Dense, u: &[T], out: &mut [T]) {
        linear(&part.narrow, Side::Transposed, u, &mut self.hidden);
        if let Some(factors) = &self.factors {
            self.gated.copy_from_slice(&self.hidden);
            multiply_entries(&mut self.gated, factors);
        }
        multiply_entries(&mut self.hidden, &self.slopes);
        linear(part.activated(), Side::Transposed, &self.hidden, out);
        if self.factors.is_some() {
            part.widen.add_product(Side::Transposed, &self.gated, out);
        }
    }
}

/// The product of a linear map, or of its transpose, with v.
pub(crate) fn linear<T: Scalar>(of: &Linear, side: Side, v: &[T], out: &mut [T]) {
    out.fill(T::constant(0.0));
    of.add_product(side, v, out);
}

/// x * y, entry by entry.
fn multiply_entries<T: Scalar>(x: &mut [T], y: &DMatrix<T>) {
    x.iter_mut().zip(y.as_slice()).for_each(|(x, y)| *x *= *y);
}
