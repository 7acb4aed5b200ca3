//! The attention of one layer as a map of its input tokens, in f64 and in f32.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use super::model::{AttentionPart, Linear, Model};
use super::token_norm::add_bias;
use crate::config::map_kind::{Heads, MapKind};
use lipscope_core::attention::{Forward, GivenSteps, HeadPart, HeadSizes, Kernel, Projections, Scalar};
use lipscope_core::experiment::{Gain, InputError, Mask, Order, QkNorm, VectorNorm};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::phrase;
use lipscope_core::spectral::{Lanczos, LanczosOptions};

/// The attention of all heads of a layer, stacked for the forward pass.
#[derive(Clone, Debug)]
pub(crate) struct StackedAttention {
    /// With the output matrix.
    pub(crate) heads: Projections<f64>,
    /// b_O, d numbers.
    pub(crate) output_bias: Vec<f64>,
    pub(crate) rules: LayerRules,
}

/// What a layer does between its projections and the weights of attention.
#[derive(Clone, Debug)]
pub(crate) struct LayerRules {
    steps: GivenSteps,
    /// The rotation in windows of more tokens than this.
    longer: Option<(usize, GivenSteps)>,
    /// The width of the layer's window.
    window: Option<usize>,
}

/// Self-attention of one layer, with its biases. Clones share the weights.
#[derive(Clone, Debug)]
pub(crate) struct AttentionMap {
    double: Projections<f64>,
    /// The projections in f32, for products that need not be exact.
    single: Projections<f32>,
    /// b_O if all heads and the output matrix are included. A single head has none, since b_O belongs to the sum.
    output_bias: Option<Vec<f64>>,
    rules: LayerRules,
    /// Those of the heads that are run which the map includes.
    heads: Range<usize>,
}

/// The Jacobian of attention at given tokens.
#[derive(Clone, Debug)]
pub(crate) struct AttentionJacobian<T: Scalar> {
    pub(crate) operator: JacobianOperator<T>,
    single: Projections<f32>,
    rules: LayerRules,
    mask: Mask,
    heads: Range<usize>,
}

impl StackedAttention {
    /// The attention of a layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer.
    pub(crate) fn new(model: &Model, layer: usize) -> Result<Self, InputError> {
        let bias = &model.block(layer)?.attention.output.bias;
        Ok(StackedAttention {
            heads: projections(model, layer, MapKind::WithOutput, Heads::All)?,
            output_bias: bias.iter().map(|x| f64::from(*x)).collect(),
            rules: LayerRules::of(model, layer, Heads::All)?,
        })
    }
}

impl LayerRules {
    /// The rules of some heads of a layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer.
    pub(crate) fn of(model: &Model, layer: usize, heads: Heads) -> Result<Self, InputError> {
        let config = model.config;
        let AttentionPart { qk_gains, sinks, .. } = &model.block(layer)?.attention;
        let base = config.family.gains.base();
        let gain = |gains: &[f32]| Gain::Entries(gains.iter().map(|x| base + f64::from(*x)).collect());
        let norm = qk_gains.as_ref().map(|[query, key]| QkNorm {
            kind: VectorNorm::Rms,
            eps: config.eps,
            q_gain: gain(query),
            k_gain: gain(key),
        });
        let (norm, wide_norm) = if config.has_wide_norm() { (None, norm) } else { (norm, None) };
        // The heads that are run.
        let heads = match run_heads(model, heads) {
            Heads::All => 0..config.heads,
            Heads::One(head) => head..head + 1,
        };
        let rope = config.rope_of(layer);
        let steps = GivenSteps {
            norm,
            wide_norm,
            rotary: rope.map(|rope| rope.rotary()),
            softcap: config.softcap,
            bias: config.score_bias.distances(&model.score_table, heads.clone(), config.heads),
            sinks: sinks.get(heads).unwrap_or_default().iter().map(|x| f64::from(*x)).collect(),
        };
        let longer = rope.and_then(|rope| rope.longer());
        let longer = longer.map(|(n, rope)| (n, GivenSteps { rotary: Some(rope.rotary()), ..steps.clone() }));
        Ok(LayerRules { steps, longer, window: config.window_of(layer) })
    }

