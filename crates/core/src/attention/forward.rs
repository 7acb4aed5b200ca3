//! One forward pass of attention, with everything that products with the Jacobian reuse.
//!
//! Shapes: the projections [Q_1; K_1; V_1; Q_2; ..] X are p x n, and the attention matrix P of a map (of a head; a
//! differential head has two maps) is stored transposed: column i holds row i. Scores are shifted by their row's maximum before the
//! exponential, so that softmax is stable for any finite scores.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::centred::{Centred, Offsets};
use super::kernel::Kernel;
use super::normalize::Normalizer;
use super::product::multiply;
use super::projections::{MapLayout, Projections, combine};
use super::stacked::Stacked;
use super::steps::{GivenSteps, Steps, VectorMaps};
use super::view::{Accumulate, Scalar, View, ViewMut};
use crate::experiment::{self, Attention, Experiment, InputError, Mask, Scope, Score, Weighting, limits};
use crate::extremum::maximum;
use crate::parallel::{self, Schedule, Scratch};
use crate::phrase;
use crate::weights::{Inputs, Weights};

/// Whether the attention matrices are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Stored, and read by every product.
    Kept,
    /// Recomputed block by block in every product: n^2 exponentials each time, but no n^2 memory.
    Recomputed,
}

/// The most attention weights (n^2 times heads) that are stored at once: 192 MiB of f64, so that the page stays under
/// 400 MB.
pub const MOST_KEPT: u64 = 24 << 20;

/// Whether the attention matrices at n tokens are stored at once, `matrices` of n x n numbers.
pub(crate) fn storage(n: u64, matrices: u64) -> Storage {
    if n.saturating_mul(n) <= MOST_KEPT / matrices.max(1) { Storage::Kept } else { Storage::Recomputed }
}

/// How many rows of P a product takes at a time. A block of `BLOCK_ENTRIES` scores (rows x n) stays in the second-level
/// cache. But with fewer than 64 rows, packing costs too much beside the product itself, so a block of long rows may
/// have up to `MOST_ENTRIES` scores. A block has from 16 to 1024 rows, but never more than n.
pub(crate) fn rows_a_block(n: u64) -> u64 {
    const BLOCK_ENTRIES: u64 = 1 << 16;
    const MOST_ENTRIES: u64 = 1 << 18;
    let rows = BLOCK_ENTRIES / n.max(1);
    rows.max((MOST_ENTRIES / n.max(1)).min(64)).clamp(16, 1024).min(n)
}

/// The forward pass of attention at one list of tokens: projections, softmax scales and, where it fits in memory, P.
#[derive(Clone, Debug)]
pub struct Forward<T: Scalar> {
    pub(crate) n: usize,
    pub(crate) d: usize,
    pub(crate) mask: Mask,
    pub(crate) scope: Scope,
    pub(crate) maps: Vec<MapLayout>,
    pub(crate) steps: Steps,
    /// What the steps do to queries, keys and values.
    pub(crate) vector_maps: Option<VectorMaps<T>>,
    pub(crate) normalizer: Normalizer<T>,
    /// p x d.
    pub(crate) stacked: Stacked<T>,
    /// p numbers, or none. Products with the Jacobian need them no more.
    pub(crate) biases: Option<Arc<[T]>>,
    /// Queries, keys and values of the tokens minus their common part ([`Centred`]), after the steps that turn them, p x
    /// n.
    pub(crate) projections: DMatrix<T>,
    /// The common part of the tokens, d numbers; empty where they have none.
    pub(super) centre: Vec<T>,
    /// d_out x (sum of d_v).
    pub(crate) output: Option<Arc<DMatrix<T>>>,
    /// For each map, n pairs (largest score of the row, 1/sum_j exp(s_ij - largest)). Kept as two numbers, because one
    /// logarithm of the sum would lose digits where scores are large. Only for plain weights.
    pub(super) row_scales: Vec<Vec<(T, T)>>,
    /// For each map, the token with the largest weight in each row.
    pub(crate) tops: Vec<Vec<u32>>,
    /// For each map with a sink, the sink's share of each row.
    pub(crate) sink_shares: Vec<Vec<T>>,
    /// |k_j|^2 of each map; empty for the dot kernel.
    pub(super) key_squares: Vec<Vec<T>>,
    /// For each map, whether its scores are computed from q_i - k_j, entry by entry, rather than from the expanded
    /// square.
    pub(super) is_separate: Vec<bool>,
    pub(super) kept: Vec<Vec<T>>,
    /// The slopes beside the weights of each map, where the steps have them.
    pub(super) kept_slopes: Vec<Vec<T>>,
    pub(super) storage: Storage,
}

