//! What the steps of attention add to the sizes of an experiment.

use super::product;
use crate::attention::stored_a_pair;
use crate::experiment::{Attention, Experiment, Mask, WeightSource, Weighting};

/// The sizes of steps; those of plain attention add nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepSizes {
    /// Attention maps of a head: 2 for differential heads.
    pub(super) maps_a_head: u64,
    /// Numbers stored for each pair of tokens and map.
    pub(super) a_pair: u64,
    /// Numbers of keys and values that are projected, out of those that the heads read.
    shared: (u64, u64),
    /// Steps that keep a number for each entry of queries and keys, and of values.
    vector_steps: u64,
    pub(super) value_steps: u64,
    /// Tables of n x n numbers: a bias, a mask.
    tables: u64,
    /// Numbers for each row of a map: the share of a sink, a term of the L2 kernel.
    a_row: u64,
}

impl StepSizes {
    /// The sizes of an experiment.
    pub(super) fn of(experiment: &Experiment) -> Self {
        let Experiment { attention, score, weighting, mask, .. } = experiment;
        let has_norm = score.qk_norm.is_some() || *attention == Attention::Cosine;
        let (maps_a_head, shared) = match &experiment.weights {
            Some(WeightSource::Explicit { heads, shared, .. }) => {
                let is_double = heads.iter().any(|head| head.second.is_some());
                let size = |(_, head): &(usize, &crate::experiment::Head)| (head.k.n_rows() + head.v.n_rows()) as u64;
                let first = |(at, _): &(usize, &crate::experiment::Head)| {
                    shared.get(*at).is_none_or(|group| shared.iter().position(|other| other == group) == Some(*at))
                };
                let heads = || heads.iter().enumerate();
                let (own, all): (u64, u64) =
                    (heads().filter(first).map(|head| size(&head)).sum(), heads().map(|head| size(&head)).sum());
                (1 + u64::from(is_double), (own, all))
            }
            Some(WeightSource::Random(random)) => {
                (1 + u64::from(random.differential.is_some()), (random.kv_heads as u64, random.heads as u64))
            }
            Some(WeightSource::Identity { .. } | WeightSource::Kim { .. }) | None => (1, (1, 1)),
        };
        StepSizes {
            maps_a_head,
            a_pair: stored_a_pair(experiment),
            shared,
            // A rotation keeps a cosine and a sine for each pair of entries.
            vector_steps: u64::from(has_norm)
                + u64::from(score.rope.is_some())
                + u64::from(*attention == Attention::Linear),
            value_steps: u64::from(score.value_norm.is_some()),
            tables: u64::from(score.bias.is_some()) + u64::from(matches!(mask, Mask::Allowed(_))),
            a_row: if *weighting == Weighting::SOFTMAX && score.softcap.is_none() { 0 } else { 2 },
        }
    }

    /// How many of `rows` rows of keys and values of all heads are projected.
    pub(super) fn projected(&self, rows: u64) -> u64 {
        let (own, all): (u64, u64) = self.shared;
        if own == all { rows } else { (u128::from(rows) * u128::from(own)).div_ceil(u128::from(all.max(1))) as u64 }
    }

    /// Numbers that the steps keep for a token, besides its weights: `queries` rows of all queries, `values` of all
    /// values, and the slopes of each run of rows.
    pub(super) fn a_token(&self, queries: u64, values: u64, maps: u64) -> u64 {
        if self.vector_steps + self.value_steps == 0 {
            return 0;
        }
        let vectors = product([self.vector_steps, queries + self.projected(queries)]);
        let values = product([self.value_steps, self.projected(values)]);
        vectors.saturating_add(values).saturating_add(product([9, maps]))
    }

    /// Numbers in tables of n x n numbers; a task and its forward pass each have a copy.
    pub(super) fn tables(&self, n: u64) -> u64 {
        product([2, self.tables, n, n])
    }

    /// Numbers for the rows of `maps` maps.
    pub(super) fn rows(&self, maps: u64, n: u64) -> u64 {
        product([self.a_row, maps, n])
    }
}
