//! The norms of the blocks of the Jacobian: ||J_ij||_2 is the most that output token i moves when input token j alone
//! moves by a small distance, divided by that distance.
//!
//! The blocks come from the dense formula, one row of blocks at a time, so that J is never held as a whole. Where equal
//! tokens are gathered in clusters, J_ab takes all changes of the tokens of cluster b to the outputs of cluster a. It
//! is the block of [`ClusterJacobian::between`] on fields that are constant on b; on the others it is zero for a != b,
//! and V O_a for a = b.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::attention::Forward;
use crate::cost::parts;
use crate::cost::{BASE, Cost, Form, Shape, gathered, largest, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, Mask, MaskKind, Memory};
use crate::extremum::maximum;
use crate::jacobian::{ClusterJacobian, DenseRows};
use crate::measure::cost::checked_shape;
use crate::measure::{MeasureOptions, System};
use crate::phrase;
use crate::spectral::largest_singular_value;
use crate::spectrum::{ALL_UP_TO, Places, SpectrumMap};
use crate::weights::{Inputs, inputs};

/// The most tokens or clusters whose blocks are pictured: those at the beginning of the list.
pub const MOST_BLOCKS_A_SIDE: usize = 64;
/// The most operations of all blocks together: some seconds. Of tokens of a large dimension fewer are pictured.
const MOST_OPERATIONS: u64 = 2_000_000_000;
/// The operations of one step: a few milliseconds.
const OPERATIONS_A_STEP: u64 = 2_000_000;
/// The fewest tokens or clusters pictured.
const LEAST_SIDE: u64 = 4;

/// Input of the norms of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockPlan {
    /// The experiment whose Jacobian has the blocks.
    pub experiment: Experiment,
    /// Attention with or without its residual connection.
    pub map: SpectrumMap,
}

/// The norms of the blocks of the Jacobian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockPicture {
    /// Whether rows and columns are tokens or clusters.
    pub places: Places,
    /// How many tokens or clusters there are.
    pub n: usize,
    /// How many of them have a row and a column: the first ones.
    pub side: usize,
    /// ||J_ij||_2, side x side, row by row: row i is the output, column j the input.
    pub norms: Vec<f64>,
}

impl BlockPicture {
    /// ||J_ij||_2; `None` outside the picture.
    #[must_use]
    pub fn norm(&self, (output, input): (usize, usize)) -> Option<f64> {
        let is_inside = output < self.side && input < self.side;
        is_inside.then(|| self.norms.get(output * self.side + input).copied()).flatten()
    }

    /// The place (i, j) of the largest norm, the first of several equal ones; `None` for an empty picture.
    #[must_use]
    pub fn largest(&self) -> Option<(usize, usize)> {
        let mut places = (0..self.norms.len()).rev();
        let first = places.next()?;
        let at = places.fold(first, |best, at| if self.norms[at] >= self.norms[best] { at } else { best });
        Some((at / self.side, at % self.side))
    }
}

impl BlockPlan {
    /// The memory and operations of the norms.
    #[must_use]
    pub fn cost(&self) -> Cost {
        of_shape(&shape_of(&self.experiment))
    }
}

/// The norms under way, some blocks a step.
#[derive(Clone, Debug)]
pub struct BlockNorming {
    source: Source,
    map: SpectrumMap,
    n: usize,
    side: usize,
    blocks_a_step: usize,
    norms: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Source {
    /// `row` holds the blocks of the output token at work.
    Tokens { forward: Box<Forward<f64>>, rows: DenseRows, row: DMatrix<f64> },
    /// `between` is [`ClusterJacobian::between`].
    Clusters { jacobian: Box<ClusterJacobian>, between: DMatrix<f64> },
}

impl BlockNorming {
    /// Draws the inputs and runs the forward pass, within some memory.
    ///
    /// # Errors
    /// [`InputError`] if the experiment cannot be measured; [`InputError::TooCostly`] before anything is drawn.
    pub fn start_within(plan: &BlockPlan, memory: Memory) -> Result<Self, InputError> {
        let BlockPlan { experiment, map } = plan;
        let shape = checked_shape(experiment, &options())?;
        crate::cost::check(phrase!("block_norms", "The norms of the blocks"), &shape, memory, of_shape)?;
        let mut inputs = inputs(experiment)?;
        map.check(&inputs)?;
        let (d, d_out) = (inputs.tokens.nrows(), inputs.weights.d_out());
        let listed = inputs.tokens.ncols();
        let most = most_a_side(d as u64, d_out as u64);
        // Elementwise weights may depend on the number of tokens.
        if experiment.mask == Mask::Causal && experiment.is_plain() {
            inputs = first_tokens(inputs, most);
        }
        let clusters = match shape.form(ALL_UP_TO) {
            Form::Clusters(_) => Some(System::new(experiment, &inputs, &options())?),
            Form::Tokens | Form::Runs(_) => None,
        };
        let source = match clusters {
            Some(System::Clusters(mut clusters)) => {
                if *map == SpectrumMap::AttentionResidual {
                    clusters.jacobian.add_residual();
                }
                let between = clusters.jacobian.between();
                Source::Clusters { jacobian: Box::new(clusters.jacobian), between }
            }
            _ => {
                let forward = Forward::new(experiment, &inputs)?;
                let rows = DenseRows::new(&forward);
                Source::Tokens { forward: Box::new(forward), rows, row: DMatrix::zeros(0, 0) }
            }
        };
        let n = match &source {
            Source::Tokens { .. } => listed,
            Source::Clusters { jacobian, .. } => jacobian.ln_sizes().len(),
        };
        let blocks_a_step = (OPERATIONS_A_STEP / of_block(d as u64, d_out as u64)).max(1) as usize;
        Ok(BlockNorming { source, map: *map, n, side: n.min(most), blocks_a_step, norms: Vec::new() })
    }