/// A block of rows of P, stored transposed: a column for each row of P.
#[derive(Debug)]
pub struct RowBlock<'a, T> {
    /// The rows one after the other, `stride` numbers each.
    pub weights: &'a [T],
    /// Distance in `weights` between consecutive rows of P.
    pub stride: usize,
    /// Beside each weight its slope: what a change of the score, as product of query and key, is multiplied by. Empty
    /// where the steps have none.
    pub(crate) slopes: &'a [T],
}

impl<T: Scalar> Forward<T> {
    /// Runs the forward pass of an experiment at its inputs.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where projections or scores are not finite, [`InputError::TooLarge`] where n or n^2 is
    /// over its limit.
    pub fn new(experiment: &Experiment, inputs: &Inputs) -> Result<Self, InputError> {
        let constants = |matrix: &DMatrix<f64>| matrix.map(T::constant);
        Forward::at(experiment, inputs, &constants(&inputs.tokens))
    }

    /// Runs the forward pass at other tokens (d x n), for instance with dual numbers as entries.
    ///
    /// # Errors
    /// As [`Forward::new`].
    pub fn at(experiment: &Experiment, inputs: &Inputs, tokens: &DMatrix<T>) -> Result<Self, InputError> {
        check(tokens)?;
        let normalizer = Normalizer::new(experiment.normalization, experiment.eps, tokens)?;
        let Experiment { attention, mask, score, weighting, .. } = experiment;
        let place = (experiment.scope(), mask.clone());
        Forward::of_weights((*attention, score, weighting), &inputs.weights, place, normalizer)
    }

    /// Runs the forward pass of these weights, such as those of a trained model, with these steps at tokens (d x n),
    /// without a normaliser. A sigmoid without a bias has that of n tokens.
    ///
    /// # Errors
    /// As [`Forward::new`].
    pub fn with_steps(
        attention: Attention,
        steps: &experiment::Steps,
        weights: &Weights,
        tokens: &DMatrix<T>,
    ) -> Result<Self, InputError> {
        check(tokens)?;
        let experiment::Steps { mask, score, weighting } = steps;
        let place = (Scope::Inputs, mask.clone());
        Forward::of_weights((attention, score, weighting), weights, place, Normalizer::none(tokens))
    }

    fn of_weights(
        (attention, score, weighting): (Attention, &Score, &Weighting),
        weights: &Weights,
        (scope, mask): (Scope, Mask),
        normalizer: Normalizer<T>,
    ) -> Result<Self, InputError> {
        let ln_n = (normalizer.outputs().ncols() as f64).ln();
        let steps = Steps::of((attention, score, weighting), weights.heads.len(), ln_n);
        let projections = projections_of((attention, score), weights, &steps);
        Forward::of_normalized(projections, normalizer, (scope, mask, steps))
    }

    /// Runs the forward pass through given projections and steps, such as those of a trained model, at tokens (d x n),
    /// without a normaliser.
    ///
    /// # Errors
    /// As [`Forward::new`].
    pub fn of_projections(
        projections: Projections<T>,
        mask: Mask,
        steps: &GivenSteps,
        tokens: &DMatrix<T>,
    ) -> Result<Self, InputError> {
        // Checked before the product, whose cost grows with the number of tokens.
        check(tokens)?;
        let place = (Scope::Inputs, mask, Steps::given(steps));
        Forward::of_normalized(projections, Normalizer::none(tokens), place)
    }

    /// As [`Forward::of_projections`], for tokens that are already [projected](Projections::project), for instance
    /// together with the tokens of other windows.
    ///
    /// # Errors
    /// As [`Forward::new`].
    pub fn of_projected(
        projections: Projections<T>,
        projected: DMatrix<T>,
        (mask, steps): (Mask, &GivenSteps),
        tokens: &DMatrix<T>,
    ) -> Result<Self, InputError> {
        check(tokens)?;
        let place = (Scope::Inputs, mask, Steps::given(steps));
        Forward::through(projections, (projected, Vec::new()), Normalizer::none(tokens), place)
    }

