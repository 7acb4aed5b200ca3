//! Further numbers of a cell of a table, which a run finds where they are asked for: those of a monitor's row
//! (docs/monitor.md).

use serde::{Deserialize, Serialize};

use crate::config::map_kind::MapKind;
use lipscope_core::experiment::Phrase;
use lipscope_core::extremum::{maximum, minimum};
use lipscope_core::phrase;

/// A number that may be asked for. Those of attention refer to the last layer of the map, and to all its heads together
/// unless the cell has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Statistic {
    /// L |X| / |f(X)|: the largest growth of a relative change.
    Condition,
    /// The largest score among those that the mask allows, of all heads.
    MaxLogit,
    /// The mean over the rows of attention of their entropy, divided by its maximum; the mean over heads.
    EntropyMean,
    /// The smallest entropy of a row of any head, divided by its maximum.
    EntropyMin,
    /// ||A_h||_2 of the weights, A_h = K_h^T Q_h times the scale of the scores; the largest of all heads.
    ANorm,
    /// ||O_h V_h||_2 of the weights; the largest of all heads.
    VoNorm,
}

impl Statistic {
    /// All of them, in the order of tables.
    pub const ALL: [Statistic; 6] = [
        Statistic::Condition,
        Statistic::MaxLogit,
        Statistic::EntropyMean,
        Statistic::EntropyMin,
        Statistic::ANorm,
        Statistic::VoNorm,
    ];

    /// Its name in tables, in rows of a monitor and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Whether it is a norm of a head's weights.
    pub(crate) fn is_of_weights(self) -> bool {
        matches!(self, Statistic::ANorm | Statistic::VoNorm)
    }

    /// Whether it is about rows that see several tokens.
    pub(crate) fn is_entropy(self) -> bool {
        matches!(self, Statistic::EntropyMean | Statistic::EntropyMin)
    }

    /// What the numbers of heads are together; `None` if there are none.
    fn together(self, heads: impl Iterator<Item = f64> + Clone) -> Option<f64> {
        match self {
            Statistic::EntropyMin => heads.reduce(minimum),
            Statistic::EntropyMean => {
                let count = heads.clone().count();
                (count > 0).then(|| heads.sum::<f64>() / count as f64)
            }
            _ => heads.reduce(maximum),
        }
    }
}

impl MapKind {
    /// Why a map has no such number; `None` if it has.
    pub(crate) fn no_statistic(self, statistic: Statistic) -> Option<Phrase> {
        let is_of_attention = statistic != Statistic::Condition;
        (is_of_attention && !self.has_attention())
            .then(|| phrase!("map_without_attention", "the map {map} has no attention", map = self.id()))
    }
}

/// The numbers that were found, by [`Statistic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics([Option<f64>; Statistic::ALL.len()]);

impl Statistics {
    /// The numbers for which `find` has one.
    pub fn of(find: impl FnMut(Statistic) -> Option<f64>) -> Self {
        Statistics(Statistic::ALL.map(find))
    }

    /// One of the numbers.
    #[must_use]
    pub fn get(&self, statistic: Statistic) -> Option<f64> {
        self.0[statistic as usize]
    }

    /// Sets one of the numbers.
    pub(crate) fn set(&mut self, statistic: Statistic, value: Option<f64>) {
        self.0[statistic as usize] = value;
    }

    /// Whether no number differs where both have one.
    pub(crate) fn is_alike(&self, other: &Statistics) -> bool {
        self.0.iter().zip(&other.0).all(|(here, there)| here.is_none() || there.is_none() || here == there)
    }

    /// Whether there is a number that other ones lack.
    pub(crate) fn adds_to(&self, other: &Statistics) -> bool {
        self.0.iter().zip(&other.0).any(|(here, there)| here.is_some() && there.is_none())
    }

    /// These numbers, and those of others where there is none.
    pub(crate) fn or_with(&self, other: &Statistics) -> Statistics {
        Statistics::of(|statistic| self.get(statistic).or(other.get(statistic)))
    }
}

/// The numbers of one head of a map's last attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadStatistics {
    /// The largest column sum of P.
    pub sink: f64,
    /// Those of [`Statistic`] that were asked for.
    pub numbers: Statistics,
}

impl HeadStatistics {
    /// The numbers of heads together.
    pub(crate) fn together(heads: &[HeadStatistics]) -> Statistics {
        Statistics::of(|statistic| statistic.together(heads.iter().filter_map(move |head| head.numbers.get(statistic))))
    }
}
