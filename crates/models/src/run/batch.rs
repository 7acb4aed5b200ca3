//! Groups the windows of a run into batches that share a forward pass.
//!
//! The windows of a batch share every product with a weight matrix. Under the causal mask a token does not depend on
//! later ones, so a window that begins where a longer one begins reuses the longer one's forward pass.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::plan::{PASS_TOKENS, Plan};
use crate::config::map_kind::{Heads, MapKind};
use crate::parts::model::Needs;
use crate::results::table::Cell;
use lipscope_core::experiment::Order;

/// A window of a text: its length and its index among the windows of that length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Window {
    /// Number of tokens.
    pub n: usize,
    /// Index, from 0.
    pub window: usize,
}

/// Windows that share one forward pass over the longest: all begin at the same token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixGroup {
    /// The longest window, over which the forward pass runs.
    pub longest: Window,
    /// The other windows, which are prefixes of `longest`.
    pub shorter: Vec<Window>,
}

/// Prefix groups that share a forward pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The group with the longest window first.
    pub prefix_groups: Vec<PrefixGroup>,
}

/// Part `index` of `count` equal parts of a run, for several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Index, from 0.
    pub index: usize,
    /// Number of parts.
    pub count: usize,
}

/// Approximate limit on the tokens of all windows of a batch times the number of maps measured. It keeps batches short,
/// because a batch cannot be interrupted.
const MEASURED_TOKENS: usize = 512;
/// How many single heads cost about as much as a map of all heads.
const HEADS_A_MAP: usize = 4;

impl Plan {
    /// The batches of a shard, longest windows first. They depend only on lengths, windows, layers, heads, mask and
    /// map.
    #[must_use]
    pub fn batches(&self, shard: Shard) -> Vec<Batch> {
        let most = Size { pass: PASS_TOKENS, measured: MEASURED_TOKENS / self.maps().max(1) };
        let mut batches: Vec<Batch> = Vec::new();
        let mut so_far = Size::default();
        for prefix_group in self.prefix_groups(most.measured) {
            let with = so_far.plus(Size::of(&prefix_group));
            match batches.last_mut() {
                Some(last) if with.pass <= most.pass && with.measured <= most.measured => {
                    last.prefix_groups.push(prefix_group);
                    so_far = with;
                }
                _ => {
                    so_far = Size::of(&prefix_group);
                    batches.push(Batch { prefix_groups: vec![prefix_group] });
                }
            }
        }
        batches.into_iter().skip(shard.index).step_by(shard.count.max(1)).collect()
    }

    /// The part of a model that some batches need.
    #[must_use]
    pub fn needs(&self, ids: &[u32], batches: &[Batch]) -> Needs {
        let texts = batches.iter().flat_map(|batch| &batch.prefix_groups).map(|prefix_group| prefix_group.longest);
        Needs {
            layers: self.depth(),
            mlps: self.mlps(),
            ids: texts.filter_map(|text| self.special.window(ids, text.n, text.window).ok()).flatten().collect(),
            positions: batches.iter().map(Batch::longest).max().unwrap_or(0),
        }
    }

    /// The table cells that a batch fills.
    pub fn cells<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = Cell> + 'a {
        let of_window = move |Window { n, window }: Window| {
            let layers = self.layers.iter().flat_map(|layer| self.heads.iter().map(move |heads| (*layer, *heads)));
            layers.map(move |(layer, heads)| Cell { layer, heads, n, window })
        };
        batch.windows().flat_map(of_window)
    }

    /// Approximate cost of a window in maps of attention with all heads; an MLP costs about as much as two.
    fn maps(&self) -> usize {
        let of_heads =
            if self.heads.contains(&Heads::All) { self.heads.len() } else { self.heads.len().div_ceil(HEADS_A_MAP) };
        let of_layer = |layer: &usize| match self.kind {
            MapKind::Attention | MapKind::WithOutput | MapKind::AttentionResidual => 1,
            MapKind::MlpResidual => 2,
            MapKind::Block => 3,
            MapKind::Blocks => 3 * (layer + 1),
        };
        of_heads * self.layers.iter().map(of_layer).sum::<usize>()
    }

    /// All windows of the plan in prefix groups, the longest first.
    fn prefix_groups(&self, most_measured: usize) -> Vec<PrefixGroup> {
        let mut lengths = self.lengths.clone();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        let windows = lengths.iter().flat_map(|n| (0..self.windows).map(|window| Window { n: *n, window }));
        let alone = |longest| PrefixGroup { longest, shorter: Vec::new() };
        // What stands after a window's text is not where the longer one has its text.
        if self.mask != Order::Causal || !self.special.after.is_empty() {
            return windows.map(alone).collect();
        }
        let mut by_start: BTreeMap<usize, Vec<PrefixGroup>> = BTreeMap::new();
        for window in windows {
            let here = by_start.entry(self.special.text_span(window.n, window.window).start).or_default();
            match here.last_mut() {
                Some(last) if Size::of(last).measured + window.n <= most_measured => last.shorter.push(window),
                _ => here.push(alone(window)),
            }
        }
        let mut prefix_groups: Vec<PrefixGroup> = by_start.into_values().flatten().collect();
        prefix_groups.sort_by_key(|prefix_group| Reverse(prefix_group.longest.n));
        prefix_groups
    }
}

