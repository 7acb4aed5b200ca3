//! The attention of one layer as a map of its input tokens, in f64 and in f32.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use super::map_kind::{Heads, MapKind};
use super::parts::{Linear, Model};
use lipscope_core::attention::{Forward, GivenSteps, HeadSizes, Kernel, Projections, Scalar};
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::phrase;
use lipscope_core::spectral::{Lanczos, LanczosOptions};

/// Self-attention of one layer, with its biases. Clones share the weights.
#[derive(Clone, Debug)]
pub(super) struct AttentionMap {
    double: Projections<f64>,
    /// The projections in f32, for products that need not be exact.
    single: Projections<f32>,
    /// b_O if all heads and the output matrix are included. A single head has none, since b_O belongs to the sum.
    output_bias: Option<Vec<f64>>,
}

/// The Jacobian of attention at given tokens.
#[derive(Clone, Debug)]
pub(super) struct AttentionJacobian<T: Scalar> {
    pub(super) operator: JacobianOperator<T>,
    single: Projections<f32>,
    mask: Order,
}

impl AttentionMap {
    /// The attention of some heads of a layer, with the output matrix unless the map is [`MapKind::Attention`].
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head.
    pub(super) fn new(model: &Model, layer: usize, kind: MapKind, heads: Heads) -> Result<Self, InputError> {
        let has_bias = kind != MapKind::Attention && heads == Heads::All;
        let bias = &model.block(layer)?.attention.output.bias;
        Ok(AttentionMap {
            double: projections(model, layer, kind, heads)?,
            single: projections(model, layer, kind, heads)?,
            output_bias: has_bias.then(|| bias.iter().map(|x| f64::from(*x)).collect()),
        })
    }

    /// The attention of all heads of a layer with the output matrix, given its projections stacked in f64 and its bias
    /// b_O.
    ///
    /// # Errors
    /// As [`AttentionMap::new`].
    pub(super) fn of_stacked(
        model: &Model,
        layer: usize,
        (double, bias): &(Projections<f64>, Vec<f64>),
    ) -> Result<Self, InputError> {
        let single = projections(model, layer, MapKind::WithOutput, Heads::All)?;
        Ok(AttentionMap { double: double.clone(), single, output_bias: Some(bias.clone()) })
    }

    /// The value at tokens (d x n), d_out x n, and the Jacobian there.
    ///
    /// # Errors
    /// [`InputError`] if there are too many tokens, or scores overflow.
    pub(super) fn at(
        &self,
        tokens: &DMatrix<f64>,
        mask: Order,
    ) -> Result<(DMatrix<f64>, AttentionJacobian<f64>), InputError> {
        let forward = Forward::of_projections(self.double.clone(), mask.mask(), &GivenSteps::default(), tokens)?;
        let mut value = forward.output();
        if let Some(bias) = &self.output_bias {
            add_bias(&mut value, bias);
        }
        // Biases enter the Jacobian only through P and the projections.
        let operator = JacobianOperator::new(forward);
        Ok((value, AttentionJacobian { operator, single: self.single.clone(), mask }))
    }
}

impl AttentionJacobian<f64> {
    /// The same Jacobian in f32.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow in f32.
    pub(super) fn single(&self) -> Result<AttentionJacobian<f32>, InputError> {
        let tokens = self.operator.forward().normalizer().outputs().map(|x| x as f32);
        let forward = Forward::of_projections(self.single.clone(), self.mask.mask(), &GivenSteps::default(), &tokens)?;
        let operator = JacobianOperator::new(forward);
        Ok(AttentionJacobian { operator, single: self.single.clone(), mask: self.mask })
    }
}

/// The unit vector (d numbers) that O V of some heads stretches most. If attention hardly varies, the leading singular
/// vector of J is this vector times a profile over the tokens.
///
/// # Errors
/// [`InputError::BadValue`] if the model has no such layer or head.
pub(super) fn value_direction(
    model: &Model,
    layer: usize,
    kind: MapKind,
    heads: Heads,
) -> Result<Vec<f64>, InputError> {
    let part = &model.block(layer)?.attention;
    let columns = columns(model, heads)?;
    let values = part.value.weight.rows(columns.start, columns.len()).map(f64::from);
    let output = output(&part.output, kind, &columns);
    Ok(ValuePath { values, output }.leading_direction())
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
    let scaled = model.config.query_factor(layer);
    let number = |x: f32, factor: f64| T::constant(f64::from(x) * factor);
    let parts: Vec<(&Linear, usize, f64)> = columns
        .clone()
        .step_by(k)
        .flat_map(|first| {
            [(&part.query, scaled), (&part.key, 1.0), (&part.value, 1.0)]
                .map(|(linear, factor)| (linear, first, factor))
        })
        .collect();
    let p = parts.len() * k;
    let mut stacked = DMatrix::from_element(p, d, T::constant(0.0));
    // Column by column, so that both matrices are read in order.
    for (column, entries) in stacked.as_mut_slice().chunks_exact_mut(p).enumerate() {
        for (to, (linear, first, factor)) in entries.chunks_exact_mut(k).zip(&parts) {
            let from = &linear.weight.as_slice()[column * d + first..column * d + first + k];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = number(*from, *factor));
        }
    }
    let biases: Vec<T> = parts
        .iter()
        .flat_map(|(linear, first, factor)| linear.bias[*first..first + k].iter().map(|x| number(*x, *factor)))
        .collect();
    let output = output(&part.output, kind, &columns).map(|matrix| matrix.map(T::constant));
    let heads = columns.len() / k;
    let sizes = HeadSizes { heads, groups: heads, k };
    Ok(Projections::of_grouped_heads(Kernel::new(model.config.attention, k), sizes, stacked, &biases, output))
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
    (kind != MapKind::Attention).then(|| linear.weight.columns(columns.start, columns.len()).map(f64::from))
}

/// The product O V, applied as two products.
struct ValuePath {
    values: DMatrix<f64>,
    output: Option<DMatrix<f64>>,
}

impl ValuePath {
    /// Its leading right singular vector to two digits, used as the start of another iteration.
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
