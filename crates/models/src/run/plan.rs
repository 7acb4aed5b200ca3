//! The input of a run over windows, and what it costs.

use super::bounding::{self, Bounding};
use super::estimating::Estimators;
use super::statistics_plan::StatisticsPlan;
use crate::config::map_kind::{Heads, MapKind};
use crate::config::model_config::ModelConfig;
use crate::results::estimate::Estimate;
use crate::results::table::{Cell, Table};
use crate::text::special_tokens::SpecialTokens;
use crate::text::windows::check_windows;
use lipscope_core::attention::MOST_KEPT;
use lipscope_core::cost::{check_sizes, size_at};
use lipscope_core::experiment::Phrase;
use lipscope_core::experiment::{InputError, Memory, Order, Size};
use lipscope_core::measure::UpperNumber;
use lipscope_core::parallel::threads;
use lipscope_core::phrase;
use lipscope_core::spectral::LanczosOptions;

/// Input of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Layers, from 0.
    pub layers: Vec<usize>,
    /// The heads of each map: all heads together, or some heads one by one.
    pub heads: Vec<Heads>,
    /// Window lengths.
    pub lengths: Vec<usize>,
    /// Windows per length.
    pub windows: usize,
    /// Order of the forward pass and of the map.
    pub mask: Order,
    /// The map that is measured.
    pub kind: MapKind,
    /// The estimators to compute.
    pub estimators: Estimators,
    /// Stopping rule of the iteration for ||J||_2.
    pub options: LanczosOptions,
    /// Whether bounds are computed too.
    pub bounds: Bounding,
    /// Whether an upper number, which may fail by chance, is found for ||J||_2 of every map.
    pub upper: UpperNumber,
    /// The further numbers of every map.
    pub statistics: StatisticsPlan,
    /// What stands around the text of every window; it counts in n.
    pub special: SpecialTokens,
}

/// How much of a model a run holds at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Held {
    /// All layers up to the deepest measured one.
    #[default]
    AllLayers,
    /// One layer.
    OneLayer,
}

/// Approximate number of tokens in a batch's forward pass: enough to amortise reading the weight matrices.
pub(crate) const PASS_TOKENS: usize = 256;
/// The most windows of a run.
pub const MOST_WINDOWS: usize = 1_000_000;

impl Plan {
    /// Checks the plan against the number of tokens in the text.
    ///
    /// # Errors
    /// [`InputError`] that names the invalid setting.
    pub fn check(&self, n_tokens: usize) -> Result<(), InputError> {
        let empty = |what: Phrase, least: Phrase| InputError::Empty { what, least };
        if self.layers.is_empty() || self.heads.is_empty() {
            return Err(empty(
                phrase!("list_layers_heads", "The list of layers or heads"),
                phrase!("at_least_one", "one"),
            ));
        }
        self.heads.iter().try_for_each(|heads| self.kind.check_heads(*heads))?;
        if self.lengths.is_empty() || self.windows == 0 {
            return Err(empty(
                phrase!("list_lengths_windows", "The list of lengths or windows"),
                phrase!("at_least_one", "one"),
            ));
        }
        if self.lengths.contains(&0) {
            return Err(InputError::BadValue {
                key: "lengths".into(),
                found: "0".into(),
                expected: phrase!("numbers_tokens_least_1", "numbers of tokens of at least 1"),
            });
        }
        let total = self.lengths.len().saturating_mul(self.windows);
        if total > MOST_WINDOWS {
            return Err(InputError::TooLarge {
                what: phrase!("number_windows", "The number of windows"),
                found: total.to_string().into(),
                limit: MOST_WINDOWS.to_string().into(),
                fix: phrase!("give_fewer_lengths_windows", "Give fewer lengths or windows."),
            });
        }
        let special = self.special.count();
        if let Some(n) = self.lengths.iter().find(|n| **n <= special) {
            return Err(InputError::BadValue {
                key: "lengths".into(),
                found: n.to_string().into(),
                expected: phrase!(
                    "more_than_special_tokens",
                    "numbers of tokens above {count}: so many are special tokens",
                    count = special
                ),
            });
        }
        check_windows(n_tokens, self.longest() - special, self.windows)
    }