    /// The steps in a window of n tokens.
    pub(crate) fn steps(&self, n: usize) -> &GivenSteps {
        self.longer.as_ref().filter(|(length, _)| n > *length).map_or(&self.steps, |(_, steps)| steps)
    }

    /// The mask of the layer under an order of the whole model.
    pub(crate) fn mask(&self, order: Order) -> Mask {
        self.window.map_or(order.mask(), |width| Mask::Window { width, order })
    }
}

impl AttentionMap {
    /// The attention of some heads of a layer, with the output matrix unless the map is [`MapKind::Attention`].
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head.
    pub(crate) fn new(model: &Model, layer: usize, kind: MapKind, heads: Heads) -> Result<Self, InputError> {
        let has_bias = kind != MapKind::Attention && heads == Heads::All;
        let bias = &model.block(layer)?.attention.output.bias;
        Ok(AttentionMap {
            double: projections(model, layer, kind, heads)?,
            single: projections(model, layer, kind, heads)?,
            output_bias: has_bias.then(|| bias.iter().map(|x| f64::from(*x)).collect()),
            rules: LayerRules::of(model, layer, heads)?,
            heads: included(model, heads),
        })
    }

    /// The attention of all heads of a layer with the output matrix, given as it is stacked for the forward pass.
    ///
    /// # Errors
    /// As [`AttentionMap::new`].
    pub(crate) fn of_stacked(
        model: &Model,
        layer: usize,
        StackedAttention { heads, output_bias, rules }: &StackedAttention,
    ) -> Result<Self, InputError> {
        let single = projections(model, layer, MapKind::WithOutput, Heads::All)?;
        let output_bias = Some(output_bias.clone());
        let included = 0..model.config.heads;
        Ok(AttentionMap { double: heads.clone(), single, output_bias, rules: rules.clone(), heads: included })
    }

    /// The value at tokens (d x n), d_out x n, and the Jacobian there.
    ///
    /// # Errors
    /// [`InputError`] if there are too many tokens, or scores overflow.
    pub(crate) fn at(
        &self,
        tokens: &DMatrix<f64>,
        mask: Order,
    ) -> Result<(DMatrix<f64>, AttentionJacobian<f64>), InputError> {
        let (rules, mask) = (self.rules.clone(), self.rules.mask(mask));
        let forward = Forward::of_projections(self.double.clone(), mask.clone(), rules.steps(tokens.ncols()), tokens)?;
        let mut value = forward.output();
        if let Some(bias) = &self.output_bias {
            add_bias(&mut value, bias);
        }
        // Biases enter the Jacobian only through P and the projections.
        let operator = JacobianOperator::new(forward);
        let (single, heads) = (self.single.clone(), self.heads.clone());
        Ok((value, AttentionJacobian { operator, single, rules, mask, heads }))
    }
}

impl AttentionJacobian<f64> {
    /// Those of the heads of the forward pass that the map includes.
    pub(crate) fn heads(&self) -> Range<usize> {
        self.heads.clone()
    }

    /// The same Jacobian in f32.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow in f32.
    pub(crate) fn single(&self) -> Result<AttentionJacobian<f32>, InputError> {
        let tokens = self.operator.forward().normalizer().outputs().map(|x| x as f32);
        let AttentionJacobian { single, rules, mask, heads, .. } = self;
        let forward = Forward::of_projections(single.clone(), mask.clone(), rules.steps(tokens.ncols()), &tokens)?;
        let operator = JacobianOperator::new(forward);
        let (single, rules, mask, heads) = (single.clone(), rules.clone(), mask.clone(), heads.clone());
        Ok(AttentionJacobian { operator, single, rules, mask, heads })
    }
}

