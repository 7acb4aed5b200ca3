//! Which further numbers a plan wants, and why the map has no others of those that were asked for.

use super::estimating::Estimators;
use crate::config::map_kind::{Heads, MapKind};
use crate::config::model_config::ModelConfig;
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::results::statistics::{Statistic, Statistics};
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// The further numbers of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatisticsPlan {
    /// Those that are measured.
    pub wanted: Vec<Statistic>,
    /// Those that were asked for and do not apply, each with the reason.
    pub absent: Vec<(Statistic, Phrase)>,
}

impl StatisticsPlan {
    /// The numbers that were asked for, at a map of a model.
    #[must_use]
    pub fn new(asked: &[Statistic], (kind, config): (MapKind, &ModelConfig), estimators: Estimators) -> Self {
        let mut plan = StatisticsPlan::default();
        for statistic in Statistic::ALL.into_iter().filter(|statistic| asked.contains(statistic)) {
            match absence(statistic, (kind, config), estimators) {
                Some(reason) => plan.absent.push((statistic, reason)),
                None => plan.wanted.push(statistic),
            }
        }
        plan
    }

    /// Whether the numbers at a window of n tokens lack one that is wanted.
    pub(crate) fn lacks(&self, found: &Statistics, n: usize) -> bool {
        self.wanted.iter().any(|one| found.get(*one).is_none() && !(n == 1 && one.is_entropy()))
    }

    /// Notes on the numbers that are absent from all windows, and from those of some lengths.
    pub(crate) fn notes(&self, lengths: &[usize]) -> Vec<Phrase> {
        let of_map = self.absent.iter().map(|(statistic, reason)| note(*statistic, reason.clone()));
        let is_one = |statistic: &&Statistic| statistic.is_entropy() && lengths.contains(&1);
        let of_one = self.wanted.iter().filter(is_one).map(|statistic| {
            note(*statistic, phrase!("row_sees_one_token", "the only row of a window of one token sees one token"))
        });
        of_map.chain(of_one).collect()
    }
}

/// A map of some heads of a layer, with the norms of its weights where they are wanted.
///
/// # Errors
/// [`InputError::BadValue`] if the model has no such layer or head.
pub(crate) fn prepare(
    map: LayerMap,
    model: &Model,
    (place, wanted): ((usize, Heads), &[Statistic]),
) -> Result<LayerMap, InputError> {
    match wanted.iter().any(|statistic| statistic.is_of_weights()) {
        true => map.with_weight_norms(model, place),
        false => Ok(map),
    }
}

fn note(statistic: Statistic, reason: Phrase) -> Phrase {
    phrase!("note_no_statistic", "{column} is absent: {reason}", column = statistic.id(), reason = reason)
}

/// Why a map of a model has no such number; `None` if it has.
fn absence(statistic: Statistic, (kind, config): (MapKind, &ModelConfig), estimators: Estimators) -> Option<Phrase> {
    if let Some(reason) = kind.no_statistic(statistic) {
        return Some(reason);
    }
    match statistic {
        Statistic::ANorm if config.has_qk_norm() => Some(phrase!(
            "scores_of_normalized_vectors",
            "the model normalises queries and keys, so its scores are not those of the product of its weights"
        )),
        Statistic::Condition if estimators == Estimators::Released => {
            Some(phrase!("norm_not_measured", "it is a multiple of the norm, which was not measured"))
        }
        _ => None,
    }
}