    /// Whether a table lacks a cell's row, or the bounds, the upper number or a further number that the plan wants there.
    #[must_use]
    pub fn is_missing(&self, table: &Table, cell: &Cell) -> bool {
        table.rows.get(cell).is_none_or(|row| {
            self.lacks_bounds(row) || self.lacks_upper(row) || self.statistics.lacks(&row.statistics, cell.n)
        })
    }

    /// Whether a row lacks the upper number that the plan wants.
    fn lacks_upper(&self, row: &Estimate) -> bool {
        self.upper == UpperNumber::Included && self.estimators != Estimators::Released && row.upper.is_none()
    }

    /// Whether a row lacks the bounds that the plan wants.
    fn lacks_bounds(&self, row: &Estimate) -> bool {
        self.has_bounds() && row.bounds.is_none()
    }

    /// Notes for the plan's table, where bounds or further numbers are wanted and its map has none, and where an upper number
    /// is wanted without the norm.
    #[must_use]
    pub fn notes(&self) -> Vec<Phrase> {
        let reason = self.kind.no_local_bounds().filter(|_| self.bounds == Bounding::AtTokens);
        let no_bounds = reason
            .map(|reason| phrase!("note_no_bounds", "no bounds were computed: they are {reason}", reason = reason));
        let is_without_norm = self.upper == UpperNumber::Included && self.estimators == Estimators::Released;
        let no_upper = is_without_norm.then(|| {
            phrase!("note_no_upper", "no upper number was found: it is one on the norm, which was not measured")
        });
        no_bounds.into_iter().chain(no_upper).chain(self.statistics.notes(&self.lengths)).collect()
    }

    /// Whether bounds are wanted and apply.
    fn has_bounds(&self) -> bool {
        self.bounds == Bounding::AtTokens && self.kind.no_local_bounds().is_none()
    }

