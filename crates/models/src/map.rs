//! The attention of one layer as a map f of its input tokens: f(X), J v and J^T u.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::config::MapKind;
use super::parts::{Linear, Model};
use lipscope_core::attention::{Forward, Projections, Scalar};
use lipscope_core::experiment::{InputError, Mask};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::phrase;
use lipscope_core::spectral::{Lanczos, LanczosOptions};

/// The heads of a layer that a map includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Heads {
    /// All heads.
    All,
    /// One head, by index.
    One(usize),
}

/// Self-attention of one layer, with its biases.
#[derive(Clone, Debug)]
pub struct AttentionMap {
    double: Projections<f64>,
    /// The projections in f32, for products that need not be exact.
    single: Projections<f32>,
    /// b_O if all heads and the output matrix are included. A single head has none, since b_O belongs to the sum.
    output_bias: Option<Vec<f64>>,
    value_direction: Vec<f64>,
}

/// An attention map with its forward pass at given tokens.
#[derive(Clone, Debug)]
pub struct MapAtTokens {
    forward: Forward<f64>,
    output_bias: Option<Vec<f64>>,
}

impl AttentionMap {
    /// The map of some heads of a layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head.
    pub fn new(model: &Model, layer: usize, kind: MapKind, heads: Heads) -> Result<Self, InputError> {
        let part = &model.block(layer)?.attention;
        let columns = columns(model, heads)?;
        let values = part.value.weight.rows(columns.start, columns.len()).map(f64::from);
        let output = output(&part.output, kind, &columns);
        let has_bias = kind == MapKind::WithOutput && heads == Heads::All;
        Ok(AttentionMap {
            double: projections(model, layer, kind, heads)?,
            single: projections(model, layer, kind, heads)?,
            output_bias: has_bias.then(|| doubled(&part.output.bias)),
            value_direction: ValuePath { values, output }.leading_direction(),
        })
    }

    /// Runs the map at tokens (d x n).
    ///
    /// # Errors
    /// [`InputError`] if there are too many tokens, or scores overflow.
    pub fn at(&self, tokens: &DMatrix<f64>, mask: Mask) -> Result<MapAtTokens, InputError> {
        let forward = Forward::of_projections(self.double.clone(), mask, tokens)?;
        Ok(MapAtTokens { forward, output_bias: self.output_bias.clone() })
    }

    /// The Jacobian at tokens in f32: seven digits in half the time.
    ///
    /// # Errors
    /// As [`AttentionMap::at`].
    pub fn single_jacobian(&self, tokens: &DMatrix<f64>, mask: Mask) -> Result<JacobianOperator<f32>, InputError> {
        let tokens = tokens.map(|x| x as f32);
        Ok(JacobianOperator::new(Forward::of_projections(self.single.clone(), mask, &tokens)?))
    }

    /// The unit vector (d numbers) that O V stretches most. If attention hardly changes, the leading singular vector of
    /// J is this vector times a profile over the tokens.
    #[must_use]
    pub fn value_direction(&self) -> &[f64] {
        &self.value_direction
    }
}

impl MapAtTokens {
    /// f(X), d_out x n.
    #[must_use]
    pub fn value(&self) -> DMatrix<f64> {
        let mut value = self.forward.output();
        if let Some(bias) = &self.output_bias {
            add_bias(&mut value, bias);
        }
        value
    }

    /// The forward pass, for its attention matrices.
    #[must_use]
    pub fn forward(&self) -> &Forward<f64> {
        &self.forward
    }

    /// The Jacobian at these tokens. Biases enter it only through P and the projections.
    #[must_use]
    pub fn jacobian(self) -> JacobianOperator<f64> {
        JacobianOperator::new(self.forward)
    }
}

/// Adds a bias to every column.
pub(super) fn add_bias(x: &mut DMatrix<f64>, bias: &[f64]) {
    x.column_iter_mut().for_each(|mut token| token.iter_mut().zip(bias).for_each(|(x, b)| *x += b));
}

/// The stacked projections of some heads of a layer.
pub(super) fn projections<T: Scalar>(
    model: &Model,
    layer: usize,
    kind: MapKind,
    heads: Heads,
) -> Result<Projections<T>, InputError> {
    let part = &model.block(layer)?.attention;
    let columns = columns(model, heads)?;
    let (d, k) = (model.config.d, model.config.head_dim());
    let number = |x: f32| T::constant(f64::from(x));
    let parts: Vec<(&Linear, usize)> = columns
        .clone()
        .step_by(k)
        .flat_map(|first| [&part.query, &part.key, &part.value].map(|linear| (linear, first)))
        .collect();
    let p = parts.len() * k;
    let mut stacked = DMatrix::from_element(p, d, T::constant(0.0));
    // Column by column, so that both matrices are read in order.
    for (column, entries) in stacked.as_mut_slice().chunks_exact_mut(p).enumerate() {
        for (to, (linear, first)) in entries.chunks_exact_mut(k).zip(&parts) {
            let from = &linear.weight.as_slice()[column * d + first..column * d + first + k];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = number(*from));
        }
    }
    let biases: Vec<T> =
        parts.iter().flat_map(|(linear, first)| &linear.bias[*first..first + k]).map(|x| number(*x)).collect();
    let output = output(&part.output, kind, &columns).map(|matrix| matrix.map(T::constant));
    Ok(Projections::of_equal_heads(stacked, &biases, k, output))
}

/// The columns of the d concatenated outputs that belong to some heads, k per head.
///
/// # Errors
/// [`InputError::BadValue`] if the model has no such head.
pub(super) fn columns(model: &Model, heads: Heads) -> Result<Range<usize>, InputError> {
    let (k, count) = (model.config.head_dim(), model.config.heads);
    match heads {
        Heads::All => Ok(0..model.config.d),
        Heads::One(head) if head < count => Ok(head * k..(head + 1) * k),
        Heads::One(head) => Err(InputError::BadValue {
            key: "head".into(),
            found: head.to_string().into(),
            expected: phrase!("below_number_heads", "below {count}, the number of heads", count = count),
        }),
    }
}

fn output(linear: &Linear, kind: MapKind, columns: &Range<usize>) -> Option<DMatrix<f64>> {
    match kind {
        MapKind::Attention => None,
        MapKind::WithOutput => Some(linear.weight.columns(columns.start, columns.len()).map(f64::from)),
    }
}

/// The product O V, applied as two products.
struct ValuePath {
    values: DMatrix<f64>,
    output: Option<DMatrix<f64>>,
}

impl ValuePath {
    /// Its leading right singular vector to two digits, as the start of another iteration.
    fn leading_direction(mut self) -> Vec<f64> {
        let options = LanczosOptions { tolerance: 1e-2, max_iterations: 40, ..LanczosOptions::default() };
        Lanczos::new(self.n_inputs(), options).run(&mut self).right
    }
}

impl LinearOperator<f64> for ValuePath {
    fn n_inputs(&self) -> usize {
        self.values.ncols()
    }

    fn n_outputs(&self) -> usize {
        self.output.as_ref().map_or(self.values.nrows(), DMatrix::nrows)
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        let values = &self.values * DVector::from_column_slice(v);
        let image = match &self.output {
            Some(output) => output * values,
            None => values,
        };
        out.copy_from_slice(image.as_slice());
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        let u = DVector::from_column_slice(u);
        let pulled = match &self.output {
            Some(output) => self.values.tr_mul(&output.tr_mul(&u)),
            None => self.values.tr_mul(&u),
        };
        out.copy_from_slice(pulled.as_slice());
    }
}

fn doubled(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|x| f64::from(*x)).collect()
}