impl PrefixGroup {
    /// All windows of the group, the longest first.
    pub fn windows(&self) -> impl Iterator<Item = Window> + '_ {
        [self.longest].into_iter().chain(self.shorter.iter().copied())
    }

    /// Whether the group contains a window.
    #[must_use]
    pub fn has(&self, wanted: Window) -> bool {
        self.windows().any(|window| window == wanted)
    }
}

impl Batch {
    /// All windows of the batch.
    pub fn windows(&self) -> impl Iterator<Item = Window> + '_ {
        self.prefix_groups.iter().flat_map(PrefixGroup::windows)
    }

    /// Number of tokens in its longest window.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.prefix_groups.iter().map(|prefix_group| prefix_group.longest.n).max().unwrap_or(0)
    }

    /// Number of tokens in its forward pass.
    #[must_use]
    pub fn pass_tokens(&self) -> usize {
        self.prefix_groups.iter().map(|prefix_group| prefix_group.longest.n).sum()
    }
}

/// Two sizes of a batch that are limited: the tokens of its forward pass, and the tokens of all its windows together.
#[derive(Clone, Copy, Default)]
struct Size {
    pass: usize,
    measured: usize,
}

impl Size {
    fn of(prefix_group: &PrefixGroup) -> Self {
        Size { pass: prefix_group.longest.n, measured: prefix_group.windows().map(|window| window.n).sum() }
    }

    fn plus(self, other: Size) -> Self {
        Size { pass: self.pass + other.pass, measured: self.measured + other.measured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimators;
    use lipscope_core::spectral::LanczosOptions;

    fn plan(mask: Order, layers: usize) -> Plan {
        Plan {
            bounds: crate::Bounding::Skipped,
            upper: lipscope_core::measure::UpperNumber::Skipped,
            statistics: Default::default(),
            special: crate::SpecialTokens::default(),
            layers: (0..layers).collect(),
            heads: vec![Heads::All],
            lengths: (2..=98).step_by(2).chain([500, 7, 7]).collect(),
            windows: 10,
            mask,
            kind: MapKind::Attention,
            estimators: Estimators::Both,
            options: LanczosOptions::default(),
        }
    }

    fn whole(plan: &Plan) -> Vec<Batch> {
        plan.batches(Shard { index: 0, count: 1 })
    }

    #[test]
    fn every_window_is_in_one_prefix_group_of_one_shard() {
        for (mask, layers) in [(Order::Free, 1), (Order::Causal, 1), (Order::Causal, 12)] {
            let plan = plan(mask, layers);
            let parts = (0..3).flat_map(|index| plan.batches(Shard { index, count: 3 }));
            let mut found: Vec<(usize, usize)> = parts
                .flat_map(|batch| batch.windows().map(|window| (window.n, window.window)).collect::<Vec<_>>())
                .collect();
            found.sort_unstable();
            let mut lengths = plan.lengths.clone();
            lengths.sort_unstable();
            lengths.dedup();
            let all: Vec<(usize, usize)> = lengths.iter().flat_map(|n| (0..10).map(|window| (*n, window))).collect();
            assert_eq!(found, all, "{mask:?}");
        }
    }

    #[test]
    fn windows_of_a_prefix_group_begin_at_one_token_and_batches_are_bounded() {
        for (mask, layers) in [(Order::Free, 1), (Order::Causal, 1), (Order::Causal, 12)] {
            for batch in whole(&plan(mask, layers)) {
                for PrefixGroup { longest, shorter } in &batch.prefix_groups {
                    let begins_with = |w: &Window| w.n < longest.n && w.n * w.window == longest.n * longest.window;
                    assert!(shorter.iter().all(begins_with), "{longest:?} {shorter:?}");
                }
                let measured: usize = batch.windows().map(|window| window.n).sum();
                let is_one = batch.windows().count() == 1;
                assert!(
                    is_one || (batch.pass_tokens() <= PASS_TOKENS && measured * layers <= MEASURED_TOKENS),
                    "{batch:?}"
                );
                assert!(batch.longest() == batch.prefix_groups[0].longest.n);
            }
        }
    }

    /// docs/models_reference.md quotes these numbers.
    #[test]
    fn the_causal_mask_needs_fewer_forward_passes_for_the_figure_of_the_paper() {
        let tokens = |mask| {
            let figure = Plan { lengths: (2..=98).step_by(2).collect(), ..plan(mask, 1) };
            whole(&figure).iter().map(Batch::pass_tokens).sum::<usize>()
        };
        assert_eq!([tokens(Order::Free), tokens(Order::Causal)], [24_500, 15_818]);
    }
}
