//! The weights of the network as named matrices, and their random initial values.
//!
//! Tokens are rows here, so a matrix W maps a token x to x W and has as many rows as its input has entries. Head h owns
//! columns h k to (h + 1) k of `query`, `key` and `value`, and the same rows of `output`.

use lipscope_core::experiment::Attention;
use lipscope_core::random::{Random, Stream};

use super::number::Number;
use super::plan::Plan;

/// A named matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter<E = f32> {
    /// A name such as `block.0.attention.query`.
    pub name: String,
    /// Rows; 1 for a vector.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Row by row.
    pub values: Vec<E>,
}

/// All weights of a network, in a fixed order.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters<E = f32>(Vec<Parameter<E>>);

/// The initial values of a matrix.
#[derive(Clone, Copy)]
enum Start {
    /// N(0, deviation^2).
    Normal(f64),
    /// Every entry this number.
    Constant(f64),
}

impl Parameters<f32> {
    /// The initial weights of a plan for `vocabulary` distinct characters: matrices N(0, 1/rows); matrices that write
    /// into the residual stream are divided by sqrt(2 blocks); queries and keys of L2 attention by k^(1/4). Embeddings
    /// are N(0, 1), positions N(0, 1/4), biases zero, layer norms the identity.
    #[must_use]
    pub fn draw(plan: &Plan, vocabulary: usize) -> Self {
        let parameters = layout(plan, vocabulary).into_iter().enumerate().map(|(at, (name, rows, columns, start))| {
            let mut random = Random::new(plan.seed, Stream::TrainingWeights(at));
            let mut draw = || match start {
                Start::Normal(deviation) => f32::rounded(deviation * random.normal()),
                Start::Constant(value) => f32::rounded(value),
            };
            let values = (0..rows * columns).map(|_| draw()).collect();
            Parameter { name, rows, columns, values }
        });
        Parameters(parameters.collect())
    }

    /// The same network with other values, matrix by matrix; `None` if their number does not fit the plan.
    #[must_use]
    pub(crate) fn of_values(plan: &Plan, vocabulary: usize, values: Vec<Vec<f32>>) -> Option<Self> {
        Self::laid_out(layout(plan, vocabulary), values)
    }

    /// The weights of a plan from their [bytes](Parameters::to_bytes); `None` if the length does not fit.
    #[must_use]
    pub(crate) fn of_bytes(plan: &Plan, vocabulary: usize, bytes: &[u8]) -> Option<Self> {
        let layout = layout(plan, vocabulary);
        let values = values_of(layout.iter().map(|(_, rows, columns, _)| rows * columns), bytes)?;
        Self::laid_out(layout, values)
    }

    fn laid_out(layout: Vec<(String, usize, usize, Start)>, values: Vec<Vec<f32>>) -> Option<Self> {
        let fits = layout.len() == values.len()
            && layout.iter().zip(&values).all(|((_, rows, columns, _), values)| rows * columns == values.len());
        let parameter = |((name, rows, columns, _), values)| Parameter { name, rows, columns, values };
        fits.then(|| Parameters(layout.into_iter().zip(values).map(parameter).collect()))
    }

    /// The numbers as bytes, four each, matrix after matrix, row by row.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(self.iter().map(|parameter| &parameter.values[..]))
    }

    /// The same weights in f64.
    #[must_use]
    pub fn to_f64(&self) -> Parameters<f64> {
        let parameter = |from: &Parameter| Parameter {
            name: from.name.clone(),
            rows: from.rows,
            columns: from.columns,
            values: from.values.iter().map(|value| f64::from(*value)).collect(),
        };
        Parameters(self.iter().map(parameter).collect())
    }
}

impl<E> Parameters<E> {
    /// The matrices in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Parameter<E>> {
        self.0.iter()
    }

    /// The matrices in their order, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Parameter<E>> {
        self.0.iter_mut()
    }

    /// The matrix of that name, if the network has one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Parameter<E>> {
        self.0.iter().find(|parameter| parameter.name == name)
    }

    /// The number of matrices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no matrix; false for every network.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Numbers as bytes, four bytes each.
pub(crate) fn bytes_of<'a>(matrices: impl Iterator<Item = &'a [f32]>) -> Vec<u8> {
    matrices.flatten().flat_map(|number| number.to_le_bytes()).collect()
}

/// Splits bytes into matrices of these sizes; `None` if there are more or fewer bytes.
pub(crate) fn values_of(sizes: impl Iterator<Item = usize>, bytes: &[u8]) -> Option<Vec<Vec<f32>>> {
    let mut rest = bytes;
    let matrices = sizes.map(|size| {
        let (numbers, after) = rest.split_at_checked(4 * size)?;
        rest = after;
        let (numbers, _) = numbers.as_chunks::<4>();
        Some(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    });
    let matrices = matrices.collect::<Option<Vec<Vec<f32>>>>()?;
    rest.is_empty().then_some(matrices)
}

/// The name of a matrix of a block.
pub(crate) fn in_block(block: usize, part: &str) -> String {
    format!("block.{block}.{part}")
}

/// The name, rows, columns and initial values of every matrix.
fn layout(plan: &Plan, vocabulary: usize) -> Vec<(String, usize, usize, Start)> {
    let (d, inner) = (plan.width, plan.inner_width());
    let narrow = |rows: usize| Start::Normal(1.0 / (rows as f64).sqrt());
    // With this deviation, all blocks together add a vector of about the size of the token itself, whatever their
    // number.
    let residual = |rows: usize| Start::Normal(1.0 / (rows as f64 * 2.0 * plan.blocks as f64).sqrt());
    // |q_i - k_j|^2/sqrt(k) is then 2 on average for every k. Without the division by k^(1/4) it would be 2 sqrt(k).
    // Where keys are queries, a token's own score is 0, so every token would attend only to itself, and would be slow
    // to learn anything else.
    let score = match plan.kind.kernel() {
        Attention::L2 => Start::Normal(1.0 / (d as f64 * (plan.head_width() as f64).sqrt()).sqrt()),
        _ => narrow(d),
    };
    let (zero, one) = (Start::Constant(0.0), Start::Constant(1.0));
    let mut layout = vec![
        ("embedding".to_owned(), vocabulary, d, Start::Normal(1.0)),
        ("position".to_owned(), plan.context, d, Start::Normal(0.5)),
    ];
    for block in 0..plan.blocks {
        let mut add = |part: &str, rows, columns, start| layout.push((in_block(block, part), rows, columns, start));
        if plan.norm_before_attention() {
            add("attention.norm.scale", 1, d, one);
            add("attention.norm.shift", 1, d, zero);
        }
        add("attention.query", d, d, score);
        if !plan.kind.is_tied() {
            add("attention.key", d, d, score);
        }
        add("attention.value", d, d, narrow(d));
        add("attention.output", d, d, residual(d));
        if plan.norm_elsewhere() {
            add("mlp.norm.scale", 1, d, one);
            add("mlp.norm.shift", 1, d, zero);
        }
        add("mlp.up", d, inner, narrow(d));
        add("mlp.up_bias", 1, inner, zero);
        add("mlp.down", inner, d, residual(inner));
        add("mlp.down_bias", 1, d, zero);
    }
    if plan.norm_elsewhere() {
        layout.push(("norm.scale".to_owned(), 1, d, one));
        layout.push(("norm.shift".to_owned(), 1, d, zero));
    }
    layout.push(("head".to_owned(), d, vocabulary, narrow(d)));
    layout.push(("head_bias".to_owned(), 1, vocabulary, zero));
    layout
}