    fn of_normalized(
        projections: Projections<T>,
        normalizer: Normalizer<T>,
        place: (Scope, Mask, Steps),
    ) -> Result<Self, InputError> {
        let offsets = place.2.offsets(projections.is_l2(), &place.1);
        if offsets == Offsets::Kept {
            let projected = projections.project(normalizer.outputs());
            return Forward::through(projections, (projected, Vec::new()), normalizer, place);
        }
        let centred = Centred::of(normalizer.outputs());
        let projected = projections.project_centred(&centred, offsets);
        let centre = centred.into_centre();
        Forward::through(projections, (projected, centre), normalizer, place)
    }

    fn through(
        projections: Projections<T>,
        (mut projected, centre): (DMatrix<T>, Vec<T>),
        normalizer: Normalizer<T>,
        (scope, mask, steps): (Scope, Mask, Steps),
    ) -> Result<Self, InputError> {
        let Projections { maps, stacked, biases, output } = projections;
        let (d, n) = normalizer.outputs().shape();
        if projected.iter().any(|x| !x.value().is_finite()) {
            return Err(InputError::Overflow { what: phrase!("queries_keys_values", "The queries, keys or values") });
        }
        let vector_maps = VectorMaps::of(steps.vectors(), &maps, &mut projected)?;
        let storage = storage(n as u64, (maps.len() * if steps.have_slopes() { 2 } else { 1 }) as u64);
        let mut forward = Forward {
            n,
            d,
            mask,
            scope,
            row_scales: Vec::new(),
            tops: Vec::new(),
            sink_shares: Vec::new(),
            key_squares: Vec::new(),
            is_separate: Vec::new(),
            kept: Vec::new(),
            kept_slopes: Vec::new(),
            maps,
            steps,
            vector_maps,
            normalizer,
            stacked,
            biases,
            projections: projected,
            centre,
            output,
            storage,
        };
        forward.attend()?;
        Ok(forward)
    }

    /// Number of tokens.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Dimension of a token.
    #[must_use]
    pub fn d(&self) -> usize {
        self.d
    }

    /// Dimension of an output token.
    #[must_use]
    pub fn d_out(&self) -> usize {
        self.output.as_ref().map_or(self.d_concatenated(), |matrix| matrix.nrows())
    }

    /// Number of heads.
    #[must_use]
    pub fn n_heads(&self) -> usize {
        self.maps.last().map_or(0, |map| map.head_idx + 1)
    }

    /// Whether the blocks of the Jacobian are those of dot-product attention with one map a head, where the weights of
    /// every row sum to 1: the gradient of a score in the key is then the same for all keys.
    pub(crate) fn has_dot_blocks(&self) -> bool {
        let is_dot = self.maps.iter().all(|map| map.kernel.key_square == 0.0);
        let has_rows = !self.mask.has_empty_rows();
        is_dot && self.steps.have_plain_jacobian() && has_rows && self.maps.len() == self.n_heads()
    }

    /// The common part of the tokens that keys and values are computed without, d numbers; empty where there is none.
    pub(crate) fn centre(&self) -> &[T] {
        &self.centre
    }

    /// Whether values too are computed without the common part.
    pub(crate) fn centres_values(&self) -> bool {
        let is_l2 = self.maps.iter().all(|map| map.kernel.key_square != 0.0);
        self.steps.offsets(is_l2, &self.mask) == Offsets::Ignored
    }

    /// Whether the scores of a map are computed from q_i - k_j, entry by entry, rather than from the expanded square.
    pub(crate) fn scores_differences(&self, map_idx: usize) -> bool {
        self.is_separate[map_idx]
    }

    /// The attention maps of a head with their factors: one map, or the two of a differential head.
    pub fn maps_of(&self, head_idx: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let maps = self.maps.iter().enumerate();
        maps.filter(move |(_, map)| map.head_idx == head_idx).map(|(map_idx, map)| (map_idx, map.coefficient))
    }

    /// The normaliser, evaluated at these tokens.
    #[must_use]
    pub fn normalizer(&self) -> &Normalizer<T> {
        &self.normalizer
    }

    /// Whether the attention matrices are stored.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// f(X), d_out x n.
    #[must_use]
    pub fn output(&self) -> DMatrix<T> {
        combine(self.output.as_deref(), self.concatenated())
    }