/// The unit vector (d numbers) that O V of some heads stretches most. If attention hardly varies, the leading singular
/// vector of J is this vector times a profile over the tokens.
///
/// # Errors
/// [`InputError::BadValue`] if the model has no such layer or head.
pub(crate) fn value_direction(
    model: &Model,
    layer: usize,
    kind: MapKind,
    heads: Heads,
) -> Result<Vec<f64>, InputError> {
    let part = &model.block(layer)?.attention;
    let columns = columns(model, heads)?;
    let sizes = model.config.head_sizes();
    let of_columns = columns.clone().map(|column| sizes.group(column / sizes.k) * sizes.k + column % sizes.k);
    let values = part.value.weight.select_rows(&of_columns.collect::<Vec<usize>>()).map(f64::from);
    let output = output(&part.output, kind, &columns);
    Ok(ValuePath { values, output }.leading_direction())
}

/// The stacked projections of some heads of a layer.
pub(crate) fn projections<T: Scalar>(
    model: &Model,
    layer: usize,
    kind: MapKind,
    heads: Heads,
) -> Result<Projections<T>, InputError> {
    let part = &model.block(layer)?.attention;
    let columns = columns(model, heads)?;
    let (whole, k) = (model.config.head_sizes(), model.config.head_dim);
    let scaled = model.config.query_factor(layer);
    let number = |x: f32, factor: f64| T::constant(f64::from(x) * factor);
    // A head alone has the keys and values of its group.
    let (sizes, first_head) = match run_heads(model, heads) {
        Heads::All => (whole, 0),
        Heads::One(head) => (HeadSizes { heads: 1, groups: 1, k }, head),
    };
    let first_group = whole.group(first_head);
    let parts: Vec<(&Linear, usize, f64)> = sizes
        .parts()
        .into_iter()
        .map(|of| match of {
            HeadPart::Query(head) => (&part.query, (first_head + head) * k, scaled),
            HeadPart::Key(group) => (&part.key, (first_group + group) * k, 1.0),
            HeadPart::Value(group) => (&part.value, (first_group + group) * k, 1.0),
        })
        .collect();
    let p = parts.len() * k;
    let mut stacked = DMatrix::from_element(p, model.config.d, T::constant(0.0));
    // Column by column, so that both matrices are read in order.
    for (column, entries) in stacked.as_mut_slice().chunks_exact_mut(p).enumerate() {
        for (to, (linear, first, factor)) in entries.chunks_exact_mut(k).zip(&parts) {
            let from = &linear.weight.as_slice()[column * linear.weight.nrows() + first..][..k];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = number(*from, *factor));
        }
    }
    let biases: Vec<T> = parts
        .iter()
        .flat_map(|(linear, first, factor)| linear.bias[*first..first + k].iter().map(|x| number(*x, *factor)))
        .collect();
    let output = match output(&part.output, kind, &columns) {
        // All heads are run for one: the others do not get through the output matrix.
        of_head if run_heads(model, heads) != heads => {
            let through = of_head.unwrap_or_else(|| DMatrix::identity(k, k));
            let mut among_all = DMatrix::zeros(through.nrows(), whole.heads * k);
            among_all.columns_mut(columns.start, k).copy_from(&through);
            Some(among_all)
        }
        output => output,
    };
    let output = output.map(|matrix| matrix.map(T::constant));
    let kernel = Kernel::with_scale(model.config.attention, model.config.given_scale(), k);
    Ok(Projections::of_grouped_heads(kernel, sizes, stacked, &biases, output))
}

/// The heads that are run to measure some: all of them where a norm takes all queries together.
fn run_heads(model: &Model, heads: Heads) -> Heads {
    if model.config.has_wide_norm() { Heads::All } else { heads }
}

/// Those of the heads that are run which a map of some heads includes.
fn included(model: &Model, heads: Heads) -> Range<usize> {
    match (heads, run_heads(model, heads)) {
        (Heads::One(head), Heads::All) => head..head + 1,
        (Heads::One(_), Heads::One(_)) => 0..1,
        (Heads::All, _) => 0..model.config.heads,
    }
}

/// The columns of the H k concatenated outputs that belong to some heads, k per head.
///
/// # Errors
/// [`InputError::BadValue`] if the model has no such head.
pub(crate) fn columns(model: &Model, heads: Heads) -> Result<Range<usize>, InputError> {
    let (k, count) = (model.config.head_dim, model.config.heads);
    match heads {
        Heads::All => Ok(0..count * k),
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