    /// The longest window length.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.lengths.iter().copied().max().unwrap_or(0)
    }

    /// Approximate memory of a run with this plan in bytes, with a margin for temporaries; saturates.
    ///
    /// Weights are f32: 2 (H + G) k d for attention and 2 d inner for the MLP, 3 d inner with a gate, for each layer up to
    /// the deepest, and a row for each token id and position. Forward pass and maps keep attention's in f64, and the measured maps in f32
    /// too. A window adds, in f64 and f32, the attention matrices, slopes and fields of every layer that its map
    /// includes, and 40 pairs of vectors for the iteration. Each thread measures a window of its own, so a window's
    /// memory counts once for each thread.
    #[must_use]
    pub fn bytes(&self, config: &ModelConfig) -> u64 {
        self.bytes_with(config, None)
    }

    /// How much of the model a run can hold within the limit: all layers, or else one at a time, which a map of several
    /// layers together does not allow.
    ///
    /// # Errors
    /// [`InputError::TooCostly`].
    pub fn held(&self, config: &ModelConfig, memory: Memory) -> Result<Held, InputError> {
        let is_one_enough = || self.kind != MapKind::Blocks && self.bytes_by_layer(config) <= memory.bytes();
        match self.check_memory(config, memory) {
            Ok(()) => Ok(Held::AllLayers),
            Err(_) if is_one_enough() => Ok(Held::OneLayer),
            Err(problem) => Err(problem),
        }
    }

    /// As [`Plan::bytes`], for a run that holds one layer at a time.
    #[must_use]
    pub fn bytes_by_layer(&self, config: &ModelConfig) -> u64 {
        // One window is measured at a time.
        let first = Plan { layers: vec![0], lengths: vec![self.longest()], windows: 1, ..self.clone() };
        // A layer on the way to a measured one is passed whole, with its MLP and its attention stacked in f64; before it
        // is measured the stack is dropped.
        let of_mlp = 4 * config.numbers_of_mlp() as u64;
        let passing = 12 * config.numbers_of_attention() as u64 + of_mlp;
        // The tokens of all windows, and once more as inputs of a map.
        let tokens = self.lengths.iter().fold(0usize, |sum, n| sum.saturating_add(*n)).saturating_mul(self.windows);
        let of_tokens = (tokens as u64).saturating_mul(16 * config.d as u64);
        let with_margin = |bytes: u64| bytes.saturating_mul(6) / 5;
        // A measured layer on the way to another one has its MLP too, which the map may leave out.
        let beside = if self.kind.has_mlp() { 0 } else { of_mlp };
        let measuring = first.bytes(config).saturating_add(with_margin(beside));
        with_margin(passing).max(measuring).saturating_add(with_margin(of_tokens))
    }

    /// Refuses a run that would take more memory than the limit, before the model is read or drawn.
    ///
    /// # Errors
    /// [`InputError::TooCostly`].
    pub fn check_memory(&self, config: &ModelConfig, memory: Memory) -> Result<(), InputError> {
        let sizes = [
            (Size::Tokens, self.longest() as u64),
            (Size::Dimension, config.d as u64),
            (Size::Layers, self.depth() as u64),
        ];
        check_sizes(phrase!("run_over_model", "The run over the model"), &sizes, memory, |changed| {
            self.bytes_with(config, changed)
        })
    }

    /// Number of layers that are needed: one more than the index of the deepest one measured.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.layers.iter().max().map_or(0, |layer| layer.saturating_add(1))
    }

    /// Number of layers whose MLP is needed. The deepest layer counts only for a map that includes its MLP.
    #[must_use]
    pub fn mlps(&self) -> usize {
        if self.kind.has_mlp() { self.depth() } else { self.depth().saturating_sub(1) }
    }

    /// Number of layers whose attention is stacked for the forward pass. A map with a residual connection shares the
    /// stack, so its layers are included.
    pub(crate) fn passed_layers(&self) -> usize {
        if self.kind.is_attention_alone() { self.depth().saturating_sub(1) } else { self.depth() }
    }

    fn bytes_with(&self, config: &ModelConfig, changed: Option<(Size, u64)>) -> u64 {
        const MARGIN: f64 = 1.2;
        let at = |size: Size, default: usize| size_at(changed, size, default);
        let (n, depth) = (at(Size::Tokens, self.longest()), at(Size::Layers, self.depth()));
        let (d, heads) = (at(Size::Dimension, config.d), config.heads as f64);
        let wider = d / config.d as f64;
        let inner = config.inner_of_token() as f64 * wider;
        let square = config.numbers_of_attention() as f64 * wider * wider;
        let of_mlps = config.numbers_of_mlp() as f64 * wider * wider;
        let matrices = if config.has_gate() { 3.0 } else { 2.0 };
        // The vectors of a token in attention, in widths: as many as 12 where H k = G k = d.
        let vectors = 3.0 * ((2 * config.heads + 2 * config.key_heads) * config.head_dim) as f64 / config.d as f64;
        let kept = |layers: usize| (depth - self.depth() as f64 + layers as f64).max(0.0);
        let rows = (n * self.lengths.len() as f64 * self.windows as f64).min(config.vocabulary as f64) + n;
        let weights = 4.0 * (square * depth + of_mlps * kept(self.mlps()) + rows * d);
        let forward = 8.0 * square * kept(self.passed_layers());
        let measured = (self.layers.len() as f64).min(depth);
        let maps = match self.kind {
            MapKind::Attention | MapKind::WithOutput => {
                let share = |which: &Heads| if *which == Heads::All { 1.0 } else { 1.0 / heads };
                12.0 * square * measured * self.heads.iter().map(share).sum::<f64>()
            }
            MapKind::MlpResidual => 0.0,
            MapKind::AttentionResidual | MapKind::Block => 4.0 * square * measured,
            MapKind::Blocks => 4.0 * square * depth,
        };
        let tokens = n.max(PASS_TOKENS as f64);
        let pass = 8.0 * tokens * ((matrices - 1.0) * inner + (vectors + measured) * d);
        let layers = if self.kind == MapKind::Blocks { depth } else { 1.0 };
        let of_attention = match self.kind.has_attention() {
            true => 12.0 * ((heads * n * n).min(MOST_KEPT as f64) + vectors * n * d),
            false => 0.0,
        };
        let of_mlp = if self.kind.has_mlp() { 12.0 * n * ((2.0 * matrices - 1.0) * inner + 3.0 * d) } else { 0.0 };
        let of_bounds = if self.has_bounds() { 8.0 * bounding::numbers(config, n) } else { 0.0 };
        // The vectors of the iteration, more of them where an upper number is wanted.
        let of_iteration = if self.upper == UpperNumber::Included { 104.0 } else { 82.0 };
        let window = layers * (of_attention + of_mlp) + of_bounds + 8.0 * of_iteration * n * d;
        // Every thread measures its own window.
        let at_once = threads().min(self.lengths.len().saturating_mul(self.windows)).max(1) as f64;
        (MARGIN * (weights + forward + maps + at_once * (pass + window))) as u64
    }
}
