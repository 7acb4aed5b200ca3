//! The further numbers of the heads of a map at its tokens.

use std::ops::Range;

use crate::parts::jacobian::MapJacobian;
use crate::parts::layer_map::LayerMap;
use crate::parts::weight_norms::WeightNorms;
use crate::results::estimate::Sink;
use crate::results::statistics::{HeadStatistics, Statistic, Statistics};
use lipscope_core::attention::Forward;
use lipscope_core::extremum::largest;

/// The attention of the last layer of a map at its tokens, with the heads that the map includes.
struct Attention<'a> {
    forward: &'a Forward<f64>,
    heads: Range<usize>,
    norms: &'a [WeightNorms],
}

/// The wanted numbers of every head of a map; empty for a map without attention, and where none are wanted.
pub(crate) fn head_statistics(
    map: &LayerMap,
    jacobian: &MapJacobian<f64>,
    wanted: &[Statistic],
) -> Vec<HeadStatistics> {
    let Some((forward, heads)) = jacobian.heads().filter(|_| !wanted.is_empty()) else { return Vec::new() };
    let attention = Attention { forward, heads: heads.clone(), norms: map.weight_norms() };
    heads.map(|head| attention.of_head(head, wanted)).collect()
}

/// The token of a map that receives the most attention; `None` for a map without attention.
pub(crate) fn sink(jacobian: &MapJacobian<f64>) -> Option<Sink> {
    let (forward, heads) = jacobian.heads()?;
    let first = heads.start;
    let mut best = Sink { mass: 0.0, token: 0, head: 0 };
    for head in heads {
        for (token, mass) in forward.column_sums(head).into_iter().enumerate() {
            if mass > best.mass {
                best = Sink { mass, token, head: head - first };
            }
        }
    }
    Some(best)
}

impl Attention<'_> {
    fn of_head(&self, head: usize, wanted: &[Statistic]) -> HeadStatistics {
        let entropies = wanted.iter().any(|one| one.is_entropy()).then(|| self.forward.row_entropies(head)).flatten();
        let norms = self.norms.get(head - self.heads.start);
        let number = |statistic| match statistic {
            Statistic::Condition => None,
            Statistic::MaxLogit => self.forward.max_logit(head),
            Statistic::EntropyMean => entropies.map(|rows| rows.mean),
            Statistic::EntropyMin => entropies.map(|rows| rows.least),
            Statistic::ANorm => norms.and_then(|norms| norms.a),
            Statistic::VoNorm => norms.map(|norms| norms.vo),
        };
        let numbers = Statistics::of(|statistic| wanted.contains(&statistic).then(|| number(statistic)).flatten());
        HeadStatistics { sink: largest(self.forward.column_sums(head)), numbers }
    }
}