    /// The tokens after the normaliser, minus their common part: keys are computed from them, and values too where their
    /// common part does not count.
    #[must_use]
    pub(crate) fn centred_tokens(&self) -> Cow<'_, DMatrix<T>> {
        let outputs = self.normalizer.outputs();
        if self.centre.is_empty() { Cow::Borrowed(outputs) } else { Cow::Owned(Centred::of(outputs).tokens().clone()) }
    }

    /// The concatenated outputs of the heads, before the output matrix: (sum of d_v) x n.
    #[must_use]
    pub fn concatenated(&self) -> DMatrix<T> {
        let d_cat = self.d_concatenated();
        let mut concatenated = DMatrix::from_element(d_cat, self.n, T::constant(0.0));
        let buffers = Scratch::new(self.row_buffer());
        let start = |block: usize| d_cat * self.block_start(block);
        parallel::for_parts(self.schedule(), 0..self.n_blocks(), concatenated.as_mut_slice(), &start, &|block, out| {
            let rows = self.block_rows(block);
            let reach = self.reach(&rows);
            buffers.with(
                || self.row_buffer(),
                |buffer| {
                    for (map_idx, map) in self.maps.iter().enumerate() {
                        let block = self.rows_of_p(map_idx, rows.clone(), buffer);
                        let place = &mut out[map.out_rows.start..];
                        let is_first = map_idx == 0 || self.maps[map_idx - 1].head_idx != map.head_idx;
                        multiply(
                            ViewMut::strided(place, map.out_rows.len(), rows.len(), d_cat),
                            if is_first { Accumulate::Replace } else { Accumulate::Add },
                            self.projection(&map.v_rows, 0..reach),
                            View::strided(block.weights, reach, rows.len(), block.stride),
                            T::constant(map.coefficient),
                        );
                    }
                },
            );
        });
        if !self.centre.is_empty() && self.centres_values() {
            let centre = DVector::from_column_slice(&self.centre);
            for map in &self.maps {
                let common = self.stacked.rows(&map.v_rows) * &centre * T::constant(map.coefficient);
                let mut place = concatenated.rows_mut(map.out_rows.start, map.out_rows.len());
                place.column_iter_mut().for_each(|mut column| column += &common);
            }
        }
        concatenated
    }

    /// Rows `rows` of a map's attention matrix P. Where P is not stored, a row has entries only for the tokens that
    /// some row of the block attends to; their number is `stride`. `buffer` comes from [`Forward::row_buffer`].
    pub fn rows_of_p<'a>(&'a self, map_idx: usize, rows: Range<usize>, buffer: &'a mut [T]) -> RowBlock<'a, T> {
        if let Some(kept) = self.kept.get(map_idx) {
            let place = rows.start * self.n..rows.end * self.n;
            let slopes = self.kept_slopes.get(map_idx).map_or(&[][..], |slopes| &slopes[place.clone()]);
            return RowBlock { weights: &kept[place], stride: self.n, slopes };
        }
        let reach = self.reach(&rows);
        let (buffer, slopes) = buffer.split_at_mut(self.n * self.rows_a_block());
        self.scores(map_idx, &rows, buffer);
        if self.steps.have_plain_weights() && self.mask.is_reach() {
            for (row, column) in rows.clone().zip(buffer.chunks_exact_mut(reach)) {
                let (shift, inverse) = self.row_scales[map_idx][row];
                let allowed = self.reach(&(row..row + 1));
                column[..allowed].iter_mut().for_each(|s| *s = (*s - shift).exp() * inverse);
                column[allowed..].fill(T::constant(0.0));
            }
        } else {
            let mut slots = slopes.chunks_exact_mut(reach);
            for (row, column) in rows.clone().zip(buffer.chunks_exact_mut(reach)) {
                self.weigh_row(map_idx, row, column, slots.next().unwrap_or_default());
            }
        }
        let numbers = rows.len() * reach;
        let slopes = if slopes.is_empty() { &[][..] } else { &slopes[..numbers] };
        RowBlock { weights: &buffer[..numbers], stride: reach, slopes }
    }

    /// A buffer for [`Forward::rows_of_p`]; empty where the attention matrices are stored.
    #[must_use]
    pub fn row_buffer(&self) -> Vec<T> {
        let matrices = if self.steps.have_slopes() { 2 } else { 1 };
        match self.storage {
            Storage::Kept => Vec::new(),
            Storage::Recomputed => vec![T::constant(0.0); matrices * self.n * self.rows_a_block()],
        }
    }

    /// Rows of P per block of scores (rows x n).
    #[must_use]
    pub fn rows_a_block(&self) -> usize {
        rows_a_block(self.n as u64) as usize
    }

    /// The row ranges of the blocks, in order.
    pub fn row_blocks(&self) -> impl Iterator<Item = Range<usize>> + use<'_, T> {
        (0..self.n_blocks()).map(|block| self.block_rows(block))
    }

    /// Number of blocks of rows.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n.div_ceil(self.rows_a_block())
    }

    /// The first row of a block; n for the block after the last.
    pub(crate) fn block_start(&self, block: usize) -> usize {
        (block * self.rows_a_block()).min(self.n)
    }

    /// The rows of a block.
    pub(crate) fn block_rows(&self, block: usize) -> Range<usize> {
        self.block_start(block)..self.block_start(block + 1)
    }

    /// Serial or parallel, by the cost of one pass over the attention matrices.
    pub(crate) fn schedule(&self) -> Schedule {
        let n = self.n as u64;
        Schedule::of(n.saturating_mul(n).saturating_mul(4 * self.projections.nrows() as u64))
    }

    /// A number of leading tokens that hold all that the rows of a block attend to: n, or the block's end under the
    /// causal mask.
    pub(crate) fn reach(&self, rows: &Range<usize>) -> usize {
        self.mask.reach(rows.end - 1, self.n)
    }

    /// A view of rows `rows` of the projections at tokens `tokens`.
    pub(crate) fn projection(&self, rows: &Range<usize>, tokens: Range<usize>) -> View<'_, T> {
        part(self.projections.as_slice(), self.projections.nrows(), rows, tokens)
    }

    pub(crate) fn d_concatenated(&self) -> usize {
        self.maps.last().map_or(0, |map| map.out_rows.end)
    }

    /// The length of the outputs of all maps at a token, one after the other.
    pub(crate) fn d_of_maps(&self) -> usize {
        self.maps.last().map_or(0, |map| map.own_rows.end)
    }
}

