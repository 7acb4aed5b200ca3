//! A plan as the text fields of the command line and of the page's form, and the subject of the plan's table.

use serde::{Deserialize, Serialize};

use super::bounding::Bounding;
use super::estimating::Estimators;
use super::plan::Plan;
use super::statistics_plan::StatisticsPlan;
use crate::config::map_kind::{Heads, MapKind};
use crate::config::model_config::ModelConfig;
use crate::results::statistics::Statistic;
use crate::results::table::Subject;
use crate::text::special_tokens::{SPECIAL, SpecialTokens};
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::measure::UpperNumber;
use lipscope_core::phrase;
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::sweep::parse_lengths;

/// A plan as entered; absent settings take the model's defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanText {
    /// A list `0,6`.
    pub layers: String,
    /// `all` heads together, `each` head by itself, or a list `0,7` of single heads.
    pub heads: String,
    /// A list, a range or a log-spaced range, as [`parse_lengths`] reads it.
    pub lengths: String,
    /// Windows per length.
    pub windows: usize,
    /// Order of the whole model.
    pub mask: Option<Order>,
    /// The map that is measured.
    pub kind: Option<MapKind>,
    /// The estimators to compute.
    pub estimators: Estimators,
    /// Relative residual at which the iteration stops.
    pub tolerance: f64,
    /// Whether bounds at the same tokens are computed too.
    pub bounds: Bounding,
    /// Whether an upper number is found for the norm of every map.
    pub upper: UpperNumber,
    /// Further numbers of every map.
    pub statistics: Vec<Statistic>,
    /// What stands around the text of every window.
    pub special: SpecialTokens,
}

/// The default tolerance of a run; the relative error of the norm is of the order of its square.
pub const MODEL_TOLERANCE: f64 = 3e-4;

impl PlanText {
    /// Parses the plan for a model.
    ///
    /// # Errors
    /// [`InputError::BadValue`] that names the invalid list, or for a tolerance that is too loose.
    pub fn plan(&self, config: &ModelConfig) -> Result<Plan, InputError> {
        let options = LanczosOptions { tolerance: self.tolerance, ..LanczosOptions::default() };
        options.check()?;
        let kind = self.kind.unwrap_or_else(|| config.default_map());
        Ok(Plan {
            layers: numbers("layers", &self.layers)?,
            heads: match self.heads.trim() {
                "all" => vec![Heads::All],
                "each" => (0..config.heads).map(Heads::One).collect(),
                list => numbers("head", list)?.into_iter().map(Heads::One).collect(),
            },
            lengths: parse_lengths(&self.lengths)?,
            windows: self.windows,
            mask: self.mask.unwrap_or(config.mask),
            kind,
            estimators: self.estimators,
            options,
            bounds: self.bounds,
            upper: self.upper,
            statistics: StatisticsPlan::new(&self.statistics, (kind, config), self.estimators),
            special: self.special.clone(),
        })
    }
}

impl Subject {
    /// The subject of a plan's table, given the model's label and the fingerprint of its text.
    #[must_use]
    pub fn of(model: &str, text: &str, plan: &Plan) -> Self {
        Subject {
            model: model.into(),
            text: plan.special.in_column(text),
            map: plan.kind.id().into(),
            mask: plan.mask.id().into(),
            estimator: plan.estimators.id().into(),
        }
    }
}

impl Subject {
    /// Whether special tokens stand around its windows.
    #[must_use]
    pub fn has_special_tokens(&self) -> bool {
        self.text.contains(SPECIAL)
    }
}

/// The tokens of a text that the windows of a plan need, at most.
///
/// # Errors
/// [`InputError::BadValue`] for lengths that cannot be read.
pub fn tokens_needed(lengths: &str, windows: usize) -> Result<usize, InputError> {
    Ok(parse_lengths(lengths)?.into_iter().max().unwrap_or(0).saturating_mul(windows))
}

/// The lengths of a run for which none are given: those of \[C\] section 5, as far as the model's positions go, and above
/// the number of special tokens.
#[must_use]
pub fn default_lengths(config: &ModelConfig, special: &SpecialTokens) -> String {
    const LAST: usize = 98;
    const STEP: usize = 2;
    let last = LAST.min(config.positions);
    let first = (2 + special.count()).min(last);
    format!("{first}:{last}:{STEP}")
}

fn numbers(key: &str, text: &str) -> Result<Vec<usize>, InputError> {
    let mut list =
        text.split(',').map(|part| part.trim().parse()).collect::<Result<Vec<usize>, _>>().map_err(|_| {
            InputError::bad_value(
                key,
                text,
                phrase!("list_whole_numbers_such", "a list of whole numbers such as 0,6, counted from 0"),
            )
        })?;
    list.sort_unstable();
    list.dedup();
    Ok(list)
}