    /// Computes some blocks; returns the picture after the last one.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if the Jacobian overflows.
    pub fn step(&mut self) -> Result<Option<BlockPicture>, InputError> {
        let n_blocks = self.side * self.side;
        let last = n_blocks.min(self.norms.len() + self.blocks_a_step);
        while self.norms.len() < last {
            let norm = self.norm(self.norms.len() / self.side, self.norms.len() % self.side);
            if !norm.is_finite() {
                return Err(InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") });
            }
            self.norms.push(norm);
        }
        let is_done = last == n_blocks;
        Ok(is_done.then(|| {
            let (places, norms) = (self.source.places(), std::mem::take(&mut self.norms));
            BlockPicture { places, n: self.n, side: self.side, norms }
        }))
    }

    /// The number of blocks computed, and the number of all blocks.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.norms.len(), self.side * self.side)
    }

    fn norm(&mut self, i: usize, j: usize) -> f64 {
        match &mut self.source {
            Source::Tokens { forward, rows, row } => {
                if j == 0 {
                    *row = rows.row(forward, i);
                }
                let mut block = row.columns(j * forward.d(), forward.d()).into_owned();
                if self.map == SpectrumMap::AttentionResidual && i == j {
                    block += DMatrix::identity(block.nrows(), block.ncols());
                }
                largest_singular_value(&block)
            }
            Source::Clusters { jacobian, between } => {
                let m = jacobian.ln_sizes().len();
                let (d_out, d) = (between.nrows() / m, between.ncols() / m);
                let constant = largest_singular_value(&between.view((i * d_out, j * d), (d_out, d)).into_owned());
                let within = jacobian.within().nth(i).flatten().filter(|_| i == j).map_or(0.0, largest_singular_value);
                maximum(constant, within)
            }
        }
    }
}

impl Source {
    fn places(&self) -> Places {
        match self {
            Source::Tokens { .. } => Places::Tokens,
            Source::Clusters { .. } => Places::Clusters,
        }
    }
}

/// The options that decide the form of the Jacobian, which is the same as for its spectrum.
fn options() -> MeasureOptions {
    MeasureOptions { svd_limit: ALL_UP_TO, ..MeasureOptions::default() }
}

/// The first tokens of a causal list: no later token moves their outputs.
fn first_tokens(inputs: Inputs, most: usize) -> Inputs {
    let n = inputs.tokens.ncols().min(most);
    Inputs { tokens: inputs.tokens.columns(0, n).into_owned(), ..inputs }
}

/// Operations for the norm of one block.
fn of_block(d: u64, d_out: u64) -> u64 {
    sum([1000, product([20, d, d_out, d.min(d_out)])])
}

fn most_a_side(d: u64, d_out: u64) -> usize {
    let most = (MOST_OPERATIONS / of_block(d, d_out)).isqrt();
    most.clamp(LEAST_SIDE, MOST_BLOCKS_A_SIDE as u64) as usize
}

fn of_shape(shape: &Shape) -> Cost {
    let inputs = parts::inputs(shape);
    let most = most_a_side(shape.d, shape.d_out()) as u64;
    let kept = match shape.mask {
        MaskKind::Causal if shape.is_plain() => shape.with_tokens(shape.n.min(most)),
        _ => *shape,
    };
    let side = kept.n.min(most);
    let norms = product([side, side]);
    let operations = product([norms, of_block(shape.d, shape.d_out())]);
    let found = match kept.form(ALL_UP_TO) {
        Form::Clusters(m) => {
            let members = if kept.n == m { 0 } else { kept.n };
            let (jacobian, (rows, columns)) = (gathered::clusters(&kept, m, members), gathered::between(&kept, m));
            let peak = largest([jacobian.besides, product([rows, columns])]);
            Cost::of_numbers(sum([jacobian.kept, peak, norms]), sum([jacobian.operations, operations]))
        }
        Form::Tokens | Form::Runs(_) => {
            let forward = parts::forward(&kept);
            let each_row = product([kept.n, kept.heads, product([8, kept.d, kept.d_out()])]);
            let peak = largest([forward.peak(), sum([forward.kept, rows_of_blocks(&kept)])]);
            Cost::of_numbers(sum([peak, norms]), sum([forward.operations, product([side, each_row]), operations]))
        }
    };
    let grouping = gathered::grouping(shape);
    let drawing = Cost::of_numbers(largest([inputs.besides, grouping.besides]), inputs.operations);
    drawing.then(found).holding(sum([BASE, product([2, inputs.kept]), shape.listed()]))
}

/// The matrices of the heads, and one row of blocks, which a composed normaliser needs thrice.
fn rows_of_blocks(shape: &Shape) -> u64 {
    let Shape { n, d, heads, key_dim, value_dim, .. } = *shape;
    let rows = shape.output.unwrap_or(value_dim);
    let of_head = sum([product([2, key_dim, sum([d, n])]), product([rows, sum([d, n])]), product([4, d, n])]);
    let own_value = product([value_dim, d]);
    let row = sum([product([3, shape.d_out(), shape.inputs()]), product([2, n, sum([rows, product([2, d])])])]);
    sum([product([heads, of_head]), own_value, shape.inputs(), parts::block(n), row])
}