/// The projections of weights, with the kernel that the steps need.
fn projections_of<T: Scalar>(
    (attention, score): (Attention, &Score),
    weights: &Weights,
    steps: &Steps,
) -> Projections<T> {
    Projections::with_kernel(weights, |key_dim| {
        let kernel = Kernel::with_scale(attention, score.scale, key_dim);
        if steps.knows_row_constants() { kernel.with_row_terms() } else { kernel }
    })
}

impl Forward<f64> {
    /// Runs the forward pass at the positions of a token measure (those of the normaliser) with ln of the number of
    /// tokens at each: softmax weights are those of all tokens at a position, elementwise ones those of one token.
    ///
    /// # Errors
    /// As [`Forward::new`].
    pub(crate) fn at_measure(
        experiment: &Experiment,
        weights: &Weights,
        normalizer: Normalizer<f64>,
        ln_sizes: &[f64],
    ) -> Result<Self, InputError> {
        let most = ln_sizes.iter().copied().fold(f64::NEG_INFINITY, maximum);
        let ln_n = most + ln_sizes.iter().map(|ln| (ln - most).exp()).sum::<f64>().ln();
        let Experiment { attention, score, weighting, .. } = experiment;
        let steps = Steps::of((*attention, score, weighting), weights.heads.len(), ln_n).at_measure(ln_sizes);
        let projections = projections_of((*attention, score), weights, &steps);
        Forward::of_normalized(projections, normalizer, (Scope::Inputs, experiment.mask.clone(), steps))
    }
}

/// Checks that the tokens are finite and within the size limits.
fn check<T: Scalar>(tokens: &DMatrix<T>) -> Result<(), InputError> {
    let (d, n) = tokens.shape();
    limits::check_tokens(n, d)?;
    limits::check_scores(n)?;
    if tokens.iter().any(|x| !x.value().is_finite()) {
        return Err(InputError::Overflow { what: phrase!("tokens", "The tokens") });
    }
    Ok(())
}

/// A view of some rows and columns of a packed column-major matrix with `n_rows` rows.
pub(crate) fn part<'a, T: Scalar>(
    data: &'a [T],
    n_rows: usize,
    rows: &Range<usize>,
    columns: Range<usize>,
) -> View<'a, T> {
    View::strided(&data[columns.start * n_rows + rows.start..], rows.len(), columns.len(), n_rows)
}
